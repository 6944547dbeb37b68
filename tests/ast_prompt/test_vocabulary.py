"""A handmade vocabulary of a few words; that the rebuilt tokenizer equals llama.cpp's is tested with a real model."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, strategies

from ast_prompt.pre_tokenizers import FAMILY_OF, PATTERNS, WHOLE_WORDS_FIRST, patterns_of
from ast_prompt.vocabulary import Vocabulary, estimate, vocabulary_of

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, BYTE = 1, 2, 3, 4, 6


def byte_letters() -> list[str]:
    """The 256 bytes as GPT-2 spells them: printable ones as themselves, the rest from U+0100 on."""
    own = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = iter(range(0x100, 0x200))
    return [chr(byte) if byte in own else chr(next(others)) for byte in range(256)]


MERGES = ["r e", "t u", "re tu", "r n", "retu rn", "Ġ x", "Ġ Ġ", "Ã ¶", "ð Ł", "ðŁ ĺ"]


def byte_level_info(pre: str = "qwen2", marks: Mapping[str, int] | None = None) -> dict[str, object]:
    marks = {"<|fim_prefix|>": CONTROL, "<tool>": USER_DEFINED} if marks is None else marks
    words = [*byte_letters(), *(merge.replace(" ", "") for merge in MERGES)]
    return {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": pre,
        "tokenizer.ggml.tokens": [*words, *marks],
        "tokenizer.ggml.token_type": [*[NORMAL] * len(words), *marks.values()],
        "tokenizer.ggml.merges": MERGES,
    }


def sentencepiece_info() -> dict[str, object]:
    scored = {"▁": -5.0, "d": -6.0, "e": -7.0, "f": -8.0, "de": -1.0, "def": -2.0, "▁def": -3.0, "ef": -4.0, "▁▁": -9.0}
    fallback = [f"<0x{byte:02X}>" for byte in range(256)]
    return {
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": ["<unk>", "<s>", *fallback, *scored, "▁<PRE>"],
        "tokenizer.ggml.token_type": [UNKNOWN, CONTROL, *[BYTE] * 256, *[NORMAL] * len(scored), NORMAL],
        "tokenizer.ggml.scores": [0.0, 0.0, *[0.0] * 256, *scored.values(), 0.0],
    }


def made(info: Mapping[str, object]) -> Vocabulary:
    vocabulary = vocabulary_of(info)
    assert vocabulary is not None
    return vocabulary


def cut(vocabulary: Vocabulary, text: str) -> list[str]:
    """`text` token by token, from its end."""
    found: list[str] = []
    while text:
        found.insert(0, vocabulary.last_token(text))
        text = text.removesuffix(found[0])
    return found


def test_counts_the_tokens_that_the_merges_make() -> None:
    vocabulary = made(byte_level_info())
    assert cut(vocabulary, "return x") == ["return", " x"]
    assert vocabulary.count("return x") == 2
    assert vocabulary.count("") == 0


def test_a_word_is_never_joined_with_what_the_pre_tokenizer_cuts_off() -> None:
    vocabulary = made(byte_level_info())
    assert vocabulary.last_token("12") == "2"
    assert vocabulary.last_token("return") == "return"
    assert vocabulary.last_token("(return") == "return"


def test_blanks_before_a_word_leave_one_to_it() -> None:
    assert cut(made(byte_level_info()), "    x") == ["  ", " ", " x"]


def test_a_half_typed_word_ends_in_its_own_tokens() -> None:
    assert cut(made(byte_level_info()), "x retur") == ["x", " ", "retu", "r"]


def test_special_tokens_are_one_token_wherever_they_stand() -> None:
    vocabulary = made(byte_level_info())
    assert vocabulary.special == {"<|fim_prefix|>", "<tool>"}
    assert vocabulary.count("a<|fim_prefix|>b<tool>") == 4
    assert vocabulary.last_token("x<tool>") == "<tool>"


@pytest.mark.parametrize("text", ["ö", "xö", "日", "x😀", "é😀"])
def test_a_token_inside_a_character_is_widened_to_the_character(text: str) -> None:
    assert made(byte_level_info()).last_token(text) == text[-1]


def test_counts_bytes_of_characters_that_no_token_covers() -> None:
    vocabulary = made(byte_level_info())
    assert vocabulary.count("ö") == 1
    assert vocabulary.count("日") == 3
    assert vocabulary.count("😀") == 2


@given(strategies.text(min_size=1))
def test_the_last_token_is_a_tail_and_never_empty(text: str) -> None:
    for vocabulary in VOCABULARIES:
        last = vocabulary.last_token(text)
        assert last
        assert text.endswith(last)


def test_half_a_character_from_an_editor_is_no_error() -> None:
    for vocabulary in VOCABULARIES:
        assert vocabulary.count("x\ud83d") >= 2
        assert vocabulary.last_token("x\ud83d") == "\ud83d"


def test_sentencepiece_joins_the_best_scored_pair_first() -> None:
    vocabulary = made(sentencepiece_info())
    assert vocabulary.exact
    # d e joins before e f although both are tokens
    assert cut(vocabulary, "def") == ["def"]
    assert vocabulary.count("def") == 1
    assert vocabulary.count("def def") == 2
    assert cut(vocabulary, "deff") == ["def", "f"]


def test_sentencepiece_falls_back_to_bytes() -> None:
    vocabulary = made(sentencepiece_info())
    assert vocabulary.count("é") == 3  # the blank that stands before everything, and two bytes
    assert vocabulary.last_token("é") == "é"


def test_marks_are_known_by_their_text_where_a_file_calls_them_normal() -> None:
    assert made(sentencepiece_info()).special == {"<s>", "▁<PRE>"}


def test_user_defined_blanks_letters_and_tags_are_plain_text() -> None:
    marks = {"    ": USER_DEFINED, "ü": USER_DEFINED, "<table>": USER_DEFINED, "<|sep|>": USER_DEFINED}
    vocabulary = made(byte_level_info(marks=marks))
    assert vocabulary.special == {"<|sep|>"}
    assert vocabulary.count("    ü<table>") == 3


def test_without_tokens_there_is_no_vocabulary() -> None:
    assert vocabulary_of({}) is None
    # as Ollama answers without `verbose`
    assert vocabulary_of(byte_level_info() | {"tokenizer.ggml.tokens": None}) is None


def test_an_unknown_pre_tokenizer_errs_high_and_says_so() -> None:
    vocabulary = made(byte_level_info(pre="brand-new"))
    assert not vocabulary.exact
    assert vocabulary.note == "estimate: unknown pre-tokenizer 'brand-new'"
    assert vocabulary.count("return x") > made(byte_level_info()).count("return x")


def test_a_file_without_a_pre_tokenizer_is_read_by_the_default_one() -> None:
    info = byte_level_info()
    del info["tokenizer.ggml.pre"]
    assert made(info).note == "default, exact"


def test_an_unknown_kind_of_tokenizer_is_estimated() -> None:
    vocabulary = made(byte_level_info() | {"tokenizer.ggml.model": "bert"})
    assert not vocabulary.exact
    assert vocabulary.note == "estimate: unknown kind of tokenizer 'bert'"
    assert vocabulary.count("return x") == estimate("return x")
    assert vocabulary.special == {"<|fim_prefix|>", "<tool>"}


def test_merges_outside_the_vocabulary_make_it_an_estimate() -> None:
    vocabulary = made(byte_level_info() | {"tokenizer.ggml.merges": [*MERGES, "q q"]})
    assert not vocabulary.exact
    assert vocabulary.last_token("return") == "return"


@pytest.mark.parametrize("broken", [{"tokenizer.ggml.tokens": [1, 2]}, {"tokenizer.ggml.tokens": "abc"}])
def test_lists_of_the_wrong_kind_are_no_vocabulary(broken: dict[str, object]) -> None:
    assert vocabulary_of(byte_level_info() | broken) is None


def test_estimated_last_tokens_are_a_word_or_a_run_of_signs() -> None:
    vocabulary = made(byte_level_info() | {"tokenizer.ggml.model": "bert"})
    assert cut(vocabulary, "total = price_of(x))") == ["total", " =", " price_of", "(", "x", "))"]
    assert vocabulary.last_token("x\n    ") == "\n    "
    assert len(vocabulary.last_token("a" * 100)) <= 12


def test_estimates_grow_with_the_text_and_count_every_byte_of_rare_characters() -> None:
    assert estimate("") == 0
    assert estimate("日本") == 6
    assert estimate("12345") == 5
    assert estimate("x" * 4_000) == 1_000


@pytest.mark.parametrize("pre", [*PATTERNS, *FAMILY_OF])
def test_every_pre_tokenizer_can_be_built(pre: str) -> None:
    vocabulary = made(byte_level_info(pre=pre))
    assert vocabulary.exact
    assert "".join(cut(vocabulary, "if x == 'ö12':\n\treturn  \n")) == "if x == 'ö12':\n\treturn  \n"


def test_names_of_pre_tokenizers_lead_to_patterns() -> None:
    assert all(patterns_of(pre) for pre in WHOLE_WORDS_FIRST)
    assert patterns_of("brand-new") is None


VOCABULARIES = [
    made(byte_level_info()),
    made(sentencepiece_info()),
    made(byte_level_info() | {"tokenizer.ggml.model": "bert"}),
]
