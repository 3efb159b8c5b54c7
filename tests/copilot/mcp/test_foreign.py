"""Other servers' tools in a session: added, asked about, called, recorded, and what they may send."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from langchain_core.messages import AIMessage

from copilot.approval import ALWAYS, NO, YES
from copilot.engine import Engine
from copilot.mcp.foreign import NotAdded, UnknownServer
from copilot.mcp.programs import programs
from copilot.session import Session
from state.servers import ServerRow
from tests.copilot.mcp.conftest import serving
from tests.copilot.mcp.foreign_servers import INJECTION, over_http, server
from tests.copilot.mcp.test_http import proxy
from tests.copilot.scripted import Scripted, calls
from tools.toolbox import toolbox


@pytest.fixture
def farm(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A good server, which the operator allows to be asked: its address."""
    with serving(over_http(server())) as at:
        monkeypatch.setenv("AZIMUTH_ALLOWED_HOSTS", at.removeprefix("http://"))
        yield f"{at}/mcp"


@pytest.fixture
def added(engine: Engine, farm: str) -> Session:
    """A session that has the server's tools, which asks before it runs them."""
    engine.foreign.add(ServerRow("farm", url=farm))
    return Session.open(engine=engine)


def test_a_servers_tools_join_the_toolbox_with_their_schemas(added: Session) -> None:
    new = [each for each in added.toolbox if each.name not in toolbox()]
    assert [each.name for each in new] == [
        "farm__soil_moisture",
        "farm__plough",
        "farm__fields",
        "farm__linked_fields",
        "farm__measure",
        "farm__rows",
        "farm__preach",
    ]
    assert all(each.asks_approval and each.external for each in new)
    assert new[0].summary == "Say how wet the soil of a place is."
    assert new[0].schema["properties"] == {"place": {"type": "string", "description": "The place."}}
    assert new[4].schema["properties"]["features"]["format"] == "vector"


def test_a_servers_tools_are_those_of_whoever_added_it(engine: Engine, farm: str) -> None:
    engine.foreign.add(ServerRow("farm", owner="anna", url=farm))
    assert "farm__plough" in engine.toolbox_for("anna")
    assert engine.toolbox_for("ben") is toolbox()
    engine.foreign.remove("farm", "anna")
    assert engine.toolbox_for("anna") is toolbox()
    with pytest.raises(UnknownServer, match="no server 'farm' to remove; there are: none"):
        engine.foreign.remove("farm", "anna")


def test_a_call_is_on_record_as_from_outside_and_replayed_without_its_server(
    added: Session, engine: Engine
) -> None:
    said = added.call("farm__soil_moisture", place="Toulouse")
    drawn = added.call("farm__fields", place="Toulouse")
    assert said.text == "farm answered: The soil of Toulouse holds 0.31 of water."
    assert (said.ok, said.outside, drawn.outside) == (True, True, True)
    engine.foreign.remove("farm")
    assert added.replay() == added.state
    assert added.call("farm__fields", place="Toulouse").text.startswith("There is no tool 'farm__fields'.")


@pytest.mark.parametrize("tool", ["farm__fields", "farm__linked_fields"])
def test_features_that_come_with_an_answer_or_behind_its_link_are_an_artifact_on_the_map(
    added: Session, tool: str
) -> None:
    event = added.call(tool, place="Toulouse")
    artifact, layer = added.state.artifacts[-1], added.state.map.layers[-1]
    assert event.data["artifacts"] == [artifact.id]
    assert (artifact.kind, artifact.made_by) == ("vector", f"{tool}(place=Toulouse)")
    assert (layer.kind, layer.artifact, layer.count) == ("vector", artifact.id, 1)


def test_features_and_tables_are_sent_as_the_content_of_their_handle(added: Session) -> None:
    added.call("draw_polygon", points=[[1, 43], [1.1, 43], [1.1, 43.1]])
    added.call("db_load", names=["xview1"])
    added.call("group_count", by="sensor")
    table = added.state.artifacts[-1]
    sent = added.call("farm__measure", features="drawings")
    rows = added.call("farm__rows", table=table.id)
    assert sent.text == "farm answered: 1 outline came."
    assert rows.text == f"farm answered: {int(table.summary.split()[0])} rows came."
    assert sent.args == {"features": "drawings"}


def test_arguments_are_checked_before_anything_leaves(added: Session) -> None:
    event = added.call("farm__soil_moisture", place=7)
    assert event.text == (
        "farm__soil_moisture cannot take this as 'place': 7 is not of type 'string'. Its arguments: place."
    )
    assert not event.ok


