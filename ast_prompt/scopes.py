"""What the cursor stands in, by the tree: the function, the block, the string, the call's arguments; and, where the
code is broken, what is open left of the cursor, by its brackets and quotes.

The names of the captures and what each means: `queries/README.md`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import tree_sitter

from ast_prompt.grammars import _text_of, grammar_of, query_of
from ast_prompt.languages import OFFICIAL, Language

if TYPE_CHECKING:
    from ast_prompt.text import Text

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

_RANKS = {name: rank for rank, name in enumerate(CAPTURES + PARTS)}


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
    found = _captured(tree, language, max(offset - 1, 0), offset + 1)
    return _holding(found, offset)


def _holding(found: list[tuple[str, tree_sitter.Node]], offset: int) -> tuple[Capture, ...]:
    holding = [(name, node) for name, node in found if _holds(name, node, offset)]
    holding.sort(key=_outermost_first)
    return tuple(Capture(name, node.start_byte, node.end_byte, node.type) for name, node in holding)


def captures_between(tree: tree_sitter.Tree, language: Language, start: int, end: int) -> tuple[Capture, ...]:
    """The captures that touch the bytes [start, end), by their beginning, the outer one of two first."""
    found = _captured(tree, language, start, end)
    found.sort(key=_outermost_first)
    return tuple(Capture(name, node.start_byte, node.end_byte, node.type) for name, node in found)


PLACES = {folder: _text_of(folder, "places") for folder in {language.queries for language in OFFICIAL}}
"""Read with the module: `grammars.prepare` knows of `scopes.scm` only, and no file may be read on a key."""


@cache
def places_query(language: Language) -> tree_sitter.Query | None:
    """The compiled `places.scm`; None where `scopes.scm` has none either."""
    grammar = grammar_of(language)
    if grammar is None or language.queries not in PLACES:
        return None
    try:
        return tree_sitter.Query(grammar, PLACES[language.queries])
    except tree_sitter.QueryError:
        return None


def _captured(
    tree: tree_sitter.Tree, language: Language, start: int, end: int, file: str = "scopes"
) -> list[tuple[str, tree_sitter.Node]]:
    """The captures of the patterns of a query file that touch the bytes [start, end)."""
    query = query_of(language, "scopes") if file == "scopes" else places_query(language)
    if query is None:
        return []
    cursor = tree_sitter.QueryCursor(query)
    cursor.set_byte_range(start, end)
    captures = cursor.captures(tree.root_node)
    return [(name, node) for name in CAPTURES + PARTS for node in captures.get(name, ())]


def _holds(name: str, node: tree_sitter.Node, offset: int) -> bool:
    if offset == node.end_byte and name != "block":
        return node.end_point.column > 0  # else its last byte is a line break, and `offset` on the next line
    return node.start_byte <= offset <= node.end_byte


def _outermost_first(capture: tuple[str, tree_sitter.Node]) -> tuple[int, int, int, int]:
    name, node = capture
    # of two nodes with the same span, the outer one has more below it
    return node.start_byte, -node.end_byte, -node.descendant_count, _RANKS[name]


REACH_LINES = 40
REACH = 4_000
"""How far above the cursor what is open is looked for: lines, and bytes."""
DEPTH = 40
"""Open brackets that are told of, innermost first."""
OPENERS = {")": "(", "]": "[", "}": "{"}
LITERALS = ("comment", "docstring", "string", "markup")
CHARACTER_LITERALS = frozenset({"rust", "c", "cpp", "java", "go", "csharp", "kotlin"})
CHARACTER = 12
"""Bytes of a character literal at most, in the languages where `'` holds one character only."""
LETTERS = bytes(range(128)) + b"a" * 128
"""Every byte of a character that is not ASCII is a letter: the code read so is as long as its bytes."""
GOES_ON = re.compile(r"(?:[\\,.+*/%=&?^~-]|&&|\|\||<<)$")
GOES_ON_BELOW = re.compile(r"\s*(?:\.(?!\.)|\?\.|&&|\|\||[+*/%|?]\s)")
BLOCK_HEAD = re.compile(
    r"\s*(?:\w+\s+)*(?:class|struct|enum|union|namespace|impl|trait|interface|for|match|switch|if|else|while|do|try|mod"
    r"|fn|func|function|catch|finally|loop|unsafe|extern|select|case|default)\b"
)
ELEMENTS_FOLLOW = re.compile(
    r"(?:(?<![=!<>])=|[(,\[:?{+]|&&|\|\||::|\b(?:return|in|yield|import(?:\s+type)?|export|from|typeof)|\bnew\b[^=;]*)$"
)
VALUE = re.compile(r"(?<![=!<>])=(?![=>])|\breturn\b|\bnew\b")


@dataclass(frozen=True, slots=True)
class Level:
    """An open bracket left of the cursor, or what is around all of them."""

    opener: str
    """The bracket; `block` where it opens one, `interpolation`, or "" for what is around all."""
    start: int
    """The bracket's offset; before all, where there is none."""
    begin: int
    """The offset of `code`."""
    code: str
    """What stands in it, from where the statement begins up to the next level's bracket or the cursor. As long as
    its bytes: literals and what closed brackets hold are zeros, comments blanks, letters that are not ASCII an `a`."""


