"""Where the cursor is: what encloses it, what kind of place it is, one line or a block."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass

from tree_sitter import Tree

from ast_prompt.languages import Language
from ast_prompt.place import BLANKS, Look, Place, Shape, columns, word_before
from ast_prompt.places import BLOCKS, place_of
from ast_prompt.scopes import Capture, scopes_at
from ast_prompt.shape import shape_of
from ast_prompt.surroundings import surroundings_of
from ast_prompt.text import Text


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
    complete: bool = False
    """Right of a statement in which nothing can grow any more."""

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


def focus_at(text: Text, tree: Tree | None, language: Language, offset: int) -> Focus:
    line = text.line_at(offset)
    before = text.decoded(text.start(line), offset)
    after = text.decoded(offset, text.end(line))
    if tree is None:
        return Focus(
            language, text, tree, offset, Place.TEXT, shape_of(Place.TEXT, before, after, language), (), before, after
        )
    around = surroundings_of(text, tree, language, offset)
    enclosing = enclosing_scopes(text, tree, language, offset, before)
    look = Look(text, language, offset, before, after, around, around.captures_at(offset), enclosing, around.opened)
    place = place_of(look)
    shape = shape_of(place, before, after, language)
    return Focus(language, text, tree, offset, place, shape, enclosing, before, after, is_complete(look, place))


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


LITERALS = ("comment", "docstring", "string")
NO_SEMICOLON = frozenset({"html", "yaml", "json", "bash"})


def is_complete(look: Look, place: Place) -> bool:
    """Whether the cursor is right of a statement, or of a block, to which nothing can be added, at the line's end.

    Where it is not sure it is not so: what would have been a request too many then is a completion less.
    """
    typed = look.before.rstrip(BLANKS)
    level = look.opened.levels[-1]
    if not typed or look.after.strip() or look.opened.literal or level.opener not in BLOCKS:
        return False
    if typed.endswith(";") and look.language.queries not in NO_SEMICOLON:
        return not level.code.strip()
    end = look.offset - (len(look.before) - len(typed))
    captures = look.captures if end == look.offset else look.around.captures_at(end)
    if any(capture.name == "closed" and capture.end == end for capture in captures):
        return typed.endswith(("}", "]", "'", '"'))
    if any(capture.name == "docstring" and capture.end == end for capture in captures):
        return look.language.queries == "python"
    if len(look.before) - len(typed) < 2 or not look.language.syntax.lines or not level.code.strip():
        return False
    statement = next((capture for capture in reversed(captures) if capture.name == "statement"), None)
    return statement is not None and statement.end == end and re.fullmatch(r"\s*[\w$]+\s*", level.code) is None
