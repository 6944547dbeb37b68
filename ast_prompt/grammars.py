"""A language's tree-sitter grammar and queries, from whichever package has the grammar.

Nothing is imported before a grammar is asked for: each is a shared library of up to several megabytes.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import tree_sitter

if TYPE_CHECKING:
    from ast_prompt.languages import Language

_QUERIES = Path(__file__).parent / "queries"
_INHERITS = "; inherits: "

# PyCapsule_New keeps the pointer, not a copy: this must live as long as any capsule
_CAPSULE_NAME = b"tree_sitter.Language"

# what importing a damaged package and asking it for its grammar raises; ValueError is an ABI that is too old
_FAILURES = (ImportError, AttributeError, OSError, LookupError, TypeError, ValueError)


def prepare(language: Language) -> None:
    """Load and compile what a language needs, once: up to 30 ms, which must not fall on a key."""
    grammar_of(language)
    query_of(language, "scopes")
    query_of(language, "places")


def grammar_of(language: Language) -> tree_sitter.Language | None:
    """The grammar, from the first package that has it; None where no package does. Never raises."""
    return _found(language)[0]


def grammar_note(language: Language) -> str:
    """Which package gives the grammar, and what is wrong with those before it; in words, for people."""
    return _found(language)[1]


@cache
def query_of(language: Language, name: str) -> tree_sitter.Query | None:
    """The compiled `queries/<folder>/<name>.scm`.

    None without a grammar or such a file, or where the grammar is not the one that the query was written for.
    """
    grammar = grammar_of(language)
    if grammar is None or not language.queries:
        return None
    try:
        return tree_sitter.Query(grammar, _text_of(language.queries, name))
    except (FileNotFoundError, tree_sitter.QueryError):
        return None


def _text_of(folder: str, name: str) -> str:
    """The query's text, behind the text of the folders that its first line names after `; inherits: `."""
    text = (_QUERIES / folder / f"{name}.scm").read_text(encoding="utf-8")
    first = text.partition("\n")[0]
    inherited = first.removeprefix(_INHERITS).split(", ") if first.startswith(_INHERITS) else []
    return "".join(_text_of(other, name) for other in inherited) + text


@cache
def _found(language: Language) -> tuple[tree_sitter.Language | None, str]:
    broken: list[str] = []
    absent: list[str] = []
    for package, name, provide in (
        (language.wheel.partition(":")[0], language.wheel, _from_wheel),
        ("tree_sitter_language_pack", language.packed, _from_pack),
        ("tree_sitter_languages", language.bundled, _from_bundle),
    ):
        if not name:
            continue
        if find_spec(package) is None:
            absent.append(f"{package}: not installed")
            continue
        try:
            return tree_sitter.Language(provide(name)), "; ".join([f"grammar from {package}", *broken])
        except _FAILURES as failure:
            broken.append(f"{package}: {failure}")
    return None, "; ".join(["no grammar, read as plain text", *broken, *absent])


def _from_wheel(name: str) -> object:
    """The grammar of an official wheel, `name` being "module:function"."""
    module, _, function = name.partition(":")
    grammar: object = getattr(import_module(module), function)()
    return grammar


def _from_pack(name: str) -> object:
    """The grammar of tree-sitter-language-pack 0.13; its get_binding gives an address where an import failed."""
    binding: object = import_module("tree_sitter_language_pack").get_binding(name)
    return _capsule(binding) if isinstance(binding, int) else binding


def _from_bundle(name: str) -> object:
    """The grammar in tree-sitter-languages' shared library.

    The package's own functions call tree_sitter as it was before 0.22, and fail; the library is plain C.
    """
    function = getattr(_bundle(), f"tree_sitter_{name}")
    function.restype = ctypes.c_void_p
    return _capsule(function())


@cache
def _bundle() -> ctypes.CDLL:
    """The library, kept: a grammar lives in its memory. It is languages.so on macOS too."""
    spec = find_spec("tree_sitter_languages")  # found, not imported
    if spec is None or spec.origin is None:
        raise ImportError("its shared library is not beside it")
    return ctypes.CDLL(str(Path(spec.origin).with_name("languages.dll" if sys.platform == "win32" else "languages.so")))


def _capsule(address: int | None) -> object:
    """An address in the form that tree_sitter.Language takes without a DeprecationWarning."""
    new = ctypes.pythonapi.PyCapsule_New
    new.restype = ctypes.py_object
    new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    capsule: object = new(address, _CAPSULE_NAME, None)
    return capsule
