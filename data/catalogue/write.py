"""Write a data set's folder of a catalogue, whole or not at all.

    parts = InfoParts(name="harbours", title="Harbours", description="…", origin="ingested", classes=(…))
    info = write_dataset(root, parts, images=batches_of_IMAGES, detections=batches_of_DETECTIONS)

Both iterables are streamed: one row group is in memory at a time.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from data.catalogue.base import CatalogueError
from data.catalogue.summary import Summary
from data.catalogue.whole import DETECTIONS_FILE, IMAGES_FILE, MANIFEST, SetAside, broken_in, look
from data.schema import DETECTIONS, IMAGES, ClassInfo, DatasetInfo

QUICKLOOKS = "quicklooks"
PRIVATE = ".private"
"""The folder, in a catalogue's, with a folder for each owner's data sets that nobody else sees."""
ROWS_PER_GROUP = 65_536
_HERE, _RENAME_EXCHANGE = -100, 2
"""AT_FDCWD and the flag, from <fcntl.h> and <linux/fs.h>."""
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
_OWNER = re.compile(r"[A-Za-z0-9_-]{1,100}")


@dataclass(frozen=True)
class InfoParts:
    """What the writer of a data set knows and its rows do not say."""

    name: str
    """Lower-case letters, digits, `_` and `-`: it is a folder's name."""
    title: str
    description: str
    origin: Literal["sample", "ingested"]
    classes: tuple[ClassInfo, ...] = ()
    source: str = ""
    licence: str = ""
    properties: tuple[tuple[str, str], ...] | None = None
    """(name, "number" | "text") of the keys in `properties`; None reads them off the rows (slower)."""
    owner: str | None = None
    """Who alone sees it, where it is not everybody's."""


def write_dataset(
    root: Path,
    parts: InfoParts,
    images: Iterable[pa.RecordBatch],
    detections: Iterable[pa.RecordBatch] = (),
    quicklooks: Path | None = None,
) -> DatasetInfo:
    """Write `<root>/<name>/` and return its manifest; a data set of that name is replaced.

    With an owner, `root` is that owner's own (`owners_root`).

    `images` yields batches of `data.schema.IMAGES` with strictly increasing `image_num`,
    `detections` batches of `data.schema.DETECTIONS` with non-decreasing `image_num`. Images are
    consumed first, then detections, so both may come from one pass that keeps the detections aside.
    `quicklooks` is a folder of PNGs that is moved in. Nothing is left behind when an iterable raises.
    The version depends on the rows and the class list, not on how they were cut into batches.

    Raises CatalogueError for a bad name, rows out of order, or columns that do not fit the schema.
    """
    check_name(parts.name)
    root.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".{parts.name}.", suffix=".writing", dir=root))
    work.chmod(0o755)
    try:
        info = _write_files(work, parts, images, detections)
        if quicklooks is not None:
            shutil.move(str(quicklooks), str(work / QUICKLOOKS))
        move_in(work, root / parts.name)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return info


def remove_dataset(root: Path, name: str) -> None:
    """Remove a data set's folder; CatalogueError when there is none of that name."""
    check_name(name)
    folder = root / name
    if name not in look(root):
        raise CatalogueError(f"There is no data set {name!r} to remove in this catalogue.")
    doomed = Path(tempfile.mkdtemp(prefix=f".{name}.", suffix=".removed", dir=root))
    os.rename(folder, doomed / name)
    shutil.rmtree(doomed)


def owners_root(root: Path, owner: str | None) -> Path:
    """Where that owner's own data sets are written; the catalogue's folder itself for everybody's.

    Raises ValueError for an owner that cannot be a folder's name.
    """
    if owner is None:
        return root
    if not _OWNER.fullmatch(owner):
        raise ValueError(f"{owner!r} is no owner.")
    return root / PRIVATE / owner


def folder_of(root: Path, info: DatasetInfo) -> Path:
    """The folder of a data set."""
    return owners_root(root, info.owner if info.private else None) / info.name


def private_datasets(root: Path) -> list[DatasetInfo]:
    """Every data set that only its owner sees, by owner and name: for the operator."""
    try:
        owners = sorted(each.name for each in (root / PRIVATE).iterdir() if _OWNER.fullmatch(each.name))
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [
        replace(read_info(folder), owner=owner, private=True)
        for owner in owners
        for folder in dataset_folders(owners_root(root, owner))
    ]


