"""Exchange: the places and classes of a request for others of their kind, so that no name is remembered.

A class is exchanged for one that the same data sets have, which is what is shown of it (holdings.py).
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tokenizers import Tokenizer

from copilot.language.frame import Frame, Pointer, Value
from copilot.language.grammar import Vocabulary
from copilot.language.learning.samples import Sample, with_tokens
from copilot.language.policy import pieces_of
from copilot.language.shown import MAX_WORDS, POINTED, REQUEST

PLACE, CLASS = "place", "class"
Words = tuple[str, ...]


@dataclass(frozen=True)
class Named:
    """A name that a frame points at: words[first:end] of a sample."""

    first: int
    end: int
    group: Words
    """What it can be exchanged within: the kind, and of a class what is shown of it."""
    again: int | None = None
    """Where the view has it."""


class Exchange:
    """The names of many samples by what they can be exchanged within."""

    def __init__(
        self, samples: Iterable[Sample], tags: Mapping[str, int], vocabulary: Vocabulary, tokenizer: Tokenizer
    ) -> None:
        self._kinds = {tags[kind]: kind for kind in (PLACE, CLASS) if kind in tags}
        self._vocabulary, self._tokenizer = vocabulary, tokenizer
        found: dict[Words, dict[Words, None]] = {}
        for sample in samples:
            for each in self.named(sample):
                found.setdefault(each.group, {})[sample.words[each.first : each.end]] = None
        self._names = {group: [*names] for group, names in found.items()}

    def named(self, sample: Sample) -> Iterator[Named]:
        """The names in a request that its frame points at, left to right."""
        pointers = {(one.first, one.last) for one in _pointers(self._frame(sample))}
        for first, end, kind in self._runs(sample):
            if (first, end - 1) not in pointers:
                continue
            if kind == PLACE:
                yield Named(first, end, (PLACE,))
            elif (where := _shown_again(sample, sample.words[first:end])) is not None:
                at, group = where
                yield Named(first, end, (CLASS, *group), at)

    def exchanged(self, sample: Sample, chance: random.Random) -> Sample:
        """The sample with other names; its own where there is none of their kind."""
        changes: dict[int, tuple[int, Words]] = {}
        for each in self.named(sample):
            other = chance.choice(self._names[each.group])
            changes[each.first] = (each.end, other)
            if each.again is not None:
                shown = tuple(word.lower() for word in other)
                changes[each.again] = (each.again + each.end - each.first, shown)
        return self._changed(sample, changes) if changes else sample

    def _frame(self, sample: Sample) -> Frame:
        return self._vocabulary.frame(sample.tokens.tolist())

    def _runs(self, sample: Sample) -> Iterator[tuple[int, int, str]]:
        """(first, end, kind) of words of one kind that stand together."""
        first = 0
        for n in range(1, len(sample.words) + 1):
            if n == len(sample.words) or sample.tags[n] != sample.tags[first]:
                kind = self._kinds.get(int(sample.tags[first]))
                if kind is not None and sample.kinds[first] == REQUEST:
                    yield first, n, kind
                first = n

    def _changed(self, sample: Sample, changes: Mapping[int, tuple[int, Words]]) -> Sample:
        origin, words = list[int](), list[str]()
        firsts, lasts, n = dict[int, int](), dict[int, int](), 0
        while n < len(sample.words):
            end, put = changes.get(n, (n + 1, sample.words[n : n + 1]))
            firsts[n], lasts[end - 1] = len(words), len(words) + len(put) - 1
            words += put
            origin += [n] * len(put)
            n = end
        frame = self._frame(sample)
        if any(each.first not in firsts or each.last not in lasts for each in _pointers(frame)):
            return sample  # something else points into a name
        moved = tuple(
            replace(
                step,
                arguments=tuple(
                    (name, tuple(_moved(value, firsts, lasts) for value in values))
                    for name, values in step.arguments
                ),
            )
            for step in frame
        )
        tokens = self._vocabulary.tokens(moved)
        if tokens is None or len(words) > MAX_WORDS:
            return sample
        pieces, first = pieces_of(self._tokenizer, words)
        tags, kinds = sample.tags[origin], sample.kinds[origin]
        made = replace(sample, words=tuple(words), pieces=pieces, first=first, tags=tags, kinds=kinds)
        return with_tokens(made, tokens, self._vocabulary) or sample


def _moved(value: Value, firsts: Mapping[int, int], lasts: Mapping[int, int]) -> Value:
    return Pointer(firsts[value.first], lasts[value.last]) if isinstance(value, Pointer) else value


def _pointers(frame: Frame) -> Iterator[Pointer]:
    values = (value for step in frame for _, several in step.arguments for value in several)
    yield from (value for value in values if isinstance(value, Pointer))


def _shown_again(sample: Sample, name: Sequence[str]) -> tuple[int, Words] | None:
    """Where the view has a name of a class, and what it shows behind it: its kind, and its data sets."""
    wanted = tuple(word.lower() for word in name)
    begun = next((n for n, kind in enumerate(sample.kinds) if kind != REQUEST), len(sample.kinds))
    for n in range(begun, len(sample.words) - len(wanted)):
        if sample.words[n : n + len(wanted)] == wanted:
            end = n + len(wanted)
            while end < len(sample.words) and sample.words[end] != "of":
                end += 1
            end += 1
            while end < len(sample.words) and sample.kinds[end] == POINTED:
                end += 1
            return n, sample.words[n + len(wanted) : end]
    return None
