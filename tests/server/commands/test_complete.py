"""`kireji complete`, run as a user runs it."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from server.cli import main
from tests.fake_ollama import FakeOllama, answer


@pytest.fixture
def scripted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A source file, and an engine that goes on with `(1)` behind `area`."""
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"answers": [{"when": "area$", "text": "(1)\nrubbish"}]}))
    monkeypatch.setenv("KIREJI_SCRIPT", str(script))
    monkeypatch.chdir(tmp_path)
    Path("shapes.py").write_text("s = 'é🙂漢'; x = area\ny = 2\n", encoding="utf-8")
    return script


def run(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = main(["complete", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_the_text_goes_to_standard_output_alone(scripted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run("shapes.py:1:20", "--engine", "scripted", capsys=capsys)
    assert (code, out) == (0, "(1)\n")
    assert "until the model's first text" in err


def test_columns_are_characters(scripted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = json.loads(scripted.read_text())
    scripted.write_text(json.dumps(script | {"log": "log"}))
    run("shapes.py:1:20", "--engine", "scripted", capsys=capsys)
    first = json.loads(Path("log").read_text().splitlines()[0])
    assert first["before"] == "s = 'é🙂漢'; x = area"


def test_json_has_text_reason_timings_and_tokens(scripted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run("shapes.py:1:20", "--engine", "scripted", "--json", capsys=capsys)
    found: dict[str, Any] = json.loads(out)
    assert code == 0
    assert {name: found[name] for name in ("text", "reason", "engine", "model")} == {
        "text": "(1)",
        "reason": "shown",
        "engine": "scripted",
        "model": "scripted",
    }
    assert set(found["tokens"]) == {"prompt", "evaluated", "generated"}
    assert found["timings"]["first"] >= 0


def test_standard_input_with_a_language(
    scripted: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"x = area")))
    assert run("-:1:9", "--language", "python", "--engine", "scripted", capsys=capsys)[:2] == (0, "(1)\n")


def test_nothing_to_show_says_why(scripted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("note.py").write_text("# a comment ")
    code, out, err = run("note.py:1:12", "--engine", "scripted", capsys=capsys)
    assert (code, out) == (1, "")
    assert "nothing to show: in a comment" in err
    code, out, _ = run("note.py:1:1", "--engine", "scripted", "--json", capsys=capsys)
    assert code == 1
    assert json.loads(out)["reason"] == "the model has nothing to add"


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("nowhere.py:1:1", "there is no file nowhere.py"),
        ("shapes.py", "'shapes.py' is not FILE:LINE:COL, as in app.py:12:5"),
        ("shapes.py:x:1", "is not FILE:LINE:COL"),
        ("shapes.py:0:1", "line and column begin at 1"),
        ("shapes.py:9:1", "line 9 is past the end: shapes.py has 3 lines"),
        ("shapes.py:2:99", "column 99 is past the end: line 2 of shapes.py has 5 characters"),
        (".:1:1", ". is a folder: name a file in it"),
        ("binary.py:1:1", "binary.py is binary"),
        ("latin.py:1:1", "latin.py is not UTF-8 (byte 5): convert it"),
        ("bad\0name.py:1:1", "can't be read"),
    ],
)
def test_bad_input_is_said_in_one_line(
    scripted: Path, place: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("binary.py").write_bytes(b"x = 1\0\1")
    Path("latin.py").write_bytes("x = 'é'".encode("latin1"))
    code, out, err = run(place, "--engine", "scripted", capsys=capsys)
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1
    assert "Traceback" not in err


def test_in_an_empty_file_nothing_is_made_up(scripted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty.py").write_text("\n\n")
    code, out, err = run("empty.py:2:1", "--engine", "scripted", capsys=capsys)
    assert (code, out) == (1, "")
    assert "nothing to show: the file is empty" in err


def test_a_byte_order_mark_is_no_character(scripted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("bom.py").write_bytes(b"\xef\xbb\xbfx = area")
    assert run("bom.py:1:9", "--engine", "scripted", capsys=capsys)[:2] == (0, "(1)\n")


def test_a_file_that_is_too_large_to_parse_is_completed_as_plain_text(
    scripted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("large.py").write_text("x = 1\n" * 200_000 + "x = area")
    assert run("large.py:200001:9", "--engine", "scripted", capsys=capsys)[:2] == (0, "(1)\n")


def test_no_engine_says_what_to_do(scripted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with FakeOllama() as fake:
        fake.down()
        code, out, err = run("shapes.py:1:20", "--engine", "ollama", "--host", fake.host, capsys=capsys)
    assert (code, out) == (2, "")
    assert "`ollama serve`" in err


def test_a_model_that_is_not_pulled_is_named_with_the_command(
    scripted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with FakeOllama({"show": {"status": 404, "body": {"error": "model 'coder:9b' not found"}}}) as fake:
        code, _, err = run(
            "shapes.py:1:20", "--engine", "ollama", "--host", fake.host, "--model", "coder:9b", capsys=capsys
        )
    assert code == 2
    assert "`ollama pull coder:9b`" in " ".join(err.split())


def test_an_answer_that_breaks_off_is_not_shown(scripted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with FakeOllama({"generate": [answer("12", end="drop")]}) as fake:
        code, out, err = run("shapes.py:1:20", "--engine", "ollama", "--host", fake.host, capsys=capsys)
    assert (code, out) == (2, "")
    assert "nothing to show: the engine's answer broke off" in err


def test_a_setting_with_a_wrong_value_is_bad_input(scripted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run("shapes.py:1:20", "--engine", "magic", capsys=capsys)
    assert code == 2
    assert "kireji.engine is 'magic'" in err


def test_the_host_is_taken_from_the_environment(
    scripted: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with FakeOllama({"generate": [answer("(2)")]}) as fake:
        monkeypatch.setenv("OLLAMA_HOST", fake.host)
        assert run("shapes.py:1:20", capsys=capsys)[:2] == (0, "(2)\n")
