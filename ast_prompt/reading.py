"""Code read from left to right up to the cursor: which brackets, quotes and comments are open there.

It holds where the tree is broken: what nothing closes is open up to the cursor.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from ast_prompt.languages import Language
from ast_prompt.scopes import Capture

DEPTH = 40
"""Open brackets that are told of, innermost first."""
OPENERS = {")": "(", "]": "[", "}": "{"}
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
