"""The seven criteria of REMSA's rubric, each rated 1 to 5 from a record by a rule that its docstring states.

What a record does not state is not guessed, and the reason says that it is not stated. It rates 1; a size or
a figure that is not stated rates 2, since a record that is poor in facts is not the worst of models
(benches/modelzoo/README.md says how that was found).
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from data.modelzoo.filtering import takes
from data.modelzoo.fitting import fit_of
from data.modelzoo.lexicon import lexicon
from data.modelzoo.profile import GLOBAL, Profile, Result
from data.modelzoo.query import Query, spoken

LOWEST, HIGHEST = 1.0, 5.0
NOT_STATED = 2.0
"""The rating of efficiency or performance where the record does not state what would tell."""
FEWEST_TO_COMPARE = 3
"""Figures of one series from which on a place among them says something."""
SCALE_FACTOR = 4.0
OTHER_SCALE = 2.0
"""A model whose images are that many times finer or coarser matches the data no better than this."""
FEW_LABELS_PCT = 10.0
"""Results with up to this share of the labels tell how a model does with few."""


@dataclass(frozen=True)
class Rating:
    """One criterion of one model."""

    value: float
    """1 to 5."""
    reason: str
    is_known: bool = True
    """Whether the record states what it was rated by."""


@dataclass(frozen=True)
class Scales:
    """What the whole collection spans, for ratings that are relative."""

    smallest_m: float
    largest_m: float
    most_citations: int
    series: Mapping[tuple[object, ...], tuple[float, ...]]
    """The published values of each series, ascending."""

    @classmethod
    def of(cls, models: Sequence[Profile]) -> Scales:
        """The scales of a collection."""
        sizes = [each.record.num_parameters for each in models if each.record.num_parameters]
        values: defaultdict[tuple[object, ...], list[float]] = defaultdict(list)
        for model in models:
            for result in model.results:
                values[result.series].append(result.value)
        return cls(
            smallest_m=min(sizes, default=1.0),
            largest_m=max(sizes, default=1.0),
            most_citations=max((each.record.citations or 0 for each in models), default=0),
            series={key: tuple(sorted(each)) for key, each in values.items()},
        )

    def place(self, result: Result) -> float | None:
        """Where a figure stands among those of its series, 0 the worst, 1 the best; None among too few."""
        values = self.series.get(result.series, ())
        if len(values) < FEWEST_TO_COMPARE:
            return None
        # Half of those that are equal count as better: a field of equals stands in the middle.
        below, up_to = bisect_left(values, result.value), bisect_right(values, result.value)
        share = (below + (up_to - below) / 2) / len(values)
        return 1 - share if result.less_is_better else share


def application_fit(query: Query, model: Profile) -> Rating:
    """Application compatibility: 5 with a benchmark of the asked application, 4.5 where it was made for it
    or its own description names it, 4 where it did an application of the same kind in the same field, 3 of
    the same kind of task, 2 of the same field, 1 for neither. With no application asked for, 3 for
    everything.
    """
    wanted = lexicon().applications.get(query.application or "")
    if wanted is None:
        return Rating(3.0, "any application")
    if (told := model.applications.get(wanted.id)) is not None:
        value = 5.0 if told.startswith("benchmark") else 4.5
        return Rating(value, f"{wanted.id}: {told}")
    done = [lexicon().applications[each] for each in model.applications]
    same_field = [each for each in done if each.field == wanted.field and not wanted.is_general]
    if alike := next((each for each in same_field if each.all_kinds & wanted.all_kinds), None):
        return Rating(4.0, f"{alike.id}, the same field and kind of task")
    if wanted.is_general and wanted.kind in model.kinds:
        does = next((each.id for each in done if each.kind == wanted.kind), "one of its tasks")
        return Rating(5.0, f"{does} is {wanted.kind}")
    if wanted.kind in model.kinds:
        return Rating(3.0, f"other {wanted.kind} tasks")
    if same_field:
        return Rating(2.0, f"{same_field[0].id}, the same field")
    known = bool(model.applications or model.kinds)
    return Rating(LOWEST, "no such task in its record" if known else "no task is stated", known)


def modality_match(query: Query, model: Profile) -> Rating:
    """Modality match: the share of the asked kinds of data that it takes, 3 points for all; a fourth where
    it was trained on a named sensor (or none is named), a fifth where the asked resolution lies in the
    range of its images, give or take a factor of two (or none is asked). A named sensor without a match, or
    a resolution that is outside or not stated, costs its point. Without any of the kinds 1. At most 2 where
    its images are of another scale (`other_scale`): three bands at 10 m show no cars. For unusual data one
    less where it is not said to take the bands of any sensor (full spectral alignment).
    """
    if not query.modalities:
        known, some = bool(model.modalities), query.unusual_data and model.record.spectral_alignment != "full"
        value = LOWEST if not known else HIGHEST - 1 if some else HIGHEST
        return Rating(value, "not said to take any sensor's bands" if some else "any kind of data", known)
    if not model.modalities:
        return Rating(LOWEST, "its kinds of data are not stated", False)
    taken = [each for each in query.modalities if takes(model, each)]
    if not taken:
        near = any(takes(model, each) is None for each in query.modalities)
        return Rating(2.0 if near else LOWEST, f"takes {_all(map(spoken, model.modalities))}")
    value = 3.0 * len(taken) / len(query.modalities)
    reasons = [f"takes {_all(map(spoken, taken))}"]
    shared = [each for each in query.sensors if each in model.sensors]
    if not query.sensors or shared:
        value += len(shared) / len(query.sensors) if query.sensors else 1
        reasons += [f"trained on {_all(shared)}"] if shared else []
    else:
        reasons.append(f"{_all(query.sensors)} not among its sensors")
    sharp, said = _resolution(query, model)
    value = max(LOWEST, min(HIGHEST, value + sharp))
    if query.unusual_data and model.record.spectral_alignment != "full":
        value = max(LOWEST, value - 1)
        reasons.append("not said to take any sensor's bands")
    if (other := other_scale(query, model)) is not None:
        return Rating(min(value, OTHER_SCALE), "; ".join([*reasons, other]))
    return Rating(value, "; ".join([*reasons, *said]))


def other_scale(query: Query, model: Profile) -> str | None:
    """How a model's images are of another scale than the request's: by more than a factor of four of the
    asked resolution, else of the named sensors', else coarser than what the application needs. None where
    they are not, or where it is not stated.
    """
    span, words = model.scale_m, lexicon()
    if span is None:
        return None
    trained = f"{span[0]:g} m" if span[0] == span[1] else f"{span[0]:g} to {span[1]:g} m"
    asked = [query.spatial_resolution_m] if query.spatial_resolution_m else []
    asked = asked or [words.sensors[each].resolution_m for each in query.sensors if each in words.sensors]
    if asked:
        if any(span[0] / SCALE_FACTOR <= each <= span[1] * SCALE_FACTOR for each in asked):
            return None
        return f"trained at {trained}, far from {min(asked):g} m"
    wanted = words.applications.get(query.application or "")
    if wanted is None or wanted.coarsest_m is None or "sar" in query.modalities:
        return None
    if span[0] <= wanted.coarsest_m:
        return None
    return f"trained at {trained}, too coarse for {wanted.id}"


def _resolution(query: Query, model: Profile) -> tuple[float, list[str]]:
    asked, span = query.spatial_resolution_m, model.record.spatial_resolution
    if asked is None:
        return 1.0, []
    if span is None:
        return 0.0, ["resolution not stated"]
    inside = span[0] / 2 <= asked <= span[1] * 2
    stated = f"{span[0]:g} m" if span[0] == span[1] else f"{span[0]:g} to {span[1]:g} m"
    return (1.0, [f"trained at {stated}"]) if inside else (0.0, [f"trained at {stated}, not {asked:g} m"])


def reported_performance(query: Query, model: Profile, scales: Scales) -> Rating:
    """Reported performance: the mean place of its figures among all models' figures of the same data set,
    metric and share of labels: of the asked application, from 1 for the worst to 5 for the best; else of
    the same kind of task, 1 to 3.5; else 2. A place counts as if one middling result stood beside it, so
    that one lucky figure is no 5. Figures that nobody else reports count as middling. A priority (few false
    alarms, missing nothing) takes metrics that tell of it, where there are some; few labels take results
    with a tenth or less.
    """
    wanted = lexicon().applications.get(query.application or "")
    own = [each for each in model.results if wanted is None or each.application == wanted.id]
    kind = [each for each in model.results if wanted is not None and each.kind in wanted.all_kinds]
    if wanted is not None and wanted.is_general:
        own, kind = kind, []
    for results, most, about in (
        (own, 5.0, ""),
        (kind, 3.5, f" on other {wanted.kind if wanted else ''} tasks"),
    ):
        if telling := _telling(query, results):
            places = [scales.place(each) for each in telling]
            compared = [each for each in places if each is not None]
            mean = (sum(compared) + 0.5) / (len(compared) + 1)
            best = max(zip(places, telling, strict=True), key=lambda each: each[0] or 0.0)[1]
            said = f"{best.metric} {best.value:g} on {best.dataset}{about}"
            rank = (
                f", ahead of {mean:.0%} of those who report the same"
                if compared
                else ", nobody else reports it"
            )
            return Rating(LOWEST + mean * (most - LOWEST), said + rank)
    return Rating(NOT_STATED, "no figure for such a task is reported", False)


def _telling(query: Query, results: Sequence[Result]) -> Sequence[Result]:
    metrics = lexicon().metrics
    if wanted := set(query.priority_metrics) & {"precision", "recall"}:
        told = [each for each in results if wanted & set(metrics.get(each.metric, {}).get("tells", ()))]
        results = told or results
    if query.available_data in ("none", "few"):
        few = [
            each
            for each in results
            if each.series[3] is not None and float(str(each.series[3])) <= FEW_LABELS_PCT
        ]
        results = few or results
    return results


def efficiency(query: Query, model: Profile, scales: Scales, performance: Rating) -> Rating:
    """Efficiency: the number of parameters on a logarithmic scale, 5 for the smallest model of the
    collection, 0 for the largest, against performance: two thirds the size and one third the rating of
    performance. Where speed is asked for, the size alone; where the task is fine-grained or accuracy is
    asked for, half and half. On a laptop or an edge device the estimated time for an image alone, on a
    logarithmic scale: 1 for the longest that it may take there, 5 for a tenth of it. A size that is not
    stated is 2.
    """
    size = model.record.num_parameters
    if size is None:
        return Rating(NOT_STATED, "the number of parameters is not stated", False)
    said = f"{size:,.4g} million parameters"
    if query.deployment_device in ("laptop", "edge") and (fit := fit_of(model.record, query)) is not None:
        value = 1 + 4 * math.log10(fit.longest_s / fit.seconds)
        return Rating(max(LOWEST, min(HIGHEST, value)), f"{said}, some {fit.seconds:.2g} s an image")
    span = math.log(scales.largest_m / scales.smallest_m) or 1.0
    small = 5 * (1 - math.log(size / scales.smallest_m) / span)
    share = 2 / 3
    if "speed" in query.priority_metrics:
        share = 1.0
    elif query.complexity == "fine" or "accuracy" in query.priority_metrics:
        share = 0.5
    value = share * small + (1 - share) * performance.value
    return Rating(max(LOWEST, min(HIGHEST, value)), said)


def generalizability(query: Query, model: Profile) -> Rating:
    """Generalizability: the mean of geography (global 5, four regions or more 4, two or three 3, one 2, not
    stated 1; 5 as well where a region is asked for and covered), kinds of data (one 2, two 3, three 4, more
    5) and scale (images of pretraining: 100 million 5, 10 million 4.3, 1 million 3.6, 100,000 2.9 …). For
    unusual data the kinds of data count twice.
    """
    regions = model.regions
    world = GLOBAL in regions or len(regions) > 5
    covered = query.region is not None and query.region in regions
    geography = (
        5.0
        if world or covered
        else 4.0
        if len(regions) > 3
        else 3.0
        if len(regions) > 1
        else 2.0
        if regions
        else 1.0
    )
    kinds = min(HIGHEST, 1.0 + len(model.modalities))
    scale = LOWEST
    if model.num_images is not None:
        scale = max(LOWEST, min(HIGHEST, 5.0 - 0.7 * (8 - math.log10(model.num_images))))
    parts = [geography, kinds, scale, *([kinds] if query.unusual_data else [])]
    where = "global" if world else ", ".join(sorted(regions)) or "regions not stated"
    images = f"{model.num_images:,} images" if model.num_images is not None else "number of images not stated"
    known = bool(regions) or model.num_images is not None
    return Rating(
        sum(parts) / len(parts), f"{where}; {images}; kinds of data: {len(model.modalities)}", known
    )


def popularity(model: Profile, scales: Scales) -> Rating:
    """Popularity: citations on a logarithmic scale, 1 for none, 5 for the most cited of the collection.
    (REMSA counts stars of the repository too, which records do not hold.)
    """
    cited = model.record.citations
    if cited is None:
        return Rating(LOWEST, "citations not stated", False)
    most = math.log1p(scales.most_citations) or 1.0
    return Rating(1 + 4 * math.log1p(cited) / most, f"{cited:,} citations")


def recency(model: Profile, today: date) -> Rating:
    """Recency: 5 for this and the last year, one less for every year before, 1 at least."""
    if model.year is None:
        return Rating(LOWEST, "release date not stated", False)
    value = HIGHEST - max(0, today.year - model.year - 1)
    return Rating(max(LOWEST, min(HIGHEST, value)), f"published in {model.year}")


def _all(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
