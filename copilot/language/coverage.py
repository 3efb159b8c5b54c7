"""Coverage: which words of a request the steps of a frame account for.

Each word is taken to have been said because of one token of the frame, or of none (IBM Model 1: Brown et al.
1993, "The Mathematics of Statistical Machine Translation", Computational Linguistics 19(2)). What the bank
tells of a word: how much of it was said for nothing, and how much for each tool, argument and literal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from copilot.language.alignment import stemmed
from copilot.language.frame import Frame, Literal, Pointer, Step, Value
from copilot.language.shown import Shown
from state.codec import canonical

HALF = 0.5
"""Of a word: where less of it is left, it is accounted for."""
NOTHING = ""
"""The token of words that are said for no step: "please", "the"."""
SHORTEST = 2
"""Letters of a word that can carry a meaning."""
VALUES: Mapping[str, frozenset[str]] = {
    "place": frozenset({"place", "country", "field", "value"}),
    "date": frozenset({"start", "end", "date", "until"}),
    "class": frozenset({"classes", "phrase", "value"}),
    "dataset": frozenset({"names"}),
    "attribute": frozenset({"value", "field"}),
    "event": frozenset({"value", "field"}),
    "layer": frozenset({"layer"}),
    "color": frozenset({"color"}),
    "percent": frozenset({"value", "opacity", "fraction"}),
    "distance": frozenset({"radius_km", "distance_m"}),
}
"""Kinds of mentions that are values, each with the arguments that may have it without pointing at it."""


@dataclass(frozen=True)
class Coverage:
    """What words stand for: each stem with its share of each token; the shares of a stem come to 1."""

    shares: Mapping[str, Mapping[str, float]]

    def left(self, shown: Shown, frame: Frame) -> tuple[tuple[str, float], ...]:
        """Each word that no value is read from, with the share of it that nothing in the frame accounts for.

        A word that was never learned is left whole.
        """
        said = {NOTHING, *tokens_of(frame)}
        return tuple(
            (word, 1 - sum(share for token, share in self.shares.get(stem, {}).items() if token in said))
            for word, stem in free_words(shown, frame)
        )

    def unsaid(self, shown: Shown, frame: Frame) -> float:
        """How many steps of the frame no word of the request speaks for: those that are spoken for in part
        count as the rest."""
        stems = [stem for _, stem in free_words(shown, frame)]
        return sum(1 - self._spoken_for(step, stems) for step in frame)

    def _spoken_for(self, step: Step, stems: Sequence[str]) -> float:
        tokens = tokens_of((step,))
        found = (self.shares.get(stem, {}).get(token, 0.0) for stem in stems for token in tokens)
        return max(found, default=0.0)


NO_COVERAGE = Coverage({})
"""Before anything is learned."""


def free_words(shown: Shown, frame: Frame) -> Iterator[tuple[str, str]]:
    """The words of the request that the frame points at with no value, each with its stem."""
    pointers = (value for _, value in _values(frame) if isinstance(value, Pointer))
    pointed = {n for each in pointers for n in range(each.first, each.last + 1)}
    for n, word in enumerate(shown.request):
        if n not in pointed and len(word.text) >= SHORTEST and word.text[0].isalpha():
            yield word.text, stemmed(word.text)


def unread(shown: Shown, frame: Frame) -> tuple[str, ...]:
    """The places, days, classes and other values that are named in the request and read by no step."""
    pointed = [value for _, value in _values(frame) if isinstance(value, Pointer)]
    taken = {n for each in pointed for n in range(each.first, each.last + 1)}
    named = {stemmed(shown.words[n]) for n in taken if n >= len(shown.request)}
    literal = {name for name, value in _values(frame) if isinstance(value, Literal)}
    found = dict[str, None]()
    for kind, start, end in shown.mentions.tagged:
        words = shown.at(start, end)
        if kind not in VALUES or words is None or literal & VALUES[kind]:
            continue
        within = range(words[0], words[1] + 1)
        if not taken & {*within} and not named & {stemmed(shown.words[n]) for n in within}:
            found[shown.said(*words)] = None
    return tuple(found)


def not_accounted_for(unused: Sequence[str], left: Sequence[tuple[str, float]]) -> tuple[str, ...]:
    """Those of some named values that nothing accounts for: a tool that finds water says all of "the water".

    `left` as `Coverage.left` gives it.
    """
    shares = dict(left)
    return tuple(each for each in unused if any(shares.get(word, 1.0) > HALF for word in each.split()))


def names_passed_over(shown: Shown, arguments: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    """What the request calls by a name that is no common word, and no call is given.

    "Only those with yield_t over 7" is of the column yield_t, whatever else is likely.
    """
    said, given = shown.mentions.text.casefold(), canonical([*map(dict, arguments)]).casefold()
    names = {each.item.value for each in shown.places if isinstance(each.item.value, str)}
    return frozenset(
        each for each in names if "_" in each and each.casefold() in said and each.casefold() not in given
    )


def _values(frame: Frame) -> Iterator[tuple[str, Value]]:
    """Every value with its argument."""
    return ((name, value) for step in frame for name, values in step.arguments for value in values)


def tokens_of(frame: Frame) -> tuple[str, ...]:
    """What words can be said for: tools, their arguments, literals, and that there are several steps."""
    found = dict[str, None]()
    for step in frame:
        found[step.tool] = None
        for name, values in step.arguments:
            found[f"{step.tool}.{name}"] = None
            found |= {f"{name} {each.json}": None for each in values if isinstance(each, Literal)}
    if len(frame) > 1:
        found["steps"] = None
    return tuple(found)


def learned_coverage(
    pairs: Sequence[tuple[Sequence[str], Sequence[str]]], rounds: int = 8, least: float = 0.02
) -> Coverage:
    """From (stems, tokens) of many requests, by expectation maximisation.

    Stems that were said once only are left out, and shares below `least`.
    """
    counts: dict[str, int] = {}
    for stems, _ in pairs:
        for stem in set(stems):
            counts[stem] = counts.get(stem, 0) + 1
    likely = dict[tuple[str, str], float]()  # p(stem | token), even at the beginning
    found = dict[tuple[str, str], float]()
    for _ in range(rounds):
        found, totals = {}, dict[str, float]()
        for stems, tokens in pairs:
            causes = (NOTHING, *tokens)
            for stem in stems:
                weights = [likely.get((stem, each), 0.0) if likely else 1.0 for each in causes]
                whole = sum(weights)
                for cause, weight in zip(causes, weights, strict=True):
                    if weight > 0:
                        share = weight / whole
                        found[stem, cause] = found.get((stem, cause), 0.0) + share
                        totals[cause] = totals.get(cause, 0.0) + share
        likely = {(stem, cause): count / totals[cause] for (stem, cause), count in found.items()}
    by_stem: dict[str, dict[str, float]] = {}
    for (stem, cause), count in found.items():
        if counts[stem] > 1:
            by_stem.setdefault(stem, {})[cause] = count
    shares = {}
    for stem, causes_of in by_stem.items():
        whole = sum(causes_of.values())
        kept = {cause: count / whole for cause, count in causes_of.items() if count / whole >= least}
        rest = sum(kept.values())
        shares[stem] = {cause: share / rest for cause, share in kept.items()}
    return Coverage(shares)
