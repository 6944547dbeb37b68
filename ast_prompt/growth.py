"""The file round the cursor: how far in a line must stand to belong to it, and its tree with an answer in it.

Of a long file only what is near is parsed: of the statements of the file and of each block those next to the
cursor, so that a line of an answer costs as much in a long file as in a short one. A statement does not depend on
how its neighbours are spelled.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice, pairwise

from tree_sitter import Node, Parser, Tree

from ast_prompt.brackets import CLOSING, PAIRS, Lexis, Reading, closers_without_opener, lexis_of, read
from ast_prompt.focus import Focus
from ast_prompt.grammars import grammar_of
from ast_prompt.languages import Language
from ast_prompt.place import CLOSERS, Place, columns
from ast_prompt.shape import opens_block
from ast_prompt.text import plain_lines
from ast_prompt.tree import levelled

SHORT = 6_000
"""Bytes that are parsed whole in less than a millisecond."""
LARGEST = 40_000
"""Bytes, 3 to 4 ms: where more than that hangs together at the cursor, characters alone decide."""
NEIGHBOURS = 2
"""Statements that are kept on either side of the cursor's own."""
LONG_STATEMENT = 2_000
"""Bytes: a neighbour of that size is left out, too."""
HEAD = 200
"""Bytes of a first statement that is kept: a package clause, an opening tag."""
WITHOUT_SYNTAX = frozenset({Place.TEXT, Place.COMMENT, Place.DOCSTRING, Place.STRING})
STAND_INS = ("", "a", "a;", "a\n")
"""What could stand at the cursor where code is wanted."""
MOST_ERRORS = 50
QUOTES = "\"'`"
NEAR_LINE = 200
"""Bytes in which the next line begins, blank ones before it passed over."""
CLOSING_BYTES = tuple(bracket.encode() for bracket in CLOSING)
TOP = 0
REACH = 400
"""Lines that are looked at: above the cursor for a header, where the tree has none, and below for one not blank."""
HEADER = re.compile(r"\s*(?:[\w@]+\s+)*(?:def|class|fn|func|fun|function|impl|struct|interface|trait|module)\b")
UNIT = "    "
"""What a block is indented by, where the file does not show it."""
UNITS = frozenset({"\t", "  ", "   ", "    ", " " * 8})
SHOWN = 200
"""Lines round the cursor that show it."""
INDENT = re.compile(r"^([ \t]*)\S", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Growth:
    """What stands before and behind the cursor, as far as it is parsed."""

    before: bytes
    after: bytes
    language: Language
    lexis: Lexis
    readings: dict[str, Reading] = field(default_factory=dict, compare=False, repr=False)
    """Those known: an answer that streams asks for the same again at every token."""

    def tree(self, answer: str, covers: int = 0) -> Tree:
        """With the answer at the cursor, in place of `covers` characters right of it."""
        grammar = grammar_of(self.language)
        assert grammar is not None
        covered = self.after.decode("utf-8", "ignore")[:covers].encode() if covers else b""
        whole = self.before + encoded(answer) + self.after[len(covered) :]
        return Parser(grammar).parse(levelled(whole, self.language))

    def errors(self, answer: str, covers: int = 0) -> int:
        """Syntax errors with this answer, near the cursor; counted up to MOST_ERRORS."""
        return sum(1 for _ in islice(errors_of(self.tree(answer, covers).root_node), MOST_ERRORS))

    def least_errors(self) -> int:
        """Errors that stay whatever is written at the cursor."""
        return min(self.errors(text) for text in STAND_INS)

    def reading(self, answer: str) -> Reading:
        if (known := self.readings.get(answer)) is None:
            known = self.readings[answer] = self.read(answer)
        return known

    def read(self, answer: str) -> Reading:
        """By the tree, which knows every kind of literal; by characters where a literal is open, which no tree
        understands."""
        plain = read(answer, self.lexis)
        if plain.literal:
            return plain
        begin, data = len(self.before), encoded(answer)
        closers, depth = [], 0
        for leaf, in_error in leaves(self.tree(answer).root_node, begin, begin + len(data)):
            if in_error and any(quote in leaf.type for quote in QUOTES):
                return plain
            if leaf.start_byte < begin or leaf.is_named or leaf.is_missing:
                continue
            for place, character in enumerate(leaf.type):
                if character in PAIRS:
                    depth += 1
                elif character in CLOSING and depth:
                    depth -= 1
                elif character in CLOSING:
                    closers.append(len(data[: leaf.start_byte - begin + place].decode("utf-8", "ignore")))
        return Reading(tuple(closers), depth, literal=False)


def encoded(answer: str) -> bytes:
    return answer.encode("utf-8", "replace")


def growth_at(focus: Focus) -> Growth | None:
    """None where a tree says nothing about an answer: in plain text, strings and comments, and where it would cost
    too much."""
    if focus.tree is None or focus.place in WITHOUT_SYNTAX or not focus.language.queries:
        return None
    data, cuts = focus.text.data, [*far_statements(focus, focus.tree)]
    known = sum(1 for _ in islice(errors_of(focus.tree.root_node), MOST_ERRORS))
    for levels in [()] if len(data) <= SHORT else [cuts, cuts[:1], ()]:
        pieces = [piece for level in levels for piece in level]
        before, after = without(data, pieces, 0, focus.offset), without(data, pieces, focus.offset, len(data))
        if len(before) + len(after) > LARGEST:
            return None
        grown = Growth(before, after, focus.language, lexis_of(focus.language))
        # the code at a cursor is broken, and what the tree takes for a statement there need not be one
        if not levels or grown.errors("") <= known:
            return grown
    return None


def without(data: bytes, cuts: list[tuple[int, int]], begin: int, end: int) -> bytes:
    kept = []
    for left, right in sorted(cuts):
        if begin <= left and right <= end:
            kept.append(data[begin:left])
            begin = right
    return b"".join((*kept, data[begin:end]))


def far_statements(focus: Focus, tree: Tree) -> Iterator[list[tuple[int, int]]]:
    """Pieces of the file that are left out: of the file, then of each block that holds the cursor, what is not near.

    Where the cursor is on blank lines, it is looked at from the code above: what it continues may be there.
    """
    data = focus.text.data
    above = max(len(data[: focus.offset].rstrip()) - 1, 0)
    blocks = {scope.kind for scope in focus.enclosing if scope.name == "block"}
    node: Node | None = tree.root_node
    while node is not None:
        near = child_at(node, above)
        listed = node.parent is None or (focus.language.blocks != "words" and node.type in blocks)
        if near is not None and listed and not node.is_error:
            yield list(far_children(data, node, near, focus.offset))
        node = near


def child_at(node: Node, offset: int) -> Node | None:
    """The child that holds a byte, else the last one before it."""
    cursor = node.walk()
    if cursor.goto_first_child_for_byte(offset) is None and not cursor.goto_last_child():
        return None
    found = cursor.node
    if found is not None and found.start_byte > offset and cursor.goto_previous_sibling():
        found = cursor.node
    return found


def far_children(data: bytes, node: Node, near: Node, offset: int) -> Iterator[tuple[int, int]]:
    first, last = node.child(0), node.child(node.child_count - 1)
    assert first is not None
    assert last is not None
    kept_head = not first.is_named or first.end_byte - first.start_byte < HEAD
    begin = first.end_byte if kept_head else first.start_byte
    keep = neighbour(near, forward=False).start_byte
    line = data.rfind(b"\n", begin, keep)
    if begin < line:
        yield begin, line
    begin = max(neighbour(near, forward=True).end_byte, offset)
    end = last.end_byte if last.is_named else last.start_byte
    line = data.find(b"\n", begin, end)
    # the statement at the cursor may be open, and close with what the tree takes for another's end
    while line >= 0 and data[line : line + NEAR_LINE].lstrip()[:1] in CLOSING_BYTES:
        line = data.find(b"\n", line + 1, end)
    if line >= 0:
        yield line, end


def neighbour(node: Node, forward: bool) -> Node:
    """The last statement on that side that is kept."""
    for _ in range(NEIGHBOURS):
        following = node.next_sibling if forward else node.prev_sibling
        if following is None or following.end_byte - following.start_byte > LONG_STATEMENT:
            return node
        node = following
    return node


def leaves(root: Node, begin: int, end: int) -> Iterator[tuple[Node, bool]]:
    """The leaves that touch the bytes [begin, end), each with whether it stands right in an error."""
    cursor, errors = root.walk(), [False]
    while True:
        node = cursor.node
        if node is None or node.start_byte >= end:
            return
        if node.child_count and node.end_byte > begin and cursor.goto_first_child_for_byte(begin) is not None:
            errors.append(node.is_error)
            continue
        if not node.child_count and node.end_byte > begin:
            yield node, errors[-1]
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
            errors.pop()


def errors_of(root: Node) -> Iterator[Node]:
    """A cursor, not `children`: the file's root has thousands."""
    cursor = root.walk()
    while True:
        node = cursor.node
        if node is None:
            return
        if node.is_error or node.is_missing:
            yield node
        if node.has_error and cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


def line_below(focus: Focus) -> tuple[str, int]:
    """The first line below the cursor's that is not blank, stripped, and its indentation in columns."""
    text = focus.text
    here = text.line_at(focus.offset)
    for line in range(here + 1, min(here + REACH, text.line_count)):
        found = text.decoded(text.start(line), text.end(line))
        if found.strip():
            return found.strip(), columns(found)
    return "", -1


def floor_of(focus: Focus, base: int, below: int) -> int:
    """Inside a function an answer may leave the blocks that the cursor is in, not the function; and where the
    text below goes on in the function it may not leave what that text belongs to either."""
    header = header_column(focus, base)
    if header is None:
        return base if focus.tree is None else TOP
    if base <= header:
        return header if focus.before.strip() else base
    if below <= header:
        return header + 1
    return base if below >= base else below + 1


def header_column(focus: Focus, base: int) -> int | None:
    """Indentation of the line that begins the enclosing function or class; None at the top level.

    Code at a cursor is broken more often than not: where the tree has no such node, the lines above decide.
    """
    scope = focus.innermost("function", "class")
    if scope is not None:
        line = focus.text.line_at(scope.start)
        return columns(focus.text.decoded(focus.text.start(line), focus.text.end(line)))
    found = None
    for above in headers(focus, base):
        found = columns(above)
        if HEADER.match(above):
            break
    return found


def headers(focus: Focus, base: int) -> Iterator[str]:
    """The lines above, innermost first, each with less indentation than what it holds."""
    text = focus.text
    here = text.line_at(focus.offset)
    for line in range(here - 1, max(here - REACH, -1), -1):
        above = text.decoded(text.start(line), text.end(line))
        if above.strip() and columns(above) < base:
            yield above
            base = columns(above)
            if base == TOP:
                return


def wanted_columns(focus: Focus) -> int:
    """Indentation that a line at the cursor needs at least, where it is blank so far: to stand in the block that the
    line above opens, or in the one that goes on below."""
    if focus.place in WITHOUT_SYNTAX or focus.before.strip() or CLOSERS.fullmatch(focus.after) is None:
        return TOP
    base = columns(focus.before)
    above = line_above(focus)
    if not above:
        return TOP
    typed = above.rstrip()
    if opens_block(typed, focus.language) and focus.language.name != "yaml":
        if base > columns(above):
            return base
        closers = list(closers_without_opener(typed, lexis_of(focus.language)))
        ends_a_call = closers and typed[: closers[0]].strip()
        return base if ends_a_call else columns(above) + len(unit_of(focus).expandtabs(len(UNIT)))
    below, below_columns = line_below(focus)
    if below[:1] in CLOSING:
        below_columns += len(unit_of(focus).expandtabs(len(UNIT)))
    return min(columns(above), max(below_columns, TOP))


def is_moved(first: str, second: int, wanted: int) -> bool:
    """Whether an answer whose first line stands left of its block does so with its second line, too."""
    return second < wanted or (second == wanted and first.rstrip().endswith((":", "{", "(", "[")))


def line_above(focus: Focus) -> str:
    """The last line above the cursor's that is not blank."""
    text = focus.text
    here = text.line_at(focus.offset)
    for line in range(here - 1, max(here - REACH, -1), -1):
        found = text.decoded(text.start(line), text.end(line))
        if found.strip():
            return found
    return ""


def unit_of(focus: Focus, unknown: str = UNIT) -> str:
    """What this file indents a block by: a tab, or so many spaces; by the lines round the cursor.

    `unknown` where none of them is indented.
    """
    text = focus.text
    here = text.line_at(focus.offset)
    above = text.decoded(text.start(max(here - SHOWN, 0)), text.start(here))
    below = text.decoded(text.start(here + 1), text.start(here + SHOWN))
    indents = [*INDENT.findall(plain_lines(above)), focus.indent, *INDENT.findall(plain_lines(below))]
    steps = Counter(after[len(before) :] for before, after in pairwise(["", *indents]) if after.startswith(before))
    return next((step for step, _ in steps.most_common() if step in UNITS), unknown)
