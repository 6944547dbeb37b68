"""What stands beside the file in a prompt: its project's name, its own path, pieces of other files.

It comes first and in a stable order, so that an engine which has read it once need not read it again: neither for
the next key nor for another place. Which pieces are worth showing is the index's business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ast_prompt.dialect import Files
from ast_prompt.languages import Language

HASH = ("#", "")


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of another file that is worth showing to the model."""

    path: str
    """Of its file, from the project's root, with slashes."""
    text: str
    """Whole lines that end with line feeds."""
    why: str = ""
    """For the user who asks why it was shown."""


@dataclass(frozen=True, slots=True)
class Beside:
    project: str = ""
    path: str = ""
    """Of the file itself, from the project's root, with slashes."""
    snippets: tuple[Snippet, ...] = ()
    """The most useful first."""


NOTHING_BESIDE = Beside()


def spelled(
    beside: Beside,
    files: Files | None,
    language: Language,
    neutral: Callable[[str], str],
    count: Callable[[str], int],
    tokens: int,
) -> tuple[str, int]:
    """The text before everything else and its tokens, and as many snippets in it as fit, by their files' paths.

    `files`: how the model's family spells other files; None: as comments of the file's language. Empty without
    snippets: one file alone is what the models know best.
    """
    chosen: list[Snippet] = []
    text, size = "", 0
    for snippet in beside.snippets:
        longer = written([*chosen, snippet], beside, files, language, neutral)
        found = count(longer)
        if found <= tokens:
            chosen.append(snippet)
            text, size = longer, found
    return text, size


def written(
    snippets: Iterable[Snippet], beside: Beside, files: Files | None, language: Language, neutral: Callable[[str], str]
) -> str:
    ordered = sorted(snippets, key=lambda snippet: snippet.path)
    if files is None:
        mark, end = language.comment if language.comment[0] else HASH
        return "".join(
            f"{mark} {line}{f' {end}' if end else ''}\n"
            for snippet in ordered
            for line in (neutral(f"Path: {snippet.path}"), *neutral(snippet.text).splitlines())
        )
    pieces = [files.each.format(path=neutral(one.path), text=neutral(one.text.rstrip("\n"))) for one in ordered]
    project, path = neutral(beside.project or "project"), neutral(beside.path)
    return files.first.format(project=project) + "".join(pieces) + files.own.format(path=path)
