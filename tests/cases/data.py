"""The cases: faults that users of code completion know, each with a document, a model's answer and the right result.

A case is a JSON file. `before` is the document with the cursor `█`; `model_output` what the model answers;
`expected.after` the document after accepting, or null where nothing may be offered; `also_ok` other right results;
`cursor_strict: false`: only the text counts. `request` says what the engine must have been asked. A variant is the
same fault with other inputs; what it does not say stands in the case.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

from tests.picture import CURSOR

HERE = Path(__file__).parent
FIELDS = ("name", "language", "before", "model_output", "expected", "request", "eol")
SUFFIXES = {
    "python": "py",
    "javascript": "js",
    "json": "json",
    "markdown": "md",
    "go": "go",
    "makefile": "mk",
    "lua": "lua",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One document, one answer, one result."""

    name: str
    language: str
    before: str
    model_output: str
    expected: dict[str, Any]
    request: dict[str, str]
    eol: str

    @staticmethod
    def of(variant: dict[str, Any]) -> Row:
        both = {"eol": "lf", "request": {}} | variant
        return Row(**{key: both[key] for key in FIELDS})

    @property
    def prefix(self) -> str:
        return self.before.split(CURSOR)[0]

    @property
    def text(self) -> str:
        return self.before.replace(CURSOR, "")

    @property
    def uri(self) -> str:
        return f"file:///w/{crc32(self.name.encode()):08x}.{SUFFIXES[self.language]}"

    def is_right(self, got: str | None) -> bool:
        """Whether this is a right document after accepting, with the cursor; None: nothing was offered."""
        wanted = [self.expected["after"], *self.expected.get("also_ok", [])]
        return self._comparable(got) in map(self._comparable, wanted)

    def _comparable(self, text: str | None) -> str | None:
        if text is None:
            return None
        if not self.expected.get("cursor_strict", True):
            text = text.replace(CURSOR, "")
        return text if self.eol == "cr" else text.replace("\r\n", "\n")  # an editor makes its own line ends of \n


def case(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    return loaded


def rows(name: str) -> list[Row]:
    """The case itself and its variants."""
    return [Row.of(variant) for variant in variants(name)]


def variants(name: str) -> list[dict[str, Any]]:
    """The case itself and its variants, each with all that it says."""
    main = case(name)
    others = [_variant(main, other) for other in main.pop("variants", [])]
    return [main, *others]


def _variant(main: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in main.items() if key not in ("request", "logged")}
    return kept | other | {"name": f"{main['name']} - {other['name']}"}
