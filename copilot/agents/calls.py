"""The calls in a streamed message, read strictly: half of an argument is no argument."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    InvalidToolCall,
    ToolCall,
    message_chunk_to_message,
)
from langchain_core.messages.tool import invalid_tool_call, tool_call


def whole_message(chunks: AIMessageChunk) -> AIMessage:
    """The message that a stream adds up to.

    LangChain completes arguments that were cut off to what JSON they could have begun, so as to show them
    while they come. A call whose arguments did not come whole is no call.
    """
    message = message_chunk_to_message(chunks)
    assert isinstance(message, AIMessage)
    if chunks.tool_call_chunks:
        message.tool_calls, message.invalid_tool_calls = _calls(chunks.tool_call_chunks)
    return message


def _calls(chunks: Iterable[Any]) -> tuple[list[ToolCall], list[InvalidToolCall]]:
    right, wrong = [], []
    for each in chunks:
        name, text, called = each["name"] or "", each["args"] or "", each["id"]
        args = _object(text)
        if args is None:
            wrong.append(invalid_tool_call(name=name, args=text, id=called, error=None))
        else:
            right.append(tool_call(name=name, args=args, id=called))
    return right, wrong


def _object(text: str) -> dict[str, Any] | None:
    """The arguments; None when the text is no JSON object. Servers leave out those of a call without any."""
    if not text.strip():
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
