"""Objects in an image of any size, by whatever detector suits it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from data.models.choosing import choose, image_facts
from data.models.registry import Model, registry
from data.progress import Progress
from data.raster.errors import RasterError
from data.vision.boxes import SAME, TURNED_SAME, Seen, one_an_object, upright
from data.vision.claims import claimed, lengths_of, place_seer
from data.vision.classes import classes_for, nearest
from data.vision.detections import Detection
from data.vision.sighting import SHIPS
from data.vision.tiled import OVERLAP, Batch, Plan, plan_of, run_over

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from data.models.layouts import Found
    from data.vision.ground import Ground

TASKS = ("oriented-object-detection", "object-detection", "instance-segmentation")
CUT_PX = 4.0
"""A box that ends nearer than this to an inner border of its window may go on beyond it."""
LEAST_SCORE = 0.01
"""What is given less than this by a model means nothing."""
MOST = 100_000
"""Most objects of an image that are kept, the best ones."""


@dataclass(frozen=True)
class Detected:
    """What was found in an image, and by what."""

    found: tuple[Detection, ...]
    """Best first; outlines in pixels of the file."""
    model: str
    windows: int
    skipped: int
    """Windows without a value."""
    across: float
    """How many pixels the model saw for one of the file's."""
    min_score: float = 0.0
    """The least score that was asked for, or the model's own."""
    wanted: tuple[str, ...] = ()
    """The model's classes that were looked for."""
    notes: tuple[str, ...] = field(default=())
    """What a reader should know: sentences."""


def detect(
    progress: Progress,
    image: Path,
    *,
    model: str | None = None,
    folder: Path | None = None,
    classes: Sequence[str] | None = None,
    min_score: float | None = None,
    below: float = 0.0,
    tasks: Sequence[str] = TASKS,
    upright_boxes: bool = False,
    overlap: float = OVERLAP,
) -> Detected:
    """Find objects with the best detector for the image, or the one named; `classes` are words for them.

    `folder` is the user's models, `tasks` what the detector may be for, the best first. Without `min_score`
    it is that of the model's card, and the card's thresholds decide what is claimed (data.vision.claims);
    what is `below` it by so much is given too. Provisional results go to `progress.found` as windows are
    done. Raises RasterError in one sentence."""
    from data.models.serving import served

    facts = image_facts(image)
    chosen = choose(registry(folder), tasks, facts, model)
    if chosen.name == SHIPS:
        return _ships(progress, image, classes, min_score, below)
    running = served(chosen)
    wanted = None if classes is None else class_numbers(chosen, classes)
    least = chosen.card.output.min_score if min_score is None else min_score
    plan = plan_of(image, chosen, overlap=overlap, facts=facts)
    given = max(LEAST_SCORE, least - below)
    keep = _Keeping(progress, plan, chosen, wanted, given, lambda: running.runner.layout)
    skipped = run_over(progress, plan, running.submit, keep.take, doing="Looking for objects")
    turned = running.runner.layout.startswith("oriented")
    seen = one_an_object(Seen.joined(keep.parts), cut_px=CUT_PX, iou=TURNED_SAME if turned else SAME)
    notes: list[str] = []
    if min_score is None:
        seen, notes = _claimed(seen, chosen, plan, facts.gsd_m, least)
    found = _detections(plan, seen, chosen, upright_boxes)
    return Detected(
        tuple(found[:MOST]),
        chosen.name,
        len(plan.places),
        skipped,
        plan.across,
        least,
        tuple(
            name
            for number, name in enumerate(chosen.card.output.classes)
            if wanted is None or number in wanted
        ),
        (*notes, *_notes(len(found))),
    )


def _ships(
    progress: Progress, image: Path, classes: Sequence[str] | None, min_score: float | None, below: float
) -> Detected:
    """What the method for ships in radar finds, which has no weights to run."""
    from data.vision.ships import MIN_SCORE, find_ships

    if classes is not None:
        class_numbers(registry(None).get(SHIPS), classes)
    least = MIN_SCORE if min_score is None else min_score
    found = find_ships(progress, image, min_score=max(LEAST_SCORE, least - below))
    return Detected(found.found, SHIPS, found.tiles, 0, 1.0, least, ("ship",), found.notes)


