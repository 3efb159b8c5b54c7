"""What a tool needs and gives, as conditions that can be checked: kinds of things and their properties.

A `Thing` is a small frozen value with a text form that says the same. As a need it speaks of an argument:
`raster image: bands=red+nir, level=toa|surface`; as an effect it names the key under which the step's data
hold the id: `raster raster: of=image, modality=mask`. Bare words are the coarse kinds that everything else
reads: `raster`, `loaded`. The same text says in a workflow what its data must be.

What is not said is not known, and a need that is strict is not met by what is not known. Several needs of
one argument are alternatives: one of them is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

KINDS = ("raster", "vector", "table", "detections", "document", "figure", "reviews", "workflow")
"""The kinds of artifacts; any other word is a part of the state: "loaded", "layer", "tab", "image"."""
MODALITIES = (
    "optical", "picture", "pan", "radar", "elevation", "thermal", "index", "classes", "mask", "quantity",
)  # fmt: skip
"""optical: bands that are reflectance or in proportion to it; picture: stretched bytes of colour; index and
quantity: one continuous layer that was computed; classes and mask: numbers that stand for something."""
LEVELS = (
    "counts", "radiance", "toa", "surface", "stretched", "amplitude", "intensity", "sigma0", "decibel",
    "kelvin",
)  # fmt: skip
"""How far the numbers are physical: of optical images the first five, of radar images the next four."""

Verdict = Literal["met", "unknown", "unmet"]


@dataclass(frozen=True)
class Thing:
    """A kind of thing with what is needed of it, or known of it. An empty property says nothing."""

    kind: str
    argument: str = ""
    """The argument that it is about, or the key of the step's data that an effect fills."""
    modality: tuple[str, ...] = ()
    """One of them."""
    bands: tuple[str, ...] = ()
    """All of them, by STAC's common names."""
    level: tuple[str, ...] = ()
    """One of them."""
    placed: bool | None = None
    """Whether it has a coordinate system and a place on the globe."""
    metric: bool | None = None
    """Whether its coordinates are metres."""
    grid_of: str = ""
    """As a need: the argument (or the data) whose grid it must have; as a fact: what stands for its grid."""
    later_than: str = ""
    """The argument (or the data) before which it must not have been taken."""
    finest_m: float | None = None
    """The pixel is at least so large, metres."""
    coarsest_m: float | None = None
    """The pixel is at most so large, metres."""
    least: float | None = None
    most: float | None = None
    """The range of values."""
    cloud_pct: float | None = None
    """At most so much cloud, per cent."""
    nodata_pct: float | None = None
    """At most so much without a value, per cent."""
    geometry: tuple[str, ...] = ()
    """Of features: point, line or polygon; one of them."""
    columns: tuple[str, ...] = ()
    """Of tables and features: all of them."""
    done: tuple[str, ...] = ()
    """What was done to it: despeckled, calibrated, dehazed, coregistered, filled, sieved …"""
    when: tuple[str, ...] = ()
    """`argument=value`: the arguments with which this holds; one value of each argument is enough."""
    of: str = ""
    """Of an effect: the argument whose properties it has, but for those said here."""
    bands_for: str = ""
    """Of a need: the argument whose value (the name of a spectral index) says which bands."""
    regrids: bool = False
    """Of an effect: its grid is another than that of what it was made of."""
    in_place: bool = False
    """Of an effect: it is the argument itself that is so afterwards."""

    @classmethod
    def parse(cls, text: str) -> Thing:
        """The thing that a text says. Raises ValueError, saying what is wrong."""
        head, _, tail = text.partition(":")
        words = head.split()
        if not 1 <= len(words) <= 2:
            raise ValueError(f"{text!r} does not begin with a kind and, at most, one argument.")
        given: dict[str, Any] = {}
        for part in (each.strip() for each in tail.split(",") if each.strip()):
            name, sign, value = (each.strip() for each in part.partition("="))
            if name not in _PROPERTIES:
                raise ValueError(f"{text!r}: there is no property {name!r}; there are {_KNOWN}.")
            if not sign and name not in _FLAGS:
                raise ValueError(f"{text!r}: {name} needs a value.")
            given[name] = _read(name, value)
        thing = cls(words[0], words[1] if len(words) == 2 else "", **given)
        thing.check()
        return thing

    def check(self) -> None:
        """Raise ValueError for a word that no property has."""
        for name, known in (("modality", MODALITIES), ("level", LEVELS)):
            for value in getattr(self, name):
                if value not in known:
                    raise ValueError(f"{value!r} is no {name}; there are {', '.join(known)}.")

    def __str__(self) -> str:
        head = f"{self.kind} {self.argument}".strip()
        said = [f"{name}={_written(name, value)}" for name, value in self.said().items()]
        return f"{head}: {', '.join(said)}" if said else head

    def said(self) -> dict[str, Any]:
        """The properties that say something, by their names."""
        mine = {each: getattr(self, each) for each in _PROPERTIES}
        return {
            name: value
            for name, value in mine.items()
            if not (value is None or value == () or value == "" or (value is False and name in _ONLY_TRUE))
        }

    def applies(self, arguments: Mapping[str, Any]) -> bool:
        """Whether it holds with these arguments: each argument that `when` names has one of its values."""
        wanted: dict[str, set[str]] = {}
        for each in self.when:
            name, _, value = each.partition("=")
            wanted.setdefault(name, set()).add(value.casefold())
        return all(str(arguments.get(name)).casefold() in values for name, values in wanted.items())


