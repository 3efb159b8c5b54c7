"""The ways through a turn, by scripted models: every step is on record, and the turn always ends."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from copilot.agents import NAMES
from copilot.agents.budget import Budget
from copilot.agents.faults import NO_ANSWER
from copilot.session import Session
from copilot.solutions import solutions
from state.model import State
from tests.copilot.agents.conftest import form, go, told
from tests.copilot.scripted import Scripted, calls

ZOOM = ("zoom_map", {"level": 4})
FORMS = {"cot": "plan", "chameleon": "modules", "reflexion": "reflection", "rs-agent": "task_types"}


def names(bound: list[Any]) -> set[str]:
    return {each["function"]["name"] for each in bound}


# -- react ------------------------------------------------------------------------------------


def test_react_puts_the_thought_on_record_before_its_call(session: Session) -> None:
    thinking = calls(ZOOM)
    thinking.content = "The map is too far away."
    went = go(session, "react", thinking, AIMessage("Zoomed."))
    assert [each.kind for each in went.events] == ["request", "thought", "call", "reply"]
    assert went.thoughts == ["The map is too far away."] and went.ended == ("done", "Zoomed.")
    assert "Make one call at a time." in went.model.heard[0][0].text


def test_react_makes_one_call_and_looks_before_the_next(session: Session) -> None:
    went = go(session, "react", calls(ZOOM, ("zoom_map", {"level": 9})), AIMessage("Zoomed."))
    assert went.tools == ["zoom_map"] and session.state.map.zoom == 4.0
    assert told(went.model.heard[1])[-1] == "Not run: one call at a time."


# -- chain of thought -------------------------------------------------------------------------


def test_cot_plans_everything_then_runs_the_plan(session: Session) -> None:
    plan = form(
        "plan",
        thought="Load, then look.",
        calls=[{"tool": "db_load", "args": {"names": ["fmow"]}}, {"tool": "scatter_plot"}],
    )
    went = go(session, "cot", plan, AIMessage("Five images."))
    assert went.thoughts == ["Plan: db_load → scatter_plot. Load, then look."]
    assert went.tools == ["db_load", "scatter_plot"] and went.ended == ("done", "Five images.")
    first, second = went.model.heard
    assert [each.type for each in first] == ["system", "human"]
    assert [each.type for each in second[2:]] == ["ai", "tool"] * 3


def test_cot_fills_in_what_only_the_run_can_know(session: Session) -> None:
    plan = form(
        "plan",
        calls=[
            {"tool": "db_load", "args": {"names": ["fmow"]}},
            {"tool": "group_count", "args": {"by": "country"}},
            {"tool": "show_table", "args": {"table": "@2.table"}},
            {"tool": "select_image", "args": {"rank": "first"}},
            {"tool": "show_image", "args": {"image": "@selected"}},
        ],
    )
    went = go(session, "cot", plan, AIMessage("There."))
    made = {each.tool: each for each in went.events if each.kind == "call"}
    assert made["show_table"].args == {"table": made["group_count"].data["table"]}
    assert made["show_image"].args == {"image": session.state.ui.selected_image}
    assert all(each.ok for each in made.values())


def test_cot_goes_on_step_by_step_where_a_planned_call_fails(session: Session) -> None:
    plan = form(
        "plan",
        calls=[
            {"tool": "zoom_map", "args": {"level": 99}},
            {"tool": "set_basemap", "args": {"name": "dark"}},
        ],
    )
    went = go(session, "cot", plan, calls(ZOOM), AIMessage("Put right."))
    assert [(each.tool, each.ok) for each in went.events if each.kind == "call"] == [
        ("zoom_map", False),
        ("zoom_map", True),
    ]
    assert went.ended == ("done", "Put right.")


def test_a_plan_with_an_unknown_tool_goes_back_once_with_the_nearest_names(session: Session) -> None:
    wrong = form("plan", calls=[{"tool": "zoom_mapp", "args": {"level": 4}}])
    right = form("plan", calls=[{"tool": "zoom_map", "args": {"level": 4}}])
    went = go(session, "cot", wrong, right, AIMessage("There."))
    said = "There is no tool 'zoom_mapp'. Did you mean zoom_map"
    assert told(went.model.heard[1])[-1].startswith(said)
    assert went.tools == ["zoom_map"] and went.ended == ("done", "There.")


# -- chameleon --------------------------------------------------------------------------------


def modules(*chosen: tuple[str, str]) -> AIMessage:
    return form("modules", modules=[{"module": name, "task": task} for name, task in chosen])


def test_chameleon_prompts_each_module_with_its_own_tools_and_what_came_before(session: Session) -> None:
    went = go(
        session,
        "chameleon",
        modules(("database", "Load fmow."), ("map", "Plot it as points.")),
        calls(("db_load", {"names": ["fmow"]})),
        AIMessage("Loaded."),
        calls(("scatter_plot", {})),
        AIMessage("Plotted."),
        AIMessage("Five images on the map."),
    )
    assert went.thoughts == ["Modules: database → map.", "database: Loaded.", "map: Plotted."]
    assert went.tools == ["db_load", "scatter_plot"] and went.ended == ("done", "Five images on the map.")
    assert told(went.model.heard[1])[-1].startswith(
        "You are now module 1 of 2, 'database'. Your task: Load fmow."
    )
    box = session.engine.toolbox
    for round_, category in ((1, "database"), (3, "map")):
        bound = names(went.model.bound[round_]) - {"find_tools"}
        assert bound and {box.get(each).category for each in bound} == {category}


def test_chameleon_sends_an_unknown_module_back_with_those_there_are(session: Session) -> None:
    went = go(session, "chameleon", modules(("maps", "Zoom.")), modules(), AIMessage("Hello."))
    assert told(went.model.heard[1])[-1] == (
        "There is no module 'maps'. Did you mean map? Modules: "
        + ", ".join(dict.fromkeys(each.category for each in session.engine.toolbox))
        + "."
    )
    assert went.ended == ("done", "Hello.")


# -- reflexion --------------------------------------------------------------------------------


def reflection(*, right: bool, again: bool) -> AIMessage:
    return form(
        "reflection",
        right=right,
        what_failed="" if right else "It zoomed too far.",
        instead="" if right else "Zoom to level 4.",
        again=again,
    )


def test_reflexion_takes_the_first_try_back_before_the_second(session: Session) -> None:
    session.call("db_load", names=["fmow"])
    went = go(
        session,
        "reflexion",
        calls(("zoom_map", {"level": 9}), ("scatter_plot", {})),
        AIMessage("Far in."),
        reflection(right=False, again=True),
        calls(ZOOM),
        AIMessage("Level 4."),
    )
    assert went.tools == ["zoom_map", "scatter_plot", "undo", "zoom_map"] and went.ended == (
        "done",
        "Level 4.",
    )
    assert went.thoughts == ["It zoomed too far. Zoom to level 4."]
    assert session.state.map.zoom == 4.0 and session.state.map.layers == ()
    assert told(went.model.heard[3])[-1].endswith("is taken back. Try again: Zoom to level 4.")


def test_one_undo_takes_a_whole_turn_of_two_tries_back(session: Session) -> None:
    session.call("db_load", names=["fmow"])
    before = session.state
    go(
        session,
        "reflexion",
        calls(("zoom_map", {"level": 9})),
        AIMessage("Far in."),
        reflection(right=False, again=True),
        calls(ZOOM),
        AIMessage("Level 4."),
    )
    session.undo()
    assert session.state == before
    session.redo()
    assert session.state.map.zoom == 4.0


@pytest.mark.parametrize(("right", "again"), [(True, False), (True, True), (False, False)])
def test_reflexion_leaves_a_try_that_is_right_or_cannot_be_bettered(
    session: Session, right: bool, again: bool
) -> None:
    went = go(session, "reflexion", calls(ZOOM), AIMessage("Zoomed."), reflection(right=right, again=again))
    assert went.tools == ["zoom_map"] and went.ended == ("done", "Zoomed.") and session.state.map.zoom == 4.0


def test_reflexion_tries_again_after_a_circle(session: Session) -> None:
    circle = calls(("map_state", {}), ("map_state", {}), ("map_state", {}))
    went = go(
        session, "reflexion", circle, reflection(right=False, again=True), calls(ZOOM), AIMessage("There.")
    )
    assert went.tools == ["map_state", "map_state", "zoom_map"] and went.ended == ("done", "There.")
    asked = {
        call["id"] for each in went.model.heard[1] if isinstance(each, AIMessage) for call in each.tool_calls
    }
    answered = [each.tool_call_id for each in went.model.heard[1] if isinstance(each, ToolMessage)]
    assert sorted(answered) == sorted(asked)  # whoever is asked again finds every call answered


def test_a_try_that_went_through_the_history_is_left_as_it_is(session: Session) -> None:
    session.call("zoom_map", level=5)
    session.call("zoom_map", level=6)
    went = go(
        session,
        "reflexion",
        calls(("undo", {})),
        AIMessage("Undone."),
        reflection(right=False, again=True),
    )
    assert went.tools == ["undo", "undo", "redo"] and went.ended == ("done", "Undone.")
    assert session.state.map.zoom == 5.0


def test_a_try_beside_which_somebody_else_acted_is_left_as_it_is(session: Session) -> None:
    other = Session.open(session.id, engine=session.engine)

    def click(heard: list[BaseMessage]) -> AIMessage:
        other.call("db_load", names=["fmow"])
        return AIMessage("Zoomed.")

    went = go(session, "reflexion", calls(ZOOM), click, reflection(right=False, again=True))
    assert went.ended == ("done", "Zoomed.")
    assert session.state.map.zoom == 4.0 and session.state.database.loaded == ("fmow",)


def test_a_question_or_a_refusal_is_not_reflected_upon(session: Session) -> None:
    went = go(session, "reflexion", calls(("ask_user", {"question": "Which one?"})))
    assert went.answer.outcome == "asked" and len(went.model.heard) == 1


# -- rs-agent ---------------------------------------------------------------------------------


def test_rs_agent_plans_with_the_solutions_of_the_named_tasks(session: Session) -> None:
    types = form("task_types", tasks=["object_count", "database"])
    went = go(session, "rs-agent", types, calls(ZOOM), AIMessage("Counted."))
    assert went.thoughts[0].startswith("Task types: object_count, database. Solutions: object_count, ")
    assert "\n- object_count: " in went.model.heard[0][0].text
    assert "Solution for object_count" in went.model.heard[1][0].text
    assert went.ended == ("done", "Counted.")


def test_rs_agent_shows_the_tools_that_the_best_solution_names(session: Session) -> None:
    went = go(session, "rs-agent", form("task_types", tasks=["data"]), AIMessage("Charted."))
    named = {*solutions()["data"].tools, *solutions()["data"].prepare}
    there = {each for each in named if each in session.engine.toolbox}
    assert there and there <= names(went.model.bound[1])


def test_rs_agent_sends_an_unknown_task_back_with_the_nearest(session: Session) -> None:
    wrong, right = (form("task_types", tasks=[name]) for name in ("object_counts", "object_count"))
    went = go(session, "rs-agent", wrong, right, AIMessage("There."))
    assert told(went.model.heard[1])[-1].startswith(
        "There is no task type 'object_counts'. Did you mean object_count"
    )
    assert went.ended == ("done", "There.")


# -- forms that are not filled in -------------------------------------------------------------


@pytest.mark.parametrize("agent", FORMS)
@pytest.mark.parametrize(
    "instead",
    ["words", "another call", "broken JSON", "wrong types"],
    ids=lambda text: text.replace(" ", "-"),
)
def test_a_model_that_does_not_fill_in_the_form_is_told_once_and_the_turn_goes_on(
    session: Session, agent: str, instead: str
) -> None:
    name = f"submit_{FORMS[agent]}"
    broken = {"name": name, "args": "{", "id": "c0", "error": None, "type": "invalid_tool_call"}
    wrong = {
        "words": AIMessage("I would rather talk."),
        "another call": calls(("db_list", {})),
        "broken JSON": AIMessage("", invalid_tool_calls=[broken]),
        "wrong types": calls((name, {"calls": 3, "modules": 3, "right": "maybe so", "tasks": 3})),
    }[instead]
    first = [calls(ZOOM), AIMessage("Zoomed.")] if agent == "reflexion" else []
    rest = [] if agent == "reflexion" else [calls(ZOOM), AIMessage("Zoomed.")]
    went = go(session, agent, *first, wrong, wrong, *rest)
    assert went.ended == ("done", "Zoomed.") and went.tools == ["zoom_map"]
    complaint = told(went.model.heard[len(first) + 1])[-1]
    assert name in complaint and complaint.endswith(("now.", "right.", "object."))


# -- all of them ------------------------------------------------------------------------------


def filled(bound: list[Any]) -> AIMessage | None:
    """The form that is asked for, filled in with little; None where none is."""
    plan = [{"tool": "zoom_map", "args": {"level": 4}}]
    forms = {
        "submit_plan": {"calls": plan},
        "submit_modules": {"modules": [{"module": "map", "task": "Zoom to level 4."}]},
        "submit_reflection": {"right": True, "again": False},
        "submit_task_types": {"tasks": ["map"]},
    }
    asked = names(bound) & set(forms)
    return calls(*((name, forms[name]) for name in asked)) if asked else None


@pytest.mark.parametrize("agent", NAMES)
@pytest.mark.parametrize("limit", ["steps", "tokens", "seconds"])
def test_every_agent_ends_where_a_limit_is_reached(session: Session, agent: str, limit: str) -> None:
    budget = {"steps": Budget(steps=2), "tokens": Budget(tokens=900), "seconds": Budget(seconds=0.0)}[limit]

    def on_and_on(heard: list[BaseMessage]) -> AIMessage:
        said = filled(model.bound[-1]) or calls(("zoom_map", {"level": len(heard) % 20}))
        said.usage_metadata = {"input_tokens": 300, "output_tokens": 10, "total_tokens": 310}
        return said

    model = Scripted(on_and_on)
    answer = session.ask("Go on.", agent=agent, model=model, budget=budget)
    said = {
        "steps": "Stopped after 2 calls without an answer; what was done so far stands.",
        "tokens": "Stopped after 930 tokens without an answer; what was done so far stands.",
        "seconds": "Stopped after 0 s without an answer; what was done so far stands.",
    }[limit]
    assert (answer.outcome, answer.reply) == ("failed", said)
    if limit == "seconds":
        assert session.state == State()


@pytest.mark.parametrize("agent", NAMES)
def test_every_agent_that_finds_no_model_says_so(session: Session, agent: str) -> None:
    went = go(session, agent, ValueError("nobody there"))
    assert went.ended == ("failed", NO_ANSWER) and went.tools == []
