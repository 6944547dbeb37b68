"""The server with a real Ollama and the default model."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from tests.engine.ollama_server import Ollama, ollama_server
from tests.picture import picture
from tests.protocol.client import Client
from tests.protocol.text import position_of

pytestmark = [pytest.mark.engine, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def ollama() -> Iterator[Ollama]:
    with ollama_server() as running:
        yield running


def test_it_answers_with_the_context_that_was_asked_for(ollama: Ollama) -> None:
    asked = {"model": ollama.model, "prompt": "def f(", "raw": True, "options": {"num_predict": 2}}
    answer = ollama.ask("/api/generate", asked)
    assert answer["done"]
    assert answer["eval_count"] == 2
    (loaded,) = ollama.ask("/api/ps")["models"]
    assert loaded["context_length"] == 8192


def test_the_language_server_completes_with_it(ollama: Ollama) -> None:
    drawn = picture(
        """
        def add(first, second):
            return first + second


        def multiply(first, second):
            return █


        print(multiply(2, 3))
        """
    )
    uri, text = "file:///w/sums.py", drawn.files[drawn.path]

    async def run() -> str:
        options = {"engine": "ollama", "host": ollama.host, "model": ollama.model}
        async with Client(options=options, limit=120) as client:
            client.open(uri, text)
            items = await client.inline(uri, **position_of(drawn.before, client.encoding))
            return str(items[0]["insertText"]) if items else ""

    assert asyncio.run(run()) == "first * second"
