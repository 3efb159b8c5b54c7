"""Turns of phrase of single tools, by the family of tools that they belong to."""

from collections.abc import Mapping

from copilot.planner.declared.idioms import rasters, statistics, sums, texts, vectors, web
from copilot.planner.declared.idioms.base import Idiom

IDIOMS: Mapping[str, Idiom] = {
    **sums.IDIOMS,
    **rasters.IDIOMS,
    **vectors.IDIOMS,
    **statistics.IDIOMS,
    **texts.IDIOMS,
    **web.IDIOMS,
}
WHOLLY = frozenset({"convert_units", "date_arithmetic", "convert_coordinates", "calculate", "arxiv_paper"})
"""Tools whose idiom says all that there is to say; without it they are not meant."""
