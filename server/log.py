"""Where the server logs, and how: to a file of the user's own, never to its standard streams."""

from __future__ import annotations

import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path

import platformdirs

LARGEST_LOG = 2_000_000
"""Bytes; one older file is kept."""
FORMAT = "%(asctime)s %(levelname).1s %(name)s: %(message)s"


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
