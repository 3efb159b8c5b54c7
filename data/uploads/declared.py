"""What a file says of its layers itself, also of those that are empty or have no coordinate system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyogrio
from pyogrio.errors import DataLayerError, DataSourceError
from pyproj import CRS
from pyproj.exceptions import CRSError

from data.vector.systems import code_of

MOST_LAYERS, MOST_FIELDS = 40, 60
_TYPES = {
    "OFTString": "text", "OFTInteger": "integer", "OFTInteger64": "integer", "OFTReal": "number",
    "OFTDate": "date", "OFTDateTime": "time", "OFTTime": "time of day", "OFTBinary": "bytes",
    "OFTStringList": "list", "OFTIntegerList": "list", "OFTInteger64List": "list", "OFTRealList": "list",
}  # fmt: skip
_SUBTYPES = {"OFSTBoolean": "boolean", "OFSTJSON": "JSON"}


def field_types(about: Mapping[str, Any]) -> dict[str, str]:
    """The type of each field in words, out of what pyogrio tells of a layer."""
    kinds = zip(about["fields"], about["ogr_types"], about["ogr_subtypes"], strict=True)
    return {str(name): _SUBTYPES.get(sub) or _TYPES.get(kind, kind) for name, kind, sub in kinds}


def declared_layers(path: Path, names: Sequence[str]) -> list[dict[str, Any]]:
    """{name, rows, geometry, crs, fields} of each layer, of at most `MOST_LAYERS`, as the file declares them.

    `geometry` is None of a table, `crs` a code, a name, or None. A layer that cannot be read is left out.
    """
    found = []
    for name in names[:MOST_LAYERS]:
        try:
            about = pyogrio.read_info(path, layer=name, force_feature_count=True)
        except (DataSourceError, DataLayerError, ValueError):
            continue
        fields = list(field_types(about).items())
        geometry = about["geometry_type"]
        found.append(
            {
                "name": name,
                "rows": int(about["features"]),
                "geometry": "any" if geometry == "Unknown" else geometry,
                "crs": _system(about["crs"]),
                "fields": [{"name": each, "type": kind} for each, kind in fields[:MOST_FIELDS]],
                **({"more_fields": len(fields) - MOST_FIELDS} if len(fields) > MOST_FIELDS else {}),
            }
        )
    return found


def _system(told: str | None) -> str | None:
    """A system's code, else its name; None where the file names none."""
    if not told:
        return None
    try:
        system = CRS.from_user_input(told)
    except CRSError:
        return None
    # What a GeoPackage calls undefined is a local system with such a name.
    return None if "undefined" in system.name.lower() else code_of(system)
