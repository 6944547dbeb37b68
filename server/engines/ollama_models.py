"""What Ollama says of its models: vocabulary and dialect, which are installed, which is loaded."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from ast_prompt.dialect import PLAIN, TEMPLATE, Dialect, dialect_of
from ast_prompt.vocabulary import Vocabulary, vocabulary_of
from server.engines import Garbled

PREFERRED = ("qwen2.5-coder", "qwen3-coder", "codestral", "mellum", "starcoder2", "deepseek-coder", "codegemma")
"""Families tried first where the user names no model."""


@dataclass(frozen=True, slots=True)
class Known:
    """What does not change about a model while it is installed."""

    name: str
    most_context: int
    dialect: Dialect
    vocabulary: Vocabulary | None
    thinks: bool = False
    completes: bool = True
    """False: it is for embeddings."""


def known_of(name: str, raw: bytes) -> Known:
    """Read off what `/api/show` says: 0.3 s of work, not for the event loop."""
    try:
        about = json.loads(raw)
        info = about.get("model_info") or {}
        vocabulary = vocabulary_of(info)
        most = next((int(value) for key, value in info.items() if key.endswith(".context_length")), 1 << 20)
    except (ValueError, TypeError, AttributeError) as error:
        raise Garbled(f"Ollama says nothing readable about {name}: {error}") from error
    can = about.get("capabilities") or ("completion",)
    thinks, completes = "thinking" in can, "completion" in can
    if vocabulary is not None:
        return Known(name, most, dialect_of(vocabulary.special), vocabulary, thinks, completes)
    # without a vocabulary the model's own template may still know where a suffix goes
    return Known(name, most, TEMPLATE if "insert" in can else PLAIN, None, thinks, completes)


def loaded_model(loaded: dict[str, Any], name: str) -> dict[str, Any] | None:
    """What `/api/ps` says of a model; None where it is not loaded."""
    for model in loaded.get("models") or ():
        if full_name(name) in (model.get("name"), model.get("model")):
            found: dict[str, Any] = model
            return found
    return None


def models_of(listed: dict[str, Any]) -> list[dict[str, Any]]:
    return [model for model in listed.get("models") or () if model.get("name")]


def names_of(listed: dict[str, Any]) -> list[str]:
    return [str(model["name"]) for model in models_of(listed)]


def in_order(loaded: list[str], sizes: dict[str, int]) -> list[str]:
    """Names, best first: the preferred families, in them what is loaded, then what is smallest and so quickest."""

    def key(name: str) -> tuple[int, bool, int]:
        rank = next((rank for rank, family in enumerate(PREFERRED) if family in name), len(PREFERRED))
        return rank, name not in loaded, sizes.get(name, 0)

    return sorted(dict.fromkeys([*loaded, *sizes]), key=key)


def full_name(name: str) -> str:
    return name if ":" in name.rpartition("/")[2] else f"{name}:latest"
