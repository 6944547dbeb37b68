"""Answers that still hold: what is typed of one is consumed, and the rest of it comes back without new work.

An answer belongs to the text right before the cursor and the line below; what changes elsewhere in the file, or in
other files, leaves it as good as it was.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field

from ast_prompt.dialect import PLAIN
from ast_prompt.focus import focus_at
from ast_prompt.place import CLOSERS
from ast_prompt.text import Text
from server.completion import Completion
from server.postprocess.draft import Draft
from server.postprocess.rest_of_line import rest_of_line
from server.where import Where

CONTEXT = 320
"""Bytes before the cursor that tell one place from another."""
MOST = 400
"""Answers."""
LONGEST = 600
"""Bytes of an answer that may have been typed already."""
REACH = 40
"""Lines below the cursor in which the next one is looked for that is not blank."""

Place = tuple[bytes, bytes, bytes]
"""What stands before the place, what right of it, if it is more than closers, and the next line that is not blank."""


@dataclass(frozen=True, slots=True)
class Remembered:
    text: str
    """Of the whole answer, as it was shown; empty: the model had nothing that could be shown."""
    rest: str
    """What stood right of the cursor."""
    covers: int
    reason: str
    model: str

    @staticmethod
    def of(completion: Completion, text: Text, offset: int) -> Remembered:
        rest = text.decoded(offset, text.end(text.line_at(offset)))
        return Remembered(completion.text, rest, completion.covers, completion.reason, completion.model)


@dataclass(frozen=True, slots=True)
class Found:
    answer: Remembered
    typed: int
    """Characters of it that stand in the document by now."""

    @property
    def text(self) -> str:
        return self.answer.text[self.typed :]


@dataclass(slots=True)
class Memory:
    answers: OrderedDict[Place, Remembered] = field(default_factory=OrderedDict)
    longest: dict[tuple[bytes, bytes], int] = field(default_factory=dict)
    """By what stands behind a place: the bytes of its longest answer, up to which it is worth looking back."""

    def keep(self, text: Text, offset: int, answer: Remembered) -> None:
        place = place_at(text, offset, offset)
        self.answers.pop(place, None)
        self.answers[place] = answer
        behind = place[1:]
        self.longest[behind] = max(self.longest.get(behind, 0), len(answer.text.encode()))
        while len(self.answers) > MOST:
            self.answers.popitem(last=False)
        if len(self.longest) > 2 * MOST:
            self.longest = {place[1:]: self.longest[place[1:]] for place in self.answers}

    def drop(self, text: Text, offset: int) -> None:
        self.answers.pop(place_at(text, offset, offset), None)

    def find(self, text: Text, offset: int) -> Found | None:
        """The newest place above the cursor whose answer begins with what was typed since."""
        behind = around(text, offset)
        reach = self.longest.get(behind)
        if reach is None:
            return None
        data = text.data
        for begin in range(offset, max(offset - min(reach, LONGEST), 0) - 1, -1):
            answer = self.answers.get((data[max(begin - CONTEXT, 0) : begin], *behind))
            if answer is None:
                continue
            typed = data[begin:offset].decode("utf-8", "replace")
            if answer.text.startswith(typed) and (len(answer.text) > len(typed) or not typed):
                return Found(answer, len(typed))
        return None

    def forget(self) -> None:
        self.answers.clear()
        self.longest.clear()


def place_at(text: Text, begin: int, offset: int) -> Place:
    return text.data[max(begin - CONTEXT, 0) : begin], *around(text, offset)


def around(text: Text, offset: int) -> tuple[bytes, bytes]:
    line = text.line_at(offset)
    rest = text.data[offset : text.end(line)]
    for number in range(line + 1, min(line + REACH, text.line_count)):
        below = text.data[text.start(number) : text.end(number)].strip()
        if below:
            break
    else:
        below = b""
    # what an editor closes by itself comes and goes while one types
    return b"" if CLOSERS.fullmatch(rest.decode("utf-8", "replace")) else rest, below


def covered(found: Found, where: Where) -> int | None:
    """Characters right of the cursor that the rest of an answer replaces; None where it no longer fits them."""
    rest = where.line[1]
    if rest == found.answer.rest:
        return found.answer.covers
    snapshot = where.snapshot
    focus = focus_at(snapshot.text, snapshot.tree, snapshot.language, where.offset)
    draft = rest_of_line(Draft(found.text, focus, PLAIN))
    return draft.covers if draft.text == found.text else None
