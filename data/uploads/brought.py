"""What a file becomes: one artifact's file with what is known of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from data.uploads.errors import UploadError, shown

Kind = Literal["raster", "vector", "table", "document"]
MOST_AT_ONCE = 12
"""Of a file with more layers than this one is taken, or asked for, and not all."""
Box = tuple[float, float, float, float]
"""(west, south, east, north) in degrees; west > east crosses the antimeridian."""


@dataclass(frozen=True)
class Asked:
    """What the user says of a file that the file does not."""

    crs: str | None = None
    """The coordinate system of one that names none: `EPSG:32631`."""
    part: str | None = None
    """Which member, layer, variable or sheet, where there are several."""
    nodata: float | Literal["none"] | None = None
    """The value of a raster that stands for nothing; "none" where each number is a value."""
    encoding: str | None = None
    """The encoding of a text that does not tell it: `cp1251`."""


@dataclass(frozen=True)
class Incoming:
    """A file on its way in: alone in a private folder, under its own name."""

    path: Path
    name: str
    folder: Path
    """The private folder: what is made is written there."""
    asked: Asked = Asked()
    beside: Mapping[str, Path] = field(default_factory=dict)
    """World files and projections of the same name, by their suffix in lower case: `.tfw`, `.prj`."""
    ours: bool = False
    """Nobody writes to the file again, so that a link to it will do."""

    @property
    def shown(self) -> str:
        """The name as a sentence holds it."""
        return shown(self.name)

    def inner(self, path: Path, beside: Mapping[str, Path], part: str | None) -> Incoming:
        """A file out of this one, an archive."""
        return replace(self, path=path, name=path.name, beside=beside, asked=replace(self.asked, part=part))


@dataclass(frozen=True)
class Brought:
    """The artifact's file, in the private folder still, and what to say of it."""

    kind: Kind
    path: Path
    suffix: str
    summary: str
    """What the state keeps: `3 bands, 100 x 100 pixels`."""
    what: str
    """What it is, after "is": `a GeoTIFF of 3 bands of uint8, 100 x 100 pixels in EPSG:32631`."""
    notes: tuple[str, ...] = ()
    """Sentences about what was decided or is missing."""
    bbox: Box | None = None
    point: tuple[float, float] | None = None
    """Where it was made, longitude first, when it has no place of its own: a photo's GPS."""
    bands: str | None = None
    """The bands to show as red, green and blue: `3,2,1`."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What an answer may quote, plain JSON."""
    item: Mapping[str, Any] = field(default_factory=dict)
    """Of the STAC item: geometry, bbox, properties, asset; `data.uploads.item` makes it whole."""

    part: str | None = None
    """Which part of its file it is, where there are several."""
    parts: tuple[str, ...] = ()
    """Every part of its file that can be a layer of its own, in the file's order; () where there is one."""
    title: str | None = None
    """What to call it, where its file's name is that of several."""

    def of_several(
        self, part: str, parts: Sequence[str], also: Sequence[str] = (), title: str | None = None
    ) -> Brought:
        """As one of the parts of its file; those that are there `also` are told, and taken when named.

        They are told with the first part only.
        """
        is_first = not parts or part == parts[0]
        others = [each for each in also if is_first and each != part and each not in parts]
        named = ", ".join(shown(each) for each in others[:6])
        more = f" and {len(others) - 6} more" if len(others) > 6 else ""
        found = replace(self, part=part, parts=tuple(parts), title=title or part) if len(parts) > 1 else self
        adds = f"add_file with part={shown(others[0])} adds that one" if others else ""
        return found.noted(f"It also holds {named}{more}: {adds}." if others else None)

    def noted(self, *notes: str | None) -> Brought:
        """With these sentences first; None is none."""
        return replace(self, notes=(*(note for note in notes if note), *self.notes))


def too_large(incoming: Incoming, what: str, limit: str, instead: str) -> UploadError:
    """The error for a file over a limit."""
    return UploadError(f"{incoming.shown} {what}, and {limit} is the most that is read; {instead}.")
