"""The words of each language that tell what is being written in a statement that is not whole yet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from ast_prompt.languages import Language
from ast_prompt.place import Found, Place
from ast_prompt.reading import Level


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
