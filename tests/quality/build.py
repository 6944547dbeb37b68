"""Cuts tasks out of the releases that `fetch.py` got.

    python -m tests.quality.build NEW OLD OUT.jsonl.gz

A hole is kept only where each of its lines that has 12 characters or more is new: it stands nowhere in the release
before 2026. The same few are chosen each time, from every source, 15 a kind and language; then 40 a language whose
text needs a name of another file. `gold` names those files: what a search of the workspace should find.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from itertools import zip_longest
from pathlib import Path

from tree_sitter import Node, Parser

from ast_prompt.grammars import grammar_of
from ast_prompt.languages import language_of
from tests.quality.fetch import Source, pinned_sources
from tests.quality.holes import NODE_TYPES, cuts, is_worth_asking, walk
from tests.quality.metrics import NAME

SEED = 20261130
PER_KIND_AND_LANGUAGE = 15
ACROSS_FILES = 40
"""More tasks for each language that need another file."""
PER_FILE = 3
MOST_DEFINING = 3
"""Files: a name that more of them define says nothing of where it is from."""
LARGEST_FILE = 120_000
"""Bytes."""
LEAST_LINE = 12
"""Characters; shorter lines stand everywhere."""
LEAST_NEW_LINES = 3
"""Of a file that is cut, the short ones counted."""
SKIPPED_FOLDERS = re.compile(r"(^|/)(tests?|testdata|fixtures|vendor|third_party|generated|node_modules|resources)/")
SKIPPED_ENDINGS = (".d.ts", ".test.ts", "_test.go", ".pb.go", "generated.rs")


@dataclass(frozen=True, slots=True)
class Hole:
    kind: str
    language: str
    source: str
    path: str
    start: int
    """Byte."""
    end: int
    """Byte."""
    crosses_files: bool
    """It has a name that the rest of its file lacks and that is defined somewhere."""


@dataclass(frozen=True, slots=True)
class Release:
    source: Source
    files: dict[str, str]
    """Path to text, of those that are cut."""
    definitions: dict[str, list[str]]
    """Name to the paths of the files that define it."""


def build(sources: Sequence[Source], new: Path, old: Path) -> list[dict[str, object]]:
    """The tasks' rows, from the trees `new/source` and `old/source`."""
    releases, found = {}, []
    for source in sources:
        release = releases[source.name] = release_in(new / source.name, source)
        known = known_lines(old / source.name, source) if source.since else set()
        holes = [hole for path in release.files for hole in holes_in(release, path, known)]
        print(f"{source.name:20} {len(release.files):5} files {len(holes):7} holes", flush=True)
        found += holes
    return [row_of(releases[hole.source], hole) for hole in choose(found)]


def release_in(root: Path, source: Source) -> Release:
    files = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if is_cut(name, source) and path.is_file() and path.stat().st_size <= LARGEST_FILE:
            files[name] = path.read_text("utf-8", errors="replace")
    return Release(source, files, definitions_in(files, source.language))


def is_cut(name: str, source: Source) -> bool:
    """Whether people wrote it, for others to run."""
    return (
        name.endswith(NODE_TYPES[source.language].suffixes)
        and any(fnmatch(name, pattern) for pattern in source.include)
        and not SKIPPED_FOLDERS.search(name)
        and not name.endswith(SKIPPED_ENDINGS)
    )


def known_lines(root: Path, source: Source) -> set[str]:
    """Every line of the old release, wherever it stands: code that was moved is not new."""
    suffixes = NODE_TYPES[source.language].suffixes
    files = (path for path in root.rglob("*") if path.name.endswith(suffixes) and path.is_file())
    return {line for path in files for line in lines_of(path.read_text("utf-8", errors="replace"))}


def lines_of(text: str) -> list[str]:
    """By `\\n` alone, as the parser counts rows."""
    return [line.strip() for line in text.split("\n")]


def definitions_in(files: dict[str, str], language: str) -> dict[str, list[str]]:
    defining: dict[str, set[str]] = defaultdict(set)
    for path, text in files.items():
        for node in walk(parse(text.encode(), language)):
            if node.type in NODE_TYPES[language].definitions and (name := name_of(node)):
                defining[name].add(path)
    return {name: sorted(paths) for name, paths in defining.items() if len(paths) <= MOST_DEFINING}


def parse(data: bytes, language: str) -> Node:
    grammar = grammar_of(language_of(language, None))
    assert grammar is not None, language
    return Parser(grammar).parse(data).root_node


