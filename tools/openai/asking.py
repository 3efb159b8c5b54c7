"""Ask the chat model that is configured, in OpenAI's protocol: bounded in time, once, and told in a sentence.

The key goes into the request's header and nowhere else; what a server says of it is masked.
"""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable
from functools import cache
from typing import Any

from tools.base import ChatAddress, ToolError, World

MAX_SECONDS = 90.0
"""In all, however slowly a server drips its answer."""
_CONNECT_SECONDS = 5.0
MAX_REPLY_CHARS = 50_000
_SAID_CHARS = 200


def address_of(world: World) -> ChatAddress:
    """The configured model. Raises ToolError at once where none is."""
    if world.chat is None:
        raise ToolError(
            "No chat model is configured; set OPENAI_API_KEY, or OPENAI_BASE_URL to a server of your "
            "own, and "
            "COPILOT_MODEL to the model's name."
        )
    return world.chat


def completed(address: ChatAddress, messages: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """The model's reply to a conversation, with "model", "prompt_tokens", "completion_tokens" and "finish".

    Raises ToolError for a server that refuses, fails, takes too long or is none.
    """

    def ask(client: Any) -> Any:
        return client.chat.completions.create(model=address.model, messages=messages, temperature=0, **more)

    answer = _asked(address, ask)
    try:
        choice = answer.choices[0]
        reply, refusal = choice.message.content, getattr(choice.message, "refusal", None)
        usage = answer.usage
        finish = choice.finish_reason
    except (AttributeError, IndexError, TypeError):
        raise ToolError(_no_protocol()) from None
    if refusal:
        raise ToolError(f"The model refused: {_short(str(refusal), address)}.")
    if not isinstance(reply, str) or not reply.strip():
        raise ToolError("The model answered with nothing; ask in other words, or allow more tokens.")
    return {
        "reply": _clean(reply)[:MAX_REPLY_CHARS],
        "model": _short(str(getattr(answer, "model", None) or address.model), address),
        "prompt_tokens": getattr(usage, "prompt_tokens", None),
        "completion_tokens": getattr(usage, "completion_tokens", None),
        "finish": str(finish) if finish else None,
    }


def embedded(address: ChatAddress, texts: list[str], model: str) -> list[list[float]]:
    """A vector for each text, by the endpoint's model. Raises ToolError as `completed` does."""

    def ask(client: Any) -> Any:
        return client.embeddings.create(model=model, input=texts, encoding_format="float")

    answer = _asked(address, ask)
    try:
        ordered = sorted(answer.data, key=lambda each: each.index)
        vectors = [[float(value) for value in each.embedding] for each in ordered]
    except (AttributeError, TypeError, ValueError):
        raise ToolError(_no_protocol()) from None
    if len(vectors) != len(texts) or len({len(each) for each in vectors}) != 1:
        raise ToolError(
            f"The server gave {len(vectors)} vectors for {len(texts)} texts; it embeds them wrongly."
        )
    return vectors


def _asked(address: ChatAddress, ask: Callable[[Any], Any]) -> Any:
    """What the server answers, waited for in a thread of its own: a client's timeout is for each read."""
    import openai

    limit = openai.Timeout(MAX_SECONDS, connect=_CONNECT_SECONDS)
    client = openai.OpenAI(
        api_key=address.key,
        base_url=address.base_url,
        timeout=limit,
        max_retries=0,
        http_client=openai.DefaultHttpxClient(verify=_certificates(), timeout=limit),
    )
    outcome: list[Any] = []

    def work() -> None:
        try:
            outcome.append((ask(client), None))
        except Exception as error:
            outcome.append((None, error))

    thread = threading.Thread(target=work, name="chat-model", daemon=True)
    thread.start()
    thread.join(MAX_SECONDS)
    client.close()  # ends a read that is still waiting
    if not outcome:
        raise ToolError(f"The model's server did not answer within {MAX_SECONDS:g} seconds; try again.")
    answer, error = outcome[0]
    if error is not None:
        raise ToolError(_sentence(error, address)) from None
    if isinstance(answer, str):
        raise ToolError(_no_protocol())
    return answer


@cache
def _certificates() -> ssl.SSLContext:
    """Whom a server's certificate is believed from. Reading them costs 50 ms, so once."""
    import certifi

    return ssl.create_default_context(cafile=certifi.where())


def _sentence(error: Exception, address: ChatAddress) -> str:
    """What went wrong, for the user; the key is masked."""
    import openai

    status = getattr(error, "status_code", None)
    if isinstance(error, openai.APITimeoutError):
        return f"The model's server did not answer within {MAX_SECONDS:g} seconds; try again."
    if isinstance(error, openai.APIConnectionError):
        return "The model's server cannot be reached; check OPENAI_BASE_URL and the network."
    if status in (401, 403):
        return f"The model's server refused the key ({status}); check OPENAI_API_KEY."
    if status == 404:
        return (
            f"The model's server does not know the model {_short(address.model, address)!r} or the "
            "address (404); "
            "check COPILOT_MODEL and OPENAI_BASE_URL."
        )
    if status == 429:
        return "The model's server takes no more requests now (429); wait a little, or check your limits."
    if isinstance(status, int) and status >= 500:
        return f"The model's server failed ({status}); try again."
    if status is not None:
        return f"The model's server refused the request ({status}): {_short(_message(error), address)}."
    return _no_protocol()


def _message(error: Exception) -> str:
    body = getattr(error, "body", None)
    said = body.get("message") if isinstance(body, dict) else None
    return str(said or getattr(error, "message", "") or "it gave no reason")


def _no_protocol() -> str:
    return "What answers at OPENAI_BASE_URL is no OpenAI-compatible server; its address ends in /v1."


def _short(text: str, address: ChatAddress) -> str:
    masked = text.replace(address.key, "***") if address.key != "none" else text
    plain = " ".join(_clean(masked).split()).rstrip(".")
    return plain if len(plain) <= _SAID_CHARS else f"{plain[:_SAID_CHARS]}…"


def _clean(text: str) -> str:
    """Without halves of characters and controls, which no record can hold."""
    whole = text.encode("utf-8", "replace").decode("utf-8")
    return "".join(each for each in whole if each in "\n\t" or each.isprintable())


def object_in(reply: str) -> Any:
    """The JSON in a reply, which some models put between a code block's marks. Raises ToolError."""
    text = reply.strip()
    if text.startswith("```"):
        text = text.split("\n", 1)[-1].rsplit("```", 1)[0]
    try:
        return json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        raise ToolError(f"The model's answer is no JSON: {_short(reply[:400], ChatAddress(''))}.") from None
