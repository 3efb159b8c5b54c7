"""Azimuth's tools, resources and prompts, as the SDK's client sees them, in both of the protocol's eras."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from mcp import Client, MCPError, types

from copilot.engine import Engine
from copilot.mcp.offered import PAGE, Offer
from copilot.mcp.prompts import prompts
from copilot.session import Session
from tests.copilot.mcp.conftest import ERAS, until
from tools.toolbox import toolbox

both = pytest.mark.parametrize("era", ERAS)


def data_of(result: types.CallToolResult) -> dict[str, Any]:
    """The structured content of a result."""
    assert isinstance(result.structured_content, dict), result.content
    return result.structured_content


@both
def test_a_client_is_listed_four_tools_by_which_it_reaches_all_others(talk: Any, era: str) -> None:
    listed = talk(era, lambda client: client.list_tools())
    assert [each.name for each in listed.tools] == ["ask", "search_tools", "call_tool", "begin_session"]
    assert listed.next_cursor is None


def test_the_whole_list_comes_in_pages_with_what_each_tool_declares(talk: Any) -> None:
    async def pages(client: Client) -> list[list[types.Tool]]:
        found, cursor = [], None
        while True:
            page = await client.list_tools(cursor=cursor)
            found.append(page.tools)
            if (cursor := page.next_cursor) is None:
                return found

    found = talk("auto", pages, Offer("all"))
    assert all(len(page) == PAGE for page in found[:-1])
    by_name = {each.name: each for page in found for each in page}
    assert set(by_name) == {each.name for each in toolbox()} | {
        "ask",
        "search_tools",
        "call_tool",
        "begin_session",
    }
    for tool in toolbox():
        notes = by_name[tool.name].annotations
        assert notes is not None
        declared = (not tool.changes_state, tool.asks_approval, tool.external)
        assert (notes.read_only_hint, notes.destructive_hint, notes.open_world_hint) == declared
        assert by_name[tool.name].input_schema == {"type": "object", **tool.schema}


def test_a_cursor_that_was_never_given_is_refused(talk: Any) -> None:
    with pytest.raises(MCPError, match="'-1' is no cursor of this list"):
        talk("legacy", lambda client: client.list_tools(cursor="-1"))


@both
def test_a_call_changes_the_session_as_the_same_call_in_the_app_does(
    talk: Any, engine: Engine, era: str
) -> None:
    async def calls(client: Client) -> types.CallToolResult:
        await client.call_tool("db_load", {"names": ["xview1"]})
        await client.call_tool("call_tool", {"tool": "cluster_plot", "arguments": {}})
        return await client.call_tool("zoom_map", {"level": 6})

    answer = data_of(talk(era, calls))
    there = Session.open(answer["session"], engine=engine)
    here = Session.open(engine=engine)
    here.call("db_load", names=["xview1"])
    here.call("cluster_plot")
    here.call("zoom_map", level=6)
    assert (answer["state_hash"], there.hash) == (here.hash, here.hash)
    assert [(each.tool, each.source) for each in there.events] == [
        ("db_load", "mcp"),
        ("cluster_plot", "mcp"),
        ("zoom_map", "mcp"),
    ]
    assert there.replay() == there.state


@both
def test_what_a_call_gets_wrong_is_a_sentence_for_the_model_and_no_error_of_the_protocol(
    talk: Any, era: str
) -> None:
    result = talk(era, lambda client: client.call_tool("zoom_mop", {"level": 5}))
    assert result.is_error
    assert result.content[0].text.startswith("There is no tool 'zoom_mop'. Did you mean zoom_map")


@both
def test_ask_is_the_whole_copilot_and_goes_on_in_a_session(talk: Any, era: str) -> None:
    told: list[float] = []

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        told.append(progress)

    async def turns(client: Client) -> list[types.CallToolResult]:
        first = await client.call_tool("ask", {"request": "load xview1"}, progress_callback=heard)
        await until(lambda: bool(told))
        session = data_of(first)["session"]
        second = await client.call_tool("ask", {"request": "zoom to 7", "session": session})
        other = await client.call_tool("ask", {"request": "zoom to 4"})
        return [first, second, other]

    first, second, other = map(data_of, talk(era, turns))
    assert [each["tool"] for each in first["calls"]] == ["db_load"]
    assert [(each["tool"], each["args"]) for each in second["calls"]] == [("zoom_map", {"level": 7.0})]
    assert first["session"] == second["session"] != other["session"]
    assert told == sorted(told) and told[-1] >= 1


@both
def test_where_the_copilot_asks_back_its_person_is_asked_and_the_answer_is_taken(talk: Any, era: str) -> None:
    asked: list[tuple[str, list[str]]] = []

    async def answer(context: Any, params: Any) -> types.ElicitResult:
        choices = params.requested_schema["properties"]["answer"].get("enum", [])
        asked.append((params.message, choices))
        return types.ElicitResult(action="accept", content={"answer": choices[0]})

    async def ask(client: Client) -> types.CallToolResult:
        return await client.call_tool("ask", {"request": "show me Springfield"})

    result = data_of(talk(era, ask, elicitation_callback=answer))
    assert len(asked) == 1 and len(asked[0][1]) > 1
    assert result["outcome"] == "done"
    assert result["reply"].startswith("The map shows Springfield")


@both
def test_a_client_that_can_ask_nobody_gets_the_question_with_its_choices(talk: Any, era: str) -> None:
    result = data_of(talk(era, lambda client: client.call_tool("ask", {"request": "show me Springfield"})))
    assert result["outcome"] == "asked"
    assert len(result["question"]["choices"]) > 1


@both
def test_a_session_is_read_by_its_resources(talk: Any, engine: Engine, era: str) -> None:
    async def look(client: Client) -> tuple[Any, ...]:
        await client.call_tool("db_load", {"names": ["xview1"]})
        await client.call_tool("footprint_plot", {})
        made = await client.call_tool("group_count", {"by": "sensor"})
        links = [each for each in made.content if each.type == "resource_link"]
        listed = (await client.list_resources()).resources
        read = {each.uri: (await client.read_resource(each.uri)).contents[0] for each in listed}
        return data_of(made)["session"], links, read

    session_id, links, read = talk(era, look)
    session = Session.open(session_id, engine=engine)
    base = f"azimuth://{session_id}"
    table = session.state.artifacts[-1].id
    assert [each.uri for each in links] == [f"{base}/tables/{table}.csv"]
    assert set(read) == {
        f"{base}/state",
        f"{base}/log",
        f"{base}/map.png",
        f"{base}/layers/footprints.geojson",
        f"{base}/tables/{table}.csv",
    }
    assert json.loads(read[f"{base}/state"].text)["hash"] == session.hash
    assert [each["tool"] for each in json.loads(read[f"{base}/log"].text)] == [
        "db_load",
        "footprint_plot",
        "group_count",
    ]
    assert base64.b64decode(read[f"{base}/map.png"].blob).startswith(b"\x89PNG")
    features = json.loads(read[f"{base}/layers/footprints.geojson"].text)["features"]
    assert len(features) == session.state.map.layers[0].count
    assert read[f"{base}/tables/{table}.csv"].text.startswith("sensor,")


def test_an_address_that_leads_nowhere_is_told(talk: Any) -> None:
    for uri in ("azimuth://x/../../etc/passwd", "file:///etc/passwd", "azimuth://0123/state"):
        with pytest.raises(MCPError, match=r"is no address of a session's|There is no such session here"):
            talk("auto", lambda client, uri=uri: client.read_resource(uri))


@pytest.mark.parametrize("prompt", prompts(), ids=lambda each: each.name)
def test_a_prompt_is_filled_in(talk: Any, prompt: Any) -> None:
    given = dict.fromkeys(prompt.arguments, "Toulouse")
    found = talk("legacy", lambda client: client.get_prompt(prompt.name, given))
    text = found.messages[0].content.text
    assert "{" not in text
    assert text.count("Toulouse") >= len(given)


def test_a_prompt_without_what_it_needs_is_refused(talk: Any) -> None:
    with pytest.raises(MCPError, match="The prompt explore needs period"):
        talk("legacy", lambda client: client.get_prompt("explore", {"place": "Toulouse"}))


@both
def test_tools_are_found_by_what_they_are_to_do(talk: Any, era: str) -> None:
    asked = {"query": "zoom the map in", "most": 2}
    found = data_of(talk(era, lambda client: client.call_tool("search_tools", asked)))["tools"]
    assert found[0]["name"] == "zoom_map"
    assert found[0]["arguments"] == {"type": "object", **toolbox().get("zoom_map").schema}
    assert len(found) == 2
