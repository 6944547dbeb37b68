"""`kireji serve`: the language server, which logs to a file and prints nothing."""

from __future__ import annotations

import argparse
from pathlib import Path

from server.log import log_file, start_log
from server.settings import Settings


def run(parsed: argparse.Namespace, settings: Settings) -> int:
    start_log(Path(parsed.log) if parsed.log else log_file())
    from server.features import build_server  # the log first: an import that fails must leave a trace

    server = build_server(settings)
    server.start_io()
    return 1 if server.protocol.left_early else 0
