"""Train the policy's network on batches of samples."""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from copilot.language.grammar import Vocabulary
from copilot.language.learning.batches import Batch
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
TOLD_EVERY = 100
"""Steps between two lines of figures."""


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
    values = torch.cat([scores, words], 2).float()
    return values.masked_fill(~_unpacked(batch["allowed"], values.shape[2]), NEVER)


def _unpacked(packed: Tensor, size: int) -> Tensor:
    """(…, size) of bits that stand eight to a byte, the first one highest."""
    places = torch.tensor([128, 64, 32, 16, 8, 4, 2, 1], dtype=torch.uint8, device=packed.device)
    return (packed[..., None] & places).ne(0).flatten(-2)[..., :size]


@dataclass(frozen=True)
class Checkpoints:
    """Where training is kept, to go on from when it was broken off; the last one is written over."""

    path: Path
    every: int = 500
    """Steps."""

    def keep(
        self,
        step: int,
        learner: torch.nn.Module,
        adam: torch.optim.Optimizer,
        chance: random.Random | None = None,
    ) -> None:
        """Write how far it is."""
        state = chance.getstate() if chance is not None else None
        kept = {"learner": learner.state_dict(), "adam": adam.state_dict(), "chance": state}
        beside = self.path.with_suffix(".new")
        torch.save({"step": step, **kept}, beside)
        beside.replace(self.path)

    def resume(
        self, learner: torch.nn.Module, adam: torch.optim.Optimizer, chance: random.Random | None = None
    ) -> int:
        """The step that it goes on from: 0 where nothing is kept. A round that was begun is begun anew."""
        if not self.path.is_file():
            return 0
        kept = torch.load(self.path, weights_only=True)
        learner.load_state_dict(kept["learner"])
        adam.load_state_dict(kept["adam"])
        if chance is not None:
            version, numbers, gauss = kept["chance"]
            chance.setstate((version, tuple(numbers), gauss))
        return int(kept["step"])


@dataclass(frozen=True)
class Course:
    """How long and how fast it is learned."""

    steps: int
    minutes: float | None = None
    """It ends after this time at the latest, and the rate falls with the time: what is learned on a machine
    that does other work too comes to its end all the same."""
    rate: float = RATE
    device: str = "cpu"
    began: float = field(default_factory=time.monotonic)

    def done(self, step: int) -> float:
        """The share of it that is behind."""
        share = step / self.steps if step < self.steps else 1.0
        if self.minutes is not None:
            share = max(share, (time.monotonic() - self.began) / 60 / self.minutes)
        return min(share, 1.0)

    def pace(self, step: int) -> float:
        """The share of the rate at which a step is learned."""
        return min(1, (step + 1) / WARM_STEPS) * max(LEAST_PACE, 1 - self.done(step))


def train(
    learner: Learner,
    batches: Iterator[Batch],
    course: Course,
    checkpoints: Checkpoints | None = None,
    told: Callable[[str], None] = print,
) -> None:
    """Learn from batches at a rate that falls, up to the end of the course."""
    learner.to(course.device).train()
    groups = _groups(learner, course.rate)
    adam = torch.optim.AdamW(
        [{"params": each, "lr": rate} for each, rate in groups], weight_decay=0.01, fused=True
    )
    step = checkpoints.resume(learner, adam) if checkpoints else 0
    total = torch.zeros((), device=course.device)
    while course.done(step) < 1:
        for group, (_, rate) in zip(adam.param_groups, groups, strict=True):
            group["lr"] = rate * course.pace(step)
        total += _descend(learner, next(batches), course.device)
        torch.nn.utils.clip_grad_norm_(learner.parameters(), 1.0)
        adam.step()
        step += 1
        if step % TOLD_EVERY == 0:
            minutes = (time.monotonic() - course.began) / 60
            told(
                f"{step} of {course.steps} steps, {minutes:.1f} minutes: loss {total.item() / TOLD_EVERY:.3f}"
            )
            total.zero_()
        if checkpoints and step % checkpoints.every == 0:
            checkpoints.keep(step, learner, adam)


def _descend(learner: Learner, parts: Batch, device: str) -> Tensor:
    """Give each weight its gradient, the mean of those of the batch's parts; the loss.

    On a processor each thread computes a part from end to end: threads that share each product wait for each
    other at each, which is most of the time where other work takes one of the cores now and then.
    """
    weights = [each for each in learner.parameters() if each.requires_grad]
    if len(parts) == 1:
        found = [_gradients(learner, parts[0], weights, device)]
    else:
        with ThreadPoolExecutor(len(parts)) as pool:
            found = list(pool.map(lambda part: _gradients(learner, part, weights, device), parts))
    for weight, several in zip(weights, zip(*(each for _, each in found), strict=True), strict=True):
        there = [each for each in several if each is not None]
        weight.grad = sum(there[1:], start=there[0]) / len(parts) if there else None
    return torch.stack([loss for loss, _ in found]).mean()


def _gradients(
    learner: Learner, batch: dict[str, Tensor], weights: Sequence[Tensor], device: str
) -> tuple[Tensor, tuple[Tensor | None, ...]]:
    moved = {name: each.to(device, non_blocking=True) for name, each in batch.items()}
    # On a processor, for heads of 32 numbers, the plain way is faster than the one that is taken by itself.
    plain = sdpa_kernel(SDPBackend.MATH) if device == "cpu" else contextlib.nullcontext()
    with torch.autocast(device, torch.bfloat16, enabled=_computes_in_bfloat16(device)), plain:
        loss, _ = loss_of(learner, moved)
        return loss.detach(), torch.autograd.grad(loss, weights, allow_unused=True)


def _computes_in_bfloat16(device: str) -> bool:
    """Processors without AVX-512 only imitate it: a step of a second takes them half a minute."""
    return device != "cpu" or torch.backends.cpu.get_cpu_capability() == "AVX512"


def right(learner: Learner, samples: Sequence[Sample], vocabulary: Vocabulary, device: str = "cpu") -> float:
    """The share of frames that are written without a fault, each token after the right ones."""
    learner.eval()
    hits = 0
    with torch.no_grad():
        for n in range(0, len(samples), BATCH):
            batch = batch_of(samples[n : n + BATCH], vocabulary)
            hits += int(loss_of(learner, {name: each.to(device) for name, each in batch.items()})[1].sum())
    learner.train()
    return hits / max(len(samples), 1)


def _groups(learner: Learner, rate: float) -> list[tuple[list[Tensor], float]]:
    named = [(name, each) for name, each in learner.named_parameters() if each.requires_grad]
    old = [each for name, each in named if name.startswith("enc.")]
    single = [each for name, each in named if name in SINGLE]
    new = [each for name, each in named if not name.startswith("enc.") and name not in SINGLE]
    return [(old, rate / 4), (new, rate), (single, rate * SINGLE_FASTER)]
