"""`kireji doctor`: which engine answers, with which model; and what to do about each thing that is wrong."""

from __future__ import annotations

import argparse
import asyncio
import io
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit

from rich.console import Console

from ast_prompt.grammars import grammar_note, grammar_of
from ast_prompt.languages import OFFICIAL
from server.commands.ollama_service import ADVICE, DRAFTS, drafts, environment_of
from server.engines import EngineError, Model
from server.engines.embedded import why_not_here
from server.engines.model_file import ready
from server.engines.ollama import Ollama
from server.log import log_file
from server.settings import Settings

NEWEST_COUNTERS = (0, 34)
"""Ollama's version from which on it says how much of a prompt came from its cache."""
ALTERNATIVES_SINCE = (0, 12, 11)
"""From which on it gives the likeliest tokens, without which healing is right less often."""


LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Mark(StrEnum):
    GOOD = "ok"
    NOTE = "note"
    BAD = "wrong"


@dataclass(frozen=True, slots=True)
class Finding:
    mark: Mark
    says: str
    advice: str = ""


def run(parsed: argparse.Namespace, settings: Settings) -> int:
    return 0 if asyncio.run(told(settings, Console(highlight=False, soft_wrap=True))) else 2


async def report(settings: Settings) -> str:
    """The same as text, for an editor."""
    console = Console(file=io.StringIO(), highlight=False, soft_wrap=True, color_system=None)
    with console.capture() as captured:
        await told(settings, console)
    return captured.get()


async def told(settings: Settings, console: Console) -> bool:
    """Whether an engine can complete."""
    usable = await examine(settings, console)
    for finding in about_the_rest():
        show(console, finding)
    console.print("\nKireji can complete." if usable else "\nNo engine can complete yet: see above.")
    return usable


async def examine(settings: Settings, console: Console) -> bool:
    """Whether an engine that the settings allow can complete."""
    findings: list[Finding] = []
    ollama = Ollama(settings)
    console.print(f"[bold]Ollama[/] at {ollama.address}")
    try:
        async for finding in about_ollama(ollama, settings):
            show(console, finding)
            findings.append(finding)
    finally:
        await ollama.close()
    by_ollama = settings.engine in ("auto", "ollama") and all(finding.mark is not Mark.BAD for finding in findings)
    console.print("[bold]Embedded engine[/]")
    embedded = await asyncio.to_thread(about_embedded, settings)
    show(console, embedded)
    return by_ollama or (settings.engine in ("auto", "embedded") and embedded.mark is Mark.GOOD)


async def about_ollama(ollama: Ollama, settings: Settings) -> AsyncIterator[Finding]:
    try:
        version = await ollama.version()
    except EngineError as error:
        yield Finding(Mark.BAD, str(error))
        return
    yield about_version(version)
    try:
        model = await ollama.model()
        loaded = await ollama.loaded_context()
    except EngineError as error:
        yield Finding(Mark.BAD, str(error))
        return
    for finding in about_model(model, loaded, settings):
        yield finding
    address = urlsplit(ollama.address)
    if address.hostname in LOOPBACK and address.port:
        yield about_drafts(drafts(await asyncio.to_thread(environment_of, address.port)))


def about_version(version: str) -> Finding:
    known = tuple(int(part) for part in version.split(".")[:3] if part.isdigit())
    if known and known < ALTERNATIVES_SINCE:
        return Finding(
            Mark.NOTE, f"version {version}", "update it: half-typed words are completed worse before 0.12.11"
        )
    if known and known < NEWEST_COUNTERS:
        return Finding(
            Mark.NOTE, f"version {version}", "from 0.34 on it also says how much of a prompt its cache saved"
        )
    return Finding(Mark.GOOD, f"version {version}")


def about_model(model: Model, loaded: int | None, settings: Settings) -> Iterator[Finding]:
    yield Finding(Mark.GOOD, f"model {model.name}")
    if model.dialect.sees_after:
        yield Finding(Mark.GOOD, f"fill-in-the-middle: {model.dialect.name}")
    else:
        yield Finding(
            Mark.NOTE,
            f"{model.name} knows no fill-in-the-middle: it does not see what stands after the cursor",
            "a code model does, e.g. `ollama pull qwen2.5-coder:0.5b`",
        )
    note = "estimated, since Ollama gives no vocabulary" if model.vocabulary is None else model.vocabulary.note
    exact = model.vocabulary is not None and model.vocabulary.exact
    yield Finding(Mark.GOOD if exact else Mark.NOTE, f"tokens: {note}")
    if loaded is None:
        yield Finding(
            Mark.NOTE, f"not loaded yet: the first answer will wait for it, with a context of {model.context} tokens"
        )
    else:
        yield Finding(
            Mark.GOOD,
            f"loaded with a context of {loaded} tokens, which Kireji keeps: another one would load it again",
        )
    if model.context < settings.promptTokens + settings.maxTokens:
        yield Finding(
            Mark.NOTE,
            f"a context of {model.context} tokens cuts the prompt of {settings.promptTokens}",
            "load the model with a larger num_ctx, or lower kireji.promptTokens",
        )


def about_drafts(on: bool | None) -> Finding:
    """Whether Ollama's runner guesses the next tokens from the text, which makes it faster and changes nothing else."""
    if on:
        return Finding(Mark.NOTE, f"drafts from the text are on ({DRAFTS})", ADVICE)
    told = f"it can't be told whether drafts from the text are on ({DRAFTS})" if on is None else "drafts are off"
    return Finding(Mark.GOOD, told)


def about_embedded(settings: Settings) -> Finding:
    absent = why_not_here(settings)
    if absent is not None:
        return Finding(Mark.BAD if settings.engine == "embedded" else Mark.NOTE, absent)
    return Finding(Mark.GOOD, f"ready, with {settings.model if settings.model.endswith('.gguf') else ready()}")


def about_the_rest() -> Iterator[Finding]:
    missing = [f"{language.name} ({grammar_note(language)})" for language in OFFICIAL if grammar_of(language) is None]
    if missing:
        yield Finding(Mark.BAD, f"no grammar for {', '.join(missing)}", "install Kireji again: its wheels are broken")
    else:
        yield Finding(Mark.GOOD, f"grammars: {len(OFFICIAL)} languages")
    yield Finding(Mark.NOTE, f"log: {log_file()}")


def show(console: Console, finding: Finding) -> None:
    colour = {Mark.GOOD: "green", Mark.NOTE: "yellow", Mark.BAD: "red"}[finding.mark]
    console.print(f"  [{colour}]{finding.mark:5}[/] ", end="")
    console.print(finding.says, markup=False)
    if finding.advice:
        console.print(f"        → {finding.advice}", markup=False)
