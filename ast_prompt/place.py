"""The kinds of place in which a cursor can stand, and what decides which it is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from ast_prompt.languages import Language
from ast_prompt.reading import Opened
from ast_prompt.scopes import Capture
from ast_prompt.surroundings import Surroundings
from ast_prompt.text import Text

BLANKS = " \t"
TAB = 4
"""Columns, to compare indentations only."""
CLOSERS = re.compile(r"[\s)\]}>'\"`;:,]*")
"""What editors put right of the cursor by themselves, and what ends a statement."""
OPENER = re.compile(r"\{$|=>$|\b(?:do|then|else|begin)$")


class Place(StrEnum):
    TEXT = "text"
    """No tree: plain text, or a language without a grammar."""
    COMMENT = "comment"
    DOCSTRING = "docstring"
    STRING = "string"
    INTERPOLATION = "interpolation"
    """Code inside a string or inside markup."""
    IMPORT = "import"
    MEMBER = "member"
    ARGUMENTS = "arguments"
    """Of a call, of a command, of an element of markup."""
    PARAMETERS = "parameters"
    TYPE = "type"
    CONDITION = "condition"
    """What a branch or a loop goes by."""
    RIGHT_SIDE = "right side"
    """What a name, a field or a key is set to."""
    RETURN_VALUE = "return value"
    """What is returned, thrown or yielded."""
    DECORATOR = "decorator"
    """A decorator, an annotation, an attribute."""
    NAME = "name"
    """What something new is called."""
    ELEMENTS = "elements"
    """In a list, a dictionary, an object, where no value is named."""
    TAG = "tag"
    """The name of an element of markup."""
    MARKUP = "markup"
    """Text between the tags."""
    EMPTY_BLOCK = "empty block"
    """On a blank line, alone in a block."""
    BETWEEN = "between declarations"
    """On a blank line, beside a declaration, in no function."""
    STATEMENT = "statement"
    """Where a statement can begin: on a blank line, or at its first word."""
    OPENED = "opened"
    """Behind what opens a block."""
    EXPRESSION = "expression"
    """In a line, none of the above."""


class Shape(StrEnum):
    LINE = "line"
    BLOCK = "block"


def word_before(line: str, language: Language) -> str:
    """What is typed of the word at the line's end; may be empty."""
    found = language.word.search(line)
    return found.group() if found else ""


@dataclass(frozen=True, slots=True)
class Look:
    """What decides the kind of place."""

    text: Text
    language: Language
    offset: int
    before: str
    after: str
    around: Surroundings
    captures: tuple[Capture, ...]
    enclosing: tuple[Capture, ...]
    opened: Opened


def columns(line: str) -> int:
    """Columns of indentation."""
    blanks = line[: len(line) - len(line.lstrip(BLANKS))]
    return len(blanks.expandtabs(TAB))


Found = tuple[int, Place]
"""A kind of place, and the offset from which it is so; the greater one is nearer to the cursor."""
