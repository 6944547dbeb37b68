"""The embedded engine without a model: programs that answer in the place of its process."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from ast_prompt.prompt import Prompt
from server.engines import Limits, Refused, TimedOut, Unreachable, embedded, model_file
from server.engines.embedded import Embedded, why_not_here
from server.settings import Settings
from tests.server.engines.test_gguf import ENTRIES, head

T = TypeVar("T")
PROMPT = Prompt("x", None, "", (), 1, "x", "")


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
            async with engine.stream(PROMPT, Limits(8, 0.2)):
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

    assert with_engine(settings, use) is not None


def test_the_threads_of_a_busy_machine_do_not_spin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GOMP_SPINCOUNT", raising=False)
    tells = f"open({str(tmp_path / 'spin')!r}, 'w').write(os.environ['GOMP_SPINCOUNT'])\n"

    async def use(engine: Embedded) -> None:
        await engine.model()

    with_engine(program(tmp_path, monkeypatch, tells + SERVES), use)
    assert (tmp_path / "spin").read_text() == "5000"


def test_says_what_is_missing_and_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: object())
    monkeypatch.setattr(model_file, "ready", lambda: None)
    assert why_not_here(Settings()) == "the embedded engine's model is not downloaded: run `kireji fetch`"
    assert "takes the path of a .gguf file" in (why_not_here(Settings(model="qwen2.5-coder:0.5b")) or "")
    assert "there is no model file" in (why_not_here(Settings(model=str(tmp_path / "none.gguf"))) or "")
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert "pip install 'kireji[embedded]'" in (why_not_here(Settings()) or "")


def test_an_engine_that_is_not_installed_is_unreachable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)

    async def use(engine: Embedded) -> None:
        with pytest.raises(Unreachable, match="is not installed"):
            await engine.model()

    with_engine(Settings(), use)


def test_an_engine_that_was_never_asked_can_be_closed() -> None:
    async def use(engine: Embedded) -> None:
        assert engine.process is None

    with_engine(Settings(), use)
