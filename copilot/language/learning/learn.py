"""Learn the policy from material."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from tokenizers import Tokenizer

from copilot.language.coverage import Coverage, learned_coverage, tokens_of
from copilot.language.grammar import Vocabulary
from copilot.language.learning.augmentation import augmented
from copilot.language.learning.batches import Rounds, loader
from copilot.language.learning.exchange import Exchange
from copilot.language.learning.lessons import Lesson
from copilot.language.learning.likeness import learned_projection, to_known, to_phrases
from copilot.language.learning.material import Material
from copilot.language.learning.network import Learner
from copilot.language.learning.samples import Sample, sample_of
from copilot.language.learning.train import BATCH, THREADS, Checkpoints, Course, right, train
from copilot.language.learning.vectors import vectors_of
from copilot.language.network import Ids
from copilot.language.policy import Known, Learned
from copilot.planner.encoder import Floats


@dataclass(frozen=True)
class Machine:
    """What it is learned on."""

    device: str = "cpu"
    processes: int = 0
    """That make batches; 0 where the one that learns makes them."""
    batch: int = BATCH

    @property
    def parts(self) -> int:
        """Of a batch, computed side by side."""
        return THREADS if self.device == "cpu" else 1


@dataclass(frozen=True)
class Begun:
    """A policy to go on from: what it knows stays known, and the lessons' fresh ones are known besides."""

    learned: Learned
    mean: float = 1.0
    """The share of what is learned in the mean with what was there (Wortsman et al. 2022, arXiv:2109.01903).
    """
    still: int = 0
    """Lowest layers of the encoder that are left as they are: a step takes less time."""


def learn(
    material: Material,
    published: Mapping[str, Floats],
    tokenizer: Tokenizer,
    course: Course,
    machine: Machine,
    checkpoints: Checkpoints | None = None,
    begun: Begun | None = None,
    seed: int = 0,
    told: Callable[[str], None] = print,
) -> tuple[Learned, float]:
    """The policy learned from the lessons, and the share of the frames of the held ones that it writes.

    `published` are MiniLM's weights by their own names, `tokenizer` is its tokenizer.
    """
    torch.manual_seed(seed)
    vocabulary, lessons = material.vocabulary, material.lessons
    learner = Learner(published, material.descriptions, material.token_kinds)
    texts = dict.fromkeys(text for each in (*lessons, *material.held) for text in each.parts)
    vectors = dict(zip(texts, vectors_of([*texts], learner, tokenizer, machine.device), strict=True))
    told(f"{len(texts)} texts encoded")
    asked = np.stack([vectors[each.parts[0]] for each in lessons])
    projection = (
        begun.learned.weights["like"]
        if begun is not None
        else learned_projection(asked, _alone(lessons, vocabulary), material.leaflets, seed, machine.device)
    )
    material.leaflets.project(projection)
    tags = _tags(material, begun.learned if begun else None)
    known = Known(asked, tuple(each.tools for each in lessons))

    def samples(some: Sequence[Lesson]) -> list[Sample]:
        several = [np.stack([vectors[text] for text in each.parts]) for each in some]
        phrases = to_phrases(several, material.leaflets, projection, machine.device)
        voices = [each.voice for each in some]
        firsts = np.stack([each[0] for each in several])
        others = to_known(
            firsts, voices, known, [each.voice for each in lessons], vocabulary.tools, machine.device
        )
        made = (
            sample_of(lesson, vocabulary, tokenizer, tags, phrases[n], others[n], several[n])
            for n, lesson in enumerate(some)
        )
        return [each for each in made if each is not None]

    learnt = samples(lessons)
    measured = samples(material.held) if material.held else []
    told(f"{len(learnt)} samples of {len(lessons)} lessons, {len(measured)} of {len(material.held)} held")
    exchange = Exchange(learnt, tags, vocabulary, tokenizer)

    def made(some: Sequence[Sample], chance: random.Random) -> list[Sample]:
        return list(augmented(some, vocabulary, tokenizer, material.leaflets, exchange, chance))

    if begun is not None:
        learner.take({**begun.learned.weights, "own.weight": begun.learned.own(vocabulary)})
        before = {name: values.copy() for name, values in learner.trained().items()}
        learner.still = begun.still
    rounds = Rounds(learnt, made, vocabulary, machine.batch, machine.parts, seed)
    train(learner, loader(rounds, machine.processes), course, checkpoints, told)
    if begun is not None:
        learner.take(_mean(before, learner.trained(), begun.mean))
    found = right(learner, measured, vocabulary, machine.device)
    weights = {**learner.trained(), "like": projection}
    learned = Learned(weights, vocabulary.keys, tuple(tags), material.literals, known, _coverage(lessons))
    if begun is None:
        return learned, found
    fresh = Known(known.vectors[: material.fresh], known.tools[: material.fresh])
    both = begun.learned.known.and_also(fresh)
    return replace(learned, known=both, coverage=begun.learned.coverage), found


def _coverage(lessons: Sequence[Lesson]) -> Coverage:
    return learned_coverage([(list(each.free), tokens_of(each.frame)) for each in lessons])


def _mean(before: Mapping[str, Floats], after: Mapping[str, Floats], share: float) -> dict[str, Floats]:
    return {name: (1 - share) * before[name] + share * values for name, values in after.items()}


def _tags(material: Material, begun: Learned | None) -> dict[str, int]:
    """The number of each kind of mention, from 1; as a policy that was begun has them."""
    kinds = sorted({tag for each in material.lessons for tag in each.tags} - {""})
    return {tag: n for n, tag in enumerate(dict.fromkeys((*(begun.tags if begun else ()), *kinds)), 1)}


def _alone(lessons: Sequence[Lesson], vocabulary: Vocabulary) -> Ids:
    """(lessons,) The number of the one tool that each wants; -1 where it wants several, or goes on."""
    numbers = {name: n for n, name in enumerate(vocabulary.tools)}
    return np.array(
        [numbers[each.frame[0].tool] if len(each.frame) == 1 and not each.goes_on else -1 for each in lessons]
    )
