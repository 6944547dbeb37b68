"""The script: which keys are pressed and when; the same ones for the same sources and seed.

The rhythm is that of recorded typing: gaps are log-normal, longer at line ends and at new places; letters are mistyped
and taken back; now and then a word is undone and typed again, or a line left half done for another place.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from server.bench.holes import Source, seeded

CORRECTIONS = 0.03
"""Of the letters are mistyped first."""
NOTICED_AFTER = 3
"""Keys at most."""
UNDONE = 0.02
"""Of the words."""
HALF_DONE = 0.2
"""Of the holes are left for another place and finished afterwards."""
HOLES_A_VISIT = 2
"""In a file, before the next file's turn comes."""
LEAST_PASTE, MOST_PASTE = 8, 40
"""Characters."""
LEAST_UNDONE = 3
SLIPS = "etaoinshrdlu"
ONE_KEY = re.compile(r"(?:\r\n|\r|\n)[ \t]*|.", re.DOTALL)
"""Enter brings the next line's indentation, as an editor sets it."""
BORDER = re.compile(r"(?<=\S) (?=\S)")


class Act(StrEnum):
    OPEN = "open"
    """A file is opened and the cursor put at a hole."""
    JUMP = "jump"
    TYPE = "type"
    WRONG = "wrong"
    """A wrong letter, or a right one behind it, before it is noticed."""
    BACK = "back"
    UNDO = "undo"
    PASTE = "paste"
    ACCEPT = "accept"
    """In no script: pressed instead of what it saves."""

    @property
    def inserts(self) -> bool:
        return self in (Act.TYPE, Act.WRONG, Act.PASTE, Act.ACCEPT)


@dataclass(frozen=True, slots=True)
class Rhythm:
    """Medians of log-normal pauses, in seconds."""

    key: float = 0.130
    line: float = 0.600
    look: float = 1.000
    sigma: float = 0.5

    def pause(self, median: float, randomness: random.Random) -> float:
        return randomness.lognormvariate(math.log(median), self.sigma)


@dataclass(frozen=True, slots=True)
class Key:
    """What is done at once: at a place of the source's present text, some characters give way to others."""

    act: Act
    pause: float
    """Seconds since the key before."""
    source: int
    hole: int
    at: int
    """Characters of the text as it is before the key."""
    removed: int
    inserted: str
    done: int | None
    """Characters of the hole that stand there afterwards; None while wrong ones stand among them."""
    rest: str
    """What is still to be typed into the hole."""

    @property
    def cursor(self) -> int:
        return self.at + len(self.inserted)


@dataclass(frozen=True, slots=True)
class Script:
    sources: tuple[Source, ...]
    keys: tuple[Key, ...]

    @property
    def seconds(self) -> float:
        return sum(key.pause for key in self.keys)

    @property
    def tasks(self) -> int:
        return sum(len(source.holes) for source in self.sources)


@dataclass(frozen=True, slots=True)
class Stretch:
    """To type on in a hole until so many of its characters are there."""

    source: int
    hole: int
    end: int


def script_of(sources: Sequence[Source], seed: int, rhythm: Rhythm = Rhythm()) -> Script:
    randomness = seeded("script", seed)
    way = list(stretches(sources, randomness))
    typist = Typist(sources, rhythm, randomness, paste_in(way, sources, randomness))
    for stretch in way:
        typist.go_to(stretch)
        typist.write(stretch.end)
    return Script(tuple(sources), tuple(typist.keys))


def stretches(sources: Sequence[Source], randomness: random.Random) -> Iterator[Stretch]:
    """Hole after hole; what was left half done is finished when the next one is."""
    left: Stretch | None = None
    for source, hole in visits(sources, randomness):
        truth = sources[source].truth(hole)
        borders = [match.end() for match in BORDER.finditer(truth)]
        half = randomness.choice(borders) if borders and randomness.random() < HALF_DONE else None
        yield Stretch(source, hole, half or len(truth))
        if left:
            yield left
        left = Stretch(source, hole, len(truth)) if half else None
    if left:
        yield left


