"""Why a model comes where it does, and what one gives up by taking it instead of another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from data.modelzoo.fitting import Fit, machines
from data.modelzoo.ranking import WEIGHTS, Ranked

MOST_REASONS = 3
CLEARLY = 1.0
"""Points of a rating by which one model is clearly ahead of another."""
_TITLES = {
    "application": "application",
    "modality": "kind of data",
    "performance": "reported performance",
    "efficiency": "size",
    "generalizability": "breadth of its training",
    "popularity": "popularity",
    "recency": "recency",
}


@dataclass(frozen=True)
class TradeOff:
    """What another model does better than the first."""

    other: str
    criterion: str
    said: str


def reasons(ranked: Ranked) -> tuple[str, ...]:
    """What speaks most for a model: the reasons of the criteria that bring it the most points above the
    middle.
    """
    gains = {name: WEIGHTS[name] * (each.value - 3) for name, each in ranked.ratings.items() if each.is_known}
    best = sorted((name for name, gain in gains.items() if gain > 0), key=lambda name: -gains[name])
    return tuple(ranked.ratings[name].reason for name in best[:MOST_REASONS])


def weaknesses(ranked: Ranked) -> tuple[str, ...]:
    """What speaks against it: the reasons of the criteria that rate 2 or less, the weightiest first."""
    low = [name for name, each in ranked.ratings.items() if each.is_known and each.value <= 2]
    return tuple(ranked.ratings[name].reason for name in sorted(low, key=lambda name: -WEIGHTS[name]))


def not_stated(ranked: Ranked) -> tuple[str, ...]:
    """The criteria of which its record states nothing."""
    return tuple(_TITLES[name] for name, each in ranked.ratings.items() if not each.is_known)


def trade_offs(first: Ranked, others: Sequence[Ranked]) -> tuple[TradeOff, ...]:
    """In which criterion each of the others is clearly ahead of the first, the weightiest of them."""
    found = []
    for other in others:
        ahead = [name for name in WEIGHTS if other.ratings[name].value - first.ratings[name].value >= CLEARLY]
        if ahead:
            name = max(ahead, key=lambda each: WEIGHTS[each])
            said = f"better in {_TITLES[name]} ({other.ratings[name].reason})"
            found.append(TradeOff(other.id, name, said))
    return tuple(found)


def fit_in_words(fit: Fit | None) -> str:
    """An estimate as a sentence part."""
    if fit is None:
        return "its number of parameters is not stated, so nothing is said of memory and time"
    named = machines()[fit.device].named
    said = f"about {fit.memory_gb:.1f} GB and {_seconds(fit.seconds)} an image on {named} (an estimate)"
    if fit.trains:
        return f"{said}, where all of it can be trained ({fit.train_gb:.0f} GB)"
    if fit.fits:
        return (
            f"{said}; training all of it would take {fit.train_gb:.0f} GB, so only a head on frozen features"
        )
    return f"{said}, which is more than there is"


def _seconds(seconds: float) -> str:
    return f"{seconds:.1g} s" if seconds < 1 else f"{seconds:.1f} s"
