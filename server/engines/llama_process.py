"""The process in which the embedded engine's server lives: a program that `embedded` starts.

A process of its own, since the library holds Python's lock while it loads a model and while it frees it, which
would freeze the language server for seconds; and since a fault in native code must not take the editor's completions
down for good. What it imports is the standard library and xllamacpp alone.

In comes one line of JSON on stdin, `Wanted`; out goes one line on stdout, `{"address": ...}` or `{"error": ...}`. It
ends when its stdin does, so with its parent, however that ends.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import Any, TypedDict

QUIET = -1
"""llama.cpp's log level below errors: a model that can't be loaded is reported on stdout."""
BATCH = 128
"""Tokens between two looks at whether the client is still there: prompts are read 7 % slower than with 1,024, and
an abort takes one second in place of nine on a slow machine."""
CACHE_MIB = 256
"""Prompts of other files that are kept in memory; by default it would be 8 GiB."""
DRAFT_BEHIND, DRAFT = 3, 0
"""Tokens that must have stood in the text before, and how many that followed there are guessed. None: an answer that is
ended at its line has five tokens, and wrong guesses make that slower (`tests.speed.drafts`)."""
NO_ORIGIN = "https://kireji.invalid"
"""The only web origin that may ask, which none can have. `null` would let sandboxed frames in."""


class Wanted(TypedDict):
    model: str
    """Path of the GGUF file."""
    key: str
    """Without it the server answers nobody."""
    context: int
    threads: int


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    # whatever native code may print goes nowhere
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    line = sys.stdin.readline()
    if not line:  # whoever started this has given up already
        os._exit(0)
    wanted: Wanted = json.loads(line)
    try:
        server = started(wanted)
        answer = {"address": server.listening_address}
    except (ImportError, RuntimeError, ValueError) as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), file=answers, flush=True)
    if "address" in answer:
        sys.stdin.read()
    # the system frees memory and port at once; the library's own way waits for what is being generated
    os._exit(0)


def started(wanted: Wanted) -> Any:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = wanted["model"]
    params.n_ctx = wanted["context"]
    params.n_parallel = 1
    params.n_batch = params.n_ubatch = BATCH
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = wanted["threads"]
    params.cache_ram_mib = CACHE_MIB
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [wanted["key"]]
    params.cors_origins, params.cors_origins_explicit, params.cors_credentials = NO_ORIGIN, True, False
    params.ui = False
    params.endpoint_slots = False
    params.verbosity = QUIET
    # both read the model once more: 0.3 to 0.5 s each
    params.warmup = params.fit_params = False
    draft_from_the_text(xllamacpp, params)
    return xllamacpp.Server(params)


def draft_from_the_text(xllamacpp: Any, params: Any) -> None:
    """Guess the next tokens from what the prompt has already, and let the model check them at once: the same output,
    sooner. Where the library has no such thing, nothing changes."""
    kinds = getattr(xllamacpp, "common_speculative_type", None)
    kind = getattr(kinds, "COMMON_SPECULATIVE_TYPE_NGRAM_SIMPLE", None)
    behind, draft = drafts()
    if kind is None or not draft:
        return
    params.speculative.types = [kind]
    params.speculative.ngram_simple.size_n, params.speculative.ngram_simple.size_m = behind, draft


def drafts() -> tuple[int, int]:
    """As `DRAFT_BEHIND`, `DRAFT`; KIREJI_DRAFTS=BEHIND,DRAFT sets others, to measure what they are worth."""
    behind, _, draft = os.environ.get("KIREJI_DRAFTS", f"{DRAFT_BEHIND},{DRAFT}").partition(",")
    return int(behind), int(draft or 0)


if __name__ == "__main__":
    main()
