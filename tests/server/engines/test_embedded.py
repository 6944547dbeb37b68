"""The embedded engine without a model: a server of scripted bytes, and programs that answer in its process's place."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given, strategies

from ast_prompt.prompt import Prompt
from server.engines import Counters, EngineError, Garbled, Limits, Refused, TimedOut, Unreachable, embedded
from server.engines.embedded import Embedded, why_not_here
from server.engines.llama_server import LlamaServer, body_of, grammar_of
from server.settings import Settings
from tests.server.engines.test_gguf import ENTRIES, head

T = TypeVar("T")
TIMINGS = {"prompt_n": 2, "cache_n": 40, "predicted_n": 3, "prompt_ms": 5.0, "predicted_ms": 7.0}


def prompt(text: str = "x", forced: str = "", suffix: str | None = None) -> Prompt:
    return Prompt(text, suffix, forced, ("<|endoftext|>",), 1, text, "")


def event(content: str, stop: bool = False) -> bytes:
    data = json.dumps({"content": content, "stop": stop, "timings": TIMINGS}, ensure_ascii=False)
    return f"data: {data}\n\n".encode()


@dataclass
class FakeLlama:
    """Answers every request with these bytes, packet by packet; `hangs` keeps the connection open after them."""

    packets: list[bytes] = field(default_factory=list)
    status: int = 200
    hangs: bool = False
    requests: list[dict[str, Any]] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)
    left: asyncio.Event = field(default_factory=asyncio.Event)
    serving: list[asyncio.Task[None]] = field(default_factory=list)

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.serving.append(asyncio.create_task(self.serve(reader, writer)))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = next(int(line[16:]) for line in heads.lower().split("\r\n") if line.startswith("content-length: "))
        self.heads.append(heads)
        self.requests.append(json.loads(await reader.readexactly(length)))
        writer.write(f"HTTP/1.1 {self.status} OK\r\nConnection: close\r\n\r\n".encode())
        for packet in self.packets:
            writer.write(packet)
            await writer.drain()
        if self.hangs:
            await reader.read()
            self.left.set()
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


@asynccontextmanager
async def served(fake: FakeLlama) -> AsyncIterator[LlamaServer]:
    listening = await asyncio.start_server(fake.accept, "127.0.0.1", 0)
    server = LlamaServer(f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}", "secret")
    try:
        yield server
    finally:
        await server.close()
        listening.close()
        await asyncio.gather(*fake.serving)
        await listening.wait_closed()


async def pieces(server: LlamaServer, asked: Prompt, seconds: float = 20) -> tuple[list[str], Counters]:
    deadline = asyncio.get_running_loop().time() + seconds
    async with server.stream(asked, 8, deadline) as answer:
        return [piece async for piece in answer], answer.counters


def answered(fake: FakeLlama, asked: Prompt | None = None, seconds: float = 20) -> list[str]:
    async def ask() -> list[str]:
        async with served(fake) as server:
            return (await pieces(server, asked or prompt(), seconds))[0]

    return asyncio.run(ask())


def test_pieces_come_in_order_and_counters_with_them() -> None:
    async def ask() -> tuple[list[str], Counters]:
        async with served(FakeLlama([event("a"), event("b", stop=True)])) as server:
            return await pieces(server, prompt())

    found, counters = asyncio.run(ask())
    assert found == ["a", "b"]
    assert counters == Counters(prompt=42, evaluated=2, generated=3, requests=1, prefill_ms=5.0, decode_ms=7.0)


def test_a_character_cut_by_packets_stays_whole() -> None:
    whole = event("ö😀\u2028\x85日", stop=True)
    assert answered(FakeLlama([whole[at : at + 1] for at in range(len(whole))])) == ["ö😀\u2028\x85日"]


def test_comments_and_blank_lines_are_passed_over() -> None:
    assert answered(FakeLlama([b": ping\n\n\n", event("a", stop=True)])) == ["a"]


@pytest.mark.parametrize(
    ("contents", "gives"),
    [(["for", "ced x"], [" x"]), (["forced"], []), (["forc"], []), (["f", "o", "rced", "y", "z"], ["y", "z"])],
)
def test_what_is_forced_is_not_given_on(contents: list[str], gives: list[str]) -> None:
    packets = [event(content, stop=at == len(contents) - 1) for at, content in enumerate(contents)]
    assert answered(FakeLlama(packets), prompt(forced="forced")) == gives


def test_a_model_that_does_not_obey_voids_the_answer() -> None:
    with pytest.raises(Garbled, match="'fo!' where 'for' was forced"):
        answered(FakeLlama([event("fo!", stop=True)]), prompt(forced="forced"))


@pytest.mark.parametrize(
    ("fake", "error", "says"),
    [
        (FakeLlama([event("a")]), Garbled, "broke off before its end"),
        (FakeLlama([event("a"), b'data: {"error": {"message": "out of\\nmemory"}}\n\n']), Garbled, "out of memory"),
        (FakeLlama([b'error: {"message": "slot unavailable"}\n\n']), Garbled, "slot unavailable"),
        (FakeLlama([b"data: {broken\n\n"]), Garbled, "can't be read"),
        (FakeLlama([b"data: []\n\n"]), Garbled, "in place of an event"),
        (FakeLlama([b'data: {"content": "a"}\n\n']), Garbled, "can't be read"),
        (FakeLlama([b'{"error": {"message": "exceeds the available context size"}}'], 400), Refused, "too long"),
        (FakeLlama([b'{"error": {"message": "Loading model"}}'], 503), Unreachable, "being loaded"),
        (FakeLlama([b'{"error": {"message": "Invalid API Key"}}'], 401), Refused, "Invalid API Key"),
        (FakeLlama([b"<html>"], 500), Garbled, "can't be read"),
    ],
)
def test_what_goes_wrong_is_one_of_four(fake: FakeLlama, error: type[EngineError], says: str) -> None:
    with pytest.raises(error, match=says) as caught:
        answered(fake)
    assert "\n" not in str(caught.value)


def test_a_silent_server_times_out() -> None:
    with pytest.raises(TimedOut):
        answered(FakeLlama([event("a")], hangs=True), seconds=0.2)


def test_nobody_there_is_unreachable() -> None:
    async def ask() -> None:
        async with served(FakeLlama()) as server:
            gone = LlamaServer(server.address, "")
        try:
            await pieces(gone, prompt())
        finally:
            await gone.close()

    with pytest.raises(Unreachable):
        asyncio.run(ask())


def test_leaving_the_stream_closes_the_connection() -> None:
    async def leave() -> None:
        fake = FakeLlama([event("a")], hangs=True)
        async with served(fake) as server:
            async with server.stream(prompt(), 8, asyncio.get_running_loop().time() + 20) as answer:
                assert await anext(aiter(answer)) == "a"
            async with asyncio.timeout(10):
                await fake.left.wait()

    asyncio.run(leave())


def test_the_request_has_the_key_and_no_proxy_sees_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    fake = FakeLlama([event("be a", stop=True)])
    answered(fake, prompt("before", forced="be"))
    assert "authorization: bearer secret" in fake.heads[0].lower()
    assert fake.heads[0].startswith("POST /completion ")
    assert fake.requests[0] == {
        "prompt": "before",
        "stream": True,
        "cache_prompt": True,
        "timings_per_token": True,
        "temperature": 0,
        "n_predict": 8,
        "stop": ["<|endoftext|>"],
        "grammar": 'root ::= "\\U00000062\\U00000065" rest\nrest ::= [^\\x00]*\n',
    }


def test_a_suffix_of_its_own_goes_to_the_models_template() -> None:
    fake = FakeLlama([event("a", stop=True)])
    answered(fake, prompt("before", suffix="after"))
    assert fake.heads[0].startswith("POST /infill ")
    assert (fake.requests[0]["input_prefix"], fake.requests[0]["input_suffix"]) == ("before", "after")


def test_what_a_grammar_can_not_say_is_part_of_the_prompt() -> None:
    body = body_of(prompt("a", forced="\0b"), 8)
    assert body["prompt"] == "a\0b"
    assert "grammar" not in body
    assert answered(FakeLlama([event("c", stop=True)]), prompt("a", forced="\0b")) == ["c"]


def test_half_a_character_is_sent_and_forced_as_the_same_replacement() -> None:
    fake = FakeLlama([event("\ufffdx", stop=True)])
    assert answered(fake, prompt("a\ud83d", forced="\ud83d")) == ["x"]
    assert fake.requests[0]["prompt"] == "a\ufffd"


@given(strategies.text(min_size=1))
def test_no_character_means_anything_to_the_grammar(forced: str) -> None:
    literal = grammar_of(forced).split('"')[1]
    assert "".join(chr(int(number, 16)) for number in literal.split("\\U")[1:]) == forced
    assert grammar_of(forced).count('"') == 2


# the process


def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str) -> Settings:
    """Settings with a model of no tensors; `code` runs in place of the engine's process, with `wanted` read."""
    path = tmp_path / "program.py"
    path.write_text(f"import json, os, sys\nwanted = json.loads(sys.stdin.readline())\n{code}\n")
    monkeypatch.setattr(embedded, "PROGRAM", path)
    model = tmp_path / "tiny.gguf"
    model.write_bytes(head(*ENTRIES))
    return Settings(engine="embedded", model=str(model), contextLength=65_536)


