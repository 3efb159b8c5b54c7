"""Batches without end: each round the samples are augmented anew, in as many processes as there are."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from torch import Tensor
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from copilot.language.grammar import Vocabulary
from copilot.language.learning.samples import Sample, batch_of

Batch = list[dict[str, Tensor]]
"""A batch in the parts that are computed side by side."""
Round = Callable[[Sequence[Sample], random.Random], Sequence[Sample]]
"""What is made of some samples for one round."""
TOGETHER = 2048
"""Samples that are augmented, and sorted by length, together."""


class Rounds(IterableDataset[Batch]):
    """The batches of round after round. Each process takes its own share of the samples of each round."""

    def __init__(
        self,
        samples: Sequence[Sample],
        made: Round,
        vocabulary: Vocabulary,
        size: int,
        parts: int = 1,
        seed: int = 0,
    ) -> None:
        """`size`: samples of a batch, in so many `parts`."""
        self._samples, self._made, self._vocabulary = samples, made, vocabulary
        self._size, self._parts, self._seed = size, parts, seed

    def __iter__(self) -> Iterator[Batch]:
        """Batches without end."""
        worker = get_worker_info()
        number, count = (worker.id, worker.num_workers) if worker is not None else (0, 1)
        order, chance = random.Random(self._seed), random.Random(self._seed * 1000 + number + 1)
        while True:
            mixed = list(self._samples)
            order.shuffle(mixed)  # alike in all processes
            share = mixed[number::count]
            for start in range(0, len(share), TOGETHER):
                for samples in self._batches(share[start : start + TOGETHER], chance):
                    parts = [samples[n :: self._parts] for n in range(min(self._parts, len(samples)))]
                    yield [batch_of(part, self._vocabulary) for part in parts]

    def _batches(self, samples: Sequence[Sample], chance: random.Random) -> list[Sequence[Sample]]:
        """What is made of some samples, in batches of about the same length, shuffled."""
        made = sorted(self._made(samples, chance), key=_length)
        batches: list[Sequence[Sample]] = [made[n : n + self._size] for n in range(0, len(made), self._size)]
        chance.shuffle(batches)
        return batches


def loader(rounds: Rounds, processes: int) -> Iterator[Batch]:
    """The batches, made by so many processes; by this one where that is 0."""
    if processes == 0:
        return iter(rounds)
    made = DataLoader(
        rounds, batch_size=None, num_workers=processes, prefetch_factor=4, multiprocessing_context="fork"
    )
    return iter(made)


def _length(sample: Sample) -> int:
    return len(sample.pieces) + len(sample.offers.pieces) + len(sample.tokens)
