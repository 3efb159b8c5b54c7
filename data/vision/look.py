"""One look at an image: what it is, its scene, what is in it, its cover, its objects; measured once and kept.

The quick parts come first: kind, scene and presence by the scene network. Cover and objects are measured
when they are first asked for. A look is kept by the image's content, so that a copy of a file is not
looked at again.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from data.progress import Progress
from data.raster.errors import RasterError
from data.vision.cover import COVERS, Cover
from data.vision.facts import Facts

if TYPE_CHECKING:
    from data.vision.detections import Detection
    from data.vision.overview import Overview
    from data.vision.scene import SceneTold
    from data.vision.scene_network import Looked

Value = TypeVar("Value")

THINGS = ("plane", "ship", "vehicle", "storage tank")
"""What is counted and found, as the scene network names it."""
THING_OF_CLASS = {
    "plane": "plane", "ship": "ship", "small-vehicle": "vehicle", "large-vehicle": "vehicle",
    "storage-tank": "storage tank",
}  # fmt: skip
PARTS: dict[str, tuple[float, float, float, float]] = {
    "top left": (0, 0, 0.5, 0.5), "top right": (0.5, 0, 1, 0.5), "bottom left": (0, 0.5, 0.5, 1),
    "bottom right": (0.5, 0.5, 1, 1), "left": (0, 0, 0.5, 1), "right": (0.5, 0, 1, 1), "top": (0, 0, 1, 0.5),
    "bottom": (0, 0.5, 1, 1), "middle": (0.25, 0.25, 0.75, 0.75),
}  # fmt: skip
"""Parts of an image by name: left, top, right, bottom as shares of its width and height."""
MEASURES = ("scene", "cover", "objects")
"""What a look can measure beside the kind of image and its size."""

COARSE_PX = 512
"""The side of the overview that cover is told on: a quarter of the work of 1,024 pixels."""
KEPT = 64
"""How many looks a process keeps."""


class Glance(Facts):
    """The facts of an image as a look takes them: cover from a smaller overview than the scene."""

    @cached_property
    def overview(self) -> Overview:
        """The image at most 512 pixels a side."""
        from data.vision.overview import overview_of

        return overview_of(self.image, self.modality.name, most_px=COARSE_PX)

    @cached_property
    def looked(self) -> Looked:
        """What the scene network thinks of the image at most 1,024 pixels a side, as it was calibrated."""
        from data.vision.overview import overview_of
        from data.vision.scene_network import look as seen

        return seen(self.image, overview_of(self.image, self.modality.name))


class Look:
    """What one look tells of an image. Safe to use from several threads; parts are measured once."""

    def __init__(self, image: Path, models: Path | None = None, *, anyway: bool = False) -> None:
        self.image = image
        self.facts = Glance(image, models=models, anyway=anyway)
        self.seconds: dict[str, float] = {}
        """How long each part took, by its name."""
        self._lock = threading.RLock()

    @property
    def modality(self) -> str | None:
        """optical, multispectral, panchromatic or sar; None for what is no image."""
        return self._timed("modality", lambda: self.facts.modality.name)

    @property
    def gsd_m(self) -> float | None:
        """The side of a pixel, metres; None without a place."""
        return self._timed("overview", lambda: self.facts.overview.gsd_m)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, pixels."""
        return self._timed("overview", lambda: (self.facts.overview.width, self.facts.overview.height))

    @cached_property
    def scene(self) -> SceneTold:
        """The scene, or between which it is not sure. Raises RasterError for what is no image."""
        from data.vision.scene import scene_of

        if self.modality is None:
            raise RasterError(f"{self.image.name} is no image but holds {self.facts.modality.instead}.")
        return self._timed("scene", lambda: scene_of(self.facts))

    @property
    def cover(self) -> Cover:
        """The cover of its cells. Raises RasterError for what has none."""
        return self._timed("cover", lambda: self.facts.cover)

    @property
    def objects(self) -> tuple[Detection, ...]:
        """Its objects: the coarse count. Raises RasterError where none can be looked for."""
        found = self._timed("objects", lambda: self.facts.objects)
        if "objects" in self.facts.missing:
            raise RasterError(self.facts.missing["objects"])
        return found

    def shares(self, part: str | None = None) -> dict[str, float]:
        """How much each cover has of a part of the image (of PARTS), or of all of it, 0 to 1."""
        best = self.cover.best
        rows, columns = best.shape
        x0, y0, x1, y1 = PARTS[part] if part else (0, 0, 1, 1)
        here = best[int(y0 * rows) : max(1, int(y1 * rows)), int(x0 * columns) : max(1, int(x1 * columns))]
        known = max(int((here >= 0).sum()), 1)
        return {name: float((here == at).sum() / known) for at, name in enumerate(COVERS)}

    def count(self, thing: str) -> int:
        """How many objects of that name (of THINGS) it sees. Raises RasterError where it cannot."""
        return sum(named(each.class_name) == thing for each in self.objects)

    @property
    def detector(self) -> str:
        """What its objects were found by. Raises RasterError where none can be looked for."""
        return self.facts.detected.model if self.objects is not None else ""

    def boxes(self, phrase: str) -> tuple[list[list[int]], str]:
        """What a phrase means in it, the likeliest first: (left, top, right, bottom), pixels inside it.

        Where there is none, what there is instead. Raises RasterError for what it cannot look for.
        """
        from data.vision.grounding import grounded, parse_phrase
        from data.vision.measuring import box_of

        meant = parse_phrase(phrase)
        told = self._timed("boxes", lambda: grounded(self.facts, meant))
        sides = (*self.size, *self.size)
        found = [
            [round(min(max(at, 0), side)) for at, side in zip(box_of(each.outline), sides, strict=True)]
            for each in told.found
        ]
        return found, told.there_is

    def sure_of(self, thing: str) -> bool | None:
        """Whether a thing is there, by the scene network; None where it is not sure or does not know it."""
        from data.vision.scene import network_suits
        from data.vision.scene_network import calibration

        how = calibration()
        if thing not in how.present or not self._timed("scene", lambda: network_suits(self.facts)):
            return None
        at, likely = how.present.index(thing), self._timed("scene", lambda: self.facts.looked.present[thing])
        return True if likely >= how.present_least[at] else False if likely <= how.absent_most[at] else None

    @property
    def things(self) -> tuple[str, ...]:
        """The things of THINGS that the scene network is sure to see."""
        return tuple(each for each in THINGS if self.sure_of(each))

    def told(self, measure: Collection[str] = MEASURES, phrase: str | None = None) -> dict[str, Any]:
        """These of MEASURES, and where the phrase points, as plain values, with why a part is missing.

        Raises RasterError for what is no image.
        """
        if self.modality is None:
            raise RasterError(f"{self.image.name} is no image but holds {self.facts.modality.instead}.")
        width, height = self.size
        found: dict[str, Any] = {
            "modality": self.modality, "gsd_m": self.gsd_m, "width_px": width, "height_px": height,
            "missing": {},
        }  # fmt: skip
        tells: dict[str, Callable[[], dict[str, Any]]] = {
            "scene": self._scene_told,
            "cover": self._cover_told,
            "objects": self._objects_told,
        }
        wanted = {name: tell for name, tell in tells.items() if name in measure}
        if phrase:
            wanted["found"] = partial(self._boxes_told, phrase)
        for name, tell in wanted.items():
            try:
                found |= tell()
            except RasterError as error:
                found["missing"][name] = str(error)
        return {**found, "said_first": list(self.facts.said)}

    def _scene_told(self) -> dict[str, Any]:
        from data.vision.scene_network import calibration

        told = self.scene
        return {
            "scene": {
                "name": told.name, "confidence": told.confidence, "method": told.method,
                "ranked": [[name, score] for name, score in told.ranked],
            },
            "present": {each: self.sure_of(each) for each in calibration().present},
        }  # fmt: skip

    def _cover_told(self) -> dict[str, Any]:
        parts = {name: self.shares(None if name == "all" else name) for name in ("all", *PARTS)}
        return {"cover": {part: {k: round(v, 4) for k, v in each.items()} for part, each in parts.items()}}

    def _objects_told(self) -> dict[str, Any]:
        counted = Counter(named(each.class_name) for each in self.objects)
        return {"objects": {"counts": dict(sorted(counted.items())), "model": self.detector}}

    def _boxes_told(self, phrase: str) -> dict[str, Any]:
        boxes, instead = self.boxes(phrase)
        return {"found": {"phrase": phrase, "boxes": boxes, "there_is": instead}}

    def _timed(self, name: str, measure: Callable[[], Value]) -> Value:
        with self._lock:
            started = time.perf_counter()
            try:
                return measure()
            finally:
                self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - started


