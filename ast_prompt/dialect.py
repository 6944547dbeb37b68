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
    BESIDE = "beside"
    """Pieces of other files, with the family's own marks."""
    ABOVE = "above"
    """Before the anchor."""
    HERE = "here"
    """From the anchor to the cursor."""


class Order(StrEnum):
    """In which order the model reads the two texts."""

    PREFIX_FIRST = "prefix first"
    """As most families document it; a key makes the engine read all that comes after the cursor again."""
    SUFFIX_FIRST = "suffix first"
    """The window before the cursor stands behind the middle's mark, so that what is typed comes last, and a key costs
    its own tokens. What of the file is above the window is the prefix: other places of the file share it."""
    ANCHORED_AT_LINE = "anchored at the line"
    """Prefix first, up to the cursor's line; what is written of it stands behind the middle's mark."""
    ANCHORED_AT_NODE = "anchored at the node"
    """The same, with the statement that holds the cursor."""


@dataclass(frozen=True, slots=True)
class Files:
    """How a family spells several files of a project, with `{project}`, `{path}` and `{text}`."""

    first: str
    each: str
    own: str
    """Before the file that holds the cursor."""
    marks: frozenset[str]
    """Special tokens in the above: a vocabulary without them does not know this spelling."""
    inside: bool = False
    """Whether all of it is the beginning of the prefix."""


@dataclass(frozen=True, slots=True)
class Dialect:
    name: str
    fim: tuple[str, str, str]
    """The marks of prefix, suffix and middle; empty where the family has none."""
    order: Order
    """The best one that was measured for the family, else what it documents."""
    marks: frozenset[str]
    """Special tokens of this family; those that its vocabulary has end an answer."""
    sure: frozenset[str] = frozenset()
    """Marks without which a vocabulary is not of this family, beside those of `fim`."""
    suffix_first: tuple[str | Part, ...] = ()
    """How the family spells that order, where it is not as most do."""
    files: Files | None = None
    """None: the family documents no spelling of several files."""
    template: bool = False
    """The engine's own template puts the two parts together."""

    @property
    def layout(self) -> tuple[str | Part, ...]:
        """Marks (a special token each) and parts of the user's text, in the model's order."""
        prefix, suffix, middle = self.fim
        if not prefix:
            return (Part.BEFORE,)
        match self.order:
            case Order.PREFIX_FIRST:
                return prefix, Part.BEFORE, suffix, Part.AFTER, middle
            case Order.SUFFIX_FIRST:
                return self.suffix_first or (prefix, Part.ABOVE, suffix, Part.AFTER, middle, Part.HERE)
            case Order.ANCHORED_AT_LINE | Order.ANCHORED_AT_NODE:
                return prefix, Part.ABOVE, suffix, Part.AFTER, middle, Part.HERE

    @property
    def sees_after(self) -> bool:
        """Whether the text after the cursor is part of the prompt."""
        return self.template or bool(self.fim[0])


