"""The cover of an image in cells, from colour and texture: water, vegetation, bare, paved, building."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

COVERS = ("water", "vegetation", "bare ground", "paved ground", "building")
MODEL = "cover-cells"
NETWORK = "land-cover-rgb"
_DOUBT = 1e-4
NETWORK_SAYS = 0.35
"""The weight of the network's opinion: of five the best on 24 rendered scenes, seeds from 906,000."""
CELL_PX = 8
"""Side of a cell in pixels of the overview that it is computed on."""
WEIGHTS = Path(__file__).resolve().parents[1] / "models" / "weights" / "cover-cells.txt"


@dataclass(frozen=True)
class Cover:
    """How likely each cover is in each cell of an overview."""

    likely: NDArray[np.float32]
    """(covers, rows, columns) of cells, which sum to 1; not-a-number where the image has no value."""
    scale: float
    """Pixels of the file for one of the overview."""

    @property
    def best(self) -> NDArray[np.int64]:
        """(rows, columns) of the likeliest cover's place in COVERS; -1 where the image has no value."""
        known = np.isfinite(self.likely[0])
        return np.where(known, np.nan_to_num(self.likely).argmax(axis=0), -1)

    def share(self, name: str) -> float:
        """How much of the cells with a value that cover has, 0 to 1."""
        best = self.best
        return float((best == COVERS.index(name)).sum() / max(int((best >= 0).sum()), 1))


