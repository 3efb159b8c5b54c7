"""Build the sample catalogue: seven data sets at their published sizes, generated from one seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from data.catalogue.base import CatalogueError
from data.catalogue.whole import Broken, every_value, set_aside, whole
from data.catalogue.write import InfoParts, write_dataset
from data.sample import cover, damage, objects, sea
from data.sample.frame import Boxes, Frame, detections_table, images_table, words_of
from data.sample.rng import Draw, Ints
from data.schema import DatasetInfo
from data.vocabulary import DATASET_WORDS, classes_of

Progress = Callable[[float, str], None]
SAMPLE_VERSION = 1
SEED = 20_150_101
LEAST_IMAGES = 40
_BATCH_ROWS = 65_536


@dataclass(frozen=True)
class Size:
    """How much of a data set was published."""

    images: int
    detections: int
    stream: int
    """Which random stream; xView3 and SARFish are the same scenes and share one."""


SIZES: dict[str, Size] = {
    "xview1": Size(846, 1_000_000, 1),
    "xview2": Size(5_598, 850_736, 2),
    "xview3": Size(23_432, 220_000, 3),
    "sarfish": Size(23_432, 220_000, 3),
    "fair1m": Size(24_775, 1_020_579, 5),
    "fmow": Size(727_144, 1_047_691, 6),
    "bigearthnet": Size(344_385, 0, 7),
}
"""The seven data sets; images add up to 1,149,612."""

_CONFIDENCE = " Confidence 0.9, 0.6 and 0.3 stand for HIGH, MEDIUM and LOW."
_NOTES = {
    "xview2": (
        " Buildings before a disaster are all no-damage; "
        "those after it have the published shares of damage levels."
    ),
    "xview3": f" Each row is a 25.6 km chip.{_CONFIDENCE}",
    "sarfish": f" Each row is a 25.6 km chip of an xView3 scene.{_CONFIDENCE}",
}
_PROPERTIES: dict[str, tuple[tuple[str, str], ...]] = {
    "xview2": (("disaster_type", "text"), ("phase", "text")),
    "sarfish": (("product_type", "text"),),
}


def build(
    catalogue_dir: Path, progress: Progress, datasets: Sequence[str] | None = None, scale: float = 1.0
) -> None:
    """Write the sample's data sets into `catalogue_dir`, each whole or not at all.

    `scale` in (0, 1] makes smaller ones for tests. `progress` gets a fraction 0..1 and a sentence.
    Raises CatalogueError for an unknown data set or a scale out of range.
    """
    names = list(SIZES if datasets is None else datasets)
    unknown = [name for name in names if name not in SIZES]
    if unknown:
        raise CatalogueError(f"The sample has no data set {unknown[0]!r}; it has {', '.join(SIZES)}.")
    if not 0 < scale <= 1:
        raise CatalogueError(f"A sample's scale must lie above 0 and up to 1, such as 0.01; {scale} came in.")
    costs = [SIZES[name].images + SIZES[name].detections for name in names]
    done = 0
    for name, cost in zip(names, costs, strict=True):
        progress(done / sum(costs), f"Making the sample of {DATASET_WORDS[name].title}.")
        _build_one(catalogue_dir, name, scale)
        done += cost
    progress(1.0, f"The sample catalogue is ready in {catalogue_dir}.")


def ensure(catalogue_dir: Path, progress: Progress, scale: float = 1.0, *, thorough: bool = False) -> None:
    """Build what is missing, broken or of another sample version; the user's own data sets are left alone.

    With `thorough` every value is read, which finds what is broken in the middle too.
    """
    stale = [name for name in SIZES if not _is_current(catalogue_dir / name, scale, thorough)]
    if stale:
        build(catalogue_dir, progress, stale, scale)


def _is_current(folder: Path, scale: float, thorough: bool) -> bool:
    """Whether there is nothing to do: this version's sample, or the user's data under that name."""
    try:
        info = whole(folder, folder.name)
        if thorough:
            every_value(folder)
    except Broken as broken:
        return not set_aside(folder, folder.name, broken).sample
    same = info.source == _source(scale) and info.classes == classes_of(folder.name)
    return info.origin == "ingested" or same


def _source(scale: float) -> str:
    return f"generated sample, version {SAMPLE_VERSION}, seed {SEED}, scale {scale:g}"


def _build_one(catalogue_dir: Path, name: str, scale: float) -> DatasetInfo:
    frame, boxes, words = _make(name, scale)
    words_ = DATASET_WORDS[name]
    parts = InfoParts(
        name=name,
        title=f"{words_.title} (sample)",
        description=(
            f"Sample of {words_.title}: generated positions and labels at the published size, "
            f"not the published annotations. {words_.about}{_NOTES.get(name, '')}"
        ),
        origin="sample",
        classes=classes_of(name),
        source=_source(scale),
        licence="Apache-2.0 (generated; the published data set has its own licence)",
        properties=_PROPERTIES.get(name, ()),
    )
    images = images_table(frame, boxes, words).to_batches(_BATCH_ROWS)
    found = [] if boxes is None else detections_table(boxes, len(frame.site)).to_batches(_BATCH_ROWS)
    return write_dataset(catalogue_dir, parts, images, found)


def _make(name: str, scale: float) -> tuple[Frame, Boxes | None, Ints]:
    size = SIZES[name]
    images = size.images if scale == 1 else max(LEAST_IMAGES, int(size.images * scale) // 2 * 2)
    detections = size.detections * images // size.images // 2 * 2
    draw = Draw(SEED, size.stream)
    if name == "bigearthnet":
        patches, words = cover.patches(draw, images)
        return patches, None, words
    frame, boxes = _make_objects(name, draw, images, detections if scale != 1 else size.detections)
    return frame, boxes, words_of(boxes, images)


def _make_objects(name: str, draw: Draw, images: int, detections: int) -> tuple[Frame, Boxes]:
    if name in ("xview3", "sarfish"):
        return sea.scenes(draw, images, detections, name)
    makers = {"xview1": objects.xview, "fair1m": objects.fair1m, "fmow": objects.fmow, "xview2": damage.pairs}
    return makers[name](draw, images, detections)
