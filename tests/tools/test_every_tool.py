"""What holds for every tool of the toolbox, whoever wrote it."""

from __future__ import annotations

import json
import logging
import math
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, nullcontext
from dataclasses import replace
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, get_args

import pytest

from copilot.workflows.starting import procedures_of
from state.codec import canonical, digest, from_json, to_json
from state.model import State
from tests.suite.walking import share, walks
from tests.tools.prepared import example_arguments, know_the_note, past, prepared
from tests.tools.world import small_world, write_small_catalogue
from tools.base import Category, ChatAddress, Step, Tool, World
from tools.run import MAX_STATE_BYTES, run_call, validated
from tools.toolbox import toolbox

TOOLS = tuple(toolbox())
HOSTILE: tuple[Any, ...] = (
    None, True, -1, 0, 10**30, 1e308, math.nan, math.inf,
    "", " ", "\x00", "\ud800", "'; DROP TABLE images; --",
    "<script>alert(1)</script>", "../../etc/passwd", "=cmd|' /C calc'!A0", "{{7*7}}", "%s%n",
    "ø" * 5000, "١٢", "🛰",
    [], {}, [None], [[]], ["a"] * 101, [1, 2], [math.nan] * 4, [0, 50, 10, 40], [1e9] * 4,
    {"type": "Polygon"}, b"bytes", object(),
)  # fmt: skip
WRITES_TO_THE_CATALOGUE = {"db_ingest", "stac_load", "knowledge_add", "knowledge_remove"}

WRITES_BESIDE_THE_STATE = {"knowledge_add", "knowledge_share", "workflow_save"}
NUMBERS = count()

each_tool = walks("tool", TOOLS, lambda tool: tool.name)


@pytest.fixture(scope="module")
def ready(
    small_catalogue: Path, tmp_path_factory: pytest.TempPathFactory, chat: ChatAddress
) -> tuple[World, State]:
    """A world and a state where every tool has what it needs, with a past to undo."""
    world = small_world(small_catalogue, tmp_path_factory.mktemp("artifacts"))
    state = prepared(world)
    return replace(world, log=past(state), chat=chat), state


def call(ready: tuple[World, State], tool: Tool, arguments: dict[str, Any]) -> Step:
    world, state = ready
    if tool.name in WRITES_BESIDE_THE_STATE:
        world = _own_home(world)
    return run_call(toolbox(), state, world, tool.name, arguments)


def _own_home(world: World) -> World:
    """The same world, where what a call keeps beside the state is found by no other call."""
    home = world.artifacts.path(f"home-{next(NUMBERS)}", "")
    if world.knowledge is not None and world.knowledge.exists():
        shutil.copytree(world.knowledge, home / "knowledge")
    return replace(world, knowledge=home / "knowledge", workflows=procedures_of(home, "local"))


@pytest.fixture(scope="module")
def first_call(ready: tuple[World, State]) -> Callable[[Tool], Step]:
    """What each tool's example led to, called once for all the tests that only look at it."""
    return cache(lambda tool: call(ready, tool, example_arguments(tool, ready[1])))


def is_one_sentence(text: str) -> bool:
    return bool(text) and text[-1] in ".?!" and "\n" not in text and "Traceback" not in text


@each_tool
def test_the_summary_is_one_line_that_starts_with_a_capital_and_ends_with_a_full_stop(tool: Tool) -> None:
    assert tool.summary[:1].isupper() and tool.summary.endswith("."), tool.summary
    assert len(tool.summary) <= 160


@each_tool
def test_the_name_and_the_category_are_of_the_fixed_kind(tool: Tool) -> None:
    assert tool.name.isidentifier() and tool.name == tool.name.lower()
    assert tool.category in get_args(Category)


@each_tool
def test_every_argument_has_a_type_and_a_description_in_the_schema(tool: Tool) -> None:
    for name, schema in tool.schema.get("properties", {}).items():
        assert schema.get("description") or _parts_say(schema), f"{tool.name}.{name} has no description"
        assert {"type", "anyOf", "enum", "const", "$ref"} & schema.keys(), f"{tool.name}.{name} has no type"


def _parts_say(schema: dict[str, Any]) -> bool:
    return any(part.get("description") for part in schema.get("anyOf", []))


@each_tool
def test_the_example_runs_where_what_it_needs_exists(
    tool: Tool,
    ready: tuple[World, State],
    first_call: Callable[[Tool], Step],
    tmp_path: Path,
) -> None:
    if tool.name in WRITES_TO_THE_CATALOGUE:
        with _own_catalogue(ready, tmp_path / tool.name) as own:
            step = call(own, tool, example_arguments(tool, own[1]))
    else:
        step = first_call(tool)
    assert not step.failed, step.observation
    assert step.observation.strip()


@each_tool
def test_the_same_call_on_the_same_state_gives_the_same_state(
    tool: Tool, ready: tuple[World, State], first_call: Callable[[Tool], Step]
) -> None:
    if tool.name in WRITES_TO_THE_CATALOGUE:
        pytest.skip("the first call changes the catalogue that the second one sees")
    first, second = first_call(tool), call(ready, tool, example_arguments(tool, ready[1]))
    assert digest(first.state) == digest(second.state)
    assert (first.observation, first.data) == (second.observation, second.data)


