"""Every vision tool's way to its model: what is outside of the model's limits is refused, or said first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from data.schema import RENDERED
from state.model import State
from tools.base import Step, ToolError, World
from tools.rasters import raster_of

Anyway = Annotated[
    bool,
    Field(description="Go on outside of what the model is for; the answer says so first."),
]
"""The argument by which a user goes on where the guard refuses."""
RENDERED_SAID = f"This is a {RENDERED}: nothing found in it says anything of the world."
"""What is said of an image that was rendered, behind what was found in it."""
PARTS = ("scene", "caption", "visual_question", "visual_grounding", "referring_segmentation")
"""Tools that put an answer together from several models, each of which is checked where it is asked."""


def guarded(*images: str) -> Callable[[Callable[..., Step]], Callable[..., Step]]:
    """Check the images that these arguments name, of a pair the earlier first, before the tool's model.

    The tool has the argument `anyway`. What is said first goes before the observation, and what was measured
    of the model on images like this one after it.
    """

    def around(function: Callable[..., Step]) -> Callable[..., Step]:
        @wraps(function)
        def checked(state: State, world: World, **arguments: Any) -> Step:
            paths = _paths(state, world, images, arguments)
            first = _said_first(function.__name__, world, paths, arguments)
            step = function(state, world, **arguments)
            return _with_words(function.__name__, world, step, paths, arguments, first)

        checked.__dict__["guards"] = images
        return checked

    return around


def _paths(
    state: State, world: World, images: tuple[str, ...], arguments: Mapping[str, Any]
) -> tuple[Path, ...]:
    given = [arguments.get(each) for each in images]
    return tuple(raster_of(state, world, str(each)).path for each in given if each is not None)


def _said_first(
    tool: str, world: World, paths: tuple[Path, ...], arguments: Mapping[str, Any]
) -> tuple[str, ...]:
    """What goes before the answer. Raises ToolError for what is outside, unless asked to go on."""
    from data.raster.errors import RasterError
    from data.vision.asked import Asked, cards_of
    from data.vision.guard import concerns, pair_concerns, settle

    anyway, gsd_m = bool(arguments.get("anyway")), arguments.get("gsd_m")
    said: list[str] = []
    try:
        for card in cards_of(Asked(tool, paths, arguments, world.models)):
            found = [each for path in paths for each in concerns(card, path, gsd_m=gsd_m)]
            if len(paths) > 1 and not card.limits.anything:
                found += pair_concerns(card, *paths[:2])
            said += settle(found, card, anyway)
    except RasterError as error:
        raise ToolError(str(error)) from None
    return tuple(dict.fromkeys(said))


def _with_words(
    tool: str,
    world: World,
    step: Step,
    paths: tuple[Path, ...],
    arguments: Mapping[str, Any],
    first: tuple[str, ...],
) -> Step:
    """The step with what is to be said first, and how its model does on images like these."""
    data = dict(step.data)
    before = (*first, *data.pop("said_first", ()))
    words = _caveat(tool, world, step, paths)
    said = " ".join([*before, step.observation, *_rendered(paths), *([words] if words else [])])
    if before:
        data["said_first"] = list(dict.fromkeys(before))
    if words:
        data["caveat"] = words
    return replace(step, observation=said, data=data)


def _rendered(paths: tuple[Path, ...]) -> tuple[str, ...]:
    from data.rendered import is_rendered

    return (RENDERED_SAID,) if any(is_rendered(each) for each in paths) else ()


def _caveat(tool: str, world: World, step: Step, paths: tuple[Path, ...]) -> str:
    from data.models.caveats import caveat, claims_of
    from data.models.registry import registry
    from data.raster.errors import RasterError

    claims = claims_of(tool, step.data)
    name = str(step.data.get("model") or "").rpartition(" on ")[2]  # of words, what they are looked for with
    if claims is None or not name or not paths:
        return ""
    try:
        card = registry(world.models).get(name).card
    except RasterError:  # a chat model, or detections that came with a file
        return ""
    return caveat(card, paths[-1], claims)
