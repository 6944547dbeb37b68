"""The embedded engine with the real model, which is fetched into the user's cache the first time."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import textwrap
from collections.abc import Awaitable, Callable
from functools import cache
from pathlib import Path
from typing import TypeVar

import httpx
import pytest

from ast_prompt.prompt import Prompt
from server.engines import Counters, Limits, Model, Refused, TimedOut, model_file
from server.engines.embedded import Embedded
from server.settings import Settings

T = TypeVar("T")
# fetching the model, reading prompts on a slow machine
pytestmark = [pytest.mark.engine, pytest.mark.timeout(900)]

BEGINNING = "<|fim_prefix|><|fim_suffix|>\n<|fim_middle|>"
CODE = '''\
import json
from pathlib import Path


def read_settings(path: Path) -> dict[str, object]:
    """The settings in this file; none where it is not there."""
    if not path.exists():
        return {}
    return json.loads(path.read_text("utf-8"))


def write_settings(path: Path, settings: dict[str, object]) -> None:
    path.write_text(json.dumps('''
ROOT = Path(__file__).parents[2]


@cache
def model_there() -> Path:
    return model_file.fetch(lambda *_: None)


def prompt(text: str, forced: str = "") -> Prompt:
    return Prompt(BEGINNING + text, None, forced, ("<|endoftext|>", "<|file_sep|>"), 1, text + forced, "")


def with_engine(use: Callable[[Embedded], Awaitable[T]]) -> T:
    model_there()

    async def run() -> T:
        engine = Embedded(Settings(engine="embedded"))
        try:
            return await use(engine)
        finally:
            await engine.close()

    return asyncio.run(run())


async def answer(engine: Embedded, asked: Prompt, tokens: int = 8, seconds: float = 300) -> tuple[str, Counters]:
    async with engine.stream(asked, Limits(tokens, seconds)) as answering:
        pieces = [piece async for piece in answering]
        return "".join(pieces), answering.counters


def test_streams_what_the_model_writes_and_reads_only_what_was_typed_since() -> None:
    async def use(engine: Embedded) -> tuple[Model, Counters, str, Counters]:
        model = await engine.model()
        _, first = await answer(engine, prompt(CODE))
        text, second = await answer(engine, prompt(CODE + "set"))
        return model, first, text, second

    model, first, text, second = with_engine(use)
    assert (model.dialect.name, model.context) == ("qwen", 8192)
    assert model.vocabulary is not None
    assert model.vocabulary.note == "qwen2, exact"
    assert first.prompt == model.vocabulary.count(BEGINNING + CODE) == first.evaluated
    assert second.evaluated is not None
    assert second.evaluated <= 6
    assert text.startswith("tings")


@pytest.mark.parametrize("forced", ["se", ' "\\\t', "日本", "😀é", "\x01\x7f\u2028", "]{2}[^a]", "\n\n        x"])
def test_a_forced_beginning_is_obeyed_and_not_given_on(forced: str) -> None:
    async def use(engine: Embedded) -> tuple[str, Counters]:
        return await answer(engine, prompt(CODE, forced), 6)

    # the engine raises Garbled where the answer does not begin with it
    text, counters = with_engine(use)
    assert text
    assert counters.generated >= 6


def test_the_end_is_possible_after_a_forced_beginning() -> None:
    chat = "<|im_start|>user\nAnswer with the word Yes.<|im_end|>\n<|im_start|>assistant\n"

    async def use(engine: Embedded) -> tuple[str, Counters]:
        return await answer(engine, Prompt(chat, None, "Yes", (), 1, "", ""), 40)

    text, counters = with_engine(use)
    assert text in ("", ".")
    assert counters.generated < 5


def test_leaving_a_stream_frees_the_engine_for_the_next() -> None:
    async def use(engine: Embedded) -> Counters:
        async with engine.stream(prompt(CODE), Limits(4_000, 300)) as answering:
            async for _ in answering:
                break
        # 4,000 tokens would take minutes
        _, counters = await answer(engine, prompt(CODE), 2, 60)
        return counters

    counters = with_engine(use)
    assert counters.evaluated is not None
    assert counters.evaluated <= 6


def test_a_prompt_too_long_for_the_context_is_refused() -> None:
    async def use(engine: Embedded) -> None:
        with pytest.raises(Refused, match="too long"):
            await answer(engine, prompt("x = 1\n" * 5_000))

    with_engine(use)


def test_an_answer_that_takes_too_long_is_given_up() -> None:
    async def use(engine: Embedded) -> None:
        await engine.model()
        with pytest.raises(TimedOut):
            await answer(engine, prompt(CODE * 10), seconds=0.1)

    with_engine(use)


def test_nobody_else_can_use_the_server() -> None:
    async def use(engine: Embedded) -> tuple[int, str]:
        loaded = await engine.loaded()
        async with httpx.AsyncClient(trust_env=False) as stranger:
            refused = await stranger.post(
                f"{loaded.server.address}/completion", json={"prompt": "x"}, headers={"Origin": "https://evil.example"}
            )
        return refused.status_code, refused.headers.get("Access-Control-Allow-Origin", "")

    status, allowed = with_engine(use)
    assert status == 401
    assert "evil" not in allowed
    assert allowed not in ("*", "null")


def texts() -> list[str]:
    """Pieces of our own sources, and what tokenizers trip over."""
    sources = [
        path.read_text("utf-8") for folder in ("ast_prompt", "server") for path in ROOT.glob(f"{folder}/**/*.py")
    ]
    pieces = [source[at : at + 700] for source in sources for at in range(0, len(source), 1_400)]
    return [
        *pieces[:120],
        "  \t\tx = 1\n\n\n   y\t= '''äöü ß €'''  # 12345 67890.5e-10\r\n\r\n",
        "日本語のコメント // テスト\n한국어 😀👨‍👩‍👧 emoji e\u0301 \u0915\u094d\u0937",
        "a" * 50 + "\n" * 7 + " " * 33 + "end",
        "\u2028\u00a0\u3000x\x0b\x0c\x1cz\x01\x7f",
        "don't we'll THEY'RE I'M 'S 0x1F 1_000_000 007",
        '<div class="a"><s>x</s></div>\n<unk> <s> </s><|im_start|><|fim_prefix|>',
        *("\n", "\t", " ", "  ", "ö", "日", "😀", " x", "x "),
    ]


def test_counts_and_cuts_as_the_engine_itself_does() -> None:
    async def use(engine: Embedded) -> None:
        vocabulary = (await engine.model()).vocabulary
        assert vocabulary is not None
        for text in texts():
            tokens = await engine.tokenize(text)
            assert vocabulary.count(text) == len(tokens), text
            last = await engine.detokenize(tokens[-1:])
            # a token inside a character is widened to the character
            assert vocabulary.last_token(text) == (text[-1] if "\ufffd" in last else last), text

    with_engine(use)


def test_nothing_is_printed_and_an_exit_without_closing_neither_hangs_nor_crashes() -> None:
    model_there()
    program = """
        import asyncio
        from ast_prompt.prompt import Prompt
        from server.engines import Limits
        from server.engines.embedded import Embedded
        from server.settings import Settings

        async def leave():
            engine = Embedded(Settings(engine="embedded"))
            async with engine.stream(Prompt("def f(", None, "", (), 1, "", ""), Limits(2_000, 100)) as answer:
                async for _ in answer:
                    print(engine.process.pid, flush=True)
                    return

        asyncio.run(leave())
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.strip().isdecimal()
