"""Panels, tabs, images, questions: what is open and shown."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.log import Event
from state.model import Question, State, Tab
from tests.tools.prepared import prepared
from tests.tools.world import after, run
from tools.base import World
from tools.toolbox import toolbox
from tools.ui import asking, feedback, history, images, panels, tabs

BOX = toolbox()


def loaded(world: World, *names: str) -> State:
    return after(world, State(), (BOX.get("db_load"), {"names": list(names)}))


def test_the_panel_opened_last_is_in_front(world: World) -> None:
    opened = [(panels.open_panel, {"name": each}) for each in ("jobs", "layers", "jobs")]
    state = after(world, State(), *opened)
    assert state.ui.panels == ("layers", "jobs")
    assert after(world, state, (panels.close_panel, {"name": "jobs"})).ui.panels == ("layers",)


def test_a_page_is_one_of_four(world: World) -> None:
    assert run(world, State(), panels.open_page, name="data").state.ui.page == "data"
    assert run(world, State(), panels.open_page, name="admin").failed


def test_hover_shows_known_fields_once(world: World) -> None:
    step = run(world, State(), panels.display_hover, fields="name, clouds, name")
    assert step.state.ui.hover_fields == ("name", "cloud_pct")
    wrong = run(world, State(), panels.display_hover, fields=["senzor"])
    assert wrong.observation == "No column or property is called 'senzor'. Did you mean sensor?"


def test_tables_and_figures_are_shown_by_id(world: World) -> None:
    state = prepared(world)
    table = next(each.id for each in state.artifacts if each.kind == "table")
    shown = after(world, state, (panels.show_table, {}))
    assert (shown.ui.table, shown.ui.panels[-1]) == (None, "results")
    assert after(world, shown, (panels.show_table, {"table": table})).ui.table == table
    assert run(world, state, panels.show_figure, figure=table).observation.startswith(
        f"{table!r} is a table, not a figure."
    )
    figure = [each.id for each in state.artifacts if each.kind == "figure"][-1]
    newest = after(world, state, (panels.show_figure, {}))
    assert (newest.ui.figure, newest.ui.panels[-1]) == (figure, "figure")


@pytest.mark.parametrize(
    ("args", "image"),
    [
        ({"rank": "first"}, "xview1:1001.tif"),
        ({"rank": "newest"}, "xview1:1004.tif"),
        ({"rank": "oldest"}, "xview1:1007.tif"),
        ({"rank": "clearest"}, "xview1:1003.tif"),
        ({"rank": "clearest", "n": 2}, "xview1:1001.tif"),
        ({"rank": "most_detections"}, "xview1:1006.tif"),
        ({"image": "fair1m:10.tif"}, "fair1m:10.tif"),
    ],
)
def test_an_image_is_selected_by_rank_or_id(world: World, args: dict[str, Any], image: str) -> None:
    step = run(world, loaded(world, "xview1"), images.select_image, **args)
    assert (step.state.ui.selected_image, step.data["image"]) == (image, image)
    assert step.state.ui.panels == ("image",)


def test_a_rank_nobody_has_is_refused(world: World) -> None:
    radar = loaded(world, "xview3")
    said = run(world, radar, images.select_image, rank="clearest").observation
    assert said == "There is no clearest image number 1: cloud_pct is not known for it."
    said = run(world, radar, images.select_image, rank="newest", n=9).observation
    assert said == "There is no newest image number 9: the selection has 4 images."


def test_showing_the_selected_image_flies_there(world: World) -> None:
    state = after(
        world, loaded(world, "xview1"), (images.select_image, {"rank": "oldest"}), (images.show_image, {})
    )
    assert (state.ui.selected_image, state.map.center, state.map.zoom) == (
        "xview1:1007.tif",
        (103.8, 1.26),
        16.0,
    )
    none = run(world, loaded(world, "xview1"), images.show_image)
    assert (
        none.observation == "No image is selected; give an image's id, or a rank such as newest or clearest."
    )


def test_two_images_of_one_place_are_compared(world: World) -> None:
    state = loaded(world, "fair1m", "fmow", "xview1")
    given_both = run(world, state, images.compare_images, before="xview1:1001.tif", after="xview1:1004.tif")
    assert given_both.state.ui.compared == ("xview1:1001.tif", "xview1:1004.tif")
    assert given_both.data["apart_km"] == 3.2
    airport = run(world, state, images.compare_images, before="fmow:airport_12")
    assert airport.state.ui.compared == ("fmow:airport_12", "fair1m:9.tif")
    lonely = run(world, state, images.compare_images)
    assert lonely.observation == (
        "The selection has no other image over the place of fmow:port_44; give before and after."
    )


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "ftp://example.org", "example.org", "http://",
        "http://[::1", "https://x.org:99999", "https://a b.org", "https://user:secret@example.org", "https://x\u202e.org",
    ],
)  # fmt: skip
def test_only_plain_web_addresses_are_opened(world: World, url: str) -> None:
    step = run(world, State(), tabs.open_tab, url=url)
    assert step.failed and step.state == State()


def test_tabs_open_switch_and_close(world: World) -> None:
    opened = [(tabs.open_tab, {"url": f"https://{each}.example.org/"}) for each in ("a", "b", "c", "a")]
    state = after(world, State(), *opened)
    assert state.ui.tabs == tuple(
        Tab(f"https://{each}.example.org/", f"{each}.example.org") for each in "abc"
    )
    assert state.ui.active_tab == 0
    assert after(world, state, (tabs.switch_tab, {"tab": "B.example"})).ui.active_tab == 1
    assert after(world, state, (tabs.switch_tab, {"tab": 2})).ui.active_tab == 2
    closed = after(world, state, (tabs.switch_tab, {"tab": 1}), (tabs.close_tab, {"tab": 0}))
    assert (closed.ui.active_tab, len(closed.ui.tabs)) == (0, 2)
    assert run(world, state, tabs.switch_tab, tab=7).observation == "There is no tab 7; there are 0 to 2."


@given(st.lists(st.one_of(st.sampled_from("abcde"), st.integers(-1, 4)), max_size=15))
def test_the_active_tab_is_always_one_of_the_tabs(acts: list[str | int]) -> None:
    state = State()
    for act in acts:
        if isinstance(act, str):
            state = tabs.open_tab.function(state, None, url=f"https://{act}.org").state
        elif 0 <= act < len(state.ui.tabs):
            front = state.ui.tabs[state.ui.active_tab]
            removed = state.ui.tabs[act]
            state = tabs.close_tab.function(state, None, tab=act).state
            if removed != front:
                assert state.ui.tabs[state.ui.active_tab] == front
        assert (state.ui.active_tab is None) == (not state.ui.tabs)


def test_a_question_stands_until_something_is_done(world: World) -> None:
    asked = after(world, State(), (asking.ask_user, {"question": "Which?", "choices": ["a", "b", "a"]}))
    assert asked.ui.question == Question("Which?", ("a", "b"))
    assert after(world, asked, (panels.open_panel, {"name": "jobs"})).ui.question is None


def test_notices_are_plain_text(world: World) -> None:
    step = run(world, State(), asking.notify, text="<b>Ready</b>\x07")
    assert step.state.ui.notice == "<b>Ready</b>"
    assert (
        run(world, State(), asking.reject_task, reason="No Moon.").observation
        == "This cannot be done: No Moon."
    )
    assert run(world, State(), asking.notify, text="\x07").failed


def test_feedback_is_about_the_last_answer(world: World) -> None:
    log = (
        Event(1, 1, "request", "2026-11-20T12:00:00Z", text="Ports in May"),
        Event(2, 1, "reply", "2026-11-20T12:00:01Z", text="412 images.", outcome="done"),
        Event(3, 2, "call", "2026-11-20T12:00:02Z", tool="zoom_map"),
    )
    step = run(replace(world, log=log), State(), feedback.record_feedback, rating="down", note="wrong month")
    assert step.data == {"rating": "down", "turn": 1, "request": "Ports in May", "note": "wrong month"}
    none = run(replace(world, log=log), State(), feedback.record_feedback, rating="up", turn=3)
    assert none.observation == "The session has no turn 3; there are 1 to 2."


def test_saving_names_the_session_and_changes_nothing(world: World) -> None:
    step = run(world, State(), history.save_session, name=" Port\nstudy ")
    assert (step.state, step.data) == (State(), {"name": "Port study"})
    assert run(world, State(), history.save_session).data == {"name": "Test session"}
