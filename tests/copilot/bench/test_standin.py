"""The stand-in for the web: web tools ask it in the benchmark, and nobody else does."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from copilot.bench.build.intents import load_intents
from copilot.bench.check.play import Player
from copilot.bench.run.work import _reading_tools
from copilot.bench.standin import CATEGORIES, in_place, standing_in
from copilot.bench.task import GoldCall
from data.web.services import SEARXNG, STAC
from state.model import State
from tests.tools.world import small_world
from tools.run import run_call
from tools.toolbox import Toolbox, toolbox


@pytest.fixture
def player(small_catalogue: Path, tmp_path: Path) -> Iterator[Player]:
    """A player whose catalogue could be written to."""
    world = replace(small_world(small_catalogue, tmp_path), catalogue_root=tmp_path / "catalogue")
    found = Player(world)
    yield found
    found.close()


def test_a_gold_that_reads_a_page_is_answered_by_the_stand_in(player: Player):
    url = "http://harbour.example/flood.html"
    first = player.play((GoldCall("read_page", {"url": url}),))
    assert first.steps[0].data["title"] == "Flood on the lower river"
    assert player.play((GoldCall("read_page", {"url": url}),)).steps == first.steps


def test_a_gold_never_writes_to_the_catalogue(player: Player, tmp_path: Path):
    search = GoldCall("stac_search", {"place": "Rotterdam", "start": "2024-05", "end": "2024-05"})
    done = player.play((search, GoldCall("stac_load", {})))
    assert [each.ok for each in done.steps] == [True, False]
    assert "cannot be written from here" in done.steps[1].text
    assert not (tmp_path / "catalogue").exists()


def test_the_stand_in_is_in_place_for_its_block_and_its_thread_alone():
    seen: list[str | None] = []
    with in_place():
        inside = (SEARXNG.address, STAC.address)
        thread = threading.Thread(target=lambda: seen.append(SEARXNG.address))
        thread.start()
        thread.join()
    assert inside == ("http://search.example", "http://stac.example/v1")
    assert (seen, SEARXNG.address) == ([None], None)


def test_agents_of_the_benchmark_ask_the_stand_in_and_see_the_same_tools(
    small_catalogue: Path, tmp_path: Path
):
    tools = _reading_tools()
    for name in (each.name for each in toolbox() if each.category in CATEGORIES):
        ours, own = tools.get(name), toolbox().get(name)
        assert (ours.schema, ours.summary, ours.phrases) == (own.schema, own.summary, own.phrases)
    world = small_world(small_catalogue, tmp_path)
    step = run_call(tools, State(), world, "wikipedia_page", {"title": "Suez Canal"})
    assert step.data["url"] == "http://wiki.example/en/wiki/Suez_Canal"


def test_beyond_the_stand_in_s_hosts_nothing_is_reached(small_catalogue: Path, tmp_path: Path):
    world = small_world(small_catalogue, tmp_path)
    tools = Toolbox((standing_in(toolbox().get("read_page")),))
    step = run_call(tools, State(), world, "read_page", {"url": "http://127.0.0.1:8000/"})
    assert step.failed and "private or reserved network" in step.observation


def test_every_web_tool_is_in_a_gold():
    used = {call.tool for each in load_intents() for call in (*each.setup, *each.calls)}
    assert {each.name for each in toolbox() if each.category in CATEGORIES} <= used
