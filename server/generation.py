"""One answer under way: it goes on while what is typed agrees with it, whoever waits for it, and ends at once where it
does not."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from ast_prompt.place import CLOSERS
from ast_prompt.text import Text
from server.completion import Completion
from server.documents import Snapshot
from server.positions import uri_key
from server.trigger import Reason

Run = Callable[["Generation"], Awaitable[Completion]]


@dataclass(slots=True, eq=False)
class Generation:
    snapshot: Snapshot
    offset: int
    invoked: bool
    written: str = ""
    """What the model wrote so far, as far as it is told apart from wrappings."""
    lines: str = ""
    """Finished lines of it, as they would be shown."""
    given: str = ""
    """What was shown of it: it may only grow."""
    done: Completion | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    """Set at each progress, and replaced."""
    task: asyncio.Task[None] | None = None
    waiting: int = 0
    """Requests that wait for it."""

    def start(self, run: Run) -> None:
        self.task = asyncio.create_task(self.follow(run))

    async def follow(self, run: Run) -> None:
        try:
            self.done = await run(self)
        finally:
            if self.done is None:
                self.done = Completion(Reason.CHANGED)
            self.tell()

    def wrote(self, text: str) -> None:
        self.written = text

    def finished_lines(self, text: str) -> None:
        if text.startswith(self.lines) and len(text) > len(self.lines):
            self.lines = text
            self.tell()

    def tell(self) -> None:
        changed, self.changed = self.changed, asyncio.Event()
        changed.set()

    @property
    def is_done(self) -> bool:
        return self.done is not None

    @property
    def key(self) -> str:
        return uri_key(self.snapshot.uri)

    def close(self) -> None:
        """Let go of the engine."""
        if self.task is not None and not self.task.done():
            self.task.cancel()

    def fits(self, text: Text, cursor: int | None = None) -> bool:
        """Whether a later state of the document is what this answer may still go on from; and, where it is known, the
        cursor stands behind what was typed."""
        return any(
            self.agrees(typed)
            for typed in typed_since(self.snapshot.text, self.offset, text)
            if cursor is None or cursor == self.offset + len(typed.encode())
        )

    def agrees(self, typed: str) -> bool:
        known = max(self.written, self.lines, key=len)
        return (
            known.startswith(typed) or self.lines.startswith(typed) or (self.done is None and typed.startswith(known))
        )


def typed_since(before: Text, offset: int, after: Text) -> list[str]:
    """What may have been typed at `offset` to make the one text of the other, the editor's own closers left out; empty
    where something else was changed."""
    end = before.end(before.line_at(offset))
    head, rest, tail = before.data[:offset], before.data[offset:end], before.data[end:]
    data = after.data
    if len(data) < len(head) + len(tail) or not data.startswith(head) or not data.endswith(tail):
        return []
    middle = data[len(head) : len(data) - len(tail)]
    found = []
    if middle.endswith(rest):
        found.append(middle[: len(middle) - len(rest)].decode("utf-8", "replace"))
    if CLOSERS.fullmatch(rest.decode("utf-8", "replace")):
        typed = middle.decode("utf-8", "replace")
        shortest = len(typed.rstrip(" \t)]}>'\"`;:,"))
        found += [typed[:length] for length in range(len(typed), shortest - 1, -1)]
    return list(dict.fromkeys(found))