@each_tool
def test_every_layer_s_colour_is_one_that_the_page_and_the_picture_read(
    tool: Tool, first_call: Callable[[Tool], Step]
) -> None:
    if tool.name in WRITES_TO_THE_CATALOGUE:
        pytest.skip("tests/tools/database covers it in a catalogue of its own")
    layers = first_call(tool).state.map.layers
    assert [each.color for each in layers if not re.fullmatch("#[0-9a-f]{6}", each.color)] == []


@each_tool
def test_the_state_and_the_data_after_a_call_are_plain_json(
    tool: Tool, first_call: Callable[[Tool], Step]
) -> None:
    if tool.name in WRITES_TO_THE_CATALOGUE:
        pytest.skip("tests/tools/database covers it in a catalogue of its own")
    step = first_call(tool)
    text = canonical(to_json(step.state))
    assert len(text.encode()) <= MAX_STATE_BYTES
    assert from_json(json.loads(text)) == step.state
    assert canonical(to_json(from_json(json.loads(text)))) == text
    assert json.loads(canonical(dict(step.data))) == dict(step.data)


@each_tool
def test_a_tool_that_does_not_declare_a_change_makes_none(
    tool: Tool, ready: tuple[World, State], first_call: Callable[[Tool], Step]
) -> None:
    if tool.changes_state:
        return
    assert first_call(tool).state == ready[1]


@each_tool
def test_an_unknown_argument_is_refused_by_name(tool: Tool, ready: tuple[World, State]) -> None:
    step = call(ready, tool, {**example_arguments(tool, ready[1]), "no_such_argument": 1})
    assert step.failed and "no_such_argument" in step.observation and is_one_sentence(step.observation)
    assert step.state == ready[1]


@each_tool
def test_a_missing_argument_is_asked_for_by_name(tool: Tool, ready: tuple[World, State]) -> None:
    arguments = example_arguments(tool, ready[1])
    for name in tool.schema.get("required", []):
        step = call(ready, tool, {key: value for key, value in arguments.items() if key != name})
        assert step.failed and f"'{name}'" in step.observation
        assert step.state == ready[1]


@each_tool
def test_no_value_of_an_argument_brings_a_bug_to_light(
    tool: Tool,
    ready: tuple[World, State],
    first_call: Callable[[Tool], Step],
    caplog: pytest.LogCaptureFixture,
) -> None:
    if tool.name in WRITES_TO_THE_CATALOGUE:
        pytest.skip("tests/tools/database feeds it hostile files")
    arguments = example_arguments(tool, ready[1])
    # A call that was made is not made again: the same call gives the same, as is tested above.
    made = {_given(tool, arguments): first_call(tool)}
    with caplog.at_level(logging.CRITICAL, logger="tools.run"):
        for number, name in enumerate(tool.schema.get("properties", {}), TOOLS.index(tool)):
            for value in share(HOSTILE, number, of=4):
                asked = {**arguments, name: value}
                given = _given(tool, asked)
                step = made.get(given) if given else None
                if step is None:
                    step = made[given] = call(ready, tool, asked)
                _is_sound(tool, name, value, step, ready[1])


@each_tool
def test_on_an_empty_session_a_call_works_or_says_what_is_missing(
    tool: Tool, ready: tuple[World, State], tmp_path: Path
) -> None:
    arguments = example_arguments(tool, ready[1])
    own = _own_catalogue(ready, tmp_path / tool.name) if tool.name in WRITES_TO_THE_CATALOGUE else None
    with own or nullcontext(ready) as (world, _):
        step = run_call(toolbox(), State(), replace(world, log=()), tool.name, arguments)
    _is_sound(tool, "", "an empty session", step, State())


def _given(tool: Tool, arguments: dict[str, Any]) -> str:
    """What the tool's function would be given; nothing where the arguments do not come so far."""
    try:
        return repr(validated(tool, arguments))
    except Exception:  # whatever it is, the call itself shows it
        return ""


def _is_sound(tool: Tool, name: str, value: object, step: Step, before: State) -> None:
    said = f"{tool.name}({name}={value!r:.60}): {step.observation:.300}"
    assert "bug" not in step.data, said
    if step.failed:
        assert step.state == before, said
        assert is_one_sentence(step.observation), said
    step.observation.encode()
    json.dumps(dict(step.data), allow_nan=False).encode()
    if step.state is not before:
        assert from_json(json.loads(canonical(to_json(step.state)))) == step.state, said


@contextmanager
def _own_catalogue(ready: tuple[World, State], folder: Path) -> Iterator[tuple[World, State]]:
    """The same state over a catalogue that may be written, with the example's file where it is looked for."""
    point = {"type": "Point", "coordinates": [4.1, 51.9]}
    feature = {"type": "Feature", "properties": {"name": "Rotterdam"}, "geometry": point}
    text = json.dumps({"type": "FeatureCollection", "features": [feature]})
    catalogue = folder / "catalogue"
    catalogue.mkdir(parents=True)
    (folder / "harbours.geojson").write_text(text, encoding="utf-8")
    world = small_world(write_small_catalogue(catalogue), folder / "artifacts", ready[0].log)
    world = replace(world, artifacts=ready[0].artifacts)
    with chdir(folder):
        know_the_note(world, ready[1])
        yield world, ready[1]
