r"""How each model family cuts text into words before byte pairs are merged: patterns by GGUF `tokenizer.ggml.pre`.

The patterns and their aliases are those of llama.cpp's `src/llama-vocab.cpp`, which is what the engines run; they
are applied one after another, each inside the pieces that the one before it left. `|\s+(?!\S)` at the end needs no
`|\s+` after it: what no pattern matches stays a piece of its own. Character ranges that stand for a Unicode
category there are written as the category.
"""

from __future__ import annotations

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)"
CONTRACTIONS = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
TAIL = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
SLASH_TAIL = r" ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
LETTERS = r"[^\r\n\p{L}\p{N}]?\p{L}+"
QWEN2 = rf"{CONTRACTIONS}|{LETTERS}|\p{{N}}|{TAIL}"
LLAMA3 = rf"{CONTRACTIONS}|{LETTERS}|\p{{N}}{{1,3}}|{TAIL}"
# an upper-case head and a lower-case tail; letters without case are both
HEAD = r"(?:(?=[\p{L}])[^a-z])"
BODY = r"(?:(?=[\p{L}])[^A-Z])"
AROUND = r"[^\r\n\p{L}\p{N}]?"
HAN_AND_KANA = r"[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+"
HAN_AND_HANGUL = r"[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+"
WIDE_PUNCTUATION = r"\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3000-\u3002"

PATTERNS: dict[str, tuple[str, ...]] = {
    "default": (r"[\p{P}\$\+<=>\^~\|]+", GPT2, r"\p{N}+", r"[0-9][0-9][0-9]"),
    "gpt-2": (GPT2,),
    "starcoder": (r"\p{N}", GPT2),
    "qwen2": (QWEN2,),
    "qwen35": (
        rf"{CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?[\p{{L}}\p{{M}}]+|\p{{N}}| ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+",
    ),
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
        r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
        r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    ),
    "seed-coder": (rf"{CONTRACTIONS}|{LETTERS}|\p{{N}}| ?[^\s\p{{L}}\p{{N}}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+",),
    "bailingmoe": (
        rf"'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])|{LETTERS}|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*"
        r"|\s*[\r\n]|\s+(?!\S)|\s+",
    ),
}

ALIASES: dict[str, str] = {
    "": "default",
    **dict.fromkeys(
        [
            "phi-2",
            "gigachat",
            "a.x-4.0",
            "mellum",
            "modern-bert",
            "mpt",
            "olmo",
            "jais",
            "trillion",
            "exaone4",
            "granite-docling",
        ],
        "gpt-2",
    ),
    **dict.fromkeys(
        ["refact", "command-r", "smollm", "codeshell", "exaone", "minerva-7b", "mellum2"],
        "starcoder",
    ),
    **dict.fromkeys(
        ["deepseek-r1-qwen", "kormo", "f2llmv2", "megrez", "stablelm2", "hunyuan", "solar-open", "grok-2"],
        "qwen2",
    ),
    **dict.fromkeys(
        [
            "llama3",
            "llama-v3",
            "falcon3",
            "falcon-h1",
            "pixtral",
            "midm-2.0",
            "lfm2",
            "dbrx",
            "smaug-bpe",
            "glm4",
            "chatglm-bpe",
        ],
        "llama-bpe",
    ),
    **dict.fromkeys(["llama4", "kanana2", "talkie", "minimax-m2"], "gpt-4o"),
    **dict.fromkeys(["hunyuan-dense", "joyai-llm", "hy_v4"], "deepseek-v3"),
    **dict.fromkeys(["bailingmoe2", "llada-moe"], "bailingmoe"),
}

WHOLE_WORDS_FIRST = frozenset(
    ["llama-bpe", "llama3", "llama-v3", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2", "tekken"]
)
"""Where a word that is a token is that token, whatever the merges say (llama.cpp's `ignore_merges`)."""


def patterns_of(pre: str) -> tuple[str, ...] | None:
    """The patterns of this pre-tokenizer in order; None for one that is not in the table."""
    return PATTERNS.get(ALIASES.get(pre, pre))
