"""What stands above a prompt's window, folded: imports, headers, fields and signatures, without the bodies.

A small model that does not see a class's fields makes them up; their lines cost few tokens.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from operator import attrgetter

from ast_prompt.focus import Focus
from ast_prompt.place import columns
from ast_prompt.scopes import Capture, captures_between
from ast_prompt.text import Text, plain_lines
from ast_prompt.window import starts_above

REACH = 16_000
"""Bytes above the window that are folded; what is further away is seldom meant."""
HEAD = 4_000
"""Bytes at the file's beginning in which its imports are looked for."""
FOLD = "..."
BYTES_A_TOKEN = 3.0
MOST_BYTES_A_TOKEN = 5.0
SPARE = 1.25
"""Times as many bytes a token as in the text that was counted are thought possible in a part of it."""
STEPS = 4
"""What does not fit begins at one of the places that are a quarter of the budget apart."""
FOLDED_SHARE = 0.2
"""Of the head, where not all of the file is in it."""
LONGEST_COMMENT = 3
"""Lines: of a longer one (a licence, a drawing) nothing stays."""

CONSTRUCTOR = re.compile(r"(?:\w+\s+)*(?:__init__|constructor|initialize|__construct|init)\s*\(")
LONGEST_CONSTRUCTOR = 12
"""Lines."""

Count = Callable[[str], int]


def head_above(focus: Focus, end: int, tokens: int, count: Count) -> str:
    """The file above the offset `end`, a line's start, in at most `tokens`: as it is, from its beginning or from one
    of a few fixed places; and before that what is further up, folded.

    For two places of one file the shorter head mostly begins the longer one, so that an engine that has read one has
    read most of the other. Line ends are line feeds.
    """
    text = focus.text
    if end <= 0 or tokens <= 0:
        return ""
    near = int(tokens * (1 - FOLDED_SHARE))
    for start in starts_above(text, end, int(tokens * MOST_BYTES_A_TOKEN), STEPS):
        above = plain_lines(text.decoded(start, end))
        if count(above) <= (near if start else tokens):
            return (folded_above(focus, start, tokens - count(above), count) if start else "") + above
    return folded_above(focus, end, tokens, count)


def folded_above(focus: Focus, end: int, tokens: int, count: Count) -> str:
    """The text above the offset `end`, a line's start, in at most `tokens`: the imports, then the nearest, folded.

    Empty without a tree.
    """
    text = focus.text
    if focus.tree is None or end <= 0 or tokens <= 0 or text.start(text.line_at(end)) != end:
        return ""
    begin = text.start(text.line_at(max(end - REACH, 0)))
    return folded(Above(text.data[:HEAD], text.data[begin:end], begin, tokens, focus, count))


@dataclass(frozen=True, slots=True)
class Above:
    """What is folded; equal where its bytes are, so that it is folded once however much is typed below."""

    head: bytes
    data: bytes
    begin: int
    tokens: int
    focus: Focus = field(compare=False)
    count: Count = field(compare=False)

    @property
    def end(self) -> int:
        return self.begin + len(self.data)


@lru_cache(maxsize=8)
def folded(above: Above) -> str:
    focus, begin, end, tokens, count = above.focus, above.begin, above.end, above.tokens, above.count
    lines = list(folded_lines(focus, begin, end))
    whole = "".join(lines)
    if len(whole) <= tokens * MOST_BYTES_A_TOKEN and count(whole) <= tokens:
        return whole
    imports = "".join(import_lines(focus, min(HEAD, end)))
    spent = count(imports)
    if spent > tokens // 2:
        imports, spent = "", 0
    near = nearest(lines, tokens - spent, count)
    return near if imports and imports in near else imports + near


def nearest(lines: list[str], tokens: int, count: Count) -> str:
    """The last lines that fit, begun at one of a few places that do not depend on where the lines end."""
    most = tokens * MOST_BYTES_A_TOKEN
    for begin in (0, *outermost_lines(lines, max(int(tokens * BYTES_A_TOKEN / STEPS), 1))):
        text = "".join(lines[begin:])
        if len(text) > most:
            continue
        if (found := count(text)) <= tokens:
            return text
        # counting is what costs here: pass over the places from where it can't fit either
        most = len(text) * SPARE * tokens / found
    return ""


