"""Engines: who turns a prompt into text, behind one interface.

An engine streams; leaving the stream closes the connection, which frees the engine's slot. What goes wrong
is one of four: `Unreachable`, `Refused`, `TimedOut`, `Garbled`. No other exception leaves an engine.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol

from ast_prompt.dialect import Dialect
from ast_prompt.prompt import Prompt
from ast_prompt.vocabulary import Vocabulary


class Engine(Protocol):
    """One place where a model runs."""

    @property
    def name(self) -> str:
        """`ollama`, `embedded` or `scripted`: what the user reads."""
        ...

    async def model(self) -> Model:
        """The model that answers here, with its context as it is loaded now. Raises EngineError."""
        ...

    def stream(self, prompt: Prompt, limits: Limits) -> AbstractAsyncContextManager[Answer]:
        """The answer to `prompt`, as it is written, without `prompt.forced`, with which it begins.

        Entering raises EngineError. Closing the iterator closes the connection.
        """
        ...

    async def close(self) -> None:
        """Let go of connections, and of what the engine started itself."""
        ...


class Answer(Protocol):
    """Pieces of text in order; a piece never ends inside a character. Iterating raises EngineError."""

    counters: Counters

    def __aiter__(self) -> AsyncGenerator[str, None]: ...


@dataclass(frozen=True, slots=True)
class Limits:
    max_tokens: int
    seconds: float
    """For the whole answer, loading the model included."""
    stop: tuple[str, ...] = ()
    """What ends the answer, beside the prompt's own marks; it is not part of it."""
    seed: int = 0
    """0: the likeliest tokens; else they are drawn, by each number otherwise."""


VARIED = 0.8
"""The temperature at which tokens are drawn."""


@dataclass(slots=True)
class Counters:
    """The engine's own figures of one answer; filled in as they become known."""

    prompt: int = 0
    """Tokens of the whole prompt."""
    evaluated: int | None = None
    """Tokens of it that had to be read, since they were not in the engine's cache; None: it does not say."""
    reckoned: bool = False
    """Whether these two are what we think, since the answer was closed before the engine told."""
    generated: int = 0
    cut: bool = False
    """Whether the limit of tokens ended the answer."""
    requests: int = 0
    """Requests that the answer took: healing may need more than one."""
    load_ms: float = 0.0
    prefill_ms: float = 0.0
    decode_ms: float = 0.0

    def add(self, other: Counters) -> None:
        """Those of a further request of the same completion."""
        self.prompt = max(self.prompt, other.prompt)
        if other.evaluated is not None:
            self.evaluated = (self.evaluated or 0) + other.evaluated
        self.reckoned = self.reckoned or other.reckoned
        self.generated += other.generated
        self.cut = other.cut
        self.requests += other.requests
        self.load_ms += other.load_ms
        self.prefill_ms += other.prefill_ms
        self.decode_ms += other.decode_ms


@dataclass(frozen=True, slots=True)
class Model:
    name: str
    context: int
    """Tokens that prompt and answer share."""
    dialect: Dialect
    vocabulary: Vocabulary | None = field(repr=False)
    """None where the engine does not give it; tokens are then estimated."""


class EngineError(Exception):
    """The message says what happened and what to do about it, in one line."""


class Unreachable(EngineError):
    """Nobody answers there."""


class Refused(EngineError):
    """It answers, but not this: the model is missing, the prompt too long, the key wrong."""


class TimedOut(EngineError):
    """It did not answer in time."""


class Garbled(EngineError):
    """The answer broke off or can't be read; what came of it is void."""
