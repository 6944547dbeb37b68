"""The model's own tokenizer, rebuilt from its vocabulary: counts, the last token, special tokens.

No engine that we drive counts tokens for us without a request, but all of them give the vocabulary: Ollama in
`/api/show` with `verbose: true`, a GGUF file in its header. What comes of it equals llama.cpp's own tokenizer for
the pre-tokenizers in `pre_tokenizers` and for SentencePiece; for the rest it is an estimate that errs high.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from ast_prompt.pre_tokenizers import WHOLE_WORDS_FIRST, patterns_of

if TYPE_CHECKING:
    from tokenizers import Tokenizer

UNKNOWN, CONTROL, USER_DEFINED, BYTE = 2, 3, 4, 6
"""Token types of GGUF (`llama_token_type` in llama.cpp's `llama.h`)."""
REACH = 2_000
"""Characters before the end that are read to find the last token: where cutting starts changes only the first."""
LONGEST_ESTIMATE = 12
"""Characters of a last token that is only estimated: longer ones are rare in any vocabulary."""
MARGIN = 1.2
"""On counts by a pre-tokenizer that may be another: on code, Qwen's counts 0.86 to 1.31 times what their own counts
for 11 byte-level vocabularies, mostly 1.0."""

MARK = re.compile(r"▁?[<\[].*[>\]]", re.DOTALL)
# CodeGemma lists tags of HTML, and DeepSeek-Coder some letters, as user-defined tokens: to us they are plain text
TAG = re.compile(r"</?(?:table|caption|thead|tbody|tfoot|tr|th|td|h[1-6]|blockquote|strong|em|b|i|u|s|sub|sup|code)>")
# llama.cpp takes these for control tokens by their text, whatever type a file gives them: `</s>` in Qwen's too
MARKS_BY_TEXT = frozenset(
    [
        "▁<PRE>",
        "▁<SUF>",
        "▁<MID>",
        "▁<EOT>",
        "<PRE>",
        "<SUF>",
        "<MID>",
        "<PAD>",
        "<EOT>",
        "_<EOT>",
        "[EOT]",
        "[EOS]",
        "[PAD]",
        "<REPO>",
        "<reponame>",
        "</s>",
        "<eos>",
        "<|fim_prefix|>",
        "<|fim_suffix|>",
        "<|fim_middle|>",
        "<|fim_pad|>",
        "<|fim_repo|>",
        "<|repo_name|>",
        "<|file_sep|>",
        "<|prefix|>",
        "<|suffix|>",
        "<|middle|>",
        "<|code_prefix|>",
        "<|code_suffix|>",
        "<|code_middle|>",
        "<fim_prefix>",
        "<fim_suffix>",
        "<fim_middle>",
        "<fim_pad>",
        "<fim-prefix>",
        "<fim-suffix>",
        "<fim-middle>",
        "<fim-pad>",
        "<fim-repo>",
        "<｜fim▁begin｜>",
        "<｜fim▁hole｜>",
        "<｜fim▁end｜>",
        "<｜end▁of▁sentence｜>",
        "<|endoftext|>",
        "<|end_of_text|>",
        "<|im_end|>",
        "<|eot_id|>",
        "<|eom_id|>",
        "<|end|>",
        "<|return|>",
        "<|call|>",
        "<|calls|>",
        "<|flush|>",
        "<|tool_response>",
        "<turn|>",
        "<end_of_turn>",
        "<end_of_utterance>",
        "[e~[",
    ]
)
PIECE = re.compile(r"[A-Za-z]+|[0-9]|\n|[^\S\n]+|[^\w\s]|[^\x00-\x7f]|_")
LAST_PIECE = re.compile(r"[^\S\n]?\w+\Z|[^\S\n]?[^\w\s]+\Z|\s+\Z")
LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    special: frozenset[str]
    """Texts that the model takes for a mark wherever they stand, in the user's code too."""
    exact: bool
    """Whether `count` and `last_token` are the model's own."""
    note: str
    """Which tokenizer this is, for the user: `qwen2, exact`."""
    size: int
    """Tokens in the vocabulary."""
    _tokenizer: Tokenizer | None
    """None: estimated from the characters."""

    def count(self, text: str) -> int:
        """Tokens of `text`, special ones parsed, without the mark that some models put before everything."""
        if self._tokenizer is None:
            return estimate(text)
        tokens = len(self._tokenizer.encode(readable(text), add_special_tokens=False))
        return tokens if self.exact else ceil(tokens * MARGIN)

    def tokens(self, text: str) -> list[int]:
        """The ids of the text's tokens, special ones parsed; empty where they are only estimated."""
        if self._tokenizer is None or not self.exact:
            return []
        found: list[int] = self._tokenizer.encode(readable(text), add_special_tokens=False).ids
        return found

    def last_token(self, text: str) -> str:
        """The last token's text: a tail of `text`, in whole characters; '' only for ''."""
        if self._tokenizer is None:
            return estimated_last_token(text)
        tail = text[-REACH:]
        offsets = self._tokenizer.encode(readable(tail), add_special_tokens=False).offsets
        return tail[offsets[-1][0] :] if offsets else tail[-1:]


def vocabulary_of(info: Mapping[str, object]) -> Vocabulary | None:
    """From GGUF metadata (`tokenizer.ggml.*`); None where it lists no tokens.

    `info` is what Ollama gives as `model_info`, or `gguf.metadata` reads; a list may be None there.
    """
    tokens = strings(info.get("tokenizer.ggml.tokens"))
    if not tokens:
        return None
    types = numbers(info.get("tokenizer.ggml.token_type"))
    model, pre = (
        str(info.get("tokenizer.ggml.model")),
        str(info.get("tokenizer.ggml.pre") or ""),
    )
    merges = strings(info.get("tokenizer.ggml.merges"))
    scores = numbers(info.get("tokenizer.ggml.scores"))
    types = types if len(types) == len(tokens) else [1] * len(tokens)
    special, marks = special_of(tokens, types), partitioning(tokens, types)

    def made(tokenizer: Tokenizer | None, note: str, *, exact: bool) -> Vocabulary:
        return Vocabulary(
            special,
            exact,
            f"{note}, exact" if exact else f"estimate: {note}",
            len(tokens),
            tokenizer,
        )

    if model == "llama" and len(scores) == len(tokens):
        prefixed = info.get("tokenizer.ggml.add_space_prefix") is not False
        return made(
            sentencepiece(tokens, types, scores, marks, prefixed=prefixed),
            "SentencePiece",
            exact=True,
        )
    if model == "gpt2" and merges:
        patterns = patterns_of(pre)
        tokenizer, whole = byte_level(tokens, merges, marks, patterns or patterns_of("qwen2") or (), pre)
        note = pre or "default" if patterns else f"unknown pre-tokenizer '{pre}'"
        return made(
            tokenizer,
            note if whole else f"{note} with merges outside its vocabulary",
            exact=bool(patterns) and whole,
        )
    return made(None, f"unknown kind of tokenizer '{model}'", exact=False)


def estimate(text: str) -> int:
    """Tokens of `text` where no vocabulary is known: on the safe side.

    On 150 pieces of code in six languages it is 1.03 to 2.5 times what twelve vocabularies count, 1.5 in the middle
    for the smallest and 2.0 for the largest; only GPT-2's, which spends a token on each blank, counts more at times.
    """
    return sum(map(cost, PIECE.findall(text)))


def cost(piece: str) -> int:
    if piece.isascii():
        return ceil(len(piece) / 4) if piece[0].isalpha() or piece[0] == " " else len(piece)
    return 3 if piece > "\u07ff" else 2


def estimated_last_token(text: str) -> str:
    found = LAST_PIECE.search(text[-LONGEST_ESTIMATE:])
    return found[0] if found else text[-1:]


def special_of(tokens: Sequence[str], types: Sequence[float]) -> frozenset[str]:
    """Marks: control tokens, and those user-defined ones that no programmer types as plain text."""
    return frozenset(
        token
        for token, kind in zip(tokens, types, strict=True)
        if token
        and (
            kind == CONTROL
            or token in MARKS_BY_TEXT
            or (kind == USER_DEFINED and MARK.fullmatch(token) and not TAG.fullmatch(token))
        )
    )


def partitioning(tokens: Sequence[str], types: Sequence[float]) -> list[str]:
    """The tokens that a text is cut at before anything else, whatever stands around them."""
    cutting = (UNKNOWN, CONTROL, USER_DEFINED)
    return [
        token
        for token, kind in zip(tokens, types, strict=True)
        if token and (kind in cutting or token in MARKS_BY_TEXT)
    ]


def byte_level(
    tokens: Sequence[str],
    merges: Sequence[str],
    marks: Sequence[str],
    patterns: Sequence[str],
    pre: str,
) -> tuple[Tokenizer, bool]:
    """Byte pairs over bytes spelled as GPT-2 spells them; whether every merge was of use."""
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers

    vocab = {token: number for number, token in enumerate(tokens)}
    pairs = [(left, right) for left, _, right in (merge.partition(" ") for merge in merges)]
    known = [(left, right) for left, right in pairs if left in vocab and right in vocab and left + right in vocab]
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=known, ignore_merges=pre in WHOLE_WORDS_FIRST))
    splits = [pre_tokenizers.Split(Regex(pattern), "isolated") for pattern in patterns]
    bytes_as_letters = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([*splits, bytes_as_letters])
    return with_marks(tokenizer, marks), len(known) == len(pairs)


