"""The images that questions are about, by name, and the exact truth about them.

A name is a recipe: `harbour-512-17` is a rendered scene, `pair-fire-1024-3` the same place twice,
`levir_cd/test_2_0000_0000` two real images of ../shared/data with the mask of what was built.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from copilot.vague.tasks import COVER_OF, COVERS, PARTS, SCENE_OF_THEME, THING_OF_CLASS, Event

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from data.scenes import Pair, Scene

Box = tuple[int, int, int, int]
SHARED = next(
    (found for each in Path(__file__).resolve().parents if (found := each / "shared" / "data").is_dir()),
    Path(__file__).resolve().parents[3] / "shared" / "data",
)
"""Real files beside the project; where the folder is not there, no question is about them."""
VISIBLE = 0.5
"""Of an object, so much of which lies inside the image is one of its objects."""
LEAST_PX = 6.0
"""Shorter objects, pixels, are neither counted nor asked for: nobody sees them."""


class NoPicture(Exception):
    """There is no image of that name: one sentence."""


@dataclass(frozen=True)
class Thing:
    """One object of an image."""

    name: str
    """One of THINGS."""
    class_name: str
    box: Box
    """Left, top, right, bottom, pixels."""
    area_px: float


@dataclass(frozen=True)
class Truth:
    """What is in an image, exactly."""

    picture: str
    width: int
    height: int
    scene: str | None
    """One of the scene network's scenes; None for pairs and real images."""
    shares: Mapping[str, float]
    """Of each of COVERS, 0 to 1."""
    parts: Mapping[str, Mapping[str, float]]
    """The same of each of PARTS."""
    things: tuple[Thing, ...] = ()
    regions: Mapping[str, Box] = field(default_factory=dict)
    """The box around the largest connected part of each cover that has 2 % of the image or more."""
    event: Event | None = None
    """What happened between the two images."""
    changed_percent: float = 0.0
    """Of the image."""

    def count(self, thing: str) -> int:
        """How many objects of that name there are."""
        return sum(each.name == thing for each in self.things)

    @property
    def labels(self) -> tuple[str, ...]:
        """What the image contains: covers of 2 % or more, and the names of its objects."""
        covers = [name for name in COVERS if self.shares.get(name, 0.0) >= 0.02]
        return (*covers, *dict.fromkeys(each.name for each in self.things))


@lru_cache(maxsize=4)
def scene_of(picture: str) -> Scene:
    """The rendered scene of that name. Raises NoPicture."""
    from data.scenes import render

    theme, size, seed = _parted(picture, 3)
    return render(int(seed), size=int(size), theme=theme)


@lru_cache(maxsize=2)
def pair_of(picture: str) -> Pair:
    """The rendered pair of that name. Raises NoPicture."""
    from data.scenes import pair

    _, event, size, seed = _parted(picture, 4)
    return pair(int(seed), cast("Event", event), int(size), plain=False, shift_px=1.0)


def _parted(picture: str, count: int) -> list[str]:
    parts = picture.split("-")
    if len(parts) != count or not all(each.isdecimal() for each in parts[-2:]):
        raise NoPicture(f"There is no image {picture[:60]!r}; harbour-512-17 would have worked.")
    return parts


def truth_of(picture: str) -> Truth:
    """What is in the image of that name. Raises NoPicture."""
    if "/" in picture:
        return _real(picture)
    if not picture.startswith("pair-"):
        scene = scene_of(picture)
        return _rendered(picture, scene, SCENE_OF_THEME[scene.theme])
    both = pair_of(picture)
    seen = _rendered(picture, both.after, None)
    share = round(100.0 * float(both.changed.mean()), 2)
    return Truth(
        picture, seen.width, seen.height, None, seen.shares, seen.parts, seen.things, seen.regions,
        cast("Event", both.kind), share,
    )  # fmt: skip


def write(picture: str, folder: Path) -> tuple[Path, ...]:
    """The image's files, the earlier one of a pair first: rendered ones are written there.

    Raises NoPicture where a real one is not on this machine.
    """
    if "/" in picture:
        return _real_files(picture)[:-1]
    if not picture.startswith("pair-"):
        target = folder / f"{picture}.tif"
        return (target if target.exists() else scene_of(picture).write(target),)
    targets = folder / f"{picture}-before.tif", folder / f"{picture}-after.tif"
    if not all(each.exists() for each in targets):
        both = pair_of(picture)
        both.before.write(targets[0])
        both.after.write(targets[1])
    return targets


