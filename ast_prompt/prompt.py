"""build_prompt(focus, ...) -> Prompt: what is sent to the model for one cursor."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import lru_cache

from ast_prompt.beside import NOTHING_BESIDE, Beside, spelled
from ast_prompt.budget import Budget
from ast_prompt.dialect import LEAKS, Dialect, Order, Part, stops
from ast_prompt.focus import Focus
from ast_prompt.names import names_at
from ast_prompt.place import BLANKS, CLOSERS
from ast_prompt.scope import head_above
from ast_prompt.text import plain_lines
from ast_prompt.vocabulary import Vocabulary, estimate
from ast_prompt.window import window_below, window_starts

BYTES_A_TOKEN = 4.0
"""Where to begin looking for the window's size: code has 2.5 to 4 bytes a token, and counting corrects it."""
SPLITTER = "\u200b"
"""Put into special tokens that the user's text spells, so that the model reads them as text."""
ECHO = re.compile("(?<=[<\\[▁])" + SPLITTER)
HEALING_REACH = 200
"""Characters at the end that are cut into tokens to find the last one: no pre-token is longer in code."""
ROUND = 32
"""Tokens."""
SPARE = 1.25
"""By how much the bytes a token takes may differ within a window."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is sent to the engine."""

    text: str
    """All of it, with the model's own marks; or the text before the cursor where `suffix` is given."""
    suffix: str | None
    """The text after the cursor, for a model whose own template puts the two together; None: `text` has it all."""
    forced: str
    """What was taken back from the end of the user's text, and must come first in the answer. May be empty."""
    stop: tuple[str, ...]
    """The model's own marks that end an answer."""
    tokens: int
    """Of the whole prompt; exact where the vocabulary is."""
    before: str
    """The user's text before the cursor, as far as it is in the prompt, `forced` included."""
    after: str
    """The same after the cursor."""
    names: tuple[str, ...] = ()
    """How names go on behind the cursor that begin with the word there, the likeliest first."""

    def after_answer(self, answer: str) -> Prompt:
        """The prompt that goes on where the answer has come to."""
        if not answer or self.suffix is not None:
            return self
        text, tokens = self.text + self.forced + answer, self.tokens + estimate(answer)
        return replace(self, text=text, forced="", names=(), tokens=tokens)


def build_prompt(
    focus: Focus,
    dialect: Dialect,
    vocabulary: Vocabulary | None,
    budget: Budget,
    beside: Beside = NOTHING_BESIDE,
) -> Prompt:
    """The prompt for this cursor within its budget.

    Line ends are `\n` in it, whatever they are in the file.
    """
    head, near, after = windows(focus, dialect, vocabulary, budget)
    before = head + near
    known = vocabulary.special if vocabulary else frozenset[str]()
    stop = stops(dialect, known)
    special = LEAKS if dialect.template else dialect.marks | known
    files = dialect.files if dialect.files and (not known or dialect.files.marks <= known) else None
    first, spent = spelled(
        beside, files, focus.language, lambda text: neutral(text, special), lambda text: count(text, vocabulary),
        budget.beside,
    )  # fmt: skip
    if dialect.template:
        text, suffix = first + neutral(before, LEAKS), neutral(after, LEAKS)
        return Prompt(text, suffix, "", stop, count(text + suffix, vocabulary), before, after)
    forced = taken_back(before, vocabulary, special)
    names = tuple(name.removeprefix(focus.word) for name in names_at(focus)) if forced else ()
    kept, anchor = before[: len(before) - len(forced)], anchor_in(before, head, focus, dialect.order)
    parts = {
        Part.BEFORE: neutral(kept, special),
        Part.AFTER: neutral(after, special),
        Part.ABOVE: neutral(kept[:anchor], special),
        Part.HERE: neutral(kept[anchor:], special),
    }
    # no token reaches over a mark, which is one itself
    tokens = spent + sum(count(parts[part], vocabulary) if isinstance(part, Part) else 1 for part in dialect.layout)
    if files is None or files.inside:
        parts = {part: first + text if part in (Part.BEFORE, Part.ABOVE) else text for part, text in parts.items()}
        first = ""
    text = first + "".join(parts[part] if isinstance(part, Part) else part for part in dialect.layout)
    return Prompt(text, None, forced, stop, tokens, before, after, names)


def anchor_in(before: str, head: str, focus: Focus, order: Order) -> int:
    """How much of `before` stands above the anchor: the cursor's line, or the statement that holds the cursor, or the
    window."""
    if order is Order.SUFFIX_FIRST:
        return len(head)
    line = before.rfind("\n") + 1
    statement = focus.innermost("statement")
    if order is not Order.ANCHORED_AT_NODE or statement is None:
        return line
    here = plain_lines(focus.text.decoded(statement.start, focus.offset))
    node = len(before) - len(here)
    return node if 0 < node < line else line


