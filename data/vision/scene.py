"""Which scene an image shows: by a pretrained network where it is fine and optical, else by rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data.progress import Progress
from data.raster.errors import RasterError
from data.vision.facts import Fact, Facts

METHOD = "scene-rules"
_UNKNOWN = 0.45
"""How far a condition counts as met that could not be measured."""
_FLOOR = 0.03
_MEASURED = 0.5
"""A scene of whose conditions less than that was measured, by weight, is a guess and no answer."""
_LEAST = 0.4
"""A best score below this is no answer."""
COARSEST_M = 2.0
"""Coarser than this the network was shown nothing real, and the rules answer."""


@dataclass(frozen=True)
class Ramp:
    """A condition: met by 0 at `low`, by 1 at `high`, in between in proportion; falling when low > high."""

    what: str
    low: float
    high: float
    weight: float = 1.0

    def met(self, values: Mapping[str, float | None]) -> float:
        """How far it is met, 0 to 1."""
        value = values.get(self.what)
        if value is None:
            return _UNKNOWN
        return min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))


RULES: dict[str, tuple[Ramp, ...]] = {
    "open water": (
        Ramp("water", 55, 90, 2), Ramp("built", 25, 8), Ramp("ships_per_water", 14, 6, 0.5),
    ),
    "harbor": (
        Ramp("water", 8, 25), Ramp("built", 5, 20), Ramp("ships", 0, 2), Ramp("ships_per_water", 26, 12),
    ),
    "marina": (
        Ramp("water", 8, 25), Ramp("ships", 4, 12, 2), Ramp("ship_m", 45, 18),
    ),
    "airport": (
        Ramp("planes", 0, 2, 3), Ramp("built", 10, 35), Ramp("water", 30, 10, 0.5),
    ),
    "parking lot": (
        Ramp("vehicles", 8, 30, 2), Ramp("paved", 20, 45), Ramp("planes", 3, 0), Ramp("building", 40, 20),
        Ramp("water", 20, 5),
    ),
    "residential": (
        Ramp("building", 6, 18, 2), Ramp("houses", 3, 10), Ramp("planes", 2, 0), Ramp("tanks", 4, 0),
        Ramp("water", 25, 8),
    ),
    "dense urban": (
        Ramp("building", 30, 50, 2), Ramp("built", 55, 80), Ramp("edges", 20, 40), Ramp("water", 25, 8),
    ),
    "storage tanks": (
        Ramp("tanks", 0, 4, 3), Ramp("planes", 3, 0, 0.5), Ramp("ships", 6, 1, 0.5),
    ),
    "industrial": (
        Ramp("building", 10, 25), Ramp("paved", 15, 35), Ramp("vegetation", 35, 10), Ramp("houses", 18, 6),
    ),
    "farmland": (
        Ramp("vegetation_bare", 60, 88, 2), Ramp("right_angles", 0.06, 0.2), Ramp("vegetation", 15, 35),
        Ramp("edges", 45, 25), Ramp("building", 15, 5),
    ),
    "forest": (
        Ramp("vegetation", 50, 80, 2), Ramp("homogeneity", 0.75, 0.55), Ramp("right_angles", 0.15, 0.05),
        Ramp("built", 20, 6),
    ),
    "grassland": (
        Ramp("vegetation", 50, 80, 2), Ramp("homogeneity", 0.5, 0.7), Ramp("right_angles", 0.15, 0.05),
        Ramp("built", 20, 6),
    ),
    "bare land": (
        Ramp("bare", 50, 85, 2), Ramp("built", 20, 6), Ramp("water", 10, 3), Ramp("vehicles", 10, 2, 0.5),
    ),
    "beach": (
        Ramp("water", 10, 30), Ramp("bare", 6, 20), Ramp("shore", 0.25, 0.6), Ramp("built", 25, 8),
        Ramp("ships", 8, 2, 0.5),
    ),
    "river": (
        Ramp("water", 2, 8), Ramp("water", 60, 40), Ramp("river", 0.3, 0.7, 2), Ramp("ships", 8, 2, 0.5),
    ),
}  # fmt: skip
"""A scene's score is the weighted geometric mean of how far its conditions are met.