class Looks:
    """The looks of a process, by the content of the images; those used last are kept."""

    def __init__(self, most: int = KEPT) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Look] = OrderedDict()

    def at(self, image: Path, models: Path | None = None, *, anyway: bool = False) -> Look:
        """The look at an image, with `anyway` also outside of what the models are for.

        Raises FileNotFoundError.
        """
        with image.open("rb") as file:
            mark = f"{hashlib.file_digest(file, 'sha256').hexdigest()} {models} {anyway}"
        with self._lock:
            kept = self._kept.get(mark)
            if kept is None or not kept.image.exists():
                kept = self._kept[mark] = Look(image, models, anyway=anyway)
            self._kept.move_to_end(mark)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
            return kept


LOOKS = Looks()
"""The ones of this process."""


def named(class_name: str) -> str:
    """What a detector's class is called in the tasks; its own name where it is none of theirs."""
    return THING_OF_CLASS.get(class_name.replace(" ", "-"), class_name)


def tell_look(
    progress: Progress,
    image: Path,
    models: Path | None,
    measure: Collection[str],
    phrase: str | None,
    anyway: bool = False,
) -> dict[str, Any]:
    """What a look at an image tells. Raises RasterError for what is no image."""
    progress.tell(0.1, "Looking.")
    return LOOKS.at(image, models, anyway=anyway).told(measure, phrase)
