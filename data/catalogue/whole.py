"""Whether a data set's folder is whole: one that is not is set aside, and said so, and the others go on.

    info = whole(folder, name)       # raises Broken with the reason
    look(root)                       # what there is, and when it changed

At the opening a folder is judged by its manifest and by the ends of its Parquet files, which say their
columns and how many rows they have; `every_value` reads all of them, where a query has met something broken.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from data.schema import DETECTIONS, IMAGES, DatasetInfo
from data.vocabulary.published import CLASS_NAMES

if TYPE_CHECKING:
    import pyarrow as pa

MANIFEST = "dataset.json"
IMAGES_FILE = "images.parquet"
DETECTIONS_FILE = "detections.parquet"
SAMPLES = frozenset(CLASS_NAMES) | {"xview2"}
"""The names of the built-in sample's data sets."""
Stamp = tuple[int, ...]
"""(modified, number, bytes) of each of the three files; zeros for one that is not there."""
_NOT_THERE = (0, 0, 0)
_UNREADABLE = (-1, 0, 0)


class Broken(Exception):
    """Why a data set cannot be used: what comes after "is set aside: "."""


@dataclass(frozen=True)
class SetAside:
    """A data set that is there and cannot be used."""

    name: str
    reason: str
    sample: bool
    source: str = ""
    """What it was ingested from, where its manifest still says so."""
    owner: str | None = None
    """Who alone sees it; None where it is everybody's."""

    @property
    def mend(self) -> str:
        """The command that makes it whole."""
        if self.sample:
            return "copilot data sample"
        return f"copilot data ingest {quote(self.source or 'SOURCE')} --name {quote(self.name)} --replace"

    @property
    def sentence(self) -> str:
        """What is said of it."""
        if self.owner is not None:
            how = f"add its file again under that name{f' ({self.source})' if self.source else ''}"
        elif self.sample:
            how = f"build it again with `{self.mend}`"
        else:
            how = f"ingest it again with `{self.mend}`, or take it out with `copilot data remove {self.name}`"
        return f"The data set {self.name!r} is set aside: {self.reason}; {how}."


def look(root: Path | str) -> dict[str, Stamp]:
    """The folders of a catalogue that hold a data set, or should, by name, with when they changed.

    Every question to a catalogue begins with this look at the disk: hence texts, and no paths.
    """
    try:
        names = os.listdir(root)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    found = {}
    for name in names:
        if not name.startswith("."):
            stamp = _stamp(f"{root}/{name}")
            if any(stamp[:6]):
                found[name] = stamp
    return found


def whole(folder: Path, name: str) -> DatasetInfo:
    """The manifest of a folder whose files fit it. Raises Broken."""
    try:
        info = _manifest(folder / MANIFEST)
        if info.name != name:
            raise Broken(f"its {MANIFEST} is that of {info.name!r:.80}")
        _check(folder / IMAGES_FILE, IMAGES, info.images)
        if info.detections or (folder / DETECTIONS_FILE).exists():
            _check(folder / DETECTIONS_FILE, DETECTIONS, info.detections)
    except OSError as error:
        raise Broken(f"its folder cannot be read ({os.strerror(error.errno or 5).lower()})") from error
    return info


def every_value(folder: Path) -> None:
    """Read all of a data set's files once. Raises Broken."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for name in (IMAGES_FILE, DETECTIONS_FILE):
        if name == IMAGES_FILE or (folder / name).exists():
            try:
                with pq.ParquetFile(folder / name) as file:
                    for number in range(file.num_row_groups):
                        file.read_row_group(number)
            except (pa.ArrowException, OSError, ValueError) as error:
                raise Broken(f"its {name} is broken in the middle") from error


def set_aside(folder: Path, name: str, broken: Broken, owner: str | None = None) -> SetAside:
    """What is known of a broken data set."""
    raw: Any = None
    with suppress(OSError, ValueError, RecursionError):
        raw = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    known = raw if isinstance(raw, dict) else {}
    sample = known.get("origin", "sample" if name in SAMPLES else "ingested") == "sample"
    source = known.get("source")
    plain = "" if sample or not isinstance(source, str) else " ".join(source.split())[:120]
    return SetAside(name, str(broken), sample and owner is None, plain, owner)


def broken_in(root: Path, owner: str | None = None) -> list[SetAside]:
    """The data sets of a folder that are not whole, by name."""
    found = []
    for name in sorted(look(root)):
        try:
            whole(root / name, name)
        except Broken as broken:
            found.append(set_aside(root / name, name, broken, owner))
    return found


def sentences(broken: Iterable[SetAside]) -> str:
    """What is said of those, one after another."""
    return " ".join(each.sentence for each in broken)


def _stamp(folder: str) -> Stamp:
    stamp: Stamp = ()
    for name in (MANIFEST, IMAGES_FILE, DETECTIONS_FILE):
        try:
            seen = os.stat(f"{folder}/{name}")
            there = stat.S_ISREG(seen.st_mode)
            stamp += (seen.st_mtime_ns, seen.st_ino, seen.st_size if there else -1)
        except (FileNotFoundError, NotADirectoryError):
            stamp += _NOT_THERE
        except OSError:
            stamp += _UNREADABLE
    return stamp


def _manifest(path: Path) -> DatasetInfo:
    from pydantic import ValidationError

    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        info: DatasetInfo = _adapter().validate_python(raw)
    except FileNotFoundError:
        raise Broken(f"its {MANIFEST} is missing") from None
    except (ValidationError, ValueError, RecursionError) as error:
        raise Broken(f"its {MANIFEST} is broken") from error
    if info.images < 0 or info.detections < 0 or any(not 0 <= each.id < 100_000 for each in info.classes):
        raise Broken(f"the numbers in its {MANIFEST} cannot be")
    return info


@cache
def _adapter() -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(DatasetInfo)


def _check(path: Path, schema: pa.Schema, rows: int) -> None:
    """Raises Broken for a Parquet file that is cut off, or has other columns or another number of rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            there, has = file.schema_arrow, file.metadata.num_rows
    except FileNotFoundError:
        raise Broken(f"its {path.name} is missing") from None
    except (pa.ArrowException, ValueError) as error:
        raise Broken(f"its {path.name} is cut off or broken") from error
    except OSError as error:
        if error.errno is None:  # Arrow's own, for bytes that are no Parquet
            raise Broken(f"its {path.name} is cut off or broken") from error
        raise
    other = [
        each.name
        for each in schema
        if each.name not in there.names or there.field(each.name).type != each.type
    ]
    if other:
        raise Broken(f"its {path.name} has other columns than a data set ({', '.join(other[:3])})")
    if has != rows:
        raise Broken(f"its {MANIFEST} speaks of {rows:,} rows in {path.name}, which has {has:,}")


def empty_columns(path: Path) -> frozenset[str]:
    """The columns of a Parquet file in which, by its statistics, nothing has a value. Raises Broken."""
    import pyarrow.parquet as pq

    try:
        about = pq.read_metadata(path)
    except (OSError, ValueError) as error:
        raise Broken(f"its {path.name} is cut off or broken") from error
    groups = [about.row_group(number) for number in range(about.num_row_groups)]
    return frozenset(
        name
        for at, name in enumerate(about.schema.names)
        if about.schema.column(at).path == name
        and all(
            (facts := group.column(at).statistics) is not None and facts.null_count == group.num_rows
            for group in groups
        )
    )
