"""Reviews of detections in the state: one small artifact for each set of detections, replaced each time.

The detections' own file is never changed. A review's file is known by what it says, so that undo, replay
and a copy of the session come to the same id and find the same verdicts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from state.model import Artifact, State
from tools.artifacts import Call
from tools.base import ToolError, World
from tools.phrases import number_of

if TYPE_CHECKING:
    from data.vision.reviews import Reviews


def reviews_artifact(state: State, detections_id: str) -> Artifact | None:
    """The artifact of the reviews of those detections; None where nothing was reviewed."""
    prefix = _prefix(detections_id)
    return next(
        (each for each in state.artifacts if each.kind == "reviews" and each.id.startswith(prefix)), None
    )


def reviews_of(state: State, find: Callable[[str], Path | None], detections_id: str) -> Reviews:
    """What was said of those detections, by their numbers. Raises ToolError when a file of it is gone."""
    return _read(reviews_artifact(state, detections_id), find)[1]


def sample_of(state: State, find: Callable[[str], Path | None], detections_id: str) -> tuple[int, ...]:
    """The numbers of those detections that were drawn at random to be reviewed, in the order of the draw."""
    from data.vision.reviews import read_sample

    artifact = reviews_artifact(state, detections_id)
    path = None if artifact is None else find(artifact.id)
    return () if path is None else read_sample(path)


def with_reviews(
    state: State,
    world: World,
    detections_id: str,
    name: str,
    reviews: Reviews,
    call: Call,
    sample: tuple[int, ...] | None = None,
) -> State:
    """The state with those reviews in place of the ones before; without an entry for nothing.

    `sample` are the numbers drawn at random; those of before when left out.
    """
    from data.vision.reviews import canonical_reviews, seed_of, write_reviews

    drawn = sample_of(state, world.artifacts.find, detections_id) if sample is None else sample
    old = reviews_artifact(state, detections_id)
    others = tuple(each for each in state.artifacts if each is not old)
    if not reviews and not drawn:
        return replace(state, artifacts=others)
    number, before = _read(old, world.artifacts.find)
    said = sha256(canonical_reviews(reviews, drawn).encode()).hexdigest()[:12]
    wanted = f"{_prefix(detections_id)}{said}"
    if world.artifacts.find(wanted) is None:
        since = None if old is None else (old.id, number, before)
        write_reviews(world.artifacts.path(wanted, ".json"), reviews, since, drawn, seed_of(detections_id))
    made = Artifact(
        wanted, "reviews", f"Reviews of {name}", number_of(len(reviews), "review"), made_by=call.tool
    )
    # Beside what it speaks of, so that the newest artifact stays the one that was made last.
    at = next((place for place, each in enumerate(others) if each.id == detections_id), len(others))
    return replace(state, artifacts=(*others[:at], made, *others[at:]))


def _read(artifact: Artifact | None, find: Callable[[str], Path | None]) -> tuple[int, Reviews]:
    from data.vision.reviews import read_reviews

    if artifact is None:
        return 0, {}
    path = find(artifact.id)
    try:
        if path is None:
            raise FileNotFoundError(artifact.id)
        return read_reviews(path, find)
    except (FileNotFoundError, ValueError, KeyError, TypeError) as error:
        raise ToolError(f"The file of {artifact.id} is gone or broken; undo the last review.") from error


def _prefix(detections_id: str) -> str:
    return f"reviews-{sha256(detections_id.encode()).hexdigest()[:6]}"
