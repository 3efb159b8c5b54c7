"""The command line as a user runs it, in a home of its own."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from copilot.cli import app
from copilot.cli.output import run
from copilot.engine import default_engine

ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class Done:
    """What a command printed, and its exit status."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON value on standard output; anything beside it is an error."""
        assert self.out.endswith("\n") and self.out.count("\n") == 1, self.out
        return json.loads(self.out)


@dataclass(frozen=True)
class Copilot:
    """The command line with settings of its own."""

    settings: dict[str, str]

    def environment(self, **settings: str) -> dict[str, str]:
        """The environment without anything of the developer's own."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("AZIMUTH_", "OPENAI_", "COPILOT_"))}
        return {**kept, **self.settings, **settings}

    def __call__(self, *arguments: str, stdin: str = "", **settings: str) -> Done:
        """Run one command in this process, as `python -m copilot` does."""
        out, err = io.StringIO(), io.StringIO()
        default_engine.cache_clear()
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            for name in os.environ.keys() - self.environment().keys():
                patch.delenv(name)
            for name, value in self.environment(**settings).items():
                patch.setenv(name, value)
            patch.setattr(sys, "argv", ["copilot", *arguments])
            patch.setattr(sys, "stdin", io.StringIO(stdin))
            status = run(app)
        default_engine.cache_clear()
        return Done(status, out.getvalue(), err.getvalue())

    def process(self, *arguments: str, stdin: str = "", **settings: str) -> Done:
        """Run one command in a process of its own: a second or more each."""
        done = subprocess.run(
            [sys.executable, "-m", "copilot", *arguments],
            cwd=ROOT,
            env=self.environment(**settings),
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
        )
        return Done(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="module")
def copilot(small_catalogue: Path, tmp_path_factory: pytest.TempPathFactory) -> Copilot:
    """The command line over the small catalogue, in a home that the module's tests share."""
    home = tmp_path_factory.mktemp("home")
    return Copilot({"AZIMUTH_HOME": str(home), "AZIMUTH_CATALOGUE": str(small_catalogue)})