def Raster(argument: str = "", **properties: Any) -> Thing:
    """A raster: `Raster("image", bands="red+nir")`."""
    return _thing("raster", argument, properties)


def Vector(argument: str = "", **properties: Any) -> Thing:
    """Features: `Vector("zones", geometry="polygon")`."""
    return _thing("vector", argument, properties)


def Table(argument: str = "", **properties: Any) -> Thing:
    """A table: `Table("table", columns="mean")`."""
    return _thing("table", argument, properties)


Declared = str | Thing


def coarse(declared: Iterable[Declared]) -> tuple[str, ...]:
    """The bare kinds of what is declared, each once, in order."""
    return tuple(dict.fromkeys(each if isinstance(each, str) else each.kind for each in declared))


def typed(declared: Iterable[Declared]) -> tuple[Thing, ...]:
    """What is declared with more than its bare kind."""
    return tuple(each for each in declared if isinstance(each, Thing))


@dataclass(frozen=True)
class Unmet:
    """A property that a thing does not have, or of which nothing is known."""

    argument: str
    property: str
    wanted: Any
    found: Any = None
    """None: nothing is known."""
    known: bool = field(default=True, compare=False)

    def __str__(self) -> str:
        wanted = _written(self.property, self.wanted) if self.property in _PROPERTIES else str(self.wanted)
        said = f"{self.argument} needs {self.property.replace('_', ' ')} {wanted}"
        if not self.known:
            return f"{said}, and nothing is known of it"
        found = _written(self.property, self.found) if self.property in _PROPERTIES else str(self.found)
        return f"{said}, and has {found or 'none'}"


def unmet(
    need: Thing, fact: Thing, facts: Mapping[str, Thing] | None = None, *, strict: bool = False
) -> tuple[Unmet, ...]:
    """What a thing lacks for a need. `facts` are those of the other arguments, for grids and dates.

    Where it is not strict, what is not known is taken to be met, but for bands: a raster says its own.
    """
    others = facts or {}
    if not _kind_fits(need.kind, fact.kind):
        return (Unmet(need.argument, "kind", need.kind, fact.kind),)
    found = []
    for name, wanted in need.said().items():
        if name in _NOT_CHECKED:
            continue
        verdict = _verdict(name, wanted, fact, others)
        if verdict == "unmet" or (verdict == "unknown" and (strict or name in _SAID_BY_ITSELF)):
            has = getattr(fact, _FACT_OF.get(name, name))
            found.append(Unmet(need.argument, name, wanted, has, known=verdict == "unmet"))
    return tuple(found)


def _kind_fits(wanted: str, found: str) -> bool:
    # Detections are features, and features are rows.
    return wanted == found or found in {"vector": ("detections",), "table": ("vector", "detections")}.get(
        wanted, ()
    )


