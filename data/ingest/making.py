"""What an ingest does in its reader's process: the source becomes a finished data set, in a folder apart."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path

from data.catalogue.whole import MANIFEST
from data.catalogue.write import QUICKLOOKS, InfoParts, read_info, write_dataset
from data.ingest.existing import stage_existing, write_ids
from data.ingest.finish import Numbering, Part, detection_batches, ids_of, image_batches
from data.ingest.left_out import left_out
from data.ingest.report import IngestReport, Tally
from data.ingest.staging import MAX_FEATURE_CLASSES, Staging
from data.readers import detect, reader_named
from data.readers.base import FeatureBatch, ImageRow, Noted, Reader, Rejected, UnreadableSource
from data.readers.files import closed_folders, links_out, relative
from data.schema import ClassInfo, DatasetInfo
from data.vocabulary.groups import groups_for

Progress = Callable[[int, str], None]
"""Called with the number of rows so far and what is being done."""
MADE = "made"
"""Where, in the folder, the data set is."""


def make(
    source: Path,
    dataset: str,
    folder: Path,
    *,
    format: str | None = None,
    existing: Path | None = None,
    owner: str | None = None,
    progress: Progress = lambda rows, doing: None,
) -> IngestReport:
    """Read `source` and write `<folder>/made/<dataset>/`, with the rows of `existing` before its own.

    With an `owner` its manifest says that it is theirs alone.

    Raises UnreadableSource, in one sentence.
    """
    started = time.monotonic()
    try:
        reader = reader_named(format) if format else detect(source)
    except PermissionError:
        raise UnreadableSource(
            f"{source.name!r} may not be read by this user; change its permissions or copy it."
        ) from None
    rejected, noted = Tally(), Tally()
    with Staging(folder / "new") as staging:
        _read(reader, source, staging, rejected, noted, progress)
    if staging.rows == 0:
        raise UnreadableSource(_nothing_usable(source, reader, rejected))
    progress(staging.rows, "writing")
    info = _write(dataset, source, reader, staging, folder, existing, owner)
    return IngestReport(
        dataset=info,
        format=reader.name,
        images=staging.rows,
        detections=staging.detection_rows,
        rejected=tuple(item for item in rejected.listed if isinstance(item, Rejected)),
        rejected_count=rejected.count,
        reasons=rejected.reasons(),
        noted=tuple(item for item in noted.listed if isinstance(item, Noted)),
        noted_count=noted.count,
        notes=noted.reasons(),
        seconds=time.monotonic() - started,
    )


def _read(
    reader: Reader, source: Path, staging: Staging, rejected: Tally, noted: Tally, progress: Progress
) -> None:
    for link in links_out(source):
        rejected.add(
            Rejected(relative(link, source), None, "the link leads out of the folder and is not followed")
        )
    for folder in closed_folders(source):
        rejected.add(Rejected(relative(folder, source), None, "the folder may not be read by this user"))
    for each in left_out(source, reader):
        rejected.add(each)
    for item in reader.read(source):
        match item:
            case ImageRow():
                staging.add_image(item)
                progress(staging.rows, "reading")
            case FeatureBatch():
                staging.add_features(item)
                progress(staging.rows, "reading")
            case Rejected():
                rejected.add(item)
            case Noted():
                noted.add(item)
    if staging.too_many_classes:
        reason = (
            f"the class column has more than {MAX_FEATURE_CLASSES:,} different values, "
            "so it is kept as a property only"
        )
        noted.add(Noted(source.name, None, reason))


def _write(
    dataset: str,
    source: Path,
    reader: Reader,
    staging: Staging,
    folder: Path,
    existing: Path | None,
    owner: str | None,
) -> DatasetInfo:
    ids = ids_of(staging, dataset)
    write_ids(folder / "ids.parquet", ids)
    new = Part(staging.images_path, staging.detections_path, folder / "ids.parquet")
    old = read_info(existing) if existing is not None and (existing / MANIFEST).is_file() else None
    parts, kinds = [new], dict(staging.property_kinds)
    if existing is not None and old is not None:
        parts = [stage_existing(existing, old, folder / "old", ids), new]
        kinds = {
            name: "text" if "text" in (kind, kinds.get(name)) else kind for name, kind in old.properties
        } | {name: kind for name, kind in kinds.items() if name not in dict(old.properties)}
        _bring_quicklooks(existing / QUICKLOOKS, staging.quicklooks)
    classes = _classes(staging, old)
    if staging.too_many_classes:
        parts[-1] = Part(new.images, new.detections, new.ids, classes_in_images=False)
    numbering = Numbering()
    return write_dataset(
        folder / MADE,
        InfoParts(
            name=dataset,
            title=old.title if old else source.resolve().name,
            description=f"Ingested from {source.resolve().name!r}, read as {reader.title}.",
            origin="ingested",
            classes=classes,
            source=old.source if old else source.resolve().name,
            licence="unknown",
            properties=tuple(sorted(kinds.items())),
            owner=owner,
        ),
        images=image_batches(parts, dataset, classes, numbering),
        detections=detection_batches(parts, classes, numbering),
        quicklooks=staging.quicklooks if any(staging.quicklooks.iterdir()) else None,
    )


def _classes(staging: Staging, old: DatasetInfo | None) -> tuple[ClassInfo, ...]:
    """All class names, sorted, spelled as the source spells them."""
    scene = set(staging.scene_classes)
    names = scene | staging.object_classes
    if not staging.too_many_classes:
        names |= staging.feature_classes
    if old is not None:
        names |= {each.name for each in old.classes}
        scene |= {each.name for each in old.classes if each.scene}
    return tuple(
        ClassInfo(id=number, name=name, groups=groups_for(name), scene=name in scene)
        for number, name in enumerate(sorted(names))
    )


def _bring_quicklooks(source: Path, target: Path) -> None:
    for picture in source.glob("*.png") if source.is_dir() else ():
        if not (target / picture.name).exists():
            shutil.copyfile(picture, target / picture.name)


def _nothing_usable(source: Path, reader: Reader, rejected: Tally) -> str:
    if rejected.count == 0:
        return f"{source.name!r} was read as {reader.title}, and there are no rows in it."
    first = rejected.listed[0]
    row = f", row {first.row}" if first.row is not None else ""
    where = f"file {first.file!r}{row}"
    return f"Nothing in {source.name!r}, read as {reader.title}, can be used: {first.reason} ({where})."
