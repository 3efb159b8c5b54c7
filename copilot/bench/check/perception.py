"""What a run found in images: objects and land cover, for the figures of the remote-sensing papers.

GeoLLM-Engine reports the F1 of detected objects, the recall of land-cover classes and the ROUGE-L of answers
about an image. Its detectors stand in for the truth; here the truth is what the gold's calls bring. A task
has objects when the gold counts by class, or selects object classes; then what counts is how many of each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from copilot.bench.check.runs import Made
from data.vocabulary import DATASET_WORDS, classes_of
from state.model import State

ASKS_IMAGE = frozenset({"visual_question", "caption", "scene", "describe_image", "classify_image"})
"""Tools whose answer says what an image shows."""

Counts = dict[str, int]


@dataclass(frozen=True)
class Overlap:
    """How much of what was to be found was found."""

    both: int
    wanted: int
    got: int

    @classmethod
    def of(cls, wanted: Mapping[str, int], got: Mapping[str, int]) -> Overlap:
        """Of each thing, as many are found as there are on both sides."""
        both = sum(min(count, got.get(name, 0)) for name, count in wanted.items())
        return cls(both, sum(wanted.values()), sum(got.values()))

    @property
    def recall(self) -> float:
        """The share of what was to be found that was."""
        return self.both / self.wanted if self.wanted else 1.0

    @property
    def f1(self) -> float:
        """The harmonic mean of recall and precision."""
        return 2 * self.both / (self.wanted + self.got) if self.wanted + self.got else 1.0


@dataclass(frozen=True)
class Perceived:
    """What calls and the state they lead to say of objects and land cover."""

    counted: Counts = field(default_factory=dict)
    """By class, as a call counted them."""
    selected: Counts = field(default_factory=dict)
    """The object classes of the selection, each with the selection's size."""
    land_cover: Counts = field(default_factory=dict)
    """The land-cover classes of the selection and of counts, one each."""
    asks_image: bool = False


def perceived(calls: Iterable[Made], state: State) -> Perceived:
    """What was found, by the calls that worked and by the selection at the end."""
    counted: Counts = {}
    scenes: set[str] = set()
    asks_image = False
    for call in calls:
        asks_image = asks_image or call.tool in ASKS_IMAGE
        if call.ok and call.data.get("by") == "class":
            counts = {str(each["key"]): int(each.get("count") or 0) for each in call.data.get("groups", ())}
            scenes.update(name for name in counts if nature_of(name) == "scene")
            counted.update({name: n for name, n in counts.items() if nature_of(name) == "object"})
    classes = state.database.filters.classes
    scenes.update(name for name in classes if nature_of(name) == "scene")
    selected = {name: state.database.count for name in classes if nature_of(name) == "object"}
    return Perceived(counted, selected, dict.fromkeys(sorted(scenes), 1), asks_image)


def detections(wanted: Perceived, got: Perceived) -> Overlap | None:
    """The objects of the gold that a run found; None for a task without any."""
    if wanted.counted:
        return Overlap.of(wanted.counted, got.counted)
    return Overlap.of(wanted.selected, got.selected) if any(wanted.selected.values()) else None


def land_cover(wanted: Perceived, got: Perceived) -> Overlap | None:
    """The land-cover classes of the gold that a run found; None for a task without any."""
    return Overlap.of(wanted.land_cover, got.land_cover) if wanted.land_cover else None


def nature_of(name: str) -> Literal["object", "scene"] | None:
    """Whether a class, or a word for several, names objects or whole scenes; None for neither."""
    return _natures().get(name.casefold())


@cache
def _natures() -> dict[str, Literal["object", "scene"]]:
    found: dict[str, Literal["object", "scene"]] = {}
    for dataset in DATASET_WORDS:
        for each in classes_of(dataset):
            for name in (each.name, *each.groups):
                if each.scene:
                    found.setdefault(name.casefold(), "scene")
                else:
                    found[name.casefold()] = "object"
    return found
