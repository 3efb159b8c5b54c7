"""One question of the data set, and how it is made of a wording and an image with its truth."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copilot.vague import phrases
from copilot.vague.pictures import Truth
from copilot.vague.tasks import COVERS, PARTS, THINGS, Task
from copilot.vague.wordings import Part, Wording

if TYPE_CHECKING:
    import numpy as np

Reference = list[list[int]] | list[str] | float | int
"""Boxes, labels, or a number: the reward goes by the form."""
DATASET = Path(__file__).with_name("dataset")
"""Where the test and the card are kept."""
MOST_BOXES = 40
"""Images with more objects of a kind are not asked to have each marked."""


@dataclass(frozen=True)
class Question:
    """What somebody asks about an image, and the right answer."""

    id: str
    task: Task
    voice: str
    said: tuple[str, ...]
    """What was said, turn by turn; the last is the question."""
    picture: str
    reference: Reference
    about: dict[str, str]
    """What the places of the wording were filled with, by the names of `copilot.vague.tasks`."""

    def as_line(self) -> str:
        """One line of JSON."""
        plain = {
            "id": self.id, "task": self.task, "voice": self.voice, "said": list(self.said),
            "image": self.picture, "reference": self.reference,
            "about": {key: value for key, value in self.about.items() if key != "box"},
        }  # fmt: skip
        return json.dumps(plain, ensure_ascii=False, separators=(",", ":"))


def read_questions(path: Path) -> Iterator[Question]:
    """The questions of a file."""
    for line in path.read_text(encoding="utf-8").splitlines():
        got: dict[str, Any] = json.loads(line)
        yield Question(
            got["id"], got["task"], got["voice"], tuple(got["said"]), got["image"], got["reference"],
            got["about"]
        )  # fmt: skip


@dataclass(frozen=True)
class Filled:
    """A wording said of an image: its text, the right answer, and what it is about."""

    text: str
    reference: Reference
    about: dict[str, str]


def filled(
    wording: Wording, truth: Truth, part: Part, rng: np.random.Generator, about: dict[str, str] | None = None
) -> Filled | None:
    """The wording said of an image; None where the image has nothing that it could be about.

    `about` is what an earlier turn was about, of which a wording that follows speaks on.
    """
    task = wording.task
    if task == "change":
        fits = truth.event is not None and wording.event in (None, truth.event)
        return Filled(wording.text, truth.changed_percent, {"event": str(truth.event)}) if fits else None
    if task == "labels" and not truth.labels:
        return None  # a real pair, of which only its change is known
    if task == "scene":
        return None if truth.scene is None else Filled(wording.text, [truth.scene], {})
    if task == "labels":
        return Filled(wording.text, list(truth.labels), {})
    if task == "segmentation":
        return Filled(wording.text, [each for each in truth.labels if each in COVERS], {})
    if task == "contour":
        return Filled(wording.text, ["contour"], {})
    if task == "region":
        return _of_region(wording, truth, part, rng)
    if task in ("grounding", "referring"):
        return _of_one(wording, truth, part, rng, about or {})
    return _of_many(wording, truth, part, rng, about or {})


def _chosen(rng: np.random.Generator, options: Any) -> Any:
    return options[int(rng.integers(len(options)))]


def _of_one(
    wording: Wording, truth: Truth, part: Part, rng: np.random.Generator, about: dict[str, str]
) -> Filled | None:
    if wording.follows and "box" in about:
        return Filled(wording.text, [json.loads(about["box"])], about)
    options: list[tuple[str, str, str, Any]] = [
        (thing, phrase, word, box)
        for thing in THINGS
        if not wording.follows or thing == about.get("many")
        for phrase, box in phrases.singled_out(truth, thing)
        if not wording.follows or phrase == "biggest {}"
        for word in phrases.words_for(part, thing, truth)[:1 if wording.follows else None]
    ]  # fmt: skip
    if wording.task == "referring" and not wording.follows:
        options += [
            (cover, "largest {}", word, truth.regions[cover])
            for cover in truth.regions
            for word in phrases.REGION_WORDS.get(cover, ())
        ]
    if not options:
        return None
    name, phrase, word, box = _chosen(rng, options)
    said = phrase.format(word)
    if min(box[2] - box[0], box[3] - box[1]) < 4:
        return None
    told = {"one": said, "name": name, "box": json.dumps(list(box))}
    return Filled(wording.text.replace("{one}", said), [list(box)], told)


def _of_many(
    wording: Wording, truth: Truth, part: Part, rng: np.random.Generator, about: dict[str, str]
) -> Filled | None:
    theme = truth.picture.split("-")[0]
    if "place" in wording.slots:
        if theme not in phrases.PLACES or truth.event is not None:
            return None
        words, thing = phrases.PLACES[theme]
        said = _chosen(rng, words)
        return Filled(
            wording.text.replace("{place}", said), truth.count(thing), {"many": thing, "place": said}
        )
    there = [thing for thing in THINGS if truth.count(thing)]
    if wording.follows:
        there = [thing for thing in there if thing in (about.get("many"), about.get("name"))]
    if wording.task == "detection":
        there = [thing for thing in there if truth.count(thing) <= MOST_BOXES]
    if not there:
        return None
    thing = _chosen(rng, there)
    word = _chosen(rng, phrases.words_for(part, thing, truth))
    text = wording.text.replace("{many}", phrases.plural(word))
    boxes = [list(each.box) for each in truth.things if each.name == thing]
    return Filled(text, len(boxes) if wording.task == "counting" else boxes, {"many": thing, "word": word})


def _of_region(wording: Wording, truth: Truth, part: Part, rng: np.random.Generator) -> Filled | None:
    wants = wording.slots or frozenset({"part"})
    options: list[tuple[str, str, str]] = []
    if wants == {"part"}:
        options = [(name, "", cover) for name in PARTS if (cover := phrases.prevailing(truth, name) or "")]
    elif wants == {"cover"}:
        options = [("", cover, side) for cover in COVERS if (side := phrases.side_of(truth, cover) or "")]
    else:
        options = [
            (name, cover, "yes" if seen else "no")
            for name in PARTS
            for cover in COVERS
            if (seen := phrases.there(truth, name, cover)) is not None
        ]
        answer = "yes" if rng.random() < 0.5 else "no"
        options = [each for each in options if each[2] == answer] or options
    if not options:
        return None
    where, cover, right = _chosen(rng, options)
    text, about = wording.text, {}
    if where:
        about["part"] = where
        text = text.replace("{part}", _chosen(rng, phrases.PART_WORDS[part][where]))
    if cover:
        about["cover"] = cover
        text = text.replace("{cover}", _chosen(rng, phrases.COVER_WORDS[part][cover]))
    return Filled(text, [right], about)
