"""Each kind of error, put into a run that is right otherwise, is found by its check and by no other.

Some are played for real; others are written into the record of a right run, where in the real world one
error brings the next (a filter with a wrong argument leaves a wrong selection).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import pytest

from copilot.bench.check import CHECKS, Gold, Made, Player, Run, Settings, check, gold_of
from copilot.bench.check.aspects import ASPECTS
from copilot.bench.check.ends import GRADES
from copilot.bench.task import GoldCall, Task
from state.codec import from_json, to_json
from state.model import UI, Attribute, Database, Filters, Geometry, Layer, MapState, Question, State
from tests.copilot.bench import check_tasks as tasks
from tests.copilot.bench.check_tasks import call
from tests.suite.walking import walks

TO_THE_LETTER = Settings(by_effect=False)
Inject = Callable[[Player, Gold], Run]


def played(player: Player, gold: Gold, *calls: GoldCall) -> Run:
    """The right run's reply after other calls."""
    done = player.play(calls, player.begin(gold.task.setup))
    return replace(gold.oracle(), calls=done.steps, state=to_json(done.state))


def with_more(*more: GoldCall) -> Inject:
    """The gold calls, and some after them."""
    return lambda player, gold: played(player, gold, *gold.task.calls, *more)


def with_call(number: int, wanted: GoldCall) -> Inject:
    """The gold calls with another in the place of one."""

    def inject(player: Player, gold: Gold) -> Run:
        calls = list(gold.task.calls)
        calls[number] = wanted
        return played(player, gold, *calls)

    return inject


def without_call(number: int) -> Inject:
    """The gold calls without one."""
    return lambda player, gold: played(
        player, gold, *gold.task.calls[:number], *gold.task.calls[number + 1 :]
    )


def recorded(number: int, **changes: Any) -> Inject:
    """The right run with something else on record for one of its calls."""

    def inject(player: Player, gold: Gold) -> Run:
        calls = list(gold.oracle().calls)
        calls[number] = replace(calls[number], **changes)
        return replace(gold.oracle(), calls=tuple(calls))

    return inject


def ending(change: Callable[[State], State]) -> Inject:
    """The right run, but the state at its end is another."""

    def inject(player: Player, gold: Gold) -> Run:
        run = gold.oracle()
        state = change(from_json(run.state))
        assert to_json(state) != run.state, "nothing was injected"
        return replace(run, state=to_json(state))

    return inject


def saying(reply: str) -> Inject:
    return lambda player, gold: replace(gold.oracle(), reply=reply)


def ended(outcome: Any) -> Inject:
    return lambda player, gold: replace(gold.oracle(), outcome=outcome)


def layer(number: int = 0, **changes: Any) -> Callable[[State], State]:
    """The state with one layer changed."""

    def change(state: State) -> State:
        layers = list(state.map.layers)
        layers[number] = replace(layers[number], **changes)
        return state.with_map(layers=tuple(layers))

    return change


def filtered(**changes: Any) -> Callable[[State], State]:
    """The state with other filters, which the live layers follow."""

    def change(state: State) -> State:
        database = state.database
        return state.with_database(replace(database, filters=replace(database.filters, **changes)))

    return change


def database(**changes: Any) -> Callable[[State], State]:
    return lambda state: state.with_database(replace(state.database, **changes))


def on_map(**changes: Any) -> Callable[[State], State]:
    return lambda state: state.with_map(**changes)


def on_ui(**changes: Any) -> Callable[[State], State]:
    return lambda state: state.with_ui(**changes)


def one_fewer_building(data: dict[str, Any]) -> dict[str, Any]:
    groups = [{**each, "count": each["count"] - (each["key"] == "Building")} for each in data["groups"]]
    return {**data, "groups": groups}


def wrong_count(player: Player, gold: Gold) -> Run:
    counted = gold.oracle().calls[1]
    return recorded(1, data=one_fewer_building(counted.data))(player, gold)


def box(east: float) -> Geometry:
    ring = ((4.0, 51.8), (east, 51.8), (east, 52.0), (4.0, 52.0), (4.0, 51.8))
    return Geometry("Polygon", (ring,))


