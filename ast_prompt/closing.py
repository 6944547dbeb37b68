"""Where an answer at this focus must end, decided while it streams.

At the end of the line where one line is asked, or of the line that closes the brackets which the answer opened. In a
block at the first line that leaves the enclosing scope or that
nothing can reach, at the bracket that closes what was opened before the answer, and where the text after the cursor
begins again. What is a bracket and what only looks like one, the tree of the file with the answer in it says; where
there is none, the answer's characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ast_prompt.brackets import CLOSING, PAIRS, Lexis, Reading, lexis_of, read
from ast_prompt.focus import Focus
from ast_prompt.growth import TOP, WITHOUT_SYNTAX, Growth, floor_of, growth_at, is_moved, line_below, wanted_columns
from ast_prompt.place import BLANKS, CLOSERS, Shape, columns

END_WORDS = ("end", "fi", "done", "esac")
"""What ends a block in Ruby, Lua and the shell; a bracket is counted instead."""
END_WORD = re.compile(rf"(?:{'|'.join(END_WORDS)})\b")
MOST_EQUAL = 2
"""Lines one below the other: a small model that writes a third one writes it for ever."""
LONG_LINE = 24
"""Characters: that long a line is no coincidence, whatever its indentation."""
PROSE = frozenset({"markdown", "restructuredtext", "plaintext"})
"""Brackets do not come in pairs there."""
CASE_PATTERN = re.compile(r"\s*[\w*?|\"'.\-\[\]]+")
"""What stands before the bracket of a branch of the shell's `case`."""
STRICT = frozenset({"python", "starlark", "gdscript"})
"""Only behind a colon, or in brackets, a line may stand deeper than the one above."""
COLON = re.compile(r":\s*(?:#.*)?$|\\$")
LEAVING = re.compile(r"(?:return|raise|throw|break|continue)\b(?!\s*[:=])")
REACHED = re.compile(r"case\b|default\b|[\w.]+:|#|function\b|else\b|catch\b|finally\b|except\b|elif\b")
"""What may stand right below such a line, as deep as it."""
CONTINUES = re.compile(r"[.?:&|+*/%<>=,-]")
LINES = re.compile(r"[^\n]*\n|[^\n]+")
NOTHING_YET = Reading((), 0, literal=False)


@dataclass(frozen=True, slots=True)
class Room:
    """What there is room for at the cursor."""

    shape: Shape
    opened: bool
    """Right behind an opening bracket: where the answer goes on below, it is a block after all."""
    base: int
    """Columns of indentation left of the cursor, where its line is blank so far."""
    wanted: int
    """Columns that a line must have here at least, so that it stands in the block that the cursor is in."""
    floor: int
    """Least indentation, in columns, of a further line."""
    next_line: str
    """The first line below the cursor's that is not blank, stripped; empty at the end of the text."""
    next_columns: int
    """Its indentation."""
    rest: str
    """The cursor's line right of it, stripped."""
    code: bool
    """Whether the cursor is in code: not in a comment, a string or prose."""
    language: str
    blocks: str
    """How the language ends a block."""
    lexis: Lexis
    growth: Growth | None
    """None: characters decide."""
    readings: dict[str, Reading] = field(default_factory=dict, compare=False, repr=False)

    def reading(self, answer: str) -> Reading:
        """What the answer so far, up to a line's end or a bracket, has closed and left open."""
        if self.language in PROSE:
            return NOTHING_YET
        if self.growth is not None:
            return self.growth.reading(answer)
        if (known := self.readings.get(answer)) is None:
            known = self.readings[answer] = read(answer, self.lexis)
        return known


def room_at(focus: Focus) -> Room:
    following, indent = line_below(focus)
    base = columns(focus.before)
    wanted = wanted_columns(focus)
    typed, rest, language, shape = focus.before.rstrip(BLANKS), focus.after.strip(), focus.language, focus.shape
    opened = typed.endswith(tuple(PAIRS)) and CLOSERS.fullmatch(rest) is not None
    floor = floor_of(focus, max(base, wanted), indent)
    if not typed and rest.startswith("}") and CLOSERS.fullmatch(rest):  # it ends the block as if it stood below
        shape, following, indent, rest = Shape.BLOCK, rest, columns(focus.before), ""
    elif typed and shape is Shape.BLOCK:
        floor = max(floor, base + 1)
    return Room(
        shape, opened, base, wanted, floor, following, indent, rest, is_code(focus), language.name, language.blocks,
        lexis_of(language), growth_at(focus) if shape is Shape.BLOCK or opened else None,
    )  # fmt: skip


