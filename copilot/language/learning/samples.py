"""Samples: records as the arrays that the network learns from."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

from copilot.language.alignment import NotSaid, aligned
from copilot.language.frame import Frame, Literal
from copilot.language.grammar import Bools, Vocabulary, Written
from copilot.language.holdings import holdings
from copilot.language.learning.records import Record
from copilot.language.linking import Links
from copilot.language.mentions import Mentions, names_in
from copilot.language.network import FIRST, LAST, NAME, NO_OFFERS, NOTHING, TOOL, VALUE, Ids, Offers
from copilot.language.new_tools import Leaflets
from copilot.language.policy import Known, parts_of, pieces_of, tokenizer
from copilot.language.schema import Argument
from copilot.language.shown import Shown
from copilot.language.view import view
from copilot.planner.encoder import Encoder, Floats
from copilot.planner.situation import Situation
from copilot.planner.spans import Reader
from data.catalogue.base import Catalogue
from data.gazetteer import Gazetteer
from tools.class_words import ClassWords

LONGEST = 90
"""Tokens of a frame; a longer one is not learned."""
BLOCK = 128
"""Requests that are held against all known ones at once."""


@dataclass(frozen=True)
class Read:
    """A record with its frame."""

    record: Record
    shown: Shown
    frame: Frame


@dataclass(frozen=True)
class Sample:
    """One record as numbers."""

    words: tuple[str, ...]
    pieces: Ids
    first: Ids
    tags: Ids
    kinds: Ids
    tokens: Ids
    """The frame, END at last."""
    allowed: tuple[Bools, Bools]
    """(tokens, vocabulary) and (tokens, words): what the grammar lets each of them be."""
    ends: Bools
    """(tokens,) Whether each is a pointer's last word."""
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


def shown_to_policy(record: Record, catalogue: Catalogue, gazetteer: Gazetteer, today: date) -> Shown:
    """What the policy sees of a record."""
    situation = Situation(dict(record.state), today, catalogue, gazetteer)
    named = names_in(record.said, Reader(gazetteer, today, situation.names()))
    mentions = Mentions(record.said, today, named)
    held = tuple(holdings(mentions, ClassWords.over(catalogue)))
    return Shown(mentions, view(record.state, record.past, record.columns), held)


def read_records(
    records: Iterable[Record],
    schema: Mapping[str, Mapping[str, Argument]],
    catalogue: Catalogue,
    gazetteer: Gazetteer,
    today: date,
) -> Iterator[Read | NotSaid]:
    """Each record with its frame; where a value is not said, why."""
    links = Links.of(catalogue, gazetteer)
    for record in records:
        shown = shown_to_policy(record, catalogue, gazetteer, today)
        try:
            yield Read(record, shown, aligned(record.calls, shown, schema, record.made, links))
        except NotSaid as error:
            yield error


def literals_of(
    read: Iterable[Read], schema: Mapping[str, Mapping[str, Argument]], fewest: int = 3
) -> dict[str, list[str]]:
    """By argument, the literals that at least so many frames hold, of at least two voices; never days.

    "today" is no day by itself.
    """
    found: dict[tuple[str, str], list[str]] = {}
    for each in read:
        for step in each.frame:
            for name, values in step.arguments:
                is_day = "date" in schema[step.tool][name].types
                for text in {value.json for value in values if isinstance(value, Literal)}:
                    if not (is_day and any(sign.isdigit() for sign in text)):
                        found.setdefault((name, text), []).append(each.record.voice)
    literals: dict[str, list[str]] = {}
    for (name, text), voices in sorted(found.items()):
        if len(voices) >= fewest and len(set(voices)) > 1:
            literals.setdefault(name, []).append(text)
    return literals


def sample_of(
    read: Read,
    vocabulary: Vocabulary,
    tokenizer: Tokenizer,
    tags: Mapping[str, int],
    phrases: Floats,
    known: Floats,
    parts: Floats,
) -> Sample | None:
    """The sample of a record; None where the grammar or the vocabulary has no room for its frame."""
    tokens = vocabulary.tokens(read.frame)
    if tokens is None:
        return None
    pieces, first = pieces_of(tokenizer, read.shown.words)
    empty = np.zeros((0, 0), bool)
    sample = Sample(
        read.shown.words,
        pieces,
        first,
        np.array([tags.get(tag, 0) for tag in read.shown.tags]),
        np.array(read.shown.kinds),
        np.array([]),
        (empty, empty),
        empty,
        phrases,
        known,
        parts,
        np.zeros(len(vocabulary.tools), bool),
        read.shown.is_alone,
    )
    return with_tokens(sample, tokens, vocabulary)


