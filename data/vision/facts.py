"""Measured facts about an image, each with its number and what measured it, for captions and answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from data.progress import Cancelled, Progress, Unheard
from data.raster.errors import RasterError
from data.vision.cover import CELL_PX, COVERS, Cover

if TYPE_CHECKING:
    from data.vision.detect import Detected
    from data.vision.detections import Detection
    from data.vision.modality import Modality
    from data.vision.overview import Overview
    from data.vision.scene_network import Looked

GROUPS = ("frame", "modality", "tone", "texture", "cover", "objects", "clouds", "roads")
MOST_DETECTED_PX = 40_000_000
"""In larger images objects are not looked for unless that is what was asked."""
_LEAST_CELLS = 4


@dataclass(frozen=True)
class Fact:
    """One measurement."""

    id: str
    """"cover.water", "objects.ship", "gsd"."""
    sentence: str
    value: float | int | str | None
    unit: str
    by: str
    """The tool, model or method."""
    box_px: tuple[float, float, float, float] | None = None
    """Left, top, right, bottom in pixels of the file, where it is about a part of the image."""
    lonlat: tuple[float, float] | None = None
    """The middle of that part."""

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        found = asdict(self)
        for key in ("box_px", "lonlat"):
            found[key] = None if found[key] is None else list(found[key])
        return found


@dataclass(frozen=True)
class Region:
    """A connected part of one cover."""

    cover: str
    share: float
    """Of the image, 0 to 1."""
    area_m2: float | None
    box_px: tuple[float, float, float, float]
    centre_px: tuple[float, float]
    fill: float
    """Its share of its box."""
    cells: int


class Facts:
    """The facts of one image, measured when they are first asked for, and what could not be measured."""

    def __init__(
        self,
        image: Path,
        progress: Progress | None = None,
        *,
        models: Path | None = None,
        anyway: bool = False,
    ) -> None:
        self.image, self.models, self.anyway = image, models, anyway
        self.progress = progress or Unheard()
        self.missing: dict[str, str] = {}
        """Why a group has no facts, by its name: sentences."""
        self.said: dict[str, None] = {}
        """What goes before an answer, of how the image fits the models that were asked: sentences."""
        self._groups: dict[str, tuple[Fact, ...]] = {}

    def of(self, *groups: str) -> tuple[Fact, ...]:
        """The facts of these groups (of GROUPS), in order."""
        return tuple(fact for group in groups for fact in self._group(group))

    def get(self, fact_id: str) -> Fact | None:
        """The fact of that id out of what was measured so far."""
        return next((each for facts in self._groups.values() for each in facts if each.id == fact_id), None)

    def value(self, group: str, fact_id: str) -> Any:
        """The value of a fact of a group; None where there is none."""
        return next((each.value for each in self._group(group) if each.id == fact_id), None)

    @cached_property
    def modality(self) -> Modality:
        """What kind of image it is."""
        from data.vision.modality import tell_modality

        return tell_modality(self.progress, self.image)

    @cached_property
    def overview(self) -> Overview:
        """The image made small."""
        from data.vision.overview import overview_of

        self.progress.tell(0.05, "Making an overview.")
        return overview_of(self.image, self.modality.name)

    @cached_property
    def cover(self) -> Cover:
        """The cover of its cells. Raises RasterError for what has no cover."""
        from data.vision.cover import MODEL
        from data.vision.covering import cover_by_all

        if self.modality.name != "sar":
            self._check(MODEL)
        self.progress.tell(0.1, "Telling land cover.")
        return cover_by_all(self.overview, self.modality.name)

    @cached_property
    def looked(self) -> Looked:
        """What the scene network thinks of it. Raises RasterError where its weights are missing."""
        from data.vision.scene_network import look

        self.progress.tell(0.08, "Looking at the whole.")
        return look(self.image, self.overview)

    @cached_property
    def regions(self) -> tuple[Region, ...]:
        """The connected parts of each cover, the largest first."""
        return regions_of(self.cover, self.overview)

    @cached_property
    def detected(self) -> Detected:
        """Its objects by the detector that suits it. Raises RasterError where there is none."""
        from data.vision.sighting import detector_for, sighted

        detector = detector_for(self.image, self.modality.name, self.models)
        if detector is not None:
            self._check(detector)
        return sighted(self.progress, self.image, self.modality.name, models=self.models)

    @property
    def objects(self) -> tuple[Detection, ...]:
        """Its objects with a score that counts; none where none could be looked for."""
        self._group("objects")
        return () if "objects" in self.missing else self.detected.found

    def lonlat(self, box: Sequence[float]) -> tuple[float, float] | None:
        """The place of the middle of a box in pixels; None without a place."""
        from data.vision.ground import ground_of

        ground = ground_of(self.image)
        if ground is None:
            return None
        middle = np.array([[(box[0] + box[2]) / 2, (box[1] + box[3]) / 2]])
        lon, lat = ground.lonlat(middle)[0]
        return (round(float(lon), 6), round(float(lat), 6)) if np.isfinite([lon, lat]).all() else None

    def suits(self, name: str) -> bool:
        """Whether the image is one that the model of that name is for; what is doubtful is noted."""
        try:
            self._check(name)
        except RasterError:
            return False
        return True

    def checked_as(self, tool: str) -> None:
        """Hold the image to what the models of a tool are for. Raises RasterError for what is outside."""
        from data.vision.asked import Asked, cards_of

        for card in cards_of(Asked(tool, (self.image,), {}, self.models)):
            self._check(card.name)

    def _check(self, name: str) -> None:
        """Hold the image to the limits of the model of that name. Raises RasterError for what is outside."""
        from data.models.registry import registry
        from data.vision.guard import checked

        card = registry(self.models).get(name).card
        self.said.update(dict.fromkeys(checked(card, self.image, self.anyway)))

    def _group(self, name: str) -> tuple[Fact, ...]:
        if name not in self._groups:
            from data.vision import measuring

            try:
                made = getattr(measuring, f"{name}_facts")(self)
            except Cancelled:
                raise
            except RasterError as error:
                self.missing[name], made = str(error), ()
            self._groups[name] = tuple(made)
        return self._groups[name]


def gather(
    progress: Progress, image: Path, groups: Sequence[str] = GROUPS, models: Path | None = None
) -> tuple[tuple[Fact, ...], dict[str, str]]:
    """The facts of an image of these groups, and why groups are missing. Raises RasterError for no image."""
    facts = Facts(image, progress, models=models)
    facts.modality, facts.overview  # noqa: B018  a file that cannot be read is told at once
    return facts.of(*groups), facts.missing


def regions_of(cover: Cover, overview: Overview) -> tuple[Region, ...]:
    """The connected parts of each cover of four cells or more, the largest first."""
    from scipy.ndimage import find_objects, label

    best = cover.best
    known = max(int((best >= 0).sum()), 1)
    side = CELL_PX * cover.scale
    found = []
    for number, name in enumerate(COVERS):
        labelled, count = label(best == number)
        sizes = np.bincount(labelled.ravel(), minlength=count + 1)
        for at, place in enumerate(find_objects(labelled), start=1):
            if sizes[at] < _LEAST_CELLS:
                continue
            rows, columns = np.nonzero(labelled[place] == at)
            top, left = place[0].start, place[1].start
            box = tuple(float(round(value * side, 1)) for value in (left, top, place[1].stop, place[0].stop))
            share = float(sizes[at] / known)
            found.append(
                Region(
                    name,
                    share,
                    None if overview.area_m2 is None else overview.area_m2 * share,
                    (box[0], box[1], min(box[2], overview.width), min(box[3], overview.height)),
                    (
                        round(float((columns.mean() + left + 0.5) * side), 1),
                        round(float((rows.mean() + top + 0.5) * side), 1),
                    ),
                    float(sizes[at] / labelled[place].size),
                    int(sizes[at]),
                )
            )
    return tuple(sorted(found, key=lambda each: (-each.share, each.box_px)))
