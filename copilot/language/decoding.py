"""Decoding: the best frames of a request, by beam search under the grammar; or some, drawn by chance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

import numpy as np

from copilot.language.frame import Frame
from copilot.language.grammar import END, Vocabulary, Written
from copilot.language.network import FIRST, LAST, NAME, NOTHING, TOOL, VALUE, Beams, Encoded, Network, Scores
from copilot.planner.encoder import Floats

WIDTH = 4
"""How many frames are written side by side."""
SETTLED = 2
"""How many frames have to be likelier than all that are not at their end."""
MAX_TOKENS = 90


@dataclass(frozen=True)
class Scored:
    """A frame with how likely the policy thinks it is."""

    frame: Frame
    log_probability: float
    least: float = 0.0
    """Of its least likely token."""
    agreement: float = 0.0
    """How far the known requests that are most like this one want the same tools, 0 to 1."""
    nearest: float = 0.0
    """The cosine of the one that is most like it."""


@dataclass(frozen=True)
class _Beam:
    tokens: tuple[int, ...]
    log_probability: float
    written: Written
    least: float = 0.0


def decode(network: Network, vocabulary: Vocabulary, shown: Encoded, favour: Floats) -> tuple[Scored, ...]:
    """The best frames, the likeliest first; `favour` (tools,) is added to the score of each tool."""
    beams = [_Beam((), 0.0, Written(vocabulary, len(shown.words)))]
    memory, ended = network.begin(), list[_Beam]()
    for _ in range(MAX_TOKENS):
        memory, scores = _scored(network, shown, memory, beams, favour)
        grown = _grown(beams, scores)
        ended += [beam for _, beam in grown[:WIDTH] if beam.tokens[-1] == END]
        going = [(row, _stepped(beam)) for row, beam in grown if beam.tokens[-1] != END][:WIDTH]
        if not going or _is_settled(ended, going[0][1]):
            break
        beams, memory = [beam for _, beam in going], memory.chosen([row for row, _ in going])
    ended.sort(key=lambda beam: -beam.log_probability)
    return tuple(Scored(vocabulary.frame(beam.tokens), beam.log_probability, beam.least) for beam in ended)


def drawn(
    network: Network,
    vocabulary: Vocabulary,
    shown: Encoded,
    favour: Floats,
    count: int,
    temperature: float,
    chance: Random,
) -> list[tuple[int, ...]]:
    """So many frames as tokens, drawn by chance; one of `MAX_TOKENS` may be cut off before its END."""
    frames = [_Beam((), 0.0, Written(vocabulary, len(shown.words)))] * count
    memory, going = network.begin().chosen([0] * count), list(range(count))
    for _ in range(MAX_TOKENS):
        memory, scores = _scored(network, shown, memory, [frames[n] for n in going], favour)
        for row, n in enumerate(going):
            frames[n] = _with_one_drawn(frames[n], scores, row, temperature, chance)
        left = [row for row, n in enumerate(going) if frames[n].tokens[-1] != END]
        if not left:
            break
        memory, going = memory.chosen(left), [going[row] for row in left]
    return [frame.tokens for frame in frames]


def _with_one_drawn(frame: _Beam, scores: Scores, row: int, temperature: float, chance: Random) -> _Beam:
    shares = np.exp(_log_probabilities(frame, scores, row).astype(np.float64) / temperature)
    able = np.flatnonzero(shares)
    token = chance.choices(able.tolist(), shares[able].tolist())[0]
    longer = replace(frame, tokens=(*frame.tokens, token))
    return longer if token == END else _stepped(longer)


def _scored(
    network: Network, shown: Encoded, memory: Beams, beams: list[_Beam], favour: Floats
) -> tuple[Beams, Scores]:
    last = [beam.tokens[-1] if beam.tokens else END for beam in beams]
    memory, scores = network.write(shown, memory, last, [_kind(beam) for beam in beams])
    scores.tokens[:, 1 : 1 + len(favour)] += favour
    return memory, scores


def _is_settled(ended: list[_Beam], best: _Beam) -> bool:
    """Whether enough frames are likelier than whatever may still become of the others.

    How many have ended says nothing: the long frame that is meant may be behind short ones that are not.
    """
    return sum(beam.log_probability > best.log_probability for beam in ended) >= SETTLED


def _grown(beams: list[_Beam], scores: Scores) -> list[tuple[int, _Beam]]:
    """The best continuations of all beams, each with the beam that it goes on from."""
    grown = []
    for row, beam in enumerate(beams):
        log_probabilities = _log_probabilities(beam, scores, row)
        for token in np.argsort(-log_probabilities, kind="stable")[:WIDTH]:
            gained = float(log_probabilities[token])
            if np.isfinite(gained):
                total = beam.log_probability + gained
                least = min(beam.least, gained)
                grown.append((row, _Beam((*beam.tokens, int(token)), total, beam.written, least)))
    grown.sort(key=lambda each: -each[1].log_probability)
    return grown


def _stepped(beam: _Beam) -> _Beam:
    return replace(beam, written=beam.written.step(beam.tokens[-1]))


def _log_probabilities(beam: _Beam, scores: Scores, row: int) -> Floats:
    """(vocabulary + words,) of what may come next; minus infinity for what may not."""
    allowed = beam.written.allowed()
    words = scores.first[row] if beam.written.first is None else scores.last[row]
    permitted = np.zeros(len(words), bool)
    permitted[slice(*allowed.words)] = True
    known = np.where(allowed.tokens, scores.tokens[row], -np.inf)
    values = np.concatenate([known, np.where(permitted, words, -np.inf)]).astype(np.float32)
    values -= values.max()
    logged: Floats = values - np.log(np.exp(values).sum())
    return logged


def _kind(beam: _Beam) -> int:
    """What the last token of a beam is."""
    if not beam.tokens:
        return NOTHING
    known, token = beam.written.vocabulary, beam.tokens[-1]
    if token >= known.size:
        return FIRST if beam.written.first is not None else LAST
    if token < known.first_name:
        return TOOL
    return NAME if token < known.first_literal else VALUE
