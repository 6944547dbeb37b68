"""How a model spells prefix, suffix and middle: read off the special tokens in its own vocabulary.

Not off its name: a model under any name works, and a chat model is told from a code model.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum


class Part(StrEnum):
    """What of the user's text stands at a place of the layout."""

    BEFORE = "before"
    AFTER = "after"


@dataclass(frozen=True, slots=True)
class Dialect:
    name: str
    layout: tuple[str | Part, ...]
    """Marks (a special token each) and parts of the user's text, in the model's order."""
    marks: frozenset[str]
    """Special tokens of this family; those that its vocabulary has end an answer."""
    sure: frozenset[str] = frozenset()
    """Marks without which a vocabulary is not of this family, beside those of the layout."""
    template: bool = False
    """The engine's own template puts the two parts together."""

    @property
    def sees_after(self) -> bool:
        """Whether the text after the cursor is part of the prompt."""
        return self.template or Part.AFTER in self.layout

    @property
    def suffix_first(self) -> bool:
        """Whether what is typed comes at the prompt's end, so that a key costs only its own tokens."""
        return self.layout[-1] is Part.BEFORE


def marks(text: str) -> frozenset[str]:
    return frozenset(text.split())


STARCODER_MARKS = marks(
    "<fim_prefix> <fim_suffix> <fim_middle> <fim_pad> <file_sep> <repo_name> <filename> <reponame> <gh_stars> "
    "<|endoftext|>"
)
FAMILIES = (
    # Mellum documents suffix first (its model card); told from StarCoder, whose tokens it shares, by its roles.
    Dialect(
        "mellum",
        ("<fim_suffix>", Part.AFTER, "<fim_prefix>", Part.BEFORE, "<fim_middle>"),
        STARCODER_MARKS | marks("<system> <user> <assistant>"),
        marks("<filename> <assistant>"),
    ),
    # Half of the training of StarCoder and Granite-code had the suffix first, in this spelling (Megatron-LM's
    # "SPM, variant 2"; bigcode-project/starcoder2 issue 14).
    Dialect("starcoder", ("<fim_prefix>", "<fim_suffix>", Part.AFTER, "<fim_middle>", Part.BEFORE), STARCODER_MARKS),
    Dialect(
        "codegemma",
        ("<|fim_prefix|>", Part.BEFORE, "<|fim_suffix|>", Part.AFTER, "<|fim_middle|>"),
        marks("<|fim_prefix|> <|fim_suffix|> <|fim_middle|> <|file_separator|> <eos> <end_of_turn>"),
        marks("<|file_separator|>"),
    ),
    # Qwen documents prefix first; with the suffix first and the last token healed a 0.5B model is right 2.6 times
    # as often at the states that typing meets, and reads 1 token a key instead of hundreds.
    Dialect(
        "qwen",
        ("<|fim_prefix|>", "<|fim_suffix|>", Part.AFTER, "<|fim_middle|>", Part.BEFORE),
        marks(
            "<|fim_prefix|> <|fim_suffix|> <|fim_middle|> <|fim_pad|> <|repo_name|> <|file_sep|> <|endoftext|> "
            "<|im_start|> <|im_end|>"
        ),
    ),
    Dialect(
        "deepseek",
        ("<｜fim▁begin｜>", Part.BEFORE, "<｜fim▁hole｜>", Part.AFTER, "<｜fim▁end｜>"),
        marks("<｜fim▁begin｜> <｜fim▁hole｜> <｜fim▁end｜> <｜begin▁of▁sentence｜> <｜end▁of▁sentence｜> <|EOT|>"),
    ),
    # The blank before each mark is part of the token: ▁ is how SentencePiece writes it.
    Dialect(
        "codellama",
        ("▁<PRE>", Part.BEFORE, "▁<SUF>", Part.AFTER, "▁<MID>"),
        marks("▁<PRE> ▁<SUF> ▁<MID> ▁<EOT> </s>"),
    ),
    Dialect(
        "codestral",
        ("[SUFFIX]", Part.AFTER, "[PREFIX]", Part.BEFORE),
        marks("[SUFFIX] [PREFIX] [MIDDLE] </s>"),
    ),
)
PLAIN = Dialect("plain", (Part.BEFORE,), marks("<|endoftext|> <|im_end|> <|eot_id|> </s>"))
TEMPLATE = Dialect("template", (Part.BEFORE,), PLAIN.marks, template=True)

LEAKS = frozenset(
    mark.removeprefix("▁") for family in FAMILIES for mark in family.marks if not mark.startswith("[")
) - marks("<system> <user> <assistant> <filename>") | marks("<|eot_id|> <｜fim▁hole｜>")
"""Marks of any family that no program text holds by chance: an answer is cut at the first one.

`[SUFFIX]` and its kin are left out, since `table[SUFFIX]` is good Python.
"""


def dialect_of(special: Collection[str]) -> Dialect:
    """The dialect of a vocabulary with these special tokens; `PLAIN` where it knows no fill-in-the-middle."""
    known = frozenset(special)
    for family in FAMILIES:
        needed = family.sure.union(part for part in family.layout if not isinstance(part, Part))
        if needed <= known:
            return family
    return PLAIN


def stops(dialect: Dialect, special: Collection[str]) -> tuple[str, ...]:
    """The marks that end an answer: the family's own that the vocabulary really has."""
    return tuple(sorted(dialect.marks & frozenset(special) if special else dialect.marks))
