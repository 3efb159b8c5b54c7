"""Hard constraints: what a model must satisfy to be recommended, and whether its record shows it."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from data.modelzoo.fitting import fit_of
from data.modelzoo.lexicon import FOLDER, lexicon, phrase_key
from data.modelzoo.profile import Profile
from data.modelzoo.query import Query, spoken

BROKEN_POINTS, UNTOLD_POINTS = 20.0, 10.0
"""Of the score from 1 to 100: a constraint that is broken counts as much as the weightiest criteria but
one.
"""
MANY_SENSORS = 3
ALIKE_SCALE = 4.0
"""Times the pixel of a sensor, up to which another's images are alike."""
Holds = bool | None
"""Whether a record satisfies a constraint; None where it does not state what would tell."""


@dataclass(frozen=True)
class Constraint:
    """One thing that must hold."""

    field: str
    """The query's field that it comes from."""
    said: str
    """What is demanded, as a noun: `SAR data`."""
    check: Callable[[Profile], Holds]


@dataclass(frozen=True)
class Kept:
    """Models after the constraints."""

    satisfying: tuple[Profile, ...]
    """Those whose records show that everything holds."""
    untold: tuple[Profile, ...]
    """Those that violate nothing, and do not state all that would tell."""


def constraints_of(query: Query) -> tuple[Constraint, ...]:
    """The hard constraints of a query."""
    found = [
        Constraint("modalities", f"{spoken(each)} data", lambda model, each=each: takes(model, each))  # type: ignore[misc]
        for each in query.modalities
    ]
    found += [
        Constraint("sensors", f"{each} images", lambda model, each=each: reads(model, each))  # type: ignore[misc]
        for each in query.sensors
    ]
    if query.deployment_device is not None or query.memory_gb is not None:
        found.append(
            Constraint("deployment_device", "a size for the device", lambda model: _fits(model, query))
        )
    if (most := query.max_parameters_m) is not None:
        said = f"at most {most:g} million parameters"
        found.append(Constraint("max_parameters_m", said, lambda model: _at_most(model, most)))
    if query.open_weights:
        found.append(Constraint("open_weights", "weights to download", _has_weights))
    if query.commercial:
        found.append(Constraint("commercial", "commercial use", _commercial))
    if (least := query.min_performance) is not None:
        said = f"a reported {least.metric} of {least.value:g} or better"
        found.append(Constraint("min_performance", said, lambda model: _performs(model, query)))
    return tuple(found)


def apply(query: Query, models: Sequence[Profile]) -> Kept:
    """The models that no constraint rules out."""
    constraints = constraints_of(query)
    judged = [(model, [each.check(model) for each in constraints]) for model in models]
    return Kept(
        satisfying=tuple(model for model, holds in judged if all(holds)),
        untold=tuple(model for model, holds in judged if not all(holds) and False not in holds),
    )


@dataclass(frozen=True)
class Missed:
    """What a model lacks of what is demanded."""

    broken: tuple[str, ...]
    """What it is known not to be."""
    untold: tuple[str, ...]
    """What its record does not tell."""

    @property
    def points(self) -> float:
        """What it is set back by among those that come closest."""
        return BROKEN_POINTS * len(self.broken) + UNTOLD_POINTS * len(self.untold)


def missed(query: Query, model: Profile) -> Missed:
    """What a model lacks of the constraints of a query."""
    judged = [(each.said, each.check(model)) for each in constraints_of(query)]
    return Missed(
        tuple(said for said, holds in judged if holds is False),
        tuple(said for said, holds in judged if holds is None),
    )


def takes(model: Profile, modality: str) -> Holds:
    """Whether a model takes a kind of data: that one, or kinds that cover it."""
    if not model.modalities:
        return None
    known = lexicon().modalities.get(modality)
    covering = {modality, *(known.covered if known else ())}
    if covering & model.modalities:
        return True
    # Records say "optical" of red, green, blue and near infrared: that may be all, and it may be more bands.
    return None if modality == "multispectral" and "optical" in model.modalities else False


def reads(model: Profile, sensor: str) -> Holds:
    """Whether a model takes a sensor's images: trained on it, or on one that stands for it.

    Images in red, green and blue are alike whoever takes them, as long as they are of a like scale. A model
    that was trained on the bands of three sensors or more, or is said to align spectra, may take others: its
    record does not tell.
    """
    known = lexicon().sensors.get(sensor)
    standing = {name for name, each in lexicon().sensors.items() if sensor in each.stands_for}
    if ({sensor} | standing) & model.sensors:
        return True
    if known is not None and known.modality == "rgb":
        alike = model.scale_m is None or model.scale_m[0] <= known.resolution_m * ALIKE_SCALE
        return takes(model, "rgb") if alike else None
    if not model.sensors or len(model.sensors) >= MANY_SENSORS or model.record.spectral_alignment == "full":
        return None
    return False


def _fits(model: Profile, query: Query) -> Holds:
    fit = fit_of(model.record, query)
    return None if fit is None else fit.fits


def _at_most(model: Profile, most: float) -> Holds:
    stated = model.record.num_parameters
    return None if stated is None else stated <= most


def _has_weights(model: Profile) -> Holds:
    return True if model.record.weights is not None or model.record.loading else None


def _commercial(model: Profile) -> Holds:
    """By the licence of the weights, else of the code."""
    licence = model.record.licence_weights or model.record.licence_code
    if licence is None:
        return None
    allow, forbid = licences()
    return True if phrase_key(licence) in allow else False if phrase_key(licence) in forbid else None


def _performs(model: Profile, query: Query) -> Holds:
    """Whether a figure of that metric, for that application, is good enough; None where none is published."""
    least = query.min_performance
    if least is None:
        return True
    figures = [
        each
        for each in model.results
        if each.metric == least.metric
        and (query.application is None or each.application == query.application)
    ]
    if not figures:
        return None
    return any(
        each.value <= least.value if each.less_is_better else each.value >= least.value for each in figures
    )


@cache
def licences() -> tuple[frozenset[tuple[str, ...]], frozenset[tuple[str, ...]]]:
    """Licences that allow commercial use, and those that do not, by how they are looked up."""
    table = tomllib.loads((FOLDER / "licences.toml").read_text(encoding="utf-8"))
    allow, forbid = (frozenset(map(phrase_key, table[name])) for name in ("commercial", "not_commercial"))
    return allow, forbid