@dataclass(frozen=True, slots=True)
class Opened:
    """What is open left of the cursor."""

    levels: tuple[Level, ...]
    """Outermost first; never empty. The first is around all, unless there are very many."""
    literal: str
    """comment, docstring, string or markup, where the cursor is in one."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is around a cursor."""

    tree: tree_sitter.Tree
    language: Language
    places: list[tuple[str, tree_sitter.Node]]
    """The captures of `places.scm` within reach. That file has no predicates: they are slow where there are many."""
    opened: Opened

    def captures_at(self, offset: int) -> tuple[Capture, ...]:
        """As `scopes_at`, with the captures of `places.scm`; `offset` is within reach."""
        scopes = _captured(self.tree, self.language, max(offset - 1, 0), offset + 1)
        return _holding(scopes + self.places, offset)


def surroundings_of(text: Text, tree: tree_sitter.Tree, language: Language, offset: int) -> Surroundings:
    """What the tree says around the cursor, and what the brackets and quotes left of it leave open.

    The latter holds where the tree is broken: what nothing closes is open up to the cursor.
    """
    begin = max(text.start(max(text.line_at(offset) - REACH_LINES, 0)), offset - REACH, 0)
    places = _captured(tree, language, begin, offset + 1, "places")
    spans = [
        Capture(name, node.start_byte, node.end_byte, node.type)
        for name, node in places
        if name in LITERALS or name == "interpolation"
    ]
    return Surroundings(tree, language, places, opened_in(text, language, spans, begin, offset))


def opened_in(text: Text, language: Language, literals: list[Capture], begin: int, offset: int) -> Opened:
    """What is open at `offset` of what was opened from `begin` on; `literals` are the tree's, interpolations too."""
    # a docstring is a string or a comment, too: the more telling name first
    spans = sorted(
        (span for span in literals if span.start < offset),
        key=lambda span: (span.start, -span.end, span.name != "docstring"),
    )
    innermost = next((span for span in reversed(spans) if is_within(span, offset, text.data)), None)
    reading = Reading(text.data, language, begin, offset)
    inside = innermost is not None and innermost.name == "interpolation"
    if innermost is not None and inside:
        reading.enter_interpolation(innermost.start)
    first = innermost.start + 1 if innermost is not None and inside else 0
    return read(reading, [span for span in spans if span.name != "interpolation" and span.start >= first])


def is_within(span: Capture, offset: int, data: bytes) -> bool:
    """Whether the cursor is inside a literal or a comment, not at its border.

    Right of a line comment is inside it, as is the end of a literal that nothing closes.
    """
    if not span.start < offset <= span.end:
        return False
    if offset < span.end or span.name == "markup" or span.kind in ("block_scalar", "heredoc_body"):
        return True
    written = data[span.start : span.end]
    if span.name == "interpolation":
        return not written.endswith((b"}", b")", b"]"))
    if span.name == "comment" or written.startswith((b"//", b"/*", b"#")):
        return not written.endswith((b"*/", b"-->", b"]]", b"=end"))
    quote = re.search(rb"[\"'`]", written[:4])
    return quote is not None and (len(written) == quote.end() or not written.endswith(quote.group()))


@dataclass(slots=True)
class Bracket:
    """An open one, while the code is read. Places are indexes into the code."""

    opener: str
    at: int
    begin: int
    """Where the statement in it begins."""
    line: int
    """Where the line begins that it is in."""


