"""An open document: its text, its versions, and positions as the protocol counts them by default (UTF-16)."""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

KEPT = 64
"""Versions that an answer may still be about."""
LINE_END = re.compile(r"\r\n|\r|\n")

Position = dict[str, int]


def position_at(text: str, offset: int) -> Position:
    """Line and column, from 0, of a character."""
    if "\r" in text:
        ends = [match.end() for match in LINE_END.finditer(text, 0, offset)]
        line, begin = len(ends), ends[-1] if ends else 0
    else:
        line, begin = text.count("\n", 0, offset), text.rfind("\n", 0, offset) + 1
    return {"line": line, "character": units(text[begin:offset])}


def offset_at(text: str, position: Position) -> int:
    """Past a line's end is its end, past the text's end is its end."""
    begin = 0
    for _ in range(position["line"]):
        end = LINE_END.search(text, begin)
        if end is None:
            return len(text)
        begin = end.end()
    last = LINE_END.search(text, begin)
    line = text[begin : last.start() if last else len(text)]
    if line.isascii():
        return begin + min(position["character"], len(line))
    kept = line.encode("utf-16-le")[: 2 * position["character"]].decode("utf-16-le", "ignore")
    return begin + len(kept)


def units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


@dataclass(slots=True)
class Document:
    uri: str
    language: str
    text: str
    version: int = 1
    kept: OrderedDict[int, str] = field(init=False)
    """The text of each of the last versions."""

    def __post_init__(self) -> None:
        self.kept = OrderedDict({self.version: self.text})

    def edit(self, at: int, removed: int, inserted: str) -> dict[str, Any]:
        """Do it; the entry of `contentChanges` that says the same."""
        change = {
            "range": {"start": position_at(self.text, at), "end": position_at(self.text, at + removed)},
            "text": inserted,
        }
        self.text = self.text[:at] + inserted + self.text[at + removed :]
        self.version += 1
        self.kept[self.version] = self.text
        while len(self.kept) > KEPT:
            self.kept.popitem(last=False)
        return change

    def typed_since(self, version: int, offset: int, cursor: int) -> str | None:
        """What stands between a place of an older version and the cursor by now; None where more has changed."""
        old = self.kept.get(version)
        if old is None or cursor < offset or len(self.text) - len(old) != cursor - offset:
            return None
        same = self.text.startswith(old[:offset]) and self.text.endswith(old[offset:])
        return self.text[offset:cursor] if same else None