def sentencepiece(
    tokens: Sequence[str],
    types: Sequence[float],
    scores: Sequence[float],
    marks: Sequence[str],
    *,
    prefixed: bool,
) -> Tokenizer:
    """SentencePiece as llama.cpp reads it: of all neighbours that make a token, join those of the best score.

    That is byte pairs with a merge for every way to cut a token in two, ordered by the whole's score; of two cuts
    of one token the one with the longer left part comes first, which is the left one of two places that overlap.
    """
    from tokenizers import Tokenizer, models, normalizers

    vocab = {token: number for number, token in enumerate(tokens)}
    usable = [
        (score, token)
        for token, kind, score in zip(tokens, types, scores, strict=True)
        if kind not in (UNKNOWN, CONTROL, BYTE)
    ]
    usable.sort(key=lambda scored: -scored[0])
    merges = [
        (token[:cut], token[cut:])
        for _, token in usable
        for cut in range(len(token) - 1, 0, -1)
        if token[:cut] in vocab and token[cut:] in vocab
    ]
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=merges, byte_fallback=True))
    blanks = normalizers.Replace(" ", "▁")
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), blanks]) if prefixed else blanks
    return with_marks(tokenizer, marks)


def with_marks(tokenizer: Tokenizer, marks: Sequence[str]) -> Tokenizer:
    from tokenizers import AddedToken

    tokenizer.add_special_tokens([AddedToken(mark, normalized=False, special=True) for mark in marks])
    return tokenizer


def readable(text: str) -> str:
    """`text` with half characters replaced: an editor that counts in UTF-16 can cut one in two."""
    return LONE_SURROGATE.sub("\ufffd", text)


def strings(value: object) -> Sequence[str]:
    return value if isinstance(value, list) and value and isinstance(value[0], str) else []


def numbers(value: object) -> Sequence[float]:
    return value if isinstance(value, list) and value and isinstance(value[0], int | float) else []
