"""Where the cursor is: what encloses it, what kind of place it is, one line or a block.

Two looks decide the kind: at the tree's captures, and at what the text left of the cursor leaves open. The code at a
cursor is broken more often than not; whichever of the two saw something nearer to the cursor is right.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from tree_sitter import Tree

from ast_prompt.languages import Language
from ast_prompt.scopes import Capture, Level, Opened, Surroundings, is_within, scopes_at, surroundings_of
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


def word_before(line: str, language: Language) -> str:
    """What is typed of the word at the line's end; may be empty."""
    found = language.word.search(line)
    return found.group() if found else ""


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
LITERAL_PLACES = {
    "comment": Place.COMMENT,
    "docstring": Place.DOCSTRING,
    "string": Place.STRING,
    "markup": Place.MARKUP,
}
BRACKETED = {"arguments": Place.ARGUMENTS, "parameters": Place.PARAMETERS, "elements": Place.ELEMENTS}
"""The cursor is in them between their brackets only."""
UNBRACKETED = {
    "import": Place.IMPORT,
    "type": Place.TYPE,
    "condition": Place.CONDITION,
    "right_side": Place.RIGHT_SIDE,
    "return_value": Place.RETURN_VALUE,
    "decorator": Place.DECORATOR,
    "name": Place.NAME,
    "tag": Place.TAG,
}
BLOCKS = ("", "block", "interpolation")
Found = tuple[int, Place]
"""A kind of place, and the offset from which it is so; the greater one is nearer to the cursor."""


def place_of(look: Look) -> Place:
    if look.opened.literal:
        return LITERAL_PLACES[look.opened.literal]
    if look.language.queries == "html":
        return place_in_markup(look)
    if look.language.name.endswith("react") and (place := place_in_tag(look)) is not None:
        return place
    by_text = opened_place(look)
    if not look.before.strip():
        inside = by_text[1] in (Place.STATEMENT, Place.EXPRESSION, Place.NAME)
        return blank_line_place(look) if inside and by_brackets(look) is None else by_text[1]
    if by_text[1] is Place.IMPORT:
        return Place.IMPORT
    level = look.opened.levels[-1]
    if level.opener in BLOCKS and behind_opener(look.before.rstrip(BLANKS), level, look.language):
        return Place.OPENED
    if is_member(look.before, look.language):
        return Place.MEMBER
    by_tree = tree_place(look)
    if by_tree is not None and by_tree[0] >= by_text[0] and not is_misread(by_tree[1], by_text[1], look):
        return by_tree[1]
    if level.opener == "interpolation" and by_text[1] in (Place.STATEMENT, Place.EXPRESSION):
        return Place.INTERPOLATION
    return by_text[1]


def is_misread(by_tree: Place, by_text: Place, look: Look) -> bool:
    """Whether a call that nothing closes was read together with the next line, as a declaration."""
    declares = by_tree in (Place.TYPE, Place.PARAMETERS, Place.NAME)
    return (
        declares and by_text is Place.ARGUMENTS and not look.after.strip() and look.language.syntax.variable == "before"
    )


def tree_place(look: Look) -> Found | None:
    level = look.opened.levels[-1]
    for capture in reversed(look.captures):
        if level.opener == "block" and capture.start <= level.start:
            return None
        if capture.name == "block" and capture.start < look.offset < capture.end and capture.kind not in SPREAD:
            return None
        if capture.name == "interpolation" and is_within(capture, look.offset, look.text.data):
            return None
        if capture.name in BRACKETED and is_between_brackets(capture, look):
            return capture.start, BRACKETED[capture.name]
        if capture.name in UNBRACKETED and capture.start <= look.offset:
            return capture.start, UNBRACKETED[capture.name]
    return None


SPREAD = frozenset({"object", "array", "flow_mapping", "flow_sequence", "object_type"})
"""Blocks to their language that are a literal's elements."""


def is_between_brackets(capture: Capture, look: Look) -> bool:
    if not capture.start < look.offset <= capture.end:
        return False
    return look.offset < capture.end or look.text.data[capture.end - 1 : capture.end] not in (b")", b"]", b"}", b">")


def by_brackets(look: Look) -> Found | None:
    """By a capture of the tree that is bracketed and goes over lines."""
    found = tree_place(look)
    return found if found is not None and found[1] in BRACKETED.values() else None


