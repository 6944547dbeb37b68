"""Texts that a grammar can't read without harm are plain."""

from __future__ import annotations

import pytest

from ast_prompt.growth import growth_at
from ast_prompt.languages import language_of
from ast_prompt.text import text_of
from ast_prompt.tree import parse
from tests.completing import focus_in

YAML = language_of("yaml", None)


@pytest.mark.parametrize(
    "source",
    ["- " * 300 + "a", "".join(" " * depth + "a:\n" for depth in range(300)), "a: 1\r" + "- " * 300, "? " * 300],
)
def test_yaml_that_is_nested_too_deeply_for_its_scanner_is_plain(source: str) -> None:
    assert parse(text_of(source), YAML) is None


@pytest.mark.parametrize("answer", ["- " * 300, "".join(f"\n{' ' * depth}a:" for depth in range(300))])
def test_an_answer_that_is_nested_too_deeply_does_no_harm(answer: str) -> None:
    growth = growth_at(focus_in("a: 1\nb: █\n", "main.yaml"))
    assert growth is not None
    assert growth.errors(answer) >= 0


def test_yaml_that_is_nested_deeply_has_a_tree() -> None:
    for source in ("- " * 95 + "a", "".join("  " * depth + "a:\n" for depth in range(95))):
        assert parse(text_of(source), YAML) is not None


def test_the_depth_of_other_languages_does_not_matter() -> None:
    assert parse(text_of(" " * 300 + "x = 1"), language_of("python", None)) is not None
