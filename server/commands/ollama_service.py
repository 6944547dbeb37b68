"""What Ollama's service was started with, as far as this user may see it."""

from __future__ import annotations

from collections.abc import Mapping

import psutil

DRAFTS = "LLAMA_ARG_SPEC_TYPE"
"""llama.cpp's `--spec-type`, which Ollama's runner takes from the service's environment."""
ADVICE = (
    f"they make long answers faster, and the short ones of completing slower (0.8 times on two cores): with systemd, "
    f"`sudo systemctl edit ollama`, take the line Environment={DRAFTS}=... out, then `sudo systemctl restart ollama`"
)


def environment_of(port: int) -> Mapping[str, str] | None:
    """Of the process on this machine that serves Ollama at the port; None where it can't be seen."""
    for process in psutil.process_iter(["name", "cmdline"]):
        command = process.info["cmdline"] or []
        if not (process.info["name"] or "").startswith("ollama") or "serve" not in command:
            continue
        try:
            ports = {one.laddr.port for one in process.net_connections("tcp") if one.status == psutil.CONN_LISTEN}
            if port in ports:
                return process.environ()
        except (psutil.Error, OSError):
            continue
    return None


def drafts(environment: Mapping[str, str] | None) -> bool | None:
    """Whether the runner drafts from the text; None: it can't be told."""
    if environment is None:
        return None
    return environment.get(DRAFTS, "none") not in ("", "none")
