"""What of the checks can be set."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Settings:
    """How strictly a run is held against the gold. Figures of different settings are never compared."""

    epsilon: float = 0.01
    """How far a number may be off: as a share of its size, and in degrees for coordinates."""
    least_rouge: float = 0.3
    """The ROUGE-L recall from which the words of a reply, or of a notice, count as the gold's."""
    by_effect: bool = True
    """True: a call is right when its effect is, whatever its tool or its words ("Pittsburgh" and its box).
    False: to the letter, each argument is held against the gold's."""

    def to_json(self) -> dict[str, Any]:
        """The settings as they are stored with figures."""
        return asdict(self)
