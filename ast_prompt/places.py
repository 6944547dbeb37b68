"""Which kind of place the cursor is in.

Two looks decide: at the tree's captures, and at what the text left of the cursor leaves open. The code at a cursor
is broken more often than not; whichever of the two saw something nearer to the cursor is right.
"""

from __future__ import annotations

import re

from ast_prompt.languages import Language
from ast_prompt.patterns import is_member, patterns, statement_place
from ast_prompt.place import BLANKS, OPENER, Found, Look, Place, columns
from ast_prompt.reading import Level, is_within
from ast_prompt.scopes import Capture, scopes_at
from ast_prompt.shape import behind_opener

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
