"""From examples to a policy that reads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from copilot.bench.build.steady import steady_player, steady_world
from copilot.bench.task import TODAY
from copilot.engine import Engine, default_engine
from copilot.language.bank.example import example_of
from copilot.language.frame import Step
from copilot.language.grammar import Vocabulary
from copilot.language.learning.__main__ import lessons_of
from copilot.language.learning.learn import Begun, Machine, learn
from copilot.language.learning.lessons import Read, read_records
from copilot.language.learning.material import Material, material_of
from copilot.language.learning.records import of_tasks, records
from copilot.language.learning.train import Checkpoints, Course
from copilot.language.new_tools import Leaflets
from copilot.language.policy import Known, Learned, Policy, parts_of, tokenizer
from copilot.language.schema import schema_of
from copilot.language.view import Past
from copilot.planner.encoder import DIMENSIONS, model_folder, read_weights
from copilot.planner.head import shared_encoder
from tests.copilot.language.said import shown, tools
from tools.toolbox import Toolbox, toolbox

TALK = example_of(
    {
        "id": "talk-1",
        "voice": "a visitor",
        "setup": [["add_file", {"file": "dem.tif"}]],
        "turns": [
            {"say": "slope of dem and its statistics", "calls": [
                ["slope", {"raster": "dem"}], ["raster_stats", {"raster": "Slope of dem"}]]},
            {"say": "undo that", "calls": [["undo", {}]]},
        ],
    }
)  # fmt: skip


def _read() -> list[Read]:
    engine = Engine.in_memory(default_engine().catalogue_address, today=TODAY)
    found = records([TALK], steady_player(steady_world(engine)))
    read = read_records(found, schema_of(toolbox()), engine.catalogue, engine.gazetteer, TODAY)
    return [each for each in read if isinstance(each, Read)]


def test_a_turn_is_read_with_what_came_before_it_and_what_its_calls_make() -> None:
    first, second = _read()
    assert second.record.past == (Past(TALK.turns[0].say, first.record.calls),)
    assert [step.tool for step in first.frame] == ["slope", "raster_stats"]
    assert second.frame == (Step("undo"),)


def test_a_task_of_the_benchmark_is_an_example_of_one_turn() -> None:
    call = {"tool": "zoom_map", "args": {"level": 3}}
    task = {"id": "t", "intent": "zoom", "request": "zoom to 3", "calls": [call], "setup": []}
    (example,) = of_tasks([task])
    assert (example.voice, [turn.say for turn in example.turns]) == ("benchmark, zoom", ["zoom to 3"])


def test_what_is_learned_is_kept_in_a_file_to_a_step_of_a_byte_in_each_row(tmp_path: Path) -> None:
    lessons = list(lessons_of([TALK], Engine.in_memory(default_engine().catalogue_address, today=TODAY)))
    material_of(lessons, lessons, toolbox(), shared_encoder()).keep(tmp_path / "material")
    learned, found = learn(
        Material.load(tmp_path / "material"),
        read_weights(model_folder() / "model.safetensors"),
        tokenizer(),
        Course(1),
        Machine(),
        Checkpoints(tmp_path / "policy.checkpoint", 1),
        told=lambda _: None,
    )
    learned.save(tmp_path / "policy.npz")
    again = Learned.load(tmp_path / "policy.npz")
    assert 0 <= found <= 1
    assert (again.keys, again.tags, again.known.tools) == (
        learned.keys,
        learned.tags,
        learned.known.tools,
    )
    assert set(again.weights) == set(learned.weights)
    for name, values in learned.weights.items():
        largest = np.abs(values).max(axis=-1, keepdims=True)
        assert (np.abs(again.weights[name] - values) <= largest / 250 + 1e-3).all()
    scored = Policy(again, shared_encoder(), toolbox()).frames(_read()[1].shown)
    assert all(np.isfinite(each.log_probability) for each in scored)


def test_what_goes_on_from_a_policy_keeps_what_that_knew_adds_what_is_fresh_and_can_leave_layers() -> None:
    first, second = lessons_of([TALK], Engine.in_memory(default_engine().catalogue_address, today=TODAY))
    published, course = read_weights(model_folder() / "model.safetensors"), Course(1)

    def quiet(said: str) -> None:
        """What is said while it learns is not looked at."""

    begun, _ = learn(
        material_of([first], [], toolbox(), shared_encoder()),
        published,
        tokenizer(),
        course,
        Machine(),
        told=quiet,
    )
    more = material_of([second, first], [], toolbox(), shared_encoder(), 1, begun)
    on, _ = learn(more, published, tokenizer(), course, Machine(), begun=Begun(begun, mean=0.0), told=quiet)
    assert (on.known.tools, on.coverage) == ((*begun.known.tools, second.tools), begun.coverage)
    for name, values in begun.weights.items():
        if name != "own.weight":
            np.testing.assert_array_equal(on.weights[name], values)
    held = Begun(begun, still=3)
    on, _ = learn(more, published, tokenizer(), course, Machine(), begun=held, told=quiet)
    others = {name: values for name, values in begun.weights.items() if name != "own.weight"}
    moved = {name for name, values in others.items() if (on.weights[name] != values).any()}
    assert not any(name.startswith(("enc.0", "enc.1", "enc.2", "tag", "seg")) for name in moved)
    assert any(name.startswith("enc.3") for name in moved)


def test_a_tool_is_as_wanted_as_the_most_alike_request_that_wants_it() -> None:
    vectors = np.eye(2, dtype=np.float32)
    known = Known(vectors, (("slope",), ("slope", "undo")))
    cosines = known.cosines(np.array([0.6, 0.8], np.float32))
    assert sorted(known.nearest(cosines, 1)) == [(pytest.approx(0.8), frozenset({"slope", "undo"}))]
    names = ("slope", "undo", "redo")
    likeness = known.likeness(cosines, names)
    assert likeness.tolist() == pytest.approx([0.8, 0.8, 0])
    without = known.likeness(cosines, names, np.array([False, True]))
    assert without.tolist() == pytest.approx([0.6, 0, 0])


def test_a_request_is_held_against_phrases_part_by_part() -> None:
    said = shown("slope of dem, then: undo it. Now")
    assert parts_of(said) == ["slope of dem, then: undo it. Now", "slope of dem", "undo it"]
    leaflets = Leaflets(toolbox(), shared_encoder(), tokenizer())
    vectors = shared_encoder().encode(parts_of(said))
    apart = np.stack([leaflets.likeness(vectors[n : n + 1]) for n in range(len(vectors))])
    np.testing.assert_allclose(leaflets.likeness(vectors), apart.max(axis=0), atol=1e-6)


def test_a_tool_that_is_new_or_never_wanted_leaves_the_others_their_vectors() -> None:
    every = tuple(toolbox())
    before = Vocabulary(schema_of(Toolbox(every[1:])), {})
    vectors = np.arange(before.size * DIMENSIONS, dtype=np.float32).reshape(-1, DIMENSIONS)
    known = Known(np.zeros((1, DIMENSIONS), np.float32), (before.tools[1:],))
    learned = Learned({"own.weight": vectors}, before.keys, (), {}, known)
    after = Vocabulary(schema_of(toolbox()), learned.literals)
    rows = dict(zip(after.keys, learned.own(after), strict=True))
    new = {f"tool {every[0].name}", f"tool {before.tools[0]}"}
    assert all((rows[key] == 0).all() for key in new)
    kept = dict(zip(before.keys, vectors, strict=True))
    assert all((rows[key] == vector).all() for key, vector in kept.items() if key not in new)


def test_a_tool_that_no_example_wants_is_never_learned_to_be_wrong() -> None:
    hidden = Vocabulary(tools(), {}, {"slope"})
    begins = hidden.beginnings[1 : hidden.first_name]
    assert dict(zip(hidden.tools, begins, strict=True)) == {name: name != "slope" for name in hidden.tools}
