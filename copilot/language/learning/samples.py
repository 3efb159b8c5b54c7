"""Samples: records as the arrays that the network learns from."""

from __future__ import annotations

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
from copilot.language.learning.records import Record
from copilot.language.linking import Links
from copilot.language.mentions import Mentions, names_in
from copilot.language.network import FIRST, LAST, NAME, NOTHING, TOOL, VALUE, Ids
from copilot.language.policy import pieces_of
from copilot.language.schema import Argument
from copilot.language.shown import Shown
from copilot.language.view import view
from copilot.planner.encoder import Floats
from copilot.planner.situation import Situation
from copilot.planner.spans import Reader
from data.catalogue.base import Catalogue
from data.gazetteer import Gazetteer

LONGEST = 90
"""Tokens of a frame; a longer one is not learned."""


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


def shown_to_policy(record: Record, catalogue: Catalogue, gazetteer: Gazetteer, today: date) -> Shown:
    """What the policy sees of a record."""
    situation = Situation(dict(record.state), today, catalogue, gazetteer)
    named = names_in(record.said, Reader(gazetteer, today, situation.names()))
    return Shown(Mentions(record.said, today, named), view(record.state, record.past, record.columns))


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
    )
    return with_tokens(sample, tokens, vocabulary)


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
    allowed = np.zeros((count, tokens, size + words), bool)
    for row, each in enumerate(samples):
        length = len(each.tokens)
        allowed[row, :length, :size], allowed[row, :length, size : size + len(each.first)] = each.allowed
    gold = _filled([each.tokens for each in samples], -1)
    written = np.zeros_like(gold)
    written[:, 1:] = np.maximum(gold[:, :-1], 0)
    return {
        "pieces": torch.tensor(_filled([each.pieces for each in samples])),
        "present": torch.tensor(_filled([np.ones_like(each.pieces) for each in samples]) > 0),
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
