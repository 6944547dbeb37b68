"""What is typed: files with holes in them, cut by plain text so that a file of any language will do."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

LINES_APART = 20
"""At least, from hole to hole of a file: code that is broken at many places at once is nobody's."""
HOLES_A_FILE = 2
"""Where there is room for them; more where there are too few files."""
LEAST_LINE, MOST_LINE = 16, 120
"""Characters, without the indentation, of a line whose second half is cut."""
LEAST_HOLE = 4
MOST_BODY_LINES = 3
MOST_BODY = 240
"""Characters."""
HEADER = re.compile(r"\s*(?:[\w@<>,*&\[\]() ]+ )?(?:def|fn|func|function|fun|sub|proc)\b|.*\)\s*(?:->.*|:.*)?\{\s*\Z")
COMMENT = re.compile(r"\s*(?:#|//|/\*|\*|--|;|<!--|\"\"\"|''')")


@dataclass(frozen=True, slots=True, order=True)
class Hole:
    """Characters of the whole text."""

    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Source:
    name: str
    """The path below the workspace's folder, with slashes."""
    text: str
    """As it is when all is typed."""
    holes: tuple[Hole, ...]
    """In the text's order, none touches another."""

    @property
    def opened(self) -> str:
        """The text with the holes left empty."""
        ends = [0, *(hole.end for hole in self.holes)]
        begins = [*(hole.begin for hole in self.holes), len(self.text)]
        return "".join(self.text[end:begin] for end, begin in zip(ends, begins, strict=True))

    def truth(self, hole: int) -> str:
        return self.text[self.holes[hole].begin : self.holes[hole].end]


def with_holes(files: Sequence[tuple[str, str]], count: int, seed: int) -> list[Source]:
    """Up to `count` holes in the files (name and text of each), some in each; files without one are left out."""
    chosen = sorted(files)
    randomness = seeded("holes", seed)
    randomness.shuffle(chosen)
    cut = [(name, text, places_in(text, randomness)) for name, text in chosen]
    taken: list[list[Hole]] = [[] for _ in cut]
    for begin, end in ((0, HOLES_A_FILE), (HOLES_A_FILE, None)):
        for number, (_, _, places) in enumerate(cut):
            taken[number] += places[begin:end][: max(count - sum(map(len, taken)), 0)]
    return [
        Source(name, text, tuple(sorted(holes))) for (name, text, _), holes in zip(cut, taken, strict=True) if holes
    ]


def with_another(source: Source, seed: int) -> Source:
    """A source of one hole with a second one elsewhere, where there is room for it."""
    randomness = seeded(f"another place of {source.name}", seed)
    found = candidates(source.text)
    randomness.shuffle(found)
    for hole in found:
        if all(apart(source.text, hole, other) for other in source.holes):
            return Source(source.name, source.text, tuple(sorted([*source.holes, hole])))
    return source


def seeded(purpose: str, seed: int) -> random.Random:
    return random.Random(f"{purpose}/{seed}")  # noqa: S311 - made to be repeated


def places_in(text: str, randomness: random.Random) -> list[Hole]:
    """Holes that stand apart from each other, in random order, bodies and halves of lines in turn."""
    bodies, halves = bodies_in(text), halves_in(text)
    randomness.shuffle(bodies)
    randomness.shuffle(halves)
    found: list[Hole] = []
    while bodies or halves:
        for kind in (bodies, halves):
            while kind:
                hole = kind.pop()
                if all(apart(text, hole, other) for other in found):
                    found.append(hole)
                    break
    return found


def candidates(text: str) -> list[Hole]:
    return [*bodies_in(text), *halves_in(text)]


def apart(text: str, one: Hole, other: Hole) -> bool:
    first, second = sorted((one, other))
    return first.end < second.begin and text.count("\n", first.end, second.begin) >= LINES_APART


def halves_in(text: str) -> list[Hole]:
    """The second half of each line of code that is long enough, from the border of a word on."""
    found = []
    for begin, line in lines_of(text):
        if COMMENT.match(line) or not LEAST_LINE <= len(line.strip()) <= MOST_LINE:
            continue
        indent = len(line) - len(line.lstrip())
        middle = indent + (len(line.rstrip()) - indent) // 2
        border = re.compile(r"\b").search(line, middle)
        if border and len(line.rstrip()) - border.start() >= LEAST_HOLE:
            found.append(Hole(begin + border.start(), begin + len(line.rstrip())))
    return found


def bodies_in(text: str) -> list[Hole]:
    """The first lines of each function's body; their indentation stays, as the editor would have set it."""
    lines = lines_of(text)
    found = []
    for number, (_, header) in enumerate(lines):
        if not is_header(header):
            continue
        outer = len(header) - len(header.lstrip())
        body = []
        for begin, line in lines[number + 1 : number + 1 + MOST_BODY_LINES]:
            indent = len(line) - len(line.lstrip())
            if not line.strip() or indent <= outer or COMMENT.match(line):
                break
            body.append((begin + indent, begin + len(line.rstrip())))
        if body and LEAST_HOLE <= body[-1][1] - body[0][0] <= MOST_BODY:
            found.append(Hole(body[0][0], body[-1][1]))
    return found


def is_header(line: str) -> bool:
    """Whether it looks as if a function's body, or another block, began behind it."""
    if len(line) > MOST_LINE or COMMENT.match(line) or not line.rstrip().endswith((":", "{", ")")):
        return False
    return HEADER.match(line) is not None


def lines_of(text: str) -> list[tuple[int, str]]:
    """Each line without its end, and where it begins."""
    return [(match.start(), match[0]) for match in re.finditer(r"[^\r\n]+", text)]
