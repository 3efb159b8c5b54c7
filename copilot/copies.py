"""What a copy of a session needs beside its events: files of its own, and records that speak of it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from state.log import Event
from tools.kept import owner_of

if TYPE_CHECKING:
    from copilot.engine import Engine


def copy_artifacts(engine: Engine, from_id: str, to_id: str, events: Sequence[Event]) -> None:
    """Copy the files of what those events made; what was made later stays there."""
    source, target = engine.artifacts(from_id).folder, engine.artifacts(to_id).folder
    made = {artifact["id"] for event in events if event.state for artifact in event.state["artifacts"]}
    for file in sorted(source.rglob("*")) if source.is_dir() else ():
        if file.is_file() and owner_of(file.relative_to(source)) in made:
            copy = target / file.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, copy)


def speaking_of(new_id: str, old_id: str, data: dict[str, Any]) -> dict[str, Any]:
    """The data of an event with the copy's id in place of the other's."""
    plain: dict[str, Any] = json.loads(json.dumps(data).replace(old_id, new_id))
    return plain
