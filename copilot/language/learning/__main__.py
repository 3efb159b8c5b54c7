"""`python -m copilot.language.learning`: play what is learned from, then learn the policy from it.

    copilot bench build 4000 --seed 11 --out tasks.jsonl
    python -m copilot.language.learning play --tasks tasks.jsonl --hold hydro --out material.pickle
    python -m copilot.language.learning learn material.pickle --out policy.npz --minutes 60

New examples are learned by going on from a policy, with a share of what was learned before:

    python -m copilot.language.learning play --fresh 'm_*' --some 0.2 --begun policy.npz --out more.pickle
    python -m copilot.language.learning learn more.pickle --begun policy.npz --mean 0.7 --out next.npz

`play` plays the bank on the real tools (some minutes), `learn` needs neither these nor a catalogue, and takes
a GPU where there is one (`--device cuda`). Broken off, `learn` goes on from `policy.checkpoint`. `--hold`
keeps the examples of some files of the bank out of the learning: it is printed how many of their frames are
written without a fault. With `--unseen` nothing is learned that the unseen sets measure: no withheld tool
(benches/unseen/withheld.toml), no task of the benchmark, no known request.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterable, Iterator
from pathlib import Path

from copilot.bench.build.steady import steady_player, steady_world
from copilot.bench.standin import in_place
from copilot.bench.task import TODAY
from copilot.engine import Engine, default_engine
from copilot.language.alignment import NotSaid
from copilot.language.bank.example import EXAMPLES, WITHHELD, Example, read_examples
from copilot.language.bank.wording import WORDINGS, Wording, read_wordings
from copilot.language.learning.learn import Begun, Machine, learn
from copilot.language.learning.lessons import Lesson, lesson_of, read_records
from copilot.language.learning.material import Material, material_of
from copilot.language.learning.records import of_tasks, records, reworded
from copilot.language.learning.train import BATCH, RATE, Checkpoints, Course
from copilot.language.policy import Learned, tokenizer
from copilot.language.schema import schema_of
from copilot.planner.encoder import Encoder, model_folder, read_weights
from tools.toolbox import toolbox

OF_AN_INTENT = 10
"""Tasks that are taken of each intent of the benchmark: more say the same again."""
KNOWN = "known_requests"
"""The file of the bank with requests that were read rightly before anything was learned."""


def main() -> None:
    """Play, or learn."""
    parser = argparse.ArgumentParser(prog="python -m copilot.language.learning", description=__doc__)
    commands = parser.add_subparsers(required=True)
    playing = commands.add_parser("play")
    playing.add_argument("--tasks", type=Path, help="A file that `copilot bench build` wrote.")
    playing.add_argument("--unseen", action="store_true", help="Leave out what the unseen sets measure.")
    playing.add_argument("--hold", nargs="*", default=[], help="Files of the bank, without .jsonl.")
    playing.add_argument("--fresh", nargs="*", default=[], help="Files that no policy has learned, as globs.")
    playing.add_argument(
        "--again", nargs="*", default=[], help="Files that are learned whole again, as globs."
    )
    playing.add_argument("--some", type=float, default=1.0, help="The share of all others that is learned.")
    playing.add_argument("--begun", type=Path, help="The policy to go on from.")
    playing.add_argument("--out", type=Path, required=True)
    playing.set_defaults(run=_play)
    learning = commands.add_parser("learn")
    learning.add_argument("material", type=Path, help="What `play` wrote.")
    learning.add_argument("--out", type=Path, required=True)
    learning.add_argument("--steps", type=int, default=5000, help="Batches.")
    learning.add_argument("--minutes", type=float, help="Learn for so long at most.")
    learning.add_argument("--batch", type=int, default=BATCH)
    learning.add_argument("--rate", type=float, default=RATE)
    learning.add_argument("--device", default="cpu")
    learning.add_argument("--processes", type=int, default=0, help="That make batches.")
    learning.add_argument("--seed", type=int, default=0)
    learning.add_argument("--begun", type=Path, help="A policy to go on from.")
    learning.add_argument("--mean", type=float, default=1.0, help="Share of the learned weights in the mean.")
    learning.add_argument("--still", type=int, default=0, help="Lowest layers that are left as they are.")
    learning.set_defaults(run=_learn)
    asked = parser.parse_args()
    asked.run(asked)


def _play(asked: argparse.Namespace) -> None:
    paths = sorted(EXAMPLES.glob("*.jsonl"))
    if asked.unseen:
        paths = [each for each in paths if each.stem != KNOWN]
    else:
        paths += sorted(WITHHELD.glob("*.jsonl"))
    held = [each for each in paths if each.stem in asked.hold]
    paths = [each for each in paths if each not in held]
    new = _matching(paths, asked.fresh)
    whole = [each for each in _matching(paths, asked.again) if each not in new]
    old = [*read_examples(each for each in paths if each not in (*new, *whole))]
    if not asked.unseen and asked.tasks:
        old += _some(of_tasks(_lines(asked.tasks)))
    again = [*read_examples(whole), *random.Random(0).sample(old, round(asked.some * len(old)))]
    wordings = [*read_wordings(sorted(WORDINGS.glob("*.jsonl")))]
    engine = Engine.in_memory(default_engine().catalogue_address, today=TODAY)
    fresh = list(lessons_of(read_examples(new), engine, wordings))
    lessons = [*fresh, *lessons_of(again, engine, wordings)]
    kept = list(lessons_of(read_examples(held), engine))
    begun = None if asked.begun is None else Learned.load(asked.begun)
    material_of(lessons, kept, toolbox(), Encoder(), len(fresh), begun).keep(asked.out)
    print(f"{len(lessons)} requests to learn from, {len(fresh)} of them fresh; {len(kept)} held")


def _matching(paths: Iterable[Path], globs: Iterable[str]) -> list[Path]:
    """The files of the bank that one of some globs names."""
    patterns = [f"{each}.jsonl" for each in globs]
    return [each for each in paths if any(each.match(pattern) for pattern in patterns)]


def _learn(asked: argparse.Namespace) -> None:
    course = Course(asked.steps, asked.minutes, asked.rate, asked.device)
    learned, found = learn(
        Material.load(asked.material),
        read_weights(model_folder() / "model.safetensors"),
        tokenizer(),
        course,
        Machine(asked.device, asked.processes, asked.batch),
        Checkpoints(asked.out.with_suffix(".checkpoint")),
        None if asked.begun is None else Begun(Learned.load(asked.begun), asked.mean, asked.still),
        asked.seed,
        lambda said: print(said, flush=True),
    )
    # What goes on from it may change less than a step of bytes; fitting the confidence writes those.
    learned.save(asked.out, in_bytes=False)
    print(f"{found:.1%} of the frames that were held are written without a fault")


def lessons_of(
    examples: Iterable[Example], engine: Engine, wordings: Iterable[Wording] = ()
) -> Iterator[Lesson]:
    """Each turn of some examples, played, and its other wordings, where all that they want is said."""
    player, schema = steady_player(steady_world(engine)), schema_of(toolbox())
    with in_place():
        said = reworded(records(examples, player), wordings)
        for each in read_records(said, schema, engine.catalogue, engine.gazetteer, TODAY):
            if not isinstance(each, NotSaid):
                yield lesson_of(each)


def _lines(tasks: Path) -> Iterator[dict[str, object]]:
    with tasks.open(encoding="utf-8") as file:
        yield from (plain for line in file if "request" in (plain := json.loads(line)))


def _some(examples: Iterable[Example]) -> list[Example]:
    """A few of each intent, in an order that chance gives."""
    order, counts, kept = list(examples), dict[str, int](), list[Example]()
    random.Random(0).shuffle(order)
    for each in order:
        counts[each.voice] = counts.get(each.voice, 0) + 1
        if counts[each.voice] <= OF_AN_INTENT:
            kept.append(each)
    return kept


if __name__ == "__main__":
    main()
