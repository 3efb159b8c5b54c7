"""Reviewing what was found: a list with sizes, places and verdicts, and verdicts on one or many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from state.model import State
from tools.artifacts import Call, Input
from tools.base import Step, ToolError, World, tool
from tools.detections import NEWEST, Detections, DetectionsHandle, detections_of
from tools.phrases import groups_in_words, listed, number_of, one_line
from tools.reviews import reviews_artifact, reviews_of, sample_of, with_reviews
from tools.tables import OUTLINES, plain_rows, table_of_inputs
from tools.units import Part
from tools.vision.narrowing import Order, Wanted, class_now, narrowed, narrowing_said, no_class, same

if TYPE_CHECKING:
    import geopandas as gpd

    from data.vision.reviews import Review, Reviews

Number = Annotated[int, Field(ge=1, le=10**9)]
Score = Annotated[float, Field(ge=0, le=1)]
Length = Annotated[float, Field(ge=0, le=100_000)]
ClassName = Annotated[str, Field(min_length=1, max_length=80)]
_SHOWN = 8
_WORDS: Mapping[str, Literal["confirmed", "rejected", "relabelled"]] = {
    "confirm": "confirmed",
    "reject": "rejected",
    "relabel": "relabelled",
}
_COLUMNS = (
    "detection_id", "class_name", "score", "length_m", "width_m", "heading_deg", "lon", "lat", "x_px", "y_px",
    "model", "source", "verdict", "reviewed_class", "reviewed_by", "reviewed_at", "pixels", OUTLINES,
)  # fmt: skip


@dataclass(frozen=True)
class _Reviewed:
    """What goes into a list: detections with the reviews that they have by now."""

    handle: str
    name: str
    key: str


@tool("vision", changes_state=True, needs=("detections",), gives=("table",))
def list_detections(
    state: State,
    world: World,
    *,
    detections: DetectionsHandle = NEWEST,
    class_name: Annotated[
        ClassName | None, Field(description="Only this class, as it is now: by the review, else as found.")
    ] = None,
    min_score: Annotated[Score | None, Field(description="Only scores of at least this.")] = None,
    verdict: Annotated[
        Literal["confirmed", "rejected", "relabelled", "reviewed", "unreviewed"] | None,
        Field(description="Only detections of which that was said."),
    ] = None,
    below_score: Annotated[Score | None, Field(description="Only scores below this.")] = None,
    min_length_m: Annotated[
        Length | None, Field(description="Only objects of at least this length on the ground, metres.")
    ] = None,
    max_length_m: Annotated[Length | None, Field(description="Only objects of at most this length.")] = None,
    part: Annotated[
        Part | None, Field(description="Only what has its middle in this half or quarter of the image.")
    ] = None,
    order: Annotated[
        Order | None, Field(description="What comes first, and is named; the best scores when left out.")
    ] = None,
    limit: Annotated[int, Field(ge=1, le=10_000, description="Most rows, the first of the order.")] = 500,
    sample: Annotated[
        int | None,
        Field(ge=1, le=5000, description="Draw so many at random to be reviewed, and list those."),
    ] = None,
) -> Step:
    """List detections with class, score, size, place and verdict, and estimate the detector's precision.

    Lengths in metres, places (of the middle) in degrees of WGS 84 and in pixels of the image. The table
    exported as GeoJSON or GeoParquet has the outlines; where the image has no place, `pixels` has them. The
    precision is confirmed / (confirmed + rejected + relabelled), by the class that the model gave, with the
    Wilson score interval of 95 % (Wilson 1927). It is estimated from a random sample that is wholly reviewed,
    or from all; reviews in any other order speak for themselves alone. `sample` draws one, by a kept seed.

    Example: copilot call list_detections detections=detections-de7ec7 class_name=ship min_score=0.5

    Asked as: list the detections | show me everything it found | which objects were detected | a table of the
    ships with their sizes | what did the detector find | how precise is the detector | how good are these
    detections | which ones have I rejected so far | what is left to review
    """
    found = detections_of(state, world, detections)
    rows = _rows(found.frame, reviews := reviews_of(state, world.artifacts.find, found.key))
    if sample is not None:
        state, rows = _drawn(state, world, found, rows, reviews, sample)
    wanted = Wanted(class_name, min_score, below_score, verdict, min_length_m, max_length_m, part, order)
    kept = narrowed(state, world, found, rows, wanted)
    table = kept.head(limit)
    call = Call.of(list_detections, detections=found.key, limit=limit, sample=sample, **asdict(wanted))
    by_class = {str(key): int(n) for key, n in class_now(kept).value_counts().sort_index().items()}
    facts = _estimate(found, reviews, sample_of(state, world.artifacts.find, found.key))
    said = _listed_said(found, kept, table, by_class)
    return table_of_inputs(
        state,
        world,
        _read_from(state, found),
        table,
        call,
        f"List of {found.name}",
        f"{said}.{narrowing_said(table, wanted)} {_estimate_said(facts)}",
        detections=found.key,
        count=len(kept),
        leading=plain_rows(kept.head(1))[0] if len(kept) else None,
        by_class=by_class,
        verdicts={str(key): int(n) for key, n in rows["verdict"].value_counts().sort_index().items()},
        precision=facts,
    )


def _listed_said(found: Detections, kept: Any, table: Any, by_class: Mapping[str, int]) -> str:
    """How many there are of each class, and how many of them are listed."""
    said = f"{number_of(len(kept), 'detection')} in {one_line(found.name)}{_counts_said(by_class)}"
    if len(table) < len(kept):
        said += f", of which the first {'is' if len(table) == 1 else f'{len(table):,} are'} listed"
    return said


def _read_from(state: State, found: Detections) -> list[Input]:
    """What a list comes from: the detections, and their reviews where there are any."""
    known = reviews_artifact(state, found.key)
    return [found] if known is None else [found, _Reviewed(known.id, known.name, known.id)]


@tool("vision", changes_state=True, needs=("detections",), gives=("reviews",), signed=True)
def review_detection(
    state: State,
    world: World,
    *,
    verdict: Annotated[
        Literal["confirm", "reject", "relabel", "clear"],
        Field(description="confirm, reject, relabel (with class_name), or clear to take a review back."),
    ],
    detection_id: Annotated[
        Number | Annotated[list[Number], Field(min_length=1, max_length=5000)] | None,
        Field(description="A detection's number, or a list; left out, all that the other arguments match."),
    ] = None,
    detections: DetectionsHandle = NEWEST,
    class_name: Annotated[ClassName | None, Field(description="The right class, for relabel.")] = None,
    found_as: Annotated[ClassName | None, Field(description="Only detections of this class.")] = None,
    below_score: Annotated[Score | None, Field(description="Only scores below this.")] = None,
    from_score: Annotated[Score | None, Field(description="Only scores of at least this.")] = None,
    again: Annotated[
        bool, Field(description="Whether a filter also takes those that were reviewed before.")
    ] = False,
    by: Annotated[
        str | None, Field(max_length=80, description="Who says so; filled in when left out.")
    ] = None,
    at: Annotated[
        str | None,
        Field(max_length=20, description="When, UTC, 2026-11-22T04:05:06Z; filled in when left out."),
    ] = None,
) -> Step:
    """Confirm, reject or relabel detections: one, several, or all of a class or a range of scores.

    The detections themselves are not changed: the verdicts are kept beside them, can be undone, and go out
    with every export, with who said so and when.

    Example: copilot call review_detection detection_id=3 verdict=reject detections=detections-de7ec7

    Asked as: confirm detection 4 | reject number 7 | that one is wrong | this is a real ship | number 3 is a
    tanker in truth | throw out all ships below 0.3 | mark the planes as right | false alarm, drop it | take
    back my verdict on 5
    """
    found = detections_of(state, world, detections)
    if (verdict == "relabel") != (class_name is not None):
        raise ToolError("relabel needs the right class as 'class_name', and the other verdicts take none.")
    when = _time(at)
    before = reviews_of(state, world.artifacts.find, found.key)
    numbers, left = _meant(found, before, detection_id, (found_as, below_score, from_score), again)
    after = dict(before)
    known = dict(zip(found.frame["detection_id"], found.frame["class_name"], strict=True))
    for each in numbers:
        if verdict == "clear":
            after.pop(each, None)
        else:
            after[each] = _review(verdict, class_name, known, known[each], by, when)
    call = Call(review_detection.name, {})
    new = with_reviews(state, world, found.key, found.name, after, call)
    facts = _estimate(found, after, sample_of(new, world.artifacts.find, found.key))
    said = _said(found, numbers, after, verdict, left)
    made = reviews_artifact(new, found.key)
    data = {
        "detections": found.key,
        "count": len(numbers),
        "detection_ids": numbers[:100],
        "reviews": None if made is None else made.id,
        "precision": facts,
    }
    return Step(new, f"{said} {_estimate_said(facts)}", data)


def _meant(
    found: Detections,
    before: Reviews,
    wanted: int | list[int] | None,
    filters: tuple[str | None, float | None, float | None],
    again: bool,
) -> tuple[list[int], int]:
    """The numbers that a review is about, and how many a filter left alone. Raises ToolError for none."""
    frame = found.frame
    there = {int(each) for each in frame["detection_id"]}
    named, below, least = filters
    if wanted is None and filters == (None, None, None):
        raise ToolError("Say which detections: a number, a list of numbers, or a class or score as a filter.")
    asked = there if wanted is None else {wanted} if isinstance(wanted, int) else set(wanted)
    if unknown := sorted(asked - there):
        raise ToolError(
            f"There is no detection {listed([str(each) for each in unknown], 4)} in {found.handle}; "
            f"they are numbered 1 to {max(there):,}."
            if there
            else f"There are no detections in {found.handle}."
        )
    if named is not None:
        asked &= {int(each) for each in frame.loc[same(frame["class_name"], named), "detection_id"]}
        if not asked and not same(frame["class_name"], named).any():
            raise ToolError(no_class(found, named))
    if below is not None:
        asked &= {int(each) for each in frame.loc[frame["score"] < below, "detection_id"]}
    if least is not None:
        asked &= {int(each) for each in frame.loc[frame["score"] >= least, "detection_id"]}
    if wanted is None and not again:
        kept = asked - before.keys()
        return sorted(kept), len(asked) - len(kept)
    return sorted(asked), 0


def _review(
    verdict: str, named: str | None, known: Mapping[int, str], found_as: str, by: str | None, at: str | None
) -> Review:
    from data.vision.reviews import Review

    who = (one_line(by) or None) if by else None
    word = _WORDS[verdict]
    if named is None:
        return Review(word, None, who, at)
    plain = one_line(named)
    if not plain:
        raise ToolError(f"{named!r} is no name of a class.")
    right = next((each for each in sorted(set(known.values())) if each.casefold() == plain.casefold()), plain)
    # Called what it was found as, it is right.
    return Review("confirmed", None, who, at) if right == found_as else Review(word, right, who, at)


def _time(at: str | None) -> str | None:
    if at is None:
        return None
    try:
        return datetime.strptime(at, "%Y-%m-%dT%H:%M:%SZ").strftime("%Y-%m-%dT%H:%M:%SZ")
    except ValueError:
        raise ToolError(f"{at!r} is no time in UTC such as 2026-11-22T04:05:06Z.") from None


def _rows(frame: gpd.GeoDataFrame, reviews: Reviews) -> Any:
    """The table of detections with where they are, best first.

    The outlines are those on the ground; where the image has no place, those in its pixels.
    """
    import numpy as np
    import shapely

    from data.vision.reviews import joined

    pixels = shapely.centroid(shapely.from_wkt(frame["pixels"].to_numpy(), on_invalid="ignore"))
    ground = shapely.centroid(frame.geometry.to_numpy())
    placed = np.isfinite(shapely.get_x(ground))
    left_out = ["geometry", "pixels"] if placed.any() else ["geometry"]
    plain = joined(frame.drop(columns=left_out), reviews).assign(
        lon=np.round(shapely.get_x(ground), 6),
        lat=np.round(shapely.get_y(ground), 6),
        x_px=np.round(shapely.get_x(pixels), 1),
        y_px=np.round(shapely.get_y(pixels), 1),
    )
    if placed.any():
        plain[OUTLINES] = np.where(placed, shapely.to_wkb(frame.geometry.to_numpy()), None)
    ordered = plain.sort_values(["score", "detection_id"], ascending=[False, True], ignore_index=True)
    return ordered[[each for each in _COLUMNS if each in ordered]]


def _drawn(
    state: State, world: World, found: Detections, rows: Any, reviews: Reviews, count: int
) -> tuple[State, Any]:
    """The state that keeps a random sample of so many, and their rows."""
    from data.vision.reviews import draw

    numbers = draw(found.key, (int(each) for each in found.frame["detection_id"]), count)
    call = Call(list_detections.name, {})
    kept = with_reviews(state, world, found.key, found.name, reviews, call, numbers)
    return kept, rows[rows["detection_id"].isin(numbers)]


def _estimate(found: Detections, reviews: Reviews, sample: Sequence[int]) -> dict[str, Any]:
    from data.vision.reviews import estimated

    frame = found.frame
    classes = dict(zip(frame["detection_id"].tolist(), frame["class_name"].tolist(), strict=True))
    return estimated(classes, reviews, sample).to_json()


def _estimate_said(facts: Mapping[str, Any]) -> str:
    reviewed, drawn = facts["reviewed"], facts["drawn"]
    if facts["basis"] is None:
        going = f"{facts['drawn_reviewed']:,} of the {drawn:,} drawn at random" if drawn else ""
        if not reviewed:
            none = "None of them is reviewed yet"
            return f"{none}; {drawn:,} are drawn at random for it." if drawn else f"{none}."
        counts = [
            f"{facts[each]:,} {each}" for each in ("confirmed", "rejected", "relabelled") if facts[each]
        ]
        told = (
            f"{reviewed:,} of {facts['of']:,} {'is' if reviewed == 1 else 'are'} reviewed: {listed(counts)}."
        )
        if drawn:
            return f"{told} The precision is estimated when a random sample is: so far {going} are."
        return (
            f"{told} They were not drawn at random, so there is no estimate for the others; "
            "list_detections sample=30 draws a random sample to review."
        )
    if facts["basis"] == "all":
        return f"All {facts['of']:,} are reviewed, and the precision is {facts['precision']:.2f}."
    parts = [
        f"{name} {each['precision']:.2f} ({each['low']:.2f} to {each['high']:.2f}, from {each['reviewed']:,})"
        for name, each in facts["by_class"].items()
    ]
    split = f" By class: {listed(parts)}." if len(parts) > 1 else ""
    return (
        f"From {reviewed:,} of {facts['of']:,}, drawn at random, the precision is {facts['precision']:.2f} "
        f"(95 % interval {facts['low']:.2f} to {facts['high']:.2f}).{split}"
    )


def _counts_said(by_class: Mapping[str, int]) -> str:
    ranked = sorted(by_class.items(), key=lambda each: (-each[1], each[0]))
    return f": {groups_in_words(ranked)}" if ranked else ""


def _said(found: Detections, numbers: Sequence[int], after: Reviews, verdict: str, left: int) -> str:
    kept = (
        f" {number_of(left, 'detection')} that had been reviewed before stayed as they were." if left else ""
    )
    if not numbers:
        return f"No detection of {one_line(found.name)} matches, so nothing was reviewed.{kept}"
    frame = found.frame.set_index("detection_id")
    shown = []
    for each in numbers[:_SHOWN]:
        row, review = frame.loc[each], after.get(each)
        now = f", now {review.class_name}" if review is not None and review.class_name else ""
        shown.append(f"{each} ({one_line(str(row['class_name']))}{now}, score {row['score']:.2f})")
    if len(numbers) > _SHOWN:
        shown.append(f"{len(numbers) - _SHOWN:,} more")
    done = {"confirm": "confirmed", "reject": "rejected", "relabel": "relabelled"}.get(
        verdict, "unreviewed again"
    )
    noun = f"Detection {listed(shown)} is" if len(numbers) == 1 else f"Detections {listed(shown, 99)} are"
    return f"{noun} {done}.{kept}"


TOOLS = (list_detections, review_detection)
