"""The replay: a server is started, asked once, typed into key by key, and what was seen becomes a report."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from ast_prompt.languages import language_of
from server.bench.client import Client, ServerFault
from server.bench.editor import INLINE, INVOKED, Editor
from server.bench.holes import seeded
from server.bench.metrics import Figures, behind_accepted, figures, milliseconds, own_counts
from server.bench.script import Act, Key, Script
from server.bench.timeline import Row, Timeline

FIRST_SECONDS = 90.0
"""For the first answer, which may have to wait for a model to be loaded."""
LAST_SECONDS = 15.0
"""For the answers that are still owed when all is typed."""
OPEN = 6
"""Files that stay open when they are done."""
STATS = "kireji.stats"
FIRST_NAME, FIRST_TEXT = "first.py", "def area(width, height):\n    return \n"


@dataclass(frozen=True, slots=True)
class Plan:
    command: Sequence[str]
    options: Any = None
    """The server's initializationOptions."""
    debounce: float = 0.050
    """Seconds at most between a key and its question."""
    accept: float = 0.0
    """The probability of accepting what is right, at each key that finds it."""
    seconds: float | None = None
    """After which no more is typed."""
    seed: int = 1
    grows: bool = True
    """Whether suggestions may grow on the screen."""
    forgetful: bool = False
    """Whether the server has to forget its answers before each key."""


@dataclass(frozen=True, slots=True)
class Report:
    figures: Figures
    rows: list[Row]
    script: Script
    seed: int
    server: Mapping[str, Any]
    """Its name and version, as it says."""
    own: Mapping[str, float] | None
    """What it counted itself."""
    said: list[str]
    """What it showed to the user."""
    left: int
    """Keys for which the time was too short."""
    loop: Mapping[str, Any] | None = None
    """For how long its event loop was held, as it says."""


def replay(script: Script, plan: Plan, watch: Callable[[int], None] = lambda done: None) -> Report:
    """`watch` hears how many keys are done. Raises ServerFault where there is nothing to measure."""
    with tempfile.TemporaryDirectory(prefix="kireji-bench-") as name:
        folder = Path(name)
        for source in script.sources:
            (folder / source.name).parent.mkdir(parents=True, exist_ok=True)
            (folder / source.name).write_bytes(source.opened.encode())
        return asyncio.run(measured(script, plan, folder, watch))


async def measured(script: Script, plan: Plan, folder: Path, watch: Callable[[int], None]) -> Report:
    client = Client(plan.command, folder, plan.options, plan.grows)
    clock = time.monotonic
    timeline = Timeline(clock)
    try:
        await client.start()
        editor = Editor(client, timeline, plan.debounce, clock, plan.forgetful)
        start = await first_answer(client, clock)
        before = await own_stats(client)
        begin = clock()
        left = await typed(script, plan, client, editor, watch)
        timeline.end()
        editor.forget()
        seconds = clock() - begin
        await last_answers(client, editor, clock)
        after = await own_stats(client)
        own, loop = own_counts(before, after), after.get("loop") if isinstance(after, dict) else None
    finally:
        await client.stop()
    if editor.counts.requests and not editor.counts.answers:
        raise ServerFault(f"the server answered none of {editor.counts.requests} requests")
    found = figures(timeline.rows, seconds, start * 1000, editor.counts, editor.unanswered, own)
    return Report(found, timeline.rows, script, plan.seed, client.info, own, list(client.said), left, loop)


async def first_answer(client: Client, clock: Callable[[], float]) -> float:
    """Seconds until a question is answered that no key asked; whatever the answer is, the server is awake then."""
    document = {"uri": (client.folder / FIRST_NAME).as_uri(), "languageId": "python", "version": 1, "text": FIRST_TEXT}
    client.notify("textDocument/didOpen", {"textDocument": document})
    answered, begin = asyncio.Event(), clock()
    params = {
        "textDocument": {"uri": document["uri"]},
        "position": {"line": 1, "character": 11},
        "context": {"triggerKind": INVOKED},
    }
    client.ask(INLINE, params, lambda result, error: answered.set())
    if not await client.pause(FIRST_SECONDS, answered):
        raise ServerFault(f"the server did not answer {INLINE} within {FIRST_SECONDS:.0f} s")
    took = clock() - begin
    client.notify("textDocument/didClose", {"textDocument": {"uri": document["uri"]}})
    return took


