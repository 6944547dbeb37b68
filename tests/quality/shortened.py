"""A model's file with its first layers only: what it writes is noise, what it costs in tokens is the same.

    python -m tests.quality.shortened MODEL.gguf SHORT.gguf --layers 2
    ollama create short -f - <<< "FROM ./SHORT.gguf"

How many tokens of a prompt an engine must read depends on the prompts, the tokenizer and the engine's cache, not on the
weights; with 2 of 24 layers it reads ten times as fast, so that `tests.quality.keys` can count thousands of keys. Needs
the package `gguf`, which nothing else here does.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any


def shorten(source: Path, target: Path, layers: int) -> None:
    import gguf

    reader = gguf.GGUFReader(source)
    writer = gguf.GGUFWriter(target, reader.fields["general.architecture"].contents())
    for name, field in reader.fields.items():
        if name.startswith("GGUF.") or name == "general.architecture":
            continue
        value: Any = layers if name.endswith(".block_count") else field.contents()
        kind = field.types[0]
        inner = field.types[-1] if kind is gguf.GGUFValueType.ARRAY else None
        writer.add_key_value(name, value, kind, sub_type=inner)
    for tensor in reader.tensors:
        if not tensor.name.startswith("blk.") or int(tensor.name.split(".")[1]) < layers:
            writer.add_tensor(tensor.name, tensor.data, raw_dtype=tensor.tensor_type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("source", type=Path)
    arguments.add_argument("target", type=Path)
    arguments.add_argument("--layers", type=int, default=2)
    given = arguments.parse_args()
    shorten(given.source, given.target, given.layers)
    return 0


if __name__ == "__main__":
    sys.exit(main())
