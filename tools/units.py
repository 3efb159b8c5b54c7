"""Argument types that several tools share: what the value is, its unit and its limits."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field


def _listed(value: Any) -> Any:
    """A list where a single text was meant as one: "fair1m, xview1" from a command line or a model."""
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


def _one_or_more(value: Any) -> Any:
    """A list where one text was given; commas stay, since class names hold some ("Beaches, dunes, sands")."""
    return [value] if isinstance(value, str) else value


Longitude = Annotated[float, Field(ge=-180, le=180, description="Degrees east, WGS84.")]
Latitude = Annotated[float, Field(ge=-90, le=90, description="Degrees north, WGS84.")]
Zoom = Annotated[float, Field(ge=0, le=22, description="Web map zoom level: 0 is the world, 12 a city.")]
OpacityFraction = Annotated[float, Field(ge=0, le=1, description="0 is invisible, 1 is opaque.")]
RadiusKm = Annotated[float, Field(gt=0, le=20_000, description="Great-circle distance, kilometres.")]
BboxDeg = Annotated[
    list[float],
    Field(
        min_length=4,
        max_length=4,
        description="[west, south, east, north] in degrees; west > east crosses 180°.",
    ),
]
LayerId = Annotated[str, Field(min_length=1, max_length=200, description="A layer's id, as in the state.")]
LayerName = Annotated[
    str, Field(min_length=1, max_length=200, description="A layer's id or name, as on the map.")
]
PlaceName = Annotated[
    str, Field(min_length=1, max_length=200, description="A city, country, region, sea, airport or port.")
]
ImageId = Annotated[
    str, Field(min_length=1, max_length=300, description="An image's id, such as fair1m:10.tif.")
]
ColorText = Annotated[str, Field(min_length=3, max_length=30, description="A CSS colour name, or #rrggbb.")]
Part = Literal[
    "left", "right", "top", "bottom", "top-left", "top-right", "bottom-left", "bottom-right", "middle"
]
"""A part of a picture, as it is looked at."""
NewName = Annotated[str, Field(min_length=1, max_length=100, description="A name of your choice.")]
SizePx = Annotated[float, Field(ge=1, le=50, description="Marker radius or line width, screen pixels.")]
TableId = Annotated[
    str,
    Field(
        min_length=1,
        max_length=200,
        description="A table's id; of features, a vector artifact's or a layer's.",
        json_schema_extra={"format": "table"},
    ),
]
Names = Annotated[list[str], BeforeValidator(_listed), Field(min_length=1, max_length=100)]
"""Names without commas; one text is split at its commas."""
Words = Annotated[list[str], BeforeValidator(_one_or_more), Field(min_length=1, max_length=100)]
"""Names that may hold commas."""
