"""Where a vague wish goes: answered from the look, to exactly one expert with its parameters, or asked back.

`meant` reads the words alone, and what is to be looked at for them; `routed` says where the wish goes by what
was seen. Neither calls anything or changes anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from copilot.vague.answering import Direct, answered, of_cover
from copilot.vague.asking import Asked, in_turns
from copilot.vague.intent import Intent, read_intent
from copilot.vague.seen import Sight
from copilot.vague.tasks import DIRECT, Task

Way = Literal["direct", "expert", "ask"]
LEAST_SURE = 0.34
"""Where the likeliest task has less, the wish is asked about."""
BEFORE, IMAGE = "$before", "$image"
"""What stands for the earlier and the (later) image in an expert's parameters until they are known."""
MEANS: dict[Task, str] = {
    "scene": "what kind of place it is", "labels": "what all is in it", "grounding": "where one thing is",
    "counting": "how many there are", "region": "what one part of it shows",
    "detection": "to have each one marked",
    "segmentation": "the whole picture coloured by what the ground is",
    "referring": "the exact shape of one thing",
    "change": "what changed between two images", "contour": "a drawing of the outlines",
}  # fmt: skip


@dataclass(frozen=True)
class Route:
    """What is to be done with a wish."""

    task: Task
    sure: float
    """The probability of the task, 0 to 1."""
    way: Way
    asked: Asked
    tool: str | None = None
    """The expert's name."""
    arguments: dict[str, Any] = field(default_factory=dict)
    """Its parameters; the images stand as IMAGE and BEFORE."""
    direct: Direct | None = None
    """The answer out of the look."""
    question: str | None = None
    """What is asked back."""
    choices: tuple[str, ...] = ()
    why: str = ""
    """Why a direct task is sent on: a sentence."""

    def call(self, image: str, before: str | None = None) -> tuple[str, dict[str, Any]]:
        """The expert's name and its arguments with the images' handles. Raises ValueError where there is
        none."""
        if self.tool is None:
            raise ValueError(f"The wish goes no expert's way but {self.way}.")
        given = {IMAGE: image, BEFORE: before}
        return self.tool, {
            key: given.get(value, value) if isinstance(value, str) else value for key,
            value in self.arguments.items()
        }  # fmt: skip


@dataclass(frozen=True)
class Wish:
    """What is wished, by the words alone."""

    intent: Intent
    about: Asked

    @property
    def task(self) -> Task:
        """The likeliest task."""
        return self.intent.task

    @property
    def look(self) -> dict[str, Any]:
        """What must be looked at for it: the arguments of `look_at_image` but the image."""
        phrase = self.about.phrase or self.about.word if self.task == "grounding" else None
        measure: dict[Task, list[str]] = {
            "labels": ["scene", "cover"],
            "grounding": [] if phrase else ["scene"],
            "counting": ["cover"] if of_cover(self.about) else ["scene", "objects"],
            "region": ["cover"],
            "detection": ["scene", "objects"],
        }
        return {"measure": measure.get(self.task, ["scene"]), **({"phrase": phrase} if phrase else {})}


def meant(
    request: str, *, earlier: Sequence[str] = (), intent: Intent | None = None, goes_on: bool = False
) -> Wish:
    """What a request wishes; `earlier` are the requests that it goes on from, in order.

    `intent` is what is known of it already, in place of the heads of `copilot.vague.intent`; `goes_on` says
    that the request only names something else to ask the same of.
    """
    intent, about = intent or read_intent(request), in_turns((*earlier, request), goes_on=goes_on)
    if goes_on and intent.region == "what" and about.covers:
        intent = replace(intent, region="whether")  # "and the trees?" names what to look for in that part
    return Wish(intent, about)


def route(
    request: str,
    look: Sight,
    *,
    earlier: Sequence[str] = (),
    has_pair: bool = False,
    intent: Intent | None = None,
) -> Route:
    """Where a wish about a looked-at image goes; the arguments are those of `meant` and `routed`."""
    return routed(meant(request, earlier=earlier, intent=intent), look, has_pair=has_pair)


def routed(wish: Wish, look: Sight, *, has_pair: bool = False) -> Route:
    """Where a wish goes.

    `has_pair` says whether an earlier image of the same place is at hand. Tasks that are answered directly
    are answered from the look, or sent on where the look is not sure.
    """
    read, about, task = wish.intent, wish.about, wish.task
    if read.sure < LEAST_SURE:
        first, second = (MEANS[each] for each in list(read.tasks)[:2])  # type: ignore[index]
        return Route(task, read.sure, "ask", about, question=f"Do you want {first}, or {second}?",
                     choices=(first, second))  # fmt: skip
    if task in DIRECT:
        told = answered(task, about, read.region, look)
        if told.sure:
            return Route(task, read.sure, "direct", about, direct=told)
        return _sent_on(task, read, about, told)
    return _expert(task, read, about, look, has_pair)


def _sent_on(task: Task, read: Intent, about: Asked, told: Direct) -> Route:
    """What the look is not sure of, sent to the expert that measures it, or asked about."""
    if told.question is not None:
        return Route(task, read.sure, "ask", about, question=told.question, choices=told.choices)
    experts: dict[str, tuple[str, dict[str, Any]]] = {
        "scene": ("caption", {}),
        "labels": ("caption", {}),
        "grounding": ("visual_grounding", {"phrase": about.phrase or about.word or ""}),
        "counting": ("object_count", {"classes": [said] if (said := about.word or about.thing) else None}),
        "region": ("semantic_segmentation", {}),
    }
    tool, arguments = experts[task]
    return Route(task, read.sure, "expert", about, tool, {"image": IMAGE, **arguments}, told, why=told.text)


def _expert(task: Task, read: Intent, about: Asked, look: Sight, has_pair: bool) -> Route:
    """The one expert of a dense task."""

    def to(tool: str, **arguments: Any) -> Route:
        return Route(task, read.sure, "expert", about, tool, arguments)

    radar = look.modality == "sar"
    if task == "change":
        if not has_pair:
            said = "Which earlier image is it to be compared with?"
            return Route(task, read.sure, "ask", about, question=said)
        damage = read.event == "damage" and not radar
        return to("building_damage_detection" if damage else "change_detection", before=BEFORE, after=IMAGE)
    if task == "contour":
        return to("edge_detection", image=IMAGE, method="ratio" if radar else "canny")
    if task == "segmentation":
        coarse = (look.gsd_m or 0.0) > 2.0 or look.modality == "multispectral"
        return to("land_use_classification" if coarse else "semantic_segmentation", image=IMAGE)
    if task == "referring":
        if about.phrase is None:
            return Route(task, read.sure, "ask", about, question="Which one thing or area is meant?")
        return to("referring_segmentation", image=IMAGE, phrase=about.phrase)
    if radar:
        return to("sar_detection", image=IMAGE)
    wanted = [about.word] if about.word else [about.thing] if about.thing else None
    return to("optical_detection", image=IMAGE, classes=wanted)
