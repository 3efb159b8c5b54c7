"""The requests as they stand in the `.jsonl` files, one file a theme."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
HELD_OUT = FOLDER / "held_out"
"""Written last, in other words than the rest, to measure what was understood rather than fitted."""


@dataclass(frozen=True)
class Request:
    """One conversation, and what must hold after its last turn."""

    id: str
    theme: str
    """The file's name."""
    turns: tuple[str, ...]
    expect: Mapping[str, Any]
    setup: tuple[Mapping[str, Any], ...] = ()
    """Calls that run before: {"tool", "args"}."""


def read_requests(folder: Path) -> Iterator[Request]:
    """Every request of the folder's own files, by theme and then by line. Raises KeyError on half a line."""
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            yield Request(
                row["id"], path.stem, tuple(row["turns"]), row["expect"], tuple(row.get("setup", ()))
            )
