"""With what a session's requests are answered: which agent, and how many examples it is shown."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from copilot.agents import NAMES
from state.store import Store

MAX_SHOTS = 5


@dataclass(frozen=True)
class Settings:
    """What the next request of a session is answered with."""

    agent: str = "direct"
    shots: int = 0
    """How many examples of answered requests the model is shown."""


def settings_of(store: Store, session_id: str) -> Settings:
    """The session's settings; for what was never set, or is no longer known, the usual ones."""
    kept, usual = store.settings(session_id), Settings()
    agent, shots = kept.get("agent"), kept.get("shots")
    return Settings(
        agent if agent in NAMES else usual.agent,
        shots if isinstance(shots, int) and 0 <= shots <= MAX_SHOTS else usual.shots,
    )


def keep(store: Store, session_id: str, settings: Settings) -> None:
    """Set them. Raises ValueError for an agent or a number that there is not, UnknownSession."""
    if settings.agent not in NAMES:
        raise ValueError(f"There is no agent '{settings.agent}'. Agents: {', '.join(NAMES)}.")
    if not 0 <= settings.shots <= MAX_SHOTS:
        raise ValueError(f"A model is shown 0 to {MAX_SHOTS} examples, not {settings.shots}.")
    store.set_settings(session_id, asdict(settings))
