"""Ollama: `/api/generate`, raw and streamed, with options that never make it load the model again."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from math import inf
from typing import Any

import httpx

from ast_prompt.dialect import PLAIN, TEMPLATE, Dialect, dialect_of
from ast_prompt.prompt import Prompt
from ast_prompt.vocabulary import Vocabulary, vocabulary_of
from server.engines import Counters, EngineError, Garbled, Limits, Model, Refused, TimedOut, Unreachable
from server.engines.healing import Candidate, fitting
from server.engines.ollama_client import OllamaClient, Request, Response
from server.settings import Settings

log = logging.getLogger(__name__)

CONNECT_SECONDS = 3.0
ALTERNATIVES = 20
"""Likeliest tokens that Ollama gives at most."""
MOST_PROBES = 4
"""Tokens that healing may take: three are enough for the indentation of a deeply nested line."""
FRESH_SECONDS = 1.0
"""After an answer no other client has loaded the model with another context yet: loading takes longer than this."""
MOST_LOOKED_AT = 8
"""Models whose vocabulary, 4 MB each, is read to find one."""
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


class Ollama:
    name = "ollama"

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.client = OllamaClient(settings.host or None, CONNECT_SECONDS)
        self.known: asyncio.Task[Known] | None = None
        self.model_now: Model | None = None
        self.answered = -inf
        """When the model last answered a request of ours, on the monotonic clock."""

    @property
    def address(self) -> str:
        return self.client.address

    @property
    def thinks(self) -> bool:
        """Whether the model would think first if it were not told not to."""
        done = self.known is not None and self.known.done() and not self.known.cancelled()
        return done and self.known is not None and self.known.exception() is None and self.known.result().thinks

    async def version(self) -> str:
        async with mapped(self, ""):
            return str((await self.client.get("/api/version")).get("version", "?"))

    async def model(self) -> Model:
        """The context is that with which the model is loaded now, by whomever: another one would load it again."""
        known = await self.known_model()
        if self.model_now is None or time.monotonic() - self.answered > FRESH_SECONDS:
            context = await self.loaded_context() or min(self.settings.contextLength, known.most_context)
            self.model_now = Model(known.name, context, known.dialect, known.vocabulary)
        return self.model_now

    async def loaded_context(self) -> int | None:
        """Tokens of context with which the model is loaded; None where it is not."""
        known = await self.known_model()
        async with mapped(self, known.name):
            return context_of(await self.client.get("/api/ps"), known.name)

    async def known_model(self) -> Known:
        """Looked up once, however many ask at once; after a failure the next one asks again."""
        if self.known is None:
            self.known = asyncio.create_task(self.look_up())
        try:
            return await asyncio.shield(self.known)
        except EngineError:
            self.known = None
            raise

    async def look_up(self) -> Known:
        async with mapped(self, self.settings.model):
            if self.settings.model:
                return await self.about(self.settings.model)
            return await self.best_installed()

    async def about(self, name: str) -> Known:
        return await asyncio.to_thread(known_of, name, await self.client.show(name))

    async def best_installed(self) -> Known:
        """The first that knows fill-in-the-middle: of the preferred families first, and of what is loaded; else any
        that completes at all."""
        names = names_of(await self.client.get("/api/ps")) + names_of(await self.client.get("/api/tags"))
        ranks = {family: rank for rank, family in enumerate(PREFERRED)}
        best = sorted(
            dict.fromkeys(names), key=lambda name: next((ranks[f] for f in PREFERRED if f in name), len(ranks))
        )
        found: list[Known] = []
        for name in best[:MOST_LOOKED_AT]:
            known = await self.about(name)
            if known.completes and known.dialect.sees_after:
                return known
            found += [known] if known.completes else []
        if not found:
            raise Refused("Ollama has no model that completes: get one with `ollama pull qwen2.5-coder:0.5b`")
        return found[0]

    @asynccontextmanager
    async def stream(self, prompt: Prompt, limits: Limits) -> AsyncIterator[OllamaAnswer]:
        yield OllamaAnswer(self, await self.model(), prompt, limits)

    async def close(self) -> None:
        if self.known is not None:
            self.known.cancel()
        await self.client.close()

    def request(
        self, model: Model, text: str, prompt: Prompt, tokens: int, stop: tuple[str, ...], probe: bool
    ) -> Request:
        return Request(
            model=model.name,
            prompt=text,
            suffix=prompt.suffix,
            raw=True if prompt.suffix is None else None,
            think=False if self.thinks else None,
            stream=True,
            truncate=False,
            keep_alive=self.settings.keepAlive,
            logprobs=probe or None,
            top_logprobs=ALTERNATIVES if probe else None,
            options={
                "num_ctx": model.context,
                "num_predict": tokens,
                "temperature": 0,
                "stop": [*prompt.stop, *stop],
            },
        )


@dataclass(slots=True)
class OllamaAnswer:
    engine: Ollama
    model: Model
    prompt: Prompt
    limits: Limits
    counters: Counters = field(default_factory=Counters)

    async def __aiter__(self) -> AsyncGenerator[str, None]:
        text, forced = self.prompt.text, self.prompt.forced
        for _ in range(MOST_PROBES):
            if not forced:
                break
            token = fitting(await self.probed(text), forced, text, self.prompt.stop)
            if token is None:
                text, forced = self.prompt.text + self.prompt.forced, ""
                break
            text += token
            if len(token) > len(forced):
                yield token[len(forced) :]
            forced = forced[len(token) :]
        async with aclosing(self.asked(text + forced, self.limits.max_tokens)) as answer:
            async for piece in answer:
                if piece.response:
                    yield piece.response

    async def probed(self, text: str) -> list[Candidate]:
        """The likeliest next tokens; where Ollama gives none (before 0.12.11), the one that it writes."""
        found: list[Candidate] = []
        async for piece in self.asked(text, 1, probe=True):
            for place in piece.logprobs or ():
                found += [Candidate(token.token, token.logprob) for token in place.top_logprobs or (place,)]
            if piece.response and not piece.logprobs:
                found.append(Candidate(piece.response, 0.0))
        return found

    async def asked(self, text: str, tokens: int, probe: bool = False) -> AsyncGenerator[Response, None]:
        stop = () if probe else self.limits.stop
        request = self.engine.request(self.model, text, self.prompt, tokens, stop, probe)
        self.counters.requests += 1
        written, done = 0, False
        try:
            async with mapped(self.engine, self.model.name), self.engine.client.generating(request) as lines:
                async for line in lines:
                    if line.error:
                        raise Garbled(one_line(f"Ollama broke off: {line.error}"))
                    written += bool(line.response)
                    done = bool(line.done)
                    self.engine.answered = time.monotonic()
                    if done:
                        count(self.counters, line)
                    yield line
            if not done:
                raise Garbled("Ollama's answer ended before it was done: see its log")
        finally:
            if not done:
                count_unfinished(self.counters, written)


def count_unfinished(counters: Counters, written: int) -> None:
    """Of an answer that was left early the figures never come. A line is a token; and behind a probe, which had
    the same prompt less a token, the engine reads that one."""
    counters.generated += written
    if counters.evaluated is not None:
        counters.evaluated += 1


def count(counters: Counters, last: Response) -> None:
    whole = last.prompt_eval_count or 0
    counters.prompt = max(counters.prompt, whole)
    if last.prompt_eval_cached_count is not None:
        counters.evaluated = (counters.evaluated or 0) + whole - last.prompt_eval_cached_count
    counters.generated += last.eval_count or 0
    counters.load_ms += (last.load_duration or 0) / 1e6
    counters.prefill_ms += (last.prompt_eval_duration or 0) / 1e6
    counters.decode_ms += (last.eval_duration or 0) / 1e6


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


def context_of(loaded: dict[str, Any], name: str) -> int | None:
    """The context length with which a model is loaded; None where it is not."""
    for model in loaded.get("models") or ():
        if full_name(name) in (model.get("name"), model.get("model")):
            length = model.get("context_length")
            return length if isinstance(length, int) and length > 0 else None
    return None


def names_of(listed: dict[str, Any]) -> list[str]:
    return [str(model["name"]) for model in listed.get("models") or () if model.get("name")]


def full_name(name: str) -> str:
    return name if ":" in name.rpartition("/")[2] else f"{name}:latest"


@asynccontextmanager
async def mapped(engine: Ollama, model: str) -> AsyncIterator[None]:
    """The only place where foreign errors become ours."""
    try:
        yield
    except httpx.HTTPStatusError as error:
        raise refusal(engine, model, error.response) from error
    except (httpx.ConnectError, httpx.ConnectTimeout, httpx.UnsupportedProtocol, httpx.InvalidURL) as error:
        raise Unreachable(
            f"no Ollama at {engine.address}: start it with `ollama serve`, or set kireji.host or OLLAMA_HOST"
        ) from error
    except httpx.TimeoutException as error:
        raise TimedOut(f"Ollama at {engine.address} went silent") from error
    except httpx.TransportError as error:
        raise Garbled(one_line(f"the connection to Ollama at {engine.address} broke: {error}")) from error
    except (ValueError, TypeError) as error:
        raise Garbled(one_line(f"Ollama at {engine.address} answered what can't be read: {error}")) from error


def refusal(engine: Ollama, model: str, response: httpx.Response) -> EngineError:
    """What Ollama says is wrong, and what to do about it."""
    said = reason_given(response)
    if said is None:
        found = f"{response.url} answered {response.status_code}, not as Ollama does: check kireji.host"
        return Refused(one_line(f"{found}. {response.text}"))
    if response.status_code == 404 and "not found" in said:
        return Refused(one_line(f"Ollama says: {said}. Get it with `ollama pull {model_in(said) or model}`"))
    if ("exceed" in said and "n_ctx" in said) or "context" in said:
        return Refused(one_line(f"Ollama says: {said}. Lower kireji.promptTokens"))
    if response.status_code in (401, 403):
        return Refused(one_line(f"Ollama at {engine.address} says: {said}. Check OLLAMA_API_KEY and kireji.host"))
    return Refused(one_line(f"Ollama says: {said}"))


def reason_given(response: httpx.Response) -> str | None:
    try:
        found = response.json()
    except ValueError:
        return None
    return str(found["error"]) if isinstance(found, dict) and "error" in found else None


def model_in(said: str) -> str:
    parts = said.split("'")
    return parts[1] if len(parts) > 2 else ""


def one_line(text: str, most: int = 290) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"
