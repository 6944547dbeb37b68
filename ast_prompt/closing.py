"""Where an answer at this focus must end, decided while it streams.

At the end of the line where one line is asked. In a block at the first line that leaves the enclosing scope,
at the bracket that closes what was opened before the answer, and where the text after the cursor begins again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ast_prompt.brackets import CLOSING, PAIRS, Lexis, closers_without_opener, lexis_of
from ast_prompt.focus import BLANKS, CLOSERS, Focus, Shape, columns

TOP = 0
REACH = 400
"""Lines that are looked at: above the cursor for a header, where the tree has none, and below for one not blank."""
HEADER = re.compile(r"\s*(?:[\w@]+\s+)*(?:def|class|fn|func|fun|function|impl|struct|interface|trait|module)\b")
END_WORDS = ("end", "fi", "done", "esac")
"""What ends a block in Ruby, Lua and the shell; a bracket is counted instead."""
END_WORD = re.compile(rf"(?:{'|'.join(END_WORDS)})\b")
MOST_EQUAL = 2
"""Lines one below the other: a small model that writes a third one writes it for ever."""
PROSE = frozenset({"markdown", "rst", "plaintext"})
CASE_PATTERN = re.compile(r"\s*[\w*?|\"'.\-\[\]]+")
"""What stands before the bracket of a branch of the shell's `case`."""
LINES = re.compile(r"[^\n]*\n|[^\n]+")


@dataclass(frozen=True, slots=True)
class Room:
    """What there is room for at the cursor."""

    shape: Shape
    opened: bool
    """Right behind an opening bracket: where the answer goes on below, it is a block after all."""
    base: int
    """Columns of indentation left of the cursor, where its line is blank so far."""
    floor: int
    """Least indentation, in columns, of a further line."""
    next_line: str
    """The first line below the cursor's that is not blank, stripped; empty at the end of the text."""
    rest: str
    """The cursor's line right of it, stripped."""
    language: str
    lexis: Lexis


def room_at(focus: Focus) -> Room:
    following, indent = line_below(focus)
    base = columns(focus.before)
    floor = floor_of(focus, base, indent)
    opened = focus.before.rstrip(BLANKS).endswith(tuple(PAIRS)) and CLOSERS.fullmatch(focus.after) is not None
    rest, language = focus.after.strip(), focus.language
    return Room(focus.shape, opened, base, floor, following, rest, language.name, lexis_of(language))


def ending(room: Room, answer: str, whole: bool = False) -> int | None:
    """How many characters of `answer` to keep, or None while it may go on.

    `whole`: nothing more will come, so that its last line is complete too; then the result is never None.
    What was decided stays decided, whatever comes behind it.
    """
    begin = len(answer) - len(answer.lstrip())
    below = "\n" in answer[:begin]
    if room.shape is Shape.LINE and not (room.opened and below):
        return 0 if below else end_of_line(answer, begin, whole)
    found = [
        end for end in (end_by_bracket(room, answer, whole), end_by_line(room, answer, begin, whole)) if end is not None
    ]
    return min(found, default=len(answer) if whole else None)


def end_of_line(answer: str, begin: int, whole: bool) -> int | None:
    end = answer.find("\n", begin)
    if end >= 0:
        return end
    return len(answer) if whole else None


def end_by_line(room: Room, answer: str, begin: int, whole: bool) -> int | None:
    """Before the first line that the block can't hold, or behind the word that ends it."""
    at, deeper, blank, row = 0, False, 0, Row()
    for line in LINES.findall(answer):
        body, complete = line.strip(), line.endswith("\n") or whole
        first = at <= begin and "\n" not in answer[:begin]
        depth = room.base if first else columns(line)
        if not body:
            blank += at > begin and line.endswith("\n")
            if blank > 1:
                return len(answer[:at].rstrip())
            at += len(line)
            continue
        if complete and repeats(room, body):
            return len(answer[:at].rstrip())
        if not first:
            if depth == room.floor - 1 and is_end_word(body, complete):
                return at + len(line.rstrip()) if complete else None
            if depth < room.floor and body[0] not in CLOSING:
                return len(answer[:at].rstrip())
            if blank and deeper and depth <= room.floor == TOP:
                return len(answer[:at].rstrip())
            deeper = deeper or depth > room.base
        if complete and row.grows(depth, body, at + len(line.rstrip())):
            return row.end
        blank, at = 0, at + len(line)
    return None


@dataclass(slots=True)
class Row:
    """Equal lines, one right below the other."""

    line: tuple[int, str] = (0, "")
    count: int = 0
    end: int = 0
    """Behind the first of them."""

    def grows(self, depth: int, body: str, end: int) -> bool:
        """Take one more line; True where it is one too many."""
        if self.line == (depth, body):
            self.count += 1
        else:
            self.line, self.count, self.end = (depth, body), 1, end
        return self.count > MOST_EQUAL


def is_end_word(body: str, complete: bool) -> bool:
    """Whether a line ends a block with its word; of a half-written one, whether it still may."""
    if END_WORD.match(body):
        return True
    return not complete and any(word.startswith(body) for word in END_WORDS)


def end_by_bracket(room: Room, answer: str, whole: bool) -> int | None:
    """Before the bracket that closes what stood open at the cursor, where the text below has that bracket already;
    else behind that bracket's line."""
    if room.language in PROSE:
        return None
    for at in closers_without_opener(answer, room.lexis, whole):
        line = answer[answer.rfind("\n", 0, at) + 1 : at]
        if room.language == "shellscript" and CASE_PATTERN.fullmatch(line):
            continue
        if not room.rest and room.next_line.startswith(answer[at]):
            return len(answer[:at].rstrip())
        end = answer.find("\n", at)
        return end if end >= 0 else None
    return None


def repeats(room: Room, line: str) -> bool:
    """Whether a line of the answer is the line below the cursor; a lone closer is no proof."""
    return line == room.next_line and CLOSERS.fullmatch(line) is None and not room.rest


def line_below(focus: Focus) -> tuple[str, int]:
    """The first line below the cursor's that is not blank, stripped, and its indentation in columns."""
    text = focus.text
    here = text.line_at(focus.offset)
    for line in range(here + 1, min(here + REACH, text.line_count)):
        found = text.decoded(text.start(line), text.end(line))
        if found.strip():
            return found.strip(), columns(found)
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
