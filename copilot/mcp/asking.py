"""Asking the person behind a client, in both of the protocol's ways.

Up to 2025-11-25 the server sends a question of its own and waits. From 2026-07-28 on the call comes back
with the question, and is made again with the answer: what comes before the question must then do no harm
twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

FIELD = "answer"


class Unasked(Exception):
    """The client can ask nobody."""


class Again(Exception):
    """The call comes back with a question, to be made again with its answer."""

    def __init__(self, result: types.InputRequiredResult) -> None:
        super().__init__("a question is open")
        self.result = result


async def asked(
    ctx: ServerRequestContext[Any, Any],
    params: types.InputResponseRequestParams,
    key: str,
    message: str,
    choices: Sequence[str] = (),
    state: str | None = None,
) -> str | None:
    """What the person answers; None where they decline. Raises Unasked, Again."""
    capabilities = ctx.session.client_capabilities
    if capabilities is None or capabilities.elicitation is None:
        raise Unasked
    schema = _form(choices)
    if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
        answer = (params.input_responses or {}).get(key)
        if not isinstance(answer, types.ElicitResult):
            question = types.ElicitRequest(
                params=types.ElicitRequestFormParams(message=message, requested_schema=schema)
            )
            raise Again(types.InputRequiredResult(input_requests={key: question}, request_state=state))
    else:
        answer = await ctx.session.elicit_form(message, schema, related_request_id=ctx.request_id)
    if answer.action != "accept":
        return None
    return str((answer.content or {}).get(FIELD, "")).strip() or None


def _form(choices: Sequence[str]) -> dict[str, Any]:
    """A form of one field."""
    field: dict[str, Any] = {"type": "string", "title": "Your answer"}
    if choices:
        field["enum"] = list(choices)
    return {"type": "object", "properties": {FIELD: field}, "required": [FIELD]}
