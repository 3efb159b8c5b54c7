"""The stamp: what it depends on, and which scores may stand side by side."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from copilot.bench.build.stamp import Stamp, comparable, stamp_of
from copilot.bench.spread import Bench
from tests.copilot.bench.build.small_intents import small_intents
from tools.toolbox import Toolbox, toolbox


def stamp(bench: Bench, **changes: Any) -> Stamp:
    parts: dict[str, Any] = {
        "intents": small_intents(),
        "toolbox": toolbox(),
        "infos": bench.world.catalogue.datasets(),
        "size": 500,
        "seed": 0,
        "split": "all",
        **changes,
    }
    return stamp_of(**parts)


def test_the_same_parts_give_the_same_stamp_and_a_stamp_can_be_written_and_read(bench: Bench) -> None:
    assert stamp(bench) == stamp(bench)
    assert Stamp.from_json(stamp(bench).to_json()) == stamp(bench)
    assert stamp(bench).version.startswith("500-all-0-")


def test_every_part_that_differs_gives_another_version_and_is_told(bench: Bench) -> None:
    intents = small_intents()
    own = stamp(bench)
    others = {
        "These are other tasks: they differ in the hand-written intents.": {"intents": intents[1:]},
        "These are other tasks: they differ in the tools or their arguments.": {
            "toolbox": Toolbox(tuple(toolbox())[1:])
        },
        "These are other tasks: they differ in the catalogue.": {
            "infos": bench.world.catalogue.datasets()[1:]
        },
        "These are other tasks: they differ in the size and the seed.": {"size": 10_000, "seed": 1},
        "These are other tasks: they differ in the half of the intents.": {"split": "dev"},
        "These are other tasks: they differ in the model that worded the requests.": {"paraphrased": "m"},
        "These are other tasks: they differ in the agents that had a vote.": {"agents": ["react"]},
    }
    for said, changes in others.items():
        other = stamp(bench, **changes)
        assert comparable(own, other) == said
        assert other.version != own.version
    assert comparable(own, replace(own)) == ""


def test_a_wording_more_is_another_version(bench: Bench) -> None:
    first, *rest = small_intents()
    more = replace(first, requests=(*first.requests, "{class} {city} {year} {color} {dataset}"))
    assert stamp(bench, intents=[more, *rest]).version != stamp(bench).version
