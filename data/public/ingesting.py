"""Bring the real scenes that come with Azimuth into a catalogue."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq

from data.apart.reader import NOBODYS, Reader
from data.catalogue.base import CatalogueError
from data.catalogue.write import read_info, write_manifest
from data.ingest import UnreadableSource, ingest
from data.public import FOLDER, SCENES

_SAID = {
    "landsat": (
        "Landsat, Pucallpa",
        "Real scenes: Pucallpa and the Ucayali in Peru in 1985, 2005 and 2020, USGS and NASA Landsat, four "
        "bands. Of each the year is known, and not the day.",
    ),
    "naip": (
        "NAIP, prairie lakes",
        "A real scene: lakes and fields in North Dakota on 31 August 2020, USDA NAIP, four bands, resampled "
        "to 5 m.",
    ),
}
_LICENCE = "public domain (works of the US government)"


def ensure_scenes(root: Path, apart: Reader = NOBODYS) -> list[str]:
    """Ingest what is not in the catalogue at `root` yet; the names of what was. What somebody else ingested
    under such a name is left alone."""
    made = []
    for name, folder in SCENES.items():
        source = FOLDER / folder
        if _is_there(root / name, source):
            continue
        try:
            ingest(root, source, name=name, apart=apart)
        except UnreadableSource:
            continue
        _describe(root / name, name)
        made.append(name)
    return made


def _describe(folder: Path, name: str) -> None:
    """Say in the data set's own record what it is and whose."""
    title, about = _SAID[name]
    info = replace(read_info(folder), title=title, description=about, licence=_LICENCE)
    write_manifest(folder, info)


def _is_there(folder: Path, source: Path) -> bool:
    """Whether there is nothing to do: somebody else's data, or ours with every file where it is now."""
    try:
        info = read_info(folder)
    except CatalogueError:
        return False
    if info.source != source.name:
        return True
    paths = pq.read_table(folder / "images.parquet", columns=["path"]).column("path").to_pylist()
    return {str(each) for each in paths} == {str(each.resolve()) for each in source.glob("*.tif")}
