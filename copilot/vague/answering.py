"""Answers out of one look, for tasks that need no expert; what the look is not sure of says so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from copilot.vague.asking import Asked, parsed
from copilot.vague.seen import Sight, scene_name
from copilot.vague.tasks import SIDES, Task
from data.raster.errors import RasterError
from data.vision.grounding import Phrase
from data.vision.measuring import position_word, spoken

LEAST_SHARE = 0.02
"""A cover of less of the image is not named."""
THERE = 0.03
"""From which share of a part a cover is said to be there."""


@dataclass(frozen=True)
class Direct:
    """What the look answers."""

    text: str
    value: Any = None
    """Boxes, labels or a number: what the reward grades."""
    sure: bool = True
    question: str | None = None
    """What is asked back where the wish leaves out what it is about."""
    choices: tuple[str, ...] = ()


def answered(task: Task, about: Asked, kind: str, look: Sight) -> Direct:
    """The answer to a wish of a direct task; not `sure` where the look does not tell.

    `kind` is what a question about a part asks, of `intent.REGION_KINDS`.
    """
    try:
        if task == "scene":
            return _scene(look)
        if task == "labels":
            return _labels(look)
        if task == "grounding":
            return _place(about, look)
        if task == "counting":
            return _count(about, look)
        return _region(about, kind, look)
    except RasterError as error:
        return Direct(str(error), sure=False)


def _scene(look: Sight) -> Direct:
    told = look.scene
    if told.name is None:
        rather = " or ".join(told.between) or told.ranked[0][0]
        return Direct(f"The look is not sure which place it is: perhaps {rather}.", sure=False)
    said = f"It looks like {told.name} ({told.confidence:.0%} sure, by {told.method})."
    return Direct(said, [scene_name(look)])


def _labels(look: Sight) -> Direct:
    covers = {name: share for name, share in look.shares().items() if share >= LEAST_SHARE}
    for name, known in (("water", "water"), ("building", "building"), ("vegetation", "trees")):
        if look.sure_of(known):
            covers.setdefault(name, LEAST_SHARE)
    names = [*sorted(covers, key=lambda name: -covers[name]), *look.things]
    if not names:
        return Direct("The look tells nothing apart in it.", sure=False)
    parts = ", ".join(
        f"{name} ({covers[name]:.0%})" if covers.get(name, 0) > LEAST_SHARE else name for name in names
    )
    return Direct(f"It shows {parts}, estimated at a glance.", names)


def _place(about: Asked, look: Sight) -> Direct:
    phrase = about.phrase or about.word
    meant = parsed(phrase) if phrase else None
    if phrase is None or meant is None:
        return Direct("", sure=False, question="Which thing is meant?", choices=look.things)
    boxes, there_is = look.boxes(phrase)
    name = called(meant)
    if not boxes:
        return Direct(f"The look finds no {name}. {there_is}", sure=False)
    width, height = look.size
    left, top, right, bottom = boxes[0]
    where = position_word(((left + right) / 2, (top + bottom) / 2), width, height)
    more = f", the first of {len(boxes)}," if len(boxes) > 1 else ""
    said = f"The {name}{more} is in the {where}: columns {left} to {right}, rows {top} to {bottom}."
    return Direct(said, boxes)


TOWARDS = {
    (-1.0, 0.0): "leftmost",
    (1.0, 0.0): "rightmost",
    (0.0, -1.0): "topmost",
    (0.0, 1.0): "bottommost",
}


def called(meant: Phrase) -> str:
    """What a phrase means, in a few words of its own: "largest white boat"."""
    size = {1: "largest", -1: "smallest", 2: "large", -2: "small"}.get(meant.size, "")
    towards = TOWARDS.get(meant.towards, "") if meant.towards is not None else ""
    return " ".join(each for each in (size, towards, meant.colour or "", meant.word) if each)


def of_cover(about: Asked) -> bool:
    """Whether what is to be counted covers the ground, so that its share is told and no number."""
    return about.thing is None and bool(about.covers)


def _count(about: Asked, look: Sight) -> Direct:
    if of_cover(about):
        share = look.shares()[about.covers[0]]
        return Direct(f"{about.covers[0].capitalize()} covers {share:.0%} of it, at a glance.", share)
    thing = about.thing
    if thing is None:
        there = look.things
        if len(there) != 1:
            return Direct("", sure=False, question="How many of what are to be counted?", choices=there)
        thing = there[0]
    number = look.count(thing)
    if number == 0 and look.sure_of(thing):
        return Direct(
            f"The scene network is sure to see a {thing}, and the detector finds none.", 0, sure=False
        )
    word = spoken(about.word or thing, number)
    how = (
        "none at all" if not number else "quiet" if number <= 5 else "fairly busy" if number <= 25 else "busy"
    )
    return Direct(f"I count {number:,} {word}: {how}. By {look.detector}, at a glance.", number)


def _region(about: Asked, kind: str, look: Sight) -> Direct:
    if kind == "which side" and about.covers:
        cover = about.covers[0]
        share = {side: look.shares(side)[cover] for side in SIDES}
        best = max(share, key=lambda side: share[side])
        return Direct(f"Most {cover} is in the {best} half, where it covers {share[best]:.0%}.", [best])
    if about.part is None and kind == "whether" and about.covers:
        share = look.shares()
        cover = about.covers[0]
        said = f"{'Yes' if share[cover] >= THERE else 'No'}: {cover} covers {share[cover]:.0%} of the image."
        return Direct(said, ["yes" if share[cover] >= THERE else "no"])
    if about.part is None:
        return Direct("", sure=False, question="Which part of the image is meant?",
                      choices=("left", "right", "top", "bottom", "middle"))  # fmt: skip
    share = look.shares(about.part)
    where = f"{about.part} {'half' if about.part in SIDES else 'part'}"
    if kind == "whether" and about.covers:
        cover = about.covers[0]
        there = share[cover] >= THERE
        return Direct(f"{'Yes' if there else 'No'}: {cover} covers {share[cover]:.0%} of the {where}.",
                      ["yes" if there else "no"])  # fmt: skip
    best = max(share, key=lambda name: share[name])
    return Direct(f"The {where} is mostly {best}: {share[best]:.0%} of it.", [best])
