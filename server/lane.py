"""The engine's one lane: one request at a time, live ones first; long prompts are read in slices that nothing aborts.

An engine notices late that a client has gone while it reads a prompt, and keeps the next one waiting meanwhile. So a
long prompt goes out as a row of growing requests, each as long as somebody who types on may wait; the next slice is
cut from whatever prompt is wanted then, which mostly begins like the one before.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace

from ast_prompt.prompt import Prompt
from server.account import Account
from server.engines import Answer, Counters, Engine, Garbled, Limits, TimedOut
from server.governor import Governor

WARM_TOKENS = 24
"""So few tokens are read with the answer's own request."""
RELOADED_MS = 300.0
"""Loading that takes longer was of the model, whose cache is empty then."""


@dataclass(slots=True)
class Lane:
    engine: Callable[[], Engine]
    note: Callable[[Counters], None] = lambda counters: None
    """Is told the figures of each request."""
    governor: Governor = field(default_factory=Governor)
    account: Account = field(default_factory=Account)
    free: asyncio.Lock = field(default_factory=asyncio.Lock)
    size: int = 0
    """Which of the sizes of prompt served last, 0 the largest."""
    live: int = 0
    """Live requests that use the lane or wait for it."""
    slices: set[asyncio.Task[Counters]] = field(default_factory=set)

    def uncached(self, prompt: Prompt) -> int:
        """Tokens of a prompt that the engine will have to read, as far as is known."""
        if not prompt.text:
            return 0
        missing = len(prompt.text) - self.account.cached(prompt.text)
        return round(missing * prompt.tokens / len(prompt.text))

    async def load(self, seconds: float) -> None:
        """Have the model loaded, if it is not known to be. Raises EngineError, and TimeoutError."""
        model = await self.engine().model()
        if not self.account.known and not self.live:
            text = "x" if model.dialect.template else next(iter(model.dialect.fim), "") or "x"
            suffix = "" if model.dialect.template else None
            await self.slice(Prompt(text, suffix, "", (), 1, "", ""), seconds)

    def is_warm(self, prompt: Prompt) -> bool:
        return prompt.suffix is not None or self.governor.patient or self.uncached(prompt) <= WARM_TOKENS

    async def read(self, prompt: Prompt, seconds: float, most: int | None = None) -> Counters:
        """Read one slice of a prompt that is not warm, of at most so many tokens. Cancelled, it leaves the slice to end
        by itself.

        Raises EngineError, and TimeoutError.
        """
        task = asyncio.create_task(self.slice(self.cut(prompt, most or self.governor.slice_tokens), seconds))
        self.slices.add(task)
        task.add_done_callback(self.ended)
        return await asyncio.shield(task)

    def cut(self, prompt: Prompt, tokens: int) -> Prompt:
        """The beginning of a prompt, a slice longer than what is cached, up to a line's end where there is one."""
        begin = self.account.cached(prompt.text)
        most = round(tokens * len(prompt.text) / max(prompt.tokens, 1))
        if begin + most * 1.25 >= len(prompt.text):
            return replace(prompt, forced="", names=())
        end = prompt.text.rfind("\n", begin + most // 2, begin + most) + 1 or begin + most
        return replace(
            prompt, text=prompt.text[:end], forced="", names=(), tokens=prompt.tokens * end // len(prompt.text)
        )

    async def slice(self, prompt: Prompt, seconds: float) -> Counters:
        async with self.free:
            expected, begin = self.uncached(prompt), time.monotonic()
            with self.losses():
                async with asyncio.timeout(seconds), self.engine().stream(prompt, Limits(1, seconds)) as answer:
                    async for _ in answer:
                        pass
            self.learn(prompt, expected, answer.counters, time.monotonic() - begin)
            return answer.counters

    @contextmanager
    def losses(self) -> Iterator[None]:
        """Counts requests that came to no end."""
        try:
            yield
        except (TimedOut, Garbled, TimeoutError):
            self.governor.lost()
            raise

    def ended(self, task: asyncio.Task[Counters]) -> None:
        self.slices.discard(task)
        if not task.cancelled():
            task.exception()  # who waits hears of it; where nobody does it comes again

    @asynccontextmanager
    async def stream(self, prompt: Prompt, limits: Limits) -> AsyncIterator[Answer]:
        """The answer to a prompt, once nothing else runs. Raises EngineError."""
        async with self.free:
            expected = self.uncached(prompt)
            counters: Counters | None = None
            try:
                with self.losses():
                    async with self.engine().stream(prompt, limits) as answer:
                        counters = answer.counters
                        yield answer
            finally:
                if counters is not None:
                    self.learn(prompt, expected, counters)

    def learn(self, prompt: Prompt, expected: int, counters: Counters, seconds: float = 0.0) -> None:
        if counters.evaluated is None and not counters.prompt:  # closed before the engine told
            counters.prompt, counters.evaluated = prompt.tokens, max(expected, 1)
            counters.reckoned = True
        if counters.load_ms > RELOADED_MS:
            self.account.forget()
        self.account.correct(expected, counters.evaluated)
        if counters.generated or not counters.reckoned:  # else it was closed before it was read
            self.account.sent(prompt.text)
        self.governor.note(counters, seconds * 1000)
        self.note(counters)

    @asynccontextmanager
    async def live_request(self) -> AsyncIterator[None]:
        """While it is open no idle slice begins."""
        self.live += 1
        try:
            yield
        finally:
            self.live -= 1

    async def close(self) -> None:
        for task in list(self.slices):
            task.cancel()
        await asyncio.gather(*self.slices, return_exceptions=True)
