"""Documents, pictures, text stores and models: what is read, cut, stored and asked."""

from __future__ import annotations

from collections.abc import Mapping

from copilot.planner.declared.idioms.base import Idiom

IDIOMS: Mapping[str, Idiom] = {}