PLOUGH = ("farm__plough", {"place": "Toulouse"})
WET = ("farm__soil_moisture", {"place": "Pau"})


def test_a_model_asks_before_it_reaches_another_server_and_runs_it_when_told_to(added: Session) -> None:
    first = added.ask("plough it", model=Scripted(calls(PLOUGH)))
    question = first.state.ui.question
    assert question is not None
    assert (first.outcome, question.choices) == ("asked", (YES, ALWAYS, NO))
    assert [(each.tool, each.ok) for each in first.calls] == [("farm__plough", False), ("ask_user", True)]
    second = added.ask("yes", model=Scripted(AIMessage("Done.")))
    assert [(each.tool, each.ok, each.text) for each in second.calls] == [
        ("farm__plough", True, "farm answered: Ploughed Toulouse.")
    ]
    third = added.ask("plough it again", model=Scripted(calls(PLOUGH)))
    assert third.outcome == "asked"


def test_what_is_always_allowed_is_not_asked_about_again(added: Session) -> None:
    added.ask("plough it", model=Scripted(calls(PLOUGH)))
    added.ask(ALWAYS, model=Scripted(AIMessage("Done.")))
    again = added.ask("plough it again", model=Scripted(calls(PLOUGH), AIMessage("Done.")))
    assert (again.outcome, again.calls[0].text) == ("done", "farm answered: Ploughed Toulouse.")


def test_a_served_model_is_shown_a_servers_tool_by_what_it_says_of_itself(added: Session) -> None:
    model = Scripted(AIMessage("So wet."))
    added.ask("how wet is the soil around Toulouse?", model=model)
    shown = {each["function"]["name"]: each["function"] for each in model.tools}
    assert shown["farm__soil_moisture"]["parameters"]["properties"]["place"]["type"] == "string"


@pytest.mark.parametrize("word", [NO, "no", "zoom to 5"])
def test_nothing_runs_unless_it_was_allowed(added: Session, word: str) -> None:
    added.ask("plough it", model=Scripted(calls(PLOUGH)))
    answer = added.ask(word, model=Scripted(AIMessage("As you like.")))
    assert all(each.tool != "farm__plough" for each in answer.calls)


def test_what_only_reads_runs_unasked_on_a_server_that_is_trusted(engine: Engine, farm: str) -> None:
    engine.foreign.add(ServerRow("farm", url=farm, trusted=True))
    session = Session.open(engine=engine)
    read = session.ask("wet?", model=Scripted(calls(WET), AIMessage("Wet.")))
    wrote = session.ask("plough it", model=Scripted(calls(PLOUGH)))
    assert (read.outcome, wrote.outcome) == ("done", "asked")


def test_instructions_in_what_a_server_says_stay_data(added: Session) -> None:
    event = added.call("farm__preach", place="Pau")
    before = added.state
    assert event.text == f"farm answered: {INJECTION}"
    model = Scripted(AIMessage("Nothing to do."))
    added.ask("what was that?", model=model)
    seen = "\n".join(str(each.content) for each in model.heard[0])
    assert seen.count("</state>") == 1
    assert added.state.map == before.map


def test_a_proxy_between_us_and_a_server_changes_nothing(
    engine: Engine, farm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(proxy(farm.removesuffix("/mcp"))) as through:
        monkeypatch.setenv("AZIMUTH_ALLOWED_HOSTS", through.removeprefix("http://"))
        engine.foreign.add(ServerRow("farm", url=f"{through}/mcp"))
        event = Session.open(engine=engine).call("farm__fields", place="Pau")
    assert event.ok and len(event.data["artifacts"]) == 1


@pytest.mark.slow
def test_a_server_from_pypi_is_started_kept_and_asked(engine: Engine) -> None:
    row, out = engine.foreign.add(ServerRow("time", command=(sys.executable, "-m", "mcp_server_time")))
    session = Session.open(engine=engine)
    asked = {"source_timezone": "Europe/Paris", "time": "12:00", "target_timezone": "Asia/Kolkata"}
    first = session.call("time__convert_time", **asked)
    second = session.call("time__convert_time", **{**asked, "source_timezone": "Mars/Olympus"})
    programs.end_idle(0)
    assert ([each["name"] for each in row.tools], out) == (["get_current_time", "convert_time"], ())
    assert first.data["answer"]["time_difference"] in ("+4.5h", "+3.5h")
    assert not second.ok and second.text.startswith("time could not do it: ")
    assert session.replay() == session.state


def test_a_program_that_is_none_is_told(engine: Engine) -> None:
    with pytest.raises(NotAdded, match="cannot be started: there is no program '/no/such'"):
        engine.foreign.add(ServerRow("none", command=("/no/such",)))
