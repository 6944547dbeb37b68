"""`kireji serve`: the language server, which logs to a file and prints nothing."""

from __future__ import annotations

import argparse
import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path

import platformdirs

from server.settings import Settings

LARGEST_LOG = 2_000_000
"""Bytes; one older file is kept."""
FORMAT = "%(asctime)s %(levelname).1s %(name)s: %(message)s"


def run(parsed: argparse.Namespace, settings: Settings) -> int:
    start_log(Path(parsed.log) if parsed.log else log_file())
    from server.features import build_server  # the log first: an import that fails must leave a trace

    server = build_server(settings)
    server.start_io()
    return 1 if server.protocol.left_early else 0


def log_file() -> Path:
    return Path(platformdirs.user_log_path("kireji")) / "server.log"


def start_log(path: Path) -> None:
    """Where the log can't be written the server runs without one: standard error is the editor's, not ours."""
    handler: logging.Handler
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handler = RotatingFileHandler(path, maxBytes=LARGEST_LOG, backupCount=1, encoding="utf-8")
        path.chmod(0o600)
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(logging.Formatter(FORMAT))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    for chatty in ("httpx", "httpcore", "asyncio"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    # what it logs of an error holds the message's parameters, which are the user's code; we log the error ourselves
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    logging.captureWarnings(True)
