"""What a client's calls come to: a tool run in its session, the whole copilot asked, a search of tools."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from typing import Any

from mcp import types
from mcp.server.context import ServerRequestContext

from copilot import approval
from copilot.answer import Answer
from copilot.bounds import SessionFull, too_much
from copilot.mcp import content, resources
from copilot.mcp.asking import Unasked, asked
from copilot.mcp.offered import ASK, BEGIN, CALL, SEARCH, Offer, found
from copilot.mcp.visitors import Person, Visitors
from copilot.mcp.working import worked
from copilot.models import ModelNotConfigured
from copilot.session import Session
from copilot.settings import settings_of
from data.catalogue.base import CatalogueError
from state.log import Event
from state.store import StoreUnavailable, UnknownSession
from tools.base import ToolError

SOURCE = "mcp"
MOST_QUESTIONS = 5
"""How often one request may ask its person back."""
_SPEAKING = (ToolError, CatalogueError, SessionFull, ModelNotConfigured)
Context = ServerRequestContext[Any, Any]


async def called(
    ctx: Context, params: types.CallToolRequestParams, visitors: Visitors, person: Person, offer: Offer
) -> types.CallToolResult:
    """What a call of a client comes to. What went wrong is a sentence in the result. Raises asking.Again."""
    given = dict(params.arguments or {})
    try:
        if offer.only:
            return await _tool(ctx, params, visitors, person, offer, params.name, given, None)
        named = _named(given) if params.name in (ASK, SEARCH, CALL, BEGIN) else None
        match params.name:
            case "ask":
                return await _ask(ctx, params, visitors, person, str(given.get("request", "")), named)
            case "search_tools":
                return await _search(ctx, visitors.session(person, named), given)
            case "call_tool":
                args = given.get("arguments") or {}
                if not isinstance(args, dict):
                    raise ToolError("`arguments` is an object: the arguments by their names.")
                return await _tool(
                    ctx, params, visitors, person, offer, str(given.get("tool", "")), args, named
                )
            case "begin_session":
                session = visitors.session(person, named) if named else visitors.begin(person)
                return _said(f"This is session {session.id}.", {"session": session.id, "name": session.name})
        return await _tool(ctx, params, visitors, person, offer, params.name, given, None)
    except UnknownSession:
        return failed("There is no such session here; leave `session` out to begin one.")
    except StoreUnavailable as error:
        return failed(error.public)
    except _SPEAKING as error:
        return failed(visitors.engine.mask.text(str(error)) if visitors.served else str(error))


async def _tool(
    ctx: Context,
    params: types.CallToolRequestParams,
    visitors: Visitors,
    person: Person,
    offer: Offer,
    name: str,
    given: Mapping[str, Any],
    named: str | None,
) -> types.CallToolResult:
    session = visitors.session(person, named)
    tool = session.toolbox.get(name)
    if not offer.may_call(tool):
        raise ToolError(f"{name} is not offered here; this service is for {offer.kind} tools.")
    if tool.asks_approval and not await _allowed(ctx, params, session, name, given):
        return failed(f"{name} was not run: it asks first, and was not allowed.")

    def work(stop: threading.Event) -> Event:
        with visitors.working(session):
            args = content.taken_in(session, tool, given) if offer.content else dict(given)
            return session.call_tool(name, args, source=SOURCE)

    before = {each.id for each in session.state.artifacts}
    event = await worked(ctx, session, work)
    made = [each for each in session.state.artifacts if each.id not in before or each.id in _named_in(event)]
    give = content.embedded if offer.content else resources.link_to
    data = {"session": session.id, "state_hash": event.hash, "data": event.data}
    return _said(
        event.text, data, [give(session, each) for each in made] if event.ok else [], failed=not event.ok
    )


def _named_in(event: Event) -> set[str]:
    """The artifacts that a call's data names: one that is made again is there already."""
    return {value for value in event.data.values() if isinstance(value, str)}


async def _allowed(
    ctx: Context, params: types.CallToolRequestParams, session: Session, name: str, given: Mapping[str, Any]
) -> bool:
    """Whether the person allows a call that asks first. Raises ToolError where nobody can be asked."""
    waits = Event(0, 0, "call", "", tool=name, args=dict(given))
    message = approval.question(session.toolbox, waits)
    try:
        answer = await asked(ctx, params, "approval", message, (approval.YES, approval.NO), session.id)
    except Unasked:
        raise ToolError(
            f"{name} asks before it runs, and this client can ask nobody; call it in Azimuth."
        ) from None
    return answer == approval.YES


