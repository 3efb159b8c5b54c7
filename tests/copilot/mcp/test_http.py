"""The server on the app's own port: who may ask, whose sessions these are, and what lies between."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import httpx
import httpx2
import pytest
from mcp import Client, MCPError, types
from mcp.client.streamable_http import streamable_http_client
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from copilot.engine import Engine
from copilot.live import Live
from copilot.mcp.offered import own_tools
from copilot.owners import owner_id
from copilot.server import OwnerAndHeaders, guard, protocol, routes
from copilot.server import owner as server_owner
from copilot.session import Session
from state.tokens import Tokens
from tests.copilot.mcp.conftest import ERAS, asked, run, serving, until
from tests.copilot.mcp.test_server import both, data_of
from tools.toolbox import toolbox

ANNA, BEN = owner_id("anna's browser"), owner_id("ben's browser")


@pytest.fixture
def live(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Live:
    """The open sessions of a process of this test alone."""
    found = Live(engine)
    monkeypatch.setattr(guard, "live", lambda: found)
    monkeypatch.setattr(server_owner, "live", lambda: found)
    monkeypatch.setattr(protocol, "the_live", lambda: found)
    return found


@pytest.fixture
def app(live: Live) -> Iterator[str]:
    """The app's routes on a port: its address."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with protocol.endpoint.running():
            yield

    with serving(
        Starlette(routes=routes(), middleware=[Middleware(OwnerAndHeaders)], lifespan=lifespan)
    ) as at:
        yield at


@pytest.fixture
def token(engine: Engine) -> Callable[[str, str], str]:
    """Tokens by their name and owner."""
    return lambda name, owner: Tokens(engine.store).issue(name, owner)


def talk(at: str, token: str, era: str, ask: Callable[[Client], Awaitable[Any]], **how: Any) -> Any:
    """What `ask(client)` returns over HTTP, with that token shown."""

    async def within() -> Any:
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as http:
            transport = streamable_http_client(at, http_client=http)
            return await asked(Client(transport, mode=era, **how), ask)

    return run(within)


post = partial(httpx.post, timeout=60)  # the first one that is let in waits for the SDK to be loaded
HELLO = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
KINDS = {"Accept": "application/json, text/event-stream"}


def test_nobody_is_answered_without_a_token_that_was_issued_and_not_revoked(
    app: str, engine: Engine, token: Any
) -> None:
    lost = token("lost laptop", ANNA)
    assert Tokens(engine.store).revoke("lost laptop")
    for shown in ({}, {"Authorization": "Bearer azm_made-up"}, {"Authorization": f"Bearer {lost}"}):
        answer = post(f"{app}/mcp", json=HELLO, headers={**KINDS, **shown})
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == 'Bearer realm="azimuth"'


def test_a_page_of_another_site_and_another_name_are_turned_away(app: str, token: Any) -> None:
    shown = {**KINDS, "Authorization": f"Bearer {token('laptop', ANNA)}"}
    other = post(f"{app}/mcp", json=HELLO, headers={**shown, "Origin": "https://evil.example"})
    rebound = post(f"{app}/mcp", json=HELLO, headers={**shown, "Host": "evil.example"})
    assert (other.status_code, rebound.status_code) == (403, 421)


@both
def test_a_client_works_in_a_session_of_its_person_that_the_app_shows_and_replays(
    app: str, live: Live, token: Any, era: str
) -> None:
    async def work(client: Client) -> tuple[Any, Any]:
        await client.call_tool("db_load", {"names": ["xview1"]})
        answer = await client.call_tool("zoom_map", {"level": 6})
        return data_of(answer), [each.uri for each in (await client.list_resources()).resources]

    answer, uris = talk(f"{app}/mcp", token("laptop", ANNA), era, work)
    session = live.session(answer["session"])
    here = Session.open(engine=live.engine)
    here.call("db_load", names=["xview1"])
    here.call("zoom_map", level=6)
    assert session.row.owner == ANNA
    assert session.hash == here.hash == answer["state_hash"]
    assert session.replay() == session.state
    assert f"azimuth://{session.id}/state" in uris


@both
def test_two_clients_have_a_session_each_and_open_no_other_persons(
    app: str, live: Live, token: Any, era: str
) -> None:
    async def look(client: Client) -> Any:
        return data_of(await client.call_tool("map_state", {}))["session"]

    anna, anna_too = token("laptop", ANNA), token("desk", ANNA)
    ben = token("ben", BEN)
    first, second, third = (talk(f"{app}/mcp", each, era, look) for each in (anna, anna_too, ben))
    assert len({first, second, third}) == 3

    async def others(client: Client) -> tuple[types.CallToolResult, types.CallToolResult]:
        return (
            await client.call_tool("ask", {"request": "zoom to 3", "session": first}),
            await client.call_tool("call_tool", {"tool": "map_state", "session": second}),
        )

    answers = talk(f"{app}/mcp", ben, era, others)
    assert [each.content[0].text for each in answers] == [
        "There is no such session here; leave `session` out to begin one."
    ] * 2
    with pytest.raises(MCPError, match="There is no such session here"):
        talk(f"{app}/mcp", ben, era, lambda client: client.read_resource(f"azimuth://{first}/state"))
    own = talk(
        f"{app}/mcp", anna_too, era, lambda client: client.call_tool("begin_session", {"session": first})
    )
    assert data_of(own)["session"] == first


