"""Which task a request is: RS-Agent's first stage, by two trained heads, known phrases and the modality."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from copilot.planner.encoder import Floats
from copilot.planner.head import Head
from copilot.solutions.cues import COLUMNS, task_features
from copilot.solutions.space import IMAGE_TASKS
from copilot.solutions.tuned import Tuned, tuned

WEIGHTS = Path(__file__).with_name("head.npz")
_RADAR = re.compile(
    r"\b(?:sar|radar|synthetic[- ]aperture|microwave|backscatter\w*|sentinel[- ]?1[ab]?|s1[ab]?|gaofen[- ]?3|"
    r"gf[- ]?3|terrasar(?:[- ]x)?|tandem[- ]x|iceye|capella|umbra|radarsat\S*|alos\S*|palsar\S*|"
    r"cosmo[- ]skymed|sarfish|hrsid|ssdd|hisea\S*|[vh][vh][- ]pol\w*|"
    r"[vh][vh](?= (?:band|channel|polari|image))|polarimetric|grd|slc)\b",
    re.IGNORECASE,
)
_NOT_RADAR = re.compile(
    r"\b(?:not?|isn't|isnt|no longer|rather than|instead of|other than)\s+(?:an?\s+|the\s+)?(?:sar|radar)\b",
    re.IGNORECASE,
)
_OF_RADAR = {
    "optical_detection": "sar_detection",
    "horizontal_object_detection": "sar_detection",
    "rotated_object_detection": "sar_detection",
    "optical_plane_type": "sar_plane_type",
}
"""What does for a radar image what the other does for an optical one: detectors do not cross over."""
_OF_OPTICAL = {"sar_detection": "optical_detection", "sar_plane_type": "optical_plane_type"}
_BLIND_TO_RADAR = ("cloud_removal", "image_dehazing")
"""Radar sees through clouds and haze: there is nothing to remove."""
_ASKED_OF_IMAGES = frozenset({*IMAGE_TASKS, "knowledge_search"})
"""Beside an image people also ask what they do not know of it."""
_RARE = 0.02
_WITH_AN_IMAGE = 5.0
"""How much likelier a task on pixels is when the request comes with an image."""
_POINTING = 0.5
"""What is left of a task on pixels without an image when a pronoun may stand for one."""


@dataclass(frozen=True)
class Inferred:
    """A task that a request may be, and how likely: the scores of all tasks come to one."""

    task: str
    score: float


def infer_tasks(
    request: str, image: Mapping[str, Any] | None = None, among: Collection[str] | None = None
) -> tuple[Inferred, ...]:
    """The tasks (of `among`, when given), likeliest first.

    `image` is what is known of the image that the request comes with, such as {"modality": "sar"}.
    """
    text = [normal(request)]
    head = task_head()
    shares = joined(head.probabilities(task_features(text)), tuned(), text)
    scores = dict(zip(head.names, shares[0].tolist(), strict=True))
    if image is not None:
        scores = _favoured(scores, _ASKED_OF_IMAGES, _WITH_AN_IMAGE)
    elif not REFERS.search(request):
        # Without an image that it comes with or points to, a request is rarely about pixels.
        scores = _favoured(scores, IMAGE_TASKS, _POINTING if _POINTS.search(request) else 1 / _WITH_AN_IMAGE)
    scores = by_modality(scores, modality_of(request, image))
    if among is not None:
        scores = {task: score for task, score in scores.items() if task in among}
    total = sum(scores.values()) or 1.0
    ranked = sorted(scores, key=lambda task: -scores[task])
    return tuple(Inferred(task, scores[task] / total) for task in ranked)


def joined(plain: Floats, tuning: Tuned, texts: Sequence[str]) -> Floats:
    """(texts, tasks): the mean of the head's shares, which come from words and pieces of words, of the tuned
    encoder's, and of the votes of known phrases. Each is wrong elsewhere."""
    return (plain + tuning.shares(texts) + tuning.votes(texts)) / np.float32(3)


def modality_of(request: str, image: Mapping[str, Any] | None = None) -> str:
    """ "sar" or "optical": what the image is known to be, else what the request says, else optical."""
    known = str((image or {}).get("modality") or "").lower()
    if known:
        return "sar" if _RADAR.search(known) else "optical"
    return "sar" if _RADAR.search(_NOT_RADAR.sub(" ", request)) else "optical"


REFERS = re.compile(
    r"\b(?:images?|imagery|pictures?|photos?|scenes?|tiles?|shots?|chips?|this|these|here|the file)\b",
    re.IGNORECASE,
)
"""A word for the image that a request is about, or one that points to it."""
_POINTS = re.compile(r"\b(?:there|it|that|they|my)\b", re.IGNORECASE)
"""A word that may point to an image as well as to what else is spoken of."""


def _favoured(scores: Mapping[str, float], tasks: Collection[str], factor: float) -> dict[str, float]:
    return {task: score * (factor if task in tasks else 1) for task, score in scores.items()}


def by_modality(scores: Mapping[str, float], modality: str) -> dict[str, float]:
    """The scores with the tasks of the other modality given over to their counterparts."""
    counterpart = _OF_RADAR if modality == "sar" else _OF_OPTICAL
    found = dict(scores)
    for task, other in counterpart.items():
        found[other] += found[task]
        found[task] = 0.0
    if modality == "sar":
        found |= {task: found[task] * _RARE for task in _BLIND_TO_RADAR}
    return found


def normal(text: str) -> str:
    """A request as the head reads it: lower case, without stops at its end and names of files."""
    plain = re.sub(r"(?<!\S)\S+\.(?:tiff?|png|jpe?g|jp2|img|nc|hdf|h5)\b", "image", text, flags=re.IGNORECASE)
    return " ".join(plain.lower().split()).strip(" .!?")


@cache
def task_head() -> Head:
    """The committed weights. Raises HeadError when they cannot be read."""
    return Head.load(WEIGHTS, COLUMNS)