async def _ask(
    ctx: Context,
    params: types.CallToolRequestParams,
    visitors: Visitors,
    person: Person,
    request: str,
    named: str | None,
) -> types.CallToolResult:
    """The whole copilot, until it has answered; where it asks back, its person is asked if the client can."""
    if not request.strip():
        raise ToolError("The request is empty; write what you would like to see.")
    if (sentence := too_much(request)) is not None:
        raise ToolError(sentence)
    resumed = params.request_state if params.input_responses else None
    session = visitors.session(person, resumed or named) if resumed or named else visitors.begin(person)
    if resumed and not any(each.request is not None for each in session.turns):
        raise ToolError("Nothing was asked in that session; ask first.")
    answer = session.answer() if resumed else await _answered(ctx, visitors, session, request)
    for _ in range(MOST_QUESTIONS):
        question = answer.state.ui.question
        if answer.outcome != "asked" or question is None:
            break
        key = f"question-{len(session.events)}"
        try:
            said = await asked(ctx, params, key, question.text, question.choices, session.id)
        except Unasked:
            break
        if said is None:
            break
        answer = await _answered(ctx, visitors, session, said)
    return _answer(session, answer)


async def _answered(ctx: Context, visitors: Visitors, session: Session, request: str) -> Answer:
    options = settings_of(session.engine.store, session.id)

    def work(stop: threading.Event) -> Answer:
        with visitors.working(session):
            turn = 0
            for event in session.stream(
                request, agent=options.agent, shots=options.shots, source=SOURCE, stop=stop
            ):
                turn = event.turn
            return session.answer(turn)

    return await worked(ctx, session, work)


def _answer(session: Session, answer: Answer) -> types.CallToolResult:
    plain = answer.to_json()
    plain.pop("state")
    question = answer.state.ui.question if answer.outcome == "asked" else None
    if question is not None:
        plain["question"] = {"text": question.text, "choices": list(question.choices)}
    made = {value for each in answer.calls if each.ok for value in _named_in(each)}
    links = [resources.link_to(session, each) for each in answer.state.artifacts if each.id in made]
    choices = f" Choices: {'; '.join(question.choices)}." if question is not None and question.choices else ""
    return _said(
        f"{answer.reply}{choices}", {"session": session.id, **plain}, links, failed=answer.outcome == "failed"
    )


async def _search(ctx: Context, session: Session, given: Mapping[str, Any]) -> types.CallToolResult:
    query = str(given.get("query", "")).strip()[:1000]
    most = given.get("most", 8)
    if not query or not isinstance(most, int) or not 1 <= most <= 30:
        raise ToolError("A search needs `query`, in words, and `most` from 1 to 30.")

    def work(stop: threading.Event) -> list[dict[str, Any]]:
        from copilot.retrieval import index_of
        from copilot.retrieval.gate import present
        from copilot.retrieval.ranking import nearest, parts_of

        names = nearest(index_of(session.toolbox), parts_of(query), has=present(session.state))
        return found([session.toolbox.get(name) for name in names[:most]])

    tools = await worked(ctx, session, work)
    text = "\n".join(f"{each['name']}: {each['description'].splitlines()[0]}" for each in tools)
    return _said(text, {"session": session.id, "tools": tools})


def _named(given: Mapping[str, Any]) -> str | None:
    named = given.get("session")
    if named is not None and not isinstance(named, str):
        raise ToolError("`session` is the id of a session.")
    return named or None


def failed(sentence: str) -> types.CallToolResult:
    """A call that came to nothing, in a sentence that the model reads."""
    return _said(sentence, {}, failed=True)


def _said(
    text: str, data: Mapping[str, Any], more: list[Any] | None = None, *, failed: bool = False
) -> types.CallToolResult:
    blocks: list[Any] = [types.TextContent(type="text", text=text), *(more or [])]
    plain = json.loads(json.dumps(dict(data), default=str))
    return types.CallToolResult(content=blocks, structured_content=plain or None, is_error=failed)