def marks(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Qwen2.5-Coder's README; with fill-in-the-middle behind it: QwenLM/Qwen3-Coder issue 343
QWEN_FILES = Files(
    "<|repo_name|>{project}\n",
    "<|file_sep|>{path}\n{text}\n",
    "<|file_sep|>{path}\n",
    marks("<|repo_name|> <|file_sep|>"),
)
# StarCoder 2's paper, section 5.1; that a file's path may be left out: bigcode-project/starcoder2 issue 10
STARCODER_FILES = Files(
    "<repo_name>{project}", "<file_sep>{path}\n{text}\n", "<file_sep>", marks("<repo_name> <file_sep>")
)
MELLUM_FILES = Files("", "<filename>{path}\n{text}\n", "<filename>{path}\n", marks("<filename>"))  # its model card
# a comment of Python with the path, whatever the language: DeepSeek-Coder's README, "repository level"
DEEPSEEK_FILES = Files("", "#{path}\n{text}\n", "#{path}\n", frozenset(), inside=True)
CODESTRAL_FILES = Files("", "+++++ {path}\n{text}\n", "+++++ {path}\n", frozenset(), inside=True)
STARCODER_MARKS = marks(
    "<fim_prefix> <fim_suffix> <fim_middle> <fim_pad> <file_sep> <repo_name> <filename> <reponame> <gh_stars> "
    "<|endoftext|>"
)
FAMILIES = (
    # Mellum documents suffix first (its model card); told from StarCoder, whose tokens it shares, by its roles.
    Dialect(
        "mellum",
        ("<fim_prefix>", "<fim_suffix>", "<fim_middle>"),
        Order.SUFFIX_FIRST,
        STARCODER_MARKS | marks("<system> <user> <assistant>"),
        marks("<filename> <assistant>"),
        suffix_first=("<fim_suffix>", Part.AFTER, "<fim_prefix>", Part.BEFORE, "<fim_middle>"),
        files=MELLUM_FILES,
    ),
    # Half of the training of StarCoder and Granite-code had the suffix first, in this spelling (Megatron-LM's
    # "SPM, variant 2"; bigcode-project/starcoder2 issue 14).
    Dialect(
        "starcoder",
        ("<fim_prefix>", "<fim_suffix>", "<fim_middle>"),
        Order.SUFFIX_FIRST,
        STARCODER_MARKS,
        files=STARCODER_FILES,
    ),
    Dialect(
        "codegemma",
        ("<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"),
        Order.PREFIX_FIRST,
        marks("<|fim_prefix|> <|fim_suffix|> <|fim_middle|> <|file_separator|> <eos> <end_of_turn>"),
        marks("<|file_separator|>"),
    ),
    # Qwen documents prefix first; with the suffix first and the last token healed a 0.5B model is right 2.6 times
    # as often at the states that typing meets, and reads 1 token a key instead of hundreds.
    Dialect(
        "qwen",
        ("<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"),
        Order.SUFFIX_FIRST,
        marks(
            "<|fim_prefix|> <|fim_suffix|> <|fim_middle|> <|fim_pad|> <|repo_name|> <|file_sep|> <|endoftext|> "
            "<|im_start|> <|im_end|>"
        ),
        files=QWEN_FILES,
    ),
    Dialect(
        "deepseek",
        ("<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>"),
        Order.PREFIX_FIRST,
        marks("<｜fim▁begin｜> <｜fim▁hole｜> <｜fim▁end｜> <｜begin▁of▁sentence｜> <｜end▁of▁sentence｜> <|EOT|>"),
        files=DEEPSEEK_FILES,
    ),
    # The blank before each mark is part of the token: ▁ is how SentencePiece writes it.
    Dialect(
        "codellama",
        ("▁<PRE>", "▁<SUF>", "▁<MID>"),
        Order.PREFIX_FIRST,
        marks("▁<PRE> ▁<SUF> ▁<MID> ▁<EOT> </s>"),
    ),
    # Trained with the suffix first and no mark of its own for the middle (Mistral's tokenizer; llama.cpp PR 8016).
    Dialect(
        "codestral",
        ("[PREFIX]", "[SUFFIX]", ""),
        Order.SUFFIX_FIRST,
        marks("[SUFFIX] [PREFIX] [MIDDLE] </s>"),
        suffix_first=("[SUFFIX]", Part.AFTER, "[PREFIX]", Part.BEFORE),
        files=CODESTRAL_FILES,
    ),
)
NO_MARKS = ("", "", "")
PLAIN = Dialect("plain", NO_MARKS, Order.PREFIX_FIRST, marks("<|endoftext|> <|im_end|> <|eot_id|> </s>"))
TEMPLATE = Dialect("template", NO_MARKS, Order.PREFIX_FIRST, PLAIN.marks, template=True)

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
        if family.sure.union(filter(None, family.fim)) <= known:
            return family
    return PLAIN


def stops(dialect: Dialect, special: Collection[str]) -> tuple[str, ...]:
    """The marks that end an answer: the family's own that the vocabulary really has."""
    return tuple(sorted(dialect.marks & frozenset(special) if special else dialect.marks))
