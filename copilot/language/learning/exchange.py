"""Exchange: places, classes, numbers and names of files for others of their kind, so that none is remembered.

A class is exchanged for one that the same data sets have, which is what is shown of it (holdings.py). What a
file is called is told by how often its name stands in the view of many samples.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tokenizers import Tokenizer

from copilot.language.frame import Frame, Pointer, Value
from copilot.language.grammar import Vocabulary
from copilot.language.learning.samples import Sample, with_tokens
from copilot.language.network import Ids
from copilot.language.policy import pieces_of
from copilot.language.shown import MAX_WORDS, POINTED, REQUEST, WORD

PLACE, CLASS = "place", "class"
NUMBERS = frozenset({"number", "count", "distance", "percent", "area"})
"""Kinds of mentions whose digits may be others."""
HOLDERS = frozenset({"raster", "layer", "document", "image"})
"""What stands in the view before the name of a file."""
OFTEN, LONGEST_NAME = 30, 4
"""How often a name stands there that is a file's, and its words at most."""
RENAMED, RENUMBERED = 0.4, 0.5
"""The share of exchanged samples in which files have other names, and in which numbers are others."""
FILES = (
    "s2_l2a", "T32UMD", "ortho-north", "plot7", "block B", "lidar_dtm", "survey2", "harbour_east",
    "aoi", "tile_04", "june", "old_town", "LC08_184", "drone mosaic", "stands", "parcels2021",
    "roads_osm", "catchment", "gauge9", "minutes", "memo-3", "leaflet", "chip_12", "VV_desc", "quarry",
    "field notes", "sheet1", "inventory", "wells", "pipeline_a", "IMG_2041", "photo3", "north bank",
    "reach5", "post_event", "site plan", "cargo", "alpine", "delta", "kiln",
)  # fmt: skip
"""What people call files."""
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
        self, samples: Sequence[Sample], tags: Mapping[str, int], vocabulary: Vocabulary, tokenizer: Tokenizer
    ) -> None:
        self._kinds = {tags[kind]: kind for kind in (PLACE, CLASS) if kind in tags}
        self._numbers = {tags[kind] for kind in NUMBERS if kind in tags}
        self._vocabulary, self._tokenizer = vocabulary, tokenizer
        found: dict[Words, dict[Words, None]] = {}
        for sample in samples:
            for each in self.named(sample):
                found.setdefault(each.group, {})[sample.words[each.first : each.end]] = None
        self._names = {group: [*names] for group, names in found.items()}
        self._files = _files_of(samples)

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
        if chance.random() < RENAMED:
            changes.update(self._other_files(sample, chance))
        if chance.random() < RENUMBERED:
            changes.update(self._other_numbers(sample, chance))
        for each in self.named(sample):
            other = chance.choice(self._names[each.group])
            changes[each.first] = (each.end, other)
            if each.again is not None:
                shown = tuple(word.lower() for word in other)
                changes[each.again] = (each.again + each.end - each.first, shown)
        return self._changed(sample, changes) if changes else sample

    def _other_files(self, sample: Sample, chance: random.Random) -> Iterator[tuple[int, tuple[int, Words]]]:
        """One file of the view with another name, wherever the view or a pointer has its own."""
        there = [each for each in self._files if _found(sample.words, each, sample.kinds)]
        if not there:
            return
        name, other = chance.choice(there), chance.choice(_FILE_NAMES)
        pointed = {(one.first, one.last) for one in _pointers(self._frame(sample))}
        for n in _found(sample.words, name):
            end = n + len(name)
            if sample.kinds[n] != REQUEST or (n, end - 1) in pointed:
                yield n, (end, other)

    def _other_numbers(
        self, sample: Sample, chance: random.Random
    ) -> Iterator[tuple[int, tuple[int, Words]]]:
        """Numbers in digits that a frame points at in the request, about as large and as exact."""
        for one in _pointers(self._frame(sample)):
            n, word = one.first, sample.words[one.first]
            is_number = sample.kinds[n] == REQUEST and int(sample.tags[n]) in self._numbers
            if one.last == n and is_number and word.replace(".", "", 1).isdigit():
                decimals = len(word.partition(".")[2])
                yield n, (n + 1, (f"{float(word) * chance.uniform(0.4, 2.5):.{decimals}f}",))

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


_FILE_NAMES = tuple(tuple(WORD.findall(name)) for name in FILES)


def _files_of(samples: Iterable[Sample]) -> tuple[Words, ...]:
    """The names that stand often in views where those of files do; names of results begin with a capital."""
    counts: Counter[Words] = Counter()
    for sample in samples:
        for n in range(1, len(sample.words)):
            if (
                sample.kinds[n] == POINTED
                and sample.kinds[n - 1] != POINTED
                and sample.words[n - 1] in HOLDERS
            ):
                end = n
                while end < len(sample.words) and sample.kinds[end] == POINTED:
                    end += 1
                if end - n <= LONGEST_NAME and sample.words[n].islower():
                    counts[sample.words[n:end]] += 1
    return tuple(name for name, count in counts.items() if count >= OFTEN)


def _found(words: Words, name: Words, kinds: Ids | None = None) -> list[int]:
    """Where a name stands; only in the view, where the kinds of the words are given."""
    return [
        n
        for n in range(len(words) - len(name) + 1)
        if words[n : n + len(name)] == name and (kinds is None or kinds[n] == POINTED)
    ]


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
