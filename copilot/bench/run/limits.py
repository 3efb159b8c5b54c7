"""What a run may cost, and whether that can be known."""

from __future__ import annotations

import os
from dataclasses import dataclass

from copilot.bench.run.store import Progress
from copilot.models import EMBEDDED
from copilot.prices import price_of


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
        used = progress.tokens + progress.estimated
        if self.tokens is not None and used >= self.tokens:
            estimated = f", {progress.estimated:,} of them estimated" if progress.estimated else ""
            return f"The limit of {self.tokens:,} tokens is reached: {used:,} were used{estimated}."
        if self.usd is not None and progress.usd >= self.usd:
            return f"The limit of {self.usd:g} USD is reached: {progress.usd:.2f} were spent."
        return ""

    def cannot_be_kept(self, model: str) -> str:
        """Why the limit in money means nothing for that model, in one sentence; empty when it holds.

        Raises copilot.prices.UnreadablePrices.
        """
        if self.usd is None or model == EMBEDDED:
            return ""
        for name in filter(None, (model, os.environ.get("COPILOT_FALLBACK_MODEL"))):
            if price_of(name) is None:
                return (
                    f"No price is known for '{name}' at this address, so a limit in USD cannot be kept; put "
                    "the price into a file that $COPILOT_PRICES names, or use --limit-tokens."
                )
        return ""
