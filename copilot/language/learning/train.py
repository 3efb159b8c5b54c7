"""Train the policy's network on samples."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from copilot.language.grammar import Vocabulary
from copilot.language.learning.network import SINGLE, Learner
from copilot.language.learning.samples import Sample, batch_of
from copilot.language.network import NEVER

BATCH = 48
RATE = 4e-4
"""Of what is new; the encoder's layers learn at a quarter of it."""
SINGLE_FASTER = 50
"""How much faster numbers learn that stand alone: a step moves each by about the rate."""
WARM_STEPS = 150
THREADS = 2
LEAST_PACE = 0.03
"""Of the rate, at the end."""


def loss_of(learner: Learner, batch: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
    """The mean negative log-likelihood of a token; (batch,) whether all tokens of each frame came first."""
    values = permitted(learner(batch), batch)
    there = batch["gold"] >= 0
    likely = torch.log_softmax(values[there], 1)
    gold = batch["gold"][there]
    hit = torch.ones_like(there)
    hit[there] = likely.argmax(1) == gold
    return -likely.gather(1, gold[:, None]).mean(), hit.all(1)


def permitted(outputs: tuple[Tensor, Tensor, Tensor], batch: dict[str, Tensor]) -> Tensor:
    """(batch, tokens, vocabulary + words) The learner's scores of what the grammar lets come next."""
    scores, first, last = outputs
    words = torch.where(batch["ends"][:, :, None], last, first)
    return torch.cat([scores, words], 2).float().masked_fill(~batch["allowed"], NEVER)


@dataclass(frozen=True)
class Checkpoints:
    """Where training is kept, to go on from when it was broken off; the last one is written over."""

    path: Path
    every: int = 500
    """Steps."""

    def keep(self, step: int, learner: Learner, adam: torch.optim.Optimizer, chance: random.Random) -> None:
        """Write how far it is."""
        kept = {"learner": learner.state_dict(), "adam": adam.state_dict(), "chance": chance.getstate()}
        beside = self.path.with_suffix(".new")
        torch.save({"step": step, **kept}, beside)
        beside.replace(self.path)

    def resume(self, learner: Learner, adam: torch.optim.Optimizer, chance: random.Random) -> int:
        """The step that it goes on from: 0 where nothing is kept. A round that was begun is begun anew."""
        if not self.path.is_file():
            return 0
        kept = torch.load(self.path, weights_only=True)
        learner.load_state_dict(kept["learner"])
        adam.load_state_dict(kept["adam"])
        version, numbers, gauss = kept["chance"]
        chance.setstate((version, tuple(numbers), gauss))
        return int(kept["step"])


def train(
    learner: Learner,
    epoch: Callable[[random.Random], Sequence[Sample]],
    vocabulary: Vocabulary,
    steps: int,
    checkpoints: Checkpoints,
    seed: int = 0,
    told: Callable[[str], None] = print,
    minutes: float | None = None,
) -> None:
    """Learn `steps` batches of the samples that `epoch` gives anew for each round, at a rate that falls.

    With `minutes` it ends after that time at the latest, and the rate falls with the time: what is learned on
    a machine that does other work too comes to its end all the same.
    """
    began = time.monotonic()
    chance = random.Random(seed)
    groups = _groups(learner)
    adam = torch.optim.AdamW(
        [{"params": each, "lr": rate} for each, rate in groups], weight_decay=0.01, fused=True
    )
    step, mean = checkpoints.resume(learner, adam, chance), None
    while True:
        for samples in _batches(epoch(chance), chance):
            done = step / steps if step < steps else 1.0
            if minutes is not None:
                done = max(done, (time.monotonic() - began) / 60 / minutes)
            if done >= 1:
                return
            pace = min(1, (step + 1) / WARM_STEPS) * max(LEAST_PACE, 1 - done)
            for group, (_, rate) in zip(adam.param_groups, groups, strict=True):
                group["lr"] = rate * pace
            loss = _descend(learner, samples, vocabulary)
            torch.nn.utils.clip_grad_norm_(learner.parameters(), 1.0)
            adam.step()
            step += 1
            mean = loss if mean is None else 0.98 * mean + 0.02 * loss
            if step % 100 == 0:
                told(f"{step} of {steps} steps: loss {mean:.3f}")
            if step % checkpoints.every == 0:
                checkpoints.keep(step, learner, adam, chance)


def _descend(learner: Learner, samples: Sequence[Sample], vocabulary: Vocabulary) -> float:
    """Give each weight its gradient, the mean of those of the batch's parts; the loss.

    Each thread computes a part from end to end: threads that share each product wait for each other at each,
    which is most of the time where other work takes one of the cores now and then.
    """
    weights = [each for each in learner.parameters() if each.requires_grad]
    parts = [samples[n::THREADS] for n in range(min(THREADS, len(samples)))]
    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(lambda part: _gradients(learner, part, vocabulary, weights), parts))
    for weight, several in zip(weights, zip(*(each for _, each in found), strict=True), strict=True):
        there = [each for each in several if each is not None]
        weight.grad = sum(there[1:], start=there[0]) / len(parts) if there else None
    return sum(loss for loss, _ in found) / len(parts)


def _gradients(
    learner: Learner, samples: Sequence[Sample], vocabulary: Vocabulary, weights: Sequence[Tensor]
) -> tuple[float, tuple[Tensor | None, ...]]:
    # For heads of 32 numbers the plain way is faster than the one that is taken by itself.
    with torch.autocast("cpu", torch.bfloat16), sdpa_kernel(SDPBackend.MATH):
        loss, _ = loss_of(learner, batch_of(samples, vocabulary))
        return loss.item(), torch.autograd.grad(loss, weights, allow_unused=True)


def right(learner: Learner, samples: Sequence[Sample], vocabulary: Vocabulary) -> float:
    """The share of frames that are written without a fault, each token after the right ones."""
    learner.eval()
    with torch.no_grad():
        hits = [
            loss_of(learner, batch_of(samples[n : n + BATCH], vocabulary))[1].sum().item()
            for n in range(0, len(samples), BATCH)
        ]
    learner.train()
    return float(sum(hits)) / max(len(samples), 1)


def _groups(learner: Learner) -> list[tuple[list[Tensor], float]]:
    named = [(name, each) for name, each in learner.named_parameters() if each.requires_grad]
    old = [each for name, each in named if name.startswith("enc.")]
    single = [each for name, each in named if name in SINGLE]
    new = [each for name, each in named if not name.startswith("enc.") and name not in SINGLE]
    return [(old, RATE / 4), (new, RATE), (single, RATE * SINGLE_FASTER)]


def _batches(samples: Sequence[Sample], chance: random.Random) -> Iterator[list[Sample]]:
    """In batches of about the same length, shuffled."""
    order = list(samples)
    chance.shuffle(order)
    for start in range(0, len(order), 40 * BATCH):
        part = sorted(order[start : start + 40 * BATCH], key=_length)
        batches = [part[n : n + BATCH] for n in range(0, len(part), BATCH)]
        chance.shuffle(batches)
        yield from batches


def _length(sample: Sample) -> int:
    return len(sample.pieces) + len(sample.offers.pieces) + len(sample.tokens)
