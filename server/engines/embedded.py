"""The embedded engine: llama.cpp's own server, from the package xllamacpp, in a process that belongs to us."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import secrets
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from ast_prompt.dialect import dialect_of
from ast_prompt.prompt import Prompt
from ast_prompt.vocabulary import estimate, vocabulary_of
from server.engines import Limits, Model, Refused, TimedOut, Unreachable, gguf, model_file
from server.engines.llama_process import Wanted
from server.engines.llama_server import LlamaServer, ServerAnswer
from server.settings import Settings

PROGRAM = Path(__file__).with_name("llama_process.py")
ENVIRONMENT = {"GOMP_SPINCOUNT": "5000"}
"""Spinning threads that wait for one another make a busy machine 10 to 40 times slower (measured: 15-19 tokens/s
fall to 0.3-1.6); this is about 2 microseconds of it."""
CLOSING_SECONDS = 1
NOT_INSTALLED = "the embedded engine is not installed: run `pip install 'kireji[embedded]'`"
NO_MODEL = "the embedded engine's model is not downloaded: run `kireji fetch`"


@dataclass(frozen=True, slots=True)
class Loaded:
    process: subprocess.Popen[bytes]
    server: LlamaServer
    model: Model
    load_ms: float


class Embedded:
    name = "embedded"

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.loading: asyncio.Task[Loaded] | None = None
        self.process: subprocess.Popen[bytes] | None = None

    async def model(self) -> Model:
        return (await self.loaded()).model

    @asynccontextmanager
    async def stream(self, prompt: Prompt, limits: Limits) -> AsyncIterator[ServerAnswer]:
        begin = time.monotonic()
        deadline = asyncio.get_running_loop().time() + limits.seconds
        try:
            async with asyncio.timeout_at(deadline):
                loaded = await self.loaded()
        except TimeoutError as error:
            raise TimedOut(f"the model was not loaded in {limits.seconds:g} s; it goes on loading") from error
        waited = time.monotonic() - begin
        more = replace(limits, max_tokens=limits.max_tokens + forced_tokens(prompt, loaded.model))
        async with loaded.server.stream(prompt, more, deadline) as answer:
            answer.counters.load_ms = min(waited * 1000, loaded.load_ms)
            yield answer

    async def tokenize(self, text: str) -> list[int]:
        return await (await self.loaded()).server.tokenize(text)

    async def detokenize(self, tokens: list[int]) -> str:
        return await (await self.loaded()).server.detokenize(tokens)

    async def loaded(self) -> Loaded:
        """The running server: loaded once, however many ask at once; anew when it failed or its process ended."""
        task, gone = self.loading, None
        if task is not None and task.done():
            if task.cancelled() or task.exception() is not None:
                task = None
            elif task.result().process.poll() is not None:
                gone = task.result()
                task = None
        if task is None:
            task = self.loading = asyncio.create_task(self.load(gone))
        # whoever stops waiting does not stop the loading
        return await asyncio.shield(task)

    async def load(self, gone: Loaded | None) -> Loaded:
        if gone is not None:
            await released(gone)
        begin = time.monotonic()
        if reason := await asyncio.to_thread(why_not_here, self.settings):
            raise Unreachable(reason)
        path, key, context = model_path(self.settings), secrets.token_urlsafe(32), self.settings.contextLength
        self.process = process = await asyncio.to_thread(start)
        try:
            model, address = await asyncio.gather(
                asyncio.to_thread(model_of, path, context), asyncio.to_thread(asked, process, path, key, context)
            )
        except BaseException:
            await asyncio.to_thread(end, process)
            raise
        return Loaded(process, LlamaServer(address, key), model, (time.monotonic() - begin) * 1000)

    async def close(self) -> None:
        """The process ends when its stdin does, at once, even while it generates."""
        if self.process is not None:
            await asyncio.to_thread(end, self.process)
        if self.loading is not None:
            (loaded,) = await asyncio.gather(self.loading, return_exceptions=True)
            if isinstance(loaded, Loaded):
                await released(loaded)
        self.loading = self.process = None


async def released(loaded: Loaded) -> None:
    await loaded.server.close()
    await asyncio.to_thread(end, loaded.process)


def why_not_here(settings: Settings) -> str | None:
    """What is missing for this engine, and what to do about it; None: it can be used."""
    if importlib.util.find_spec("xllamacpp") is None:
        return NOT_INSTALLED
    if not settings.model:
        return None if model_file.ready() else NO_MODEL
    if not settings.model.endswith(".gguf"):
        return f"the embedded engine takes the path of a .gguf file for a model, not {settings.model!r}"
    return None if model_path(settings).is_file() else f"there is no model file {settings.model}"


def model_path(settings: Settings) -> Path:
    if settings.model:
        return Path(settings.model).expanduser()
    return model_file.models_folder() / model_file.DEFAULT.name


def model_of(path: Path, context: int) -> Model:
    """Read off the file's head: 0.6 s of work, not for the event loop."""
    try:
        info = gguf.metadata(path)
    except (gguf.DamagedModel, OSError) as error:
        raise Refused(f"the model can't be read: {error}") from error
    vocabulary = vocabulary_of(info)
    most = next((value for key, value in info.items() if key.endswith(".context_length")), context)
    dialect = dialect_of(vocabulary.special if vocabulary else ())
    return Model(path.stem, min(context, most) if isinstance(most, int) else context, dialect, vocabulary)


def forced_tokens(prompt: Prompt, model: Model) -> int:
    """How many tokens the beginning of the answer may take that is not given on."""
    if not prompt.forced:
        return 0
    count = estimate if model.vocabulary is None else model.vocabulary.count
    # the model may spell it in other tokens than the tokenizer does
    return count(prompt.forced) + 2


def threads() -> int:
    """Physical cores that this process may use: more make no token faster."""
    allowed = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return max(1, min(psutil.cpu_count(logical=False) or allowed, allowed))


def start() -> subprocess.Popen[bytes]:
    # -P: the program's folder is not where it imports from
    return subprocess.Popen(
        [sys.executable, "-P", str(PROGRAM)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=ENVIRONMENT | os.environ,
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )


def asked(process: subprocess.Popen[bytes], path: Path, key: str, context: int) -> str:
    """The address where the model is served, once it is loaded."""
    wanted: Wanted = {"model": str(path), "key": key, "context": context, "threads": threads()}
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps(wanted).encode() + b"\n")
        process.stdin.flush()
        line = process.stdout.readline()
    except (OSError, ValueError):
        line = b""
    if not line:
        raise Refused(f"the model can't be loaded: {last_words(process.wait())}")
    try:
        answer = json.loads(line)
    except ValueError:
        answer = {"error": f"the engine's process says {line!r}"}
    if "address" not in answer:
        raise Refused(f"the model can't be loaded: {answer['error']}")
    return str(answer["address"])


def last_words(code: int) -> str:
    if code == -4:
        return "this processor lacks instructions that the engine needs (AVX2); use Ollama"
    return f"the engine's process ended with code {code}; is there enough memory?"


def end(process: subprocess.Popen[bytes]) -> None:
    """Let the process go; while it loads a model it does not hear, and is killed."""
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(OSError):
        process.stdin.close()
    try:
        process.wait(CLOSING_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()
