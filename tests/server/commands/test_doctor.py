"""`kireji doctor` and `kireji fetch`, run as a user runs them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from server.cli import main
from server.commands import doctor, fetch
from server.engines import Unreachable
from server.engines.model_file import Progress
from tests.completing import QWEN
from tests.fake_ollama import FakeOllama, tiny_vocabulary

QWEN_SHOW = {"model_info": tiny_vocabulary(sorted(QWEN.marks))}
ABSENT = "the embedded engine's model is not downloaded: run `kireji fetch`"


@pytest.fixture(autouse=True)
def no_embedded_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "why_not_here", lambda settings: ABSENT)


def says(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(["doctor", *arguments])
    return code, capsys.readouterr().out


def test_a_good_ollama_is_described(capsys: pytest.CaptureFixture[str]) -> None:
    with FakeOllama({"show": QWEN_SHOW}) as fake:
        code, out = says(capsys, "--host", fake.host)
    assert code == 0
    for part in (
        fake.host,
        "version 0.34.4",
        "model fake:1b",
        "fill-in-the-middle: qwen",
        "qwen2, exact",
        "8192 tokens",
    ):
        assert part in out
    assert "Kireji can complete." in out
    assert "wrong" not in out


@pytest.mark.parametrize(
    ("script", "parts"),
    [
        ({"tags": {"models": []}, "ps": {"models": []}}, ["ollama pull qwen2.5-coder:0.5b"]),
        ({"show": {"status": 404, "body": {"error": "model 'x:1b' not found"}}}, ["`ollama pull x:1b`"]),
    ],
)
def test_what_is_wrong_is_said_with_what_to_do(
    script: dict[str, Any], parts: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with FakeOllama(script) as fake:
        code, out = says(capsys, "--host", fake.host)
    assert code == 2
    assert all(part in out for part in [*parts, ABSENT, "No engine can complete yet"])


def test_an_ollama_that_is_down_is_said_and_how_to_start_it(capsys: pytest.CaptureFixture[str]) -> None:
    with FakeOllama() as fake:
        fake.down()
        code, out = says(capsys, "--host", fake.host)
    assert code == 2
    assert "`ollama serve`" in out


def test_the_embedded_engine_alone_is_enough(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "why_not_here", lambda settings: None)
    with FakeOllama() as fake:
        fake.down()
        assert says(capsys, "--host", fake.host)[0] == 0
        assert says(capsys, "--host", fake.host, "--engine", "ollama")[0] == 2


@pytest.mark.parametrize(
    ("script", "note"),
    [
        ({"show": QWEN_SHOW, "version": {"version": "0.12.1"}}, "half-typed words are completed worse"),
        ({"show": QWEN_SHOW, "version": {"version": "0.33.0"}}, "from 0.34 on"),
        ({"show": {"model_info": tiny_vocabulary(["<|im_end|>"])}}, "knows no fill-in-the-middle"),
        ({"show": QWEN_SHOW, "ps": {"models": []}}, "not loaded yet"),
        (
            {"show": QWEN_SHOW, "ps": {"models": [{"name": "fake:1b", "context_length": 512}]}},
            "a context of 512 tokens cuts the prompt of 1024",
        ),
    ],
)
def test_what_could_be_better_is_noted_and_no_failure(
    script: dict[str, Any], note: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with FakeOllama(script) as fake:
        code, out = says(capsys, "--host", fake.host)
    assert code == 0
    assert note in out


def test_fetch_prints_where_the_model_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def there(progress: Progress) -> Path:
        progress("model", 5, 10)
        return tmp_path / "model.gguf"

    monkeypatch.setattr(fetch, "fetch", there)
    assert main(["fetch"]) == 0
    assert capsys.readouterr().out.strip() == str(tmp_path / "model.gguf")


def test_a_model_that_can_t_be_fetched_is_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(progress: Progress) -> Path:
        raise Unreachable("nobody has it: put it there by hand")

    monkeypatch.setattr(fetch, "fetch", gone)
    assert main(["fetch"]) == 2
    assert "kireji: nobody has it: put it there by hand" in capsys.readouterr().err
