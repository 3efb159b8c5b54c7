"""The session's own files and results as the Data page lists them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from copilot.messages import day, later, t
from copilot.view.attributes import crs_of
from state.log import Event
from state.model import Artifact, State
from tools.artifacts import FEATURES
from tools.base import World
from tools.map.styles import slug

KINDS = {
    "vector": later("features"),
    "detections": later("detections"),
    "table": later("table"),
    "raster": later("raster"),
    "document": later("document"),
}
"""The kinds of artifact that are listed: what holds data, and not the figures and procedures."""


@dataclass(frozen=True)
class Own:
    """A file that was added, or a result."""

    artifact: Artifact
    kind: str
    added: bool
    """Whether it was brought in, and not computed here."""
    facts: tuple[str, ...]
    """How much is in it, its coordinate system, its size, and when it came."""
    layer: str | None
    """The id of the newest layer that shows it."""
    has_rows: bool

    @property
    def key(self) -> str:
        return slug(self.artifact.id)


def own_data(state: State, events: Sequence[Event], world: World) -> list[Own]:
    """What is open in the session, the newest first."""
    came = _came(events)
    found = []
    for artifact in reversed([each for each in state.artifacts if each.kind in KINDS]):
        path = world.artifacts.find(artifact.id)
        shown = [each.id for each in state.map.layers if each.artifact == artifact.id]
        facts = [artifact.summary, *([] if path is None else [_crs(artifact, path), _size(path)])]
        moment = came.get(artifact.id)
        facts += [f"{day(moment)} {moment[11:16]} UTC"] if moment else []
        found.append(
            Own(
                artifact,
                t(KINDS[artifact.kind]),
                artifact.made_by.startswith("add_file"),
                tuple(each for each in facts if each),
                shown[-1] if shown else None,
                path is not None and artifact.kind in ("table", *FEATURES),
            )
        )
    return found


def _came(events: Sequence[Event]) -> dict[str, str]:
    """When each artifact was first there: ISO 8601, UTC."""
    found: dict[str, str] = {}
    for event in events:
        for each in (event.state or {}).get("artifacts", ()):
            found.setdefault(each["id"], event.at)
    return found


def _crs(artifact: Artifact, path: Path) -> str:
    if artifact.kind in FEATURES:
        return crs_of(path)
    if artifact.kind != "raster":
        return ""
    from data.raster.errors import RasterError
    from data.raster.files import opened

    try:
        with opened(path) as source:
            return t("no place on the map") if source.crs is None else str(source.crs)
    except RasterError:  # whoever opens it is told
        return ""


def _size(path: Path) -> str:
    size = path.stat().st_size
    if size >= 1e5:
        return t("{size:,.1f} MB", size=size / 1000000.0)
    return t("{size:,.1f} kB", size=size / 1000.0)