def everybodys_broken(root: Path) -> list[SetAside]:
    """Every data set that is set aside, everybody's and those of owners: for the operator."""
    found = broken_in(root)
    for each in sorted((root / PRIVATE).iterdir()) if (root / PRIVATE).is_dir() else ():
        if _OWNER.fullmatch(each.name):
            found += broken_in(each, each.name)
    return found


def private_named(root: Path, name: str, owner: str | None = None) -> DatasetInfo:
    """The one data set of that name that only its owner sees; `owner` may be cut short.

    Raises CatalogueError when there is none, or several.
    """
    everyones = private_datasets(root)
    found = [each for each in everyones if each.name == name and (each.owner or "").startswith(owner or "")]
    if not found:
        known = ", ".join(sorted({each.name for each in everyones})) or "none"
        raise CatalogueError(f"Nobody keeps a data set {name!r}; those that people keep are: {known}.")
    if len(found) > 1:
        owners = ", ".join(str(each.owner)[:12] for each in found)
        raise CatalogueError(f"Several people have a data set {name!r}; say whose, of: {owners}.")
    return found[0]


def share_dataset(root: Path, name: str, owner: str | None = None) -> DatasetInfo:
    """Make an owner's data set everybody's; `owner`, or the beginning of it, where several have the name.

    Raises CatalogueError as `private_named`, and where everybody has one of that name already.
    """
    found = private_named(root, name, owner)
    if (root / name).exists():
        raise CatalogueError(
            f"There is a data set {name!r} for everybody already; remove that, or have the other ingested "
            "under another name."
        )
    os.rename(folder_of(root, found), root / name)
    info = replace(found, private=False)
    write_manifest(root / name, info)
    return info


def write_manifest(folder: Path, info: DatasetInfo) -> None:
    """The manifest in place of the one that is there, whole or not at all."""
    text = json.dumps(info_to_json(info), ensure_ascii=False, indent=1)
    part = folder / f".{MANIFEST}.part"
    part.write_text(text, encoding="utf-8")
    part.replace(folder / MANIFEST)


