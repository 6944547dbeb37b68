"""`kireji bench typing` against servers of a few lines, and against the product with its scripted engine."""

from __future__ import annotations

import json
import shlex
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from server.bench import client, replay
from server.bench.holes import Hole, Source
from server.bench.replay import Plan
from server.bench.script import Act, Rhythm, script_of
from server.cli import main
from server.commands import bench

FAKE = Path(__file__).with_name("fake_server.py")
FAST = Rhythm(key=0.01, line=0.01, look=0.02)
TEXT = "def area(width):\n    if width:\n        return width * width\n    return 0\n"
SOURCE = Source("shapes.py", TEXT, (Hole(TEXT.index("return width"), TEXT.index("\n    return 0")),))


def fake(mode: str) -> tuple[str, ...]:
    return (sys.executable, str(FAKE), mode)


def replayed(mode: str, **plan: Any) -> replay.Report:
    return replay.replay(script_of([SOURCE], 1, FAST), Plan(fake(mode), **plan))


def test_a_server_is_typed_into() -> None:
    report = replayed("good")
    found = report.figures
    assert report.server == {"name": "fake", "version": "7"}
    assert found.pressed == len(report.script.keys)
    assert (found.unanswered, found.errors, report.left) == (0, 0, 0)
    assert found.requests >= found.keys * 0.5
    assert found.growths > 0
    assert found.answered is not None
    assert found.answered > 0.5
    assert found.first_text_p50_ms is not None
    assert found.first_text_p50_ms < 50
    assert report.own is None


def test_the_servers_own_figures_are_those_of_the_replay() -> None:
    report = replayed("stats")
    assert report.own is not None
    assert report.own["asked"] == report.figures.requests
    assert report.figures.evaluated == pytest.approx(10 * report.figures.requests / report.figures.keys, abs=0.001)


def test_requests_without_answer_are_counted(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(replay, "LAST_SECONDS", 0.1)
    code, out, _ = run("shapes.py", "--tasks", "1", "--server", shlex.join(fake("lossy")), "--json", capsys=capsys)
    found = json.loads(out)["figures"]
    assert code == 1
    assert 0 < found["unanswered"] < found["requests"]


def test_a_server_that_answers_nothing_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "LAST_SECONDS", 0.1)
    with pytest.raises(client.ServerFault, match="answered none of"):
        replayed("deaf")


def test_the_time_can_be_limited() -> None:
    report = replayed("good", seconds=0.1)
    assert report.left > 0
    assert report.figures.pressed + report.left == len(report.script.keys)


@pytest.mark.parametrize(
    ("mode", "says"),
    [
        ("rubbish", "what is no message: b'here you are"),
        ("dies", "ended with exit code 1; on its standard error: \nit was too much"),
        ("mute", "did not answer initialize within 0 s"),
    ],
)
def test_a_server_that_fails_is_said_clearly(mode: str, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "START_SECONDS", 0.4 if mode == "mute" else 10)
    monkeypatch.setattr(client, "STOP_SECONDS", 0.1)
    with pytest.raises(client.ServerFault) as caught:
        replayed(mode)
    assert says in str(caught.value)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(bench, "script_of", partial(script_of, rhythm=FAST))
    path = tmp_path / "shapes.py"
    path.write_text("def area(width):\n    return width\n", encoding="utf-8")
    return path


def run(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = main(["bench", "typing", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_the_product_is_typed_into(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = file.with_name("script.json")
    typed = "return width"
    answers = [{"when": f"    {typed[:at]}$", "text": typed[at:]} for at in range(1, len(typed))]
    script.write_text(json.dumps({"answers": answers}))
    monkeypatch.setenv("KIREJI_SCRIPT", str(script))
    monkeypatch.setattr(bench, "script_of", partial(script_of, rhythm=Rhythm(key=0.15, line=0.15, look=0.1)))
    code, out, _ = run("shapes.py", "--tasks", "1", "--engine", "scripted", "--json", capsys=capsys)
    found = json.loads(out)
    assert code == 0
    assert found["server"]["name"] == "kireji"
    assert found["figures"]["shown"] > 0
    assert found["figures"]["right"] == 1.0
    assert found["figures"]["unanswered"] == 0
    assert "by_key" not in found


def test_the_figures_are_written_without_anyones_code(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(
        "shapes.py", "--tasks", "1", "--server", shlex.join(fake("good")), "--out", "o.json", capsys=capsys
    )
    written = Path("o.json").read_text("utf-8")
    found = json.loads(written)
    assert code == 0
    assert "fake 7: 1 tasks in 1 files" in out
    assert "not told" in out
    assert len(found["by_key"]) == found["figures"]["pressed"]
    assert found["by_task"][0]["file"] == "shapes.py"
    assert "width" not in written


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nothing.py"], "there is no file nothing.py"),
        (["shapes.py", "--tasks", "0"], "no place to type at"),
        (["shapes.py", "--options", "{"], "--options is not JSON"),
        (["shapes.py", "--options", "[]"], "--options is not an object"),
        (["shapes.py", "--server", ""], "--server is empty"),
        (["shapes.py", "--server", "'"], "--server can't be read"),
        (["shapes.py", "--server", "./no-such-server"], "./no-such-server can't be started: No such file"),
        (["shapes.py", "--server", shlex.join(fake("dies")), "--tasks", "1"], "ended with exit code 1"),
        (["shapes.py", "--engine", "none"], "is 'none'"),
    ],
)
def test_what_is_wrong_is_said(arguments: list[str], says: str, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(*arguments, capsys=capsys)
    assert (code, out) == (2, "")
    assert says in err


def test_right_suggestions_are_accepted_on_request() -> None:
    source = Source("a.py", "xpass\nelse\n", (Hole(0, 10),))
    script = script_of([source], 1, Rhythm(key=0.35, line=0.35, look=0.02, sigma=0.01))
    report = replay.replay(script, Plan(fake("good"), accept=1.0))
    assert [row.key.act for row in report.rows] == [Act.OPEN, Act.TYPE, Act.ACCEPT]
    assert report.rows[-1].key.inserted == "pass\nelse"
    assert report.figures.accepted == 1


def test_the_own_server_is_this_program() -> None:
    assert bench.OWN_COMMAND[1:] == ("-P", "-m", "server", "serve", "--stdio")
