"""Where a file is cut: at the borders of syntax nodes, in eight kinds.

import: what follows `import`, `use` or `#include`. arguments: what stands between a call's brackets. value: the right
side of an assignment or declaration. condition: of an if or a loop. return: what is returned. line_tail: from a
member's name to the line's end. block: the statements of a block. body: those of a function, without its docstring.

To add a language: a row in `NODE_TYPES`. To add a kind: a function, and its name in `CUTTERS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from tests.quality.metrics import NAME

BLOCKS = ("body", "block")
COMMENT = re.compile(r"\s*(#|//|/\*)")


@dataclass(frozen=True, slots=True)
class Cut:
    kind: str
    first: int
    """The row in which the node that is cut begins; a hole is as new as its rows are."""
    last: int
    start: int
    """Byte."""
    end: int
    """Byte behind the hole."""


@dataclass(frozen=True, slots=True)
class NodeTypes:
    """What a language's grammar calls the nodes that are cut. Pairs are a node's type and a field of it."""

    suffixes: tuple[str, ...]
    imports: dict[str, bytes]
    """To the text behind which the hole begins."""
    arguments: str
    values: dict[str, str]
    members: dict[str, str]
    functions: tuple[str, ...]
    blocks: tuple[str, ...]
    definitions: tuple[str, ...]
    """What gives a name that other files can use."""
    conditions: dict[str, str] = field(
        default_factory=lambda: {"if_statement": "condition", "while_statement": "condition"}
    )
    returns: str = "return_statement"


NODE_TYPES = {
    "python": NodeTypes(
        suffixes=(".py",),
        imports={"import_from_statement": b"import ", "import_statement": b"import "},
        arguments="argument_list",
        values={"assignment": "right"},
        members={"attribute": "attribute"},
        functions=("function_definition",),
        blocks=("block",),
        definitions=("function_definition", "class_definition"),
        conditions={"if_statement": "condition", "while_statement": "condition", "elif_clause": "condition"},
    ),
    "typescript": NodeTypes(
        suffixes=(".ts",),
        imports={"import_statement": b"import "},
        arguments="arguments",
        values={"variable_declarator": "value"},
        members={"member_expression": "property"},
        functions=("function_declaration", "method_definition", "arrow_function"),
        blocks=("statement_block",),
        definitions=(
            "function_declaration",
            "class_declaration",
            "interface_declaration",
            "type_alias_declaration",
            "enum_declaration",
            "variable_declarator",
            "method_definition",
        ),
    ),
    "go": NodeTypes(
        suffixes=(".go",),
        imports={"import_spec": b'"'},
        arguments="argument_list",
        values={"short_var_declaration": "right", "assignment_statement": "right"},
        members={"selector_expression": "field"},
        functions=("function_declaration", "method_declaration"),
        blocks=("block",),
        definitions=("function_declaration", "method_declaration", "type_spec", "const_spec", "var_spec"),
        conditions={"if_statement": "condition"},
    ),
    "rust": NodeTypes(
        suffixes=(".rs",),
        imports={"use_declaration": b"use "},
        arguments="arguments",
        values={"let_declaration": "value"},
        members={"field_expression": "field"},
        functions=("function_item",),
        blocks=("block",),
        definitions=("function_item", "struct_item", "enum_item", "trait_item", "type_item", "const_item"),
        conditions={"if_expression": "condition", "while_expression": "condition"},
        returns="return_expression",
    ),
    "java": NodeTypes(
        suffixes=(".java",),
        imports={"import_declaration": b"import "},
        arguments="argument_list",
        values={"variable_declarator": "value", "assignment_expression": "right"},
        members={"method_invocation": "name"},
        functions=("method_declaration", "constructor_declaration"),
        blocks=("block", "constructor_body"),
        definitions=("class_declaration", "interface_declaration", "method_declaration", "enum_declaration"),
    ),
    "c": NodeTypes(
        suffixes=(".c", ".h"),
        imports={"preproc_include": b"#include "},
        arguments="argument_list",
        values={"init_declarator": "value", "assignment_expression": "right"},
        members={"field_expression": "field"},
        functions=("function_definition",),
        blocks=("compound_statement",),
        definitions=(
            "function_definition",
            "struct_specifier",
            "enum_specifier",
            "type_definition",
            "preproc_def",
            "preproc_function_def",
        ),
    ),
}
"""By the language's name."""