class Reading:
    """Code that is read from left to right, up to the cursor."""

    def __init__(self, data: bytes, language: Language, first: int, end: int) -> None:
        self.data, self.language, self.first, self.end = data, language, first, end
        self.code = data[first:end].translate(LETTERS).decode("ascii")
        self.masked = self.code
        self.open = [Bracket("", -1, 0, 0)]
        self.line = self.at = 0
        self.literal = ""

    def enter_interpolation(self, start: int) -> None:
        """Read on from an interpolation's beginning, which holds the cursor."""
        at = max(start - self.first, 0)
        opening = re.compile(r"[\\$#]?[{(]?").match(self.code, at)
        self.at = opening.end() if opening else at
        self.open = [Bracket("interpolation", at, self.at, self.line)]

    def blank(self, end: int, letter: str) -> None:
        """Pass over what is no code, up to `end`."""
        end = min(end, len(self.code))
        self.masked = self.masked[: self.at] + letter * (end - self.at) + self.masked[end:]
        self.line = max(self.line, self.code.rfind("\n", self.at, end) + 1)
        self.at = end

    def result(self) -> Opened:
        levels = []
        innermost = self.open[-DEPTH:]
        for bracket, inner in zip(innermost, [*innermost[1:], None], strict=True):
            until = len(self.code) if inner is None else inner.at
            begin = min(bracket.begin, until)
            levels.append(Level(bracket.opener, self.first + bracket.at, self.first + begin, self.masked[begin:until]))
        return Opened(tuple(levels), self.literal)


def read(reading: Reading, literals: list[Capture]) -> Opened:
    tokens, code = tokens_of(reading.language), reading.code
    waiting = iter(literals)
    span = next(waiting, None)
    while reading.at < len(code) and not reading.literal:
        while span is not None and span.end - reading.first <= reading.at:
            span = next(waiting, None)
        border = len(code) if span is None else max(span.start - reading.first, reading.at)
        token = tokens.search(code, reading.at, border)
        if token is not None:
            reading.at = token.start()
            take(reading, token.group())
        elif span is None:
            break
        elif is_within(span, reading.end, reading.data):
            reading.literal = span.name
        else:
            reading.at = border
            reading.blank(span.end - reading.first, " " if span.name == "comment" else "0")
    return reading.result()


@cache
def tokens_of(language: Language) -> re.Pattern[str]:
    mark, end = language.comment
    marks = [rf"(?<!\S){mark}" if mark == "#" else re.escape(mark)] if mark and not end else []
    if mark in ("//", "/*"):
        marks.append(r"/\*")
    if language.queries == "php":
        marks.append(r"(?<!\S)#(?!\[)")
    if language.queries == "lua":
        marks.insert(0, r"--\[\[")
    if end and end != "*/":
        marks.append(re.escape(mark))
    quotes = {"html": [], "yaml": [r"(?<![\w.,!?)])[\"']"]}.get(language.queries, ['"""', "'''", "[\"']"])
    ticks = ["`"] if language.syntax.raw else []
    return re.compile("|".join([*marks, *quotes, *ticks, r"[()\[\]{};\n]"]))


def take(reading: Reading, sign: str) -> None:
    """Read one bracket, quote, mark or line end, at which the reading stands."""
    if sign[0] in "\"'`":
        take_quote(reading, sign)
    elif sign in "([{":
        kind = "block" if sign == "{" and opens_block(reading) else sign
        reading.open.append(Bracket(kind, reading.at, reading.at + 1, reading.line))
        reading.at += 1
    elif sign in ")]}":
        close(reading, sign)
    elif sign == ";":
        reading.at += 1
        if reading.open[-1].opener in ("", "block", "interpolation"):
            reading.open[-1].begin = reading.at
    elif sign == "\n":
        take_line_end(reading)
    else:
        take_comment(reading, sign)


def take_comment(reading: Reading, mark: str) -> None:
    closer = {"/*": "*/", "--[[": "]]", "<!--": "-->"}.get(mark, "\n")
    end = reading.code.find(closer, reading.at + len(mark))
    if end < 0:
        reading.literal = "comment"
    else:
        reading.blank(end if closer == "\n" else end + len(closer), " ")


def take_quote(reading: Reading, quote: str) -> None:
    """A quote that begins no literal of the tree: it is one that nothing closes, or that the tree is broken at."""
    code, syntax = reading.code, reading.language.syntax
    start = reading.at + len(quote)
    many = len(quote) == 3 or quote in syntax.raw
    stop = len(code) if many else line_end(code, start)
    if quote == "'" and reading.language.queries in CHARACTER_LITERALS:
        stop = min(stop, start + CHARACTER)
    end = re.compile(rf"(?:\\.|(?!{quote})[^\\])*{quote}", re.DOTALL).match(code, start, stop)
    if end is not None:
        reading.blank(end.end(), "0")
    elif stop < len(code) or (quote == "'" and reading.language.queries in CHARACTER_LITERALS):
        reading.at += 1  # it ends nowhere: an apostrophe, or broken long ago
    elif (inner := interpolation_in(reading, quote, start)) is not None:
        reading.enter_interpolation(reading.first + inner)
    else:
        statement = reading.masked[reading.open[-1].begin : reading.at]
        documents = len(quote) == 3 and reading.language.queries == "python" and not statement.strip()
        reading.literal = "docstring" if documents else "string"


