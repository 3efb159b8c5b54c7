"""What a run may cost."""

from __future__ import annotations

from dataclasses import dataclass

from copilot.bench.run.store import Progress


@dataclass(frozen=True)
class Limits:
    """Tokens and money that a run may use, over all the times it is gone on with; None: no limit."""

    tokens: int | None = None
    usd: float | None = None

    @property
    def any(self) -> bool:
        """Whether there is a limit."""
        return self.tokens is not None or self.usd is not None

    def reached(self, progress: Progress) -> str:
        """Which limit is reached, in one sentence; empty while none is."""
        if self.tokens is not None and progress.tokens >= self.tokens:
            return f"The limit of {self.tokens:,} tokens is reached: {progress.tokens:,} were used."
        if self.usd is not None and progress.usd >= self.usd:
            return f"The limit of {self.usd:g} USD is reached: {progress.usd:.2f} were spent."
        return ""
