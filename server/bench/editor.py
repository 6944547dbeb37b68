"""An editor as VS Code is one: tells each change at once, asks behind each insertion, cancels what it overtook, and
shows what fits the text as it is when the answer comes."""

from __future__ import annotations

from asyncio import TimerHandle, get_running_loop
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from server.bench.client import Client, ServerFault, cut
from server.bench.document import Document, Position, offset_at, position_at
from server.bench.script import Key
from server.bench.timeline import Timeline

INLINE = "textDocument/inlineCompletion"
GREW = "kireji/suggestionGrew"
MOVED = "kireji/cursorMoved"
OURS, FORGET = "kireji.stats", "kireji.forget"
"""Commands that only a server has which knows our own notifications."""
INVOKED, AUTOMATIC = 1, 2
WEIGHT = 0.2
"""Of the newest answer's time in the mean that the debounce follows."""


@dataclass(slots=True)
class Counts:
    requests: int = 0
    cancelled: int = 0
    answers: int = 0
    errors: int = 0
    """Answers to requests that were not cancelled."""
    growths: int = 0


@dataclass(slots=True)
class Asked:
    document: Document
    version: int
    offset: int
    at: float
    cancelled: bool = False


@dataclass(frozen=True, slots=True)
class Suggestion:
    text: str
    """From the cursor of the request on."""
    covered: str = ""
    """What it replaces right of it."""
    command: Any = None