ERRORS: list[tuple[str, str | None, Task, Inject]] = [
    # tools
    ("a tool that is not there", "valid_tools", tasks.UI, with_more(call("paint_map"))),
    ("an argument that is not there", "valid_tools", tasks.UI, with_more(call("db_count", colour="red"))),
    ("a value of a wrong type", "valid_tools", tasks.UI, with_more(call("top_n", by="detections", n="lots"))),
    ("a handle that is not there", "valid_tools", tasks.UI, with_more(call("hide_layer", layer="ships"))),
    ("a call that cannot be read", "valid_tools", tasks.UI, lambda player, gold: replace(
        gold.oracle(), malformed=1)),
    ("a needless question to the catalogue", "needed_tools", tasks.UI, with_more(call("db_list"))),
    ("a call made twice", "needed_tools", tasks.MEASURE, with_more(tasks.MEASURE.calls[0])),
    ("the camera moved, where nobody looks at it", None, tasks.UI, with_more(call("zoom_map", place="Lyon"))),
    ("the camera moved twice, where it matters", "needed_tools", tasks.CAMERA, lambda player, gold: played(
        player, gold, call("zoom_map", place="Lagos"), *gold.task.calls)),
    ("a detour that was undone", "needed_tools", tasks.UI, with_more(
        call("toggle_control", control="minimap"), call("toggle_control", control="minimap"))),
    ("an answering call left out", "missed_tools", tasks.MEASURE, without_call(1)),
    ("a saving call left out", "missed_tools", tasks.UNDO, without_call(1)),
    # reply, output, outcome
    ("a wrong number in the reply", "reply_numbers", tasks.FILTER_PLOT, saying("4 images.")),
    ("no number in the reply", "reply_numbers", tasks.FILTER_PLOT, saying("Some images.")),
    ("one of two numbers wrong", "reply_numbers", tasks.TABLE_AND_FIGURE,
     saying("Gaofen-2 has 5 images and WorldView-3 8.")),
    ("a number of the request that is not said back", None, tasks.CLOUD,
     saying("The mean is 23.04 %, and 5 images have no more than that.")),
    ("a refusal without the number that another gave", None, tasks.REJECT,
     saying("Sorry: there are no images of the Moon in here.")),
    ("other words in the reply", "reply_words", tasks.UI, saying("Hello, is it me you're looking for?")),
    ("a wrong count in the output", "output", tasks.COUNT_CLASSES, wrong_count),
    ("a session saved under another name", None, tasks.UNDO,
     with_call(1, call("save_session", name="port study"))),
    ("a question where an answer was due", "outcome", tasks.UI, ended("asked")),
    ("an answer where a question was due", "outcome", tasks.ASK, ended("done")),
    ("an answer where a refusal was due", "outcome", tasks.REJECT, ended("done")),
    ("a turn that failed", "outcome", tasks.UI, ended("failed")),
    # database
    ("another data set", "database", tasks.FILTER_PLOT, ending(database(loaded=("fair1m",)))),
    ("another data set beside it", "database", tasks.FILTER_PLOT,
     ending(database(loaded=("fair1m", "xview1")))),
    ("another last day", "database", tasks.FILTER_PLOT, ending(filtered(end="2018-12-30"))),
    ("another class", "database", tasks.FILTER_PLOT, ending(filtered(classes=("Bus",)))),
    ("one class too many", "database", tasks.FILTER_PLOT, ending(filtered(classes=("vehicles", "Bus")))),
    ("no place", "database", tasks.FILTER_PLOT,
     ending(filtered(place=None, bbox=None, center=None, radius_km=None))),
    ("a wider circle", "database", tasks.FILTER_PLOT, ending(filtered(radius_km=41.0))),
    ("a hardly wider circle", None, tasks.FILTER_PLOT, ending(filtered(radius_km=40.3))),
    ("a box around the circle, a little wider", None, tasks.FILTER_PLOT,
     ending(filtered(bbox=(-80.49, 40.06, -79.5, 40.82)))),
    ("another box", "database", tasks.FILTER_PLOT,
     ending(filtered(center=None, radius_km=None, bbox=(-80.49, 40.06, -79.5, 40.82)))),
    ("the place under another name", None, tasks.FILTER_PLOT, ending(filtered(place="Steel City"))),
    ("another attribute", "database", tasks.CLOUD,
     ending(filtered(attributes=(Attribute("gsd_m", "<=", 10.0),)))),
    ("another comparison", "database", tasks.CLOUD,
     ending(filtered(attributes=(Attribute("cloud_pct", "<", 10.0),)))),
    ("a value off by more than epsilon", "database", tasks.CLOUD,
     ending(filtered(attributes=(Attribute("cloud_pct", "<=", 10.2),)))),
    ("a value off by less than epsilon", None, tasks.CLOUD,
     ending(filtered(attributes=(Attribute("cloud_pct", "<=", 10.05),)))),
    # map
    ("another kind of layer", "map", tasks.FILTER_PLOT, ending(layer(kind="heatmap"))),
    ("another colour", "map", tasks.FILTER_PLOT, ending(layer(color="#00ff00"))),
    ("a hidden layer", "map", tasks.FILTER_PLOT, ending(layer(visible=False))),
    ("another opacity", "map", tasks.FILTER_PLOT, ending(layer(opacity=0.5))),
    ("another size", "map", tasks.FILTER_PLOT, ending(layer(size=12.0))),
    ("another option", "map", tasks.FILTER_PLOT, ending(layer(options=(("by", "month"),)))),
    ("a layer that shows something else", "map", tasks.TWO_LAYERS, ending(layer(1, query=None))),
    ("another name where one was given", "map", tasks.CAMERA, ending(layer(name="Boats"))),
    ("another name where none was given", None, tasks.FILTER_PLOT, ending(layer(name="Vehicles"))),
    ("a layer's given name in capitals", None, tasks.CAMERA, ending(layer(name="SHIPS"))),
    ("no layer", "map", tasks.FILTER_PLOT, ending(on_map(layers=()))),
    ("one layer more", "map", tasks.FILTER_PLOT, ending(
        lambda state: state.with_layer(Layer("x", "X", "drawing", geometry=box(4.6))))),
    ("layers in another order, where it matters", "map", tasks.TWO_LAYERS, ending(
        lambda state: state.with_map(layers=state.map.layers[::-1]))),
    ("drawings in another order, where it does not", None, tasks.DRAWINGS, ending(
        lambda state: state.with_map(layers=state.map.layers[::-1]))),
    ("a drawing off by more than epsilon", "map", tasks.DRAWINGS, ending(layer(0, geometry=box(4.62)))),
    ("a drawing off by less than epsilon", None, tasks.DRAWINGS, ending(layer(0, geometry=box(4.605)))),
    ("another base map", "map", tasks.FILTER_PLOT, ending(on_map(basemap="osm"))),
    ("a control left out", "map", tasks.DRAWINGS, ending(on_map(controls=("legend", "scale_bar")))),
    ("a swipe bar too many", "map", tasks.TWO_LAYERS, ending(on_map(swipe=("heatmap", "before")))),
    ("the camera elsewhere, where it was moved", "map", tasks.CAMERA, ending(on_map(center=(4.9, 45.75)))),
    ("another zoom, where it was set", "map", tasks.CAMERA, ending(on_map(zoom=11.0))),
    ("a hardly moved camera", None, tasks.CAMERA, ending(on_map(center=(4.855, 45.745), zoom=10.05))),
    ("the camera elsewhere, where nobody moved it", None, tasks.UI, ending(on_map(center=(0.0, 0.0)))),
    # user interface
    ("another page", "ui", tasks.UI, ending(on_ui(page="help"))),
    ("a panel left closed", "ui", tasks.UI, ending(on_ui(panels=()))),
    ("another panel in front", "ui", tasks.UI, ending(on_ui(panels=("layers", "results")))),
    ("a panel nobody asked for", "ui", tasks.UI, ending(on_ui(panels=("jobs", "layers")))),
    ("another tab", "ui", tasks.UI, ending(on_ui(tabs=()))),
    ("other hover fields", "ui", tasks.UI, ending(on_ui(hover_fields=("name",)))),
    ("another image", "ui", tasks.IMAGE, ending(on_ui(selected_image="xview1:1002.tif"))),
    ("another pair of images", "ui", tasks.IMAGE,
     ending(on_ui(compared=("xview1:1004.tif", "xview1:1001.tif")))),
    ("no table shown", "ui", tasks.TABLE_AND_FIGURE, ending(on_ui(table=None))),
    ("no figure shown", "ui", tasks.TABLE_AND_FIGURE, ending(on_ui(figure=None))),
    ("no notice", "ui", tasks.IMAGE, ending(on_ui(notice=None))),
    ("another notice", "ui", tasks.IMAGE, ending(on_ui(notice="Hello"))),
    ("no question", "ui", tasks.ASK, ending(on_ui(question=None))),
    ("a question in other words", None, tasks.ASK, ending(on_ui(question=Question("Where exactly?")))),
]  # fmt: skip


