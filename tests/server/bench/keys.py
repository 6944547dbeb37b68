"""Keys and clocks made by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from server.bench.script import Act, Key
from server.bench.timeline import Timeline


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


def typing(text: str, *, at: int = 0, hole: int = 0) -> Iterator[Key]:
    """One key a character, in a hole that holds the text."""
    for number, letter in enumerate(text):
        yield Key(Act.TYPE, 0.1, 0, hole, at + number, 0, letter, number + 1, text[number + 1 :])


def played(truth: str, *steps: str | float | Callable[[Timeline], None]) -> Timeline:
    """A timeline: letters are keys of the truth, numbers are milliseconds that pass, `=text` is shown, `<` is a key
    that takes the last letter away."""
    clock = Clock()
    timeline = Timeline(clock)
    typed = ""
    for step in steps:
        if isinstance(step, int | float):
            clock.now += step / 1000
        elif callable(step):
            step(timeline)
        elif step.startswith("="):
            timeline.show(step[1:])
        elif step == "<":
            typed = typed[:-1]
            timeline.press(key_behind(typed, truth, Act.BACK, ""))
        else:
            typed += step
            act = Act.TYPE if truth.startswith(typed) else Act.WRONG
            timeline.press(key_behind(typed, truth, act, step))
    timeline.end()
    return timeline


def key_behind(typed: str, truth: str, act: Act, inserted: str) -> Key:
    agrees = truth.startswith(typed)
    at = len(typed) - len(inserted)
    return Key(act, 0, 0, 0, at, int(act is Act.BACK), inserted, len(typed) if agrees else None, truth[len(typed) :])