def _verdict(name: str, wanted: Any, fact: Thing, others: Mapping[str, Thing]) -> Verdict:
    has = getattr(fact, _FACT_OF.get(name, name))
    if name in ("bands", "columns", "done"):
        if not has:
            return "unmet" if name == "done" else "unknown"
        met = all(_has_band(each, has) for each in wanted) if name == "bands" else set(wanted) <= set(has)
        return "met" if met else "unmet"
    if name in ("modality", "level", "geometry"):
        return ("met" if set(has) <= set(wanted) else "unmet") if has else "unknown"
    if name == "grid_of":
        other = others.get(wanted)
        if other is None or not other.grid_of or not has:
            return "unknown"
        return "met" if has == other.grid_of else "unmet"
    if name == "later_than":
        # A fact's own `later_than` is the date: two dates are compared as texts, YYYY-MM-DD.
        other = others.get(wanted)
        if other is None or not other.later_than or not has:
            return "unknown"
        return "met" if str(has) >= str(other.later_than) else "unmet"
    if has is None:
        return "unknown"
    if name in ("least", "finest_m"):
        return "met" if has >= wanted else "unmet"
    if name in ("most", "coarsest_m", "cloud_pct", "nodata_pct"):
        return "met" if has <= wanted else "unmet"
    return "met" if has == wanted else "unmet"


def _has_band(wanted: str, has: Sequence[str]) -> bool:
    return wanted in has or any(each in has for each in _STANDS_IN.get(wanted, ()))


def made(give: Thing, facts: Mapping[str, Thing], token: str = "") -> Thing:
    """What is known of an effect's result, from what is known of the arguments.

    `token` stands for its grid where that is another. A new modality drops bands, level and values: they
    were those of another quantity.
    """
    start = facts.get(give.of)
    known = Thing(give.kind) if start is None else replace(start, kind=give.kind, argument="")
    said = give.said()
    if "modality" in said:
        known = replace(known, bands=(), level=(), least=None, most=None, cloud_pct=None)
    for name, value in said.items():
        if name == "grid_of":
            other = facts.get(value)
            known = replace(known, grid_of=other.grid_of if other is not None else "")
        elif name == "done":
            known = replace(known, done=tuple(sorted({*known.done, *value})))
        elif name not in ("when", "of", "bands_for", "regrids", "in_place"):
            known = replace(known, **{name: value})
    if (give.regrids or start is None) and "grid_of" not in said:
        known = replace(known, grid_of=token)
    return replace(known, argument=give.argument)


def _thing(kind: str, argument: str, properties: Mapping[str, Any]) -> Thing:
    read = {
        name: _read(name, value) if isinstance(value, str) else value for name, value in properties.items()
    }
    thing = Thing(kind, argument, **read)
    thing.check()
    return thing


_PROPERTIES = tuple(each.name for each in fields(Thing) if each.name not in ("kind", "argument"))
_KNOWN = ", ".join(_PROPERTIES)
_FLAGS = ("placed", "metric", "regrids", "in_place")
_ONLY_TRUE = ("regrids", "in_place")
_ANY_OF = ("modality", "level", "geometry", "when")
_ALL_OF = ("bands", "columns", "done")
_NUMBERS = ("finest_m", "coarsest_m", "least", "most", "cloud_pct", "nodata_pct")
_NOT_CHECKED = ("when", "of", "bands_for", "regrids", "in_place")
_SAID_BY_ITSELF = ("bands", "done")
"""Not known of a raster, these are not there: its file or its history would say so."""
_FACT_OF = {"finest_m": "coarsest_m"}
"""A fact's pixel size is kept once, as the coarsest."""
_STANDS_IN = {"nir": ("nir08",), "green": ("green05",), "nir08": ("nir",), "swir16": (), "rededge": (
    "rededge071", "rededge075", "rededge078")}  # fmt: skip
"""As data.raster.bands has it."""


def _read(name: str, value: str) -> Any:
    if name in _ANY_OF:
        return tuple(sorted(each.strip() for each in value.split("|") if each.strip()))
    if name in _ALL_OF:
        return tuple(sorted(each.strip() for each in value.split("+") if each.strip()))
    if name in _FLAGS:
        return value.strip().casefold() in ("", "true", "yes")
    if name in _NUMBERS:
        try:
            return float(value)
        except ValueError:
            raise ValueError(f"{name}={value!r} is no number.") from None
    return value


def _written(name: str, value: Any) -> str:
    if name in _ANY_OF:
        return "|".join(value)
    if name in _ALL_OF:
        return "+".join(value)
    if name in _FLAGS:
        return "yes" if value else "no"
    return f"{value:.12g}" if isinstance(value, float) else str(value)


__all__ = [
    "KINDS",
    "LEVELS",
    "MODALITIES",
    "Declared",
    "Raster",
    "Table",
    "Thing",
    "Unmet",
    "Vector",
    "coarse",
    "made",
    "typed",
    "unmet",
]