@walks("name, caught_by, task, inject", ERRORS, lambda name, *_: name)
def test_an_error_is_found_by_its_check_and_by_no_other(
    player: Player, name: str, caught_by: str | None, task: Task, inject: Inject
):
    gold = gold_of(player, task)
    verdict = check(gold, inject(player, gold))
    assert verdict.wrong == ((caught_by,) if caught_by else ())
    assert verdict.success is (caught_by in (None, "valid_tools", "needed_tools", "reply_words"))
    about_calls = caught_by in ("valid_tools", "needed_tools", "missed_tools")
    assert (verdict.correctness < 1) is about_calls
    if caught_by:
        assert all(each[-1] in ".?" and "\n" not in each for each in verdict.check(caught_by).wrong)


ARGUMENTS: list[tuple[str, str | None, Task, Inject]] = [
    ("a place said otherwise", "string_arguments", tasks.FILTER_PLOT,
     with_call(2, call("filter_coords", place="Pittsburgh, Pennsylvania", radius_km=40))),
    ("a class said otherwise", "string_arguments", tasks.LAND_COVER,
     with_call(1, call("filter_lccclass", classes=["golf courses"]))),
    ("a whole number that makes no difference", "number_arguments", tasks.TOP,
     with_call(0, call("top_n", by="detections", n=60))),
    ("a number off by more than epsilon", "number_arguments", tasks.CAMERA,
     recorded(0, args={"lon": 4.85, "lat": 45.75, "zoom": 10.2})),
    ("degrees off by more than epsilon", "number_arguments", tasks.CAMERA,
     recorded(0, args={"lon": 4.87, "lat": 45.75, "zoom": 10})),
    ("numbers off by less than epsilon", None, tasks.CAMERA,
     with_call(0, call("set_view", lon=4.855, lat=45.745, zoom=10.05))),
    ("a default that is said", None, tasks.COUNT_CLASSES,
     with_call(0, call("db_load", names="xview1"))),
    ("classes in another case", None, tasks.FILTER_PLOT,
     with_call(3, call("filter_class", classes=["Vehicles"], match="any"))),
    ("fields in another order", None, tasks.UI,
     with_call(1, call("display_hover", fields=["cloud_pct", "name"]))),
]  # fmt: skip