def blank_line_place(look: Look) -> Place:
    """Of a line that is blank up to the cursor."""
    if look.after.strip():
        return Place.STATEMENT
    data, offset = look.text.data, look.offset
    above = len(data[max(offset - BLANK_REACH, 0) : offset].rstrip()) + max(offset - BLANK_REACH, 0)
    following = data[offset : offset + BLANK_REACH]
    below = offset + len(following) - len(following.lstrip())
    if is_empty_block(look, above, below):
        return Place.EMPTY_BLOCK
    holder = next((scope for scope in reversed(look.enclosing) if scope.name in ("function", "class")), None)
    if holder is not None:
        return Place.BETWEEN if holder.name == "class" else Place.STATEMENT
    declaring = ("block",) if look.language.queries in ("css", "html") else ("function", "class")
    nested = any(scope.name == "block" for scope in look.enclosing)
    beside = (
        *scopes_at(look.around.tree, look.language, above),
        *scopes_at(look.around.tree, look.language, below + 1),
    )
    near = any(scope.name in declaring and scope not in look.enclosing for scope in beside)
    return Place.BETWEEN if near and not nested else Place.STATEMENT


BLANK_REACH = 2_000
"""Bytes of blanks, at most, between a blank line and what stands above or below it."""


def is_empty_block(look: Look, above: int, below: int) -> bool:
    """Whether what opens a block stands above, and below what closes it, or what stands further out."""
    text, language = look.text, look.language
    line = text.line_at(max(above - 1, 0))
    header = text.decoded(text.start(line), above)
    while language.comment[0] and not language.comment[1] and header.strip().startswith(language.comment[0]) and line:
        line -= 1
        header = text.decoded(text.start(line), text.end(line))
    opens = header.rstrip().endswith("{") or OPENER.search(header.rstrip()) is not None
    if language.blocks == "words":
        opens = opens or WORD_HEADER.match(header) is not None
    elif language.blocks == "indent" and language.queries == "python":
        opens = header.rstrip().endswith(":")
    elif language.queries == "html":
        opens = re.search(r"<\w[^<>]*(?<!/)>$", header.rstrip()) is not None
    if not opens:
        return False
    rest = text.decoded(below, below + 16)
    column = columns(text.decoded(text.start(text.line_at(below)), below + 1))
    if language.blocks == "indent":
        return not rest or column <= columns(header)
    return (
        not rest
        or rest.startswith(("}", "</"))
        or re.match(r"(?:end|fi|done|esac|else|elif|elsif|elseif|until)\b", rest) is not None
    )


WORD_HEADER = re.compile(
    r"\s*(?:local\s+|private\s+)?(?:def|class|module|function|if|unless|while|until|for|else|elsif|elseif|elif|case"
    r"|begin|repeat)\b|.*\bdo(?:\s*\|[^|]*\|)?\s*$|.*\bfunction\s*\([^)]*\)\s*$"
)


def place_in_tag(look: Look) -> Place | None:
    """In JSX, in a tag that is typed so far in one line."""
    if re.search(r"(?:^|[\s(>{])</?[A-Za-z][\w.]*\Z", look.before) and not look.before.lstrip().startswith("type"):
        return Place.TAG
    tag = re.search(r"(?:^|[\s(>])<[A-Za-z][\w.]*\s(?:[^<>{}]|\{[^{}]*\})*\Z", look.before)
    return Place.ARGUMENTS if tag and look.opened.levels[-1].opener != "interpolation" else None


def place_in_markup(look: Look) -> Place:
    """In HTML, where the text left of the cursor tells it all."""
    if not look.before.strip():
        return blank_line_place(look)
    begin = max(look.offset - BLANK_REACH, 0)
    code = look.text.decoded(begin, look.offset)
    tag = code[code.rfind("<") :] if code.rfind("<") > code.rfind(">") else ""
    if re.fullmatch(r"</?[\w:-]*", tag):
        return Place.TAG
    if re.match(r"<\w", tag):
        return Place.STRING if tag.count('"') % 2 or (tag.count("'") % 2 and '"' not in tag) else Place.ARGUMENTS
    return Place.MARKUP if not tag else Place.EXPRESSION


def opened_place(look: Look) -> Found:
    """By what is open left of the cursor: from the innermost bracket outwards, up to the statement."""
    levels, language = look.opened.levels, look.language
    for depth in range(len(levels) - 1, -1, -1):
        level = levels[depth]
        # what encloses a bracket ends with it, which tells `return (` from a half-typed word
        code = level.code + (levels[depth + 1].opener if depth + 1 < len(levels) else "")
        if level.opener in BLOCKS:
            return statement_place(code, level, language)
        if in_annotation(levels[:depth], language):
            return level.start, Place.DECORATOR
        found = bracket_place(level, levels[depth - 1].code, look.language, code)
        if found is not None:
            return level.start + found[0], found[1]
    return -1, Place.EXPRESSION


