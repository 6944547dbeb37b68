"""One line or a block: is there room for one, and does one begin here?"""

from __future__ import annotations

import re

from ast_prompt.languages import Language
from ast_prompt.place import BLANKS, CLOSERS, OPENER, Place, Shape
from ast_prompt.reading import Level

PYTHON_HEADER = re.compile(
    r"\s*(?:async\s+)?(?:if|elif|else|for|while|with|try|except|finally|def|class|match|case)\b.*:$", re.DOTALL
)
ARROWS = frozenset({"javascript", "typescript", "tsx", "rust", "csharp", "java"})


def behind_opener(typed: str, level: Level, language: Language) -> bool:
    """Whether what is typed ends with what opens a block; `level` is the innermost, and a block."""
    if typed.endswith("{"):
        return level.opener == "block"
    if typed.endswith(("=>", "->")):
        return language.queries in ARROWS and not (typed.endswith("->") and language.queries != "java")
    if language.queries == "python":
        return PYTHON_HEADER.match(level.code.rstrip()) is not None
    if language.queries == "yaml":
        return typed.endswith(":") and level.code.endswith(":")
    if language.queries == "lua" and re.search(r"\bfunction\b[\w.: ]*\(0*\)$", level.code.rstrip()):
        return True
    if language.queries == "ruby" and re.search(r"\bdo\s*\|[^|]*\|$|^\s*def\s+\S+\(0*\)$", level.code.rstrip()):
        return True
    return OPENER.search(typed) is not None


def opens_block(typed: str, language: Language) -> bool:
    """By the line alone, where there is no tree."""
    return OPENER.search(typed) is not None or (language.blocks == "indent" and typed.endswith(":"))


ON_BLANK_LINE = frozenset({
    Place.TEXT, Place.STATEMENT, Place.EMPTY_BLOCK, Place.BETWEEN, Place.ELEMENTS, Place.DOCSTRING, Place.MARKUP,
    Place.EXPRESSION,
})  # fmt: skip


def shape_of(place: Place, before: str, after: str, language: Language) -> Shape:
    """A block only where there is room for one: nothing but closers may stand right of the cursor."""
    if CLOSERS.fullmatch(after) is None:
        return Shape.LINE
    if not before.strip() and not after.strip():
        return Shape.BLOCK if place in ON_BLANK_LINE else Shape.LINE
    if place is Place.TEXT:
        return Shape.BLOCK if opens_block(before.rstrip(BLANKS), language) else Shape.LINE
    return Shape.BLOCK if place is Place.OPENED else Shape.LINE
