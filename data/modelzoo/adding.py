"""Add a record of the user's own, once it is checked."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from data.modelzoo.errors import ModelZooError
from data.modelzoo.lint import lint
from data.modelzoo.reading import read_record, zoo
from data.modelzoo.schema import ModelRecord


def add_record(file: Path, folder: Path, *, replace: bool = False) -> tuple[ModelRecord, Path]:
    """Check the record of `file` and keep it in `folder`; the record and where it lies now.

    Raises ModelZooError with the first thing that is wrong, or when there is a record of that id already and
    `replace` is not asked for.
    """
    record = read_record(file)
    known = {each.model_id: each for each in zoo(folder).records}
    if record.model_id in known and not replace:
        raise ModelZooError(
            f"There is a record of {record.model_id} already; --replace puts yours in its place."
        )
    others = [each for each in known.values() if each.model_id != record.model_id]
    findings = [each for each in lint((*others, record)) if each.model_id == record.model_id]
    if findings:
        more = f" ({len(findings) - 1} more findings)" if len(findings) > 1 else ""
        raise ModelZooError(f"{findings[0]}{more}")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{record.model_id}.json"
    _write(path, record.model_dump_json(indent=1) + "\n")
    return record, path


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all: a reader never sees half a record."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
        Path(name).replace(path)
    except OSError as error:
        Path(name).unlink(missing_ok=True)
        raise ModelZooError(f"{path} cannot be written: {error.strerror or error}.") from None