def cuts(root: Node, data: bytes, types: NodeTypes) -> Iterator[Cut]:
    """Every place that can be cut, in the order of the nodes; none where the syntax is broken."""
    for node in walk(root):
        if not node.has_error:
            for cutter in CUTTERS:
                if (cut := cutter(node, data, types)) is not None:
                    yield cut


def walk(root: Node) -> Iterator[Node]:
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(node.children))


def cut_import(node: Node, data: bytes, types: NodeTypes) -> Cut | None:
    keyword = types.imports.get(node.type)
    if keyword is None or (at := data.find(keyword, node.start_byte, node.end_byte)) < 0:
        return None
    return Cut("import", node.start_point.row, node.end_point.row, at + len(keyword), node.end_byte)


def cut_arguments(node: Node, data: bytes, types: NodeTypes) -> Cut | None:
    if node.type != types.arguments or node.parent is None or node.parent.type == "class_definition":
        return None
    return Cut("arguments", node.start_point.row, node.end_point.row, node.start_byte + 1, node.end_byte - 1)


def cut_value(node: Node, data: bytes, types: NodeTypes) -> Cut | None:
    return cut_field("value", node, types.values)


def cut_condition(node: Node, data: bytes, types: NodeTypes) -> Cut | None:
    return cut_field("condition", node, types.conditions)


def cut_field(kind: str, node: Node, fields: dict[str, str]) -> Cut | None:
    name = fields.get(node.type)
    if name is None or (child := node.child_by_field_name(name)) is None:
        return None
    return Cut(kind, node.start_point.row, child.end_point.row, child.start_byte, child.end_byte)


def cut_return(node: Node, data: bytes, types: NodeTypes) -> Cut | None:
    if node.type != types.returns or node.named_child_count != 1:
        return None
    child = node.named_children[0]
    return Cut("return", node.start_point.row, node.end_point.row, child.start_byte, child.end_byte)


def cut_block(node: Node, data: bytes, types: NodeTypes) -> Cut | None:
    """A block, or a function's body."""
    if node.type not in types.blocks or not (statements := without_docstring(node.named_children)):
        return None
    kind = "body" if node.parent is not None and node.parent.type in types.functions else "block"
    first, last = statements[0], statements[-1]
    return Cut(kind, first.start_point.row, last.end_point.row, first.start_byte, last.end_byte)


def without_docstring(statements: list[Node]) -> list[Node]:
    if not statements or statements[0].type != "expression_statement":
        return statements
    inner = statements[0].named_children
    return statements[1:] if inner and inner[0].type == "string" else statements


def cut_line_tail(node: Node, data: bytes, types: NodeTypes) -> Cut | None:
    name = types.members.get(node.type)
    if name is None or (child := node.child_by_field_name(name)) is None:
        return None
    row, end = child.start_point.row, data.find(b"\n", child.start_byte)
    return Cut("line_tail", row, row, child.start_byte, end if end >= 0 else len(data))


Cutter = Callable[[Node, bytes, NodeTypes], Cut | None]
CUTTERS: tuple[Cutter, ...] = (
    cut_import, cut_arguments, cut_value, cut_condition, cut_return, cut_block, cut_line_tail,
)  # fmt: skip


def is_worth_asking(kind: str, middle: str) -> bool:
    """It has a name, is no comment, and is neither so short that it is luck nor so long that nobody could know it."""
    lines = middle.splitlines()
    if not NAME.search(middle) or COMMENT.match(middle):
        return False
    if kind in BLOCKS:
        return (2 if kind == "body" else 1) <= len(lines) <= 12 and 20 <= len(middle) <= 600
    return len(lines) <= 3 and 6 <= len(middle) <= 160