def cover_map(landcover: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The renderer's covers as places in COVERS; -1 for what is none of them."""
    from data.scenes import COVERS as RENDERED

    places = [COVERS.index(COVER_OF[name]) if name in COVER_OF else -1 for name in RENDERED]
    return np.asarray(places, dtype=np.int64)[landcover]


def _rendered(picture: str, scene: Scene, name: str | None) -> Truth:
    covers = cover_map(scene.landcover)
    height, width = covers.shape
    things = []
    for each in scene.objects:
        left, top, right, bottom = (round(value) for value in each.box)
        if each.visible < VISIBLE or each.length_m / scene.gsd_m < LEAST_PX:
            continue
        box = max(0, left), max(0, top), min(width, right), min(height, bottom)
        area = each.length_m * each.width_m / scene.gsd_m**2
        things.append(Thing(THING_OF_CLASS[each.class_name], each.class_name, box, round(area, 1)))
    return Truth(
        picture, width, height, name, _shares(covers), _shares_of_parts(covers), tuple(things),
        _regions(covers)
    )  # fmt: skip


def _shares(covers: NDArray[np.int64]) -> dict[str, float]:
    return {name: round(float((covers == at).mean()), 4) for at, name in enumerate(COVERS)}


def _regions(covers: NDArray[np.int64]) -> dict[str, Box]:
    from scipy.ndimage import find_objects, label

    found: dict[str, Box] = {}
    for at, name in enumerate(COVERS):
        labelled, count = label(covers == at)
        if not count:
            continue
        sizes = np.bincount(labelled.ravel())[1:]
        best = int(sizes.argmax())
        if sizes[best] >= 0.02 * covers.size:
            rows, columns = find_objects(labelled)[best]
            found[name] = columns.start, rows.start, columns.stop, rows.stop
    return found


DUBAI = {"building": 0x3C1098, "bare ground": 0x8429F6, "paved ground": 0x6EC1E4, "vegetation": 0xFEDD3A,
         "water": 0xE2A929}  # fmt: skip
"""The colours of the masks of dubai_seg by cover, as the README of ../shared/data gives them."""


def _real_files(picture: str) -> tuple[Path, ...]:
    """The images, the earlier first, and the mask last. Raises NoPicture."""
    folder, name = picture.split("/", 1)
    if folder == "levir_cd":
        files = tuple(SHARED / folder / part / f"{name}.png" for part in ("A", "B", "label"))
    else:
        tile, _, number = name.partition("-")
        kept, file = SHARED / folder / tile, f"image_part_00{number}"
        files = kept / "images" / f"{file}.jpg", kept / "masks" / f"{file}.png"
    if folder not in ("levir_cd", "dubai_seg") or not all(each.is_file() for each in files):
        raise NoPicture(f"The real image {picture[:60]!r} is not in {SHARED}.")
    return files


def _real(picture: str) -> Truth:
    """Of a pair what was built; of a tile of Dubai the covers that its mask holds."""
    import cv2

    mask: Any = cv2.imread(str(_real_files(picture)[-1]), cv2.IMREAD_COLOR)
    if picture.startswith("levir_cd"):
        share = round(100.0 * float((mask[..., 0] > 0).mean()), 2)
        return Truth(
            picture, mask.shape[1], mask.shape[0], None, {}, {}, event="change", changed_percent=share
        )
    blue, green, red = (mask[..., at].astype(np.int64) for at in range(3))
    covers = np.full(mask.shape[:2], -1, np.int64)
    for name, colour in DUBAI.items():
        covers[(red << 16) + (green << 8) + blue == colour] = COVERS.index(name)
    return Truth(
        picture, mask.shape[1], mask.shape[0], None, _shares(covers), _shares_of_parts(covers), (),
        _regions(covers)
    )  # fmt: skip


def _shares_of_parts(covers: NDArray[np.int64]) -> dict[str, dict[str, float]]:
    height, width = covers.shape
    return {
        part: _shares(covers[int(y0 * height) : int(y1 * height), int(x0 * width) : int(x1 * width)])
        for part, (x0, y0, x1, y1) in PARTS.items()
    }