def cover_of(rgb: NDArray[np.uint8], known: NDArray[np.bool_] | None = None, scale: float = 1.0) -> Cover:
    """The cover of a picture (rows, columns, 3) of bytes; `known` is where it has values.

    Two opinions as a product (Hinton 2002, Training products of experts by minimizing contrastive
    divergence, Neural Computation 14(8)): the land-cover network's mean over a cell, and gradient boosting
    (Ke et al. 2017, LightGBM) over colour in CIE L*a*b*, contrast and gradients at three scales, the
    coherence of the structure tensor (Bigun and Granlund 1987), and the means of what surrounds a cell,
    trained on rendered scenes and on tiles of Dubai (data.models.training.cover_cells).
    """
    if known is None or known.all() or not known.any():
        return Cover(together(by_cells(rgb), by_network(rgb)), scale)
    # What has no value is neither ground nor a part of the picture that a cell is compared with.
    top, left, bottom, right = _known_box(known)
    part = filled_like_ground(rgb[top:bottom, left:right], known[top:bottom, left:right])
    inner = together(by_cells(part), by_network(part))
    made = np.full((len(COVERS), rgb.shape[0] // CELL_PX, rgb.shape[1] // CELL_PX), np.nan, np.float32)
    rows, columns = made[:, top // CELL_PX :, left // CELL_PX :].shape[1:]
    inner = inner[:, :rows, :columns]
    at = (top // CELL_PX, left // CELL_PX)
    made[:, at[0] : at[0] + inner.shape[1], at[1] : at[1] + inner.shape[2]] = inner
    made[:, ~_any_cell(known, *made.shape[1:])] = np.nan
    return Cover(made, scale)


def _known_box(known: NDArray[np.bool_]) -> tuple[int, int, int, int]:
    """Top, left, bottom and right of what has values, in whole cells where it begins and ends."""
    rows, columns = np.flatnonzero(known.any(axis=1)), np.flatnonzero(known.any(axis=0))
    top, left = (int(each[0]) // CELL_PX * CELL_PX for each in (rows, columns))
    bottom, right = (-(-(int(each[-1]) + 1) // CELL_PX) * CELL_PX for each in (rows, columns))
    return top, left, min(bottom, known.shape[0]), min(right, known.shape[1])


def filled_like_ground(rgb: NDArray[np.uint8], known: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """The picture with the nearest colour where it has no value, so that no frame is seen."""
    from data.vision.blocks import nearest_filled

    bands = [nearest_filled(np.where(known, rgb[..., at], np.nan)) for at in range(rgb.shape[2])]
    return np.ascontiguousarray(np.stack(bands, axis=2).astype(np.uint8))


def together(one: NDArray[np.float32], other: NDArray[np.float32]) -> NDArray[np.float32]:
    """The weighted geometric mean of two opinions (covers, rows, columns); neither may rule a cover out."""
    rows, columns = (min(one.shape[at], other.shape[at]) for at in (1, 2))
    first, second = (np.log(each[:, :rows, :columns] + _DOUBT) for each in (one, other))
    likely = np.exp((1 - NETWORK_SAYS) * first + NETWORK_SAYS * second)
    return np.asarray(likely / likely.sum(axis=0), dtype=np.float32)


def by_cells(rgb: NDArray[np.uint8]) -> NDArray[np.float32]:
    """(covers, cell rows, columns): what gradient boosting over a cell's colour and texture says."""
    cells = features_of(rgb)
    rows, columns, count = cells.shape
    likely = _booster().predict(cells.reshape(-1, count), num_threads=1).reshape(rows, columns, -1)
    return np.asarray(likely.transpose(2, 0, 1), dtype=np.float32)


def by_network(rgb: NDArray[np.uint8]) -> NDArray[np.float32]:
    """(covers, cell rows, columns): the land-cover network's probabilities, averaged over each cell."""
    from data.models.preparing import stretched
    from data.models.registry import registry
    from data.models.serving import served

    model = registry(None).get(NETWORK)
    takes = model.card.input
    values = (stretched(rgb).transpose(2, 0, 1) - takes.mean[0]) / takes.std[0]
    sides = max(1, takes.multiple_px)
    rows, columns = values.shape[1:]
    padded = np.pad(values, ((0, 0), (0, -rows % sides), (0, -columns % sides)), mode="symmetric")
    scores = served(model).run(padded[np.newaxis].astype(np.float32))[0][0, :, :rows, :columns]
    scores = np.exp(scores - scores.max(axis=0))
    scores /= scores.sum(axis=0)
    order = [
        model.card.output.classes.index(each) for each in ("water", "vegetation", "land", "road", "building")
    ]
    return np.stack([_cell_mean(scores[at]) for at in order])


def features_of(rgb: NDArray[np.uint8]) -> NDArray[np.float32]:
    """(cell rows, cell columns, features) of a picture of bytes; what is left over at its edges is not in."""
    import cv2

    lab = cv2.cvtColor(rgb.astype(np.float32) / 255.0, cv2.COLOR_RGB2LAB)
    light = np.ascontiguousarray(lab[..., 0])
    colour = rgb.astype(np.float32)
    total = np.maximum(colour.sum(axis=2), 1.0)
    green = (2 * colour[..., 1] - colour[..., 0] - colour[..., 2]) / total
    blue = (2 * colour[..., 2] - colour[..., 0] - colour[..., 1]) / total
    grey = colour.max(axis=2) - colour.min(axis=2)
    planes = [light, lab[..., 1], lab[..., 2], green, blue, grey]
    planes += [_spread(light, side) for side in (3, 9, 27)]
    for sigma in (0.0, 2.0, 5.0):
        planes += _gradients(light, sigma)
    own = [_cell_mean(each) for each in planes]
    own += [np.sqrt(np.maximum(_cell_mean(each**2) - _cell_mean(each) ** 2, 0)) for each in planes[:3]]
    near: list[NDArray[Any]] = []
    for side in (3, 7, 17):
        near += [cv2.blur(each, (side, side), borderType=cv2.BORDER_REFLECT) for each in own[:14]]
    whole = []
    for each in own[:9]:
        low, middle, high = np.percentile(each, (10, 50, 90))
        whole += [np.full_like(each, low), np.full_like(each, middle), np.full_like(each, high)]
    rank = [_rank(each) for each in own[:9]]
    return np.stack([*own, *near, *whole, *rank], axis=2).astype(np.float32)


def _spread(plane: NDArray[Any], side: int) -> NDArray[np.float32]:
    import cv2

    mean = cv2.blur(plane, (side, side))
    spread: NDArray[np.float32] = np.sqrt(np.maximum(cv2.blur(plane * plane, (side, side)) - mean * mean, 0))
    return spread


def _gradients(light: NDArray[Any], sigma: float) -> list[NDArray[np.float32]]:
    """The gradient's size, and how much it keeps one direction (0 to 1), at a scale in pixels."""
    import cv2

    smooth = cv2.GaussianBlur(light, (0, 0), sigma) if sigma else light
    across, down = cv2.Sobel(smooth, cv2.CV_32F, 1, 0), cv2.Sobel(smooth, cv2.CV_32F, 0, 1)
    around = (0, 0), max(4.0, 2 * sigma)
    xx, yy, xy = (cv2.GaussianBlur(each, *around) for each in (across**2, down**2, across * down))
    trace = xx + yy
    coherence = np.sqrt((xx - yy) ** 2 + 4 * xy**2) / np.maximum(trace, 1e-6)
    return [np.hypot(across, down), coherence]


def _cell_mean(plane: NDArray[Any]) -> NDArray[np.float32]:
    rows, columns = max(1, plane.shape[0] // CELL_PX), max(1, plane.shape[1] // CELL_PX)
    cut = plane[: rows * CELL_PX, : columns * CELL_PX]
    high, wide = min(CELL_PX, cut.shape[0]), min(CELL_PX, cut.shape[1])
    parted = cut.reshape(rows, high, columns, wide)
    return np.asarray(parted.mean(axis=(1, 3)), dtype=np.float32)


def _rank(plane: NDArray[np.float32]) -> NDArray[np.float32]:
    """Which share of the cells has less."""
    order = plane.ravel().argsort(kind="stable").argsort(kind="stable")
    return (order.reshape(plane.shape) / max(plane.size - 1, 1)).astype(np.float32)


def _any_cell(known: NDArray[np.bool_], rows: int, columns: int) -> NDArray[np.bool_]:
    part = known[: rows * CELL_PX, : columns * CELL_PX]
    return np.asarray(_cell_mean(part.astype(np.float32)) >= 0.5)[:rows, :columns]


@lru_cache(maxsize=1)
def _booster() -> Any:
    import lightgbm

    return lightgbm.Booster(model_file=str(WEIGHTS))
