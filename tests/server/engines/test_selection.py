from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from server.engines import Model, Unreachable, selection
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
