"""How many tasks of each kind, and how often each intent: the mix of categories and the calls a request.

GeoLLM-Engine's requests are of three kinds (load-filter-plot, UI and web navigation, information seeking)
and need about 5.2 calls each. Its shares of the kinds are not in the texts at hand, so these are ours.
Intents are weighted by exp(tilt x calls), with the tilt that brings the mean to the aim; an intent that can
only be said and filled in few ways is not asked for more tasks than it has.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from copilot.bench.build.intents import Intent
from copilot.bench.build.slots import LITERAL
from copilot.bench.build.wording import ways
from copilot.bench.task import KINDS, Kind

SHARES: Mapping[Kind, float] = {"load-filter-plot": 0.6, "ui-web": 0.2, "information": 0.2}
CALLS_A_REQUEST = 5.2
SIZES: Mapping[str, int] = {"500": 500, "10k": 10_000, "100k": 100_000}
_USED = 0.5
"""The share of an intent's ways that is counted on: drawn at random, the last ones take long to come."""
COSTLY: Mapping[str, float] = {"export_map": 0.1}
"""Tools whose intents are drawn less often, so that a benchmark is made and replayed in minutes."""
_MOST_TILT = 1.5
_PLENTY = 10_000
"""Ways of a slot that is filled from the catalogue's rows."""


@dataclass(frozen=True)
class Mix:
    """The number of tasks of each kind, and each intent's share within its kind."""

    quotas: Mapping[Kind, int]
    weights: Mapping[Kind, Mapping[str, float]]
    expected_calls: float


def size_named(text: str) -> int:
    """`500`, `10k`, `100k` or a number as a number of tasks. Raises ValueError."""
    if text in SIZES:
        return SIZES[text]
    if not text.isdigit() or not int(text):
        raise ValueError(f"'{text}' is no number of tasks; give one such as 500, 10k or 100k.")
    return int(text)


def mix_of(intents: Sequence[Intent], size: int, calls: float = CALLS_A_REQUEST) -> Mix:
    """The mix of a benchmark of that size. Raises ValueError when there is nothing to make it of."""
    by_kind = {kind: [each for each in intents if each.category == kind] for kind in KINDS}
    shares = {kind: SHARES[kind] for kind in KINDS if by_kind[kind]}
    if not shares:
        raise ValueError("There are no intents to make tasks of.")
    total = sum(shares.values())
    quotas = _quotas({kind: share / total for kind, share in shares.items()}, size)
    low, high = -_MOST_TILT, _MOST_TILT
    for _ in range(40):  # the mean grows with the tilt, so halving finds it
        tilt = (low + high) / 2
        if _mean(by_kind, quotas, tilt) < calls:
            low = tilt
        else:
            high = tilt
    weights = {kind: _weights(by_kind[kind], quotas[kind], high) for kind in quotas}
    return Mix(quotas, weights, _mean(by_kind, quotas, high))


def capacity(intent: Intent) -> int:
    """About how many different tasks an intent can give."""
    fills = 1
    for slot in intent.slots.values():
        fills *= len(slot.choices) if slot.kind == LITERAL else _PLENTY
        if fills >= _PLENTY:
            return _PLENTY * 100
    return max(1, int(fills * ways(intent) * _USED))


def _quotas(shares: Mapping[Kind, float], size: int) -> dict[Kind, int]:
    quotas = {kind: int(share * size) for kind, share in shares.items()}
    for kind in sorted(shares, key=lambda kind: quotas[kind] - shares[kind] * size)[
        : size - sum(quotas.values())
    ]:
        quotas[kind] += 1
    return {kind: quota for kind, quota in quotas.items() if quota}


def _weights(intents: Sequence[Intent], quota: int, tilt: float) -> dict[str, float]:
    """Shares of the intents of one kind, none above what it can give."""
    left = {each.id: math.exp(tilt * len(each.calls)) * _thrift(each) for each in intents}
    most = {each.id: capacity(each) / quota for each in intents}
    weights: dict[str, float] = {}
    while left:
        rest = 1 - sum(weights.values())
        scale = rest / sum(left.values())
        full = {name for name, weight in left.items() if weight * scale > most[name]}
        if not full or rest <= 0:
            weights |= {name: max(0.0, weight * scale) for name, weight in left.items()}
            break
        weights |= {name: most[name] for name in full}
        left = {name: weight for name, weight in left.items() if name not in full}
    return weights


def _thrift(intent: Intent) -> float:
    """Less than 1 for what takes a second to play: a page with every image of the map."""
    return math.prod(COSTLY.get(call.tool, 1.0) for call in intent.calls)


def _mean(by_kind: Mapping[Kind, Sequence[Intent]], quotas: Mapping[Kind, int], tilt: float) -> float:
    total = 0.0
    for kind, quota in quotas.items():
        weights = _weights(by_kind[kind], quota, tilt)
        share = sum(weights.values())
        total += quota * sum(weights[each.id] * len(each.calls) for each in by_kind[kind]) / share
    return total / sum(quotas.values())
