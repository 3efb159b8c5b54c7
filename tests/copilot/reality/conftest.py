"""What every turn must leave behind, however its model behaves."""

from __future__ import annotations

import json
import logging
import re
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from copilot.agents import asking
from copilot.agents.budget import Budget
from copilot.retrieval import shown_tools
from copilot.session import Answer, Session
from copilot.solutions import search_solutions
from state.model import State
from tests.copilot.agents.conftest import check_whole
from tests.openai_server import KEY, OpenAIServer, Says
from tests.suite.walking import WHOLE

Turn = Callable[..., tuple[OpenAIServer, Answer]]

_SENTENCES = re.compile(r"[A-Z][^\n<>{}]{3,250}[.?]")
_TECHNICAL = re.compile(r"Traceback|Error\b|Exception|openai|httpx|langchain|None\b|\bnull\b")


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pauses between two tries, short: what is tested is what comes of them."""
    monkeypatch.setattr(asking, "DELAYS", (0.01, 0.02))


@pytest.fixture(scope="session", autouse=True)
def warm() -> None:
    """Load what picks the tools before the first turn: it takes seconds, and some turns have one."""
    shown_tools("zoom in", State())
    search_solutions("zoom in", ())


@pytest.fixture(params=["whole", "streamed"] if WHOLE else ["either"])
def streamed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Answers that come whole or as a stream: by a test's name one way, in `make test-all` both."""
    by_name = zlib.crc32(request.node.name.encode()) % 2 == 1
    as_stream = by_name if request.param == "either" else request.param == "streamed"
    monkeypatch.setenv("COPILOT_STREAM", "1" if as_stream else "0")
    return as_stream


@pytest.fixture
def turn(
    session: Session, serve: Callable[..., OpenAIServer], caplog: pytest.LogCaptureFixture
) -> Iterator[Turn]:
    """Run one turn on a served model; afterwards the record is whole and the key is nowhere in it."""

    def run(
        *script: Says,
        agent: str = "direct",
        request: str = "Zoom in.",
        seconds: float = 20.0,
        steps: int = Budget.steps,
    ) -> tuple[OpenAIServer, Answer]:
        server = serve(*script)
        with caplog.at_level(logging.DEBUG):
            answer = session.ask(request, agent=agent, budget=Budget(steps=steps, seconds=seconds))
        check_whole(session)
        check_clear(answer.reply)
        return server, answer

    yield run
    assert KEY not in caplog.text
    files = [path for path in session.engine.home.rglob("*") if path.is_file()]
    assert files and [path.name for path in files if KEY.encode() in path.read_bytes()] == []


def check_clear(reply: str) -> None:
    """What the user reads is a sentence or two for people, on one line."""
    assert _SENTENCES.fullmatch(reply), reply
    assert _TECHNICAL.search(reply) is None, reply


def told_after(server: OpenAIServer, index: int) -> list[dict[str, Any]]:
    """What the calls of the request before that one came to, as the model was told it."""
    return [json.loads(each["content"]) for each in server.last_told(index)]
