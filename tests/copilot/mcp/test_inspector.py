"""The protocol's own inspector (npm) as a client, where it is installed.

`npm install --prefix FOLDER @modelcontextprotocol/inspector@0.15.0` installs it; $AZIMUTH_MCP_INSPECTOR names
FOLDER/node_modules/.bin/mcp-inspector. It is no part of the set-up: 242 packages for one client. Its command
line sends no header over HTTP, so that it cannot show our token: standard input and output alone.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
INSPECTOR = os.environ.get("AZIMUTH_MCP_INSPECTOR") or shutil.which("mcp-inspector")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        INSPECTOR is None, reason="The MCP inspector is not installed; $AZIMUTH_MCP_INSPECTOR."
    ),
]


def inspected(*arguments: str, **more: str) -> Any:
    """What the inspector prints."""
    waits = {"MCP_REQUEST_TIMEOUT": "240000", "MCP_REQUEST_MAX_TOTAL_TIMEOUT": "240000"}
    done = subprocess.run(
        [str(INSPECTOR), "--cli", *arguments], cwd=ROOT, env={**os.environ, **waits, **more}, timeout=280,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_inspector_lists_and_calls_over_standard_input_and_output(small_catalogue: Path, tmp_path: Path):
    home = {"AZIMUTH_HOME": str(tmp_path / "home"), "AZIMUTH_CATALOGUE": str(small_catalogue)}
    program = (sys.executable, "-m", "copilot", "mcp")
    listed = inspected(*program, "--method", "tools/list", **home)
    assert [each["name"] for each in listed["tools"]] == ["ask", "search_tools", "call_tool", "begin_session"]
    made = inspected(*program, "--method", "tools/call", "--tool-name", "begin_session", **home)
    assert len(made["structuredContent"]["session"]) == 24