async def own_stats(client: Client) -> Any:
    known = client.capabilities.get("executeCommandProvider") or {}
    if STATS not in known.get("commands", []):
        return None
    return await client.call("workspace/executeCommand", {"command": STATS, "arguments": [True]}, LAST_SECONDS)


async def typed(script: Script, plan: Plan, client: Client, editor: Editor, watch: Callable[[int], None]) -> int:
    """Press the keys, each at its time; how many were left when the time was over."""
    randomness = seeded("accept", plan.seed)
    last = {key.source: number for number, key in enumerate(script.keys)}
    done = deque[int]()
    due = begin = time.monotonic()
    at = 0
    while at < len(script.keys):
        key = script.keys[at]
        due = max(due + key.pause, time.monotonic())
        if plan.seconds is not None and due - begin > plan.seconds:
            return len(script.keys) - at
        await client.pause(due - time.monotonic())
        if at and randomness.random() < plan.accept and (behind := accept(script.keys, at, editor)) is not None:
            at = behind
        else:
            if key.act is Act.OPEN:
                open_source(script, key.source, client, editor)
            editor.press(key)
            at += 1
        if last[key.source] == at - 1:
            done.append(key.source)
            if len(done) > OPEN:
                editor.close(done.popleft())
        watch(at)
    return 0


def open_source(script: Script, number: int, client: Client, editor: Editor) -> None:
    source = script.sources[number]
    editor.open(number, (client.folder / source.name).as_uri(), language_of(None, source.name).name, source.opened)


def accept(keys: Sequence[Key], at: int, editor: Editor) -> int | None:
    """Take what is right of what is shown, in place of the keys from `at` on; the number of the key behind them, None
    where there is nothing to take."""
    piece = editor.timeline.acceptable
    behind = behind_accepted(keys, at - 1, piece)
    if behind <= at:
        return None
    editor.accepted()
    editor.press(accepting(keys[at - 1], piece))
    return behind


def accepting(key: Key, piece: str) -> Key:
    """The key that puts in a piece of what is shown behind another key."""
    assert key.done is not None
    return replace(
        key,
        act=Act.ACCEPT,
        at=key.cursor,
        removed=0,
        inserted=piece,
        done=key.done + len(piece),
        rest=key.rest[len(piece) :],
    )


async def last_answers(client: Client, editor: Editor, clock: Callable[[], float]) -> None:
    until = clock() + LAST_SECONDS
    while editor.unanswered and clock() < until:
        await client.pause(0.02)


def as_json(report: Report, *, keys: bool = True) -> dict[str, object]:
    """Times and counts, no text of anybody's; each key on request."""
    found: dict[str, object] = {
        "server": {name: report.server[name] for name in ("name", "version") if name in report.server},
        "seed": report.seed,
        "tasks": report.script.tasks,
        "keys_left": report.left,
        "figures": asdict(report.figures),
        "own": None if report.own is None else dict(report.own),
        "loop": report.loop,
        "by_task": list(by_task(report)),
    }
    if keys:
        found["by_key"] = [row_as_json(row) for row in report.rows]
    return found


def by_task(report: Report) -> list[dict[str, object]]:
    """One entry a hole, in the order of the script."""

    def hole_of(row: Row) -> tuple[int, int]:
        return row.key.source, row.key.hole

    found = []
    for (source, hole), group in groupby(sorted(report.rows, key=hole_of), key=hole_of):
        sums = figures(list(group), 0.0)
        chosen = ("keys", "first_text_p50_ms", "soon", "answered", "shown", "right", "flicker", "saved_keys")
        entry: dict[str, object] = {"file": report.script.sources[source].name, "hole": hole}
        found.append(entry | {name: getattr(sums, name) for name in chosen})
    return found


def row_as_json(row: Row) -> dict[str, object]:
    return {
        "act": str(row.key.act),
        "file": row.key.source,
        "hole": row.key.hole,
        "already": row.already,
        "first_ms": milliseconds(row.first),
        "new": row.new,
        "right": row.right,
        "flickers": row.flickers,
    }