def outermost_lines(lines: list[str], stretch: int) -> Iterator[int]:
    """In each stretch of so many characters the line that stands furthest out: code begins there."""
    best, least, size, current = -1, -1, 0, 0
    for number, line in enumerate(lines):
        if size // stretch > current and best >= 0:
            yield best
            best, current = -1, size // stretch
        if line.strip() and line.strip() != FOLD and (best < 0 or columns(line) < least):
            best, least = number, columns(line)
        size += len(line)
    if best >= 0:
        yield best


def folded_lines(focus: Focus, begin: int, end: int) -> Iterator[str]:
    """The lines between two line starts, the bodies of functions that end there folded, long comments left out."""
    assert focus.tree is not None
    captures = captures_between(focus.tree, focus.language, begin, end, "function", "block", "comment")
    hidden, folds = hidden_lines(focus.text, captures, begin, end)
    blank = False
    for number in range(focus.text.line_at(begin), focus.text.line_at(end - 1) + 1):
        if number in folds:
            yield folds[number]
        if number in hidden:
            continue
        line = focus.text.decoded(focus.text.start(number), focus.text.end(number))
        if line.strip() or not blank:
            yield line + "\n"
        blank = not line.strip()


def hidden_lines(text: Text, captures: tuple[Capture, ...], begin: int, end: int) -> tuple[set[int], dict[int, str]]:
    """Lines that are left out, and what stands in place of the first of a row of them."""
    hidden: set[int] = set()
    folds: dict[int, str] = {}
    for capture in captures:
        if capture.start < begin or capture.end > end:
            continue
        if capture.name == "comment":
            first, last = text.line_at(capture.start), text.line_at(max(capture.end - 1, 0))
            if last - first >= LONGEST_COMMENT:
                hidden.update(range(first, last + 1))
        elif (
            capture.name == "function"
            and not is_constructor(text, capture)
            and (rows := body_rows(text, capture, captures))
        ):
            line = text.decoded(text.start(rows.start), text.end(rows.start))
            folds.setdefault(rows.start, line[: len(line) - len(line.lstrip())] + FOLD + "\n")
            hidden.update(rows)
    return hidden, {row: fold for row, fold in folds.items() if row - 1 not in hidden}


def is_constructor(text: Text, function: Capture) -> bool:
    """A short one is kept: in many languages it is where the fields are."""
    rows = text.line_at(max(function.end - 1, 0)) - text.line_at(function.start)
    line = text.decoded(function.start, min(function.end, function.start + 80))
    return rows <= LONGEST_CONSTRUCTOR and CONSTRUCTOR.match(line) is not None


def body_rows(text: Text, function: Capture, captures: tuple[Capture, ...]) -> range:
    """The lines of a function's body without those of its brackets or end word; empty for a short one.

    `captures` by their beginning.
    """
    first, behind = (
        bisect_left(captures, place, key=attrgetter("start")) for place in (function.start, function.end + 1)
    )
    blocks = [capture for capture in captures[first:behind] if capture.name == "block" and capture.end <= function.end]
    if not blocks:
        return range(0)
    body = max(blocks, key=lambda block: block.end - block.start)
    first, last = text.line_at(body.start), text.line_at(max(body.end - 1, 0))
    opened = text.data[body.start : body.start + 1] in (b"{", b"(") or body.start == function.start
    rows = range(first + 1, last) if opened else range(first, last + 1)
    return rows if len(rows) > 1 else range(0)


def import_lines(focus: Focus, end: int) -> Iterator[str]:
    assert focus.tree is not None
    for capture in captures_between(focus.tree, focus.language, 0, end, "import"):
        if capture.end <= end:
            yield plain_lines(focus.text.decoded(capture.start, capture.end)).rstrip("\n") + "\n"
