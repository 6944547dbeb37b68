"""Texts and positions as the protocol counts them: lines, units of an encoding, edits, accepted items.

Written apart from the product's own, so that a mistake there can't hide behind the same mistake here.
"""

from __future__ import annotations

import re
from typing import Any, TypedDict


class Position(TypedDict):
    line: int
    character: int


WIDTHS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


def apply_edit(text: str, edit: dict[str, Any], encoding: str) -> str:
    """The text after one entry of `contentChanges`."""
    if "range" not in edit:
        return str(edit["text"])
    start, end = (offset_of(text, edit["range"][side], encoding) for side in ("start", "end"))
    return f"{text[:start]}{edit['text']}{text[end:]}"


def apply_item(text: str, item: dict[str, Any], encoding: str, mark: str) -> str:
    """The text after accepting an inline item, with `mark` where the cursor then stands."""
    edit = {"range": item["range"], "text": item["insertText"] + mark}
    return apply_edit(text, edit, encoding)


def position_of(before: str, encoding: str) -> Position:
    """The position behind the text `before`."""
    lines = lines_of(before)
    return {"line": len(lines) - 1, "character": units(lines[-1], encoding)}


def offset_of(text: str, position: Position, encoding: str) -> int:
    """The index in `text` of a position; past the end of a line is its end."""
    lines = lines_of(text)
    line = lines[position["line"]]
    body = line.rstrip("\r\n")
    start = sum(map(len, lines[: position["line"]]))
    column = next(
        (i for i in range(len(body)) if units(body[:i], encoding) >= position["character"]),
        len(body),
    )
    return start + column


def lines_of(text: str) -> list[str]:
    """The lines with their ends: \\r\\n, \\n and \\r end a line, and nothing else does."""
    return [*re.findall(r"[^\r\n]*(?:\r\n|\r|\n)", text), re.split(r"\r\n|\r|\n", text)[-1]]


def units(text: str, encoding: str) -> int:
    codec, width = WIDTHS[encoding]
    return len(text.encode(codec)) // width


def apply_popup(text: str, position: Position, item: dict[str, Any], encoding: str) -> str:
    """The text after accepting a popup item, as an editor's built-in popup does it.

    Without a textEdit the word before the cursor gives way; the further lines of a snippet get the indentation of
    the line that they are put into.
    """
    cursor = offset_of(text, position, encoding)
    if edit := item.get("textEdit"):
        start, end = (offset_of(text, edit["range"][side], encoding) for side in ("start", "end"))
        new = edit["newText"]
    else:
        start = end = cursor
        while start and (text[start - 1].isalnum() or text[start - 1] == "_"):
            start -= 1
        new = item.get("insertText", item["label"])
    if item.get("insertTextFormat") == 2:
        line = lines_of(text[:cursor])[-1]
        indent = line[: len(line) - len(line.lstrip())]
        new = re.sub(r"\\([\\$}])", r"\1", new.replace("\n", "\n" + indent)).replace("$0", "")
    return f"{text[:start]}{new}{text[end:]}"
