"""Which engine the settings mean; `auto` finds out when it is first asked."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from math import inf
from typing import Any

from ast_prompt.prompt import Prompt
from server.engines import Answer, Engine, EngineError, Limits, Model, Refused, Unreachable
from server.engines.embedded import Embedded, why_not_here
from server.engines.ollama import Ollama
from server.engines.scripted import Scripted
from server.settings import Settings

LOOK_AGAIN_SECONDS = 30.0
"""How often it is looked whether an Ollama runs by now, while the embedded engine answers."""


def engine_of(settings: Settings) -> Engine:
    match settings.engine:
        case "ollama":
            return Ollama(settings)
        case "embedded":
            return Embedded(settings)
        case "scripted":
            return Scripted()
        case "auto":
            return Automatic(settings)


@dataclass(slots=True)
class Automatic:
    """Ollama where a server answers that has a model, else the embedded engine.

    Chosen once, however many ask at once and whoever of them stops waiting; and anew when the chosen one can't be
    reached any more.
    """

    settings: Settings
    chosen: Engine | None = None
    choosing: asyncio.Task[Engine] | None = None
    looking: asyncio.Task[Engine | None] | None = None
    """For an Ollama that was started after the editor."""
    looked: float = field(default=-inf)

    @property
    def name(self) -> str:
        return "auto" if self.chosen is None else self.chosen.name

    async def model(self) -> Model:
        await self.change_over()
        if self.chosen is not None:
            try:
                return await self.chosen.model()
            except Unreachable:
                gone, self.chosen = self.chosen, None
                await gone.close()
        return await (await self.engine()).model()

    async def engine(self) -> Engine:
        """The chosen one. Raises EngineError where there is none."""
        if self.chosen is None:
            if self.choosing is None or self.choosing.done():
                self.choosing = asyncio.create_task(self.choose())
                self.choosing.add_done_callback(heard)
            return await asyncio.shield(self.choosing)
        return self.chosen

    async def choose(self) -> Engine:
        """Keeps what it finds itself: whoever asked may have gone by then."""
        self.chosen = await choose(self.settings)
        return self.chosen

    async def change_over(self) -> None:
        """From the embedded engine to an Ollama that answers by now; between two requests, and looked for beside
        them."""
        if self.chosen is None or self.chosen.name != "embedded":
            return
        if self.looking is not None and self.looking.done():
            found, self.looking = self.looking.result(), None
            if found is not None:
                embedded, self.chosen = self.chosen, found
                await embedded.close()
        elif self.looking is None and time.monotonic() - self.looked > LOOK_AGAIN_SECONDS:
            self.looked = time.monotonic()
            self.looking = asyncio.create_task(answering_ollama(self.settings))

    @asynccontextmanager
    async def stream(self, prompt: Prompt, limits: Limits) -> AsyncIterator[Answer]:
        async with (await self.engine()).stream(prompt, limits) as answer:
            yield answer

    async def close(self) -> None:
        for task in (self.choosing, self.looking):
            if task is not None:
                task.cancel()
                (found,) = await asyncio.gather(task, return_exceptions=True)
                if not isinstance(found, BaseException | None) and found is not self.chosen:
                    await found.close()
        if self.chosen is not None:
            await self.chosen.close()
        self.chosen = self.choosing = self.looking = None


def heard(task: asyncio.Task[Any]) -> None:
    """An error for which nobody waits any more comes again at the next request, and needs no report."""
    if not task.cancelled():
        task.exception()


async def choose(settings: Settings) -> Engine:
    """Raises EngineError where neither can complete: the message names both reasons."""
    ollama = Ollama(settings)
    try:
        await ollama.model()
    except (Unreachable, Refused) as error:
        await ollama.close()
        absent = await asyncio.to_thread(why_not_here, settings)
        if absent is not None:
            raise type(error)(f"{error}; and {absent}") from error
        return Embedded(settings)
    except BaseException:
        await ollama.close()
        raise
    return ollama


async def answering_ollama(settings: Settings) -> Engine | None:
    ollama = Ollama(settings)
    try:
        await ollama.model()
    except EngineError:
        await ollama.close()
        return None
    except BaseException:
        await ollama.close()
        raise
    return ollama


async def installed_models(settings: Settings) -> list[str]:
    """The names of Ollama's models; none where it does not answer."""
    ollama = Ollama(settings)
    try:
        return await ollama.installed()
    except EngineError:
        return []
    finally:
        await ollama.close()
