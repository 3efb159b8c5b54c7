"""Read the records: those of the repository, and those that the user added to a folder of theirs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path

from pydantic import ValidationError

from data.modelzoo.errors import ModelZooError
from data.modelzoo.schema import ModelRecord

RECORDS = Path(__file__).parent / "records"
LARGEST_BYTES = 1_000_000
"""A record is some kilobytes; what is larger than this is none."""


@dataclass(frozen=True)
class Zoo:
    """The records there are, and the files that are none."""

    records: tuple[ModelRecord, ...]
    """By model_id; one of the user's stands for the repository's of that id."""
    problems: tuple[str, ...] = ()

    def get(self, name: str) -> ModelRecord:
        """The record of that id or name. Raises ModelZooError with the nearest ones."""
        wanted = name.strip().casefold()
        for each in self.records:
            if wanted in (each.model_id, each.model_name.casefold()):
                return each
        near = get_close_matches(wanted, [each.model_id for each in self.records], n=2, cutoff=0.6)
        hint = f"did you mean {' or '.join(near)}?" if near else "`copilot modelzoo list` shows them."
        raise ModelZooError(f"There is no record of a model {name[:60]!r}; {hint}")


def read_record(path: Path) -> ModelRecord:
    """The record of a JSON file. Raises ModelZooError in one sentence for a file that is none."""
    try:
        if path.stat().st_size > LARGEST_BYTES:
            raise ModelZooError(f"{path.name} is no record of a model: it is larger than 1 MB.")
        return parse_record(path.read_text(encoding="utf-8"), path.name)
    except UnicodeDecodeError:
        raise ModelZooError(f"{path.name} is no record of a model: it is not UTF-8 text.") from None
    except OSError as error:
        raise ModelZooError(f"{path.name} cannot be read: {error.strerror or error}.") from None


def parse_record(text: str, name: str) -> ModelRecord:
    """The record that a JSON text holds; `name` is what the error calls it."""
    try:
        return ModelRecord.model_validate(json.loads(text))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the record"
        message = str(first["msg"]).removeprefix("Value error, ").rstrip(".")
        raise ModelZooError(f"{name} is no record of a model: {where}: {message}.") from None
    except (json.JSONDecodeError, RecursionError) as error:
        reason = getattr(error, "msg", "it is nested too deep")
        raise ModelZooError(f"{name} is no record of a model: it is no JSON: {reason}.") from None


def zoo(folder: Path | None = None) -> Zoo:
    """Every record: the repository's, and those of `folder`, which may be missing.

    A file that cannot be read is left out and told among the problems, so one mistake hides nothing else.
    """
    return _zoo(folder, _stamp(RECORDS), _stamp(folder) if folder is not None else ())


@lru_cache(maxsize=8)
def _zoo(folder: Path | None, *stamps: tuple[tuple[str, int, int], ...]) -> Zoo:
    records: dict[str, ModelRecord] = {}
    problems: list[str] = []
    for home in (RECORDS, folder) if folder is not None else (RECORDS,):
        for path in sorted(home.glob("*.json")) if home.is_dir() else ():
            try:
                record = read_record(path)
            except ModelZooError as error:
                problems.append(str(error))
                continue
            records[record.model_id] = record
    return Zoo(tuple(records[each] for each in sorted(records)), tuple(problems))


def _stamp(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """What changes when a file of the folder does."""
    if not folder.is_dir():
        return ()
    found = []
    for path in sorted(folder.glob("*.json")):
        try:
            state = path.stat()
        except OSError:  # gone since the folder was read
            continue
        found.append((path.name, state.st_mtime_ns, state.st_size))
    return tuple(found)
