from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from server.engines import Engine, Model, Unreachable, selection
from server.engines.ollama import BELIEVED
from server.engines.selection import Automatic, engine_of
from server.settings import Settings
from tests.completing import QWEN
from tests.fake_ollama import FakeOllama

T = TypeVar("T")


class Here:
    """An embedded engine that is ready."""

    name = "embedded"

    def __init__(self, settings: Settings) -> None:
        self.closed = False

    async def model(self) -> Model:
        return Model("own", 8192, QWEN, None)

    async def close(self) -> None:
        self.closed = True


def with_engine(settings: Settings, use: Callable[[Automatic], Awaitable[T]]) -> T:
    async def run() -> T:
        engine = engine_of(settings)
        assert isinstance(engine, Automatic)
        try:
            return await use(engine)
        finally:
            await engine.close()

    return asyncio.run(run())


@pytest.fixture
def embedded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection, "Embedded", Here)
    monkeypatch.setattr(selection, "why_not_here", lambda settings: None)


def test_ollama_is_taken_where_it_answers(embedded: None) -> None:
    async def use(engine: Automatic) -> str:
        await engine.model()
        return engine.name

    with FakeOllama() as fake:
        assert with_engine(Settings(host=fake.host), use) == "ollama"


@pytest.mark.parametrize("script", [{}, {"tags": {"models": []}, "ps": {"models": []}}])
def test_else_the_embedded_engine(embedded: None, script: dict[str, object]) -> None:
    async def use(engine: Automatic) -> str:
        await engine.model()
        return engine.name

    with FakeOllama(script) as fake:
        if not script:
            fake.down()
        assert with_engine(Settings(host=fake.host), use) == "embedded"


def test_when_ollama_goes_the_choice_is_made_anew(embedded: None) -> None:
    async def use(engine: Automatic) -> list[str]:
        await engine.model()
        names = [engine.name]
        fake.down()
        await asyncio.sleep(BELIEVED)
        await engine.model()
        return [*names, engine.name]

    with FakeOllama() as fake:
        assert with_engine(Settings(host=fake.host), use) == ["ollama", "embedded"]


def test_where_there_is_none_both_reasons_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection, "why_not_here", lambda settings: "the embedded engine is not installed")
    with FakeOllama() as fake:
        fake.down()
        with pytest.raises(Unreachable, match=r"`ollama serve`.*; and the embedded engine is not installed"):
            with_engine(Settings(host=fake.host), lambda engine: engine.model())


def test_keys_that_overtake_one_another_do_not_begin_the_choice_anew(embedded: None) -> None:
    async def use(engine: Automatic) -> int:
        for _ in range(5):
            asking = asyncio.create_task(engine.model())
            await asyncio.sleep(0.01)
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
        await engine.model()
        return len(fake.requests("/api/show"))

    with FakeOllama({"show": {"model_info": {}}}) as fake:
        assert with_engine(Settings(host=fake.host), use) == 1


def test_two_that_ask_at_once_get_one_engine(embedded: None) -> None:
    async def use(engine: Automatic) -> bool:
        await asyncio.gather(engine.engine(), engine.engine())
        return await engine.engine() is engine.chosen

    with FakeOllama() as fake:
        fake.down()
        assert with_engine(Settings(host=fake.host), use)


def test_an_ollama_that_comes_later_takes_over_between_two_requests(
    embedded: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selection, "LOOK_AGAIN_SECONDS", 0.0)

    async def use(engine: Automatic) -> list[str]:
        await engine.model()
        first: Engine | None = engine.chosen
        names = [engine.name]
        fake.up()
        async with asyncio.timeout(5):
            while engine.name == "embedded":
                await engine.model()
                await asyncio.sleep(0.01)
        assert getattr(first, "closed", False)
        return [*names, engine.name]

    with FakeOllama() as fake:
        fake.down()
        assert with_engine(Settings(host=fake.host), use) == ["embedded", "ollama"]
