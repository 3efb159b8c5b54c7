"""Tasks and tools as vectors: whole questions, questions without places and dates, and their parts."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from copilot.planner.encoder import DIMENSIONS, Encoder, Floats
from copilot.workflows.foreign.reading import ForeignTask, ForeignTool

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
PHRASES = Path(__file__).with_name("asked_for.toml")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_BREAK = re.compile(r"[,;:.?!()]+")


@dataclass(frozen=True)
class TaskTexts:
    """n tasks; m parts of their questions."""

    questions: tuple[str, ...]
    whole: Floats
    """(n, 384)"""
    plain: Floats
    """(n, 384) The questions without names and numbers: where and when says little about which tools."""
    parts: Floats
    """(m, 384)"""
    owner: Numbers
    """(m,) Which task a part is of, ascending; every task has at least one."""
    domains: tuple[str, ...]
    complexities: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.questions)

    def take(self, rows: Sequence[int] | Numbers) -> TaskTexts:
        """These tasks alone, in this order."""
        chosen = np.asarray(rows, dtype=np.int64)
        picked = [np.flatnonzero(self.owner == row) for row in chosen]
        return TaskTexts(
            tuple(self.questions[row] for row in chosen),
            self.whole[chosen],
            self.plain[chosen],
            self.parts[np.concatenate(picked)],
            np.repeat(np.arange(len(chosen)), [len(each) for each in picked]),
            tuple(self.domains[row] for row in chosen),
            tuple(self.complexities[row] for row in chosen),
        )


@dataclass(frozen=True)
class ToolTexts:
    """t tools; m phrases of people who need one."""

    tools: tuple[ForeignTool, ...]
    names: Floats
    """(t, 384)"""
    descriptions: Floats
    """(t, 384)"""
    phrases: Floats
    """(m, 384)"""
    owner: Numbers
    """(m,) Which tool a phrase is of, ascending; every tool has its name and its description at least."""

    def __len__(self) -> int:
        return len(self.tools)

    def take(self, rows: Sequence[int] | Numbers) -> ToolTexts:
        """These tools alone, in this order."""
        chosen = np.asarray(rows, dtype=np.int64)
        picked = [np.flatnonzero(self.owner == row) for row in chosen]
        return ToolTexts(
            tuple(self.tools[row] for row in chosen),
            self.names[chosen],
            self.descriptions[chosen],
            self.phrases[np.concatenate(picked)],
            np.repeat(np.arange(len(chosen)), [len(each) for each in picked]),
        )


def without_names(text: str) -> str:
    """The words that say what is wanted: none with a digit, none in capitals inside a sentence."""
    words = text.split()
    kept = []
    for number, word in enumerate(words):
        first = number == 0 or words[number - 1].endswith((".", "?", "!"))
        bare = word.strip(".,;:()?!\"'")
        if not any(letter.isdigit() for letter in bare) and (first or not bare[:1].isupper()):
            kept.append(word)
    return " ".join(kept) or text


def parts_of(text: str) -> tuple[str, ...]:
    """The runs of words between stop words and punctuation, as in RAKE (Rose et al. 2010), without names."""
    runs = []
    for piece in _BREAK.split(without_names(text)):
        run: list[str] = []
        for word in _WORD.findall(piece):
            if word.lower() in _stop_words():
                runs.append(run)
                run = []
            else:
                run.append(word)
        runs.append(run)
    return tuple(dict.fromkeys(" ".join(run) for run in runs if run)) or (text,)


def task_texts(encoder: Encoder, tasks: Sequence[ForeignTask]) -> TaskTexts:
    """Vectors of tasks; what the questions say is read as text and nothing else."""
    questions = tuple(task.question for task in tasks)
    split = [parts_of(question) for question in questions]
    texts = [*questions, *map(without_names, questions), *(part for parts in split for part in parts)]
    vectors = _encoded(encoder, texts)
    count = len(tasks)
    return TaskTexts(
        questions,
        vectors[:count],
        vectors[count : 2 * count],
        vectors[2 * count :],
        np.repeat(np.arange(count), [len(parts) for parts in split]),
        tuple(task.domain for task in tasks),
        tuple(task.complexity for task in tasks),
    )


def tool_texts(encoder: Encoder, tools: Sequence[ForeignTool], called: Sequence[str] = ()) -> ToolTexts:
    """Vectors of tools; `called` has the name each is known by here, where it has another one there."""
    said = _phrases()
    names = [spoken(tool.name) for tool in tools]
    descriptions = [tool.description or spoken(tool.name) for tool in tools]
    own = called or [tool.name for tool in tools]
    phrases = [
        (*said.get(known, ()), name, description)
        for known, name, description in zip(own, names, descriptions, strict=True)
    ]
    vectors = _encoded(encoder, [*names, *descriptions, *(one for each in phrases for one in each)])
    count = len(tools)
    return ToolTexts(
        tuple(tools),
        vectors[:count],
        vectors[count : 2 * count],
        vectors[2 * count :],
        np.repeat(np.arange(count), [len(each) for each in phrases]),
    )


def spoken(name: str) -> str:
    """A name as words: `detectShips` and `detect_ships` are both detect ships."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[\W_]+", " ", name).strip().lower() or name


def best_of_owner(values: Array, owner: Numbers) -> Array:
    """(rows, m) to (rows, owners): the highest value of each owner; every owner has at least one."""
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    best: Array = np.maximum.reduceat(values, starts, axis=1)
    return best


def mean_of_owner(values: Array, owner: Numbers) -> Array:
    """(rows, m) to (rows, owners): the mean of each owner."""
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    total: Array = np.add.reduceat(values, starts, axis=1)
    return total / np.bincount(owner)


def _encoded(encoder: Encoder, texts: Sequence[str]) -> Floats:
    """(texts, 384); a text that comes again is encoded once."""
    if not texts:
        return np.empty((0, DIMENSIONS), dtype=np.float32)
    different = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    vectors = encoder.encode(list(different))
    return vectors[[different[text] for text in texts]]


@cache
def _stop_words() -> frozenset[str]:
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return frozenset(ENGLISH_STOP_WORDS)


@cache
def _phrases() -> dict[str, list[str]]:
    return tomllib.loads(PHRASES.read_text(encoding="utf-8"))
