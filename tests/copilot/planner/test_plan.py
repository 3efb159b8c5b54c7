"""Plans of whole requests."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from copilot.engine import Engine
from copilot.planner.situation import Call
from tests.copilot.planner.asked import last_calls, planned, tools
from tests.requests.records import read_requests
from tests.requests.runner import FOLDER

WORDS = sorted({word for request in read_requests(FOLDER) for turn in request.turns for word in turn.split()})


def test_a_request_of_bare_parts_is_one_plot_at_its_end(engine: Engine) -> None:
    assert tools("ships; Rotterdam; 2019", engine)[-1:] == ["cluster_plot"]
    assert tools("ships; Rotterdam; 2019", engine).count("cluster_plot") == 1


def test_a_kind_of_plot_said_later_replaces_the_default_one(engine: Engine) -> None:
    found = tools("fair1m around Chicago, as a heat map", engine)
    assert "heatmap_plot" in found and "cluster_plot" not in found


def test_counting_what_is_selected_does_not_plot_it(engine: Engine) -> None:
    assert not any(
        tool.endswith("_plot") for tool in tools("load fair1m. Keep 2019. How many are left?", engine)
    )


def test_the_impossible_part_of_a_request_is_told_and_the_rest_done(engine: Engine) -> None:
    plan = planned("show fair1m near Chicago and predict tomorrow's traffic", engine)
    assert [call.tool for call in plan.calls][-1] == "cluster_plot"
    assert any("can't predict" in note for note in plan.notes)


def test_a_question_in_a_later_part_keeps_what_came_before(engine: Engine) -> None:
    found = tools("load fair1m, then set the basemap", engine)
    assert found == ["db_load", "ask_user"]


def test_two_places_are_compared_one_after_the_other(engine: Engine) -> None:
    found = planned("compare Rome and Milan in fair1m", engine).calls
    assert [call.tool for call in found if call.tool in ("filter_coords", "db_count")] == [
        "filter_coords",
        "db_count",
        "filter_coords",
        "db_count",
    ]


@pytest.mark.parametrize("question", ["why is the map empty?", "what did the last step do?"])
def test_a_question_changes_nothing(question: str, engine: Engine) -> None:
    assert not {"undo", "clear_layers", "filter_clear"} & set(tools(question, engine))


def test_nothing_can_be_undone_in_a_new_session(engine: Engine) -> None:
    assert tools("undo", engine) == ["reject_task"]


def test_short_words_mean_the_layer_that_is_there(engine: Engine) -> None:
    turns = ["plot fair1m as points", "hide it", "show it again"]
    assert last_calls(turns, engine) == [("show_layer", {"layer": "points"})]


def test_adding_a_year_widens_the_range(engine: Engine) -> None:
    turns = ["fair1m in 2018", "and 2019 as well"]
    assert ("filter_date", {"start": "2018-01-01", "end": "2019-12-31"}) in last_calls(turns, engine)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(request=st.one_of(st.text(max_size=80), st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join)))
def test_no_text_makes_the_planner_fail(request: str, engine: Engine) -> None:
    plan = planned(request, engine)
    assert plan.calls or plan.notes or plan.talk


def test_a_quoted_name_stays_one_and_a_quoted_column_is_read(engine: Engine) -> None:
    named = planned('fmow in Kenya as points named "Train" in green', engine)
    assert named.calls[-1].args == {"color": "green", "name": "Train"}
    compared = planned('filter by "cloud_pct" <= 5', engine)
    assert Call("filter_attribute", {"field": "cloud_pct", "op": "<=", "value": 5.0}) in compared.calls
