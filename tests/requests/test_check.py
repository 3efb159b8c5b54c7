"""Every operator of the checker can hold, and can fail."""

from __future__ import annotations

from typing import Any

import pytest

from tests.requests.check import OPERATORS, check
from tests.requests.matching import fold, same
from tests.requests.run import Run
from tests.suite.walking import walks

START: dict[str, Any] = {
    "map": {"center": [10.0, 25.0], "zoom": 2, "basemap": "offline", "layers": []},
    "database": {"loaded": [], "filters": {}, "count": 0},
    "ui": {"panels": [], "tabs": []},
    "artifacts": [],
}
SHOWN: dict[str, Any] = {
    "map": {
        "center": [-79.99, 40.44],
        "zoom": 9,
        "basemap": "osm",
        "layers": [
            {"id": "l1", "name": "Port watch", "kind": "clusters", "visible": True, "opacity": 0.4},
            {"id": "l2", "name": "Heat", "kind": "heatmap", "visible": False, "opacity": 1.0},
        ],
    },
    "database": {
        "loaded": ["fair1m", "xview1"],
        "filters": {
            "start": "2018-05-01",
            "place": "Pittsburgh, Pennsylvania",
            "bbox": [-80.47, 40.08, -79.52, 40.8],
            "center": [-79.996, 40.44],
            "radius_km": 40.0,
            "classes": ["vehicles", "Fishing Vessel"],
            "match": "any",
            "attributes": [
                {"field": "cloud_pct", "op": "<=", "value": 10},
                {"field": "event", "op": "in", "value": ["hurricane-michael"]},
            ],
        },
        "count": 1412,
    },
    "ui": {
        "panels": ["results"],
        "tabs": [{"url": "https://example.org", "title": "Example"}],
        "selected_image": "fair1m:0042",
        "question": {
            "text": "Which Springfield?",
            "choices": ["Springfield, Illinois", "Springfield, Missouri"],
        },
    },
    "artifacts": [{"id": "a1", "kind": "table"}],
}
SHOW = {
    "reply": "There are 1,412 images around Pittsburgh.",
    "outcome": "done",
    "state": SHOWN,
    "calls": [
        {"tool": "db_load", "args": {"names": ["fair1m", "xview1"]}, "ok": True},
        {"tool": "cluster_plot", "args": {"layer": "Port watch", "size": 6.0}, "ok": True},
        {"tool": "heatmap_plot", "args": {}, "ok": False},
    ],
}
COUNT_ONLY = {**SHOW, "reply": "Nothing changed.", "calls": []}
SHOWN_ONCE = Run(START, (SHOW,))
SHOWN_TWICE = Run(START, (SHOW, COUNT_ONLY))

CALL = {"tool": "cluster_plot"}
NEAR = {"bbox": [-80.5, 40.1, -79.5, 40.8], "tol_deg": 0.1}
CLOUD = {"field": "cloud_pct", "op": "<|<=", "value": 10}
EVENT = {"field": "event", "op": "=", "value": "Hurricane Michael"}

CASES: list[tuple[str, Any, Any]] = [  # operator, what holds after SHOW, what does not
    ("outcome", "done|asked", "rejected"),
    ("loaded", ["xview1", "fair1m"], ["fair1m"]),
    ("loaded_includes", ["fair1m"], ["fmow"]),
    ("start", ["2018-05-01", "2018-05-02"], None),
    ("end", None, "2018-05-31"),
    ("bbox_contains", [[-80.0, 40.4]], [[-80.0, 40.4], [0, 0]]),
    ("bbox_excludes", [[0, 0]], [[-80.0, 40.4]]),
    ("bbox_near", NEAR, {**NEAR, "tol_deg": 0.01}),
    ("bbox_max_size_deg", 1, 0.5),
    ("filter_near", {"at": [-80, 40.4], "km": 10}, {"at": [80, 40.4], "km": 10}),
    ("center_near", {"at": [-80, 40.4], "km": 10}, {"at": [40.4, -80], "km": 10}),
    ("radius_km", 40, 64.4),
    ("place_includes", "pittsburgh", "boston"),
    ("classes", ["fishing vessels|trawlers", "vehicle"], ["vehicles"]),
    ("classes_any_of", [["cars"], ["vehicles", "fishing vessel"]], [["cars"], ["vehicles"]]),
    ("classes_like", "vehicle|vessel", "vehicle"),
    ("match", "any", "all"),
    ("attributes", [EVENT, CLOUD], [CLOUD]),
    ("attributes_like", {"event": "harvey|michael"}, {"sensor": "michael"}),
    ("filters_absent", ["end", "geometry"], ["end", "start"]),
    ("filters_present", ["bbox"], ["bbox", "end"]),
    ("count", 1412, 1413),
    ("count_positive", True, False),
    ("layer_kinds", ["plot", "heatmap"], ["density"]),
    ("layer_kinds_exclude", ["points"], ["points", "clusters"]),
    ("layers", 2, 1),
    ("layer_names", ["port watch"], ["harvey"]),
    ("layer_visible", {"clusters": True, "heatmap": False}, {"heatmap": True}),
    ("layer_opacity", {"port watch": 0.4}, {"heatmap": 0.4}),
    ("zoom", 9, 8),
    ("zoom_min", 9, 10),
    ("zoom_delta", 7, "out"),
    ("moved", "north", "east"),
    ("basemap_includes", "openstreetmap|osm", "satellite"),
    ("panels_include", ["results"], ["trace"]),
    ("panels_exclude", ["trace"], ["results"]),
    ("tabs_include", ["example.org"], ["nasa.gov"]),
    ("artifacts_kinds_include", ["table|figure"], ["figure"]),
    ("tools_include", ["db_load", "scatter_plot|cluster_plot"], ["heatmap_plot"]),
    ("tools_exclude", ["db_sql"], ["heatmap_plot"]),
    ("tools_any", [["db_sql"], ["db_load", "cluster_plot"]], [["db_load", "heatmap_plot"], ["db_sql"]]),
    ("calls_include", [{**CALL, "args": {"size": 6}}], [{**CALL, "args": {"size": 7}}]),
    ("reply_includes", ["boston|pittsburgh"], ["pittsburgh", "boston"]),
    ("reply_matches_count", True, False),
    ("question_choices_min", 2, 3),
    ("question_mentions", ["Illinois|IL"], ["Ohio"]),
    ("selected_image_set", True, False),
    ("selected_image_includes", "0042", "0043"),
    ("state_unchanged", False, True),
    ("selection_unchanged", False, True),
    ("state_equals_turn", 1, 0),
    ("any_of", [{"zoom": 1}, {"zoom": 9}], [{"zoom": 1}, {"zoom": 2}]),
]  # fmt: skip


