"""Parse, and parse again after an edit, in slices that whoever drives them can put between other work.

Past the limits below a file is plain text: the parser can then be silent for tenths of a second within
one statement, and nothing that it finds would fit a prompt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator

import numpy as np
from tree_sitter import Parser, Point, Tree

from ast_prompt.grammars import grammar_of
from ast_prompt.languages import Language
from ast_prompt.pieces import Pieces
from ast_prompt.text import Text

LARGEST_FILE = 1_000_000
"""Bytes."""
LONGEST_LINE = 20_000
"""Bytes."""
DEEP_LINE = re.compile(rb"(?:\A|[\r\n])[-?: \t]{200}")
"""A line that YAML's blocks could begin in so many columns."""

Expired = Callable[[], bool]
"""Says whether the running slice has used up its time."""
Parsing = Generator[None, None, Tree | None]


def is_plain(text: Text) -> bool:
    """Whether a text is past the limits within which it is parsed."""
    if len(text.data) > LARGEST_FILE:
        return True
    lengths = np.diff(text.starts, append=len(text.data))
    return bool(lengths.max(initial=0) > LONGEST_LINE)


def is_too_deep(data: bytes, language: Language) -> bool:
    """Whether the grammar's scanner would write past its memory: YAML's (tree-sitter-yaml 0.7.2) crashes the process
    where about 250 blocks stand in each other, each of which takes a column at least."""
    return language.queries == "yaml" and DEEP_LINE.search(data) is not None


def levelled(data: bytes, language: Language) -> bytes:
    """As many bytes that can be parsed: what is nested too deeply is a word."""
    return DEEP_LINE.sub(lambda found: b"x" * len(found[0]), data) if is_too_deep(data, language) else data


def parse_in_slices(text: Text, language: Language, old: Tree | None, expired: Callable[[], Expired]) -> Parsing:
    """Yields after each slice and returns the tree; None where the text is plain.

    `old` is the tree before the last edits, each of which `edited_tree` has told it. `expired()` begins a slice.
    """
    grammar = None if is_plain(text) or is_too_deep(text.data, language) else grammar_of(language)
    if grammar is None:
        return None
    parser, pieces = Parser(grammar), Pieces(text.data)
    known = None if old is None or has_lone_return(text) else old

    while True:
        over = Watch(expired())
        try:
            with pieces.lent():
                if known is None:  # the parser takes no None for "no tree"
                    return parser.parse(pieces, progress_callback=over)
                return parser.parse(pieces, known, progress_callback=over)
        except ValueError:  # stopped by the slice's end: the same call goes on where it was
            yield


class Watch:
    """Stops the parser when the slice is over."""

    def __init__(self, expired: Expired) -> None:
        self.expired = expired

    def __call__(self, offset: int, has_error: bool) -> bool:
        return self.expired()


def parse(text: Text, language: Language, old: Tree | None = None) -> Tree | None:
    """The tree in one go; None where the text is plain."""
    slices = parse_in_slices(text, language, old, lambda: lambda: False)
    while True:
        try:
            next(slices)
        except StopIteration as end:
            tree: Tree | None = end.value
            return tree


def edited_tree(tree: Tree, before: Text, after: Text, begin: int, end: int, inserted: int) -> Tree:
    """A copy of `tree` that knows of an edit: bytes `begin` to `end` became `inserted` bytes."""
    copy = tree.copy()
    copy.edit(
        begin,
        end,
        begin + inserted,
        point_at(before, begin),
        point_at(before, end),
        point_at(after, begin + inserted),
    )
    return copy


def point_at(text: Text, offset: int) -> Point:
    line = text.line_at(offset)
    return Point(line, offset - text.start(line))


def has_lone_return(text: Text) -> bool:
    """The parser counts rows by `\\n` alone, so that with a lone `\\r` our points are not its points."""
    return b"\r" in text.data and text.data.count(b"\r") != text.data.count(b"\r\n")
