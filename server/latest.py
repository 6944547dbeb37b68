"""The newest question wins; equal questions share one answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class Asked(Generic[T]):
    """A question under way."""

    document: str
    question: Hashable
    task: asyncio.Task[T]
    waiting: int = 0


@dataclass(slots=True)
class Latest(Generic[T]):
    """At most one question under way: an engine has one slot, and who types elsewhere waits for nothing here.

    A newer one cancels the older, for which CancelledError is raised. An editor may ask the same question twice
    at once, for its ghost text and for its popup: both wait for one answer.
    """

    running: Asked[T] | None = None

    async def ask(self, document: str, question: Hashable, answer: Callable[[], Coroutine[Any, Any, T]]) -> T:
        asked = self.running
        if asked is None or asked.task.done() or (asked.document, asked.question) != (document, question):
            self.drop()
            asked = self.running = Asked(document, question, asyncio.create_task(answer()))
        asked.waiting += 1
        try:
            return await asyncio.shield(asked.task)
        finally:
            asked.waiting -= 1
            if not asked.waiting:
                asked.task.cancel()  # nobody waits any more: the engine's stream closes
                if self.running is asked:
                    self.running = None

    def drop(self, document: str | None = None) -> None:
        """Cancel what runs, or only if it is about this document."""
        asked = self.running
        if asked is not None and document in (None, asked.document):
            asked.task.cancel()
            self.running = None
