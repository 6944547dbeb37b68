"""What the server does while nobody waits: it reads ahead, and answers what may be asked next."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from ast_prompt.focus import focus_at
from ast_prompt.prompt import build_prompt
from ast_prompt.tree import edited_tree, parse
from server.completion import Completion, budgets_of, complete
from server.documents import Documents, Snapshot
from server.engines import EngineError
from server.lane import Lane
from server.memory import Memory, Remembered
from server.positions import uri_key
from server.scheduler import Kind, Scheduler
from server.settings import Settings
from server.trigger import LASTING, Reason
from server.where import Where

log = logging.getLogger(__name__)

ALL = WHOLE, WINDOW, SMALLEST = (0, 1, 2)
"""The sizes in `budgets_of`."""
HELD, SHORTEST, LONGEST = 0.25, 0.15, 0.5
"""A slice holds the engine for a quarter of the time that it has been quiet, within limits in seconds: as a rule, the
longer nothing was typed, the longer nothing will be."""
THOUGHT, LONGEST_THOUGHT = 0.5, 10.0
"""More of a file is read once it has been quiet for half the time that this takes: what is begun is mostly ended then,
and what the next key needs is still in the engine's cache when it comes. Of at most so many seconds."""
NOTICED = 0.3
"""Seconds of loading that nobody notices."""


@dataclass(slots=True)
class Idle:
    documents: Documents
    lane: Lane
    memory: Memory
    scheduler: Scheduler
    settings: Callable[[], Settings]
    is_down: Callable[[], bool] = lambda: False
    """Whether the engine failed lately."""
    turned: Callable[[str, str], None] = lambda state, reason: None
    """Is told when the model is being loaded, and when it is ready."""
    cursors: dict[str, int] = field(default_factory=dict)
    """Where each document was asked about last."""

    def opened(self, key: str) -> None:
        """Load the model, so that the first key finds it ready."""
        if self.settings().warmUp and not self.is_down():
            self.scheduler.add(Kind.WARM, key, self.load, key)

    def closed(self, key: str) -> None:
        self.cursors.pop(key, None)
        self.scheduler.drop_document(key)

    async def load(self) -> bool:
        loading = asyncio.create_task(self.lane.load(self.settings().timeout))
        try:
            done, _ = await asyncio.wait((loading,), timeout=NOTICED)
            if not done:
                self.turned("loading", "the model is loading")
            await loading
            if not done:
                self.turned("ready", "")
        except (EngineError, TimeoutError) as error:
            log.info("nothing was warmed: %s", error)
            self.turned("ready", "")  # whoever asks next hears what is wrong
        finally:
            loading.cancel()
        return False

    def rests(self, where: Where) -> None:
        """The cursor rests there, or a completion was asked for there: read what the next key will need."""
        key = uri_key(where.snapshot.uri)
        self.cursors[key] = where.offset
        if self.settings().warmUp and not self.is_down():
            self.scheduler.add(Kind.WARM, key, lambda: self.read_ahead(key, where.snapshot.uri, ALL), key)
            quiet = min(self.lane.governor.seconds_for(self.settings().promptTokens) * THOUGHT, LONGEST_THOUGHT)
            self.scheduler.add(Kind.WIDEN, key, lambda: self.read_ahead(key, where.snapshot.uri, (WHOLE,)), key, quiet)

    def moved(self, where: Where) -> None:
        """The cursor came to rest there without typing: nobody is about to press the next key at once."""
        self.scheduler.rested()
        self.rests(where)

    async def read_ahead(self, key: str, uri: str, sizes: tuple[int, ...]) -> bool:
        """One slice of the prompt at the document's cursor, as the text is now, in that of the sizes of which least is
        missing; whether there is more."""
        snapshot = self.documents.snapshot(uri)
        if snapshot is None or self.lane.live:
            return snapshot is not None
        offset = min(self.cursors.get(key, 0), len(snapshot.text.data))
        try:
            model = await self.lane.engine().model()
            focus = focus_at(snapshot.text, snapshot.tree, snapshot.language, offset)
            budgets = budgets_of(model, self.settings(), self.lane.governor)
            prompts = {}
            for size in sizes:
                prompts[size] = build_prompt(focus, model.dialect, model.vocabulary, budgets[size])
                await asyncio.sleep(0)  # in a new file each takes up to 8 ms
            size = min(sizes, key=lambda one: self.lane.uncached(prompts[one]))
            if self.lane.is_warm(prompts[size]):
                self.lane.size = min(self.lane.size, size)
                return False
            seconds = min(max(self.scheduler.quiet * HELD, SHORTEST), LONGEST)
            await self.lane.read(prompts[size], self.settings().timeout, self.lane.governor.tokens_in(seconds))
        except (EngineError, TimeoutError) as error:
            log.info("nothing was read ahead: %s", error)
            return False
        return True

    def shown(self, where: Where, completion: Completion, is_done: Callable[[], bool]) -> None:
        """A request was answered: think on; at once, where the next key will hardly need the engine."""
        if completion.reason is Reason.TYPED_ALONG and is_done():
            self.scheduler.rested()
        self.rests(where)
        if completion.text and self.settings().speculate:
            key = uri_key(where.snapshot.uri)
            self.scheduler.add(Kind.SPECULATE, key, lambda: self.speculate(where, completion, is_done), key)

    async def speculate(self, where: Where, completion: Completion, is_done: Callable[[], bool]) -> bool:
        """Answer as if the suggestion were accepted; whether that has to be tried again."""
        found = self.memory.find(where.snapshot.text, where.offset)
        if found is None or not found.text or not is_done():
            return found is not None and not is_done()
        if self.lane.size == SMALLEST:  # reading more of the file betters every answer
            return False
        snapshot, offset = accepted(where, found.text, completion.covers)
        if self.memory.find(snapshot.text, offset) is not None:
            return False
        ahead = await complete(snapshot, offset, self.lane, self.settings(), idle=True)
        if ahead.reason in LASTING:
            self.memory.keep(snapshot.text, offset, Remembered.of(ahead, snapshot.text, offset))
        return ahead.reason is Reason.GAVE_WAY


def accepted(where: Where, text: str, covers: int) -> tuple[Snapshot, int]:
    """The document with the suggestion in it, and the cursor behind it."""
    snapshot, begin = where.snapshot, where.offset
    inserted = text.encode()
    end = begin + len(where.line[1][:covers].encode())
    after = snapshot.text.edited(begin, end, inserted)
    tree = snapshot.tree
    if tree is not None:
        tree = parse(after, snapshot.language, edited_tree(tree, snapshot.text, after, begin, end, len(inserted)))
    return replace(snapshot, text=after, tree=tree), begin + len(inserted)
