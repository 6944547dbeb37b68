"""The measurement of a cold start, against a stand-in: what it counts, not how fast that is."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fake_ollama import MODEL, FakeOllama, tiny_vocabulary
from tests.speed import cold_start

MARKS = ("<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>", "<|endoftext|>")
ANSWER = {"stream": [{"response": "total"}, {"response": " / two"}, {"response": "\n"}], "gap_ms": 5}


def test_measures_both_beginnings_and_what_goes_on_beside(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "found.json"
    for name, value in (("KEYS", 2), ("IDLE", 0.1), ("WARMED", 0.6), ("INTO", 0.1)):
        monkeypatch.setattr(cold_start, name, value)
    script = {"generate": [ANSWER], "ps": {"models": []}, "show": {"model_info": tiny_vocabulary(MARKS)}}
    with FakeOllama(script) as fake:
        told = ["cold_start", "--host", fake.host, "--model", MODEL, "--times", "1", "--out", str(out)]
        monkeypatch.setattr(sys, "argv", told)
        assert cold_start.main() == 0
    found: dict[str, Any] = json.loads(out.read_text())
    assert [len(found["rows"][name]) for name in ("unloaded", "loaded", "beside")] == [1, 1, 1]
    assert found["rows"]["beside"][0]["slices"] > 0
    assert "B while A is read" in capsys.readouterr().out