def is_code(focus: Focus) -> bool:
    return focus.place not in WITHOUT_SYNTAX and focus.language.name not in PROSE


def may_go_on(room: Room) -> bool:
    """Whether an answer of one line may have more, where it opens a bracket: nothing but closers is right of it."""
    return room.code and CLOSERS.fullmatch(room.rest) is not None


def ending(room: Room, answer: str, whole: bool = False) -> int | None:
    """How many characters of `answer` to keep, or None while it may go on.

    `whole`: nothing more will come, so that its last line is complete too; then the result is never None.
    What was decided stays decided, whatever comes behind it: each line is judged by the answer up to its end.
    """
    begin = len(answer) - len(answer.lstrip())
    below = "\n" in answer[:begin]
    if room.shape is Shape.LINE and not (room.opened and below):
        return 0 if below else end_of_line(room, answer, begin, whole)
    end = end_of_block(room, answer, begin, whole)
    return len(answer) if end is None and whole else end


def end_of_line(room: Room, answer: str, begin: int, whole: bool) -> int | None:
    """The end of the first line that leaves nothing open; one line is judged as it stands, what is below as a block."""
    course = Course(room, answer)
    for line in lines(room, answer, begin, whole):
        if not line.complete:
            break
        if not line.first and line.body and (end := course.judged(line)) is not None:
            return end
        if line.body:
            course.pass_over(line)
        if not (course.above.is_open and may_go_on(room)):
            return line.end
    return len(answer) if whole else None


@dataclass(slots=True)
class Line:
    """One line of an answer."""

    at: int
    """Where it begins in the answer."""
    end: int
    """Behind its last character that is not blank."""
    body: str
    """It, stripped."""
    depth: int
    """Columns of its indentation."""
    first: bool
    complete: bool


def end_of_block(room: Room, answer: str, begin: int, whole: bool) -> int | None:
    """Before the first line that the block can't hold, or behind what ends it."""
    course = Course(room, answer)
    for line in lines(room, answer, begin, whole):
        if not line.body:
            course.blank += line.at > begin and line.complete
            if course.blank > 1 and not course.above.is_open:
                return course.kept(line.at)
            continue
        end = course.judged(line)
        if end is not None:
            return end if end >= 0 else None
        course.pass_over(line)
    return None


def lines(room: Room, answer: str, begin: int, whole: bool) -> Iterator[Line]:
    at, shift, opening = 0, None, ""
    leading = columns(answer[:begin])
    short = room.wanted - (room.base + leading)
    for text in LINES.findall(answer):
        body, first = text.strip(), at <= begin and "\n" not in answer[:begin]
        depth = max(room.base, room.wanted) if first else columns(text)
        if body and not first and short > 0:  # it does not know where it stands: all of it is moved
            shift = (short if is_moved(opening, depth, room.wanted) else 0) if shift is None else shift
            depth += shift
        opening = body if first else opening
        yield Line(at, at + len(text.rstrip()), body, depth, first, text.endswith("\n") or (whole and bool(body)))
        at += len(text)


WAIT = -1
"""Decided, but not yet where: the rest of the line is still to come."""


