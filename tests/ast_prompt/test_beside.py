from __future__ import annotations

from dataclasses import replace

import pytest

from ast_prompt.beside import Beside, Snippet
from ast_prompt.budget import Budget
from ast_prompt.dialect import FAMILIES, PLAIN, TEMPLATE, Dialect
from ast_prompt.prompt import build_prompt
from ast_prompt.vocabulary import estimate
from tests.completing import QWEN, focus_in

BESIDE = Beside(
    "shop",
    "shop/main.py",
    (Snippet("shop/z.py", "def z(): ...\n", "imported"), Snippet("shop/a.py", "def a(): ...\n", "imported")),
)
DRAWING = "x = █\ny = 2\n"


def text_of(dialect: Dialect, beside: Beside = BESIDE, tokens: int = 512, drawing: str = DRAWING) -> str:
    return build_prompt(focus_in(drawing), dialect, None, Budget(512, beside=tokens), beside).text


@pytest.mark.parametrize(
    ("name", "first"),
    [
        (
            "qwen",
            (
                "<|repo_name|>shop\n<|file_sep|>shop/a.py\ndef a(): ...\n<|file_sep|>shop/z.py\ndef z(): ...\n"
                "<|file_sep|>shop/main.py\n<|fim_prefix|>"
            ),
        ),
        (
            "starcoder",
            "<repo_name>shop<file_sep>shop/a.py\ndef a(): ...\n<file_sep>shop/z.py\ndef z(): ...\n<file_sep><fim_prefix>",
        ),
        (
            "mellum",
            "<filename>shop/a.py\ndef a(): ...\n<filename>shop/z.py\ndef z(): ...\n<filename>shop/main.py\n<fim_suffix>",
        ),
        ("deepseek", "<｜fim▁begin｜>#shop/a.py\ndef a(): ...\n#shop/z.py\ndef z(): ...\n#shop/main.py\nx ="),
        ("codellama", "▁<PRE># Path: shop/a.py\n# def a(): ...\n# Path: shop/z.py\n# def z(): ...\nx ="),
    ],
)
def test_each_family_spells_other_files_as_it_was_trained(name: str, first: str) -> None:
    assert text_of(next(family for family in FAMILIES if family.name == name)).startswith(first)


def test_codestral_has_them_before_the_prefix_behind_the_suffix() -> None:
    codestral = next(family for family in FAMILIES if family.name == "codestral")
    assert "[PREFIX]+++++ shop/a.py\ndef a(): ...\n+++++ shop/z.py\ndef z(): ...\n+++++ shop/main.py\nx =" in text_of(
        codestral
    )


def test_a_model_without_a_spelling_gets_comments() -> None:
    assert text_of(PLAIN).startswith("# Path: shop/a.py\n# def a(): ...\n")
    assert text_of(TEMPLATE).startswith("# Path: shop/a.py\n")
    focus = focus_in("a { color: █ }\n", "main.css")
    found = build_prompt(focus, PLAIN, None, Budget(512, beside=512), BESIDE)
    assert found.text.startswith("/* Path: shop/a.py */\n/* def a(): ... */\n")


def test_the_order_is_that_of_the_paths_whatever_is_most_useful() -> None:
    turned = replace(BESIDE, snippets=BESIDE.snippets[::-1])
    assert text_of(QWEN, turned) == text_of(QWEN)


@pytest.mark.parametrize("tokens", [0, 20, 30, 45, 60])
def test_the_most_useful_that_fit_are_kept(tokens: int) -> None:
    text = text_of(QWEN, tokens=tokens)
    first = text[: text.index("<|fim_prefix|>")]
    assert estimate(first) <= tokens
    assert ("shop/a.py" in first) <= ("shop/z.py" in first)


def test_without_snippets_the_file_stands_alone() -> None:
    assert text_of(QWEN, Beside("shop", "shop/main.py")) == text_of(QWEN, Beside())


def test_marks_in_other_files_are_text() -> None:
    beside = Beside("a<|file_sep|>", "b<|fim_prefix|>", (Snippet("c<|file_sep|>", "<|fim_middle|>\n"),))
    text = text_of(QWEN, beside)
    assert text.count("<|file_sep|>") == 2
    assert text.count("<|fim_prefix|>") == 1
    assert text.count("<|fim_middle|>") == 1


def test_what_is_beside_the_file_stays_from_key_to_key_and_place_to_place() -> None:
    first = text_of(QWEN)[: text_of(QWEN).index("<|fim_prefix|>")]
    for drawing in ("x = a█\ny = 2\n", "x = 1\ny = 2█\n"):
        assert text_of(QWEN, drawing=drawing).startswith(first)
