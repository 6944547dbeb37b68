"""A completion in the shapes that editors insert whole."""

from __future__ import annotations

import re

from lsprotocol import types as lsp

from ast_prompt.place import BLANKS, word_before
from server.completion import Completion
from server.positions import units
from server.where import Where

ACCEPTED = "kireji.accepted"
SNIPPET_MARKS = re.compile(r"([\\$}])")


def inline_item(
    completion: Completion, where: Where, number: int, selected: lsp.SelectedCompletionInfo | None
) -> lsp.InlineCompletionItem | None:
    """Always with a range, on one line: without one Neovim repeats what is typed meanwhile. It covers only what
    the text replaces."""
    cursor = position(where, where.offset)
    covered = where.line[1][: completion.covers]
    end = lsp.Position(cursor.line, cursor.character + units(covered, where.encoding))
    command = lsp.Command("accepted", ACCEPTED, arguments=[number])
    if selected is None:
        return lsp.InlineCompletionItem(completion.text, range=lsp.Range(cursor, end), command=command)
    begin = selected.range.start
    if begin.line != cursor.line or begin.character > cursor.character:
        return None
    typed = where.snapshot.text.decoded(where.offset_of(begin.line, begin.character), where.offset)
    line = (typed + completion.text).partition("\n")[0]
    if not line.startswith(selected.text):
        return None
    return lsp.InlineCompletionItem(line, range=lsp.Range(begin, end), command=command)


def popup_item(completion: Completion, where: Where, number: int) -> lsp.CompletionItem | None:
    """One line without blanks as an edit up to the cursor; all else as an escaped snippet with its further lines
    relative to the cursor's line: the one form that Neovim's popup, nvim-cmp and blink.cmp insert whole."""
    before, after = where.line
    text = completion.text
    if completion.covers:  # a popup's edit ends at the cursor, so what it would replace stays where it is
        covered = after[: completion.covers]
        if not text.endswith(covered):
            return None
        text = text[: -len(covered)]
    word = word_before(before, where.snapshot.language)
    whole = word + text
    label = next((line.strip() for line in whole.split("\n") if line.strip()), "")
    if not label:
        return None
    leading = re.match(r"[\w-]+" if "-" in word else r"\w+", whole)
    item = lsp.CompletionItem(
        label=label,
        kind=lsp.CompletionItemKind.Snippet if "\n" in whole else lsp.CompletionItemKind.Text,
        detail="Kireji",
        documentation=lsp.MarkupContent(lsp.MarkupKind.PlainText, whole) if "\n" in whole else None,
        filter_text=leading.group() if leading else label,
        sort_text="0000",
        command=lsp.Command("accepted", ACCEPTED, arguments=[number]),
    )
    if not re.search(r"\s", whole):
        begin = position(where, where.offset - len(word.encode()))
        item.text_edit = lsp.TextEdit(lsp.Range(begin, position(where, where.offset)), whole)
        return item
    relative = relative_lines(whole, indentation(before))
    if relative is None:
        item.insert_text, item.insert_text_format = whole, lsp.InsertTextFormat.PlainText
    else:
        item.insert_text = SNIPPET_MARKS.sub(r"\\\1", relative)
        item.insert_text_format = lsp.InsertTextFormat.Snippet
    return item


def position(where: Where, offset: int) -> lsp.Position:
    return lsp.Position(*where.position(offset))


def indentation(line: str) -> str:
    return line[: len(line) - len(line.lstrip(BLANKS))]


def relative_lines(text: str, indent: str) -> str | None:
    """The text with `indent`, which editors add to a snippet's further lines, taken off them; None where one of
    them has less."""
    first, *others = text.split("\n")
    if any(line.strip() and not line.startswith(indent) for line in others):
        return None
    return "\n".join([first, *(line.removeprefix(indent) for line in others)])
