"""What others published on their own tasks. It stands beside our figures for scale, and is no comparison.

Only figures that could be looked up are here; the other rows of the table are left out, not guessed.
"""

from __future__ import annotations

from dataclasses import dataclass

SOURCE = (
    "Singh, Fore, Stamoulis: GeoLLM-Engine: A Realistic Environment for Building Geospatial Copilots, "
    "CVPR Workshops 2024, arXiv 2404.15500, Table 4"
)
CAVEAT = (
    "Published figures were measured on other tasks, other tools and other data: they give the scale, "
    "they do not compare."
)
LENGTHS = (
    "There, success was above 95 % on tasks of one call and below 70 % on the longest (eight calls and more)."
)


@dataclass(frozen=True)
class Published:
    """One row as it was published; shares from 0 to 1, None where it could not be looked up."""

    model: str
    prompting: str
    shots: str
    success: float | None
    correctness: float | None

    @property
    def name(self) -> str:
        """The row in a few words."""
        return f"{self.model}, {self.prompting}, {self.shots}"


ROWS = (Published("GPT-4 Turbo", "ReAct", "few-shot", success=0.811, correctness=0.843),)