def read_info(folder: Path) -> DatasetInfo:
    """The manifest of a data set's folder; CatalogueError when it is missing or unreadable."""
    path = folder / MANIFEST
    try:
        return info_from_json(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CatalogueError(f"{path} is not a data set's manifest: {error}.") from error


def dataset_folders(root: Path) -> list[Path]:
    """The folders of a catalogue's data sets that are whole, by name."""
    broken = {each.name for each in broken_in(root)}
    return [root / name for name in sorted(look(root)) if name not in broken]


def info_from_json(raw: dict[str, Any]) -> DatasetInfo:
    """A DatasetInfo from what `info_to_json` gave."""
    classes = tuple(ClassInfo(**{**c, "groups": tuple(c["groups"])}) for c in raw["classes"])
    bbox, gsd = raw["bbox"], raw["gsd_m"]
    return DatasetInfo(
        **{
            **raw,
            "classes": classes,
            "bbox": None if bbox is None else (bbox[0], bbox[1], bbox[2], bbox[3]),
            "gsd_m": None if gsd is None else (gsd[0], gsd[1]),
            "sensors": tuple(raw["sensors"]),
            "modalities": tuple(raw["modalities"]),
            "properties": tuple((key, kind) for key, kind in raw["properties"]),
        }
    )


def info_to_json(info: DatasetInfo) -> dict[str, Any]:
    """Plain data for dataset.json."""
    return asdict(info)


def check_name(name: str) -> None:
    """CatalogueError unless `name` can be a data set's name, and so a folder's."""
    if not _NAME.fullmatch(name):
        raise CatalogueError(
            f"{name!r} cannot name a data set; use up to 63 lower-case letters, digits, '_' and '-',"
            f" such as 'harbours_2024'."
        )


def _write_files(
    work: Path, parts: InfoParts, images: Iterable[pa.RecordBatch], detections: Iterable[pa.RecordBatch]
) -> DatasetInfo:
    summary = Summary(parts.properties)
    image_count = _write_parquet(work / IMAGES_FILE, IMAGES, _watched(images, summary), strict=True)
    detection_count = _write_parquet(work / DETECTIONS_FILE, DETECTIONS, detections, strict=False)
    if detection_count == 0:
        (work / DETECTIONS_FILE).unlink()
    info = DatasetInfo(
        name=parts.name,
        title=parts.title,
        description=parts.description,
        origin=parts.origin,
        classes=parts.classes,
        images=image_count,
        detections=detection_count,
        start=summary.start(),
        end=summary.end(),
        bbox=summary.bbox(),
        sensors=summary.sensors(),
        modalities=summary.modalities(),
        gsd_m=summary.gsd_m(),
        source=parts.source,
        licence=parts.licence,
        properties=summary.properties(),
        version=_version(work, parts),
        owner=parts.owner,
        private=parts.owner is not None,
    )
    write_manifest(work, info)
    return info


def _watched(batches: Iterable[pa.RecordBatch], summary: Summary) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        summary.add(batch)
        yield batch


def _write_parquet(path: Path, schema: pa.Schema, batches: Iterable[pa.RecordBatch], *, strict: bool) -> int:
    """Write batches as row groups of one size, so that the file does not depend on the batches' sizes."""
    waiting: list[pa.RecordBatch] = []
    waiting_rows = rows = 0
    last = -1
    with pq.ParquetWriter(path, schema, compression="zstd", compression_level=1) as writer:
        for batch in batches:
            if batch.num_rows == 0:
                continue
            batch = _fit(batch, schema)
            last = _check_order(batch, last, strict)
            waiting.append(batch)
            waiting_rows += batch.num_rows
            rows += batch.num_rows
            if waiting_rows >= ROWS_PER_GROUP:
                waiting = _write_full_groups(writer, schema, waiting)
                waiting_rows = sum(b.num_rows for b in waiting)
        if waiting:
            writer.write_table(pa.Table.from_batches(waiting, schema).combine_chunks())
    return rows


def _write_full_groups(
    writer: pq.ParquetWriter, schema: pa.Schema, waiting: list[pa.RecordBatch]
) -> list[pa.RecordBatch]:
    table = pa.Table.from_batches(waiting, schema).combine_chunks()
    full = table.num_rows - table.num_rows % ROWS_PER_GROUP
    writer.write_table(table.slice(0, full), row_group_size=ROWS_PER_GROUP)
    rest: list[pa.RecordBatch] = table.slice(full).to_batches()
    return rest


def _fit(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    if batch.schema.equals(schema):
        return batch
    missing = [name for name in schema.names if name not in batch.schema.names]
    if missing:
        raise CatalogueError(
            f"A batch lacks the columns {', '.join(missing)}; it needs those of data.schema."
        )
    try:
        return batch.select(schema.names).cast(schema)
    except pa.ArrowInvalid as error:
        raise CatalogueError(f"A batch does not fit the catalogue's columns: {error}.") from error


def _check_order(batch: pa.RecordBatch, last: int, strict: bool) -> int:
    numbers = batch.column("image_num")
    if numbers.null_count:
        raise CatalogueError("Rows need an image_num; one came without.")
    values = numbers.to_numpy()
    steps = values[1:] - values[:-1]
    first_step = int(values[0]) - last
    least = 1 if strict else 0
    if (len(steps) and int(steps.min()) < least) or first_step < least:
        order = "strictly increasing" if strict else "non-decreasing"
        raise CatalogueError(
            f"Rows must come with {order} image_num; after {last} came a smaller or equal one."
        )
    return int(values[-1])


def _version(work: Path, parts: InfoParts) -> str:
    digest = hashlib.sha256(json.dumps(asdict(parts)["classes"], sort_keys=True).encode())
    for name in (IMAGES_FILE, DETECTIONS_FILE):
        path = work / name
        if path.exists():
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:32]


def move_in(work: Path, target: Path) -> None:
    """Put a finished folder in its place, what was there into `work`: at no instant is there none."""
    if not target.exists():
        os.rename(work, target)
    elif not _exchanged(work, target):
        # Where the file system cannot exchange two folders, the old one is gone for an instant.
        old = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".replaced", dir=target.parent))
        os.rename(target, old / target.name)
        try:
            os.rename(work, target)
        except OSError:
            os.rename(old / target.name, target)
            raise
        finally:
            shutil.rmtree(old, ignore_errors=True)


def _exchanged(one: Path, other: Path) -> bool:
    """Whether two folders' names could be exchanged in one step: Linux's renameat2, where there is one."""
    try:
        exchange = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError, TypeError):
        return False
    names = (ctypes.c_char_p(os.fsencode(one)), ctypes.c_char_p(os.fsencode(other)))
    failed: int = exchange(_HERE, names[0], _HERE, names[1], _RENAME_EXCHANGE)
    return failed == 0