The classes are those of AID (Xia et al. 2017) and UC Merced (Yang and Newsam 2010) that can be measured here.
Shares are percent, lengths metres, counts whole numbers; `built` is paved ground and buildings, `houses` the
number of separate built patches, `ships_per_water` ships for each tenth of the image that is water, `shore`
how much of the bare ground's edge is water, `river` how much a water body is long, narrow and through.
"""
_FACT_OF = {
    "water": "cover.water", "built": "cover.paved_ground", "paved": "cover.paved_ground",
    "building": "cover.building", "vegetation": "cover.vegetation", "bare": "cover.bare_ground",
    "vegetation_bare": "cover.vegetation", "ships": "objects.ship", "planes": "objects.plane",
    "tanks": "objects.storage_tank", "vehicles": "objects.small_vehicle", "right_angles": "right_angles",
    "homogeneity": "homogeneity", "edges": "edges", "houses": "cover.building", "river": "largest.water",
    "shore": "cover.bare_ground", "ship_m": "largest.ship", "ships_per_water": "objects.ship",
}  # fmt: skip
"""The fact that is quoted for a condition."""


@dataclass(frozen=True)
class SceneTold:
    """The scenes an image may show, the likeliest first, and what decided."""

    name: str | None
    """None where nothing fits well enough."""
    confidence: float
    """By the network the calibrated probability that it is right; by the rules a rule of thumb."""
    ranked: tuple[tuple[str, float], ...]
    """(scene, score 0 to 1), the five best."""
    deciding: tuple[Fact, ...]
    """Facts of the winner's weightiest conditions."""
    measured: Mapping[str, float | None]
    missing: tuple[str, ...]
    """What could not be measured: sentences."""
    method: str = METHOD
    least: float = _LEAST
    """What the best must reach to be the answer."""

    said: tuple[str, ...] = ()
    """What goes before the answer."""

    @property
    def between(self) -> tuple[str, ...]:
        """Where it is not sure: what it may be, the likeliest first, up to two."""
        return () if self.name is not None else tuple(name for name, score in self.ranked[:2] if score >= 0.1)


def tell_scene(
    progress: Progress, image: Path, models: Path | None = None, anyway: bool = False
) -> SceneTold:
    """Which scene an image shows. Raises RasterError for a raster that is no image."""
    facts = Facts(image, progress, models=models, anyway=anyway)
    if facts.modality.name is None:
        raise RasterError(f"{image.name} is no image but holds {facts.modality.instead}; it shows no scene.")
    return scene_of(facts)


def scene_of(facts: Facts) -> SceneTold:
    """Which scene an image shows, by whatever suits it better."""
    return by_network(facts) if network_suits(facts) else by_rules(facts)


def network_suits(facts: Facts) -> bool:
    """Whether the network was made for images like this one: optical, and fine enough where that is known."""
    if facts.modality.name not in ("optical", "panchromatic", "multispectral"):
        return False
    gsd_m = facts.overview.gsd_m
    from data.vision.scene_network import NETWORK

    if gsd_m is None and facts.modality.name == "multispectral":
        return False
    return (gsd_m is None or gsd_m <= COARSEST_M) and facts.suits(NETWORK)


def by_network(facts: Facts) -> SceneTold:
    """The scene that the network sees."""
    from data.vision.scene_network import NETWORK, calibration

    looked, least = facts.looked, calibration().least
    ranked = looked.scenes[:5]
    name, likely = ranked[0]
    fact = Fact(
        "scene", f"The scene network gives {name} a probability of {likely:.2f}.", likely, "", NETWORK
    )  # fmt: skip
    return SceneTold(
        name if likely >= least else None, likely, ranked, (fact,), looked.present, (), NETWORK, least,
        tuple(facts.said),
    )  # fmt: skip


def by_rules(facts: Facts) -> SceneTold:
    """Which scene the measured facts speak of."""
    values = scene_values(facts)
    scores = {name: score_of(name, values) for name in RULES}
    if facts.modality.name == "sar":
        # Radar tells water and ships; the other covers have no name in it.
        scores = {name: scores[name] for name in ("open water", "harbor")}
    ranked = sorted(scores.items(), key=lambda each: (-each[1], each[0]))
    best, second = ranked[0], ranked[1]
    sure = best[1] * best[1] / max(best[1] + second[1], 1e-9) * 1.5
    deciding = []
    for ramp in sorted(RULES[best[0]], key=lambda each: (-each.weight * each.met(values), each.what)):
        fact = facts.get(_FACT_OF[ramp.what])
        if fact is not None and fact not in deciding and ramp.met(values) > 0.3:
            deciding.append(fact)
    return SceneTold(
        best[0] if best[1] >= _LEAST and measured_share(best[0], values) >= _MEASURED else None,
        round(min(0.99, sure), 3),
        tuple((name, round(score, 3)) for name, score in ranked[:5]),
        tuple(deciding[:4]),
        {key: None if value is None else round(float(value), 4) for key, value in values.items()},
        tuple(facts.missing.values()),
        said=tuple(facts.said),
    )


