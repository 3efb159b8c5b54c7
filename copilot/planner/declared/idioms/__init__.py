"""Turns of phrase of single tools, by the family of tools that they belong to."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date

from copilot.planner.declared.files import File
from copilot.planner.declared.idioms import pictures, rasters, statistics, sums, texts, vectors, vision, web
from copilot.planner.declared.idioms.base import Arguments, Idiom
from copilot.planner.declared.things import Thing

IDIOMS: Mapping[str, Idiom] = {
    **sums.IDIOMS,
    **rasters.IDIOMS,
    **vectors.IDIOMS,
    **statistics.IDIOMS,
    **texts.IDIOMS,
    **web.IDIOMS,
    **vision.IDIOMS,
}
SETTLE: Mapping[str, Callable[[Arguments, Sequence[Thing]], None]] = {
    **rasters.SETTLE,
    **vision.SETTLE,
    **pictures.SETTLE,
}
"""Tools with arguments that only what is at hand can tell."""
WHOLLY = frozenset({"convert_units", "date_arithmetic", "convert_coordinates", "calculate", "arxiv_paper"})
"""Tools whose idiom says all that there is to say; without it they are not meant."""


def told(text: str, today: date, files: Sequence[File] = (), stores: Sequence[str] = ()) -> str | None:
    """The tool that a step's wording alone tells, whatever it is like; "" for one that the rules plan."""
    for found in (web.told(text), texts.told(text, files, stores), sums.told(text, today)):
        if found is not None:
            return found
    return statistics.told(text)
