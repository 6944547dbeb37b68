"""The rows of languages, and how a document finds its own."""

from __future__ import annotations

from collections import Counter

import pytest

from ast_prompt.languages import LANGUAGES, OFFICIAL, language_of


@pytest.mark.parametrize(
    ("language_id", "path", "name"),
    [
        ("python", None, "python"),
        ("py", None, "python"),
        ("Python", None, "python"),
        ("typescriptreact", None, "typescriptreact"),
        ("tsx", None, "typescriptreact"),
        ("jsx", None, "javascriptreact"),
        ("bash", None, "shellscript"),
        ("sh", None, "shellscript"),
        ("c++", None, "cpp"),
        ("cs", None, "csharp"),
        ("make", None, "makefile"),
        ("rst", None, "restructuredtext"),
        ("rust", "main.py", "rust"),
        ("cpp", "shape.h", "cpp"),
        ("nobody-knows-this", "main.go", "go"),
        ("plaintext", "main.ex", "elixir"),
        ("plaintext", "notes.txt", "plaintext"),
    ],
)
def test_the_id_that_the_editor_gives_wins(language_id: str | None, path: str | None, name: str) -> None:
    assert language_of(language_id, path).name == name


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("main.py", "python"),
        ("/home/zoë/main.rs", "rust"),
        ("C:\\work\\Main.JAVA", "java"),
        ("file:///home/app.tsx", "typescriptreact"),
        ("types.d.ts", "typescript"),
        ("shape.h", "c"),
        ("shape.hpp", "cpp"),
        ("build.gradle.kts", "kotlin"),
        ("build.gradle", "groovy"),
        ("Dockerfile", "dockerfile"),
        ("Dockerfile.dev", "dockerfile"),
        ("Makefile", "makefile"),
        ("Makefile.am", "makefile"),
        ("CMakeLists.txt", "cmake"),
        ("Gemfile", "ruby"),
        ("Gemfile.lock", "plaintext"),
        (".bashrc", "shellscript"),
        ("tsconfig.json", "jsonc"),
        ("package.json", "json"),
        ("notes.txt", "plaintext"),
        ("build", "plaintext"),
        ("folder.py/", "plaintext"),
        ("", "plaintext"),
        (".", "plaintext"),
        ("a..", "plaintext"),
    ],
)
def test_without_an_id_the_name_of_the_file_decides(path: str, name: str) -> None:
    assert language_of(None, path).name == name
    assert language_of("", path).name == name


def test_a_document_without_id_and_name_is_plain_text() -> None:
    assert language_of(None, None).name == "plaintext"


def test_every_language_is_found_by_each_of_its_names() -> None:
    for language in LANGUAGES:
        for name in (language.name, language.name.upper(), *language.aliases):
            assert language_of(name, None) is language
        for ending in (*language.suffixes, *language.files):
            assert language_of(None, f"/home/{'x' if ending.startswith('.') else ''}{ending}") in LANGUAGES
        for file in language.files:
            assert language_of(None, f"/home/{file}") is language
        for suffix in language.suffixes:
            assert language_of(None, f"some{suffix}") is language


def test_no_two_languages_claim_the_same_name_suffix_or_file() -> None:
    for claimed in (
        Counter(name for language in LANGUAGES for name in (language.name, *language.aliases)),
        Counter(suffix for language in LANGUAGES for suffix in language.suffixes),
        Counter(file for language in LANGUAGES for file in language.files),
    ):
        assert [name for name, count in claimed.items() if count > 1] == []


def test_what_is_looked_up_in_lower_case_is_written_in_lower_case() -> None:
    for language in LANGUAGES:
        for name in (language.name, *language.aliases, *language.suffixes, *language.files):
            assert name == name.lower()
        assert all(suffix.startswith(".") for suffix in language.suffixes)


def test_a_comment_that_has_an_end_has_a_beginning() -> None:
    assert all(language.comment[0] or not language.comment[1] for language in LANGUAGES)


def test_the_official_languages_have_queries_and_a_wheel_and_the_others_have_not() -> None:
    for language in LANGUAGES:
        assert bool(language.queries) is bool(language.wheel) is (language in OFFICIAL)
