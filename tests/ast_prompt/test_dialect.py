from __future__ import annotations

import pytest

from ast_prompt.dialect import FAMILIES, LEAKS, PLAIN, Part, dialect_of, stops

STARCODER2 = ["<fim_prefix>", "<fim_middle>", "<fim_suffix>", "<fim_pad>", "<repo_name>", "<file_sep>", "<|endoftext|>"]
VOCABULARIES = {
    "qwen": [
        "<|fim_prefix|>",
        "<|fim_middle|>",
        "<|fim_suffix|>",
        "<|fim_pad|>",
        "<|file_sep|>",
        "<|endoftext|>",
        "<|im_end|>",
    ],
    "codegemma": ["<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>", "<|file_separator|>", "<eos>", "<bos>"],
    "starcoder": STARCODER2,
    "mellum": [*STARCODER2, "<filename>", "<system>", "<user>", "<assistant>"],
    "deepseek": ["<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>", "<｜end▁of▁sentence｜>"],
    "codellama": ["<s>", "</s>", "▁<PRE>", "▁<SUF>", "▁<MID>", "▁<EOT>"],
    "codestral": ["<s>", "</s>", "[INST]", "[PREFIX]", "[SUFFIX]", "[MIDDLE]"],
    "plain": ["<|im_start|>", "<|im_end|>", "<|endoftext|>"],
}


@pytest.mark.parametrize("family", VOCABULARIES)
def test_the_family_is_read_off_the_special_tokens(family: str) -> None:
    assert dialect_of(VOCABULARIES[family]).name == family


def test_a_vocabulary_that_lacks_one_mark_knows_no_fill_in_the_middle() -> None:
    assert dialect_of(set(VOCABULARIES["qwen"]) - {"<|fim_suffix|>"}) is PLAIN


def test_granite_spells_as_starcoder_does() -> None:
    assert (
        dialect_of(
            ["<fim_prefix>", "<fim_middle>", "<fim_suffix>", "<fim_pad>", "<|endoftext|>", "<filename>", "<reponame>"]
        ).name
        == "starcoder"
    )


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_each_family_lays_out_both_parts_once(family: object) -> None:
    layout = family.layout  # type: ignore[attr-defined]
    parts = [part for part in layout if isinstance(part, Part)]
    assert sorted(parts) in ([Part.AFTER, Part.BEFORE], sorted([Part.ABOVE, Part.AFTER, Part.HERE]))


def test_only_marks_that_the_vocabulary_has_are_stops() -> None:
    qwen = dialect_of(VOCABULARIES["qwen"])
    assert "<|repo_name|>" not in stops(qwen, VOCABULARIES["qwen"])
    assert "<|fim_pad|>" in stops(qwen, VOCABULARIES["qwen"])


def test_what_may_be_good_code_is_no_leak() -> None:
    assert not {"[SUFFIX]", "<user>", "<system>", "<filename>"} & LEAKS
