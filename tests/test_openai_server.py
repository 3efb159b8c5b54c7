"""The tests' own server, as the official client reads it: what it sends is the protocol."""

from __future__ import annotations

from typing import Any

import openai
import pytest

from tests.openai_server import (
    KEY,
    Says,
    calls,
    ends,
    fails,
    no_utf8,
    openai_server,
    page_instead,
    refuses,
    says,
)

ASKED: Any = {"model": "small", "messages": [{"role": "user", "content": "Zoom in."}]}


def client(url: str, **options: Any) -> openai.OpenAI:
    return openai.OpenAI(api_key=KEY, base_url=url, **{"max_retries": 0, "timeout": 0.5, **options})


def read(script: Says, streamed: bool) -> dict[str, Any]:
    """The message that the client makes of a reply, whole or in pieces, with its tokens."""
    with openai_server(script) as server, client(server.url) as found:
        if not streamed:
            answer = found.chat.completions.create(**ASKED)
            message, usage = answer.choices[0].message, answer.usage
            made = [
                (call.id, call.function.name, call.function.arguments) for call in message.tool_calls or ()
            ]
            return {
                "text": message.content or "",
                "refusal": message.refusal or "",
                "calls": made,
                "reason": answer.choices[0].finish_reason,
                "tokens": usage and usage.total_tokens,
            }
        got: dict[str, Any] = {"text": "", "refusal": "", "calls": [], "reason": None, "tokens": None}
        for chunk in found.chat.completions.create(
            **ASKED, stream=True, stream_options={"include_usage": True}
        ):
            got["tokens"] = chunk.usage.total_tokens if chunk.usage else got["tokens"]
            for choice in chunk.choices:
                got["text"] += choice.delta.content or ""
                got["refusal"] += choice.delta.refusal or ""
                got["reason"] = choice.finish_reason or got["reason"]
                for part in choice.delta.tool_calls or ():
                    if part.id:
                        got["calls"].append((part.id, part.function.name, ""))
                    called, name, said = got["calls"][part.index]
                    got["calls"][part.index] = (called, name, said + part.function.arguments)
        return got


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    ("script", "wanted"),
    [
        (says("a longer answer than one piece"), {"text": "a longer answer than one piece"}),
        (
            calls(("zoom_map", {"level": 4}), ("db_load", '{"names": '), text="First I look."),
            {
                "text": "First I look.",
                "calls": [("call_1", "zoom_map", '{"level": 4}'), ("call_2", "db_load", '{"names": ')],
                "reason": "tool_calls",
            },
        ),
        (refuses("I will not do that."), {"refusal": "I will not do that."}),
        (says(""), {}),
    ],
)
def test_a_message_comes_out_the_same_whole_and_in_pieces(
    script: Says, wanted: dict[str, Any], streamed: bool
) -> None:
    plain = {"text": "", "refusal": "", "calls": [], "reason": "stop", "tokens": 111}
    assert read(script, streamed) == {**plain, **wanted}


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    ("script", "error"),
    [
        (fails(429, "Slow down.", Retry_After="1"), openai.RateLimitError),
        (fails(500, "Oops."), openai.InternalServerError),
        (ends("dropped"), openai.APIConnectionError),
        (ends("hangs"), openai.APITimeoutError),
        (ends("cut"), Exception),
        (ends("stalls"), Exception),
    ],
)
def test_what_goes_wrong_is_met_by_the_client_as_an_error(
    script: Says, error: type[Exception], streamed: bool
) -> None:
    with pytest.raises(error):
        read(script, streamed)


@pytest.mark.parametrize("script", [page_instead(), no_utf8()])
def test_a_body_that_is_no_answer_gives_the_client_none(script: Says) -> None:
    with pytest.raises(Exception):  # noqa: B017 - which one is the client's own affair
        read(script, streamed=False)


def test_a_script_goes_on_with_its_last_reply_and_keeps_what_was_asked() -> None:
    with (
        openai_server(says("one"), lambda asked: says(asked["model"])) as server,
        client(server.url) as found,
    ):
        said = [found.chat.completions.create(**ASKED).choices[0].message.content for _ in range(3)]
    assert said == ["one", "small", "small"]
    assert server.asked == [{"path": "/v1/chat/completions", **ASKED}] * 3
    assert server.keys == [f"Bearer {KEY}"] * 3
