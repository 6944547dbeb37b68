"""Ollama: `/api/generate`, raw and streamed, with options that never make it load the model again."""

from __future__ import annotations

import asyncio
import gc
import math
import os
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace

import httpx

from ast_prompt.prompt import Prompt
from server.engines import VARIED, Counters, EngineError, Garbled, Limits, Model, Refused, Unreachable
from server.engines.healing import Alternatives, Candidate, fitting
from server.engines.ollama_client import OllamaClient, Request, Response
from server.engines.ollama_errors import mapped, one_line
from server.engines.ollama_models import Known, in_order, known_of, loaded_model, models_of, names_of
from server.settings import Settings

CONNECT_SECONDS = 3.0
ALTERNATIVES = 20
"""Likeliest tokens that Ollama gives at most."""
BELIEVED = 0.5
"""Seconds for which a model counts as loaded as it was: another program needs longer to load it otherwise."""
MOST_PROBES = 4
"""Tokens that healing may take: three are enough for the indentation of a deeply nested line."""
MOST_LOOKED_AT = 8
"""Models whose vocabulary, 4 MB each, is read to find one."""


class Ollama:
    name = "ollama"

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._client: OllamaClient | None = None
        self.digest = ""
        """Of the model's file, as it is loaded."""
        self.known: asyncio.Task[Known] | None = None
        self.model_now: Model | None = None
        self.looked_at = -math.inf
        """When it was looked which context the model is loaded with."""
        self.alternatives = Alternatives()

    @property
    def client(self) -> OllamaClient:
        """Raises Unreachable for a host that is no address."""
        if self._client is None:
            try:
                self._client = OllamaClient(self.settings.host or None, CONNECT_SECONDS)
            except (ValueError, httpx.InvalidURL) as error:
                raise Unreachable(
                    one_line(f"{self.wanted!r} is no address of an Ollama ({error}): set kireji.host or OLLAMA_HOST")
                ) from error
        return self._client

    @property
    def address(self) -> str:
        """Where it is looked for; as it was given, if that is no address."""
        try:
            return self.client.address
        except Unreachable:
            return self.wanted

    @property
    def wanted(self) -> str:
        return self.settings.host or os.getenv("OLLAMA_HOST") or "127.0.0.1:11434"

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
        if self.model_now is not None and time.monotonic() < self.looked_at + BELIEVED:
            return self.model_now
        self.looked_at = time.monotonic()
        context = await self.loaded_context() or min(self.settings.contextLength, known.most_context)
        self.model_now = Model(known.name, context, known.dialect, known.vocabulary)
        return self.model_now

    async def loaded_context(self) -> int | None:
        """Tokens of context with which the model is loaded; None where it is not."""
        known = await self.known_model()
        async with mapped(self, known.name):
            loaded = loaded_model(await self.client.get("/api/ps"), known.name)
        if loaded is None:
            return None
        digest = str(loaded.get("digest", ""))
        if self.digest and digest != self.digest:
            self.forget()  # another file under the same name, with another vocabulary perhaps
        self.digest = digest
        length = loaded.get("context_length")
        return length if isinstance(length, int) and length > 0 else None

    def forget(self) -> None:
        """Look the model up anew at the next request."""
        self.known = self.model_now = None
        self.alternatives = Alternatives()

    async def known_model(self) -> Known:
        """Looked up once, however many ask at once; after a failure the next one asks again."""
        if self.known is None or has_failed(self.known):
            self.known = asyncio.create_task(self.look_up())
        return await asyncio.shield(self.known)

    async def look_up(self) -> Known:
        async with mapped(self, self.settings.model):
            if self.settings.model:
                return await self.about(self.settings.model)
            return await self.best_installed()

    async def installed(self) -> list[str]:
        """The models' names, the best first. Raises EngineError."""
        async with mapped(self, ""):
            loaded, installed = await self.client.get("/api/ps"), await self.client.get("/api/tags")
        return in_order(names_of(loaded), {str(one.get("name")): one.get("size", 0) for one in models_of(installed)})

    async def about(self, name: str) -> Known:
        known = await asyncio.to_thread(known_of, name, await self.client.show(name))
        gc.freeze()  # looking through a vocabulary, collecting garbage would hold the event loop for 5 to 10 ms
        return known

    async def best_installed(self) -> Known:
        """The first that knows fill-in-the-middle: of the preferred families first, and of what is loaded; else any
        that completes at all."""
        found: list[Known] = []
        for name in (await self.installed())[:MOST_LOOKED_AT]:
            known = await self.about(name)
            if known.completes and known.dialect.sees_after:
                return known
            found += [known] if known.completes else []
        if not found:
            raise Refused("Ollama has no model that completes: get one with `ollama pull qwen2.5-coder:0.5b`")
        return found[0]

    @asynccontextmanager
    async def stream(self, prompt: Prompt, limits: Limits) -> AsyncIterator[OllamaAnswer]:
        # the model for which the prompt was built
        yield OllamaAnswer(self, self.model_now or await self.model(), prompt, limits)

    async def close(self) -> None:
        if self.known is not None:
            self.known.cancel()
            await asyncio.gather(self.known, return_exceptions=True)
        if self._client is not None:
            await self._client.close()

    def request(self, model: Model, text: str, prompt: Prompt, limits: Limits, alternatives: bool) -> Request:
        """`limits` tell of this request."""

        return Request(
            model=model.name,
            prompt=text,
            suffix=prompt.suffix,
            raw=True if prompt.suffix is None else None,
            think=False if self.thinks else None,
            stream=True,
            truncate=False,
            keep_alive=self.settings.keepAlive,
            logprobs=alternatives or None,
            top_logprobs=ALTERNATIVES if alternatives else None,
            options={
                "num_ctx": model.context,
                "num_predict": limits.max_tokens,
                "temperature": VARIED if limits.seed else 0,
                "stop": [*prompt.stop, *limits.stop],
            }
            | ({"seed": limits.seed} if limits.seed else {}),
        )