def in_annotation(outer: tuple[Level, ...], language: Language) -> bool:
    """Whether the bracket stands in `#[…]` or `[[…]]`."""
    if len(outer) < 2 or outer[-1].opener != "[":
        return False
    if outer[-2].code.endswith(("#", "#!")):
        return True
    return language.queries in ("c", "cpp") and not outer[-1].code and not outer[-2].code.strip()


def bracket_place(level: Level, outer: str, language: Language, code: str) -> Found | None:
    """In a bracket; None where it only groups, and what is around it decides."""
    item = code.rpartition(",")[2]
    at = len(code) - len(item) + 1
    if level.opener == "(":
        place = call_place(outer, language)
        if place is Place.PARAMETERS and (kind := item_place(item, language)) is not None:
            return at, kind
        return (0, place) if place is not None else comprehension(item, at)
    if level.opener == "{":
        if patterns(language).imports.match(outer):
            return None
        if language.variable_is_typed and re.match(r"\s*(?:export\s+)?type\b", outer):
            return at, Place.TYPE
        value = re.match(r"[^:=]*[\w\]\"')](?:\s*:(?!:)|\s*=>|\s*=(?!=))", item)
        return (at + value.end(), Place.RIGHT_SIDE) if value else comprehension(item, at) or (0, Place.ELEMENTS)
    bare = outer.rstrip()
    if language.queries == "php" and (value := re.match(r".*[\w\])]\s*=>", item)):
        return at + value.end(), Place.RIGHT_SIDE
    if bare.endswith(("#", "#!")) or (language.queries == "csharp" and not bare):
        return 0, Place.DECORATOR
    if language.queries == "bash":
        return 0, Place.CONDITION if outer[-1:] in ("", " ", "[") else Place.EXPRESSION
    if (outer[-1:].isalnum() or outer[-1:] in ("_", "]", ")")) and bare == outer:
        return None
    return comprehension(item, at) or (
        None if bare.endswith(":") and language.variable_is_typed else (0, Place.ELEMENTS)
    )


def comprehension(item: str, at: int) -> Found | None:
    found = re.search(r"\bfor\b.*\b(?:if|in)\s", item, re.DOTALL)
    return (at + found.end(), Place.CONDITION) if found else None


def item_place(item: str, language: Language) -> Place | None:
    """In a list of parameters."""
    if re.search(r"(?<![=!<>])=(?![=>])", item):
        return Place.RIGHT_SIDE
    if language.variable_is_typed and re.match(r"\s*[\w\s?*&$@.]+\??\s*:", item):
        return Place.TYPE
    if language.syntax.variable == "after" and re.match(r"\s*\w+\s+\S*$", item):
        return Place.TYPE
    return None


KEYWORDS = frozenset({
    "return", "new", "throw", "else", "case", "await", "yield", "typeof", "in", "and", "or", "not", "from", "throws",
    "raise", "import", "assert", "is", "as", "do", "then", "instanceof", "co_await", "co_return", "unless", "until",
})  # fmt: skip
"""What is called like a function and is none, where no member's mark stands before it."""
PHP_KEYWORDS = KEYWORDS | {"echo", "print", "use", "include", "require", "include_once", "require_once"}


def call_place(outer: str, language: Language) -> Place | None:
    """What the bracket behind `outer` holds; None where it only groups."""
    bare = outer.rstrip()
    word = re.search(r"[\w$]*$", bare)
    last = word.group() if word else ""
    known = patterns(language)
    if last and bare[: -len(last)].endswith((".", "->", "::")):
        return Place.PARAMETERS if known.function.search(bare) else Place.ARGUMENTS
    keywords = PHP_KEYWORDS if language.queries == "php" else KEYWORDS
    if last and known.condition_words.fullmatch(last):
        return Place.CONDITION if language.syntax.bracketed else None
    if last == "catch" or known.function.search(bare):
        return Place.PARAMETERS
    if language.queries == "python" and re.match(r"\s*class\b", bare):
        return Place.TYPE
    if re.search(r"\b(?:record|class)\s+\w+$", bare):
        return Place.PARAMETERS
    if last in keywords or known.imports.match(outer):
        return None
    if known.method is not None and (found := known.method.match(bare)) and found[1] not in keywords:
        return Place.PARAMETERS
    if not last and not bare.endswith((")", "]", ">", "!", "?", "?.")):
        return None
    if not last and re.search(r"[=\s]>$", bare):
        return None
    return Place.ARGUMENTS


