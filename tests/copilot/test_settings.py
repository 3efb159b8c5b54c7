"""A session keeps the agent and the number of examples that its requests are answered with."""

from __future__ import annotations

from typing import Any

import pytest

from copilot.agents import NAMES
from copilot.session import Session
from copilot.settings import MAX_SHOTS, Settings, keep, settings_of
from state.store import UnknownSession


def test_a_new_session_has_the_usual_settings_and_keeps_others(session: Session) -> None:
    store = session.engine.store
    assert settings_of(store, session.id) == Settings("direct", 0)
    keep(store, session.id, Settings(NAMES[-1], 3))
    assert settings_of(store, session.id) == Settings(NAMES[-1], 3)
    assert settings_of(store, Session.open(engine=session.engine).id) == Settings()
    assert session.events == ()


@pytest.mark.parametrize(
    "kept", [{"agent": "gone", "shots": 99}, {"agent": ["direct"], "shots": "2"}, {"shots": -1}]
)
def test_what_is_no_longer_known_is_read_as_the_usual(session: Session, kept: dict[str, Any]) -> None:
    session.engine.store.set_settings(session.id, kept)
    assert settings_of(session.engine.store, session.id) == Settings()


def test_what_there_is_not_is_never_kept(session: Session) -> None:
    store = session.engine.store
    with pytest.raises(ValueError, match=r"^There is no agent 'crew'\. Agents: direct"):
        keep(store, session.id, Settings("crew"))
    with pytest.raises(ValueError, match=rf"^A model is shown 0 to {MAX_SHOTS} examples, not 6\.$"):
        keep(store, session.id, Settings(shots=6))
    with pytest.raises(UnknownSession):
        keep(store, "nobody", Settings())
    assert settings_of(store, session.id) == Settings()