def has_failed(task: asyncio.Task[Known]) -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)


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
            if token is None:  # what is typed goes on as the nearest name does, if one does
                text, forced = self.prompt.text + self.prompt.forced, ""
                if self.prompt.names:
                    text += self.prompt.names[0]
                    yield self.prompt.names[0]
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
        if (known := self.engine.alternatives.find(text)) is not None:
            return known
        written = [piece.response async for piece in self.asked(text, 1, probe=True) if piece.response]
        return self.engine.alternatives.find(text) or [Candidate(token, 0.0) for token in written]

    async def asked(self, text: str, tokens: int, probe: bool = False) -> AsyncGenerator[Response, None]:
        limits = Limits(tokens, self.limits.seconds) if probe else replace(self.limits, max_tokens=tokens)
        # takes 6 % of a token's time, and healing at the next place a whole request less
        alternatives = probe or (self.prompt.suffix is None and tokens > 1)
        request = self.engine.request(self.model, text, self.prompt, limits, alternatives)
        self.counters.requests += 1
        self.counters.cut = False
        read, written, done = 0, 0, False
        try:
            async with mapped(self.engine, self.model.name), self.engine.client.generating(request) as lines:
                async for line in lines:
                    if line.error:
                        raise Garbled(one_line(f"Ollama broke off: {line.error}"))
                    read += 1
                    written += bool(line.response)
                    text = self.note(text, line)
                    done = bool(line.done)
                    if done and line.done_reason == "load":
                        raise Garbled("Ollama loaded the model, and wrote nothing")
                    if done:
                        count(self.counters, line)
                    elif read > tokens:  # a line is a token, or more: it does not keep to the limit
                        self.counters.cut = True
                        return
                    yield line
            if not done:
                raise Garbled("Ollama's answer ended before it was done: see its log")
        except EngineError:
            self.engine.looked_at = -math.inf  # it may be another one, or none, by the next request
            raise
        finally:
            if not done:
                count_unfinished(self.counters, written)

    def note(self, text: str, line: Response) -> str:
        """Keep what else could have come behind `text`; the text behind what did."""
        for place in line.logprobs or ():
            found = [Candidate(token.token, token.logprob) for token in place.top_logprobs or (place,)]
            self.engine.alternatives.keep(text, found)
            text += place.token
        return text


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
    counters.cut = last.done_reason == "length"
    counters.load_ms += (last.load_duration or 0) / 1e6
    counters.prefill_ms += (last.prompt_eval_duration or 0) / 1e6
    counters.decode_ms += (last.eval_duration or 0) / 1e6