@walks("name, caught_by, task, inject", ARGUMENTS, lambda name, *_: name)
def test_to_the_letter_an_argument_is_found_by_its_check_and_by_no_other(
    player: Player, name: str, caught_by: str | None, task: Task, inject: Inject
):
    gold = gold_of(player, task)
    run = inject(player, gold)
    strict = check(gold, run, TO_THE_LETTER)
    assert strict.wrong == ((caught_by,) if caught_by else ())
    assert (strict.correctness < 1) is (caught_by is not None)
    # Where the end is the same, the words that led there are forgiven.
    assert (check(gold, run).wrong, check(gold, run).correctness) == ((), 1.0)


WRONG_FOR_REAL = [
    ("string_arguments", "output", tasks.COUNT_CLASSES, 1, call("db_count", by="dataset", unit="detections")),
    ("string_arguments", "database", tasks.FILTER_PLOT, 3, call("filter_class", classes=["Helicopter"])),
    ("string_arguments", "map", tasks.FILTER_PLOT, 4, call("scatter_plot", color="blue")),
    ("string_arguments", "ui", tasks.UI, 3, call("open_page", name="help")),
    ("number_arguments", "output", tasks.BINS, 0, call("histogram_figure", field="cloud_pct", bins=10)),
    ("string_arguments", "output", tasks.UNDO, 1, call("save_session", name="My session")),
    ("number_arguments", "map", tasks.CAMERA, 0, call("set_view", lon=48.5, lat=45.75, zoom=10)),
    ("number_arguments", "database", tasks.CLOUD, 1,
     call("filter_attribute", field="cloud_pct", op="<=", value=30)),
]  # fmt: skip


