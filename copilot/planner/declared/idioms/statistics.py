"""Statistics of tables: which columns, which groups, over which time."""

from __future__ import annotations

from collections.abc import Mapping

from copilot.planner.declared.idioms.base import Idiom

IDIOMS: Mapping[str, Idiom] = {}
