"""The measurement of tool retrieval: what it counts, and that the figure does not fall."""

from __future__ import annotations

import zlib
from pathlib import Path

from copilot.retrieval.measure import (
    Showing,
    Wanted,
    figures,
    is_held_out,
    measure,
    missed_tools,
    read_intents,
    read_requests,
)
from copilot.retrieval.shown import BUDGET_TOKENS
from tools.toolbox import toolbox

INTENT = """
[[intent]]
id = "ports"
request = ["Plot {class} near {city} since {year.start} in {color} of {set}", "{scene} of {word}"]
setup = [{ tool = "db_load", args = { names = ["fair1m"] } }]
calls = [
  { tool = "filter_class", args = {} },
  { tool = "scatter_plot", args = {} },
  { tool = "filter_class", args = {} },
]
[intent.slots]
class = "class"
city = "city@2"
year = "year"
scene = "scene"
set = "dataset:xview1,fair1m"
color = [{ say = "dark", is = "carto-dark" }]
word = ["one", "two"]
"""


def showing(tools: tuple[str, ...], shown: tuple[str, ...], tokens: int) -> Showing:
    return Showing(Wanted("id", "requests", False, "…", tools), shown, tokens)


def test_figures_count_requests_that_have_all_and_gold_tools_one_by_one() -> None:
    found = figures([showing(("a", "b"), ("b", "x", "a"), 900), showing(("a", "c"), ("a",), 700)])
    assert found == {
        "requests": 2, "gold_tools": 4, "all_shown": 0.5, "recall": 0.75,
        "recall_at": {"5": 0.75, "10": 0.75, "15": 0.75, "20": 0.75}, "tools": 2,
        "tokens": {"mean": 800, "median": 800, "p95": 700, "max": 900},
    }  # fmt: skip
    assert figures([]) == {}


def test_recall_at_k_looks_at_the_first_k_only() -> None:
    shown = tuple(f"t{number}" for number in range(30))
    found = figures([showing(("t4", "t5", "t14", "t19"), shown, 1)])
    assert found["recall_at"] == {"5": 0.25, "10": 0.5, "15": 0.75, "20": 1.0}


def test_missed_tools_are_counted_most_often_first() -> None:
    found = missed_tools([showing(("a", "b"), (), 1), showing(("b",), (), 1)])
    assert list(found.items()) == [("b", 2), ("a", 1)]


def test_an_intents_requests_are_filled_with_what_people_say(tmp_path: Path) -> None:
    (tmp_path / "ports.toml").write_text(INTENT, encoding="utf-8")
    first, second = read_intents(tmp_path)
    assert first.request == "Plot airplanes near Rotterdam since 2019 in dark of xview1"
    assert (second.id, second.request) == ("ports/2", "airports of one")
    assert (first.tools, first.has) == (("filter_class", "scatter_plot"), {"loaded"})


def test_half_of_the_intents_are_held_out_by_their_ids_alone() -> None:
    ids = {each.id.partition("/")[0] for each in read_intents()}
    held = {each for each in ids if is_held_out(each)}
    assert held == {each for each in ids if zlib.crc32(each.encode()) % 2}
    assert 0.35 < len(held) / len(ids) < 0.65


def test_gold_tools_exist_and_both_sources_have_both_halves() -> None:
    wanted = [*read_requests(), *read_intents()]
    assert {name for each in wanted for name in each.tools if name not in toolbox()} == set()
    assert {(each.source, each.held_out) for each in wanted} == {
        (source, held) for source in ("requests", "intents") for held in (False, True)
    }


def test_the_gold_tools_of_some_requests_are_shown_within_the_budget() -> None:
    showings = measure([*read_intents()[::60], *read_requests()[::60]])
    found = figures(showings)
    assert found["recall"] >= 0.9, missed_tools(showings)
    assert found["tokens"]["max"] <= BUDGET_TOKENS
