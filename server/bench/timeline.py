"""What a reader sees while typing: the text on the screen, key by key, and what became of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import takewhile

from server.bench.script import Key

LEAST_VISIBLE = 0.300
"""Seconds for which a suggestion must have stood there before anyone accepts it."""
FIRST_LINE = re.compile(r"[^\r\n]*")


@dataclass(slots=True)
class Row:
    """One key, and the screen from then until the next key."""

    key: Key
    at: float
    """The clock's seconds."""
    already: bool = False
    """Text stood on the screen and still fits: it was typed through."""
    first: float | None = None
    """Seconds from the key to the first text, where none stood there."""
    flickers: int = 0
    """How often text changed or vanished although what was typed agreed with it."""
    new: int = 0
    """Characters that came onto the screen, where it can be said what is right."""
    right: int = 0
    """Of these, up to the first wrong one of the suggestion."""
    shown: str = ""
    """When the next key came."""
    line_for: float = 0.0
    """Seconds for which its first line had stood there by then."""
    whole_for: float = 0.0

    @property
    def answered(self) -> bool:
        return self.already or self.first is not None

    @property
    def worth_accepting(self) -> str:
        return worth_accepting(self.shown, self.key, self.line_for, self.whole_for)


class Timeline:
    def __init__(self, clock: Callable[[], float]) -> None:
        self.rows: list[Row] = []
        self.shown = ""
        """From the cursor on."""
        self._clock = clock
        self._line_since = self._whole_since = 0.0

    def press(self, key: Key) -> None:
        """What is shown is typed through while it fits, and goes otherwise."""
        self.end()
        self.rows.append(row := Row(key, self._clock()))
        if not key.act.inserts or not self.shown.startswith(key.inserted):
            self.shown = ""
        else:
            self.shown = visible(self.shown[len(key.inserted) :])
            if key.inserted[:1] in ("\r", "\n"):
                self._line_since = self._whole_since
        row.already = self.shown != ""

    def show(self, text: str, covered: str = "") -> None:
        """A suggestion from the cursor on, in place of what is shown; `covered` is what it would replace right of
        the cursor. No text takes away what is shown."""
        text, old, now = visible(text), self.shown, self._clock()
        if not self.rows or text == old:
            return
        row, self.shown = self.rows[-1], text
        if old and not text.startswith(old):
            row.flickers += 1
        if not old or first_line(text) != first_line(old):
            self._line_since = now
        self._whole_since = now
        if text and not row.answered:
            row.first = now - row.at
        if row.key.done is not None:
            known = old if text.startswith(old) else ""
            truth = row.key.rest + covered
            row.new += len(text) - len(known)
            row.right += agreeing(text, truth) - agreeing(known, truth)

    def end(self) -> None:
        """Of the last key's time."""
        if self.rows and self.shown:
            row, now = self.rows[-1], self._clock()
            row.shown, row.line_for, row.whole_for = self.shown, now - self._line_since, now - self._whole_since

    @property
    def acceptable(self) -> str:
        """The part of what is shown now that a reader would accept; "" for none."""
        now = self._clock()
        if not self.rows:
            return ""
        return worth_accepting(self.shown, self.rows[-1].key, now - self._line_since, now - self._whole_since)


def worth_accepting(shown: str, key: Key, line_for: float, whole_for: float) -> str:
    """All of it, where it is what would be typed up to the end of a line; else its first line, where that is."""
    if key.done is None or not shown:
        return ""
    behind = key.rest[len(shown) :]
    if whole_for >= LEAST_VISIBLE and key.rest.startswith(shown) and behind[:1] in ("", "\r", "\n"):
        return shown
    line = first_line(key.rest)
    return line if line_for >= LEAST_VISIBLE and line == first_line(shown) else ""


def visible(text: str) -> str:
    """Blanks alone are nothing to see."""
    return text if text.strip() else ""


def first_line(text: str) -> str:
    found = FIRST_LINE.match(text)
    assert found is not None
    return found[0]


def agreeing(text: str, truth: str) -> int:
    """Characters."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(text, truth, strict=False)))
