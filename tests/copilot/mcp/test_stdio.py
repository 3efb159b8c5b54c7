"""The server as a program on standard input and output, from another process."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, types
from mcp.client.stdio import StdioServerParameters

from copilot.engine import Engine
from copilot.session import Session
from tests.copilot.mcp.conftest import asked, run
from tests.copilot.mcp.test_server import data_of
from tests.tools.world import TODAY

ROOT = Path(__file__).resolve().parents[3]
TALK = ("load xview1", "draw a heat map", "zoom to 6")


@pytest.mark.slow
def test_a_conversation_from_another_process_ends_in_the_state_of_the_same_conversation_here(
    small_catalogue: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    where = {"AZIMUTH_HOME": str(home), "AZIMUTH_CATALOGUE": str(small_catalogue), "OMP_NUM_THREADS": "1"}
    program = StdioServerParameters(
        command=sys.executable, args=["-m", "copilot", "mcp", "--tools", "map"], env=where, cwd=ROOT
    )

    async def converse(client: Client) -> tuple[list[str], list[types.CallToolResult]]:
        listed = [each.name for each in (await client.list_tools()).tools]
        answers, session = [], None
        for request in TALK:
            given: dict[str, Any] = {"request": request, **({"session": session} if session else {})}
            answers.append(await client.call_tool("ask", given))
            session = data_of(answers[-1])["session"]
        return listed, answers

    listed, answers = run(lambda: asked(Client(program), converse))
    engine = Engine(home=home, catalogue_url=str(small_catalogue), today=TODAY)
    there = Session.open(data_of(answers[-1])["session"], engine=engine)
    here = Session.open(engine=engine)
    for request in TALK:
        here.ask(request)
    assert "zoom_map" in listed and "db_load" not in listed
    assert [data_of(each)["outcome"] for each in answers] == ["done"] * len(TALK)
    assert there.hash == here.hash == data_of(answers[-1])["state_hash"]
    assert there.replay() == here.state
    assert {each.source for each in there.events if each.kind == "call"} == {"mcp"}
