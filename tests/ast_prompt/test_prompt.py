from __future__ import annotations

from collections.abc import Mapping

import pytest

from ast_prompt.budget import Budget
from ast_prompt.dialect import FAMILIES, PLAIN, TEMPLATE, Dialect
from ast_prompt.prompt import Prompt, build_prompt, neutral, restored
from ast_prompt.vocabulary import Vocabulary, estimate, vocabulary_of
from tests.completing import QWEN, focus_in


def family(name: str) -> Dialect:
    return next(dialect for dialect in FAMILIES if dialect.name == name)


def letters() -> Vocabulary:
    """A vocabulary whose tokens are single characters, and a few words with their blank."""
    words = ["Ġreturn", "Ġvalue", "value", "Ġx", *QWEN.marks]
    tokens = [*(chr(code) for code in range(33, 127)), "Ġ", "Ċ"]
    merges = []
    for word in words[:4]:
        for end in range(2, len(word) + 1):
            if word[:end] not in tokens:
                tokens.append(word[:end])
            merges.append(f"{word[: end - 1]} {word[end - 1]}")
    types = [1] * len(tokens) + [3] * len(QWEN.marks)
    info: Mapping[str, object] = {
        "tokenizer.ggml.tokens": [*tokens, *QWEN.marks],
        "tokenizer.ggml.token_type": types,
        "tokenizer.ggml.merges": merges,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "qwen2",
    }
    vocabulary = vocabulary_of(info)
    assert vocabulary is not None
    assert vocabulary.exact
    return vocabulary


def prompt_of(drawing: str, dialect: Dialect = QWEN, vocabulary: Vocabulary | None = None, budget: int = 512) -> Prompt:
    return build_prompt(focus_in(drawing), dialect, vocabulary, Budget(budget))


def test_qwen_gets_the_suffix_first() -> None:
    prompt = prompt_of("def f(a):\n    return █\n\nf(1)\n")
    assert prompt.text == "<|fim_prefix|><|fim_suffix|>\n\nf(1)\n<|fim_middle|>def f(a):\n    return"
    assert prompt.forced == " "


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mellum", "<fim_suffix>;B<fim_prefix>A=<fim_middle>"),
        ("starcoder", "<fim_prefix><fim_suffix>;B<fim_middle>A="),
        ("codegemma", "<|fim_prefix|>A=<|fim_suffix|>;B<|fim_middle|>"),
        ("deepseek", "<｜fim▁begin｜>A=<｜fim▁hole｜>;B<｜fim▁end｜>"),
        ("codellama", "▁<PRE>A=▁<SUF>;B▁<MID>"),
        ("codestral", "[SUFFIX];B[PREFIX]A="),
    ],
)
def test_each_family_has_its_order(name: str, text: str) -> None:
    assert prompt_of("A=█;B", family(name)).text == text


def test_a_model_without_fill_in_the_middle_gets_the_prefix_alone() -> None:
    prompt = prompt_of("a = 1\nb = █\nc = 3\n", PLAIN)
    assert prompt.text == "a = 1\nb ="
    assert prompt.after == ""


def test_a_template_gets_both_parts_as_they_are() -> None:
    prompt = prompt_of("a = █\nc = 3\n", TEMPLATE)
    assert (prompt.text, prompt.suffix, prompt.forced) == ("a = ", "\nc = 3\n", "")


def test_a_half_typed_word_is_taken_back_with_its_blank() -> None:
    prompt = prompt_of("def f(value):\n    return value█\n", vocabulary=letters())
    assert prompt.forced == " value"
    assert prompt.text.endswith("    return")


def test_indentation_is_taken_back_to_the_line_s_start() -> None:
    prompt = prompt_of("def f(value):\n    █\n", vocabulary=letters())
    assert prompt.forced == "    "
    assert prompt.text.endswith("def f(value):\n")


def test_at_a_line_s_start_nothing_is_taken_back() -> None:
    assert prompt_of("a = 1\n█\n", vocabulary=letters()).forced == ""


