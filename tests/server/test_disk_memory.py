from __future__ import annotations

import asyncio
import pickle
import sqlite3
import stat
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from server.disk_memory import DiskMemory, key_of
from server.memory import Remembered

PLACE = (b"x = ", b"", b"y = 2")
ANSWER = Remembered("value", "", 0, "shown", "m")


class Trap:
    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return exec, ("raise SystemExit('it ran')",)


def run(use: Callable[[DiskMemory], Coroutine[Any, Any, Any]], path: Path) -> Any:
    async def whole() -> Any:
        memory = DiskMemory(lambda: path)
        try:
            return await use(memory)
        finally:
            await memory.close()

    return asyncio.run(whole())


async def keep(memory: DiskMemory) -> None:
    memory.keep("m", PLACE, ANSWER)
    await memory.find("m", PLACE)


def test_what_is_kept_is_there_in_the_next_session(tmp_path: Path) -> None:
    run(keep, tmp_path / "a")
    assert run(lambda memory: memory.find("m", PLACE), tmp_path / "a") == ANSWER
    assert run(lambda memory: memory.find("other", PLACE), tmp_path / "a") is None
    assert run(lambda memory: memory.find("m", (b"z = ", b"", b"")), tmp_path / "a") is None


def test_it_can_be_forgotten(tmp_path: Path) -> None:
    run(keep, tmp_path / "a")
    run(lambda memory: memory.forget(), tmp_path / "a")
    assert run(lambda memory: memory.find("m", PLACE), tmp_path / "a") is None


@pytest.mark.skipif(sys.platform == "win32", reason="no modes there")
def test_nobody_else_can_read_it(tmp_path: Path) -> None:
    run(keep, tmp_path / "a")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o700
    assert all(stat.S_IMODE(file.stat().st_mode) & 0o077 == 0 for file in (tmp_path / "a").iterdir() if file.is_file())


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("mode = 4, value", pickle.dumps(Trap())),
        ("mode = 1, value", b"not json"),
        ("mode = 1, value", b'{"text": 1}'),
        ("mode = 1, value", b'{"text": 1, "rest": "", "covers": 0, "reason": "shown", "model": "m"}'),
        ("mode = 2, filename", "../../secret"),
        ("mode = 2, filename", "/etc/passwd"),
    ],
)
def test_a_row_that_somebody_else_wrote_is_a_miss(tmp_path: Path, column: str, value: object) -> None:
    run(keep, tmp_path / "a")
    with sqlite3.connect(tmp_path / "a" / "cache.db") as database:
        changed = database.execute(f"UPDATE Cache SET {column} = ?", (value,)).rowcount
    assert changed == 1
    assert run(lambda memory: memory.find("m", PLACE), tmp_path / "a") is None


def test_a_folder_that_can_t_be_used_costs_nothing_but_the_memory(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a file")
    run(keep, tmp_path / "a")
    assert run(lambda memory: memory.find("m", PLACE), tmp_path / "a") is None


def test_no_two_places_share_a_key() -> None:
    assert key_of("m", (b"ab", b"c", b"")) != key_of("m", (b"a", b"bc", b""))
    assert key_of("m", PLACE) != key_of("n", PLACE)
