"""The newest question of a document wins; equal questions share one answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class Asked(Generic[T]):
    """A question under way."""

    question: Hashable
    task: asyncio.Task[T]
    waiting: int = 0


@dataclass(slots=True)
class Latest(Generic[T]):
    """At most one question under way for each document.

    A newer one cancels the older, for which CancelledError is raised. An editor may ask the same question twice
    at once, for its ghost text and for its popup: both wait for one answer.
    """

    running: dict[str, Asked[T]] = field(default_factory=dict)

    async def ask(self, document: str, question: Hashable, answer: Callable[[], Awaitable[T]]) -> T:
        asked = self.running.get(document)
        if asked is None or asked.task.done() or asked.question != question:
            self.drop(document)
            asked = Asked(question, asyncio.ensure_future(answer()))
            self.running[document] = asked
        asked.waiting += 1
        try:
            return await asyncio.shield(asked.task)
        finally:
            asked.waiting -= 1
            if not asked.waiting:
                asked.task.cancel()  # nobody waits any more: the engine's stream closes
                if self.running.get(document) is asked:
                    del self.running[document]

    def drop(self, document: str) -> None:
        asked = self.running.pop(document, None)
        if asked is not None:
            asked.task.cancel()

    def drop_all(self) -> None:
        for document in list(self.running):
            self.drop(document)
