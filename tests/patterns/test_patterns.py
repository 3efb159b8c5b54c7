"""No pattern takes for ever over a short hostile text; `exhaustive_patterns.py` measures long ones."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.patterns.collecting import ROOT


def test_every_pattern_comes_through_short_hostile_texts() -> None:
    """In a process of its own, as every module is imported there, and which the kernel ends."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.patterns.collecting", "--short"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"it was ended at {done.stderr.splitlines()[-1:]}"
    said = json.loads(done.stdout)
    assert said["patterns"] > 250
    trained = ("copilot/language/learning/", "data/models/training/", "data/models/exporting.py")
    assert [each for each in said["not_imported"] if not each.startswith(trained)] == []