class Course:
    """How an answer went so far, line by line."""

    def __init__(self, room: Room, answer: str) -> None:
        self.room, self.answer = room, answer
        self.above = NOTHING_YET
        """At the end of the line above."""
        self.last: Line | None = None
        """The line above that is not blank."""
        self.left: int | None = None
        """Indentation of a statement that leaves the block, while what follows can still belong to it."""
        self.stands = 0
        """Indentation of the statement that the line above belongs to."""
        self.blank, self.deeper = 0, False
        self.equal, self.equal_end = 0, 0

    def kept(self, at: int) -> int:
        return len(self.answer[:at].rstrip())

    def judged(self, line: Line) -> int | None:
        """Where the answer ends, if this line ends it."""
        for judge in (self.leaves, self.closes, self.goes_astray):
            end = judge(line)
            if end is not None:
                return end
        return None

    def leaves(self, line: Line) -> int | None:
        """The line is the one below the cursor, or stands further out than the scope; the word that ends the scope
        stands there."""
        room, body = self.room, line.body
        if line.complete and repeats(room, line):
            return self.kept(line.at)
        if line.first or self.above.is_open:
            return None
        if line.depth == room.floor - 1 and is_end_word(body, line.complete):
            return line.end if line.complete else WAIT
        if line.depth < room.floor and body[0] not in CLOSING and not is_directive(room, line):
            return self.kept(line.at)
        if self.blank and self.deeper and line.depth <= room.floor == TOP:
            return self.kept(line.at)
        return None

    def closes(self, line: Line) -> int | None:
        """A bracket closes what stood open at the cursor: before it, where the text below has that bracket already;
        else behind that bracket's line."""
        room = self.room
        at = self.closer(line) if room.language not in PROSE else None
        if at is None:
            return None
        if not room.rest and room.next_line.startswith(self.answer[at]):
            return self.kept(at)
        if "\n" in self.answer[at:]:
            return line.end
        return len(self.answer) if line.complete else WAIT

    def closer(self, line: Line) -> int | None:
        """The first bracket of a line that closes what was opened before the answer: those that it begins with are
        looked at one by one, the others at its end."""
        at = self.answer.index(line.body[0], line.at)
        while at < line.end and self.answer[at] in CLOSING:
            if at in self.room.reading(self.answer[: at + 1]).closers:
                return at
            at += 1
        for found in self.reading(line).closers if line.complete else ():
            before = self.answer[line.at : found]
            if found >= line.at and not (self.room.language == "shellscript" and CASE_PATTERN.fullmatch(before)):
                return found
        return None

    def reading(self, line: Line) -> Reading:
        return self.room.reading(self.answer[: line.end] + "\n")

    def goes_astray(self, line: Line) -> int | None:
        """The line can't stand where it does, is never reached, or comes again and again."""
        if not line.complete:
            return None
        if not self.above.is_open and self.last is not None and (self.is_astray(line) or self.is_unreachable(line)):
            return self.kept(line.at)
        if self.last is not None and (self.last.depth, self.last.body) == (line.depth, line.body):
            self.equal += 1
        else:
            self.equal, self.equal_end = 1, line.end
        return self.equal_end if self.equal > MOST_EQUAL else None

    def is_astray(self, line: Line) -> bool:
        above = self.last
        assert above is not None
        return (
            self.room.language in STRICT
            and line.depth > self.stands
            and not above.body.startswith("#")
            and COLON.search(above.body) is None
        )

    def is_unreachable(self, line: Line) -> bool:
        return self.left == line.depth and not (
            line.body[0] in CLOSING or REACHED.match(line.body) or CONTINUES.match(line.body)
        )

    def pass_over(self, line: Line) -> None:
        if not line.complete:
            return
        if not self.above.is_open:
            self.stands = line.depth
            if LEAVING.match(line.body) and self.room.blocks in ("indent", "braces"):
                self.left = line.depth
            elif self.left is not None and line.depth <= self.left:
                self.left = None
        self.deeper = self.deeper or (line.depth > self.room.base and not line.first)
        self.above, self.last, self.blank = self.reading(line), line, 0


def is_directive(room: Room, line: Line) -> bool:
    """A line of the preprocessor, a label: they stand where they like. A half-written line may become one."""
    mark = r"#|\w+:$" if line.complete else r"#|\w+:?$"
    return room.language in ("c", "cpp", "csharp", "objective-c") and re.match(mark, line.body) is not None


def is_end_word(body: str, complete: bool) -> bool:
    """Whether a line ends a block with its word; of a half-written one, whether it still may."""
    if END_WORD.match(body):
        return True
    return not complete and any(word.startswith(body) for word in END_WORDS)


def repeats(room: Room, line: Line) -> bool:
    """Whether a line of the answer is the line below the cursor; a lone closer is no proof."""
    if line.body != room.next_line or CLOSERS.fullmatch(line.body):
        return False
    if room.rest and (line.first or CLOSERS.fullmatch(room.rest) is None):
        return False
    return line.depth == room.next_columns or len(line.body) >= LONG_LINE
