"""Which model answers what is asked of an image: its card, before it is run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from data.models.card import Card
from data.models.choosing import choose, image_facts
from data.models.registry import registry

DETECTORS = ("oriented-object-detection", "object-detection", "instance-segmentation")
CLOUD_CARDS = {
    "s2cloudless": "s2cloudless", "qa_pixel": "cloud-quality-band", "scl": "cloud-quality-band",
    "spectral": "cloud-spectral-tests", "colour": "cloud-colour",
}  # fmt: skip
"""The card of each method that finds clouds."""


@dataclass(frozen=True)
class Asked:
    """A tool's call, as far as its model hangs on it."""

    tool: str
    images: tuple[Path, ...]
    """The images that a model looks at: of a pair the earlier one first."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    models: Path | None = None
    """The user's models."""

    @property
    def image(self) -> Path:
        """The one image, of a pair the later one."""
        return self.images[-1]

    @property
    def method(self) -> str:
        """The method that was asked for."""
        return str(self.arguments.get("method") or "auto")

    @property
    def model(self) -> str | None:
        """The model that was asked for."""
        return self.arguments.get("model")


def cards_of(asked: Asked) -> tuple[Card, ...]:
    """The cards of the models that answer a tool's call, the first the one that is named in the answer.

    None for a call that no model answers. Raises RasterError where no model suits the image.
    """
    found = _CARDS[asked.tool](asked)
    known = registry(asked.models)
    return tuple(each if isinstance(each, Card) else known.get(each).card for each in found)


def _detector(asked: Asked) -> Sequence[Card | str]:
    from data.vision.modality import modality_of

    if asked.tool.endswith("plane_type") and asked.arguments.get("detections") is not None:
        return ()
    tasks: tuple[str, ...] = DETECTORS
    if asked.tool == "rotated_object_detection":
        tasks = DETECTORS[:1]
    elif asked.tool == "horizontal_object_detection":
        tasks = (DETECTORS[1], DETECTORS[0], DETECTORS[2])
    facts = image_facts(asked.image)
    if asked.model is None and modality_of(asked.image).name in ("sar", None):
        # No detector of optical images suits it, which the card of any of them says best.
        facts = None  # type: ignore[assignment]
    chosen = choose(registry(asked.models), tasks, facts, asked.model)
    if asked.model is None and "sar" in chosen.card.input.modality:
        return ("oriented-objects",)
    return (chosen.card,)


def _network(asked: Asked, tasks: Sequence[str]) -> Card:
    from data.vision.segment import chosen_network

    card: Card = chosen_network(asked.image, tasks, asked.model, asked.models).card
    return card


def _land_cover(asked: Asked) -> Sequence[Card | str]:
    from data.vision.segment import TASKS

    return (_network(asked, TASKS),)


def _land_use(asked: Asked) -> Sequence[Card | str]:
    from data.vision.segment import _rule_bands

    by_rules = asked.model is None and _rule_bands(asked.image) is not None
    return ("spectral-rules",) if by_rules else _land_cover(asked)


def _buildings(asked: Asked) -> Sequence[Card | str]:
    from data.vision.blocks import visible_bands
    from data.vision.buildings import INDEX, TASKS

    by_index = asked.model == INDEX or (asked.model is None and visible_bands(asked.images[0]) is None)
    if by_index:
        return (INDEX,)
    return (_network(Asked(asked.tool, asked.images[:1], asked.arguments, asked.models), TASKS),)


def _roads(asked: Asked) -> Sequence[Card | str]:
    from data.vision.blocks import visible_bands
    from data.vision.roads import RIDGES, TASKS

    if asked.model == RIDGES or (asked.model is None and visible_bands(asked.image) is None):
        return (RIDGES,)
    return (_network(asked, TASKS),)


def _water(asked: Asked) -> Sequence[Card | str]:
    from data.vision.water import NETWORK_TASKS, suited

    chosen = suited(asked.image) if asked.method == "auto" else asked.method
    if chosen == "network":
        return (_network(asked, NETWORK_TASKS),)
    return ("water-index" if chosen == "index" else "water-backscatter",)