@pytest.mark.parametrize(("caught_by", "and_by", "task", "number", "made"), WRONG_FOR_REAL)
def test_an_argument_that_leads_elsewhere_is_found_by_its_check_and_where_it_leads(
    player: Player, caught_by: str, and_by: str, task: Task, number: int, made: GoldCall
):
    gold = gold_of(player, task)
    verdict = check(gold, with_call(number, made)(player, gold))
    assert {caught_by, and_by} <= set(verdict.wrong)
    assert (verdict.success, verdict.correctness < 1) == (False, True)


def test_bars_where_a_pie_was_wanted_are_missed(player: Player):
    task = replace(tasks.TABLE_AND_FIGURE, calls=(call("pie_figure", by="sensor"),))
    gold = gold_of(player, task)
    verdict = check(gold, played(player, gold, call("bar_figure", by="sensor")))
    assert (verdict.success, verdict.wrong) == (False, ("needed_tools", "missed_tools", "ui"))


def test_the_right_numbers_in_another_kind_of_artifact_are_no_figure(player: Player):
    task = replace(tasks.TABLE_AND_FIGURE, calls=(call("bar_figure", by="class", unit="detections"),))
    gold = gold_of(player, task)
    bars_and_table = (call("bar_figure", by="class"), call("group_count", by="class", unit="detections"))
    verdict = check(gold, played(player, gold, *bars_and_table))
    assert {"output", "string_arguments", "needed_tools", "ui"} <= set(verdict.wrong)
    assert (verdict.success, verdict.right) == (False, 0)


def test_taking_back_a_table_is_no_answer(player: Player):
    task = replace(tasks.UNDO, setup=(*tasks.LOADED, call("group_count", by="sensor")), calls=(call("undo"),))
    gold = gold_of(player, task)
    assert gold.ends[0].answering == (False,)
    assert not check(gold, replace(gold.oracle(), state=gold.idle().state)).success


def test_every_check_has_an_error_that_it_alone_finds():
    assert {each[1] for each in (*ERRORS, *ARGUMENTS)} - {None} == set(CHECKS)


def fields_of(kind: type) -> set[str]:
    return {each.name for each in fields(kind)}


def test_every_part_of_a_state_is_graded_or_named_as_not():
    assert set(GRADES) == set(ASPECTS) - {"artifacts"}  # what is in them is graded as output
    graded = {name.partition(".")[2] for name in ASPECTS}
    assert fields_of(State) == {"map", "database", "ui", "artifacts", *(graded & {"bands"})}
    assert fields_of(Database) == {"loaded", "filters", "count"}  # the count follows from the other two
    place = {"place", "country", "bbox", "center", "radius_km", "geometry"}
    assert fields_of(Filters) == {"start", "end", "classes", "match", "attributes", *place}
    assert fields_of(MapState) == {"center", "zoom", *(graded & {"basemap", "layers", "swipe", "controls"})}
    looks = {"kind", "name", "visible", "opacity", "color", "size", "options"}
    filled = {"query", "artifact", "geometry"}
    assert fields_of(Layer) == looks | filled | {"id", "live", "count"}  # these follow from how it was made
    renamed = {"active_tab": "tabs", "selected_image": "image", "hover_fields": "hover"}
    assert {renamed.get(name, name) for name in fields_of(UI)} <= graded


def test_a_failed_call_costs_correctness_and_no_success_when_it_is_mended(player: Player):
    gold = gold_of(player, tasks.FILTER_PLOT)
    calls = tasks.FILTER_PLOT.calls
    run = played(player, gold, calls[0], call("filter_class", classes=["vehicels zz"]), *calls[1:])
    verdict = check(gold, run)
    assert (verdict.wrong, verdict.success) == (("valid_tools",), True)
    assert verdict.correctness == 1 - 1 / len(calls)
    assert "filter_class was refused: " in verdict.check("valid_tools").wrong[0]


def test_correctness_never_goes_below_nothing(player: Player):
    gold = gold_of(player, tasks.ASK)
    run = replace(gold.oracle(), calls=(*gold.oracle().calls, *[Made("db_list")] * 5))
    assert check(gold, run).correctness == 0.0
