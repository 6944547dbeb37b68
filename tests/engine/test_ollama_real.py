"""What the product promises of a real Ollama: no reload, few tokens a key, exact counts."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from ast_prompt.budget import Budget
from ast_prompt.focus import focus_at
from ast_prompt.prompt import build_prompt
from server.completion import Completion, complete
from server.engines import Limits
from server.engines.ollama import Ollama
from server.settings import Settings
from tests.completing import lane_of, snapshot_of
from tests.engine.ollama_server import Ollama as Running
from tests.engine.ollama_server import ollama_server
from tests.picture import picture

pytestmark = [pytest.mark.engine, pytest.mark.timeout(900)]

FILES = {
    "cart.py": """
        class Cart:
            def __init__(self):
                self.items = []

            def total(self):
                return sum(█

            def clear(self):
                self.items = []
        """,
    "cart.ts": """
        export class Cart {
          private items: Item[] = [];

          total(): number {
            return this.items.█
          }
        }
        """,
    "cart.go": """
        package cart

        type Cart struct{ items []Item }

        func (c *Cart) Total() float64 {
        	sum := 0.0
        	for _, item := range c.items {
        		sum += █
        	}
        	return sum
        }
        """,
}
TYPED = {"cart.py": "item.price", "cart.ts": "reduce((a", "cart.go": "item.Price"}
RELOADED_MS = 100


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    with ollama_server() as ollama:
        yield ollama


def settings_for(running: Running) -> Settings:
    return Settings(engine="ollama", host=running.host, model=running.model, timeout=120)


async def completed(ollama: Ollama, settings: Settings, path: str, typed: int) -> Completion:
    """With this many characters typed at the cursor of the drawing."""
    drawing = FILES[path].replace("█", TYPED[path][:typed] + "█")
    snapshot, offset = snapshot_of(picture(drawing, path))
    return await complete(snapshot, offset, lane_of(ollama), settings)


def test_in_a_session_the_model_is_loaded_once_whatever_another_client_does(running: Running) -> None:
    async def run() -> list[float]:
        settings = settings_for(running)
        ollama, loads = Ollama(settings), []
        try:
            await completed(ollama, settings, "cart.py", 0)
            for number in range(30):
                if number == 15:
                    other = {"model": running.model, "prompt": "x", "raw": True, "stream": False}
                    options = {"num_ctx": 4096, "num_predict": 1}
                    await asyncio.to_thread(running.ask, "/api/generate", other | {"options": options})
                path = list(FILES)[number % 3]
                completion = await completed(ollama, settings, path, number % 9)
                assert completion.detail == ""
                loads.append(completion.counters.load_ms)
        finally:
            await ollama.close()
        (loaded,) = running.ask("/api/ps")["models"]
        assert loaded["context_length"] == 4096
        return loads

    loads = asyncio.run(run())
    assert max(loads) < RELOADED_MS, loads


@pytest.mark.parametrize("path", FILES)
def test_three_typed_characters_cost_a_few_tokens(running: Running, path: str) -> None:
    async def run() -> Completion:
        settings = settings_for(running)
        ollama = Ollama(settings)
        try:
            first = await completed(ollama, settings, path, 1)
            second = await completed(ollama, settings, path, 4)
        finally:
            await ollama.close()
        assert first.counters.prompt > 20
        return second

    counters = asyncio.run(run()).counters
    assert counters.evaluated is not None
    assert counters.evaluated <= 4 * counters.requests


@pytest.mark.parametrize("path", FILES)
def test_tokens_are_counted_as_ollama_counts_them(running: Running, path: str) -> None:
    async def run() -> tuple[int, int]:
        ollama = Ollama(settings_for(running))
        try:
            model = await ollama.model()
            snapshot, offset = snapshot_of(picture(FILES[path] + "# 漢字 é🙂 \t 1234567\n", path))
            focus = focus_at(snapshot.text, snapshot.tree, snapshot.language, offset)
            prompt = build_prompt(focus, model.dialect, model.vocabulary, Budget(512))
            async with ollama.stream(prompt, Limits(1, 60)) as answer:
                async for _ in answer:
                    pass
        finally:
            await ollama.close()
        # each probe of healing adds the token that it found
        return prompt.tokens, answer.counters.prompt - (answer.counters.requests - 1)

    ours, theirs = asyncio.run(run())
    assert ours == theirs
