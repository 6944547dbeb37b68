"""The head of a model file, and files that are not one."""

from __future__ import annotations

import struct
import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, strategies

from server.engines.gguf import DamagedModel, metadata

U8, I32, F32, BOOL, STRING, LIST, U64 = 0, 5, 6, 7, 8, 9, 10


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def entry(key: str, kind: int, payload: bytes) -> bytes:
    return text(key) + struct.pack("<I", kind) + payload


def several(kind: int, count: int, payload: bytes) -> bytes:
    return struct.pack("<IQ", kind, count) + payload


def head(*entries: bytes, version: int = 3, keys: int | None = None) -> bytes:
    return struct.pack("<4sIQQ", b"GGUF", version, 0, len(entries) if keys is None else keys) + b"".join(entries)


ENTRIES = (
    entry("general.name", STRING, text("Tiny ö")),
    entry("qwen2.context_length", U64, struct.pack("<Q", 32_768)),
    entry("tokenizer.ggml.add_bos_token", BOOL, b"\0"),
    entry("tokenizer.ggml.tokens", LIST, several(STRING, 2, text("a") + text("Ġb"))),
    entry("tokenizer.ggml.token_type", LIST, several(I32, 2, struct.pack("<2i", 1, 3))),
    entry("tokenizer.ggml.scores", LIST, several(F32, 2, struct.pack("<2f", -1.0, 0.5))),
)


def read(folder: Path, content: bytes) -> dict[str, object]:
    path = folder / "model.gguf"
    path.write_bytes(content)
    return metadata(path)


def test_reads_every_kind_of_value(tmp_path: Path) -> None:
    assert read(tmp_path, head(*ENTRIES) + b"tensors") == {
        "general.name": "Tiny ö",
        "qwen2.context_length": 32_768,
        "tokenizer.ggml.add_bos_token": False,
        "tokenizer.ggml.tokens": ["a", "Ġb"],
        "tokenizer.ggml.token_type": [1, 3],
        "tokenizer.ggml.scores": [-1.0, 0.5],
    }


def test_a_token_that_is_half_a_character_is_no_error(tmp_path: Path) -> None:
    broken = entry("tokens", LIST, several(STRING, 1, struct.pack("<Q", 1) + b"\xc3"))
    assert read(tmp_path, head(broken)) == {"tokens": ["\ufffd"]}


@pytest.mark.parametrize("content", [b"", b"GG", b"PK\x03\x04 not a model", b"<html>not found</html>"])
def test_says_what_is_not_a_gguf_file(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(DamagedModel, match="is not a GGUF file"):
        read(tmp_path, content)


def test_says_where_a_file_is_cut_off(tmp_path: Path) -> None:
    whole = head(*ENTRIES)
    for length in range(4, len(whole)):
        with pytest.raises(DamagedModel, match="cut off"):
            read(tmp_path, whole[:length])


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (head(version=1), "version 1"),
        (head(keys=1 << 60), "keys"),
        (head(entry("list", LIST, several(U8, 1 << 60, b""))), "elements"),
        (head(entry("list", LIST, several(STRING, 1 << 21, b""))), "cut off"),
        (head(entry("list", LIST, several(LIST, 1, b""))), "no type 9"),
        (head(entry("odd", 77, b"")), "no type 77"),
        (head(struct.pack("<Q", 1 << 62)), "cut off"),
    ],
)
def test_damaged_counts_cost_neither_time_nor_memory(tmp_path: Path, content: bytes, says: str) -> None:
    with pytest.raises(DamagedModel, match=says):
        read(tmp_path, content)


@given(strategies.binary(max_size=200))
def test_no_damage_gives_another_error(tmp_path_factory: pytest.TempPathFactory, damage: bytes) -> None:
    whole = head(*ENTRIES)
    at = sum(damage) % len(whole)
    with suppress(DamagedModel):
        read(tmp_path_factory.getbasetemp(), whole[:at] + damage + whole[at + len(damage) :])


def test_a_vocabulary_of_150_000_tokens_takes_no_seconds(tmp_path: Path) -> None:
    words = b"".join(text(f"word{number}") for number in range(150_000))
    content = head(*(entry(key, LIST, several(STRING, 150_000, words)) for key in ("tokens", "merges")))
    begin = time.process_time()
    read(tmp_path, content)
    # 0.2 s on a quiet machine; a reader that describes each string takes 7 s
    assert time.process_time() - begin < 3
