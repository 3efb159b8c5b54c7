"""How well pixels are told apart: `python -m benches.vision_segmenting [PART ...]`, all parts without one.

dubai: the tile of dubai_seg that was kept out of training, whole pictures as the tool sees them. rendered:
land cover, water by index, radar and network, vegetation, buildings and roads in rendered scenes (no
imagery) of seeds from 990,000 on, which nothing was trained on. atlanta: buildings by the morphological
index against the outlines of SpaceNet. naip: vegetation in colour against NDVI of the same picture, which is
agreement with another method and no truth.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from numpy.typing import NDArray

from data.models.evaluating.agreement import confusion, intersections, right
from data.progress import Unheard
from data.vision.buildings import building_mask, buildings_of
from data.vision.segment import land_cover
from data.vision.vegetation import vegetation_mask
from data.vision.water import water_mask

REAL = Path(__file__).resolve().parents[2] / "shared" / "data"
CLASSES = ("building", "land", "road", "vegetation", "water")
COLOURS = (0x3C1098, 0x8429F6, 0x6EC1E4, 0xFEDD3A, 0xE2A929)
KEPT_OUT = 2
FIRST_SEED, SCENES, SIDE = 990_000, 12, 256
ROAD_BUFFER_PX = 3
COVER = {
    "water": 5, "grass": 4, "crops": 4, "trees": 4, "soil": 2, "sand": 2, "road": 3, "building": 1,
}  # fmt: skip
"""The network's class of a rendered cover; the others count for none."""


def iou(truth: NDArray[Any], said: NDArray[Any]) -> float:
    """Intersection over union of two masks."""
    either = int((truth | said).sum())
    return float((truth & said).sum() / either) if either else float("nan")


def table_of(pairs: list[tuple[NDArray[Any], NDArray[Any]]]) -> dict[str, float]:
    """Intersection over union by class over all pairs (truth, said) of class numbers from 1, and the mean."""
    truth, said = (np.concatenate([pair[at].ravel() for pair in pairs]).astype(int) - 1 for at in (0, 1))
    table = confusion(truth, said, len(CLASSES))
    found = intersections(table, CLASSES)
    return {**found, "mean": float(np.mean(list(found.values()))), "right": right(table)}


def buffered(truth: NDArray[Any], said: NDArray[Any], px: int) -> tuple[float, float, float]:
    """Completeness, correctness and F1 of centre lines within a buffer (Wiedemann et al. 1998)."""
    from scipy.ndimage import binary_dilation
    from skimage.morphology import skeletonize

    one, two = (skeletonize(each) for each in (truth, said))  # type: ignore[no-untyped-call]
    near = np.hypot(*np.mgrid[-px : px + 1, -px : px + 1]) <= px
    complete = float((one & binary_dilation(two, near)).sum() / max(1, one.sum()))
    correct = float((two & binary_dilation(one, near)).sum() / max(1, two.sum()))
    return complete, correct, 2 * complete * correct / max(1e-9, complete + correct)


def made(function: Callable[..., Any], source: Path, folder: Path, **how: Any) -> NDArray[Any]:
    """The first band of what a function of data.vision writes of an image."""
    target = folder / "made.tif"
    function(Unheard(), source, target, **how)
    with rasterio.open(target) as reader:
        band: NDArray[Any] = reader.read(1)
    return band


def dubai(folder: Path) -> None:
    """The tile that was kept out."""
    import cv2

    pairs, roads = [], []
    for path in sorted((REAL / "dubai_seg" / f"tile_{KEPT_OUT}" / "images").glob("*.jpg")):
        mask = cv2.imread(str(path.parents[1] / "masks" / f"{path.stem}.png"))
        assert mask is not None
        code = mask.astype(np.int32) @ np.array([1, 256, 65536], dtype=np.int32)
        truth = np.zeros(code.shape, dtype=np.uint8)
        for at, colour in enumerate(COLOURS, start=1):
            truth[code == colour] = at
        said = made(land_cover, path, folder)
        pairs.append((truth, said))
        roads.append(buffered(truth == 3, said == 3, ROAD_BUFFER_PX))
    show(f"Dubai, tile {KEPT_OUT} kept out, {len(pairs)} pictures, IoU", table_of(pairs))
    said_all = np.mean(roads, axis=0)
    names = ("completeness", "correctness", "F1")
    show(f"  road centre lines within {ROAD_BUFFER_PX} px", dict(zip(names, said_all, strict=True)))


