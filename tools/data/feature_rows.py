"""What the shapes of features measure, where a comparison asks for it and no field has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tools.base import ToolError
from tools.geotools.features import METRES, SQUARE_METRES
from tools.rows import AREA, LENGTH

if TYPE_CHECKING:
    import pandas as pd

_MEASURES = {f"area_{unit}": (AREA, each) for unit, each in SQUARE_METRES.items()} | {
    f"length_{unit}": (LENGTH, each) for unit, each in METRES.items()
}
"""Names that stand for what a shape measures: the column that it is measured in, and the unit in metres."""


def measured(frame: pd.DataFrame, field: str) -> tuple[str, pd.Series[Any]] | None:
    """The measure that a word names in features as rows, and its values: area_ha, length_km and the like.

    None where a field of theirs has the name, or it names no measure. Raises ToolError for shapes without it.
    """
    word = field.strip().casefold()
    if word not in _MEASURES or word in [str(each).casefold() for each in frame.columns]:
        return None
    column, unit = _MEASURES[word]
    if column not in frame.columns:
        wanted = "polygons" if column == AREA else "lines"
        raise ToolError(f"There are no {wanted} and no field {word!r}; a field that they have would do.")
    return word, frame[column] / unit
