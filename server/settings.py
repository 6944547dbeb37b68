"""Settings: one place for names, types, defaults and what they mean.

The same names serve in `initializationOptions`, in `workspace/configuration` (section `kireji`) and, with dashes,
on the command line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, get_args, get_type_hints

EngineName = Literal["auto", "ollama", "embedded", "scripted"]


def setting(default: Any, says: str, least: float | None = None, most: float | None = None) -> Any:
    return field(default=default, metadata={"says": says, "least": least, "most": most})


@dataclass(frozen=True, slots=True)
class Settings:
    engine: EngineName = setting(
        "auto", "Who completes: auto takes Ollama where a server answers, else the embedded engine."
    )
    model: str = setting("", "The model's name; empty: the best code model that the engine has.")
    host: str = setting("", "Ollama's address; empty: OLLAMA_HOST, else 127.0.0.1:11434.")
    keepAlive: str = setting("30m", "How long Ollama keeps the model in memory when nobody asks.")
    contextLength: int = setting(
        8192, "Tokens of context with which a model is loaded that is not loaded yet.", 1024, 131_072
    )
    promptTokens: int = setting(1024, "Tokens of the prompt at most.", 64, 32_768)
    maxTokens: int = setting(96, "Tokens of an answer at most.", 1, 1024)
    timeout: float = setting(30.0, "Seconds that an answer may take, loading the model included.", 0.1, 600)
    comments: bool = setting(False, "Complete inside comments and docstrings.")
    strings: bool = setting(True, "Complete inside strings.")
    showDelay: int = setting(0, "Milliseconds after the last key before a new suggestion is shown.", 0, 5000)
    backOff: bool = setting(True, "Show later while one suggestion after the other is left unused.")
    remember: bool = setting(True, "Keep answers in your cache folder, so that the next session has them at once.")
    warmUp: bool = setting(True, "Load the model when a file is opened, and read ahead while nothing is typed.")
    speculate: bool = setting(True, "While a suggestion is looked at, answer what follows it.")
    popup: bool = setting(True, "Offer completions in the popup menu too (textDocument/completion).")


NAMES = {entry.name: entry for entry in fields(Settings)}
HINTS = get_type_hints(Settings)


def with_values(settings: Settings, values: object) -> tuple[Settings, list[str]]:
    """The settings with what `values` sets, and one sentence for each value that is wrong, which changes nothing.

    `values` may be nested under `kireji`. None means: not set.
    """
    if values is None:
        return settings, []
    if not isinstance(values, Mapping):
        return settings, [f"Kireji's settings are a {type(values).__name__}, not an object; they were left out."]
    values = values.get("kireji", values) if isinstance(values.get("kireji"), Mapping) else values
    good: dict[str, Any] = {}
    problems = []
    for name, value in values.items():
        if name not in NAMES or value is None:
            continue
        problem = what_is_wrong(name, value)
        if problem is None:
            good[name] = float(value) if HINTS[name] is float else value
        else:
            problems.append(f"kireji.{name} {problem}; {getattr(settings, name)!r} stays.")
    return replace(settings, **good), problems


def what_is_wrong(name: str, value: object) -> str | None:
    """What the value should have been, or None where it is right."""
    hint, limits = HINTS[name], NAMES[name].metadata
    if choices := get_args(hint):
        return None if value in choices else f"is {value!r}, which is none of {', '.join(choices)}"
    wanted: tuple[type, ...] = (int, float) if hint is float else (hint,)
    if not isinstance(value, wanted) or (isinstance(value, bool) and hint is not bool):
        return f"is {value!r}, not {WORDS[hint]}"
    if isinstance(value, int | float) and not isinstance(value, bool):
        least, most = limits["least"], limits["most"]
        if not least <= value <= most:
            return f"is {value}, not between {least} and {most}"
    return None


WORDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}
