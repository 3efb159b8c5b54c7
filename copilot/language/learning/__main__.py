"""`python -m copilot.language.learning`: learn the policy from the bank and from a built benchmark.

    copilot bench build 10k --seed 11 --out tasks.jsonl
    python -m copilot.language.learning --tasks tasks.jsonl --out policy.npz

With `--unseen` no task of the benchmark is learned from that uses a withheld tool
(benches/unseen/withheld.toml); the bank holds none. Intents of the benchmark that are like withheld ones are
not left out. Broken off, the same command goes on from `policy.checkpoint`. `--hold` keeps the examples of
some files of the bank out of the training: before each round it is printed how many of their frames are
written without a fault.
"""

from __future__ import annotations

import argparse
import json
import random
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import torch

from copilot.bench.build.steady import steady_player, steady_world
from copilot.bench.standin import in_place
from copilot.bench.task import TODAY
from copilot.engine import Engine, default_engine
from copilot.language.alignment import NotSaid
from copilot.language.bank.example import EXAMPLES, Example, read_examples
from copilot.language.bank.wording import WORDINGS, Wording, read_wordings
from copilot.language.coverage import free_words, learned_coverage, tokens_of
from copilot.language.grammar import Vocabulary
from copilot.language.learning.augmentation import augmented
from copilot.language.learning.exchange import Exchange
from copilot.language.learning.likeness import learned_projection
from copilot.language.learning.network import Learner
from copilot.language.learning.records import of_tasks, records, reworded
from copilot.language.learning.samples import Read, Sample, literals_of, read_records, samples_of
from copilot.language.learning.train import Checkpoints, right, train
from copilot.language.network import Ids
from copilot.language.new_tools import Leaflets
from copilot.language.policy import (
    MAX_CHARS,
    Known,
    Learned,
    descriptions,
    tokenizer,
)
from copilot.language.schema import schema_of
from copilot.planner.encoder import Encoder, model_folder, read_weights
from tools.toolbox import Toolbox, toolbox

WITHHELD = Path(__file__).parents[3] / "benches" / "unseen" / "withheld.toml"
OF_AN_INTENT = 6
"""Tasks that are taken of each intent of the benchmark: more say the same again."""


def main() -> None:
    """Learn, and write the file."""
    parser = argparse.ArgumentParser(prog="python -m copilot.language.learning", description=__doc__)
    parser.add_argument("--tasks", type=Path, help="A file that `copilot bench build` wrote.")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=5000, help="Batches of 48.")
    parser.add_argument("--minutes", type=float, help="Learn for so long at most.")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--begun", type=Path, help="A policy to go on from.")
    parser.add_argument("--unseen", action="store_true", help="Leave out tasks with a withheld tool.")
    parser.add_argument("--hold", nargs="*", default=[], help="Files of the bank, without .jsonl.")
    asked = parser.parse_args()
    torch.manual_seed(asked.seed)
    read, held = _read(asked.tasks, asked.unseen, asked.hold)
    print(f"{len(read)} requests to learn from, {len(held)} held", flush=True)
    checkpoints = Checkpoints(asked.out.with_suffix(".checkpoint"))
    begun = None if asked.begun is None else Learned.load(asked.begun)
    learned, found = learn(read, held, toolbox(), asked.steps, asked.seed, checkpoints, begun, asked.minutes)
    # What goes on from it may change less than a step of bytes; fitting the confidence writes those.
    learned.save(asked.out, in_bytes=False)
    if held:
        print(f"{found:.1%} of the frames that were held are written without a fault")


