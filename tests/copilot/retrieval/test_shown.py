"""The tools that a request is shown: never beyond the budget, never one that cannot run, never one twice."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copilot.engine import default_home
from copilot.retrieval import FIND_TOOLS, shown_tools
from copilot.retrieval.gate import possible, present, usable
from copilot.retrieval.index import Index
from copilot.retrieval.ranking import ALWAYS, MOST_PARTS, parts_of
from copilot.retrieval.remembered import FOLDER
from copilot.retrieval.schema import function_of, sent, short_function_of
from copilot.retrieval.shown import BUDGET_TOKENS, MORE_TOKENS, WHOLE, Shown, tools_for
from copilot.retrieval.tokens import count_tokens
from state.model import Artifact, Database, Layer, MapState, State, Tab
from tools.base import Step, Tool, World, tool
from tools.toolbox import toolbox

KINDS = ("loaded", "layer", "tab", "image", "table", "figure", "vector", "raster", "document")
WORDS = (
    "plot", "ships", "near", "Rotterdam", "from 2019", "as points,", "then", "histogram of", "undo", "and",
    "make the layer red;", "export", "open https://example.org", "ü🛰", "SELECT 1", "how many", "\n", "",
)  # fmt: skip
requests = st.one_of(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join), st.text(max_size=80))
has = st.frozensets(st.sampled_from(KINDS))


def names(shown: Shown) -> list[str]:
    return [each.name for each in shown.tools]


@settings(max_examples=20, deadline=None)
@given(requests, has, st.lists(requests, max_size=2), st.integers(400, 4000))
def test_the_budget_is_never_passed_and_every_tool_shown_can_run(
    request: str, has: frozenset[str], past: list[str], budget: int
) -> None:
    shown = tools_for(request, has, past, budget)
    assert count_tokens(sent(shown.functions)) <= shown.tokens <= budget
    assert possible(shown.tools, has) == set(names(shown))
    assert len(set(names(shown))) == len(names(shown))


@settings(max_examples=8, deadline=None)
@given(requests, st.lists(requests, min_size=1, max_size=4), has)
def test_more_keeps_to_its_budget_and_shows_no_tool_twice(
    request: str, queries: list[str], has: frozenset[str]
) -> None:
    shown = tools_for(request, has)
    seen = names(shown)
    for query in queries:
        shown = shown.more(query)
        assert count_tokens(sent(shown.functions)) <= shown.tokens <= MORE_TOKENS
        assert not set(seen) & set(names(shown))
        seen += names(shown)
        assert shown.seen == set(seen)


def test_asking_for_more_again_and_again_shows_every_tool_that_can_run() -> None:
    shown = tools_for("undo", frozenset(KINDS))
    seen = names(shown)
    while (shown := shown.more("another one")).tools:
        seen += names(shown)
    assert sorted(seen) == sorted(each.name for each in toolbox())


def test_the_best_are_shown_whole_and_the_others_in_short() -> None:
    shown = tools_for("plot ships near Rotterdam as points", frozenset({"loaded"}))
    usual, others = shown.tools[: len(ALWAYS)], shown.tools[len(ALWAYS) :]
    assert {each.name for each in usual} == set(ALWAYS) and len(others) > 2 * WHOLE
    assert shown.functions == [
        *(short_function_of(each) for each in usual),
        *(function_of(each) for each in others[:WHOLE]),
        *(short_function_of(each) for each in others[WHOLE:]),
        FIND_TOOLS,
    ]


def test_the_first_showing_ends_with_the_way_to_ask_for_more_and_later_ones_do_not() -> None:
    shown = shown_tools("plot ships", State())
    assert [each for each in shown.functions if each == FIND_TOOLS] == [FIND_TOOLS]
    assert FIND_TOOLS not in shown.more("a pie chart").functions


def test_what_more_is_asked_for_comes_first() -> None:
    shown = shown_tools("zoom to Paris", State())
    assert "pie_figure" not in names(shown)
    assert names(shown.more("a pie chart of the sensors"))[0] == "pie_figure"


@pytest.mark.parametrize(
    ("request_text", "wanted"),
    [
        ("undo that", {"undo"}),
        ("Plot airplanes near Pittsburgh from 2019", {"filter_class", "filter_coords", "filter_date"}),
        ("Plot airplanes near Pittsburgh from 2019 as points", {"scatter_plot"}),
        ("heat map of fmow, then export it as CSV and a notebook", {"heatmap_plot", "export_notebook"}),
        ("how far is it from Rome to Milan", {"measure_distance"}),
        ("SELECT count(*) FROM images", {"db_sql"}),
    ],
)  # fmt: skip
def test_a_request_is_shown_what_it_needs(request_text: str, wanted: set[str]) -> None:
    assert {*ALWAYS, *wanted} <= set(names(shown_tools(request_text, State())))


def test_a_tool_is_shown_only_where_what_it_needs_is_there_or_made_by_another() -> None:
    in_a_tab = State().with_ui(tabs=(Tab("https://example.org", "Example"),), active_tab=0)
    opens_none = Index(tuple(each for each in toolbox() if "tab" not in each.gives))
    asked = "go to the other tab"
    assert {"switch_tab", "open_tab"} <= set(names(shown_tools(asked, State())))
    assert "switch_tab" not in names(shown_tools(asked, State(), index=opens_none))
    assert "switch_tab" in names(shown_tools(asked, in_a_tab, index=opens_none))


def test_an_earlier_request_brings_its_tools_along() -> None:
    alone = names(shown_tools("and for the other one", State()))
    after = names(shown_tools("and for the other one", State(), ["pie chart of the sensors"]))
    assert alone[len(ALWAYS)] != "pie_figure"
    assert after[len(ALWAYS)] == "pie_figure"


def test_what_a_state_has_is_read_off_its_parts() -> None:
    layer = Layer("points", "Points", "points")
    artifact = Artifact("table-1", "table", "Counts", "2 rows", "test()")
    state = State(MapState(layers=(layer,)), Database(("fair1m",))).with_artifact(artifact)
    assert present(State()) == frozenset()
    assert present(state) == {"loaded", "layer", "table"}
    assert present(state.with_ui(selected_image="fair1m:1", tabs=(Tab("a", "b"),))) == {
        "loaded", "layer", "table", "image", "tab",
    }  # fmt: skip


def test_a_document_stands_for_the_vector_that_it_may_be() -> None:
    assert usable({"document"}) == {"document", "vector"}
    assert "add_vector_layer" in possible([toolbox().get("add_vector_layer")], {"document"})


def test_needs_are_met_through_a_chain_of_tools_and_not_by_a_circle() -> None:
    def made(name: str, needs: tuple[str, ...], gives: tuple[str, ...]) -> Tool:
        return Tool(name, "data", lambda state, world: Step(state, "Done."), needs=needs, gives=gives)

    chain = [made("c", ("b",), ()), made("b", ("a",), ("b",)), made("a", (), ("a",))]
    circle = [made("x", ("y",), ("x",)), made("y", ("x",), ("y",))]
    assert possible([*chain, *circle], frozenset()) == {"a", "b", "c"}


def test_a_new_tool_is_found_by_its_own_docstring_and_nothing_else_is_edited(tmp_path: Path) -> None:
    @tool("geotools")
    def count_sheep(state: State, world: World) -> Step:
        """Count the sheep of a pasture.

        Asked as: how many ewes graze here | tally the flock
        """
        return Step(state, "None.")

    before = Index(tuple(toolbox()))
    assert before.tokens and before.scores(["tally the flock"]).shape == (1, len(toolbox()))
    shutil.copytree(default_home() / FOLDER, tmp_path / FOLDER)
    index = Index((*toolbox(), count_sheep), tmp_path)
    assert names(tools_for("tally the flock", frozenset(), index=index))[len(ALWAYS)] == "count_sheep"


def test_a_request_is_taken_apart_at_its_joints_the_whole_first() -> None:
    assert parts_of("Load fair1m, plot it and zoom in; then undo") == [
        "Load fair1m, plot it and zoom in; then undo", "Load fair1m", "plot it", "zoom in", "undo",
    ]  # fmt: skip
    assert parts_of("  ") == ["nothing"]
    assert len(parts_of("plot it, " * 5 + ", ".join(f"part {n}" for n in range(99)))) == MOST_PARTS


def test_the_default_budget_is_the_published_one() -> None:
    assert BUDGET_TOKENS == 2500


def test_more_leaves_out_what_fits_far_less_than_the_best_and_names_what_was_shown_already() -> None:
    shown = tools_for("join my two tables", frozenset(KINDS))
    assert names(shown.more("Spearman correlation of two columns")) == ["correlation"]
    assert "join_tables" in shown.had("join a table by key")