def _plants(asked: Asked) -> Sequence[Card | str]:
    from data.vision.vegetation import NETWORK_TASKS, suited

    chosen = suited(asked.image) if asked.method == "auto" else asked.method
    if chosen == "network":
        return (_network(asked, NETWORK_TASKS),)
    return (f"vegetation-{chosen.replace('_', '-')}",)


def _change(asked: Asked) -> Sequence[Card | str]:
    from data.vision.change import method_of

    chosen = method_of(*asked.images) if asked.method == "auto" else asked.method
    return (f"change-{chosen.replace('_', '-')}",)


def _damage(asked: Asked) -> Sequence[Card | str]:
    outlines = () if asked.arguments.get("buildings") is not None else _buildings(asked)
    return ("damage-ordinal", *outlines)


def _flood(asked: Asked) -> Sequence[Card | str]:
    from data.vision.flood import optical_bands

    return ("flood-sar" if optical_bands(asked.image) is None else "flood-optical",)


def _clouds(asked: Asked) -> Sequence[Card | str]:
    from data.vision.clouds import choose as cloud_method

    return (CLOUD_CARDS[cloud_method(asked.image) if asked.method == "auto" else asked.method],)


def _by_radar(radar: str, other: str, **named: str) -> Callable[[Asked], Sequence[Card | str]]:
    """The card by the method that was asked for, else by whether it is radar."""
    from data.vision.modality import modality_of

    def chosen(asked: Asked) -> Sequence[Card | str]:
        if asked.method != "auto":
            return (named[asked.method],)
        return (radar if modality_of(asked.image).name == "sar" else other,)

    return chosen


def _upscaler(asked: Asked) -> Sequence[Card | str]:
    from data.vision.upscale import TASKS

    return (choose(registry(asked.models), TASKS, image_facts(asked.image), asked.model).card,)


def _always(*names: str) -> Callable[[Asked], Sequence[Card | str]]:
    return lambda _: names


_CARDS: Mapping[str, Callable[[Asked], Sequence[Card | str]]] = {
    "optical_detection": _detector,
    "horizontal_object_detection": _detector,
    "rotated_object_detection": _detector,
    "object_count": _detector,
    "optical_plane_type": _detector,
    "sar_plane_type": _always("bright-targets"),
    "sar_detection": _always("ships-cfar"),
    "flood_mapping": _flood,
    "change_detection": _change,
    "building_damage_detection": _damage,
    "burned_area": lambda asked: ("burned-dnbr" if len(asked.images) > 1 else "burned-nbr",),
    "building_extraction": _buildings,
    "road_extraction": _roads,
    "water_extraction": _water,
    "vegetation_extraction": _plants,
    "semantic_segmentation": _land_cover,
    "land_use_classification": _land_use,
    "cloud_detection": _clouds,
    "cloud_removal": _clouds,
    "image_dehazing": _always("dark-channel-prior"),
    "denoising": _by_radar(
        "refined-lee", "dct-denoising", dct="dct-denoising", nlm="non-local-means", median="impulse-median",
        refined_lee="refined-lee",
    ),
    "edge_detection": _by_radar(
        "ratio-of-averages", "canny", canny="canny", sobel="sobel", ratio="ratio-of-averages"
    ),
    "super_resolution": _upscaler,
    "image_quality": _always("image-measures"),
    "remote_sensing_inversion": _always("published-formulas"),
    "image_similarity": _always("image-descriptor"),
    "classify_image": _always("modality-evidence"),
    "scene": _always("scene-rules"),
    "caption": _always("measured-facts"),
    "visual_question": _always("measured-facts"),
    "look_at_image": _always("measured-facts"),
    "visual_grounding": _always("grounding-words"),
    "referring_segmentation": _always("grounding-words"),
}  # fmt: skip
GUARDED = tuple(_CARDS)
"""The tools that a model answers."""