def rendered(folder: Path) -> None:
    """Rendered scenes."""
    from data.scenes import COVERS, render

    themes = ("town", "suburb", "fields", "harbour", "sea", "woods")
    numbers = np.array([COVER.get(each, 0) for each in COVERS], dtype=np.uint8)
    water, plants = COVERS.index("water"), [COVERS.index(each) for each in ("grass", "crops", "trees")]
    pairs: list[tuple[NDArray[Any], NDArray[Any]]] = []
    wet: dict[str, list[tuple[NDArray[Any], NDArray[Any]]]] = {"network": [], "index": [], "radar": []}
    green: dict[str, list[tuple[NDArray[Any], NDArray[Any]]]] = {"ndvi": [], "excess green": []}
    for at in range(SCENES):
        seed, theme = FIRST_SEED + at, themes[at % len(themes)]
        path = folder / "scene.tif"
        scene = render(seed, "optical", SIDE, 0.5 * 2.0 ** (at % 3), theme=theme)
        scene.write(path)
        said = made(land_cover, path, folder)
        pairs.append((numbers[scene.landcover], said))
        wet["network"].append((scene.landcover == water, said == 5))
        plant = np.isin(scene.landcover, plants)
        green["excess green"].append((plant, made(vegetation_mask, path, folder) == 1))
        scene = render(seed, "multispectral", SIDE, theme=theme)
        scene.write(path)
        wet["index"].append((scene.landcover == water, made(water_mask, path, folder) == 1))
        plant = np.isin(scene.landcover, plants)
        green["ndvi"].append((plant, made(vegetation_mask, path, folder) == 1))
        scene = render(seed, "sar", SIDE, theme=theme)
        scene.write(path)
        wet["radar"].append((scene.landcover == water, made(water_mask, path, folder, method="radar") == 1))
    show(f"rendered scenes, {SCENES}, network, IoU", table_of(pairs))
    for what, groups in (("water", wet), ("vegetation", green)):
        for name, group in groups.items():
            truth, said = (np.concatenate([each[k].ravel() for each in group]) for k in (0, 1))
            show(f"rendered scenes, {SCENES}, {what} by {name}", {"IoU": iou(truth, said)})


def atlanta(folder: Path) -> None:
    """Buildings of SpaceNet's Atlanta by the index, against its outlines."""
    import geopandas as gpd
    import shapely
    from rasterio.features import rasterize

    source = REAL / "spacenet" / "sample_geotiff.tif"
    truth = gpd.read_file(REAL / "spacenet" / "geotiff_labels.geojson")
    building_mask(Unheard(), source, folder / "made.tif", model="morphological-building-index")
    with rasterio.open(folder / "made.tif") as reader:
        mask, shape, transform, crs = reader.read(1) == 1, reader.shape, reader.transform, reader.crs
    found = buildings_of(folder / "made.tif").to_crs(crs)
    wanted = truth.to_crs(crs).geometry
    burned = rasterize(wanted, shape, transform=transform).astype(bool)
    tree = shapely.STRtree(found.geometry.to_numpy())
    hits = 0
    for each in wanted:
        near = found.geometry.to_numpy()[tree.query(each)]
        shares = [each.intersection(other).area / each.union(other).area for other in near]
        hits += max(shares, default=0.0) >= 0.5
    precision, recall = hits / max(1, len(found)), hits / len(wanted)
    f1 = 2 * precision * recall / max(1e-9, precision + recall)
    said = {"IoU": iou(burned, mask), "F1": f1, "precision": precision, "recall": recall}
    show(f"SpaceNet Atlanta, {len(wanted)} buildings, {len(found)} found, index", said)


def naip(folder: Path) -> None:
    """Vegetation in colour against NDVI, seven years."""
    found: dict[str, list[float]] = {"excess green": [], "network": []}
    for path in sorted((REAL / "naip").glob("*.tif")):
        with rasterio.open(path) as reader:
            red, green, blue, nir = reader.read().astype(np.float32)
            profile = {**reader.profile, "count": 3, "photometric": "RGB", "interleave": "pixel"}
        with np.errstate(divide="ignore", invalid="ignore"):
            truth = (nir - red) / (nir + red) > 0.2
        with rasterio.open(folder / "rgb.tif", "w", **profile) as writer:
            writer.write(np.stack([red, green, blue]).astype(np.uint8))
        for name, method in (("excess green", "excess_green"), ("network", "network")):
            said = made(vegetation_mask, folder / "rgb.tif", folder, method=method) == 1
            found[name].append(iou(truth, said))
    for name, values in found.items():
        show(f"NAIP, {len(values)} years, vegetation by {name} against NDVI > 0.2", {"IoU": np.mean(values)})


def show(what: str, figures: dict[str, Any]) -> None:
    """One line of the table."""
    print(
        f"{what}: " + ", ".join(f"{name} {float(value):.3f}" for name, value in figures.items()), flush=True
    )


PARTS = {"dubai": dubai, "rendered": rendered, "atlanta": atlanta, "naip": naip}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as room:
        for part in sys.argv[1:] or list(PARTS):
            PARTS[part](Path(room))