def with_engine(settings: Settings, use: Callable[[Embedded], Awaitable[T]]) -> T:
    async def run() -> T:
        engine = Embedded(settings)
        try:
            return await use(engine)
        finally:
            await engine.close()

    return asyncio.run(run())


SERVES = "print(json.dumps({'address': 'http://127.0.0.1:9'}), flush=True)\nsys.stdin.read()"


def test_the_model_is_loaded_once_however_many_ask_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = f"open({str(tmp_path / 'starts')!r}, 'a').write('x')\n"

    async def use(engine: Embedded) -> None:
        first, second = await asyncio.gather(engine.model(), engine.model())
        assert first is second is await engine.model()
        assert (first.name, first.context) == ("tiny", 32_768)

    with_engine(program(tmp_path, monkeypatch, started + SERVES), use)
    assert (tmp_path / "starts").read_text() == "x"


def test_a_process_that_died_is_started_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def use(engine: Embedded) -> None:
        first = await engine.loaded()
        first.process.kill()
        await asyncio.to_thread(first.process.wait)
        second = await engine.loaded()
        assert second.process.pid != first.process.pid
        await first.server.close()

    with_engine(program(tmp_path, monkeypatch, SERVES), use)


def test_closing_ends_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def use(engine: Embedded) -> embedded.Loaded:
        return await engine.loaded()

    assert with_engine(program(tmp_path, monkeypatch, SERVES), use).process.returncode == 0


