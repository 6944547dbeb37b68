from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from server.commands.ollama_service import DRAFTS, drafts, environment_of

PROGRAM = "import socket, sys; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1], flush=True); sys.stdin.read()"


@pytest.mark.skipif(sys.platform != "linux", reason="starts a program under another name by a link")
def test_the_environment_of_a_service_of_one_s_own_is_seen(tmp_path: Path) -> None:
    ollama = tmp_path / "ollama"
    ollama.symlink_to(sys.executable)
    process = subprocess.Popen(
        [str(ollama), "-c", PROGRAM, "serve"], env=os.environ | {DRAFTS: "ngram-simple"},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        assert drafts(environment_of(port)) is True
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            assert environment_of(free.getsockname()[1]) is None
    finally:
        process.communicate("")


@pytest.mark.parametrize(
    ("environment", "on"), [(None, None), ({}, False), ({DRAFTS: "none"}, False), ({DRAFTS: "ngram-mod"}, True)]
)
def test_what_the_environment_says(environment: dict[str, str] | None, on: bool | None) -> None:
    assert drafts(environment) is on
