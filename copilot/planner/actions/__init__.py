"""From what a clause wants to the calls that do it: one table, one function a want."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from copilot.planner.actions import camera, counting, drawing, exports, layers, plots, session, show
from copilot.planner.clauses import Clause
from copilot.planner.situation import Call, Situation

Action = Callable[[Clause, Situation], Iterator[Call]]

ACTIONS: Mapping[str, Action] = MappingProxyType(
    {
        **plots.ACTIONS,
        **counting.ACTIONS,
        **camera.ACTIONS,
        **layers.ACTIONS,
        **drawing.ACTIONS,
        **show.ACTIONS,
        **exports.ACTIONS,
        **session.ACTIONS,
    }
)

SELECTING = frozenset(
    {
        "db_load",
        "add_raster_layer",
        "compare_counts",
        *plots.ACTIONS,
        *counting.SELECTING,
        *exports.SELECTING,
        "select_image",
        "show_image",
        "fit_selection",
        "compare_images",
    }
)
"""Wants whose phrases narrow the selection first; the others take their phrases as arguments."""

ON_MAP = frozenset(plots.ACTIONS)
"""Wants that show a place, so that the camera goes there too."""
