"""Fetches the releases that the tasks are cut from, and the last release of each before 2026.

    python -m tests.quality.fetch NEW OLD

Needs pip, npm and unearth. unearth gets a source archive without building it, which pip can't; it is no dependency of
this project: `pip install unearth`.

`sources/sources.toml` says which releases. Each is unpacked to NEW/name or OLD/name, and only where the archive's hash
stands in `sources/archives.sha256`. For newer releases change the versions there; this prints the hashes to add.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from dataclasses import dataclass
from pathlib import Path

SOURCES = Path(__file__).with_name("sources")
CLIENTS = {"npm": "it comes with Node.js", "unearth": "pip install unearth"}
"""Programs that must be there, and how to get them."""


@dataclass(frozen=True, slots=True)
class Source:
    """A package in two releases. Its fields are the columns of `sources.toml`."""

    name: str
    package: str
    archive: str
    """wheel, sdist or npm."""
    licence: str
    language: str
    size: str
    version: str
    since: str
    """The last version before 2026; "" where the package is younger."""
    include: list[str]
    """Patterns of the paths that are cut."""


def pinned_sources() -> list[Source]:
    return [Source(**row) for row in tomllib.loads((SOURCES / "sources.toml").read_text("utf-8"))["source"]]


def pinned_hashes() -> dict[str, str]:
    """An archive's file name to its SHA-256."""
    lines = (SOURCES / "archives.sha256").read_text("utf-8").splitlines()
    return {name: digest for digest, name in (line.split() for line in lines)}


def fetch(source: Source, version: str, tree: Path, hashes: dict[str, str]) -> str:
    """Unpacks one release to `tree`, in place of what is there; returns what went wrong, or ""."""
    shutil.rmtree(tree, ignore_errors=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        client = subprocess.run(command(source, version, folder), check=False, capture_output=True, text=True)
        archives = [path for path in folder.iterdir() if path.is_file()]
        if client.returncode or len(archives) != 1:
            return f"{source.package} {version} could not be had. Its client says:\n{client.stderr or client.stdout}"
        (archive,) = archives
        digest = hashlib.sha256(archive.read_bytes()).hexdigest()
        if archive.name not in hashes:
            return f"{source.package} {version} is not pinned. To pin it, add to archives.sha256:\n{digest}  {archive.name}"
        if hashes[archive.name] != digest:
            return f"{source.package} {version}: {archive.name} is not the archive that was pinned"
        unpack(archive, tree)
    return ""


def command(source: Source, version: str, folder: Path) -> list[str]:
    """What puts the release's archive into the folder."""
    if source.archive == "npm":
        return ["npm", "pack", "--loglevel=error", "--pack-destination", str(folder), f"{source.package}@{version}"]
    pin = f"{source.package}=={version}"
    if source.archive == "sdist":
        return ["unearth", "--no-binary", "--link-only", "--download", str(folder), pin]
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    return [*pip, "--dest", str(folder), pin]


def unpack(archive: Path, tree: Path) -> None:
    """The files; without the one folder that source archives and npm's put around them."""
    tree.mkdir(parents=True)
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            wheel.extractall(tree)
        return
    with tarfile.open(archive) as tar:
        for member in tar.getmembers():
            if member.isfile() and "/" in member.name:
                member.name = member.name.partition("/")[2]
                tar.extract(member, tree, filter="data")


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("new", type=Path, help="the folder for the releases that are cut")
    arguments.add_argument("old", type=Path, help="the folder for the releases before 2026")
    given = arguments.parse_args()
    if missing := [f"{client} is missing ({how})" for client, how in CLIENTS.items() if shutil.which(client) is None]:
        sys.exit("; ".join(missing))
    hashes, failures = pinned_hashes(), []
    for source in pinned_sources():
        for version, trees in ((source.version, given.new), (source.since, given.old)):
            if not version:
                continue
            failure = fetch(source, version, trees / source.name, hashes)
            print(failure or f"{source.package} {version}", flush=True)
            failures += [failure] * bool(failure)
    if failures:
        print(f"no tasks can be built: {len(failures)} releases are missing", file=sys.stderr)
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
