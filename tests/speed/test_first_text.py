"""The measurement of the first text, against a stand-in: what it counts, not how fast that is."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fake_ollama import MODEL, FakeOllama
from tests.speed import first_text
from tests.speed.bare import Bare, Replayed
from tests.speed.pairs import ratio
from tests.speed.proxy import Exchange, Lines, Proxy

ANSWER = {
    "stream": [{"response": "one"}, {"response": " + two"}, {"response": "\n"}, {"response": "three"}],
    "gap_ms": 5,
}
BODY = {"model": MODEL, "prompt": "x" * 400, "stream": True, "options": {"num_predict": 9}}


def test_reads_lines_however_the_bytes_are_cut() -> None:
    raw = b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n{"a":1}\n\r\nC\r\n{"done":tru\n\r\n0\r\n\r\n'
    raw = raw.replace(b"tru\n\r\n", b"tru\r\n3\r\ne}\n\r\n").replace(b"C\r\n", b"b\r\n")
    for size in (1, 7, 1000):
        lines = Lines()
        found = [line for at in range(0, len(raw), size) for line in lines.feed(raw[at : at + size])]
        assert (found, lines.complete) == ([{"a": 1}, {"done": True}], True)


def test_keeps_what_went_over_it() -> None:
    async def run(host: str) -> tuple[Replayed, Replayed, list[Exchange]]:
        async with Proxy(host) as proxy, Bare(proxy.host) as bare:
            whole, part = await bare.replay([BODY], 99), await bare.replay([BODY], 3)
            await proxy.quiet(0.02)
            return whole, part, proxy.generated()

    with FakeOllama({"generate": [ANSWER]}) as fake:
        whole, part, (first, second) = asyncio.run(run(fake.host))
    assert [line.get("response") for _, line in first.lines] == ["one", " + two", "\n", "three", ""]
    assert (first.body, first.evaluated, whole.evaluated) == (BODY, 101, 101)
    assert part.first <= part.until < whole.until
    assert second.ended is not None


def test_says_how_many_times_as_long() -> None:
    assert ratio([(2.0, 1.0), (3.0, 1.0), (2.0, 1.0)]) == {"ratio": 2.0, "low": 2.0, "high": 3.0}


def test_pairs_the_server_with_the_bare_engine(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "found.json"
    with FakeOllama({"generate": [ANSWER], "ps": {"models": []}}) as fake:
        told = ["first_text", "--host", fake.host, "--model", MODEL, "--tasks", "2", "--cold", "1", "--out", str(out)]
        monkeypatch.setattr(sys, "argv", told)
        assert first_text.main() == 0
    found: dict[str, Any] = json.loads(out.read_text())
    assert {state: told["tasks"] for state, told in found["figures"].items()} == {"warm": 2, "cold": 1}
    assert "ratio" in capsys.readouterr().out