def name_of(definition: Node) -> str:
    """Its name; C has it at the end of a chain of declarators."""
    name = definition.child_by_field_name("name") or definition.child_by_field_name("declarator")
    while name is not None and (inner := name.child_by_field_name("declarator")) is not None:
        name = inner
    return name.text.decode() if name is not None and name.text is not None else ""


def holes_in(release: Release, path: str, known: set[str]) -> Iterator[Hole]:
    """The holes of one file whose lines are all new."""
    text, language = release.files[path], release.source.language
    is_new = [len(line) < LEAST_LINE or line not in known for line in lines_of(text)]
    if known and sum(is_new) < LEAST_NEW_LINES:
        return
    data, mentions = text.encode(), Counter(NAME.findall(text))
    for cut in cuts(parse(data, language), data, NODE_TYPES[language]):
        middle = data[cut.start : cut.end].decode()
        if all(is_new[cut.first : cut.last + 1]) and is_worth_asking(cut.kind, middle):
            names = Counter(NAME.findall(middle))
            crosses = any(count == mentions[name] and name in release.definitions for name, count in names.items())
            yield Hole(cut.kind, language, release.source.name, path, cut.start, cut.end, crosses)


def choose(found: list[Hole]) -> list[Hole]:
    """As many of each kind and language; then of each language those that need other files, imports apart."""
    groups: dict[tuple[str, str], list[Hole]] = defaultdict(list)
    for hole in found:
        groups[hole.language, hole.kind].append(hole)
    chosen = [hole for name in sorted(groups) for hole in sample(groups[name], PER_KIND_AND_LANGUAGE)]
    taken = set(chosen)
    across: dict[str, list[Hole]] = defaultdict(list)
    for hole in found:
        if hole.crosses_files and hole.kind != "import" and hole not in taken:
            across[hole.language].append(hole)
    return chosen + [hole for language in sorted(across) for hole in sample(across[language], ACROSS_FILES)]


def sample(holes: list[Hole], most: int) -> list[Hole]:
    """The same ones for the same holes in any order, the sources in turn, and few of one file."""
    shuffled = sorted(holes, key=lambda hole: (hole.source, hole.path, hole.start, hole.end, hole.kind))
    random.Random(SEED).shuffle(shuffled)
    left: dict[str, list[Hole]] = defaultdict(list)
    per_file: Counter[tuple[str, str]] = Counter()
    for hole in reversed(shuffled):
        if per_file[hole.source, hole.path] < PER_FILE:
            per_file[hole.source, hole.path] += 1
            left[hole.source].append(hole)
    in_turn = zip_longest(*(left[name] for name in sorted(left)))
    return [hole for turn in in_turn for hole in turn if hole is not None][:most]


def row_of(release: Release, hole: Hole) -> dict[str, object]:
    source, data = release.source, release.files[hole.path].encode()
    parts = (data[: hole.start], data[hole.start : hole.end], data[hole.end :])
    prefix, middle, suffix = (part.decode() for part in parts)
    outside = set(NAME.findall(prefix)) | set(NAME.findall(suffix))
    gold = {
        name: elsewhere
        for name in sorted(set(NAME.findall(middle)) - outside)
        if (elsewhere := [path for path in release.definitions.get(name, []) if path != hole.path])
    }
    where = f"{source.name}:{source.version}:{hole.path}:{hole.start}:{hole.end}"
    return {
        "id": f"{source.language}/{hole.kind}/{hashlib.sha256(where.encode()).hexdigest()[:12]}",
        "kind": hole.kind,
        "language": source.language,
        "source": source.name,
        "version": source.version,
        "licence": source.licence,
        "path": hole.path,
        "prefix": prefix,
        "middle": middle,
        "suffix": suffix,
        "gold": gold,
    }


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("new", type=Path, help="the releases that are cut")
    arguments.add_argument("old", type=Path, help="the releases before 2026")
    arguments.add_argument("out", type=Path, help="the file for the tasks, .jsonl.gz")
    given = arguments.parse_args()
    sources = pinned_sources()
    trees = [given.new / source.name for source in sources]
    trees += [given.old / source.name for source in sources if source.since]
    # without its old release a source would look new as a whole, and without one source others would be chosen
    if missing := [str(tree) for tree in trees if not tree.is_dir()]:
        sys.exit(f"not fetched: {', '.join(missing)}")
    rows = build(sources, given.new, given.old)
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    given.out.write_bytes(gzip.compress(lines.encode(), mtime=0))
    print(f"{len(rows)} tasks, {given.out.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
