"""Answers that are kept from session to session, in the user's cache folder.

Nothing on the event loop: another process that writes can hold the database for 100 ms. Whatever goes wrong is a miss.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar

import diskcache
from platformdirs import user_cache_path

from server.memory import Place, Remembered

log = logging.getLogger(__name__)

T = TypeVar("T")
LARGEST = 64 * 2**20
"""Bytes."""
EXPIRES = 14 * 24 * 3600
"""Seconds."""


class NoPickle(diskcache.Disk):  # type: ignore[misc]
    """Stores plain values only, and reads nothing that could run code or lead out of the folder, whoever wrote it."""

    def put(self, key: Any) -> Any:
        if type(key) not in (str, bytes):
            raise TypeError(f"a key is text or bytes, not {type(key).__name__}")
        return super().put(key)

    def get(self, key: Any, raw: bool) -> Any:
        if not raw:
            raise ValueError("a pickled key")
        return super().get(key, raw)

    def store(self, value: Any, read: bool, key: Any = diskcache.UNKNOWN) -> Any:
        if type(value) not in (str, bytes):
            raise TypeError(f"a value is text or bytes, not {type(value).__name__}")
        return super().store(value, read, key)

    def fetch(self, mode: int, filename: str | None, value: Any, read: bool) -> Any:
        if mode == diskcache.core.MODE_PICKLE:
            raise ValueError("a pickled value")
        if filename and (Path(filename).is_absolute() or ".." in Path(filename).parts):
            raise ValueError("a file outside the cache")
        return super().fetch(mode, filename, value, read)


def folder() -> Path:
    return user_cache_path("kireji") / "answers"


class DiskMemory:
    """One worker thread, so that no two calls meet."""

    def __init__(self, path: Callable[[], Path] = folder) -> None:
        self.path = path
        self.worker = ThreadPoolExecutor(1, "kireji-disk")
        self.cache: diskcache.Cache | None = None
        self.failed = False
        self.writing: set[asyncio.Future[None]] = set()

    async def find(self, model: str, place: Place) -> Remembered | None:
        """What was answered there in an earlier session."""
        return await self.called(lambda: self.read(key_of(model, place)), None)

    def keep(self, model: str, place: Place, answer: Remembered) -> None:
        value = json.dumps(asdict(answer)).encode()
        task = asyncio.ensure_future(self.called(lambda: self.write(key_of(model, place), value), None))
        self.writing.add(task)
        task.add_done_callback(self.writing.discard)

    async def forget(self) -> None:
        await self.called(lambda: self.opened().clear(), 0)

    async def close(self) -> None:
        await self.called(self.shut, None)
        self.worker.shutdown(wait=False)

    async def called(self, work: Callable[[], T], otherwise: T) -> T:
        if self.failed:
            return otherwise
        try:
            return await asyncio.get_running_loop().run_in_executor(self.worker, work)
        except Exception as error:  # noqa: BLE001 - a cache that fails is a cache less
            self.failed = True
            log.warning("answers are not kept on disk: %s: %s", type(error).__name__, error)
            return otherwise

    # in the worker

    def opened(self) -> diskcache.Cache:
        if self.cache is None:
            path = self.path()
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            before = os.umask(0o077)
            try:
                self.cache = diskcache.Cache(str(path), disk=NoPickle, size_limit=LARGEST, statistics=0)
            finally:
                os.umask(before)
            path.chmod(0o700)
        return self.cache

    def read(self, key: bytes) -> Remembered | None:
        cache = self.opened()
        try:
            value = cache.get(key)
            return None if value is None else checked(Remembered(**json.loads(value)))
        except (ValueError, TypeError):  # written by another version, or by somebody else
            cache.delete(key)
            return None

    def write(self, key: bytes, value: bytes) -> None:
        self.opened().set(key, value, expire=EXPIRES)

    def shut(self) -> None:
        if self.cache is not None:
            self.cache.close()


def checked(answer: Remembered) -> Remembered:
    texts = (answer.text, answer.rest, answer.reason, answer.model)
    if not all(isinstance(text, str) for text in texts) or type(answer.covers) is not int:
        raise TypeError("not an answer")
    return answer


def key_of(model: str, place: Place) -> bytes:
    digest = blake2b(digest_size=20)
    for part in (model.encode(), *place):
        digest.update(len(part).to_bytes(4, "big") + part)
    return digest.digest()