@dataclass(frozen=True, slots=True)
class Patterns:
    """A language's words, compiled."""

    imports: re.Pattern[str]
    condition_words: re.Pattern[str]
    function: re.Pattern[str]
    method: re.Pattern[str] | None
    statement: tuple[tuple[re.Pattern[str], Place], ...]
    """In order: the first that is found decides. A group is where the place begins."""
    lead: re.Pattern[str] | None
    """What stands before the statement in its line."""


NEVER = r"(?!)"
METHOD = {
    "before": r"\s*([\w:.]+)[\w:<>,\[\]*&?.\s]*[\s*&>\]]~?\w+$",
    "colon": r"\s*(?:(public|private|protected|static|async|override|readonly|abstract|get|set|\*)\s+)+[\w$#]+$",
    "after": NEVER,
    "": NEVER,
}


@cache
def patterns(language: Language) -> Patterns:
    syntax, queries = language.syntax, language.queries
    imports = re.compile(rf"\s*(?:pub(?:\(0*\))?\s+|static\s+|global\s+)?{words(syntax.imports)}(?:[\s\"'<({{]|0)")
    function = re.compile(
        rf"\b{words(syntax.functions)}\b\s*(?:\(0*\)\s*)?[*&]?[\w$.:?!]*\s*(?:<[^>]*>|\[0*\])?$|\bconstructor$"
    )
    method = METHOD["colon" if queries == "javascript" else syntax.variable]
    return Patterns(
        imports,
        re.compile(words(syntax.conditions)),
        function,
        re.compile(method) if method != NEVER else None,
        tuple((re.compile(pattern, re.DOTALL), place) for pattern, place in statement_patterns(language)),
        lead_of(language),
    )


def words(listed: str) -> str:
    found = [rf"{re.escape(word)}" + (r"\b" if word[-1:].isalnum() else "") for word in listed.split()]
    return f"(?:{'|'.join(found)})" if found else NEVER


def lead_of(language: Language) -> re.Pattern[str] | None:
    match language.blocks, language.syntax.bracketed:
        case "words", _:
            chain = r"|(?!\s*(?:if|while|until|elif)\b).*[&|]\s*" if language.queries == "bash" else ""
            return re.compile(rf".*\b(?:then|do|else|begin)\s(?:\s*\|[^|]*\|)?{chain}", re.DOTALL)
        case "indent", _:
            return re.compile(r"\s*(?:if|elif|else|for|while|with|try|except|finally|case)\b[^:]*:\s+(?=\S)")
        case _, True:
            arrow = {"java": "->", "kotlin": "->", "c": NEVER, "cpp": NEVER}.get(language.queries, "=>")
            return re.compile(
                r"(?:\s*(?:else|do|try|default\s*:|case\b[^:]*:)(?=\s)|\s*(?:else\s+)?(?:if|while|for|foreach|switch)"
                rf"\s*\(0*\)\s*)+|.*{arrow}\s*(?=\S)",
                re.DOTALL,
            )
        case "braces", _:
            return re.compile(r"\s*(?:case\b[^:]*:|default\s*:)\s*|.*=>\s*(?=\S)", re.DOTALL)
    return None


