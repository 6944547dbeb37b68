"""From a request to its answer: what is remembered, what is under way, or what the model is asked for now."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from server.completion import Completion, Listener, complete
from server.disk_memory import DiskMemory
from server.documents import Documents, Snapshot
from server.engines import Counters
from server.generation import Generation
from server.habit import Habit
from server.idle import Idle
from server.lane import Lane
from server.memory import Memory, Remembered, covered, place_at
from server.outage import Outage
from server.pace import Pace
from server.positions import uri_key
from server.settings import Settings
from server.showing import Showing
from server.stats import Stats
from server.trigger import LASTING, Reason
from server.where import Where

log = logging.getLogger(__name__)

PATIENCE = 0.35
"""Seconds that a client which can't show how an answer grows waits for more of it than its first finished line."""
GRACE = 0.5
"""Seconds that an answer goes on for which nobody waits: an editor cancels its request before it sends the next."""
Grew = Callable[[Where, Completion], None]


@dataclass(slots=True)
class Asking:
    documents: Documents
    lane: Lane
    memory: Memory
    outage: Outage
    idle: Idle
    stats: Stats
    settings: Callable[[], Settings]
    grew: Grew = lambda where, completion: None
    """Is told how a suggestion goes on that was given out unfinished: where it was, and all of it."""
    disk: DiskMemory = field(default_factory=DiskMemory)
    model: str = ""
    """That answered last."""
    showing: Showing = field(default_factory=lambda: Showing(time.monotonic))
    pace: Pace = field(default_factory=Pace)
    newest: Where | None = None
    """What was last asked about that memory did not know."""
    is_over: bool = False
    """The server shuts down: nothing is asked any more."""
    current: Generation | None = None
    shown: tuple[Generation, Where, str] | None = None
    """What was given out unfinished last: of which answer, at which cursor, and the text."""
    last: Completion = field(default_factory=lambda: Completion(Reason.NOTHING))
    habit: Habit = field(default_factory=Habit)

    async def completion(self, where: Where, invoked: bool, grows: bool) -> Completion:
        self.stats.asked += 1
        if not invoked:
            self.habit.asked(uri_key(where.snapshot.uri))
        found = self.remembered(where)
        if found is not None and (found.text or not invoked):
            self.stats.remembered += 1
            if self.running is not None and self.is_about(self.running, where):
                self.give(self.running, where, found)
        else:
            found = await self.fresh(where, invoked, grows)
        if found.text and not invoked:
            found = await self.in_time(where, found)
        self.stats.shown += bool(found.text)
        self.last = found
        self.idle.shown(where, found, lambda: self.running is None)
        return found

    def newer(self, where: Where, found: Completion) -> Completion:
        """What is known of an answer by now, if that is more."""
        now = self.remembered(where) or (self.begun(self.current, where) if self.current is not None else None)
        return now if now is not None and now.text.startswith(found.text) else found

    async def whole(self, where: Where, found: Completion) -> Completion:
        """The same answer, once it is at its end."""
        while (running := self.running) is not None and self.is_about(running, where):
            await running.changed.wait()
        return self.newer(where, found)

    async def in_time(self, where: Where, found: Completion) -> Completion:
        """The same, once it may be shown."""
        if found.reason is Reason.TYPED_ALONG:
            self.showing.used()
            return found
        settings = self.settings()
        wait = self.showing.wait(settings.showDelay / 1000, settings.backOff)
        self.showing.shown((where.snapshot.text, where.offset))
        if wait:
            await asyncio.sleep(wait)
            found = self.newer(where, found)
        return found if self.is_current(where.snapshot) else Completion(Reason.CHANGED)

    async def fresh(self, where: Where, invoked: bool, grows: bool) -> Completion:
        """What comes of the answer under way, if it fits, or of a new one."""
        self.newest = where
        while not self.is_over:
            if (failure := self.outage.pause()) is not None:
                return failure
            generation = await self.generation_at(where, invoked)
            if generation is None:
                break
            completion = await self.first_of(generation, where, grows)
            if not self.is_wanted(where):
                break  # the editor could show it nowhere
            if completion is not None:
                return completion
        return Completion(Reason.CHANGED)

    @property
    def running(self) -> Generation | None:
        return self.current if self.current is not None and not self.current.is_done else None

    def is_current(self, seen: Snapshot) -> bool:
        """Whether the document's text is still that one."""
        snapshot = self.documents.snapshot(seen.uri)
        return snapshot is not None and snapshot.text is seen.text

    def is_wanted(self, where: Where) -> bool:
        """Whether nothing was typed since, and no other place was asked about."""
        return self.is_current(where.snapshot) and self.newest is not None and self.newest.is_at(where)

    @staticmethod
    def is_about(generation: Generation, where: Where) -> bool:
        return generation.key == uri_key(where.snapshot.uri) and (
            generation.is_at(where.snapshot, where.offset) or generation.fits(where.snapshot.text, where.offset)
        )

    async def generation_at(self, where: Where, invoked: bool) -> Generation | None:
        """The answer under way, if it is about this cursor, or a new one, once the engine may be asked for it; None
        where it is wanted no more by then."""
        if (running := self.let_go_of_others(where, invoked)) is not None:
            return running
        if self.pace.seconds and not invoked:
            await asyncio.sleep(self.pace.seconds)
            if self.is_over or not self.is_wanted(where):
                return None
            if (running := self.let_go_of_others(where, invoked)) is not None:
                return running
        return self.begin(where, invoked)

    def begin(self, where: Where, invoked: bool) -> Generation:
        self.current = Generation(where.snapshot, where.offset, invoked)
        self.current.start(self.run)
        return self.current

    def let_go_of_others(self, where: Where, invoked: bool) -> Generation | None:
        """The answer under way, if it is about this cursor; if not it is ended."""
        running = self.running
        if running is None or (self.is_about(running, where) and running.invoked >= invoked):
            return running
        self.stop(running)
        return None

    def stop(self, generation: Generation) -> None:
        """Something else is wanted now."""
        if generation.close() and not generation.written:
            self.pace.stop(time.monotonic() - generation.begun)

    async def first_of(self, generation: Generation, where: Where, grows: bool) -> Completion | None:
        """The first that can be shown of an answer at this cursor; None where it is asked for anew."""
        generation.waiting += 1
        try:
            return await self.first(generation, where, grows)
        finally:
            generation.waiting -= 1
            if not generation.waiting and not generation.is_done:
                asyncio.get_running_loop().call_later(GRACE, self.left, generation)

    def left(self, generation: Generation) -> None:
        """Nobody has waited for an answer for a while, and nothing of it is on the screen: let go of the engine."""
        if not generation.waiting and not generation.given:
            generation.close()

    async def first(self, generation: Generation, where: Where, grows: bool) -> Completion | None:
        waited = False
        while generation.done is None:
            found = self.remembered(where) or (self.begun(generation, where) if grows else None)
            if found is not None and found.text.strip():
                if grows or waited:
                    self.give(generation, where, found)
                    return found
                waited = not await generation.changes_within(PATIENCE)
            else:
                await generation.changed.wait()
        found = self.remembered(where)
        if found is not None:
            return generation.done if generation.is_at(where.snapshot, where.offset) and not generation.given else found
        if generation.done.reason is Reason.CHANGED:
            return None
        if generation.done.reason in LASTING and not generation.is_at(where.snapshot, where.offset):
            return None
        return generation.done

    def begun(self, generation: Generation, where: Where) -> Completion | None:
        """The beginning of a first line that is not finished, as far as it still has to be typed."""
        found = generation.rest_of_beginning(where.snapshot.text, where.offset)
        if found is None:
            return None
        reason = Reason.TYPED_ALONG if found[0] else Reason.SHOWN
        return Completion(reason, found[1], engine=self.lane.engine().name, model=self.model)

    def give(self, generation: Generation, where: Where, found: Completion) -> None:
        generation.given = generation.lines or generation.beginning
        self.shown = generation, where, found.text

    async def run(self, generation: Generation) -> Completion:
        """Let the model write an answer; what comes of it is remembered, line by line."""

        def finished_lines(text: str) -> None:
            generation.finished_lines(text)
            if generation.lines == text and text.strip():
                self.keep(generation, Completion(Reason.SHOWN, text))
                self.tell_growth(generation)

        if (known := await self.from_disk(generation)) is not None:
            return known
        settled = await self.documents.settled(generation.snapshot)

        def wrote(text: str) -> None:
            generation.wrote(text)
            self.pace.spoke()
            self.check(generation.key)

        def begins(text: str) -> None:
            generation.begins(text)
            self.tell_growth(generation)

        counters = Counters()
        listener = Listener(wrote, finished_lines, begins, lambda: self.is_current(generation.snapshot), counters)
        try:
            with self.idle.scheduler.live():
                completion = await complete(
                    settled, generation.offset, self.lane, self.settings(), listener, generation.invoked
                )
        except asyncio.CancelledError:
            self.stats.add_live(counters)
            if not generation.given:  # a part of an answer is no answer
                self.memory.drop(generation.snapshot.text, generation.offset)
            raise
        self.outage.note(completion)
        self.stats.add_live(completion.counters)
        name, detail = settled.path or settled.uri, f" ({completion.detail})" if completion.detail else ""
        log.info("%s: %s%s %s %s", name, completion.reason, detail, completion.timings, completion.counters)
        text, offset = generation.snapshot.text, generation.offset
        if completion.reason in LASTING:
            is_whole = completion.text.startswith(generation.given)
            if not is_whole:  # what was shown only grows
                completion = replace(completion, reason=Reason.SHOWN, text=generation.given, covers=0)
            answer = self.keep(generation, completion)
            self.tell_growth(generation)
            if completion.text and is_whole and self.settings().remember:
                self.disk.keep(completion.model, place_at(text, offset, offset), answer)
        else:  # what came of an answer that broke off is void
            self.memory.drop(text, offset)
        self.model = completion.model or self.model
        return completion

    async def from_disk(self, generation: Generation) -> Completion | None:
        """What was answered there in an earlier session."""
        if not self.settings().remember or not self.model or generation.invoked:
            return None
        text, offset = generation.snapshot.text, generation.offset
        found = await self.disk.find(self.model, place_at(text, offset, offset))
        if found is None:
            return None
        self.memory.keep(text, offset, found)
        return Completion(Reason.SHOWN, found.text, found.covers, "", self.lane.engine().name, found.model)

    def keep(self, generation: Generation, completion: Completion) -> Remembered:
        text, offset = generation.snapshot.text, generation.offset
        answer = Remembered.of(completion, text, offset)
        self.memory.keep(text, offset, answer)
        return answer

    def tell_growth(self, generation: Generation) -> None:
        if self.shown is None or self.shown[0] is not generation:
            return
        _, where, text = self.shown
        found = self.remembered(where) or self.begun(generation, where)
        if found is not None and found.text.startswith(text) and len(found.text) > len(text):
            self.shown = generation, where, found.text
            generation.given = generation.lines or generation.beginning
            self.grew(where, found)

    def remembered(self, where: Where) -> Completion | None:
        """What is known to be said at this cursor, without asking."""
        found = self.memory.find(where.snapshot.text, where.offset)
        if found is None:
            return None
        if not found.text:
            return Completion(Reason(found.answer.reason), model=found.answer.model)
        covers = covered(found, where)
        if covers is None:
            return None
        reason = Reason.TYPED_ALONG if found.typed else Reason.SHOWN
        return Completion(reason, found.text, covers, engine=self.lane.engine().name, model=found.answer.model)

    def changed(self, key: str) -> None:
        """A document changed: an answer that it disagrees with lets go of the engine at once."""
        self.showing.typed()
        self.check(key)
        self.begin_early(key)

    def begin_early(self, key: str) -> None:
        """An editor that asks behind each key waits before it does, VS Code for 50 ms: use that time."""
        document = self.documents.documents.get(key) if self.habit.will_ask(key) else None
        if document is None or document.cursor is None or self.outage.pause() is not None:
            return
        if self.running is not None and (self.running.invoked or (self.running.waiting and self.running.key != key)):
            return
        where = Where(document.snapshot(), document.cursor, self.documents.encoding)
        if self.is_over or self.pace.seconds or self.remembered(where) is not None:
            return
        if self.let_go_of_others(where, invoked=False) is None:
            asyncio.get_running_loop().call_later(GRACE, self.left, self.begin(where, invoked=False))

    def check(self, key: str) -> None:
        running = self.running
        if running is None or running.key != key:
            return
        snapshot = self.documents.snapshot(running.snapshot.uri)
        if snapshot is None or not running.fits(snapshot.text):
            self.stop(running)

    def quiet(self) -> None:
        """The user wants nothing any more, until there is another question."""
        self.habit.forget()
        self.closed()

    def closed(self, key: str | None = None) -> None:
        if self.running is not None and key in (None, self.running.key):
            self.running.close()

    def close(self) -> None:
        self.is_over = True
        self.closed()
