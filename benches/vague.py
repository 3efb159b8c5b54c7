"""How well vague wishes are answered: `python -m benches.vague [--plans N] [--turns N] [--experts N] …`.

The test's 1,000 questions (copilot/vague/dataset/test.jsonl) on rendered images of 1,024 pixels a side,
which are no imagery, and real ones where ../shared/data is there: the router, always a tool, never a
tool. `--turns N` asks N questions of each task, drawn by `--seed`, in the chat: whole turns of sessions, by
the clock, and the task's own tool beside some; `--plans N` plans the first call of each alone, which needs
no pixel. `--experts N` runs the experts of N questions of each dense task too; `--served` asks a
vision-language model at $OPENAI_BASE_URL.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from copilot.session import Session
from copilot.vague.chatting import chatted, planned
from copilot.vague.measuring import Run, measure
from copilot.vague.questions import DATASET, Question, read_questions
from copilot.vague.routing import Route
from copilot.vague.tasks import DENSE, TASKS


def some(questions: Sequence[Question], each: int, tasks: Sequence[str] = TASKS) -> list[Question]:
    """So many questions of each task, spread over the file."""
    found: list[Question] = []
    for task in tasks:
        own = [question for question in questions if question.task == task]
        found += own[:: max(1, len(own) // each)][:each]
    return found


def drawn(questions: Sequence[Question], each: int, seed: int) -> list[Question]:
    """So many questions of each task, by chance, in an order by chance."""
    rng = np.random.default_rng(seed)
    found: list[Question] = []
    for task in TASKS:
        own = [question for question in questions if question.task == task]
        found += [own[int(at)] for at in rng.permutation(len(own))[:each]]
    return [found[int(at)] for at in rng.permutation(len(found))]


def beside(folder: Path, home: Path, *, pair: bool) -> Session:
    """A session with a rendered image, or with two of one place."""
    from copilot.engine import Engine
    from copilot.vague.pictures import write

    session = Session.open(engine=Engine(home=home))
    for each in write("pair-change-256-17" if pair else "marina-256-17", folder):
        session.call("add_file", file=str(each))
    return session


def expert_runner(home: Path) -> Run:
    """Runs experts in sessions of an engine of its own, as a turn would, with its self-correction."""
    from copilot.engine import Engine
    from copilot.vague.grading import answer_of
    from copilot.vague.turn import respond

    engine = Engine(home=home)

    def run(question: Question, wish: Route, files: Sequence[Path]) -> tuple[Any, float]:
        session = Session.open(engine=engine)
        handles = [str(session.call("add_file", file=str(each)).data["raster"]) for each in files]
        started = time.perf_counter()
        before = handles[0] if len(handles) > 1 else None
        told = respond(session, question.said[-1], handles[-1], before, earlier=question.said[:-1], wish=wish)
        return answer_of(session, told), time.perf_counter() - started

    return run


def main() -> None:
    """Print the figures as JSON, a policy a line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--experts", type=int, default=0)
    parser.add_argument("--of", type=int, default=0, help="so many questions of each task, not all 100")
    parser.add_argument("--plans", type=int, default=0)
    parser.add_argument("--turns", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--served", default="")
    parser.add_argument("--folder", type=Path, help="where rendered images are kept for the next time")
    given = parser.parse_args()
    questions = list(read_questions(DATASET / "test.jsonl"))
    questions = some(questions, given.of) if given.of else questions
    tell: Callable[[str], None] = lambda said: print(said, flush=True)  # noqa: E731
    with tempfile.TemporaryDirectory() as room:
        folder = given.folder or Path(room)
        folder.mkdir(parents=True, exist_ok=True)
        if given.served:
            from openai import OpenAI

            from copilot.vague.served import measure_served

            print(json.dumps(measure_served(OpenAI(), given.served, questions, folder).as_json()))
            return
        if given.plans:
            own = [each for each in drawn(questions, given.plans, given.seed) if len(each.said) == 1]
            for pair in (False, True):
                asked = [each for each in own if (each.task == "change") is pair]
                told = planned(asked, beside(folder, Path(room) / f"home-{pair}", pair=pair))
                print("plans", json.dumps(told.as_json()), flush=True)
            return
        if given.turns:
            from copilot.engine import Engine

            chosen = drawn(questions, given.turns, given.seed)
            told = chatted(chosen, folder, Engine(home=Path(room) / "home"), tools_each=4, tell=tell)
            print("turns", json.dumps(told.as_json()))
            return
        if given.experts:
            picked = some(questions, given.experts, DENSE)
            figures = measure(picked, folder, run=expert_runner(Path(room) / "home"), tell=tell)
            print("experts", json.dumps(figures["router"].as_json()))
            return
        for policy, found in measure(questions, folder, tell=tell).items():
            print(policy, json.dumps(found.as_json()), flush=True)


if __name__ == "__main__":
    main()
