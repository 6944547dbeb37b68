"""What the cursor stands in, by the tree: the function, the block, the string, the call's arguments.

The names of the captures and what each means: `queries/README.md`.
"""

from __future__ import annotations

from dataclasses import dataclass

import tree_sitter

from ast_prompt.grammars import query_of
from ast_prompt.languages import Language

CAPTURES = (
    "statement",
    "import",
    "class",
    "function",
    "block",
    "parameters",
    "arguments",
    "type",
    "member",
    "string",
    "interpolation",
    "comment",
    "docstring",
)
"""Every name in `scopes.scm`; of one node's captures, the earlier name here comes first."""
PARTS = (
    "closed",
    "name",
    "tag",
    "decorator",
    "condition",
    "return_value",
    "right_side",
    "elements",
    "markup",
)
"""The further names in `places.scm`."""
RANKS = {name: rank for rank, name in enumerate(CAPTURES + PARTS)}


@dataclass(frozen=True, slots=True)
class Capture:
    """A syntax node around the cursor."""

    name: str
    """One of CAPTURES or PARTS."""
    start: int
    """Its first byte."""
    end: int
    """The byte behind its last."""
    kind: str
    """The grammar's own name of the node."""


def scopes_at(tree: tree_sitter.Tree, language: Language, offset: int) -> tuple[Capture, ...]:
    """The captures whose node contains the byte `offset` or ends there, outermost first.

    Of two nodes that touch at `offset`, the one that ends there comes first. A node that ends with its own
    line break (an `#include`, a doc comment in Rust) doesn't hold the start of the next line; a block does.
    Empty for a language without queries.

    It says what the tree says: an indented block ends with its last statement, so that the empty line below is
    outside; and what is broken at the cursor may be no node, as the arguments of a call without its `)`.
    """
    found = captured(tree, language, max(offset - 1, 0), offset + 1)
    return holding(found, offset)


def holding(found: list[tuple[str, tree_sitter.Node]], offset: int) -> tuple[Capture, ...]:
    holding = [(name, node) for name, node in found if holds(name, node, offset)]
    holding.sort(key=outermost_first)
    return tuple(Capture(name, node.start_byte, node.end_byte, node.type) for name, node in holding)


def captures_between(
    tree: tree_sitter.Tree, language: Language, start: int, end: int, *names: str
) -> tuple[Capture, ...]:
    """The captures of these names that touch the bytes [start, end), by their beginning, the outer one of two first."""
    found = [(name, node) for name, node in captured(tree, language, start, end) if name in names]
    found.sort(key=outermost_first)
    return tuple(Capture(name, node.start_byte, node.end_byte, node.type) for name, node in found)


def captured(
    tree: tree_sitter.Tree, language: Language, start: int, end: int, file: str = "scopes"
) -> list[tuple[str, tree_sitter.Node]]:
    """The captures of the patterns of a query file that touch the bytes [start, end)."""
    query = query_of(language, file)
    if query is None:
        return []
    cursor = tree_sitter.QueryCursor(query)
    cursor.set_byte_range(start, end)
    captures = cursor.captures(tree.root_node)
    return [(name, node) for name in CAPTURES + PARTS for node in captures.get(name, ())]


def holds(name: str, node: tree_sitter.Node, offset: int) -> bool:
    if offset == node.end_byte and name != "block":
        return node.end_point.column > 0  # else its last byte is a line break, and `offset` on the next line
    return node.start_byte <= offset <= node.end_byte


def outermost_first(capture: tuple[str, tree_sitter.Node]) -> tuple[int, int, int, int]:
    name, node = capture
    # of two nodes with the same span, the outer one has more below it
    return node.start_byte, -node.end_byte, -node.descendant_count, RANKS[name]
