"""Arguments that raster tools share: a band by number or name, and how a raster's CRS is said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from tools.base import Step, ToolError
from tools.phrases import listed
from tools.rasters import Raster


def _listed(value: Any) -> Any:
    """A list where "3,2,1" or a single band was given."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return [value] if isinstance(value, int) and not isinstance(value, bool) else value


Number = Annotated[int, Field(ge=1, le=10_000)]
BandText = Annotated[str, Field(min_length=1, max_length=100)]
BandChoice = Annotated[
    Number | BandText, Field(description="A band: its number from 1, or its name, such as nir.")
]
BandChoices = Annotated[
    list[Number | BandText],
    BeforeValidator(_listed),
    Field(
        min_length=1,
        max_length=100,
        description="Bands: numbers from 1, or names such as nir; in that order.",
    ),
]


@contextmanager
def said_plainly() -> Iterator[None]:
    """What is wrong with a raster, as the tool's answer."""
    from data.raster.errors import RasterError

    try:
        yield
    except RasterError as error:
        raise ToolError(str(error)) from None


def band_of(path: Path, wanted: int | str) -> int:
    """The number of one band. Raises ToolError with those that there are."""
    return bands_of(path, [wanted])[0]


def bands_of(path: Path, wanted: Sequence[int | str]) -> list[int]:
    """The numbers of some bands. Raises ToolError with those that there are."""
    from data.raster.bands import band_number
    from data.raster.files import opened

    with said_plainly(), opened(path) as source:
        return [band_number(source, each) for each in wanted]


def check_numbers(source: Raster, scale: float | None = 1.0) -> None:
    """Raises ToolError for a scale, where there is one, over a raster that holds values already."""
    from data.raster.files import opened
    from data.raster.values import stored_as

    if scale is None:
        return
    with said_plainly(), opened(source.path) as reader:
        told = stored_as(reader)
    if told is not None:
        raise ToolError(
            f"{source.name} holds values already: its numbers ({told['dtype']}) were turned into them as it "
            "came in, by what its file says of them. raster_calc changes values further."
        )


def crs_text(crs: Any) -> str:
    """`EPSG:32631 (WGS 84 / UTM zone 31N)`, or the name alone of one without a code."""
    from pyproj import CRS
    from pyproj.exceptions import CRSError

    if crs is None:
        return "no coordinate system"
    try:
        known = CRS.from_user_input(crs)
    except CRSError:
        return "a coordinate system without a name"
    authority = known.to_authority(min_confidence=70)
    name = known.name if known.name != "unknown" else "a coordinate system without a name"
    return f"{':'.join(authority)} ({name})" if authority else name


def with_data(step: Step, **more: Any) -> Step:
    """The step with more to quote: what is known only when the raster is made."""
    return replace(step, data={**step.data, **more})


def finite(value: float | None, digits: int = 7) -> float | None:
    """A number as JSON can hold it, to so many significant digits where it is no whole one; None for none."""
    if value is None or value != value or value in (float("inf"), float("-inf")):
        return None
    return float(value) if float(value).is_integer() else float(f"{value:.{digits}g}")


FeatureName = Annotated[
    str,
    Field(
        min_length=1, max_length=200, description="Only the features of this name, as in their attributes."
    ),
]


def names_in(frame: Any) -> list[str] | None:
    """What each feature is called: its attribute `name`, else its first text; None where it has no text."""
    texts = [each for each in frame.columns if each != frame.geometry.name and _is_text(frame[each])]
    texts.sort(key=lambda each: str(each).casefold() not in ("name", "title", "label"))
    return [str(each) for each in frame[texts[0]]] if texts else None


def features_named(frame: Any, name: str) -> Any:
    """The features that bear a name in one of their attributes. Raises ToolError with the names there are."""
    wanted = name.strip().casefold()
    texts = [each for each in frame.columns if each != frame.geometry.name and _is_text(frame[each])]
    for match in (str.__eq__, str.__contains__):
        for column in texts:
            found = frame[[match(str(each).casefold(), wanted) for each in frame[column]]]
            if len(found):
                return found
    known = list(dict.fromkeys(names_in(frame) or []))
    there = f"there are {listed(known)}" if known else "they bear no names"
    raise ToolError(f"No feature is called {name[:60]!r}; {there}.")


def _is_text(column: Any) -> bool:
    return any(isinstance(each, str) for each in column.head(20))