def seen_by(
    progress: Progress,
    plan: Plan,
    run: Callable[[NDArray[np.float32]], Future[Any]],
    decode: Callable[[Any], list[Found]],
    *,
    cut_px: float = CUT_PX,
) -> Seen:
    """What any detector finds over a plan, one box an object; for detectors that are no model of a card."""
    parts: list[Seen] = []

    def take(batch: Batch, outputs: Any) -> None:
        parts.extend(
            placed(each, place, plan) for each, place in zip(decode(outputs), batch.places, strict=True)
        )

    run_over(progress, plan, run, take, doing="Looking for objects")
    return one_an_object(Seen.joined(parts), cut_px=cut_px)


def placed(found: Found, place: Any, plan: Plan) -> Seen:
    """What one window found, in pixels of the whole image, with how far each is from an inner border."""
    offset = np.array([place.left, place.top], dtype=np.float64)
    count = len(found.scores)
    low = found.corners.reshape(count, -1, 2).min(axis=1) if count else np.zeros((0, 2))
    high = found.corners.reshape(count, -1, 2).max(axis=1) if count else np.zeros((0, 2))
    margins = np.full(count, np.inf)
    if place.left > 0:
        margins = np.minimum(margins, low[:, 0])
    if place.top > 0:
        margins = np.minimum(margins, low[:, 1])
    if place.left + place.width < plan.width:
        margins = np.minimum(margins, place.width - high[:, 0])
    if place.top + place.height < plan.height:
        margins = np.minimum(margins, place.height - high[:, 1])
    outlines = None if found.outlines is None else tuple(each + offset for each in found.outlines)
    numbers = np.full(count, place.number, dtype=np.int64)
    return Seen(found.corners + offset, found.classes, found.scores, margins, numbers, outlines)


def class_numbers(model: Model, words: Sequence[str]) -> frozenset[int]:
    """The numbers of the model's classes that these words mean. Raises RasterError with those it knows."""
    known = model.card.output.classes
    found: set[str] = set()
    for word in words:
        meant = classes_for(word, known)
        if not meant:
            near = nearest(word, known)
            hint = f"did you mean {near}?" if near else f"it knows {', '.join(known[:30]) or 'no names'}."
            raise RasterError(f"{model.name} does not know {word[:60]!r}; {hint}")
        found.update(meant)
    return frozenset(number for number, name in enumerate(known) if name in found)


