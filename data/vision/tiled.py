"""Run a model over an image of any size: windows with overlap, in batches, with bounded memory.

Windows are read from the file at the model's resolution (out of a COG's overviews where it has some) by one
thread, while the model computes on those before; two batches wait at most. What the windows show of objects
becomes one box an object (data.vision.boxes), masks and images are put together of the windows' middles.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from data.models.choosing import ImageFacts, bands_for, image_facts
from data.models.preparing import Preparation, preparation
from data.models.registry import Model
from data.progress import Progress
from data.raster.errors import RasterError

if TYPE_CHECKING:
    import rasterio
    from numpy.typing import NDArray

OVERLAP = 0.25
"""Of a window's side, shared with the next: more than an object's length, so that one has it whole."""
AHEAD = 2
"""Batches that are read while one is computed."""
SIDE_PX = 640
"""Of the windows of a model that takes any size."""
_SQUARE = 1.1
"""Pixels whose sides on the ground differ by less are left as they are."""


@dataclass(frozen=True)
class Place:
    """Where a window lies: columns and rows of the image as the model sees it, at its resolution."""

    left: int
    top: int
    width: int
    height: int
    number: int = 0
    """Of the window, from the upper left."""


@dataclass(frozen=True)
class Plan:
    """How an image is cut up for a model."""

    image: Path
    bands: tuple[int, ...]
    prepare: Preparation
    width: int
    """Columns of the image as the model sees it."""
    height: int
    across: float
    """How many of those columns one of the file's columns makes."""
    down: float
    side: int
    """Rows and columns of what goes into the model."""
    places: tuple[Place, ...]
    batch: int

    def in_file(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Columns and rows as the model sees them as those of the file."""
        scaled: NDArray[np.float64] = points / np.array([self.across, self.down])
        return scaled


def starts(length: int, side: int, overlap: int) -> tuple[int, ...]:
    """Where windows of that side begin along a length, the last one ending with it."""
    if length <= side:
        return (0,)
    step = max(1, side - overlap)
    found = list(range(0, length - side, step))
    return (*found, length - side)


def places_of(width: int, height: int, side: int, overlap: int) -> tuple[Place, ...]:
    """The windows that cover an image, row by row; each is `side` square or as large as the image."""
    across, down = starts(width, side, overlap), starts(height, side, overlap)
    size = min(side, width), min(side, height)
    return tuple(
        Place(left, top, *size, number=row * len(across) + column)
        for row, top in enumerate(down)
        for column, left in enumerate(across)
    )


def plan_of(
    image: Path,
    model: Model,
    *,
    overlap: float = OVERLAP,
    side: int | None = None,
    batch: int | None = None,
    facts: ImageFacts | None = None,
) -> Plan:
    """How an image is cut up for a model. Raises RasterError where the image lacks the model's bands."""
    known = facts or image_facts(image)
    bands = bands_for(model, known)
    takes = model.card.input
    if bands is None:
        raise RasterError(f"{model.name} needs the bands {', '.join(takes.bands)}, which the image lacks.")
    across, down = scale_for(image, model, known)
    width, height = max(1, round(known.width * across)), max(1, round(known.height * down))
    window = takes.size_px if takes.fixed_size else side or takes.size_px
    window = window or SIDE_PX
    if not takes.fixed_size:
        longer, unit = max(width, height), takes.multiple_px
        window = min(window, math.ceil(longer / unit) * unit)
    return Plan(
        image,
        bands,
        preparation(image, bands, takes),
        width,
        height,
        width / known.width,
        height / known.height,
        window,
        places_of(width, height, window, round(window * overlap)),
        batch or takes.batch,
    )


def scale_for(image: Path, model: Model, facts: ImageFacts) -> tuple[float, float]:
    """How many of the model's columns and rows one of the image's makes.

    1 where the resolution is in the card's range or unknown, else what brings it to the nearer end; where a
    pixel is not square on the ground (a geographic CRS away from the equator) the longer side is refined.
    """
    allowed = model.card.input.gsd_m
    sides = pixel_sides_m(image)
    if sides is None:
        return 1.0, 1.0
    across, down = sides
    square = max(across, down) / min(across, down) < _SQUARE
    fine = math.sqrt(across * down) if square else min(across, down)
    wanted = fine if allowed is None else min(max(fine, allowed[0]), allowed[1])
    if square:
        share = fine / wanted
        # 1 % is less than the resolutions of one sensor differ by, and not worth resampling for.
        return (1.0, 1.0) if abs(share - 1) < 0.01 else (share, share)
    return across / wanted, down / wanted


def pixel_sides_m(image: Path) -> tuple[float, float] | None:
    """How long a column's and a row's step is on the ground in the middle of an image, metres."""
    from data.raster.files import opened
    from data.vision.ground import ground_of

    ground = ground_of(image)
    if ground is None:
        return None
    from pyproj import Geod

    with opened(image) as source:
        x, y = source.width / 2, source.height / 2
    lon, lat = ground.lonlat(np.array([[x, y], [x + 1, y], [x, y + 1]])).T
    _, _, metres = Geod(ellps="WGS84").inv([lon[0]] * 2, [lat[0]] * 2, lon[1:], lat[1:])
    across, down = float(metres[0]), float(metres[1])
    return (across, down) if all(math.isfinite(each) and each > 0 for each in (across, down)) else None


@dataclass(frozen=True)
class Batch:
    """Windows that go into the model together."""

    places: tuple[Place, ...]
    values: NDArray[np.float32]
    """(n, bands, side, side), prepared."""
    known: tuple[NDArray[np.bool_] | None, ...]
    """Where a window has values (rows, columns); None where everywhere."""
    skipped: int
    """How many windows without a value came before and were left out."""
    done: int
    """How many windows are dealt with after this one, those left out included."""


def batches(plan: Plan) -> Iterator[Batch]:
    """The plan's windows, read by a thread that stays ahead. Raises RasterError for a broken file."""
    with ThreadPoolExecutor(1, thread_name_prefix="windows") as pool:
        reader = _Reader(plan)
        try:
            waiting: deque[Future[Batch | None]] = deque()
            for _ in range(AHEAD):
                waiting.append(pool.submit(reader.next))
            while (found := waiting.popleft().result()) is not None:
                waiting.append(pool.submit(reader.next))
                yield found
        finally:
            pool.submit(reader.close).result()


class _Reader:
    """Reads the windows of a plan in order, in the one thread that holds the file open."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._at = 0
        self._stack: Any = None
        self._source: rasterio.DatasetReader | None = None
        self._masked = False

    def next(self) -> Batch | None:
        """The next batch; None when there is no more."""
        plan = self._plan
        places: list[Place] = []
        known: list[NDArray[np.bool_] | None] = []
        skipped = 0
        values = np.empty((plan.batch, len(plan.bands), plan.side, plan.side), dtype=np.float32)
        while len(places) < plan.batch and self._at < len(plan.places):
            place = plan.places[self._at]
            self._at += 1
            there, window = self._read(place, values[len(places)])
            if not there:
                skipped += 1
                continue
            places.append(place)
            known.append(window)
        if not places and not skipped:
            return None
        return Batch(tuple(places), values[: len(places)], tuple(known), skipped, self._at)

    def close(self) -> None:
        """Close the file."""
        if self._stack is not None:
            self._stack.close()

    def _open(self) -> rasterio.DatasetReader:
        if self._source is None:
            from contextlib import ExitStack

            from rasterio.enums import MaskFlags

            from data.raster.files import opened

            self._stack = ExitStack()
            self._source = self._stack.enter_context(opened(self._plan.image))
            flags = [self._source.mask_flag_enums[each - 1] for each in self._plan.bands]
            self._masked = any(MaskFlags.all_valid not in each for each in flags) or any(
                "float" in self._source.dtypes[each - 1] for each in self._plan.bands
            )
        return self._source

    def _read(self, place: Place, into: NDArray[np.float32]) -> tuple[bool, NDArray[np.bool_] | None]:
        """Read a window, prepared, into an array; whether it has any value, and where if not everywhere."""
        from rasterio.enums import Resampling
        from rasterio.errors import RasterioError
        from rasterio.windows import Window

        plan, source = self._plan, self._open()
        window = Window(
            place.left / plan.across,
            place.top / plan.down,
            place.width / plan.across,
            place.height / plan.down,
        )
        native = plan.across == plan.down == 1.0
        how = Resampling.nearest if native else (
            Resampling.average if plan.across < 1 else Resampling.bilinear
        )  # fmt: skip
        shape = (place.height, place.width)
        numbers = list(plan.bands)
        try:
            values = source.read(numbers, window=window, out_shape=(len(numbers), *shape), resampling=how)
            known = None
            if self._masked:
                flags = source.read_masks(numbers, window=window, out_shape=(len(numbers), *shape))
                known = (flags != 0).any(axis=0)
                if values.dtype.kind == "f":
                    known &= np.isfinite(values).all(axis=0)
        except RasterioError as error:
            row = int(place.top / plan.down)
            raise RasterError(
                f"{plan.image.name} is broken near row {row}: its pixels cannot be read."
            ) from error
        if known is not None:
            if not known.any():
                return False, None
            known = None if known.all() else known
        plain = np.abs(values) if values.dtype.kind == "c" else values
        if shape != (plan.side, plan.side):
            into.fill(plan.prepare.filling)
        into[:, : place.height, : place.width] = plan.prepare(plain, known)
        return True, known


def run_over(
    progress: Progress,
    plan: Plan,
    run: Callable[[NDArray[np.float32]], Future[Any]],
    take: Callable[[Batch, Any], None],
    *,
    doing: str,
) -> int:
    """Put every batch through `run` and hand what comes to `take`, in order; how many windows were left out.

    One batch is computed while the one before is taken. Between batches the progress is told, which may
    raise data.progress.Cancelled. Raises RasterError.
    """
    total, skipped = len(plan.places), 0
    started: tuple[Batch, Future[Any]] | None = None
    for batch in batches(plan):
        skipped += batch.skipped
        coming = (batch, run(batch.values)) if batch.places else None
        if started is not None:
            take(started[0], started[1].result())
        progress.tell(batch.done / (total + 1), f"{doing}: {batch.done:,} of {total:,} windows.")
        started = coming
    if started is not None:
        take(started[0], started[1].result())
    return skipped
