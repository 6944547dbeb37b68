"""The client of llama.cpp's server, against a server of scripted bytes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pytest
from hypothesis import given, strategies

from ast_prompt.prompt import Prompt
from server.engines import Counters, EngineError, Garbled, Limits, Refused, TimedOut, Unreachable
from server.engines.llama_server import LlamaServer, body_of, grammar_of

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
    async with server.stream(asked, Limits(8, seconds), deadline) as answer:
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
            async with server.stream(prompt(), Limits(8, 20), asyncio.get_running_loop().time() + 20) as answer:
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
    body = body_of(prompt("a", forced="\0b"), Limits(8, 1))
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