def test_a_connection_is_nobody_elses(app: str, token: Any) -> None:
    shown = {**KINDS, "Authorization": f"Bearer {token('laptop', ANNA)}"}
    begin = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "raw", "version": "1"},
        },
    }
    opened = post(f"{app}/mcp", json=begin, headers=shown)
    connection = {"mcp-session-id": opened.headers["mcp-session-id"]}
    stranger = {**KINDS, "Authorization": f"Bearer {token('ben', BEN)}", **connection}
    assert post(f"{app}/mcp", json=HELLO, headers={**shown, **connection}).status_code == 200
    assert post(f"{app}/mcp", json=HELLO, headers=stranger).status_code == 404


@both
def test_over_the_web_no_file_of_the_machine_is_named(app: str, token: Any, era: str) -> None:
    answer = talk(
        f"{app}/mcp",
        token("laptop", ANNA),
        era,
        lambda client: client.call_tool("add_file", {"file": "/etc/passwd"}),
    )
    assert answer.is_error
    assert answer.content[0].text.startswith("There is no file '/etc/passwd' that can be read from here")


def test_an_address_below_lists_one_category(app: str, token: Any) -> None:
    async def names(client: Client) -> set[str]:
        return {each.name for each in (await client.list_tools()).tools}

    shown = token("laptop", ANNA)
    for kind, era in (("knowledge", "auto"), ("ui", "legacy")):
        of_kind = {each.name for each in toolbox() if each.category == kind}
        assert of_kind
        assert talk(f"{app}/mcp/{kind}", shown, era, names) == {each.name for each in own_tools()} | of_kind
    answer = post(f"{app}/mcp/nothing", json=HELLO, headers={**KINDS, "Authorization": f"Bearer {shown}"})
    assert answer.status_code == 404


@both
def test_a_question_is_answered_over_http_too(app: str, token: Any, era: str) -> None:
    async def answer(context: Any, params: Any) -> types.ElicitResult:
        choices = params.requested_schema["properties"]["answer"]["enum"]
        return types.ElicitResult(action="accept", content={"answer": choices[-1]})

    result = talk(
        f"{app}/mcp",
        token("laptop", ANNA),
        era,
        lambda client: client.call_tool("ask", {"request": "show me Springfield"}),
        elicitation_callback=answer,
    )
    assert data_of(result)["outcome"] == "done"


@asynccontextmanager
async def _upstream(request: Request, to: str) -> AsyncIterator[httpx.Response]:
    headers = {k: v for k, v in request.headers.items() if k not in ("host", "content-length")}
    async with httpx.AsyncClient(timeout=60) as client:
        sent = client.build_request(
            request.method, f"{to}{request.url.path}", headers=headers, content=await request.body()
        )
        response = await client.send(sent, stream=True)
        try:
            yield response
        finally:
            await response.aclose()


def proxy(to: str) -> Starlette:
    """A proxy that passes everything on, piece by piece, under its own name."""

    async def pass_on(request: Request) -> StreamingResponse:
        context = _upstream(request, to)
        response = await context.__aenter__()

        async def pieces() -> AsyncIterator[bytes]:
            try:
                async for piece in response.aiter_raw():
                    yield piece
            finally:
                await context.__aexit__(None, None, None)

        kept = {k: v for k, v in response.headers.items() if k not in ("transfer-encoding", "connection")}
        return StreamingResponse(pieces(), response.status_code, kept)

    return Starlette(routes=[Route("/{path:path}", pass_on, methods=["GET", "POST", "DELETE"])])


@pytest.mark.parametrize("era", ERAS)
def test_a_proxy_in_between_changes_nothing(app: str, token: Any, era: str) -> None:
    told: list[float] = []

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        told.append(progress)

    async def ask(client: Client) -> types.CallToolResult:
        request = {"request": "load xview1 and draw a heat map"}
        answer = await client.call_tool("ask", request, progress_callback=heard)
        await until(lambda: bool(told))
        return answer

    with serving(proxy(app)) as through:
        result = data_of(talk(f"{through}/mcp", token("laptop", ANNA), era, ask))
    assert [each["tool"] for each in result["calls"]] == ["db_load", "heatmap_plot"]
    assert told and told[-1] == 2