def visits(sources: Sequence[Source], randomness: random.Random) -> Iterator[tuple[int, int]]:
    """Source and hole: a few holes of a file, then some of the next file, then more of the first."""
    orders = [randomness.sample(range(len(source.holes)), len(source.holes)) for source in sources]
    for begin in range(0, max(map(len, orders), default=0), HOLES_A_VISIT):
        for number, order in enumerate(orders):
            for hole in order[begin : begin + HOLES_A_VISIT]:
                yield number, hole


def paste_in(
    way: Sequence[Stretch], sources: Sequence[Source], randomness: random.Random
) -> tuple[int, int, int] | None:
    """Source, hole and place in it of the one paste: the beginning of a word, not the first, with enough behind it on
    its line."""
    enough = re.compile(rf"\b(?=\w[^\r\n]{{{LEAST_PASTE - 1}}})")
    found = [
        (stretch.source, stretch.hole, match.start())
        for stretch in way
        for match in enough.finditer(sources[stretch.source].truth(stretch.hole)[: stretch.end], 1)
    ]
    return randomness.choice(found) if found else None


@dataclass(slots=True)
class Typist:
    """Types, and remembers how far each hole has got."""

    sources: Sequence[Source]
    rhythm: Rhythm
    randomness: random.Random
    paste: tuple[int, int, int] | None
    keys: list[Key] = field(default_factory=list)
    typed: dict[tuple[int, int], int] = field(default_factory=dict)
    at: tuple[int, int] = (-1, -1)
    """Source and hole."""
    base: int = 0
    """Where the hole begins in the present text."""
    truth: str = ""
    done: int = 0
    wrong: int = 0
    """Characters behind them that are to go."""

    def go_to(self, stretch: Stretch) -> None:
        act = Act.JUMP if any(source == stretch.source for source, _ in self.typed) else Act.OPEN
        source = self.sources[stretch.source]
        self.at, self.truth = (stretch.source, stretch.hole), source.truth(stretch.hole)
        self.done = self.typed.setdefault(self.at, 0)
        missing = sum(
            len(source.truth(hole)) - self.typed.get((stretch.source, hole), 0) for hole in range(stretch.hole)
        )
        self.base = source.holes[stretch.hole].begin - missing
        self.press(act, self.rhythm.look)

    def write(self, end: int) -> None:
        begin, spoilt = self.done, set[int]()
        while self.done < end:
            if self.paste == (*self.at, self.done):
                self.paste = None
                line = re.split(r"[\r\n]", self.truth[self.done : end])[0]
                self.press(Act.PASTE, self.rhythm.line, inserted=line[:MOST_PASTE])
                continue
            key = next(ONE_KEY.finditer(self.truth, self.done, end))[0]
            if key.isalpha() and self.done not in spoilt and self.randomness.random() < CORRECTIONS:
                spoilt.add(self.done)
                self.slip(key, end)
            self.press(Act.TYPE, self.rhythm.line if key[0] in "\r\n" else self.rhythm.key, inserted=key)
            word = re.findall(r"\w*\Z", self.truth[begin : self.done])[0]
            if len(word) < LEAST_UNDONE or re.match(r"\w", self.truth[self.done :]) or self.done in spoilt:
                continue
            if self.randomness.random() < UNDONE:
                spoilt.add(self.done)
                self.press(Act.UNDO, self.rhythm.line, removed=len(word))
        self.typed[self.at] = self.done

    def slip(self, meant: str, end: int) -> None:
        """A wrong letter, perhaps some right ones behind it, and back to before it."""
        behind = re.split(r"[\r\n]", self.truth[self.done + 1 : end])[0]
        noticed = self.randomness.randint(1, NOTICED_AFTER)
        keys = self.randomness.choice([letter for letter in SLIPS if letter != meant.lower()]) + behind[: noticed - 1]
        for key in keys:
            self.press(Act.WRONG, self.rhythm.key, inserted=key)
        for _ in keys:
            self.press(Act.BACK, self.rhythm.key, removed=1)

    def press(self, act: Act, median: float, removed: int = 0, inserted: str = "") -> None:
        at = self.base + self.done + self.wrong - removed
        if act in (Act.WRONG, Act.BACK):
            self.wrong += len(inserted) - removed
        else:
            self.done += len(inserted) - removed
        pause = round(self.rhythm.pause(median, self.randomness), 4)
        done = self.done if self.wrong == 0 else None
        self.keys.append(Key(act, pause, *self.at, at, removed, inserted, done, self.truth[self.done :]))
