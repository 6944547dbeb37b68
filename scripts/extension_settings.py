"""Writes the server's settings into the extension's manifest, so that both know the same ones.

python scripts/extension_settings.py [--check]
"""

from __future__ import annotations

import json
import sys
from dataclasses import Field
from pathlib import Path
from typing import Any, get_args

from server.settings import HINTS, NAMES

MANIFEST = Path(__file__).parent.parent / "extension" / "package.json"
MACHINE = {"model", "host"}
"""A workspace must not say where text is sent, or which file is loaded."""
DEFAULTS = {"popup": False}
"""In VS Code the same text as ghost text and in the popup is once too often."""
HIDDEN = {"scripted"}
"""Choices that are for tests."""
TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}
OWN: dict[str, dict[str, Any]] = {
    "enable": {
        "type": "boolean",
        "default": True,
        "scope": "resource",
        "description": "Complete at all.",
    },
    "languages": {
        "type": "object",
        "additionalProperties": {"type": "boolean"},
        "default": {"*": True},
        "scope": "resource",
        "markdownDescription": 'By language id whether it completes there, e.g. `"markdown": false`; `*`: all others.',
    },
    "grow": {
        "type": "boolean",
        "default": True,
        "scope": "window",
        "description": "Let a suggestion grow on the screen while the model goes on writing.",
    },
    "serverPath": {
        "type": "string",
        "default": "",
        "scope": "machine",
        "markdownDescription": "The program `kireji` to run; empty: one in an environment of the extension's own.",
    },
    "pythonPath": {
        "type": "string",
        "default": "",
        "scope": "machine",
        "description": "The Python, 3.11 to 3.14, from which that environment is made; empty: the first that is found.",
    },
}


def described(name: str, field: Field[Any]) -> dict[str, Any]:
    hint, says = HINTS[name], field.metadata
    found: dict[str, Any]
    if choices := [choice for choice in get_args(hint) if choice not in HIDDEN]:
        found = {"type": "string", "enum": choices}
    else:
        found = {"type": TYPES[hint]}
    for ours, theirs in (("least", "minimum"), ("most", "maximum")):
        if says[ours] is not None:
            found[theirs] = says[ours]
    found["default"] = DEFAULTS.get(name, field.default)
    found["scope"] = "machine" if name in MACHINE else "window"
    found["description"] = says["says"]
    return found


def properties() -> dict[str, dict[str, Any]]:
    known = OWN | {name: described(name, field) for name, field in NAMES.items()}
    return {f"kireji.{name}": value | {"order": order} for order, (name, value) in enumerate(known.items())}


def written(manifest: str) -> str:
    found = json.loads(manifest)
    found.setdefault("contributes", {})["configuration"] = {"title": "Kireji", "properties": properties()}
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def main() -> int:
    before = MANIFEST.read_text("utf-8")
    after = written(before)
    if "--check" in sys.argv[1:]:
        if json.loads(before) != json.loads(after):
            print("extension/package.json is old: run scripts/extension_settings.py", file=sys.stderr)
            return 1
        return 0
    MANIFEST.write_text(after, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