def test_closing_while_it_loads_ends_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = program(tmp_path, monkeypatch, "import time\ntime.sleep(60)")

    async def use(engine: Embedded) -> asyncio.Task[Any]:
        loading = asyncio.create_task(engine.model())
        while engine.process is None:
            await asyncio.sleep(0)
        await engine.close()
        await asyncio.wait([loading])
        return loading

    with pytest.raises(Refused, match="ended with code"):
        with_engine(settings, use).result()


def test_a_request_that_gives_up_leaves_the_loading_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waits = f"import pathlib\ngo = pathlib.Path({str(tmp_path / 'go')!r})\nwhile not go.exists(): pass\n"

    async def use(engine: Embedded) -> None:
        with pytest.raises(TimedOut, match="goes on loading"):
            async with engine.stream(prompt(), Limits(8, 0.2)):
                pass
        process = engine.process
        await asyncio.to_thread((tmp_path / "go").touch)
        assert (await engine.loaded()).process is process

    with_engine(program(tmp_path, monkeypatch, waits + SERVES), use)


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("print(json.dumps({'error': 'RuntimeError: no'}))", "can't be loaded: RuntimeError: no"),
        ("os._exit(3)", "ended with code 3; is there enough memory"),
        ("print('hello', flush=True)", "can't be loaded"),
    ],
)
def test_a_model_that_can_not_be_loaded_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, says: str
) -> None:
    async def use(engine: Embedded) -> None:
        with pytest.raises(Refused, match=says):
            await engine.model()

    with_engine(program(tmp_path, monkeypatch, code), use)


@pytest.mark.skipif(sys.platform == "win32", reason="only Unix ends a process by a signal for an unknown instruction")
def test_a_processor_that_is_too_old_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def use(engine: Embedded) -> None:
        with pytest.raises(Refused, match="AVX2"):
            await engine.model()

    with_engine(program(tmp_path, monkeypatch, "os.kill(os.getpid(), 4)"), use)


def test_a_damaged_model_is_refused_and_its_process_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = program(tmp_path, monkeypatch, SERVES)
    Path(settings.model).write_bytes(b"GGUF")

    async def use(engine: Embedded) -> int | None:
        with pytest.raises(Refused, match="damaged near byte"):
            await engine.model()
        assert engine.process is not None
        return engine.process.returncode

    assert with_engine(settings, use) == 0


def test_the_threads_of_a_busy_machine_do_not_spin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GOMP_SPINCOUNT", raising=False)
    tells = f"open({str(tmp_path / 'spin')!r}, 'w').write(os.environ['GOMP_SPINCOUNT'])\n"

    async def use(engine: Embedded) -> None:
        await engine.model()

    with_engine(program(tmp_path, monkeypatch, tells + SERVES), use)
    assert (tmp_path / "spin").read_text() == "5000"


def test_says_what_is_missing_and_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded.importlib.util, "find_spec", lambda _: object())
    monkeypatch.setattr(embedded.model_file, "ready", lambda: None)
    assert why_not_here(Settings()) == "the embedded engine's model is not downloaded: run `kireji fetch`"
    assert "takes the path of a .gguf file" in (why_not_here(Settings(model="qwen2.5-coder:0.5b")) or "")
    assert "there is no model file" in (why_not_here(Settings(model=str(tmp_path / "none.gguf"))) or "")
    monkeypatch.setattr(embedded.importlib.util, "find_spec", lambda _: None)
    assert "pip install 'kireji[embedded]'" in (why_not_here(Settings()) or "")


def test_an_engine_that_is_not_installed_is_unreachable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded.importlib.util, "find_spec", lambda _: None)

    async def use(engine: Embedded) -> None:
        with pytest.raises(Unreachable, match="is not installed"):
            await engine.model()

    with_engine(Settings(), use)


def test_an_engine_that_was_never_asked_can_be_closed() -> None:
    async def use(engine: Embedded) -> None:
        assert engine.process is None

    with_engine(Settings(), use)
