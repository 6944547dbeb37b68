"""The words of each language that decide where its code is broken, by its query folder."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal


@dataclass(frozen=True, slots=True)
class Syntax:
    """What tells the kind of place where the tree is broken: words, divided by spaces, and a few habits."""

    conditions: str = ""
    """What a condition, or what a loop or a branch goes by, stands behind."""
    returns: str = ""
    imports: str = ""
    functions: str = ""
    """What a function's name and parameters stand behind."""
    names: str = ""
    """What the name of something new stands behind."""
    types: str = ""
    """What a type stands behind."""
    variable: Literal["colon", "before", "after", ""] = ""
    """Where a variable's type is written: `x: T`, `T x`, `x T`; "" where types are not written."""
    lines: bool = False
    """Whether a line's end ends a statement, unless the line goes on visibly."""
    members: tuple[str, ...] = (".",)
    """What a member stands behind."""
    annotation: str = ""
    """A pattern: what begins an annotation."""
    bracketed: bool = False
    """Whether a condition always stands in brackets, a statement right behind them."""
    braces: Literal["block", "elements", ""] = ""
    """What a brace always opens; "": what is before it decides."""
    interpolation: tuple[str, ...] = ()
    """What begins code inside a string."""
    raw: str = ""
    """Quotes of strings that may go on over line ends."""


NO_SYNTAX = Syntax()
BRANCHES = "if while switch for"
ECMA = Syntax(
    conditions=BRANCHES, returns="return throw yield", imports="import", functions="function",
    names="function class interface enum type namespace module let const var",
    types="new extends implements as satisfies is keyof", annotation="@", lines=True, bracketed=True,
    interpolation=("${",), raw="`",
)  # fmt: skip
TYPED_ECMA = replace(ECMA, variable="colon")
C = Syntax(
    conditions=BRANCHES + " #if #elif #ifdef #ifndef", returns="return", imports="#include",
    names="struct union enum #define", types="struct union enum typedef", variable="before", members=(".", "->"),
    annotation=r"\[\[|__attribute__", bracketed=True,
)  # fmt: skip
SYNTAX = {
    "python": Syntax(
        conditions="if elif while assert match case for", returns="return yield raise", imports="import from",
        functions="def lambda", names="def class", variable="colon", annotation="@", lines=True, braces="elements",
        interpolation=("{",),
    ),
    "javascript": ECMA,
    "typescript": TYPED_ECMA,
    "tsx": TYPED_ECMA,
    "go": Syntax(
        conditions="if for switch select case", returns="return", imports="import", functions="func",
        names="func type package", types="var type chan", variable="after", lines=True, raw="`",
    ),
    "rust": Syntax(
        conditions="if while match for", returns="return", imports="use", functions="fn",
        names="fn struct enum trait mod type union let const static", types="impl as dyn", variable="colon",
        members=(".", "::"), annotation=r"#!?\[",
    ),
    "java": Syntax(
        conditions=BRANCHES, returns="return throw yield", imports="import package",
        names="class interface enum record", types="new extends implements instanceof throws", variable="before",
        members=(".", "::"), annotation="@(?!interface)", bracketed=True,
    ),
    "c": C,
    "cpp": replace(
        C, returns="return throw co_return co_yield", imports="#include using", members=(".", "->", "::"),
        names="struct union enum class namespace concept typename #define", types=C.types + " new",
    ),
    "csharp": Syntax(
        conditions=BRANCHES + " foreach lock", returns="return throw", imports="using",
        names="class interface enum record struct namespace", types="new as is", variable="before",
        members=(".", "::", "->"), annotation=r"\[", bracketed=True, interpolation=("{",),
    ),
    "ruby": Syntax(
        conditions="if elsif unless while until case when", returns="return yield raise",
        imports="require require_relative load", functions="def", names="def class module", lines=True,
        members=(".", "::"), interpolation=("#{",),
    ),
    "php": Syntax(
        conditions=BRANCHES + " elseif foreach match", returns="return throw",
        imports="use require require_once include include_once", functions="function fn",
        names="function class interface trait enum namespace const", types="new extends implements instanceof",
        variable="before", members=("->", "::"), annotation=r"#\[", bracketed=True, braces="block",
        interpolation=("{$",),
    ),
    "bash": Syntax(
        conditions="if elif while until case", returns="return", imports="source", functions="function",
        names="function", lines=True, members=(), braces="block", interpolation=("$(", "${"), raw="`",
    ),
    "html": Syntax(members=()),
    "css": Syntax(conditions="@media @supports @container", imports="@import", members=(), braces="block"),
    "json": Syntax(members=(), braces="elements"),
    "yaml": Syntax(lines=True, members=(), braces="elements"),
    "lua": Syntax(
        conditions="if elseif while until for", returns="return", functions="function", names="function local",
        lines=True, members=(".", ":"), braces="elements",
    ),
    "kotlin": Syntax(
        conditions=BRANCHES + " when", returns="return throw", imports="import package", functions="fun constructor",
        names="fun class interface object enum val var", types="as is", variable="colon", lines=True,
        members=(".", "::"), annotation="@", braces="block", bracketed=True, interpolation=("${",),
    ),
}  # fmt: skip
"""By the folder in `queries/`."""
