"""docs/security.md names tests and limits that there are."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from copilot import bounds
from copilot.agents.budget import Budget
from data.apart import limits
from data.catalogue.amount import MOST_BYTES, MOST_VALUE
from state.model import MAX_ARTIFACTS
from tools.bounds import MAX_ARGS_BYTES, MAX_ARGS_DEPTH, MAX_DATA_BYTES, MAX_SAID_CHARS
from tools.run import MAX_STATE_BYTES

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")


def test_every_test_that_the_page_names_is_there() -> None:
    named = set(re.findall(r"`(tests/[\w/.]+)`", PAGE))
    assert sorted(each for each in named if not (ROOT / each).exists()) == []
    assert len(named) > 20


def test_every_line_of_the_threats_names_a_test() -> None:
    table = PAGE.split("## Who, what", 1)[1].split("## Limits", 1)[0]
    rows = [line for line in table.splitlines() if line.startswith("| ") and "kept by" not in line]
    assert [row for row in rows if "`tests/" not in row.rsplit("|", 2)[1]] == []
    assert len(rows) > 20


def test_the_limits_are_those_of_the_code() -> None:
    table = PAGE.split("## Limits", 1)[1].split("## What is not", 1)[0]
    said = {
        f"{bounds.MAX_REQUEST_CHARS:,} characters",
        f"one character {bounds.MAX_SAME} times",
        f"a number of {bounds.MAX_DIGITS} digits",
        f"a word of {bounds.MAX_WORD} letters",
        f"{bounds.READING_CPU_S} s of computing",
        f"{Budget().steps} calls, {Budget().tokens:,} tokens, {Budget().seconds:g} s",
        f"{MAX_STATE_BYTES // 1024} KiB as JSON, {MAX_ARTIFACTS} artifacts",
        f"{MAX_ARGS_BYTES // 1024} KiB, {MAX_ARGS_DEPTH} deep",
        f"{MAX_SAID_CHARS:,} characters, {MAX_DATA_BYTES // 1024} KiB",
        f"{bounds.MOST_LOG_BYTES / 1e6:g} MB",
        f"an answer of {MOST_BYTES / 1e6:g} MB, a value of {MOST_VALUE:,} characters",
        f"{limits.FIRST_S:g} s and {limits.S_PER_MB:g} s for each of its megabytes",
        f"at most {limits.MOST_S / 60:g} min",
        f"{limits.MEMORY_GB:g} GB of memory",
    }
    assert sorted(each for each in said if each not in table) == []


def test_the_app_listens_on_this_machine_alone_and_shows_no_traceback_unless_told_otherwise() -> None:
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert settings["server"]["address"] == "localhost"
    assert settings["client"]["showErrorDetails"] == "none"
    started = [ROOT / "Makefile", *(ROOT / "scripts").glob("*.sh"), *(ROOT / ".ci").iterdir()]
    assert [each.name for each in started if "server.address" in each.read_text(encoding="utf-8")] == []