def windows(focus: Focus, dialect: Dialect, vocabulary: Vocabulary | None, budget: Budget) -> tuple[str, str, str]:
    """The file above the window, and the window's text before and after the cursor, nearest first."""
    room = budget.tokens - 2 * len(dialect.layout)
    after = text_after(focus, vocabulary, int(room * budget.after)) if dialect.sees_after else ""
    start, near = window(focus, vocabulary, room - count(after, vocabulary))
    whole_line = focus.text.start(focus.text.line_at(start)) == start
    head = head_above(focus, start, budget.head, lambda text: count(text, vocabulary)) if whole_line else ""
    return head, near, after


def window(focus: Focus, vocabulary: Vocabulary | None, tokens: int) -> tuple[int, str]:
    """The window's beginning, the first of the fixed places from where it fits, and its text.

    What is typed in a line moves the beginning seldom: of the cursor's line a rounded number of tokens is set aside.
    """
    line = focus.offset - len(focus.before.encode())
    aside = ROUND * (count(focus.before, vocabulary) // ROUND + 1)
    skip = 0.0
    for start in window_starts(focus, int(tokens * BYTES_A_TOKEN)):
        if start < skip:
            continue
        above = plain_lines(focus.text.decoded(start, max(line, start)))
        found = count(above, vocabulary) + (aside if start <= line else 0)
        text = plain_lines(focus.text.decoded(start, focus.offset))
        if found <= tokens and (start <= line or count(text, vocabulary) <= tokens):
            return start, text
        # counting is what costs here: pass over the places from where it can't fit either
        skip = focus.offset - (focus.offset - start) * SPARE * tokens / max(found, 1)
    return line, line_end_that_fits(focus.before, vocabulary, tokens)


def line_end_that_fits(line: str, vocabulary: Vocabulary | None, tokens: int) -> str:
    while line and count(line, vocabulary) > tokens:
        line = line[len(line) // 2 + 1 :]
    return line


def text_after(focus: Focus, vocabulary: Vocabulary | None, tokens: int) -> str:
    """What stands right of the cursor, and the largest of a fixed row of windows below that fits.

    Closers alone are left out: an editor writes them and takes them away while one types, and each time the engine
    would read everything again. What the answer closes is told from the file, not from the prompt.
    """
    rest = "" if CLOSERS.fullmatch(focus.after) else focus.after
    while count(rest, vocabulary) > tokens:
        rest = rest[: len(rest) // 2]
    if len(rest) < len(focus.after) and rest:
        return rest
    tokens -= ROUND * -(-count(rest, vocabulary) // ROUND)
    begin = focus.text.end(focus.text.line_at(focus.offset))
    size = int(tokens * BYTES_A_TOKEN)
    while size > 0:
        text = plain_lines(focus.text.decoded(begin, window_below(focus, size)))
        if count(text, vocabulary) <= tokens:
            return rest + text
        size = size * 4 // 5
    return rest


@lru_cache(maxsize=64)
def count(text: str, vocabulary: Vocabulary | None) -> int:
    """Remembers the last few: the text after the cursor is the same from key to key."""
    return vocabulary.count(text) if vocabulary else estimate(text)


def taken_back(before: str, vocabulary: Vocabulary | None, special: Collection[str]) -> str:
    """The end of `before` that the model should write itself: its last token with the blanks before it, or its
    trailing blanks.

    A prompt that ends in a half-typed word or in blanks is spelled as the tokenizer never spells it, and the
    model has never seen it go on.
    """
    if not before or before.endswith("\n"):
        return ""
    kept = before.rstrip(BLANKS)
    if kept == before and vocabulary is not None and vocabulary.exact:
        kept = before[: len(before) - len(vocabulary.last_token(before[-HEALING_REACH:]))].rstrip(BLANKS)
    if any(found.end() > len(kept) for found in pattern(frozenset(special)).finditer(before)):
        return ""
    return before[len(kept) :]


def neutral(text: str, special: Collection[str]) -> str:
    """The user's text with no special token in it: each is split behind its first character."""
    return pattern(frozenset(special)).sub(lambda found: found[0][0] + SPLITTER + found[0][1:], text)


def restored(answer: str) -> str:
    """The model's text with the tokens whole again that `neutral` split."""
    return ECHO.sub("", answer)


@lru_cache(maxsize=16)
def pattern(special: frozenset[str]) -> re.Pattern[str]:
    longest_first = sorted(special, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")
