"""The editor asks, cancels, and shows what fits; a client made by hand stands for the server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from server.bench.client import Client, ServerFault, Then
from server.bench.editor import FORGET, GREW, MOVED, OURS, Editor, suggestion_in
from server.bench.script import Act, Key
from server.bench.timeline import Timeline
from tests.server.bench.keys import Clock, typing

URI = "file:///w/a.py"


class Wire(Client):
    """Notes what is sent, and answers when the test says so."""

    def __init__(self) -> None:
        super().__init__([], Path("/w"))
        self.sent: list[tuple[str, Any]] = []
        self.thens: list[Then] = []

    def notify(self, method: str, params: Any) -> None:
        self.sent.append((method, params))

    def ask(self, method: str, params: Any, then: Then) -> int:
        self.sent.append((method, params))
        self.thens.append(then)
        return len(self.thens) - 1

    def answer(self, number: int, *texts: str, **item: Any) -> None:
        self.thens[number]({"items": [{"insertText": text, **item} for text in texts]}, None)

    def grow(self, version: int, column: int, text: str, uri: str = URI) -> None:
        position = {"line": 0, "character": column}
        self.heard[GREW]({"uri": uri, "version": version, "position": position, "text": text})

    def methods(self) -> list[str]:
        return [method.rpartition("/")[2] for method, _ in self.sent]


class Stage:
    """A document, an editor without debounce, and the screen."""

    def __init__(self, text: str = "", debounce: float = 0.0, commands: tuple[str, ...] = (), **how: bool) -> None:
        self.clock = Clock()
        self.wire = Wire()
        self.wire.capabilities = {"executeCommandProvider": {"commands": list(commands)}}
        self.timeline = Timeline(self.clock)
        self.editor = Editor(self.wire, self.timeline, debounce, self.clock, **how)
        self.editor.open(0, URI, "python", text)
        self.wire.sent.clear()

    def type(self, text: str, at: int = 0) -> None:
        for key in typing(text, at=at):
            self.editor.press(key)

    def press(self, act: Act, at: int, removed: int = 0, inserted: str = "") -> None:
        self.editor.press(Key(act, 0, 0, 0, at, removed, inserted, 0, ""))

    @property
    def shown(self) -> str:
        return self.timeline.shown


def in_loop(test: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    def run() -> None:
        asyncio.run(test())

    run.__name__ = test.__name__
    return run


def test_each_key_is_a_change_and_a_question_and_cancels_the_one_before() -> None:
    stage = Stage()
    stage.type("ab")
    assert stage.wire.methods() == ["didChange", "inlineCompletion", "didChange", "cancelRequest", "inlineCompletion"]
    assert stage.wire.sent[2][1] == {
        "textDocument": {"uri": URI, "version": 3},
        "contentChanges": [
            {"range": {"start": {"line": 0, "character": 1}, "end": {"line": 0, "character": 1}}, "text": "b"}
        ],
    }
    assert stage.wire.sent[3][1] == {"id": 0}
    assert stage.wire.sent[4][1]["position"] == {"line": 0, "character": 2}
    assert (stage.editor.counts.requests, stage.editor.counts.cancelled) == (2, 1)


def test_what_was_answered_is_not_cancelled() -> None:
    stage = Stage()
    stage.type("a")
    stage.wire.answer(0, "bc")
    stage.type("b", at=1)
    assert "cancelRequest" not in stage.wire.methods()
    assert stage.shown == "c"


def test_taking_back_asks_nothing_and_cancels() -> None:
    stage = Stage()
    stage.type("a")
    stage.press(Act.BACK, 0, removed=1)
    assert stage.wire.methods()[2:] == ["didChange", "cancelRequest"]


def test_a_jump_changes_nothing() -> None:
    stage = Stage()
    stage.press(Act.JUMP, 0)
    assert stage.wire.methods() == []


def test_a_server_of_ours_is_told_where_the_cursor_comes_to_rest() -> None:
    stage = Stage("abc", commands=(OURS,))
    stage.press(Act.JUMP, 2)
    place = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 2}}
    assert stage.wire.sent == [(MOVED, place)]


def test_a_server_that_is_to_forget_hears_of_it_before_each_key() -> None:
    stage = Stage(commands=(FORGET,), forgetful=True)
    stage.type("a")
    assert stage.wire.methods() == ["executeCommand", "didChange", "inlineCompletion"]
    assert stage.wire.sent[0][1]["command"] == FORGET


def test_an_answer_to_a_cancelled_question_is_not_shown() -> None:
    stage = Stage()
    stage.type("ab")
    stage.wire.answer(0, "bcd")
    assert stage.shown == ""
    stage.wire.answer(1, "cd")
    assert stage.shown == "cd"
    assert stage.editor.unanswered == 0


def test_an_empty_answer_takes_away_what_is_shown() -> None:
    stage = Stage()
    stage.type("a")
    stage.wire.answer(0, "bc")
    stage.type("b", at=1)
    stage.wire.answer(1)
    assert stage.shown == ""
    assert stage.timeline.rows[-1].flickers == 1


def test_an_error_is_counted_and_shows_nothing() -> None:
    stage = Stage()
    stage.type("a")
    stage.wire.thens[0](None, {"code": -32603, "message": "no"})
    assert (stage.shown, stage.editor.counts.errors) == ("", 1)


@in_loop
async def test_a_question_waits_while_another_runs() -> None:
    stage = Stage(debounce=0.02)
    stage.type("ab")
    assert stage.wire.methods() == ["didChange", "inlineCompletion", "didChange"]
    await asyncio.sleep(0.04)
    assert stage.wire.methods()[3:] == ["cancelRequest", "inlineCompletion"]


@in_loop
async def test_an_answer_that_comes_while_the_next_question_waits_is_matched_to_the_text() -> None:
    stage = Stage(debounce=0.02)
    stage.type("ab")
    stage.wire.answer(0, "bcd")
    assert stage.shown == "cd"
    stage.type("x", at=2)
    stage.wire.thens.clear()
    await asyncio.sleep(0.04)
    assert stage.shown == ""


@in_loop
async def test_the_wait_follows_the_time_that_answers_take() -> None:
    stage = Stage(debounce=10)
    stage.type("a")
    stage.clock.now += 0.01
    stage.wire.answer(0)
    stage.type("bc", at=1)
    await asyncio.sleep(0.04)
    assert stage.wire.methods().count("inlineCompletion") == 3


def test_a_suggestion_grows() -> None:
    stage = Stage()
    stage.type("a")
    stage.wire.answer(0, "bc")
    stage.wire.grow(2, 1, "bc\nde")
    assert stage.shown == "bc\nde"
    stage.type("b", at=1)
    stage.wire.grow(2, 1, "bc\nde\nfg")
    assert stage.shown == "c\nde\nfg"
    assert sum(row.flickers for row in stage.timeline.rows) == 0


def test_a_growth_may_come_before_the_answer() -> None:
    stage = Stage()
    stage.type("a")
    stage.wire.grow(2, 1, "bc\nde")
    stage.wire.answer(0, "bc")
    assert stage.shown == "bc\nde"


@pytest.mark.parametrize(
    ("version", "column", "uri"), [(2, 1, "file:///w/b.py"), (2, 0, URI), (99, 1, URI), (1, 1, URI)]
)
def test_a_growth_of_something_else_is_left_out(version: int, column: int, uri: str) -> None:
    stage = Stage()
    stage.type("a")
    stage.wire.answer(0, "bc")
    stage.wire.grow(version, column, "xbcdef", uri)
    assert stage.shown == "bc"


def test_a_growth_of_what_was_dismissed_is_left_out() -> None:
    stage = Stage()
    stage.type("a")
    stage.wire.answer(0, "bc")
    stage.press(Act.WRONG, 1, inserted="x")
    stage.press(Act.BACK, 1, removed=1)
    stage.wire.grow(2, 1, "bcd")
    assert stage.shown == ""


def test_an_older_growth_does_not_replace_a_newer_answer() -> None:
    stage = Stage()
    stage.type("a")
    stage.wire.answer(0, "bc")
    stage.type("b", at=1)
    stage.wire.answer(1, "xy")
    stage.wire.grow(2, 1, "bcd")
    assert stage.shown == "xy"


def test_a_growth_that_is_none_is_a_fault() -> None:
    with pytest.raises(ServerFault, match="suggestionGrew"):
        Stage().wire.heard[GREW]({"uri": URI})


def test_the_accepted_suggestions_command_is_run() -> None:
    stage = Stage()
    stage.wire.capabilities = {"executeCommandProvider": {"commands": ["took"]}}
    stage.type("a")
    stage.wire.answer(0, "bc", command={"title": "", "command": "took", "arguments": [7]})
    stage.editor.accepted()
    assert stage.wire.sent[-1] == ("workspace/executeCommand", {"command": "took", "arguments": [7]})


def item(text: Any, start: int | None = None, end: int | None = None) -> dict[str, Any]:
    if start is None:
        return {"insertText": text}
    sides = {"start": {"line": 0, "character": start}, "end": {"line": 0, "character": end}}
    return {"insertText": text, "range": sides}


@pytest.mark.parametrize(
    ("found", "shown"),
    [
        (item("1)"), ("1)", "")),
        (item({"kind": "snippet", "value": "1"}), ("1", "")),
        (item("1)", 5, 6), ("1", "")),  # it ends with what it replaces
        (item("1) + 2", 5, 6), ("1) + 2", ")")),
        (item("area(1", 0, 5), ("1", "")),  # it begins with what stands there
        (item("volume(1", 0, 5), None),
    ],
)
def test_an_item_is_seen_from_the_cursor(found: dict[str, Any], shown: tuple[str, str] | None) -> None:
    for result in ({"items": [found]}, [found]):
        suggestion = suggestion_in(result, "area()", 5)
        assert (suggestion and (suggestion.text, suggestion.covered)) == shown


@pytest.mark.parametrize("result", [None, [], {"items": []}, {}])
def test_no_items_are_no_suggestion(result: Any) -> None:
    assert suggestion_in(result, "area()", 5) is None


@pytest.mark.parametrize("result", ["text", {"items": [{}]}, {"items": {"a": 1}}, [item("x", 1)], 7])
def test_what_is_no_answer_is_a_fault(result: Any) -> None:
    with pytest.raises(ServerFault, match="inlineCompletion"):
        suggestion_in(result, "area()", 5)
