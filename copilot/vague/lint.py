"""Holds the bank and a built data set to what its card says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from copilot.vague.questions import Question, read_questions
from copilot.vague.reward import is_boxes, is_labels, is_number
from copilot.vague.tasks import LABELS, TASKS, Task
from copilot.vague.wordings import about, wordings

LEAST_VOICES = 30
TEXT_CHARS = 300


def bank_problems() -> list[str]:
    """What is wrong with the wordings: sentences."""
    found = []
    train, test = wordings("train"), wordings("test")
    voices = {*about("train"), *about("test")}
    if len(voices) < LEAST_VOICES:
        found.append(f"There are {len(voices)} voices; {LEAST_VOICES} are wanted.")
    if shared := {each.voice for each in train} & {each.voice for each in test}:
        found.append(f"Voices of both parts: {', '.join(sorted(shared))}.")
    known = Counter(_bare(each.text) for each in (*train, *test) if not each.follows)
    twice = {text for text, count in known.items() if count > 1}
    learnt = {_bare(each.text) for each in train}
    found += [f"The test's {each.text!r} is learnt from." for each in test if _bare(each.text) in learnt]
    found += [f"{text!r} is there more than once in a part." for text in twice if text not in learnt]
    for task in TASKS:
        for part, known_of in (("train", train), ("test", test)):
            if not any(each.task == task for each in known_of):
                found.append(f"No voice of {part} asks for {task}.")
    return found


def problems(path: Path, each: int, tasks: Sequence[Task]) -> list[str]:
    """What is wrong with a built file of so many questions of each of the tasks: sentences."""
    questions = list(read_questions(path))
    found = [text for question in questions for text in _of(question)]
    counts = Counter(question.task for question in questions)
    found += [
        f"{path.name} has {counts[task]} of {task}; {each} are wanted."
        for task in tasks
        if counts[task] != each
    ]
    ids = Counter(question.id for question in questions)
    found += [f"The id {name} is there {count} times." for name, count in ids.items() if count > 1]
    same = Counter((question.said, question.picture) for question in questions)
    found += [
        f"{said[-1]!r} is asked twice of {picture}." for (said, picture), count in same.items() if count > 1
    ]
    return found


def _of(question: Question) -> list[str]:
    found = []
    for said in question.said:
        if "{" in said or not said.strip() or len(said) > TEXT_CHARS:
            found.append(f"{question.id} says {said[:60]!r}.")
    right = question.reference
    form = {
        "scene": is_labels, "labels": is_labels, "grounding": is_boxes, "counting": is_number,
        "region": is_labels,
        "detection": is_boxes, "segmentation": is_labels, "referring": is_boxes, "change": is_number,
        "contour": is_labels,
    }[question.task]  # fmt: skip
    if not form(right):
        found.append(
            f"{question.id} has the reference {right!r:.60}, which is not of the form of {question.task}."
        )
    if question.task == "labels" and not set(right) <= set(LABELS):  # type: ignore[arg-type]
        found.append(f"{question.id} names what is no label: {right!r:.80}.")
    return found


def _bare(text: str) -> str:
    """A wording without signs and capitals."""
    return " ".join("".join(each if each.isalnum() else " " for each in text.casefold()).split())
