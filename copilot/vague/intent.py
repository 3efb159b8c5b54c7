"""Which task a vague wish means: small heads over the frozen sentence encoder and hashed words.

Four heads of logistic regression: the task; of a question about a part of an image its kind; of a question
about two images what is supposed to have happened; whether it is a wish on an image at all, rather than any
other request. `python -m copilot.vague learn` makes them, from the training voices of the bank alone, the
last one from them and from what else people ask of the copilot (copilot/language/bank/examples).
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np

from copilot.planner.encoder import DIMENSIONS, Floats
from copilot.planner.head import HASHED, shared_encoder, softmax, word_features
from copilot.vague.tasks import Task
from copilot.vague.wordings import Wording, wordings

WEIGHTS = Path(__file__).with_name("intent.npz")
STRENGTH = 10.0
"""The inverse of the regularisation, of 3, 10 and 30, by training voices held out in six groups."""
HEADS = ("task", "region", "event", "wish")
REGION_KINDS = ("what", "which side", "whether")
SAID = {
    "one": (
        "biggest boat", "plane furthest left", "only tank", "smallest vehicle", "largest lake",
        "topmost ship", "car furthest right", "largest patch of greenery", "tank", "bottommost plane",
    ),
    "many": ("boats", "planes", "vehicles", "cars", "tanks", "ships", "aeroplanes", "storage tanks"),
    "place": ("harbour", "airport", "car park", "port"),
    "part": ("top left corner", "left half", "lower part", "centre", "upper right", "right side"),
    "cover": ("water", "greenery", "concrete", "houses", "bare ground", "plants"),
}  # fmt: skip
"""What the places of a wording are filled with to learn from it."""
OTHERS = 2800, 1600
"""Requests for something else that the last head learns from, beside a file and without one: more would take
minutes."""
VARIANTS = 2
"""How often each wording that leaves something open is filled."""


@dataclass(frozen=True)
class Head:
    """One head: a label's score is the features times its column, plus its bias."""

    labels: tuple[str, ...]
    weights: Floats
    """(DIMENSIONS + HASHED, labels)."""
    bias: Floats

    def likely(self, features: Floats) -> dict[str, float]:
        """The probability of each label, the likeliest first; features (DIMENSIONS + HASHED,)."""
        shares = softmax(features @ self.weights + self.bias)
        order = np.argsort(-shares)
        return {self.labels[at]: float(shares[at]) for at in order}


@dataclass(frozen=True)
class Intent:
    """What a request may mean."""

    tasks: dict[str, float]
    """The probability of each task, the likeliest first."""
    region: str
    event: str
    """What happened between two images, by the words; "any" where they suppose nothing."""
    wish: float = 1.0
    """The probability that it is a wish on an image at all."""

    @property
    def task(self) -> Task:
        """The likeliest."""
        return cast("Task", next(iter(self.tasks)))

    @property
    def sure(self) -> float:
        """Its probability."""
        return next(iter(self.tasks.values()))


def features(texts: Sequence[str]) -> Floats:
    """(texts, DIMENSIONS + HASHED) float32."""
    return np.concatenate([shared_encoder().recall(texts), word_features(texts)], axis=1)


@cache
def heads(path: Path = WEIGHTS) -> dict[str, Head]:
    """The learned heads."""
    with np.load(path, allow_pickle=False) as read:
        return {
            name: Head(
                tuple(str(each) for each in read[f"{name}_labels"]),
                read[f"{name}_weights"].astype(np.float32),
                read[f"{name}_bias"].astype(np.float32),
            )
            for name in HEADS
        }  # fmt: skip


def read_intent(request: str) -> Intent:
    """What a request may mean, by its words alone."""
    row, known = features([request])[0], heads()
    said = {name: next(iter(known[name].likely(row))) for name in ("region", "event")}
    wish = known["wish"].likely(row)["yes"]
    return Intent(known["task"].likely(row), said["region"], said["event"], wish)


def examples(known: Sequence[Wording], seed: int = 0) -> list[tuple[str, Wording]]:
    """The wordings with their places filled, those with none once."""
    rng = np.random.default_rng(seed)
    made = []
    for each in known:
        for _ in range(VARIANTS if each.slots else 1):
            text = each.text
            for slot, options in SAID.items():
                text = text.replace(f"{{{slot}}}", options[int(rng.integers(len(options)))])
            made.append((text, each))
    return made


def others(counts: tuple[int, int] = OTHERS, seed: int = 0) -> list[str]:
    """So many requests of the bank that ask for no vision tool, by chance: beside a file, and without one."""
    from copilot.language.bank.example import EXAMPLES, read_examples
    from tools.toolbox import toolbox

    vision = {each.name for each in toolbox() if each.category == "vision"}
    beside, without = list[str](), list[str]()
    for example in read_examples(sorted(EXAMPLES.glob("*.jsonl"))):
        said = beside if any(call.tool == "add_file" for call in example.setup) else without
        said += [turn.say for turn in example.turns if not vision & {call.tool for call in turn.calls}]
    rng = np.random.default_rng(seed)
    return [
        texts[at]
        for texts, count in zip((beside, without), counts, strict=True)
        for at in sorted(rng.permutation(len(texts))[:count])
    ]


def labelled(name: str, wording: Wording) -> str | None:
    """What a head is to say of a wording; None where it is not asked."""
    if name == "task":
        return wording.task
    if name == "event":
        return (wording.event or "any") if wording.task == "change" else None
    if wording.task != "region":
        return None
    asks = {frozenset({"cover"}): "which side", frozenset({"part", "cover"}): "whether"}
    return asks.get(wording.slots, "what")


def fitted(name: str, texts: Sequence[str], labels: Sequence[str]) -> Head:
    """One head, fitted."""
    from sklearn.linear_model import LogisticRegression

    model: Any = LogisticRegression(C=STRENGTH, max_iter=500)
    model.fit(features(texts), list(labels))
    weights, bias = model.coef_.T, model.intercept_
    if weights.shape[1] == 1:
        weights, bias = np.hstack([-weights / 2, weights / 2]), np.array([-bias[0] / 2, bias[0] / 2])
    return Head(
        tuple(str(each) for each in model.classes_), weights.astype(np.float32), bias.astype(np.float32)
    )


def learn(path: Path = WEIGHTS) -> dict[str, int]:
    """Fit the heads on the training voices and write them; how many examples each was fitted on."""
    said = examples(wordings("train"))
    kept: dict[str, Any] = {}
    counts = {}
    for name in HEADS:
        if name == "wish":
            pairs = [*((text, "yes") for text, _ in said), *((text, "no") for text in others())]
        else:
            pairs = [(text, label) for text, each in said if (label := labelled(name, each)) is not None]
        head = fitted(name, [text for text, _ in pairs], [label for _, label in pairs])
        counts[name] = len(pairs)
        kept |= {
            f"{name}_labels": np.array(head.labels), f"{name}_weights": head.weights.astype(np.float16),
            f"{name}_bias": head.bias,
        }  # fmt: skip
    made = io.BytesIO()
    np.savez_compressed(made, **kept)
    path.write_bytes(made.getvalue())
    heads.cache_clear()
    return counts


__all__ = [
    "DIMENSIONS",
    "HASHED",
    "Intent",
    "examples",
    "features",
    "fitted",
    "heads",
    "learn",
    "read_intent",
]
