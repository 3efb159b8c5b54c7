"""Samples: lessons as the arrays that the network learns from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

from copilot.language.grammar import Bools, Vocabulary, Written
from copilot.language.learning.lessons import Lesson
from copilot.language.network import FIRST, LAST, NAME, NO_OFFERS, NOTHING, TOOL, VALUE, Ids, Offers
from copilot.language.policy import pieces_of
from copilot.planner.encoder import Floats

LONGEST = 90
"""Tokens of a frame; a longer one is not learned."""


@dataclass(frozen=True)
class Sample:
    """One record as numbers."""

    words: tuple[str, ...]
    pieces: Ids
    first: Ids
    tags: Ids
    kinds: Ids
    tokens: Ids
    """The frame, END at last; the grammar has room for it."""
    phrases: Floats
    """(tools,) How alike the request is to what each tool's docstring says that people ask for."""
    known: Floats
    """(tools,) And to the other examples that want it."""
    parts: Floats
    """(parts, 384) The vectors of the request and of its parts."""
    new: Bools
    """(tools,) Those that are taken for new ones."""
    alone: bool = False
    """Whether it was said into an empty session."""
    offers: Offers = NO_OFFERS
    """The new tools that are read beside it."""


def sample_of(
    lesson: Lesson,
    vocabulary: Vocabulary,
    tokenizer: Tokenizer,
    tags: Mapping[str, int],
    phrases: Floats,
    known: Floats,
    parts: Floats,
) -> Sample | None:
    """The sample of a lesson; None where the grammar or the vocabulary has no room for its frame.

    The last three as the sample has them.
    """
    tokens = vocabulary.tokens(lesson.frame)
    if tokens is None:
        return None
    pieces, first = pieces_of(tokenizer, lesson.words)
    sample = Sample(
        lesson.words,
        pieces,
        first,
        np.array([tags.get(tag, 0) for tag in lesson.tags]),
        np.array(lesson.kinds),
        np.array([]),
        phrases,
        known,
        parts,
        np.zeros(len(vocabulary.tools), bool),
        lesson.is_alone,
    )
    return with_tokens(sample, tokens, vocabulary)


def with_tokens(sample: Sample, tokens: Sequence[int], vocabulary: Vocabulary) -> Sample | None:
    """A sample with this frame; None where the grammar has no room for it."""
    if len(tokens) > LONGEST:
        return None
    count = len(sample.words)
    for token, written in _walked(tokens, vocabulary, count):
        allowed = written.allowed()
        first, end = allowed.words
        word = token - vocabulary.size
        if not (allowed.tokens[token] if word < 0 else first <= word < end):
            return None
    return replace(sample, tokens=np.array(tokens))


def _walked(tokens: Iterable[int], vocabulary: Vocabulary, count: int) -> Iterator[tuple[int, Written]]:
    """Each token, with how far the frame is written before it."""
    written = Written(vocabulary, count)
    for token in tokens:
        yield token, written
        written = written.step(token)


def batch_of(samples: Sequence[Sample], vocabulary: Vocabulary) -> dict[str, Tensor]:
    """Some samples side by side, filled up with zeros; `gold` is -1 where a frame is at its end.

    `allowed` has what the grammar lets each token be, (batch, tokens, vocabulary + words), eight to a byte.
    """
    size, count = vocabulary.size, len(samples)
    words, tokens = max(len(each.first) for each in samples), max(len(each.tokens) for each in samples)
    pieces = [np.concatenate([each.pieces, each.offers.pieces]) for each in samples]
    allowed, ends = np.zeros((count, tokens, size + words), bool), np.zeros((count, tokens), bool)
    for row, each in enumerate(samples):
        walked = _walked(each.tokens.tolist(), vocabulary, len(each.words))
        for n, (_, written) in enumerate(walked):
            may = written.allowed()
            allowed[row, n, :size] = may.tokens
            allowed[row, n, size + may.words[0] : size + may.words[1]] = True
            ends[row, n] = written.first is not None
    gold = _filled([each.tokens for each in samples], -1)
    written_before = np.zeros_like(gold)
    written_before[:, 1:] = np.maximum(gold[:, :-1], 0)
    return {
        "pieces": torch.tensor(_filled(pieces)),
        "present": torch.tensor(_filled([np.ones_like(each) for each in pieces]) > 0),
        "first": torch.tensor(_filled([each.first for each in samples])),
        "words": torch.tensor(_filled([np.ones_like(each.first) for each in samples])),
        "tags": torch.tensor(_filled([each.tags for each in samples])),
        "kinds": torch.tensor(_filled([each.kinds for each in samples])),
        "gold": torch.tensor(gold),
        "written": torch.tensor(written_before),
        "token_kinds": torch.tensor(_filled([token_kinds(each.tokens, vocabulary) for each in samples])),
        "allowed": torch.tensor(np.packbits(allowed, axis=2)),
        "ends": torch.tensor(ends),
        "phrases": torch.tensor(np.stack([each.phrases for each in samples])),
        "known": torch.tensor(np.stack([each.known for each in samples])),
        "new": torch.tensor(np.stack([each.new for each in samples])),
        "offered": torch.tensor(_filled([each.offers.first for each in samples])),
        "offered_tools": torch.tensor(_filled([each.offers.tools for each in samples])),
        "is_offered": torch.tensor(_filled([np.ones_like(each.offers.tools) for each in samples]) > 0),
    }


def token_kinds(tokens: Ids, vocabulary: Vocabulary) -> Ids:
    """What the token before each is: nothing, a tool, a name, a value, or an end of a pointer."""
    kinds, inside = [NOTHING], False
    for token in tokens[:-1]:
        if token >= vocabulary.size:
            kinds.append(LAST if inside else FIRST)
            inside = not inside
        elif token < vocabulary.first_name:
            kinds.append(TOOL)
        else:
            kinds.append(NAME if token < vocabulary.first_literal else VALUE)
    return np.array(kinds)


def _filled(rows: Sequence[Ids], value: int = 0) -> Ids:
    table = np.full((len(rows), max(map(len, rows))), value, np.intp)
    for row, each in zip(table, rows, strict=True):
        row[: len(each)] = each
    return table
