"""Confidence: how probable it is that a reading is right, from what else is known of it.

A logistic regression over a few features, fitted on readings of requests in voices that the policy did not
learn from, each with whether its calls led to the right end state.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from copilot.language.decoding import Scored
from copilot.language.shown import REQUEST, Shown

FEATURES = (
    "log_probability", "probability", "least", "margin", "rank", "steps", "words", "left", "most_left",
    "alone", "unread", "agreement", "nearest", "unsaid",
)  # fmt: skip
"""Of the whole frame, the same as a probability, of its least likely token, above the next frame, its place
among them; calls; words said; words that nothing accounts for, in all and at most; whether it was said into
an empty session; named values that no step reads; how far the known requests that are most like it want the
same tools, and how like the likest is; how many steps no word speaks for."""


@dataclass(frozen=True)
class Confidence:
    """The weights of the features, and the constant."""

    weights: tuple[float, ...]
    constant: float
    least: float = 0.5
    """What is less probable is asked about."""

    def of(self, features: Sequence[float]) -> float:
        """A probability."""
        sum_ = self.constant + sum(a * b for a, b in zip(self.weights, features, strict=True))
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, sum_))))


UNFITTED = Confidence((1.0, *(0.0,) * (len(FEATURES) - 1)), 0.0, 0.0)
"""Before it is fitted: by the frame's likelihood, and everything is done."""


def features_of(
    shown: Shown,
    scored: Sequence[Scored],
    number: int,
    left: Sequence[tuple[str, float]],
    unread: Sequence[str],
    unsaid: float,
) -> tuple[float, ...]:
    """The features of one of some frames, in the order of FEATURES."""
    this = scored[number]
    others = [each.log_probability for n, each in enumerate(scored) if n != number]
    margin = this.log_probability - max(others) if others else 5.0
    shares = [share for _, share in left]
    said = sum(kind == REQUEST for kind in shown.kinds)
    return (
        this.log_probability,
        math.exp(this.log_probability),
        this.least,
        max(-5.0, min(5.0, margin)),
        float(number),
        float(len(this.frame)),
        float(said),
        sum(shares),
        max(shares, default=0.0),
        float(shown.is_alone),
        float(len(unread)),
        this.agreement,
        this.nearest,
        unsaid,
    )