def samples_of(
    read: Sequence[Read],
    vectors: Floats,
    vocabulary: Vocabulary,
    tags: Mapping[str, int],
    leaflets: Leaflets,
    known: Known,
    known_voices: Sequence[str],
    encoder: Encoder,
) -> Iterator[Sample]:
    """The samples of some requests, whose vectors are given; those without one are left out.

    Each likeness to the known requests leaves out those of the same voice: who asks later is another.
    """
    pieces = tokenizer()
    voices = np.array(known_voices)
    parts = [parts_of(each.shown)[1:] for each in read]
    beside = dict(
        zip((texts := list(dict.fromkeys(itertools.chain(*parts)))), encoder.encode(texts), strict=True)
    )
    for start in range(0, len(read), BLOCK):
        block = read[start : start + BLOCK]
        same = np.stack([voices == each.record.voice for each in block])
        cosines = known.cosines(vectors[start : start + BLOCK])
        others = known.likeness(cosines, vocabulary.tools, same)
        for n, (each, other) in enumerate(zip(block, others, strict=True), start):
            several = np.stack([vectors[n], *(beside[text] for text in parts[n])])
            phrases = leaflets.likeness(several)
            sample = sample_of(each, vocabulary, pieces, tags, phrases, other, several)
            if sample is not None:
                yield sample


def with_tokens(sample: Sample, tokens: Sequence[int], vocabulary: Vocabulary) -> Sample | None:
    """A sample with this frame; None where the grammar has no room for it."""
    if len(tokens) > LONGEST:
        return None
    count = len(sample.words)
    written, masks, ends = Written(vocabulary, count), [], []
    for token in tokens:
        allowed = written.allowed()
        words = np.zeros(count, bool)
        words[slice(*allowed.words)] = True
        masks.append((allowed.tokens, words))
        ends.append(written.first is not None)
        if not (allowed.tokens[token] if token < vocabulary.size else words[token - vocabulary.size]):
            return None
        written = written.step(token)
    allowed_tokens, allowed_words = (np.stack(each) for each in zip(*masks, strict=True))
    return replace(
        sample, tokens=np.array(tokens), allowed=(allowed_tokens, allowed_words), ends=np.array(ends)
    )


def batch_of(samples: Sequence[Sample], vocabulary: Vocabulary) -> dict[str, Tensor]:
    """Some samples side by side, filled up with zeros; `gold` is -1 where a frame is at its end."""
    size, count = vocabulary.size, len(samples)
    words, tokens = max(len(each.first) for each in samples), max(len(each.tokens) for each in samples)
    pieces = [np.concatenate([each.pieces, each.offers.pieces]) for each in samples]
    allowed = np.zeros((count, tokens, size + words), bool)
    for row, each in enumerate(samples):
        length = len(each.tokens)
        allowed[row, :length, :size], allowed[row, :length, size : size + len(each.first)] = each.allowed
    gold = _filled([each.tokens for each in samples], -1)
    written = np.zeros_like(gold)
    written[:, 1:] = np.maximum(gold[:, :-1], 0)
    return {
        "pieces": torch.tensor(_filled(pieces)),
        "present": torch.tensor(_filled([np.ones_like(each) for each in pieces]) > 0),
        "first": torch.tensor(_filled([each.first for each in samples])),
        "words": torch.tensor(_filled([np.ones_like(each.first) for each in samples])),
        "tags": torch.tensor(_filled([each.tags for each in samples])),
        "kinds": torch.tensor(_filled([each.kinds for each in samples])),
        "gold": torch.tensor(gold),
        "written": torch.tensor(written),
        "token_kinds": torch.tensor(_filled([token_kinds(each.tokens, vocabulary) for each in samples])),
        "allowed": torch.tensor(allowed),
        "ends": torch.tensor(_filled([each.ends.astype(np.intp) for each in samples]) > 0),
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
