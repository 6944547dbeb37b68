"""Where an answer at this focus must end, decided while it streams.

At the end of the line where one line is asked. In a block at the first line that leaves the enclosing scope,
at the bracket that closes what was opened before the answer, and where the text after the cursor begins again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ast_prompt.brackets import CLOSING, closers_without_opener
from ast_prompt.focus import CLOSERS, Focus, Shape, columns

TOP = 0
REACH = 400
"""Lines above the cursor that are looked at for a header, where the tree has none."""
HEADER = re.compile(r"\s*(?:[\w@]+\s+)*(?:def|class|fn|func|fun|function|impl|struct|interface|trait|module)\b")
END_WORD = re.compile(r"(?:end|fi|done|esac)\b")
"""What ends a block in Ruby, Lua and the shell; a bracket is counted instead."""
LINES = re.compile(r"[^\n]*\n|[^\n]+")


@dataclass(frozen=True, slots=True)
class Room:
    """What there is room for at the cursor."""

    shape: Shape
    base: int
    """Columns of indentation left of the cursor, where its line is blank so far."""
    floor: int
    """Least indentation, in columns, of a further line."""
    next_line: str
    """The first line below the cursor's that is not blank, stripped; empty at the end of the text."""
    rest: str
    """The cursor's line right of it, stripped."""
    comment: str
    """The language's line comment mark; may be empty."""


def room_at(focus: Focus) -> Room:
    following, indent = line_below(focus)
    base = columns(focus.before)
    floor = floor_of(focus, base, indent)
    return Room(focus.shape, base, floor, following, focus.after.strip(), line_comment(focus))


def line_comment(focus: Focus) -> str:
    mark, end = focus.language.comment
    return "" if end else mark


def ending(room: Room, answer: str, whole: bool = False) -> int | None:
    """How many characters of `answer` to keep, or None while it may go on.

    `whole`: nothing more will come, so that its last line is complete too; then the result is never None.
    """
    begin = len(answer) - len(answer.lstrip())
    if room.shape is Shape.LINE:
        return end_of_line(answer, begin, whole)
    if (end := end_of_block(room, answer, begin, whole)) is not None:
        return end
    return len(answer) if whole else None


def end_of_line(answer: str, begin: int, whole: bool) -> int | None:
    """Behind the first line; nothing at all where the answer leaves the cursor's line at once."""
    if "\n" in answer[:begin]:
        return 0
    end = answer.find("\n", begin)
    if end >= 0:
        return end
    return len(answer) if whole else None


def end_of_block(room: Room, answer: str, begin: int, whole: bool) -> int | None:
    bracket = end_by_bracket(room, answer)
    leaves = end_by_line(room, answer, begin, whole)
    found = [end for end in (bracket, leaves) if end is not None]
    return min(found, default=None)


def end_by_line(room: Room, answer: str, begin: int, whole: bool) -> int | None:
    """Before the first line that the block can't hold, or behind the word that ends it."""
    at, deeper, blank = 0, False, 0
    for line in LINES.findall(answer):
        body, complete = line.strip(), line.endswith("\n") or whole
        first = at <= begin and "\n" not in answer[:begin]
        if not body:
            blank += at > begin
            if blank > 1:
                return len(answer[:at].rstrip())
        elif complete and repeats(room, body):
            return len(answer[:at].rstrip())
        elif not first and columns(line) < len(line):
            depth = columns(line)
            if depth == room.floor - 1 and END_WORD.match(body):
                return at + len(line.rstrip()) if complete else None
            if depth < room.floor and body[0] not in CLOSING:
                return len(answer[:at].rstrip())
            if blank and deeper and depth <= room.floor == TOP:
                return len(answer[:at].rstrip())
            deeper = deeper or depth > room.base
        blank = blank if not body else 0
        at += len(line)
    return None


def end_by_bracket(room: Room, answer: str) -> int | None:
    """Before the bracket that closes what stood open at the cursor, where the text after it has that bracket
    already; behind that bracket's line where it has not."""
    at = next(closers_without_opener(answer, room.comment), None)
    if at is None:
        return None
    below = room.rest or room.next_line
    if below.startswith(answer[at]):
        return len(answer[:at].rstrip()) if not room.rest else line_end_if_known(answer, at)
    return line_end_if_known(answer, at)


def line_end_if_known(answer: str, at: int) -> int | None:
    end = answer.find("\n", at)
    return end if end >= 0 else None


def repeats(room: Room, line: str) -> bool:
    """Whether a line of the answer is the line below the cursor; a lone closer is no proof."""
    return line == room.next_line and CLOSERS.fullmatch(line) is None and not room.rest


def line_below(focus: Focus) -> tuple[str, int]:
    """The first line below the cursor's that is not blank, stripped, and its indentation in columns."""
    text = focus.text
    line = text.line_at(focus.offset) + 1
    while line < text.line_count:
        found = text.decoded(text.start(line), text.end(line))
        if found.strip():
            return found.strip(), columns(found)
        line += 1
    return "", -1


def floor_of(focus: Focus, base: int, below: int) -> int:
    """Inside a function an answer may leave the blocks that the cursor is in, not the function; and where the
    text below goes on in the function it may not leave what that text belongs to either."""
    header = header_column(focus, base)
    if header is None:
        return base if focus.tree is None else TOP
    if base <= header:
        return header if focus.before.strip() else base
    if below <= header:
        return header + 1
    return base if below >= base else below + 1


def header_column(focus: Focus, base: int) -> int | None:
    """Indentation of the line that begins the enclosing function or class; None at the top level.

    Code at a cursor is broken more often than not: where the tree has no such node, the lines above decide.
    """
    scope = focus.innermost("function", "class")
    if scope is not None:
        line = focus.text.line_at(scope.start)
        return columns(focus.text.decoded(focus.text.start(line), focus.text.end(line)))
    found = None
    for above in headers(focus, base):
        found = columns(above)
        if HEADER.match(above):
            break
    return found


def headers(focus: Focus, base: int) -> Iterator[str]:
    """The lines above, innermost first, each with less indentation than what it holds."""
    text = focus.text
    here = text.line_at(focus.offset)
    for line in range(here - 1, max(here - REACH, -1), -1):
        above = text.decoded(text.start(line), text.end(line))
        if above.strip() and columns(above) < base:
            yield above
            base = columns(above)
            if base == TOP:
                return
