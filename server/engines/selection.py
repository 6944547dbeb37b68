"""Which engine the settings mean; `auto` finds out when it is first asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from ast_prompt.prompt import Prompt
from server.engines import Answer, Engine, Limits, Model, Refused, Unreachable
from server.engines.embedded import Embedded, why_not_here
from server.engines.ollama import Ollama
from server.engines.scripted import Scripted
from server.settings import Settings


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

    When the chosen one can't be reached any more the choice is made anew.
    """

    settings: Settings
    chosen: Engine | None = field(default=None)

    @property
    def name(self) -> str:
        return "auto" if self.chosen is None else self.chosen.name

    async def model(self) -> Model:
        if self.chosen is not None:
            try:
                return await self.chosen.model()
            except Unreachable:
                gone, self.chosen = self.chosen, None
                await gone.close()
        return await (await self.choose()).model()

    async def choose(self) -> Engine:
        ollama = Ollama(self.settings)
        try:
            await ollama.model()
        except (Unreachable, Refused) as error:
            await ollama.close()
            absent = await asyncio.to_thread(why_not_here, self.settings)
            if absent is not None:
                raise type(error)(f"{error}; and {absent}") from error
            self.chosen = Embedded(self.settings)
        else:
            self.chosen = ollama
        return self.chosen

    @asynccontextmanager
    async def stream(self, prompt: Prompt, limits: Limits) -> AsyncIterator[Answer]:
        engine = self.chosen or await self.choose()
        async with engine.stream(prompt, limits) as answer:
            yield answer

    async def close(self) -> None:
        if self.chosen is not None:
            await self.chosen.close()
