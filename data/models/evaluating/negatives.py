"""Real images that do not hold an object: what its false claims are set on, and measured on.

Pictures of UC Merced by their class, singly (256 pixels of 0.3 m) and four together (512 of 0.3 m, 256 of
0.6 m), sixteen together at 1.2 m; Dubai tiles; the Joplin pair; LEVIR's samples beside the repository. Half
of them set the thresholds (`half` 0), half measure (1); pictures of UC Merced with numbers under 50 are in
the first, since neighbours by number show the same ground."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

FOLDER = Path(__file__).resolve().parents[4] / "shared" / "data"
SIDE_PX = 256
FOOT_M = 0.3048
"""The pixel of UC Merced."""
OBJECTS = ("plane", "ship", "small-vehicle", "large-vehicle", "storage-tank")
_WITHOUT: dict[str, tuple[str, ...]] = {
    "plane": ("airplane", "runway"),
    "ship": ("harbor",),
    "storage-tank": ("storagetanks",),
}
_NO_VEHICLES = ("agricultural", "beach", "chaparral", "forest", "golfcourse", "river", "runway")
GROUND = {
    "agricultural": "field", "airplane": "apron", "baseballdiamond": "grass", "beach": "shore",
    "buildings": "roofs", "chaparral": "scrub", "denseresidential": "roofs", "forest": "forest",
    "freeway": "road", "golfcourse": "grass", "harbor": "shore", "intersection": "road",
    "mediumresidential": "roofs", "mobilehomepark": "roofs", "overpass": "road", "parkinglot": "road",
    "river": "shore", "runway": "apron", "sparseresidential": "roofs", "storagetanks": "tanks",
    "tenniscourt": "grass",
}  # fmt: skip
"""What each class of UC Merced is ground of."""

LARGE = "large mosaics"
"""What the ground of pictures is called that many were put together to."""
LARGE_MPX = 1.0
"""From how many millions of pixels on an image is as large as they are."""


@dataclass(frozen=True)
class Negative:
    """A picture and what is not in it."""

    key: str
    ground: str
    gsd_m: float
    picture: NDArray[np.uint8]
    """(rows, columns, 3)"""
    half: int
    absent: tuple[str, ...]
    """Of OBJECTS."""
    together: bool = False
    """Whether it was put together of several pictures, to set thresholds on larger and coarser ones."""

    def write(self, path: Path) -> Path:
        """The picture as a GeoTIFF with its pixel size."""
        import rasterio
        from affine import Affine

        about = {"driver": "GTiff", "count": 3, "dtype": "uint8", "photometric": "rgb", "crs": "EPSG:32614"}
        rows, columns = self.picture.shape[:2]
        where = Affine(self.gsd_m, 0, 500_000, 0, -self.gsd_m, 4_500_000)
        with rasterio.open(path, "w", **about, width=columns, height=rows, transform=where) as target:
            target.write(np.ascontiguousarray(self.picture.transpose(2, 0, 1)))
        return path


def negatives(merced: Path, folder: Path = FOLDER) -> Iterator[Negative]:
    """All of them. Raises FileNotFoundError in a sentence where UC Merced is not there."""
    classes: dict[str, list[Path]] = {}
    for path in sorted(merced.glob("*/*.tif")):
        classes.setdefault(path.parent.name, []).append(path)
    if not classes:
        raise FileNotFoundError(
            f"UC Merced Land Use is not at {merced}: a folder a class, with *.tif in each."
        )
    for label, paths in classes.items():
        absent = absent_in(label)
        if absent:
            for half in (0, 1):
                yield from _of_class(
                    label, [each for each in paths if _number(each) // 50 == half], half, absent
                )
    yield from _others(folder)


def large(merced: Path) -> Iterator[Negative]:
    """Pictures of one class put together to large ones, 1,024 and 1,536 pixels wide, of the half that
    measures: the larger an image, the more places to be wrong in."""
    for folder in sorted(each for each in merced.iterdir() if each.is_dir()):
        label, absent = folder.name, absent_in(folder.name)
        paths = [each for each in sorted(folder.glob("*.tif")) if _number(each) // 50 == 1]
        pictures = [_read(each)[:SIDE_PX, :SIDE_PX] for each in paths if absent]
        whole = [each for each in pictures if each.shape[:2] == (SIDE_PX, SIDE_PX)]
        for side in (4, 6):
            for at in range(0, len(whole) - side * side + 1, side * side):
                many = _together(whole[at : at + side * side], side)
                yield Negative(f"{label}-1-{at}x{side * side}-large", LARGE, FOOT_M, many, 1, absent, True)


def absent_in(label: str) -> tuple[str, ...]:
    """What is in no picture of a class of UC Merced."""
    return tuple(
        each
        for each in OBJECTS
        if (label in _NO_VEHICLES if "vehicle" in each else label not in _WITHOUT[each])
    )


def _of_class(label: str, paths: list[Path], half: int, absent: tuple[str, ...]) -> Iterator[Negative]:
    ground = GROUND[label]
    pictures = [_read(each)[:SIDE_PX, :SIDE_PX] for each in paths]
    for path, picture in zip(paths, pictures, strict=True):
        yield Negative(path.stem, ground, FOOT_M, picture, half, absent)
    whole = [each for each in pictures if each.shape[:2] == (SIDE_PX, SIDE_PX)]
    for at in range(0, len(whole) - 3, 4):
        four = _together(whole[at : at + 4], 2)
        yield Negative(f"{label}-{half}-{at}x4", ground, FOOT_M, four, half, absent, True)
        yield Negative(
            f"{label}-{half}-{at}x4-half", ground, 2 * FOOT_M, _smaller(four, 2), half, absent, True
        )
    for at in range(0, len(whole) - 15, 16):
        many = _smaller(_together(whole[at : at + 16], 4), 4)
        yield Negative(f"{label}-{half}-{at}x16", ground, 4 * FOOT_M, many, half, absent, True)


def _others(folder: Path) -> Iterator[Negative]:
    for path in sorted(folder.glob("dubai_seg/tile_*/images/*.jpg")):
        # What size its pixels have is not published; roads and houses speak for about half a metre.
        half = int(path.parents[1].name in ("tile_2", "tile_5", "tile_7"))
        name = f"{path.parents[1].name}-{path.stem}"
        yield Negative(name, "desert town", 0.5, _read(path), half, ("plane",))
    for path in sorted(folder.glob("levir_cd/[AB]/*.png")):
        half = int(path.parent.name == "B")
        yield Negative(f"levir-{path.parent.name}-{path.stem}", "roofs", 0.5, _read(path), half,
                       ("plane", "ship", "storage-tank"))  # fmt: skip
    for path in sorted(folder.glob("joplin/*.tif")):
        picture = _read(path)
        for top in range(0, 1024, 512):
            for left in range(0, 1024, 512):
                cut = np.ascontiguousarray(picture[top : top + 512, left : left + 512])
                key, half = f"joplin-{path.stem}-{top}-{left}", int("post" in path.stem)
                yield Negative(key, "roofs", 0.63, cut, half, ("plane", "ship", "storage-tank"))


def _number(path: Path) -> int:
    return int("".join(each for each in path.stem if each.isdigit()))


def _read(path: Path) -> NDArray[np.uint8]:
    import cv2

    read: Any = cv2.imread(str(path))
    return np.ascontiguousarray(read[..., ::-1])


def _together(pictures: list[NDArray[np.uint8]], side: int) -> NDArray[np.uint8]:
    rows = [np.concatenate(pictures[at : at + side], axis=1) for at in range(0, len(pictures), side)]
    return np.concatenate(rows, axis=0)


def _smaller(picture: NDArray[np.uint8], times: int) -> NDArray[np.uint8]:
    import cv2

    size = picture.shape[1] // times, picture.shape[0] // times
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA))