def statement_patterns(language: Language) -> Iterator[tuple[str, Place]]:
    syntax, queries = language.syntax, language.queries
    typed = syntax.variable
    if syntax.annotation and not syntax.annotation.startswith(r"\["):
        yield rf"\s*()(?:{syntax.annotation})[\w.:]*$", Place.DECORATOR
    if syntax.conditions:
        everywhere = "" if syntax.bracketed else r"|.*\b(?:if|unless|while|until)(?:\s|\()"
        first = rf"(?:\s*|.*(?:\belse|\}})\s+)(?:async\s+)?{words(syntax.conditions)}(?:\s|\()"
        until = r"[^:]*$" if queries == "python" else r""
        if syntax.bracketed:
            first = rf"\s*{words('#if #elif #ifdef #ifndef')}\s|{words(syntax.conditions)}\s+(?=\Z)"
        yield rf"(?:{first}{everywhere})(){until}", Place.CONDITION
    if syntax.returns:
        yield rf"\s*(?:.*\belse\s+)?{words(syntax.returns)}(?:\s|\()()", Place.RETURN_VALUE
    if syntax.names:
        yield rf"\s*(?:[a-z]+\s+)*?{words(syntax.names)}\s+(?:mut\s+)?()[\w$]*$", Place.NAME
    if syntax.types:
        yield rf".*\b{words(syntax.types)}\s+()[\w.:]*$", Place.TYPE
    yield from type_patterns(language)
    match queries:
        case "yaml":
            yield r"\s*(?:-\s+)*[^:#]+:\s+()", Place.RIGHT_SIDE
        case "css":
            yield r"\s*[\w-]+\s*:\s*()", Place.RIGHT_SIDE
        case "bash":
            yield r"\s*(?:(?:local|export|readonly|declare)\s+)?\w+\+?=()\S*$", Place.RIGHT_SIDE
            yield r"\s*[\w./-]+\s+()", Place.ARGUMENTS
        case _:
            yield r".*(?:(?<![=!<>~])=(?![=>~])|:=|<-)()", Place.RIGHT_SIDE
    if queries == "ruby":
        yield r"\s*(?!def\b|class\b|module\b|end\b)[a-z_]\w*[?!]?\s+()(?![=+*/%<>&|?.-]+\s).*$", Place.ARGUMENTS
    if typed == "before" and queries == "c":
        yield r"\s*#\s*define\s+()\w*$", Place.NAME


def type_patterns(language: Language) -> Iterator[tuple[str, Place]]:
    syntax, queries = language.syntax, language.queries
    if syntax.variable:
        yield r".*\b[A-Z]\w*<()[^<>()=;]*$", Place.TYPE
    if syntax.variable == "colon":
        not_heads = r"(?!else\b|try\b|finally\b|lambda\b|default\b|except\b|case\b)"
        yield rf"\s*(?:[a-z]+\s+)*{not_heads}[\w$!?.]+\??\s*:(?!:)()[^=]*$", Place.TYPE
        yield r".*\bdef\b.*\)\s*->()[^:]*$", Place.TYPE
        yield r".*\bfn\b.*\)\s*->()[^{]*$", Place.TYPE
        yield r".*\)\s*:(?!:)()[\w<>\[\]. |]*$", Place.TYPE
    if syntax.variable == "after":
        yield r"\s*func\b.*\)()\s*[\w*.\[\]]*$", Place.TYPE
        yield r"\s*(?:var|const)\s+\w+\s+()[^=]*$", Place.TYPE
    if queries == "php":
        yield r".*\b(?:function|fn)\b.*\)\s*:()[\w?| ]*$", Place.TYPE
    if queries == "cpp":
        yield r".*\)\s*->()\s*[\w:]*$", Place.TYPE


def statement_place(code: str, level: Level, language: Language) -> Found:
    """By the statement, as far as it is typed."""
    known = patterns(language)
    nested = code[-1:] in ("(", "[", "{")
    skipped = code.find("<?php") + len("<?php") if "<?php" in code else 0
    skipped += len(code[skipped:]) - len(code[skipped:].lstrip())
    if known.imports.match(code, skipped):
        return level.begin, Place.IMPORT
    if known.lead is not None and (lead := known.lead.match(code, skipped)):
        skipped = lead.end()
    # leading blanks, which a long comment is too, would be tried by every pattern in every way
    skipped += len(code[skipped:]) - len(code[skipped:].lstrip())
    rest = code[skipped:]
    in_selector = language.queries == "css" and level.opener != "block"
    for pattern, place in known.statement:
        found = pattern.match(rest)
        if found and not (in_selector and place is Place.RIGHT_SIDE):
            return level.begin + skipped + found.end(1), place
    first = not nested and re.fullmatch(r"\s*[\w$@#.]*", rest) is not None
    return -1, Place.STATEMENT if first else Place.EXPRESSION


def is_member(before: str, language: Language) -> bool:
    marks = language.syntax.members
    if not marks:
        return False
    mark = "|".join(map(re.escape, sorted(marks, key=len, reverse=True)))
    if re.search(r"(?<![\w.)\]])\d[\d_]*\.\w*\Z", before):
        return False
    return re.search(rf"(?:[\w)\]}}?!\"'`>]|^\s*\??)(?:{mark})[\w$]*\Z", before) is not None


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
