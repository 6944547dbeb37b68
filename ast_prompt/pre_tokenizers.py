r"""How each model family cuts text into words before byte pairs are merged: patterns by GGUF `tokenizer.ggml.pre`.

The patterns and their aliases are those of llama.cpp's `src/llama-vocab.cpp`, which is what the engines run; they
are applied one after another, each inside the pieces that the one before it left. `|\s+(?!\S)` at the end needs no
`|\s+` after it: what no pattern matches stays a piece of its own. Character ranges that stand for a Unicode
category there are written as the category.
"""

from __future__ import annotations

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)"
CONTRACTIONS = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
BLANKS = r"\s*[\r\n]+|\s+(?!\S)|\s+"
TAIL = rf" ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{BLANKS}"
SLASH_TAIL = rf" ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{BLANKS}"
AROUND = r"[^\r\n\p{L}\p{N}]?"
LETTERS = rf"{AROUND}\p{{L}}+"
MARKED_LETTERS = r"[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
ASCII_PUNCTUATION = r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~]"
QWEN2 = rf"{CONTRACTIONS}|{LETTERS}|\p{{N}}|{TAIL}"
LLAMA3 = rf"{CONTRACTIONS}|{LETTERS}|\p{{N}}{{1,3}}|{TAIL}"
# an upper-case head and a lower-case tail; letters without case are both
HEAD = r"(?:(?=[\p{L}])[^a-z])"
BODY = r"(?:(?=[\p{L}])[^A-Z])"
HAN_AND_KANA = r"[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+"
HAN_AND_HANGUL = r"[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+"
WIDE_PUNCTUATION = r"\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3000-\u3002"

PATTERNS: dict[str, tuple[str, ...]] = {
    "default": (r"[\p{P}\$\+<=>\^~\|]+", GPT2, r"\p{N}+", r"[0-9][0-9][0-9]"),
    "gpt-2": (GPT2,),
    "starcoder": (r"\p{N}", GPT2),
    "qwen2": (QWEN2,),
    "qwen35": (rf"{CONTRACTIONS}|{AROUND}[\p{{L}}\p{{M}}]+|\p{{N}}| ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*|{BLANKS}",),
    "llama-bpe": (LLAMA3,),
    "tekken": (rf"{AROUND}{HEAD}*{BODY}+|{AROUND}{HEAD}+{BODY}*|\p{{N}}|{SLASH_TAIL}",),
    "gpt-4o": (
        rf"{AROUND}{HEAD}*{BODY}+{CONTRACTIONS}?|{AROUND}{HEAD}+{BODY}*{CONTRACTIONS}?|\p{{N}}{{1,3}}|{SLASH_TAIL}",
    ),
    "falcon": (r"[\p{P}\$\+<=>\^~\|`]+", GPT2, r"[0-9][0-9][0-9]"),
    "deepseek-coder": (r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", HAN_AND_HANGUL, r"\p{N}"),
    "deepseek-llm": (
        r"[\r\n]",
        r"\s?[\p{Lu}\p{Ll}\p{Lt}]+",
        rf"\s?[!-/:-~{WIDE_PUNCTUATION}]+",
        r"\s+$",
        HAN_AND_HANGUL,
        r"\p{N}+",
    ),
    "deepseek-v3": (
        r"\p{N}{1,3}",
        HAN_AND_KANA,
        rf"{ASCII_PUNCTUATION}[A-Za-z]+|{MARKED_LETTERS}| ?[\p{{P}}\p{{S}}]+[\r\n]*|{BLANKS}",
    ),
    "seed-coder": (rf"{CONTRACTIONS}|{LETTERS}|\p{{N}}| ?[^\s\p{{L}}\p{{N}}\r\n]+|{BLANKS}",),
    "bailingmoe": (rf"{CONTRACTIONS}|{LETTERS}|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+",),
}

SAME_AS = {
    "gpt-2": "phi-2 gigachat a.x-4.0 mellum modern-bert mpt olmo jais trillion exaone4 granite-docling",
    "starcoder": "refact command-r smollm codeshell exaone minerva-7b mellum2",
    "qwen2": "deepseek-r1-qwen kormo f2llmv2 megrez stablelm2 hunyuan solar-open grok-2",
    "llama-bpe": "llama3 llama-v3 falcon3 falcon-h1 pixtral midm-2.0 lfm2 dbrx smaug-bpe glm4 chatglm-bpe",
    "gpt-4o": "llama4 kanana2 talkie minimax-m2",
    "deepseek-v3": "hunyuan-dense joyai-llm hy_v4",
    "bailingmoe": "bailingmoe2 llada-moe",
}
FAMILY_OF = {alias: family for family, aliases in SAME_AS.items() for alias in aliases.split()} | {"": "default"}
"""A file from before pre-tokenizers had names is read by llama.cpp's default one."""

WHOLE_WORDS_FIRST = frozenset(
    ("llama-bpe", "llama3", "llama-v3", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2", "tekken")
)
"""Where a word that is a token is that token, whatever the merges say (llama.cpp's `ignore_merges`)."""


def patterns_of(pre: str) -> tuple[str, ...] | None:
    """The patterns of this pre-tokenizer in order; None for one that is not in the table."""
    return PATTERNS.get(FAMILY_OF.get(pre, pre))
