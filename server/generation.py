"""One answer under way: it goes on while what is typed agrees with it, whoever waits for it, and ends at once where it
does not."""

from __future__ import annotations

import asyncio
import time
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
    beginning: str = ""
    """Of its first line, while that is not finished."""
    given: str = ""
    """What was shown of it: it may only grow."""
    done: Completion | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    """Set at each progress, and replaced."""
    task: asyncio.Task[None] | None = None
    waiting: int = 0
    """Requests that wait for it."""
    begun: float = field(default_factory=time.monotonic)

    def start(self, run: Run) -> None:
        self.task = asyncio.create_task(self.follow(run))

    async def follow(self, run: Run) -> None:
        try:
            self.done = await run(self)
        finally:
            if self.done is None:  # a fault of ours would be asked for again without end, if it counted as a change
                cancelled = self.task is not None and self.task.cancelling()
                self.done = Completion(Reason.CHANGED if cancelled else Reason.BROKEN)
            self.tell()

    def wrote(self, text: str) -> None:
        self.written = text

    def finished_lines(self, text: str) -> None:
        if text.startswith(self.lines) and text.startswith(self.given) and len(text) > len(self.lines):
            self.lines = text
            self.tell()

    def begins(self, text: str) -> None:
        """The first line has come so far."""
        if text.startswith(self.beginning) and len(text) > len(self.beginning):
            self.beginning = text
            self.tell()

    def rest_of_beginning(self, text: Text, offset: int) -> tuple[str, str] | None:
        """What of the first line was typed up to a cursor in a later state of the document, and what is left of it."""
        for typed in typed_since(self.snapshot.text, self.offset, text):
            if (
                offset == self.offset + len(typed.encode())
                and self.beginning.startswith(typed)
                and self.beginning != typed
            ):
                return typed, self.beginning[len(typed) :]
        return None

    def tell(self) -> None:
        changed, self.changed = self.changed, asyncio.Event()
        changed.set()

    async def changes_within(self, seconds: float) -> bool:
        """Wait so long for more of it; whether it came."""
        try:
            await asyncio.wait_for(self.changed.wait(), seconds)
        except TimeoutError:
            return False
        return True

    @property
    def is_done(self) -> bool:
        return self.done is not None

    @property
    def key(self) -> str:
        return uri_key(self.snapshot.uri)

    def close(self) -> bool:
        """Let go of the engine; whether it is this that ends the answer."""
        if self.task is None or self.task.done() or self.task.cancelling():
            return False
        return self.task.cancel()

    def is_at(self, snapshot: Snapshot, offset: int) -> bool:
        """Whether it was asked for there, in that very text."""
        return self.offset == offset and self.snapshot.text is snapshot.text

    def fits(self, text: Text, offset: int | None = None) -> bool:
        """Whether a later state of the document is what this answer may still go on from; with the cursor there, if it
        is known: elsewhere in the same text another answer is wanted."""
        return any(
            self.agrees(typed) and offset in (None, self.offset + len(typed.encode()))
            for typed in typed_since(self.snapshot.text, self.offset, text)
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
