"""Where the cursor is: what encloses it, what kind of place it is, one line or a block."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from enum import StrEnum

from tree_sitter import Tree

from ast_prompt.languages import Language
from ast_prompt.scopes import Capture, scopes_at
from ast_prompt.text import Text

BLANKS = " \t"
TAB = 4
"""Columns, to compare indentations only."""
CLOSERS = re.compile(r"[\s)\]}>'\"`;:,]*")
"""What editors put right of the cursor by themselves, and what ends a statement."""
OPENER = re.compile(r"\{$|=>$|\b(?:do|then|else|begin)$")
IMPORT = re.compile(r"\s*(?:import|from|use|using|require|include|#\s*include)\b\s*\S*")
"""Where the tree has no node for what is half typed, its first word tells."""


class Place(StrEnum):
    TEXT = "text"
    """No tree: plain text, or a language without a grammar."""
    COMMENT = "comment"
    DOCSTRING = "docstring"
    STRING = "string"
    IMPORT = "import"
    MEMBER = "member"
    ARGUMENTS = "arguments"
    PARAMETERS = "parameters"
    TYPE = "type"
    STATEMENT = "statement"
    """On a line of its own, where a statement can begin."""
    OPENED = "opened"
    """Behind what opens a block."""
    EXPRESSION = "expression"
    """In a line, none of the above."""


class Shape(StrEnum):
    LINE = "line"
    BLOCK = "block"


@dataclass(frozen=True, slots=True)
class Focus:
    """One cursor, looked at once."""

    language: Language
    text: Text
    tree: Tree | None
    offset: int
    place: Place
    shape: Shape
    enclosing: tuple[Capture, ...]
    """Scopes that hold the cursor, outermost first."""
    before: str
    """The cursor's line, left of it."""
    after: str
    """The cursor's line, right of it, without its line end."""

    @property
    def word(self) -> str:
        """What is typed of the word at the cursor; may be empty."""
        return word_before(self.before, self.language)

    @property
    def indent(self) -> str:
        """The blanks at the start of the cursor's line, up to the cursor."""
        return self.before[: len(self.before) - len(self.before.lstrip(BLANKS))]

    def innermost(self, *names: str) -> Capture | None:
        return next((scope for scope in reversed(self.enclosing) if scope.name in names), None)


def word_before(line: str, language: Language) -> str:
    """What is typed of the word at the line's end; may be empty."""
    found = language.word.search(line)
    return found.group() if found else ""


def focus_at(text: Text, tree: Tree | None, language: Language, offset: int) -> Focus:
    line = text.line_at(offset)
    before = text.decoded(text.start(line), offset)
    after = text.decoded(offset, text.end(line))
    enclosing = () if tree is None else enclosing_scopes(text, tree, language, offset, before)
    place = Place.TEXT if tree is None else place_of(enclosing, before, offset, language)
    shape = shape_of(place, before, after, language)
    return Focus(language, text, tree, offset, place, shape, enclosing, before, after)


def enclosing_scopes(text: Text, tree: Tree, language: Language, offset: int, before: str) -> tuple[Capture, ...]:
    """What holds the cursor, outermost first.

    Where indentation makes the blocks, a block's node ends with its last statement: on a blank line below, its
    column says which of the blocks above it belongs to.
    """
    found = scopes_at(tree, language, offset)
    if before.strip(BLANKS) or language.blocks != "indent" or any(scope.name in LITERALS for scope in found):
        return found
    above = len(text.data[:offset].rstrip())
    column = columns(before)
    return tuple(scope for scope in scopes_at(tree, language, above) if column > header_columns(text, scope, above))


def header_columns(text: Text, scope: Capture, above: int) -> int:
    """Indentation that a line must exceed to stand in the scope: its first line's; a block's own, less one."""
    if scope.name not in ("function", "class", "block"):
        return sys.maxsize
    line = text.line_at(scope.start)
    own = columns(text.decoded(text.start(line), text.end(line)))
    return own - 1 if scope.name == "block" and scope.start <= above else own


def columns(line: str) -> int:
    """Columns of indentation."""
    blanks = line[: len(line) - len(line.lstrip(BLANKS))]
    return len(blanks.expandtabs(TAB))


LITERALS = ("comment", "docstring", "string")
INSIDE = {
    "comment": Place.COMMENT,
    "docstring": Place.DOCSTRING,
    "string": Place.STRING,
    "import": Place.IMPORT,
    "arguments": Place.ARGUMENTS,
    "parameters": Place.PARAMETERS,
    "type": Place.TYPE,
}


def place_of(enclosing: tuple[Capture, ...], before: str, offset: int, language: Language) -> Place:
    """The kind of place, by the innermost scope that decides it and the text left of the cursor."""
    for scope in reversed(enclosing):
        if scope.name in LITERALS and is_within(scope, offset, before):
            return INSIDE[scope.name]
        if scope.name == "interpolation":
            return Place.EXPRESSION
    typed = before.rstrip(BLANKS)
    if not typed:
        return Place.STATEMENT
    if opens_block(typed, language):
        return Place.OPENED
    if re.search(r"(?:\.|->|::)\w*\Z", typed) and not re.search(r"\d\.\Z", typed):
        return Place.MEMBER
    for scope in reversed(enclosing):
        if scope.name == "block":
            break
        if scope.name in INSIDE and scope.name not in LITERALS and scope.start < offset:
            return INSIDE[scope.name]
    if IMPORT.match(before):
        return Place.IMPORT
    return Place.STATEMENT if re.fullmatch(r"\s*\w+", before) else Place.EXPRESSION


def is_within(scope: Capture, offset: int, before: str) -> bool:
    """Whether the cursor is inside a literal or a comment, not at its border.

    Right of a line comment is still inside it; right of a closing quote or of `*/` is not.
    """
    if not scope.start < offset:
        return False
    if offset < scope.end:
        return True
    if scope.name == "comment":
        return not before.endswith(("*/", "-->", "]]"))
    return False


def opens_block(typed: str, language: Language) -> bool:
    if OPENER.search(typed):
        return True
    return language.blocks == "indent" and typed.endswith(":")


def shape_of(place: Place, before: str, after: str, language: Language) -> Shape:
    """A block only where there is room for one: nothing but closers may stand right of the cursor."""
    if CLOSERS.fullmatch(after) is None or place in (Place.COMMENT, Place.STRING, Place.IMPORT):
        return Shape.LINE
    if not before.strip() and not after.strip():
        return Shape.BLOCK
    return Shape.BLOCK if opens_block(before.rstrip(BLANKS), language) else Shape.LINE
