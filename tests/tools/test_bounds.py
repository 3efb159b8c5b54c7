"""What a call brings in and what it says is bounded, whatever comes in."""

from __future__ import annotations

import copy
import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from state.model import State
from tests.suite.walking import share, walks
from tests.tools.prepared import example_arguments, past, prepared
from tests.tools.world import small_world
from tools.base import ChatAddress, Step, Tool, World, tool
from tools.bounds import MAX_ARGS_BYTES, MAX_DATA_BYTES, MAX_ERROR_CHARS, MAX_SAID_CHARS
from tools.run import call_arguments, run_call
from tools.toolbox import Toolbox, toolbox

OUTSIDE = ("web", "openai", "vision")
"""Their answers come from a server or from pixels: what they take is checked by the schema alone."""
TOOLS = tuple(each for each in toolbox() if each.category not in OUTSIDE and each.name != "db_ingest")
LONG = 200_000


@pytest.fixture(scope="module")
def ready(
    small_catalogue: Path, tmp_path_factory: pytest.TempPathFactory, chat: ChatAddress
) -> tuple[World, State]:
    """A world and a state where every tool has what it needs."""
    world = small_world(small_catalogue, tmp_path_factory.mktemp("artifacts"))
    state = prepared(world)
    return replace(world, log=past(state), chat=chat), state


def longer(value: Any, most: int) -> Any:
    """The same kind of value, as long as it may be."""
    if isinstance(value, str):
        return (value * (most // max(len(value), 1) + 1))[:most]
    if isinstance(value, list) and value:
        return (value * (LONG // len(json.dumps(value)) + 1))[:5_000]
    return value


def hostile(wanted: Tool, state: State) -> Iterator[tuple[str, dict[str, Any]]]:
    """The tool's example with each of its texts and lists made long, at the schema's limit and beyond it.

    Of a tool's `make test` takes one in three, another third of the next tool's.
    """
    given = example_arguments(wanted, state)
    properties = wanted.schema.get("properties", {})
    for name in properties:
        value = given.get(name, "A long name. ")
        if not isinstance(value, (str, list)):
            continue
        parts = [properties[name], *properties[name].get("anyOf", [])]
        limit = max((part.get("maxLength", 0) for part in parts), default=0) or LONG
        for most in sorted({min(limit, LONG), LONG}):
            yield f"{name} of {most}", {**copy.deepcopy(given), name: longer(value, most)}
            yield f"{name} of {most} kinds", {**copy.deepcopy(given), name: longer('é🛰 \\"\n', most // 2)}


@pytest.mark.slow
@walks("wanted", TOOLS, lambda each: each.name)
def test_no_tool_makes_an_event_that_is_too_large(
    wanted: Tool, ready: tuple[World, State], caplog: pytest.LogCaptureFixture
) -> None:
    world, state = ready
    caplog.set_level(logging.CRITICAL)
    cases = tuple(hostile(wanted, state))
    for what, args in share(cases, TOOLS.index(wanted) % max(1, len(cases)), of=3):
        step = run_call(toolbox(), state, world, wanted.name, args)
        kept = call_arguments(toolbox(), wanted.name, args)
        assert not step.data.get("bug"), (what, step.observation)
        assert len(json.dumps(kept, ensure_ascii=False).encode()) <= MAX_ARGS_BYTES + 10_000, what
        assert len(step.observation) <= (MAX_ERROR_CHARS if step.failed else MAX_SAID_CHARS), what
        assert len(json.dumps(dict(step.data), ensure_ascii=False).encode()) <= MAX_DATA_BYTES, what


@tool("python")
def say(state: State, world: World, *, chars: int = 0, kib: int = 0, failed: bool = False) -> Step:
    """Say so many characters, with so much data."""
    return Step(state, "a" * chars, {"data": "b" * (kib * 1024)}, failed=failed)


ODD = Toolbox((say,))


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (
            {"kib": 300},
            "say gives 300 KiB of data, and 256 KiB are the most that is kept of one call; ask for less at "
            "once.",
        ),
        (
            {"kib": 300, "failed": True},
            "say gives 300 KiB of data, and 256 KiB are the most that is kept of one call; ask for less at "
            "once.",
        ),
        (
            {"chars": 16_001},
            "say says 16,001 characters, and 16,000 are the most that is kept of one call; ask for less at "
            "once.",
        ),
    ],
)
def test_a_result_that_says_too_much_is_refused(
    ready: tuple[World, State], args: dict[str, Any], said: str
) -> None:
    world, state = ready
    assert run_call(ODD, state, world, "say", args) == Step(state, said, failed=True)


def test_a_result_just_below_the_limits_is_kept(ready: tuple[World, State]) -> None:
    world, state = ready
    step = run_call(ODD, state, world, "say", {"chars": 16_000, "kib": 255})
    assert (step.failed, len(step.observation), len(step.data["data"])) == (False, 16_000, 255 * 1024)


def test_a_long_error_is_cut(ready: tuple[World, State]) -> None:
    world, state = ready
    step = run_call(ODD, state, world, "say", {"chars": 100_000, "failed": True})
    assert step.observation == "a" * 3_992 + "… (cut)."


def test_arguments_that_are_too_much_are_refused_before_anything_reads_them(
    ready: tuple[World, State],
) -> None:
    world, state = ready
    deep: list[Any] = []
    for _ in range(500):
        deep = [deep]
    for args, said in (
        (
            {"chars": "1" * 300_000},
            "The arguments of say take more than 256 KiB, which is the most for one call; send less at once, "
            "or upload it as a file.",
        ),
        (
            {"chars": deep},
            "The arguments of say have lists or objects more than 64 deep in each other; send them flatter.",
        ),
    ):
        assert run_call(ODD, state, world, "say", args) == Step(state, said, failed=True)
        assert len(json.dumps(call_arguments(ODD, "say", args))) < 1_000


def test_a_tool_that_is_not_there_is_named_in_short(ready: tuple[World, State]) -> None:
    world, state = ready
    step = run_call(toolbox(), state, world, "x" * 200_000, {})
    assert len(step.observation) <= MAX_ERROR_CHARS