@walks("name, right, wrong", CASES)
def test_an_operator_holds_where_it_should_and_says_why_where_it_does_not(
    name: str, right: Any, wrong: Any
) -> None:
    assert check({name: right}, SHOWN_ONCE) == []
    found = OPERATORS[name](SHOWN_ONCE, wrong)
    assert found, f"{name} cannot fail"


def test_every_operator_has_a_case() -> None:
    assert {name for name, _, _ in CASES} == set(OPERATORS)


@pytest.mark.parametrize("name", ["state_unchanged", "selection_unchanged"])
def test_a_turn_that_changes_nothing_leaves_the_state_unchanged(name: str) -> None:
    assert check({name: True, "state_equals_turn": 1}, SHOWN_TWICE) == []
    assert OPERATORS[name](SHOWN_TWICE, False) is not None


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("bbox_contains", [[0, 0]]),
        ("bbox_excludes", [[0, 0]]),
        ("bbox_near", {"bbox": [0, 0, 1, 1], "tol_deg": 1}),
        ("bbox_max_size_deg", 360),
        ("filter_near", {"at": [0, 0], "km": 30000}),
        ("radius_km", 40),
        ("classes_like", "vessel"),
        ("layer_visible", {"heatmap": False}),
        ("layer_opacity", {"heatmap": 0.8}),
    ],
)
def test_what_is_not_there_never_passes(name: str, wanted: Any) -> None:
    nothing = {"reply": "", "outcome": "done", "calls": [], "state": START}
    assert OPERATORS[name](Run(START, (nothing,)), wanted) is not None


def test_the_outcome_must_be_done_unless_another_is_named() -> None:
    refused = Run(START, ({**SHOW, "outcome": "rejected"},))
    assert check({}, refused) == ["outcome is rejected, not done"]
    assert check({"outcome": "rejected"}, refused) == []


def test_an_unknown_operator_is_an_error_and_not_a_pass() -> None:
    with pytest.raises(KeyError):
        check({"colour": "red"}, SHOWN_ONCE)


@pytest.mark.parametrize("said", ["1412", "1 412", "1,412", "1.412", "1\u202f412", "It is 1,412."])
def test_a_count_may_be_written_with_any_separator(said: str) -> None:
    run = Run(START, ({**SHOW, "reply": said},))
    assert check({"reply_matches_count": said != "1.412"}, run) == []


@pytest.mark.parametrize("said", ["11,412", "1,4120", "141", "1,412,000", "1,412.5"])
def test_a_longer_number_is_not_the_count(said: str) -> None:
    assert check({"reply_matches_count": False}, Run(START, ({**SHOW, "reply": said},))) == []


def test_a_box_over_the_antimeridian_holds_what_lies_on_both_sides() -> None:
    state = {**START, "database": {"loaded": [], "filters": {"bbox": [176, -20, -178, -15]}, "count": 0}}
    run = Run(START, ({**SHOW, "state": state},))
    held = {"bbox_contains": [[178, -18], [-179, -18]], "bbox_excludes": [[0, -18]], "bbox_max_size_deg": 6}
    assert check({**held, "filter_near": {"at": [179, -17.5], "km": 1}}, run) == []


def test_names_are_folded_and_numbers_are_not_rounded_away() -> None:
    assert fold("Côte-d'Ivoire") == fold("cote d'ivoire")
    assert same("golf courses", "golf_course")
    assert not same("car", "cargo")
    assert not same(1, True)
    assert not same(10, 11)
