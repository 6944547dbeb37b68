"""`kireji explain`, run as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from server.cli import main
from tests.fake_ollama import FakeOllama, answer, tiny_vocabulary

SPECIAL = ["<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>", "<|file_sep|>", "<|repo_name|>", "<|endoftext|>"]
SCRIPT = {"show": {"model_info": tiny_vocabulary(SPECIAL)}, "generate": [answer("(1)\nrubbish")]}


@pytest.fixture
def shapes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = Path("shapes.py")
    path.write_text("def area():\n    return 1\n\n\nx = area \ny = (2)\n", encoding="utf-8")
    return path


def explain(*arguments: str) -> int:
    with FakeOllama(SCRIPT) as fake:
        return main(["explain", *arguments, "--engine", "ollama", "--host", fake.host, "--model", "fake:1b"])


def test_each_stage_is_told(shapes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert explain("shapes.py:5:10", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["focus"]["place"] == "right side"
    assert told["model"]["dialect"] == "qwen"
    assert told["model"]["tokens"] == "exact"
    prompt = told["prompt"]
    assert prompt["forced"] == " "
    assert prompt["text"].startswith("<|fim_prefix|><|fim_suffix|>\ny = (2)\n<|fim_middle|>")
    assert prompt["before"]["tokens"] == len(prompt["before"]["text"])  # a token is a byte in this vocabulary
    assert told["raw"].startswith("(1)")
    assert told["answer"] == {"text": "(1)", "covers": 0, "reason": "shown"}
    assert told["steps"]
    assert {"parse", "focus", "model", "prompt", "first", "rest", "postprocess"} <= set(told["milliseconds"])


def test_it_is_drawn_for_people(shapes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert explain("shapes.py:5:10") == 0
    out = capsys.readouterr().out
    for part in (
        "The cursor",
        "right side",
        "The prompt",
        "<|fim_prefix|>",
        "What it wrote",
        "Clean-ups",
        "shown",
        "Milliseconds",
    ):
        assert part in out


def test_why_nothing_would_be_asked_is_told(shapes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert explain("shapes.py:5:7", "--json") == 1
    assert json.loads(capsys.readouterr().out)["trigger"] == "the word goes on right of the cursor"


def test_bad_input_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert explain("absent.py:1:1") == 2
    assert "absent.py" in capsys.readouterr().err
