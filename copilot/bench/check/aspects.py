"""The aspects of a state that are graded one by one: what is loaded, the dates, the camera, the layers …"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from state.model import State

ASPECTS: dict[str, Callable[[State], Any]] = {
    "database.loaded": lambda state: state.database.loaded,
    "database.dates": lambda state: (state.database.filters.start, state.database.filters.end),
    "database.place": lambda state: (
        state.database.filters.place,
        state.database.filters.country,
        state.database.filters.bbox,
        state.database.filters.center,
        state.database.filters.radius_km,
        state.database.filters.geometry,
    ),
    "database.classes": lambda state: (state.database.filters.classes, state.database.filters.match),
    "database.attributes": lambda state: state.database.filters.attributes,
    "map.camera": lambda state: (state.map.center, state.map.zoom),
    "map.basemap": lambda state: state.map.basemap,
    "map.layers": lambda state: state.map.layers,
    "map.swipe": lambda state: state.map.swipe,
    "map.controls": lambda state: state.map.controls,
    "map.bands": lambda state: state.bands,
    "ui.page": lambda state: state.ui.page,
    "ui.tabs": lambda state: (state.ui.tabs, state.ui.active_tab),
    "ui.panels": lambda state: state.ui.panels,
    "ui.image": lambda state: state.ui.selected_image,
    "ui.compared": lambda state: state.ui.compared,
    "ui.hover": lambda state: state.ui.hover_fields,
    "ui.table": lambda state: state.ui.table,
    "ui.figure": lambda state: state.ui.figure,
    "ui.notice": lambda state: state.ui.notice,
    "ui.question": lambda state: state.ui.question,
    "artifacts": lambda state: state.artifacts,
}
"""Name -> what of the state it is. The part before the dot is the check that grades it."""


def touched(before: State, after: State) -> tuple[str, ...]:
    """The aspects that a call changed."""
    if before is after:
        return ()
    return tuple(name for name, part in ASPECTS.items() if part(before) != part(after))
