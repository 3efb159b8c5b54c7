"""What people said of detections: verdicts beside the objects, and the precision that follows from them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

if TYPE_CHECKING:
    import geopandas as gpd
    import pandas as pd

Frame = TypeVar("Frame", "pd.DataFrame", "gpd.GeoDataFrame")
Verdict = Literal["confirmed", "rejected", "relabelled"]
VERDICTS: tuple[Verdict, ...] = ("confirmed", "rejected", "relabelled")
UNREVIEWED = "unreviewed"
COLUMNS = ("verdict", "reviewed_class", "reviewed_by", "reviewed_at")
"""What reviews add to a table of detections. `reviewed_class` is what the object is by the review: as found
where it was confirmed, the right class where it was relabelled, nothing where it was rejected."""

Z_95 = 1.959963984540054
"""Of the normal distribution, two-sided 95 %."""
_WHOLE_EVERY = 32
"""One file in so many holds all reviews, the others what changed since the one before."""


@dataclass(frozen=True)
class Review:
    """One verdict on one detection."""

    verdict: Verdict
    class_name: str | None = None
    """The right class, of a relabelled one."""
    by: str | None = None
    at: str | None = None
    """UTC, 2026-11-22T04:05:06Z."""


Reviews = dict[int, Review]
"""By the number of the detection."""


@dataclass(frozen=True)
class Precision:
    """The share of what was found that is right, from what was reviewed."""

    confirmed: int
    rejected: int
    relabelled: int

    @property
    def reviewed(self) -> int:
        """How many the estimate rests on."""
        return self.confirmed + self.rejected + self.relabelled

    def to_json(self) -> dict[str, Any]:
        """The estimate with its Wilson score interval (E. B. Wilson, 1927), 95 %; None from nothing."""
        between = wilson(self.confirmed, self.reviewed)
        share = self.confirmed / self.reviewed if self.reviewed else None
        return {
            "precision": None if share is None else round(share, 4),
            "low": None if between is None else round(between[0], 4),
            "high": None if between is None else round(between[1], 4),
            "reviewed": self.reviewed,
            "confirmed": self.confirmed,
            "rejected": self.rejected,
            "relabelled": self.relabelled,
        }


def wilson(successes: int, trials: int, z: float = Z_95) -> tuple[float, float] | None:
    """The score interval of a share (Wilson 1927, J. Am. Stat. Assoc. 22); None of no trials."""
    if trials == 0:
        return None
    share = successes / trials
    middle = share + z * z / (2 * trials)
    half = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)


def precision(classes: Mapping[int, str], reviews: Reviews) -> tuple[Precision, dict[str, Precision]]:
    """The precision of all, and of each class that was reviewed, by the class that the model gave.

    An object of another class counts as wrong for the class that it was found as.
    """
    tallies: dict[str, dict[str, int]] = {}
    for number, review in reviews.items():
        if number in classes:
            tally = tallies.setdefault(classes[number], dict.fromkeys(VERDICTS, 0))
            tally[review.verdict] += 1
    by_class = {name: Precision(**tallies[name]) for name in sorted(tallies)}
    whole = {each: sum(tally[each] for tally in tallies.values()) for each in VERDICTS}
    return Precision(**whole), by_class


@dataclass(frozen=True)
class Estimate:
    """What reviews tell of all detections of a set."""

    whole: Precision
    by_class: Mapping[str, Precision]
    basis: Literal["all", "sample"] | None
    """What the precision is estimated from: every detection, or a random sample that is wholly reviewed.
    None: those reviewed were picked in another way, so that they speak for themselves alone."""
    of: int
    """How many detections there are."""
    drawn: int
    """How many were drawn at random to be reviewed."""
    drawn_reviewed: int

    def to_json(self) -> dict[str, Any]:
        """The estimate as plain values; without a basis there is no precision and no interval."""
        return {
            **self._told(self.whole),
            "of": self.of,
            "basis": self.basis,
            "drawn": self.drawn,
            "drawn_reviewed": self.drawn_reviewed,
            "by_class": {name: self._told(each) for name, each in self.by_class.items()},
        }

    def _told(self, share: Precision) -> dict[str, Any]:
        told = share.to_json()
        if self.basis is None:
            return told | dict.fromkeys(("precision", "low", "high"))
        # Of all there is nothing to be unsure of.
        return told | dict.fromkeys(("low", "high"), told["precision"]) if self.basis == "all" else told


def draw(key: str, numbers: Iterable[int], count: int) -> tuple[int, ...]:
    """`count` of the numbers at random, in the order that they were drawn in; the same for the same key.

    A larger draw begins with the smaller one, so that a sample can grow. The seed is made from the key.
    """
    ordered = np.array(sorted(numbers), dtype=np.int64)
    mixed = np.random.default_rng(seed_of(key)).permutation(ordered)
    return tuple(int(each) for each in mixed[:count])


def seed_of(key: str) -> int:
    """What the draws from that set of detections begin with."""
    return int(sha256(key.encode()).hexdigest()[:8], 16)


def estimated(classes: Mapping[int, str], reviews: Reviews, sample: Collection[int] = ()) -> Estimate:
    """The precision that reviews let one estimate of all detections, whose found classes are given.

    Reviews in an order of people's choice, lowest scores first or what caught the eye, say nothing of the
    rest: only those of a random sample do, once all of it is reviewed, or those of every detection.
    """
    drawn = [each for each in sample if each in classes]
    seen = sum(each in reviews for each in drawn)
    everything = bool(classes) and classes.keys() <= reviews.keys()
    basis: Literal["all", "sample"] | None = None
    if everything:
        basis = "all"
    elif drawn and seen == len(drawn):
        basis = "sample"
    counted = {each: reviews[each] for each in drawn} if basis == "sample" else reviews
    whole, by_class = precision(classes, counted)
    return Estimate(whole, by_class, basis, len(classes), len(drawn), seen)


def joined(frame: Frame, reviews: Reviews) -> Frame:
    """Detections with the columns of their reviews; what nobody looked at is unreviewed."""
    found = [reviews.get(int(each)) for each in frame["detection_id"]]
    classes = frame["class_name"].tolist()
    added: dict[str, Any] = {
        "verdict": [UNREVIEWED if each is None else each.verdict for each in found],
        "reviewed_class": [_right_class(each, name) for each, name in zip(found, classes, strict=True)],
        "reviewed_by": [None if each is None else each.by for each in found],
        "reviewed_at": [None if each is None else each.at for each in found],
    }
    kept = frame.drop(columns=[each for each in COLUMNS if each in frame])
    more = kept.assign(**added)
    order: list[str] = [each for each in more.columns if each != "geometry"]
    return more[[*order, "geometry"]] if "geometry" in more else more


def _right_class(review: Review | None, found_as: str) -> str | None:
    if review is None or review.verdict == "rejected":
        return None
    return review.class_name if review.verdict == "relabelled" else found_as


# -- files: immutable, each known by what all of it says --------------------------------------------


def canonical_reviews(reviews: Reviews, sample: Sequence[int] = ()) -> str:
    """Reviews and the random sample as one text: the same for the same, whatever the reviews' order."""
    plain: Any = [_plain(reviews), list(sample)] if sample else _plain(reviews)
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def write_reviews(
    path: Path,
    reviews: Reviews,
    before: tuple[str, int, Reviews] | None,
    sample: Sequence[int] = (),
    seed: int = 0,
) -> None:
    """Write reviews: all, or what changed since `before` (its id, its number in the row, its reviews).

    `sample` are the numbers that were drawn at random to be reviewed, and `seed` what they were drawn with.

    A file of reviews is small, and thousands of them stay small together.
    """
    number = 0 if before is None else before[1] + 1
    content: dict[str, Any] = {"number": number}
    if sample:
        content["sample"] = {"seed": seed, "numbers": list(sample)}
    if before is None or number % _WHOLE_EVERY == 0:
        content["all"] = _plain(reviews)
    else:
        old = before[2]
        content["before"] = before[0]
        content["changed"] = _plain({key: each for key, each in reviews.items() if old.get(key) != each})
        content["dropped"] = sorted(key for key in old if key not in reviews)
    part = path.with_name(f".{path.name}.part")
    part.write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
    part.replace(path)


def read_reviews(path: Path, find: Callable[[str], Path | None]) -> tuple[int, Reviews]:
    """The number in its row and the reviews of a file; `find` gives the file of the one before.

    Raises FileNotFoundError when one of those is gone.
    """
    newest: int | None = None
    later: list[dict[str, Any]] = []
    while True:
        content = json.loads(path.read_text(encoding="utf-8"))
        newest = content["number"] if newest is None else newest
        if "all" in content:
            break
        later.append(content)
        before = find(content["before"])
        if before is None:
            raise FileNotFoundError(content["before"])
        path = before
    reviews = {int(key): Review(**each) for key, each in content["all"].items()}
    for each in reversed(later):
        for number in each["dropped"]:
            reviews.pop(number, None)
        reviews |= {int(key): Review(**review) for key, review in each["changed"].items()}
    return newest, reviews


def read_sample(path: Path) -> tuple[int, ...]:
    """The numbers of the detections that were drawn at random, in that order; none without a draw."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return tuple(int(each) for each in content.get("sample", {}).get("numbers", ()))


def _plain(reviews: Reviews) -> dict[str, dict[str, str]]:
    return {
        str(key): {name: value for name, value in asdict(reviews[key]).items() if value is not None}
        for key in sorted(reviews)
    }