class _Keeping:
    """Takes what comes of each batch, and shows what is sure to be one object already."""

    def __init__(
        self,
        progress: Progress,
        plan: Plan,
        model: Model,
        wanted: frozenset[int] | None,
        least: float,
        layout: Callable[[], Any],
    ) -> None:
        from data.vision.ground import ground_of

        self.parts: list[Seen] = []
        self._progress, self._plan, self._model = progress, plan, model
        self._wanted, self._least, self._layout = wanted, least, layout
        self._ground = ground_of(plan.image)

    def take(self, batch: Batch, outputs: Any) -> None:
        """Decode a batch, keep what was wanted, and show it."""
        from data.models.layouts import decoded

        side = self._plan.side
        try:
            found = decoded(outputs, self._layout(), self._least, (side, side))
        except (ValueError, IndexError) as error:
            raise RasterError(f"What {self._model.name} gives is not as its card says: {error}.") from None
        fresh = []
        for place, each, known in zip(batch.places, found, batch.known, strict=True):
            seen = placed(each, place, self._plan)
            kept = self._sensible(seen, each, place, known)
            if len(kept):
                fresh.append(seen.taken(kept))
        self.parts.extend(fresh)
        if self._ground is not None and fresh:
            self._show(fresh, self._ground)

    def _sensible(
        self, seen: Seen, found: Found, place: Any, known: NDArray[np.bool_] | None
    ) -> NDArray[np.int64]:
        """Those of a wanted class whose middle lies in the image and not where it has no value."""
        centre = found.corners.mean(axis=1)
        inside = np.isfinite(found.corners).all(axis=(1, 2))
        inside &= (centre >= 0).all(axis=1) & (centre < (place.width, place.height)).all(axis=1)
        if self._wanted is not None:
            inside &= np.isin(seen.classes, list(self._wanted))
        inside &= (seen.classes >= 0) & (seen.classes < max(1, len(self._model.card.output.classes)))
        if known is not None:
            at = np.flatnonzero(inside)
            column, row = centre[at].astype(int).T
            inside[at] = known[row, column]
        return np.flatnonzero(inside)

    def _show(self, fresh: Sequence[Seen], ground: Ground) -> None:
        """Whole objects of these windows, as GeoJSON; the neighbours may show some of them once more."""
        whole = Seen.joined(fresh)
        whole = whole.taken(np.flatnonzero(whole.margins >= CUT_PX))
        # All corners at once: making a transformer for each object would take longer than finding it.
        rings = ground.lonlat(self._plan.in_file(whole.corners.reshape(-1, 2))).reshape(-1, 4, 2)
        shown = []
        for ring, number, score in zip(rings, whole.classes.tolist(), whole.scores.tolist(), strict=True):
            if not np.isfinite(ring).all():
                continue
            points = [[round(x, 7), round(y, 7)] for x, y in (*ring.tolist(), ring[0].tolist())]
            shown.append(
                {
                    "type": "Feature",
                    "geometry": {"type": "Polygon", "coordinates": [points]},
                    "properties": {
                        "class_name": _class_name(self._model, number),
                        "score": round(float(score), 4),
                    },
                }
            )
        if shown:
            self._progress.found(shown)


def _claimed(
    seen: Seen, model: Model, plan: Plan, gsd_m: float | None, least: float
) -> tuple[Seen, list[str]]:
    """What of the findings is claimed by the card's thresholds, and what to say of the rest."""
    names = [_class_name(model, int(each)) for each in seen.classes]
    if not model.card.thresholds or not names:
        return seen, []
    looked_m = None if gsd_m is None else gsd_m / plan.across
    made = claimed(
        model.card,
        names,
        np.asarray(seen.scores, dtype=np.float64),
        seen.corners.mean(axis=1),
        lengths_of(seen.corners, looked_m),
        looked_m,
        place_seer(plan, looked_m),
        least,
        plan.width * plan.height / 1e6,
    )
    notes = []
    if made.unsure:
        what = "finding is" if made.unsure == 1 else "findings are"
        notes.append(
            f"{made.unsure:,} {what} left out: on ground without such objects this model gives scores like "
            "that too, and none near them is sure; with a min_score they are shown."
        )
    if made.misshapen:
        what = "finding" if made.misshapen == 1 else "findings"
        notes.append(f"{made.misshapen:,} {what} of a length that no such object has are left out.")
    return seen.taken(made.kept), notes


def _detections(plan: Plan, seen: Seen, model: Model, upright_boxes: bool) -> list[Detection]:
    corners = upright(seen.corners) if upright_boxes and len(seen.scores) else seen.corners
    outlines = None if upright_boxes else seen.outlines
    found = []
    for at in range(len(seen.scores)):
        outline = corners[at] if outlines is None else outlines[at]
        name = _class_name(model, int(seen.classes[at]))
        found.append(Detection(plan.in_file(outline), name, float(seen.scores[at])))
    return found


def _class_name(model: Model, number: int) -> str:
    names = model.card.output.classes
    return names[number] if number < len(names) else f"class {number}"


def _notes(count: int) -> list[str]:
    notes = []
    if count > MOST:
        notes.append(f"Only the best {MOST:,} of {count:,} are kept.")
    return notes
