"""Typing on, or going elsewhere, while an answer is shown or on its way: what no longer fits is given to nobody."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.cases.data import Row, variants
from tests.fake_ollama import answer
from tests.picture import CURSOR
from tests.protocol.text import apply_popup, position_of
from tests.server.desk import Desk, Typist, at_a_desk, result, until

URI, OTHER = "file:///w/a.py", "file:///w/b.py"
NEVER = {"stream": [{"response": "never used"}], "delay_ms": 60_000}


async def begun(desk: Desk) -> None:
    await until(lambda: bool(desk.fake.generates()))


@pytest.mark.parametrize("given", variants("typed_on_while_shown"), ids=lambda given: given["name"])
def test_what_is_typed_along_shrinks_a_suggestion_and_what_disagrees_removes_it(given: dict[str, Any]) -> None:
    async def use(desk: Desk) -> None:
        row = Row.of(given)
        typist = desk.typist(row.uri, row.before, row.language)
        assert await typist.items()
        for key in given["keys"]:
            typist.press(key)
        asked = typist.ask()
        if row.expected["after"] is None:
            await asyncio.wait((asked,), timeout=0.3)  # the engine is asked anew, and does not say
            typist.leave()
            assert not await result(asked)
        else:
            items = await result(asked)
            assert items
            assert row.is_right(typist.accepted(items[0]))

    at_a_desk({"generate": [answer(given["model_output"]), NEVER]}, use)


@pytest.mark.parametrize("given", variants("popup_list_not_refreshed"), ids=lambda given: given["name"])
@pytest.mark.parametrize("asks_at_each_key", [True, False])
def test_a_popup_s_entry_covers_the_word_that_is_typed(given: dict[str, Any], asks_at_each_key: bool) -> None:
    async def use(desk: Desk) -> None:
        row, word = Row.of(given), given["word"]
        typist = desk.typist(row.uri, row.before, row.language)
        begin = position_of(row.prefix.removesuffix(word), "utf-16")
        await check(typist, begin, word)
        for key in given["keys"]:
            typist.press(key)
            word += key
            if asks_at_each_key:
                await check(typist, begin, word)
        assert row.is_right(await check(typist, begin, word))
        assert len(desk.fake.generates()) == 1

    async def check(typist: Typist, begin: Any, word: str) -> str:
        at = {"textDocument": {"uri": typist.uri}, "position": typist.cursor, "context": {"triggerKind": 3}}
        found = await typist.client.request("textDocument/completion", at)
        assert found["isIncomplete"] is True
        (item,) = found["items"]
        assert item["textEdit"]["range"] == {"start": begin, "end": typist.cursor}
        assert item["textEdit"]["newText"].startswith(word)
        assert item["filterText"].startswith(word)
        after = apply_popup(typist.text, position_of(typist.before, "utf-16"), item, "utf-16")
        return after.replace("\n", CURSOR + "\n")

    at_a_desk({"generate": [answer(given["model_output"]), NEVER]}, use)


@pytest.mark.parametrize("method", ["textDocument/inlineCompletion", "textDocument/completion"])
@pytest.mark.parametrize("late_keys", ["q", "\b", "\n"])
def test_the_answer_for_an_older_text_is_given_to_nobody(method: str, late_keys: str) -> None:
    """Not even to the request that asked for it."""

    async def use(desk: Desk) -> None:
        typist = desk.typist(URI, "x = to█\n")
        at = {"textDocument": {"uri": URI}, "position": typist.cursor, "context": {"triggerKind": 2}}
        _, asked = desk.client.start_request(method, at)
        await begun(desk)
        for key in late_keys:
            typist.press(key)
        assert await result(asked) == []

    at_a_desk({"generate": [answer("tal_sum", delay_ms=400)]}, use)


def test_who_asks_with_a_text_of_before_gets_what_fits_the_text_of_now() -> None:
    """A popup that asks at the column of its first letter, behind which more stands by now."""

    async def use(desk: Desk) -> None:
        typist = desk.typist(URI, "x = to█\n")
        assert await typist.offered() == "x = total_sum█\n"
        for key in "ta":
            typist.press(key)
        at = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 6}, "context": {"triggerKind": 2}}
        found = await desk.client.request("textDocument/completion", at)
        assert found == {"isIncomplete": True, "items": []}  # within a word nothing is offered

    at_a_desk({"generate": [answer("tal_sum"), NEVER]}, use)


def test_the_late_answer_of_a_place_that_was_left_is_shown_nowhere() -> None:
    async def use(desk: Desk) -> None:
        typist = desk.typist(URI, "a = █\nb = \n")
        left = typist.ask()
        await begun(desk)
        desk.fake.play(answer("2"))
        typist.go("a = \nb = ")
        assert await typist.offered() == "a = \nb = 2█\n"
        assert await result(left) in (None, [])

    at_a_desk({"generate": [answer("1", delay_ms=400)]}, use)


def test_the_late_answer_of_another_file_is_shown_nowhere() -> None:
    async def use(desk: Desk) -> None:
        first, second = desk.typist(URI, "a = █\n"), desk.typist(OTHER, "a = █\n\nb = 2\n")
        left = first.ask()
        await begun(desk)
        desk.fake.play(answer("2"))
        assert await second.offered() == "a = 2█\n\nb = 2\n"
        assert await result(left) in (None, [])

    at_a_desk({"generate": [answer("1", delay_ms=400)]}, use)


def test_the_late_answer_of_a_closed_file_is_shown_nowhere_and_not_even_where_it_is_opened_again() -> None:
    async def use(desk: Desk) -> None:
        typist = desk.typist(URI, "a = █\n")
        left = typist.ask()
        await begun(desk)
        desk.client.close(URI)
        desk.fake.play(answer("2"))
        again = desk.typist(URI, "b = 0\na = █\n")
        assert await again.offered() == "b = 0\na = 2█\n"
        assert await result(left) == []

    at_a_desk({"generate": [answer("1", delay_ms=400)]}, use)
