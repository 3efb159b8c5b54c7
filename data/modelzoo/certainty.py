"""How sure a recommendation is: how the request was read, what the records state, how far the first is
ahead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from data.modelzoo.ranking import Ranked

ENOUGH = 0.5
"""Below this the agent asks, where an answer would change what comes first."""
CLEAR_LEAD = 10.0
"""Points of the score by which the first is clearly ahead of the first that is not shown."""


@dataclass(frozen=True)
class Confidence:
    """reading × evidence × (0.6 + 0.4 × lead), each 0 to 1."""

    reading: float
    """How surely the application was read: 1 for a phrase of the lexicon, else the cosine; 1 once it was
    chosen.
    """
    evidence: float
    """The share of the weights whose criteria the first model's record states."""
    lead: float
    """How far the first is ahead of the first that is not shown, in parts of a clear lead."""

    @property
    def overall(self) -> float:
        """0 to 1."""
        return round(self.reading * self.evidence * (0.6 + 0.4 * self.lead), 2)

    @property
    def is_enough(self) -> bool:
        """Whether to answer without another question."""
        return self.overall >= ENOUGH


def confidence(ranked: Sequence[Ranked], k: int, reading: float) -> Confidence:
    """The confidence in the first of a ranking of which k are shown; none in an empty one."""
    if not ranked:
        return Confidence(reading, 0.0, 0.0)
    behind = ranked[k].score if len(ranked) > k else 0.0
    lead = min(1.0, max(0.0, (ranked[0].score - behind) / CLEAR_LEAD))
    return Confidence(reading, ranked[0].known, lead)