def learn(
    read: Sequence[Read],
    held: Sequence[Read],
    tools: Toolbox,
    steps: int,
    seed: int,
    checkpoints: Checkpoints,
    begun: Learned | None = None,
    minutes: float | None = None,
) -> tuple[Learned, float]:
    """The policy learned from `read`, and the share of the frames of `held` that it writes.

    `begun` is one to go on from; `minutes` is how long it may learn at most.
    """
    encoder = Encoder()
    schema = schema_of(tools)
    literals = literals_of(read, schema)
    wanted = {tool for each in read for tool in _tools(each)}
    # What no example wants is never learned to be wrong: it is to be found by its description one day.
    vocabulary = Vocabulary(schema, literals, schema.keys() - wanted)
    kinds = sorted({each for one in read for each in one.shown.tags} - {""})
    tags = {tag: n for n, tag in enumerate(dict.fromkeys((*(begun.tags if begun else ()), *kinds)), 1)}
    vectors = encoder.encode([_text(each) for each in read])
    known = Known(vectors, tuple(map(_tools, read)))
    voices = [each.record.voice for each in read]
    pieces = tokenizer()
    leaflets = Leaflets(tools, encoder, pieces)
    projection = learned_projection(vectors, _alone(read, vocabulary), leaflets, seed)
    leaflets.project(projection)
    samples = list(samples_of(read, vectors, vocabulary, tags, leaflets, known, voices, encoder))
    exchange = Exchange(samples, tags, vocabulary, pieces)
    beside = encoder.encode([_text(each) for each in held])
    measured = list(samples_of(held, beside, vocabulary, tags, leaflets, known, voices, encoder))
    learner = Learner(
        read_weights(model_folder() / "model.safetensors"), *descriptions(vocabulary, tools, encoder)
    )
    if begun is not None:
        learner.take({**begun.weights, "own.weight": begun.own(vocabulary)})

    def epoch(chance: random.Random) -> list[Sample]:
        if measured:
            print(f"{right(learner, measured, vocabulary):.1%} of the held frames", flush=True)
        return list(augmented(samples, vocabulary, pieces, leaflets, exchange, chance))

    train(learner, epoch, vocabulary, steps, checkpoints, seed, lambda said: print(said, flush=True), minutes)
    weights = learner.trained() | {"like": projection}
    coverage = learned_coverage(
        [([stem for _, stem in free_words(each.shown, each.frame)], tokens_of(each.frame)) for each in read]
    )
    learned = Learned(weights, vocabulary.keys, tuple(tags), literals, known, coverage)
    return learned, right(learner, measured, vocabulary)


def _alone(read: Sequence[Read], vocabulary: Vocabulary) -> Ids:
    """(requests,) The number of the one tool that each wants; -1 where it wants several, or goes on."""
    numbers = {name: n for n, name in enumerate(vocabulary.tools)}
    return np.array(
        [
            numbers[each.frame[0].tool] if len(each.frame) == 1 and not each.record.past else -1
            for each in read
        ]
    )


def _text(read: Read) -> str:
    return read.record.said[:MAX_CHARS]


def _tools(read: Read) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tool for tool, _ in read.record.calls))


def _read(tasks: Path | None, unseen: bool, hold: Sequence[str]) -> tuple[list[Read], list[Read]]:
    engine = Engine.in_memory(default_engine().catalogue_address, today=TODAY)
    player = steady_player(steady_world(engine))
    files = sorted(EXAMPLES.glob("*.jsonl"))
    learnt = [*read_examples(each for each in files if each.stem not in hold)]
    if tasks is not None:
        learnt += _some(of_tasks(_lines(tasks)), set(_withheld()) if unseen else set())
    kept = list(read_examples(each for each in files if each.stem in hold))

    def all_of(examples: Iterable[Example], wordings: Iterable[Wording] = ()) -> list[Read]:
        with in_place():
            said = reworded(records(examples, player), wordings)
            found = read_records(said, schema_of(toolbox()), engine.catalogue, engine.gazetteer, TODAY)
            return [each for each in found if not isinstance(each, NotSaid)]

    return all_of(learnt, read_wordings(sorted(WORDINGS.glob("*.jsonl")))), all_of(kept)


def _lines(tasks: Path) -> Iterator[dict[str, object]]:
    with tasks.open(encoding="utf-8") as file:
        yield from (plain for line in file if "request" in (plain := json.loads(line)))


def _withheld() -> list[str]:
    return list(tomllib.loads(WITHHELD.read_text("utf-8"))["tools"])


def _some(examples: Iterable[Example], without: set[str]) -> list[Example]:
    """A few of each intent, in an order that chance gives, none with a tool that is withheld."""
    order, counts, kept = list(examples), dict[str, int](), list[Example]()
    random.Random(0).shuffle(order)
    for each in order:
        counts[each.voice] = counts.get(each.voice, 0) + 1
        named = {call.tool for turn in each.turns for call in turn.calls}
        if counts[each.voice] <= OF_AN_INTENT and not named & without:
            kept.append(each)
    return kept


if __name__ == "__main__":
    main()
