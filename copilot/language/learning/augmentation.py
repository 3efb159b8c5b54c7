"""Augmentation: samples as people also type them, with slips, and two requests in one."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from tokenizers import Tokenizer

from copilot.language.frame import Frame, Literal, Pointer, Result, Value
from copilot.language.grammar import Vocabulary
from copilot.language.learning.samples import Sample, with_tokens
from copilot.language.network import Ids
from copilot.language.policy import pieces_of
from copilot.language.shown import READ, REQUEST

SLIPPED, SLIPS = 0.4, 0.04
"""The share of samples that get slips, and of the words in them."""
JOINED = 0.25
"""Joined requests for each single one."""
SHORTEST = 4
"""Letters of a word that can hold a slip."""
MAX_STEPS = 3
JOINTS = (
    (".",), (";",), (",", "then"), ("and", "then"), (".", "Then"), (".", "Also"), ("and", "also"),
    ("-", "and"), (",", "and", "after", "that"), (".", "Next", ","),
)  # fmt: skip
STANDS_ALONE = frozenset({"ask_user", "reject_task"})


def augmented(
    samples: Sequence[Sample], vocabulary: Vocabulary, tokenizer: Tokenizer, chance: random.Random
) -> Iterator[Sample]:
    """Each sample, some with slips; then pairs of requests as one."""
    for each in samples:
        yield slipped(each, tokenizer, chance) if chance.random() < SLIPPED else each
    single = [each for each in samples if _is_single(each, vocabulary)]
    for _ in range(round(JOINED * len(single))):
        first, then = chance.sample(single, 2)
        one = joined(first, then, vocabulary, tokenizer, chance)
        if one is not None:
            yield one


def slipped(sample: Sample, tokenizer: Tokenizer, chance: random.Random) -> Sample:
    """Letters left out, doubled or exchanged in some words of the request."""
    words = [
        _slip(word, chance)
        if kind == REQUEST and len(word) >= SHORTEST and word.isalpha() and chance.random() < SLIPS
        else word
        for word, kind in zip(sample.words, sample.kinds, strict=True)
    ]
    pieces, first = pieces_of(tokenizer, words)
    return replace(sample, words=tuple(words), pieces=pieces, first=first)


def _slip(word: str, chance: random.Random) -> str:
    at = chance.randrange(1, len(word) - 1)
    ways = (
        word[:at] + word[at + 1 :],
        word[:at] + word[at] + word[at:],
        word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :],
    )
    return chance.choice(ways)


def _is_single(sample: Sample, vocabulary: Vocabulary) -> bool:
    """Whether it was said into an empty session, is short, and can be half of a longer one."""
    tools = [vocabulary.tool(token) for token in sample.tokens if 0 < token < vocabulary.first_name]
    alone = bool((sample.kinds[:-1] == REQUEST).all())
    return alone and 0 < len(tools) <= MAX_STEPS and not STANDS_ALONE & set(tools)


def joined(
    one: Sample, other: Sample, vocabulary: Vocabulary, tokenizer: Tokenizer, chance: random.Random
) -> Sample | None:
    """Both requests in one, the other's calls after the one's; None where it is too long to learn."""
    said = list(one.words[:-1])
    if said and said[-1] in ".?!":
        said.pop()
    joint, then = chance.choice(JOINTS), list(other.words[:-1])
    moved = len(said) + len(joint)
    before, after = vocabulary.frame(one.tokens.tolist()), vocabulary.frame(other.tokens.tolist())
    if any(isinstance(each, Pointer) and each.last >= len(said) for each in _values(before)):
        return None
    shifted = tuple(
        replace(
            step,
            arguments=tuple(
                (name, tuple(_shifted(value, moved, len(before)) for value in values))
                for name, values in step.arguments
            ),
        )
        for step in after
    )
    tokens = vocabulary.tokens((*before, *shifted))
    words = (*said, *joint, *then, one.words[-1])
    pieces, first = pieces_of(tokenizer, words)
    tags = np.zeros(len(words), np.intp)
    tags[: len(said)], tags[moved:-1] = one.tags[: len(said)], other.tags[:-1]
    kinds: Ids = np.full(len(words), REQUEST)
    kinds[-1] = READ
    made = replace(
        one,
        words=words,
        pieces=pieces,
        first=first,
        tags=tags,
        kinds=kinds,
        phrases=np.maximum(one.phrases, other.phrases),
        known=np.maximum(one.known, other.known),
    )
    return None if tokens is None else with_tokens(made, tokens, vocabulary)


def _values(frame: Frame) -> Iterator[Value]:
    yield from (value for step in frame for _, values in step.arguments for value in values)


def _shifted(value: Value, words: int, steps: int) -> Value:
    match value:
        case Pointer(first, last):
            return Pointer(first + words, last + words)
        case Result(step):
            return Result(step + steps)
        case Literal():
            return value
