"""Augmentation: other names, slips of the hand, two requests in one, tools that are taken for new ones."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from tokenizers import Tokenizer

from copilot.language.frame import Frame, Literal, Pointer, Result, Value
from copilot.language.grammar import Vocabulary
from copilot.language.learning.exchange import Exchange
from copilot.language.learning.samples import Sample, with_tokens
from copilot.language.network import Ids
from copilot.language.new_tools import Leaflets
from copilot.language.policy import TAUGHT_NEW, pieces_of
from copilot.language.shown import MAX_WORDS, REQUEST

EXCHANGED = 0.5
"""The share of samples whose places and classes are exchanged for others."""
SLIPPED, SLIPS = 0.4, 0.04
"""The share of samples that get slips, and of the words in them."""
JOINED = 0.3
"""Joined requests for each single one."""
AS_IF_NEW, OTHERS_NEW = 0.25, 0.12
"""The share of samples with tools that are taken for new ones, and the share of the unwanted that are; one
that is wanted is among them as often as the policy corrects for."""
SHORTEST = 4
"""Letters of a word that can hold a slip."""
MAX_STEPS = 4
JOINTS = (
    (".",), (";",), (",", "then"), ("and", "then"), (".", "Then"), (".", "Also"), ("and", "also"),
    ("-", "and"), (",", "and", "after", "that"), (".", "Next", ","),
)  # fmt: skip
STANDS_ALONE = frozenset({"ask_user", "reject_task"})


def augmented(
    samples: Sequence[Sample],
    vocabulary: Vocabulary,
    tokenizer: Tokenizer,
    leaflets: Leaflets,
    exchange: Exchange,
    chance: random.Random,
) -> Iterator[Sample]:
    """Each sample, some with other names, some with slips; then pairs of requests as one.

    For some, tools are taken for new ones.
    """
    said = [exchange.exchanged(each, chance) if chance.random() < EXCHANGED else each for each in samples]
    for each in _typed(said, vocabulary, tokenizer, chance):
        yield offered(each, vocabulary, leaflets, chance) if chance.random() < AS_IF_NEW else each


def offered(sample: Sample, vocabulary: Vocabulary, leaflets: Leaflets, chance: random.Random) -> Sample:
    """Some tools as if no known request wanted them, the likeliest of them read beside the request.

    One that is wanted, and would not be read, stays known.
    """
    count = len(vocabulary.tools)
    new = np.array([chance.random() < OTHERS_NEW for _ in range(count)])
    wanted = list(
        dict.fromkeys(int(token) - 1 for token in sample.tokens if 0 < token < vocabulary.first_name)
    )
    new[wanted] = False
    if wanted and chance.random() < TAUGHT_NEW:
        new[chance.choice(wanted)] = True
    offers = leaflets.offers(new, sample.phrases, sample.parts, len(sample.pieces))
    for number in set(wanted) - set(offers.tools.tolist()):
        new[number] = False
    return replace(sample, new=new, offers=offers)


def _typed(
    samples: Sequence[Sample], vocabulary: Vocabulary, tokenizer: Tokenizer, chance: random.Random
) -> Iterator[Sample]:
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
    return sample.alone and 0 < len(tools) <= MAX_STEPS and not STANDS_ALONE & set(tools)


def joined(
    one: Sample, other: Sample, vocabulary: Vocabulary, tokenizer: Tokenizer, chance: random.Random
) -> Sample | None:
    """Both requests in one, the other's calls after the one's; None where it is too long to learn."""
    first, last = _length(one), _length(other)
    kept = first - 1 if first and one.words[first - 1] in ".?!" else first
    joint = chance.choice(JOINTS)
    moved = kept + len(joint)
    behind = moved + last + 1
    held = len(one.words) - first - 1
    before, after = vocabulary.frame(one.tokens.tolist()), vocabulary.frame(other.tokens.tolist())
    if any(isinstance(each, Pointer) and kept <= each.last < first for each in _values(before)):
        return None
    words = (*one.words[:kept], *joint, *other.words[:last], *one.words[first:], *other.words[last + 1 :])
    if len(words) > MAX_WORDS:
        return None
    steps = (
        *_with_values(before, lambda value: _shifted(value, first, 0, behind - first - 1, 0)),
        *_with_values(
            after, lambda value: _shifted(value, last, moved, behind + held - last - 1, len(before))
        ),
    )
    tokens = vocabulary.tokens(steps)
    if tokens is None:
        return None
    pieces, firsts = pieces_of(tokenizer, words)
    made = replace(
        one,
        words=words,
        pieces=pieces,
        first=firsts,
        tags=_side_by_side(one.tags, other.tags, kept, first, last, np.zeros(len(joint), np.intp)),
        kinds=_side_by_side(one.kinds, other.kinds, kept, first, last, np.full(len(joint), REQUEST)),
        phrases=np.maximum(one.phrases, other.phrases),
        known=np.maximum(one.known, other.known),
        parts=np.concatenate([one.parts, other.parts]),
    )
    return with_tokens(made, tokens, vocabulary)


def _length(sample: Sample) -> int:
    """The words of the request."""
    return int(np.argmax(sample.kinds != REQUEST))


def _side_by_side(one: Ids, other: Ids, kept: int, first: int, last: int, joint: Ids) -> Ids:
    """(words,) What each word has: both requests, then what is shown behind each."""
    return np.concatenate([one[:kept], joint, other[:last], one[first:], other[last + 1 :]])


def _with_values(frame: Frame, changed: Callable[[Value], Value]) -> Frame:
    return tuple(
        replace(
            step,
            arguments=tuple((name, tuple(map(changed, values))) for name, values in step.arguments),
        )
        for step in frame
    )


def _values(frame: Frame) -> Iterator[Value]:
    yield from (value for step in frame for _, values in step.arguments for value in values)


def _shifted(value: Value, length: int, words: int, behind: int, steps: int) -> Value:
    """A value where its request of that length begins at `words`, and what is shown so much behind."""
    match value:
        case Pointer(first, last):
            by = words if last < length else behind
            return Pointer(first + by, last + by)
        case Result(step):
            return Result(step + steps)
        case Literal():
            return value
