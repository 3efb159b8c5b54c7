"""Whether calls would work, tried on a copy."""

from __future__ import annotations

from copilot.bench.build.example_files import FOLDER
from copilot.engine import Engine
from copilot.language.trial import trial
from copilot.planner.situation import Call
from copilot.session import Session

LOAD = Call("db_load", {"names": ["fmow"]})


def test_calls_that_work_are_told_from_those_that_do_not_and_nothing_is_changed(engine: Engine) -> None:
    session = Session.open(name="trial", engine=engine)
    failure = trial(session)
    before = (session.state, session.events)
    assert failure([LOAD, Call("db_count"), Call("scatter_plot")]) == ""
    assert failure([Call("db_count")]).startswith("No data set is loaded")
    assert failure([LOAD, Call("remove_layer", {"layer": "no such layer"})]).startswith("There is no layer")
    assert failure([Call("no_such_tool")]) == "There is no tool 'no_such_tool'."
    assert failure([]) == ""
    assert (session.state, session.events) == before


def test_what_an_earlier_call_makes_is_there_for_a_later_one(engine: Engine) -> None:
    session = Session.open(name="trial", engine=engine)
    counted = [LOAD, Call("group_count", {"by": "class"})]
    assert trial(session)([*counted, Call("sort_table", {"table": "@2.made", "by": "count"})]) == ""
    assert session.state.artifacts == ()


def test_a_trial_ends_where_heavy_computing_or_the_outside_begins(engine: Engine) -> None:
    session = Session.open(name="trial", engine=engine)
    brought = session.call("add_file", file=str(FOLDER / "town_before.tif"))
    assert brought.ok, brought.text
    failure = trial(session)
    for begins in (
        Call("web_search", {"query": "floods"}),
        Call("road_extraction", {"image": "town_before"}),
    ):
        assert failure([begins, Call("no_such_tool")]) == ""
    assert "no such image" in failure([Call("road_extraction", {"image": "no such image"})])


def test_a_review_of_a_detection_that_there_is_works_and_of_another_does_not(engine: Engine) -> None:
    session = Session.open(name="trial", engine=engine)
    for tool, arguments in (
        ("add_file", {"file": str(FOLDER / "airfield.tif")}),
        ("optical_detection", {"image": "airfield", "classes": ["plane"]}),
    ):
        done = session.call_tool(tool, arguments)
        assert done.ok, done.text
    failure = trial(session)
    assert failure([Call("review_detection", {"verdict": "confirm", "detection_id": 1})]) == ""
    assert "10000" in failure([Call("review_detection", {"verdict": "confirm", "detection_id": 10_000})])