class Editor:
    def __init__(
        self,
        client: Client,
        timeline: Timeline,
        debounce: float,
        clock: Callable[[], float],
        forgetful: bool = False,
    ) -> None:
        """`debounce`: seconds at most. `forgetful`: before each key the server is told to forget its answers."""
        self.counts = Counts()
        self.documents: dict[int, Document] = {}
        self._client = client
        self.timeline = timeline
        self._debounce = debounce
        self._clock = clock
        self._forgetful = forgetful
        self._document: Document | None = None
        self._cursor = 0
        self._timer: TimerHandle | None = None
        self._running: int | None = None
        self._asked: dict[int, Asked] = {}
        self._live: Asked | None = None
        """The newest request, until what is asked no longer matters."""
        self._placed: tuple[str, int, Suggestion] | None = None
        """Where the shown text comes from: uri and version."""
        self._mean: float | None = None
        """Of the times that answers took, in seconds."""
        client.heard[GREW] = self._grew

    def open(self, source: int, uri: str, language: str, text: str) -> None:
        self.documents[source] = Document(uri, language, text)
        document = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self._client.notify("textDocument/didOpen", {"textDocument": document})

    def close(self, source: int) -> None:
        document = self.documents.pop(source)
        self._client.notify("textDocument/didClose", {"textDocument": {"uri": document.uri}})

    def press(self, key: Key) -> None:
        document = self._document = self.documents[key.source]
        self._cursor = key.cursor
        self.timeline.press(key)
        if self._forgetful and self._knows(FORGET):
            self._run(FORGET, [])
        if key.removed or key.inserted:
            change = document.edit(key.at, key.removed, key.inserted)
            named = {"uri": document.uri, "version": document.version}
            self._client.notify("textDocument/didChange", {"textDocument": named, "contentChanges": [change]})
        if key.act.inserts:
            self._ask_soon()
        else:
            self.forget()
            self._tell_place(document)

    def _tell_place(self, document: Document) -> None:
        """As our own clients do where the cursor comes to rest without typing."""
        if self._knows(OURS):
            place = {
                "textDocument": {"uri": document.uri},
                "position": position_at(document.text, self._cursor),
            }
            self._client.notify(MOVED, place)

    def accepted(self) -> None:
        """The command that comes with what is shown, as an editor runs it; call it before the key."""
        command = self._placed[2].command if self._placed else None
        if isinstance(command, dict) and self._knows(command.get("command")):
            self._run(command["command"], command.get("arguments") or [])

    def _knows(self, command: object) -> bool:
        return command in (self._client.capabilities.get("executeCommandProvider") or {}).get("commands", [])

    def _run(self, command: str, arguments: list[Any]) -> None:
        params = {"command": command, "arguments": arguments}
        self._client.ask("workspace/executeCommand", params, lambda result, error: None)

    def forget(self) -> None:
        """Nobody waits for an answer any more."""
        if self._timer:
            self._timer.cancel()
        self._live = self._placed = None
        self._cancel()

    @property
    def unanswered(self) -> int:
        return len(self._asked)

    # asking

    def _ask_soon(self) -> None:
        """At once where no request runs, else after as long as answers take, at most the debounce."""
        if self._timer:
            self._timer.cancel()
        wait = 0.0 if self._running is None else min(self._debounce, self._mean or self._debounce)
        if wait:
            self._timer = get_running_loop().call_later(wait, self._ask)
        else:
            self._ask()

    def _ask(self) -> None:
        assert self._document is not None
        self._cancel()
        document = self._document
        asked = self._live = Asked(document, document.version, self._cursor, self._clock())
        params = {
            "textDocument": {"uri": document.uri},
            "position": position_at(document.text, self._cursor),
            "context": {"triggerKind": AUTOMATIC},
        }
        self.counts.requests += 1
        id_ = self._client.ask(INLINE, params, lambda result, error: self._answered(id_, result, error))
        self._asked[id_], self._running = asked, id_

    def _cancel(self) -> None:
        if self._running is not None:
            self._asked[self._running].cancelled = True
            self._client.cancel(self._running)
            self.counts.cancelled += 1
            self._running = None

    # what comes

    def _answered(self, id_: int, result: Any, error: Any) -> None:
        asked = self._asked.pop(id_)
        self.counts.answers += 1
        if asked.cancelled:
            return
        self._running = None
        took = self._clock() - asked.at
        self._mean = took if self._mean is None else (1 - WEIGHT) * self._mean + WEIGHT * took
        self.counts.errors += error is not None
        old = asked.document.kept.get(asked.version)
        found = None if error is not None or old is None else suggestion_in(result, old, asked.offset)
        self._place(asked, found or Suggestion(""))

    def _place(self, asked: Asked, found: Suggestion) -> None:
        if asked.document is not self._document:
            return
        rest = self._fitting(asked.version, asked.offset, found.text)
        if rest is None or (not rest and asked.version != asked.document.version):
            return  # the newer request's answer decides
        origin = (asked.document.uri, asked.version)
        if self._placed and self._placed[:2] == origin and self.timeline.shown.startswith(rest) and rest:
            return  # it has grown already
        self._placed = (*origin, found)
        self.timeline.show(rest, found.covered)

    def _fitting(self, version: int, offset: int, text: str) -> str | None:
        """What of a text for a place of an older version is still to come; None where something else was typed."""
        assert self._document is not None
        typed = self._document.typed_since(version, offset, self._cursor)
        if typed is None or not text.startswith(typed):
            return None
        return text[len(typed) :]

    def _grew(self, params: Any) -> None:
        try:
            uri, version, text = str(params["uri"]), int(params["version"]), str(params["text"])
            covers = int(params.get("covers", 0))
            position: Position = {name: int(params["position"][name]) for name in ("line", "character")}
        except (TypeError, KeyError, ValueError):
            raise ServerFault(f"the server sent a {GREW} that is none: {cut(params)}") from None
        self.counts.growths += 1
        document = self._document
        if document is None or document.uri != uri or (old := document.kept.get(version)) is None:
            return
        shown, placed = self.timeline.shown, self._placed
        known = placed[2] if placed and placed[:2] == (uri, version) else Suggestion("")
        offset = offset_at(old, position)
        found = stripped(text, old[offset : offset + covers], known.command)
        rest = self._fitting(version, offset, found.text)
        if rest and (self._is_newest(version) or (shown and rest.startswith(shown))):
            self._placed = (uri, version, found)
            self.timeline.show(rest, found.covered)

    def _is_newest(self, version: int) -> bool:
        """Whether nothing newer is shown or, where nothing is shown, asked."""
        if self.timeline.shown and self._placed:
            return version >= self._placed[1]
        return self._live is not None and version >= self._live.version


def suggestion_in(result: Any, text: str, offset: int) -> Suggestion | None:
    """The first item of an answer, as seen from the cursor; None where there is none, or it does not fit the text
    left of the cursor. Raises ServerFault for what is no answer."""
    items = result.get("items") if isinstance(result, dict) else result
    if not items:
        return None
    try:
        item = items[0]
        inserted = item["insertText"]
        inserted = str(inserted["value"] if isinstance(inserted, dict) else inserted)
        range_ = item.get("range")
        begin, end = (offset_at(text, range_[side]) if range_ else offset for side in ("start", "end"))
    except (TypeError, KeyError, AttributeError, IndexError):
        raise ServerFault(f"the server answered {INLINE} with {cut(result)}") from None
    before = text[min(begin, offset) : offset]
    if not inserted.startswith(before):
        return None
    return stripped(inserted[len(before) :], text[offset : max(end, offset)], item.get("command"))


def stripped(text: str, covered: str, command: Any) -> Suggestion:
    """Without what stands right of the cursor anyway."""
    if covered and text.endswith(covered):
        return Suggestion(text[: -len(covered)], "", command)
    return Suggestion(text, covered, command)
