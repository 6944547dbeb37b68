"""The extension's manifest, and what it must say of the server."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

from server.settings import NAMES

ROOT = Path(__file__).parent.parent
MANIFEST = ROOT / "extension" / "package.json"


def manifest() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(MANIFEST.read_text("utf-8"))
    return found


def test_its_settings_are_the_server_s() -> None:
    written = runpy.run_path(str(ROOT / "scripts" / "extension_settings.py"))["written"]
    assert json.loads(written(MANIFEST.read_text("utf-8"))) == manifest(), "run scripts/extension_settings.py"


def test_every_setting_of_the_server_is_there_with_a_type_a_default_and_a_description() -> None:
    properties = manifest()["contributes"]["configuration"]["properties"]
    for name in NAMES:
        assert {"type", "default", "scope", "description"} <= set(properties[f"kireji.{name}"])


def test_a_workspace_can_t_say_where_text_goes_or_what_is_run() -> None:
    properties = manifest()["contributes"]["configuration"]["properties"]
    for name in ("host", "model", "serverPath", "pythonPath"):
        assert properties[f"kireji.{name}"]["scope"] == "machine"


def test_every_command_that_it_offers_is_registered() -> None:
    source = (ROOT / "extension" / "src" / "extension.ts").read_text("utf-8")
    for command in manifest()["contributes"]["commands"]:
        assert f"command('{command['command']}'" in source


def test_its_version_is_the_server_s() -> None:
    assert f'version = "{manifest()["version"]}"' in (ROOT / "pyproject.toml").read_text("utf-8")