def interpolation_in(reading: Reading, quote: str, start: int) -> int | None:
    """Where the code begins in which the cursor stands, in a string that nothing closes."""
    code, queries = reading.code, reading.language.queries
    prefix = code[max(reading.at - 3, 0) : reading.at].lower()
    if (queries == "python" and not re.search(r"\b(?:[ft]r?|r[ft])$", prefix)) or (
        queries == "csharp" and "$" not in prefix
    ):
        return None
    if (quote == "'" and queries != "python") or (queries in ("javascript", "typescript", "tsx") and quote != "`"):
        return None
    for opening in reading.language.syntax.interpolation:
        at = code.rfind(opening, start)
        if at >= 0 and (")" if opening.endswith("(") else "}") not in code[at:]:
            return at
    return None


def opens_block(reading: Reading) -> bool:
    """Whether the brace at which the reading stands opens a block, not a literal's elements."""
    top, language = reading.open[-1], reading.language
    if language.syntax.braces:
        return language.syntax.braces == "block"
    before = reading.masked[top.begin : reading.at]
    bare = before.rstrip()
    if bare.endswith(("=>", "->")) and language.queries != "ruby":
        return True
    if top.opener == "(" and bare.endswith(")"):
        return True
    if top.opener in ("(", "[", "{") and (not bare or bare.endswith(",")):
        return False
    if language.queries == "go":
        return re.search(r"(?<!struct)(?<!interface)[\w\]}]$", before) is None
    if (
        language.queries in ("rust", "cpp", "c")
        and before == bare
        and bare[-1:].isalnum()
        and not BLOCK_HEAD.match(bare)
    ):
        return False
    if language.queries == "rust" and re.search(r"(?:[=(,{>]|\breturn|^)\s*(?:\w+::)*[A-Z]\w*$", bare):
        return BLOCK_HEAD.match(bare) is not None
    if re.match(r"\s*(?:case|default)\b.*:$", bare):
        return True
    if language.queries == "java" and re.search(r"\[\s*\]$", bare):
        return False
    return ELEMENTS_FOLLOW.search(bare) is None


def close(reading: Reading, closer: str) -> None:
    """A bracket closes the last one of its kind, and what was left open in that."""
    kinds = ("{", "block") if closer == "}" else (OPENERS[closer],)
    found = next((index for index in range(len(reading.open) - 1, 0, -1) if reading.open[index].opener in kinds), 0)
    at = reading.at
    reading.at += 1
    if not found:
        if closer == "}":
            reading.open[-1].begin = reading.at
        return
    bracket = reading.open[found]
    del reading.open[found:]
    inside = bracket.at + 1
    reading.masked = reading.masked[:inside] + "0" * (at - inside) + reading.masked[at:]
    outer = reading.open[-1]
    ends = bracket.opener == "block" and outer.opener in ("", "block", "interpolation")
    # a function's body in a value is not the statement's end
    if ends and VALUE.search(reading.masked, outer.begin, bracket.at) is None:
        outer.begin = reading.at


def take_line_end(reading: Reading) -> None:
    code = reading.code
    reading.at += 1
    reading.line = reading.at
    below = code[reading.at : line_end(code, reading.at)]
    if drop_stale(reading, below):
        return
    top = reading.open[-1]
    if not reading.language.syntax.lines or top.opener not in ("", "block", "interpolation"):
        if reading.masked[top.begin : reading.at - 1].lstrip().startswith("#") and top.opener in ("", "block"):
            top.begin = reading.at  # a line of the preprocessor
        return
    statement = reading.masked[top.begin : reading.at - 1].rstrip()
    goes_on = statement.endswith("\\") if reading.language.blocks == "indent" else bool(GOES_ON.search(statement))
    if not goes_on and (reading.language.blocks == "indent" or not GOES_ON_BELOW.match(below)):
        top.begin = reading.at


def drop_stale(reading: Reading, below: str) -> bool:
    """Forget brackets that were left open above a line that stands no further in than theirs."""
    body = below.strip()
    if not body or body[0] in ")]}":
        return False
    dropped = False
    while (top := reading.open[-1]).opener in ("(", "["):
        above = reading.code[top.line : line_end(reading.code, top.line)]
        if top.line == reading.line or blanks(below) > blanks(above):
            break
        reading.open.pop()
        reading.open[-1].begin = reading.at
        dropped = True
    return dropped


def blanks(line: str) -> int:
    return len(line) - len(line.lstrip())


def line_end(code: str, at: int) -> int:
    end = code.find("\n", at)
    return len(code) if end < 0 else end