def test_marks_in_the_users_text_are_split() -> None:
    prompt = prompt_of('END = "<|endoftext|>"\nx = █\ny = "<|fim_middle|>"\n')
    assert prompt.text.count("<|fim_middle|>") == 1
    assert "<|endoftext|>" not in prompt.text
    assert restored(prompt.text).count("<|endoftext|>") == 1


def test_a_mark_that_healing_would_part_stays_split() -> None:
    prompt = prompt_of('END = "<|endoftext|>█"\n', vocabulary=letters())
    assert "<|endoftext|>" not in prompt.text + prompt.forced


@pytest.mark.parametrize("mark", sorted(QWEN.marks))
def test_splitting_loses_nothing(mark: str) -> None:
    text = f"a{mark}b{mark}{mark}"
    assert mark not in neutral(text, QWEN.marks)
    assert restored(neutral(text, QWEN.marks)) == text


def test_line_ends_in_a_prompt_are_line_feeds() -> None:
    prompt = prompt_of("a = 1\r\nb = 2\rc = █\r\nd = 4\r\n")
    assert "\r" not in prompt.text
    assert prompt.before == "a = 1\nb = 2\nc = "


LONG = "".join(f"def f{number}(a):\n    b = a + {number}\n    return b\n\n\n" for number in range(400))


@pytest.mark.parametrize("budget", [64, 128, 512, 2048])
def test_a_prompt_keeps_to_its_budget_and_begins_at_a_statement(budget: int) -> None:
    vocabulary = letters()
    prompt = prompt_of(LONG + "x = █\n" + LONG, vocabulary=vocabulary, budget=budget)
    assert vocabulary.count(prompt.text) == prompt.tokens <= budget
    first = prompt.before.partition("\n")[0].strip()
    assert first.startswith(("def f", "b = a", "return b", "x ="))
    assert prompt.before.endswith("x = ")
    assert prompt.after.startswith("\n")


def test_typing_does_not_move_the_window() -> None:
    """What stands at the prompt's beginning stays there for most keys: the engine has read it already."""
    begins = set()
    for typed in range(60):
        prompt = prompt_of(LONG + "value = " + "x" * typed + "█\n" + LONG)
        begins.add(prompt.text[:200])
    assert len(begins) <= 2


def test_one_endless_line_is_cut_within_it() -> None:
    prompt = prompt_of("x" * 30_000 + "é█é" + "y" * 30_000, budget=256)
    assert prompt.before.endswith("xé")
    assert prompt.after.startswith("éy")
    assert prompt.tokens <= 256


def test_brackets_that_the_editor_closes_change_nothing() -> None:
    rest = "\n".join(f"b{number} = {number}" for number in range(200))
    texts = {prompt_of(f"x = f(█{closers}\n{rest}").text for closers in ("", ")", "))", '")', ");", "  ")}
    assert len(texts) == 1
    assert "f(, c)" not in prompt_of("x = f(█, c)\n").text
    assert prompt_of("x = f(█, c)\n").after == ", c)\n"


def test_a_long_rest_of_the_line_is_cut() -> None:
    after = prompt_of("x = f(█" + "a, " * 3000 + ")\nb = 1\n").after
    assert after.startswith("a, a, ")
    assert estimate(after) <= 512 * 0.3


def test_what_is_above_the_window_is_the_prefix_and_shared_by_other_places() -> None:
    functions = [f"def f{number}(a):\n    b = a + {number}\n    return b\n\n" for number in range(200)]
    file = "".join(functions)

    def at(number: int) -> str:
        place = file.index(f"    return b\n\ndef f{number + 1}(")
        return build_prompt(focus_in(f"{file[:place]}█\n{file[place:]}"), QWEN, None, Budget(200, head=1200)).text

    def head(text: str) -> str:
        return text.removeprefix("<|fim_prefix|>").partition("<|fim_suffix|>")[0]

    assert head(at(20)).startswith("def f0(a):")
    assert head(at(24)).startswith(head(at(20)))
    assert "def f0(a)" not in head(at(150))
    assert estimate(at(150)) <= 1400
    assert at(150).endswith("    b = a + 150\n")