def score_of(name: str, values: Mapping[str, float | None]) -> float:
    """The score of one scene, 0 to 1."""
    product, weights = 1.0, 0.0
    for ramp in RULES[name]:
        product *= max(_FLOOR, ramp.met(values)) ** ramp.weight
        weights += ramp.weight
    return float(product ** (1 / weights))


def measured_share(name: str, values: Mapping[str, float | None]) -> float:
    """How much of a scene's conditions, by weight, was measured: 0 to 1."""
    known = sum(each.weight for each in RULES[name] if values.get(each.what) is not None)
    return known / sum(each.weight for each in RULES[name])


def scene_values(facts: Facts) -> dict[str, float | None]:
    """What the rules ask for, out of the facts of an image; None for what could not be measured."""
    facts.of("frame", "modality", "texture", "cover", "objects")
    share = {
        name: facts.value("cover", f"cover.{name}")
        for name in ("water", "vegetation", "bare_ground", "paved_ground", "building")
    }
    seen = "objects" not in facts.missing

    def count(*names: str) -> float | None:
        return float(sum(facts.value("objects", f"objects.{each}") or 0 for each in names)) if seen else None

    ships, water = count("ship"), share["water"]
    patches = (
        [each for each in facts.regions if each.cover == "building"] if share["building"] is not None else []
    )
    built = None if share["building"] is None else share["paved_ground"] + share["building"]
    return {
        "water": share["water"],
        "vegetation": share["vegetation"],
        "bare": share["bare_ground"],
        "paved": share["paved_ground"],
        "building": share["building"],
        "built": built,
        "vegetation_bare": None if built is None else share["vegetation"] + share["bare_ground"],
        "ships": ships,
        "planes": count("plane"),
        "tanks": count("storage_tank"),
        "vehicles": count("small_vehicle", "large_vehicle", "vehicle", "car", "truck"),
        "ship_m": _mean_length(facts, "ship") if seen else None,
        "ships_per_water": None if ships is None or not water else ships / max(water / 10, 0.1),
        "houses": None if built is None else float(len(patches)),
        "edges": facts.value("texture", "edges"),
        "right_angles": facts.value("texture", "right_angles"),
        "homogeneity": facts.value("texture", "homogeneity"),
        "river": _river(facts) if "cover" not in facts.missing else None,
        "shore": _shore(facts) if built is not None else None,
    }  # fmt: skip


def _mean_length(facts: Facts, name: str) -> float | None:
    """The mean length of the objects of a class, metres; None without a place or such objects."""
    from data.vision.ground import ground_of

    ground = ground_of(facts.image)
    found = [each for each in facts.objects if each.class_name == name]
    if ground is None or not found:
        return None
    return float(sum(ground.size_m(each.outline).length_m for each in found[:200]) / len(found[:200]))


def _river(facts: Facts) -> float:
    """How much the largest water body is a river, 0 to 1: it crosses the image and is narrow."""
    found = next((each for each in facts.regions if each.cover == "water"), None)
    if found is None:
        return 0.0
    seen = facts.overview
    left, top, right, bottom = found.box_px
    through = max((right - left) / seen.width, (bottom - top) / seen.height)
    across = found.share * seen.width * seen.height / max(right - left, bottom - top, 1.0)
    narrow = max(0.0, 1.0 - across / (0.4 * max(right - left, bottom - top, 1.0)))
    return float(through * narrow)


def _shore(facts: Facts) -> float:
    """Which share of the bare ground's border cells have water beside them."""
    import numpy as np
    from scipy.ndimage import binary_dilation

    from data.vision.cover import COVERS

    best = facts.cover.best
    bare, water = best == COVERS.index("bare ground"), best == COVERS.index("water")
    ring: Any = binary_dilation(bare, np.ones((3, 3))) & ~bare & (best >= 0)
    return float((ring & water).sum() / max(int(ring.sum()), 1))
