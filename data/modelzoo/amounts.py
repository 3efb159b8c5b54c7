"""Numbers of a request with their units: lengths, memory, parameters, labels, per cent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from data.modelzoo.lexicon import Lexicon, Word

_LONGEST_UNIT = 4


@dataclass(frozen=True)
class Amount:
    """A number with its unit: the words `start` to `end`, the last one not included."""

    start: int
    end: int
    value: float
    """In the quantity's base unit."""
    quantity: str | None
    """length_m, memory_gb, parameters_m, period_days, labels, gpus, percent, pixels; None for a bare one."""


def amounts(words: tuple[Word, ...], lexicon: Lexicon) -> Iterator[Amount]:
    """Every number from left to right, with the longest unit that is written behind it."""
    keys = tuple(word.key for word in words)
    for at, word in enumerate(words):
        value = _number(word.text, lexicon)
        if value is None:
            continue
        unit = _unit(keys[at + 1 :], lexicon)
        if unit is not None:
            quantity, factor, length = unit
            yield Amount(at, at + 1 + length, value * factor, quantity)
        elif word.text[0].isdigit():
            yield Amount(at, at + 1, value, None)


def _unit(keys: tuple[str, ...], lexicon: Lexicon) -> tuple[str, float, int] | None:
    for length in range(min(_LONGEST_UNIT, len(keys)), 0, -1):
        for units in lexicon.units:
            if (factor := units.factors.get(keys[:length])) is not None:
                return units.quantity, factor, length
    return None


def _number(text: str, lexicon: Lexicon) -> float | None:
    """A number in digits or as a word: a comma before three digits parts thousands, any other is a point."""
    if not text[0].isdigit():
        return lexicon.numbers.get(text.casefold())
    whole, comma, rest = text.rpartition(",")
    if comma and len(rest) == 3 and rest.isdigit() and whole.replace(",", "").isdigit():
        text = text.replace(",", "")
    try:
        return float(text.replace(",", "."))
    except ValueError:  # 1.2.3 is a version, and no number
        return None
