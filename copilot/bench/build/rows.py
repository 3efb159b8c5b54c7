"""The image rows that slots are filled from: a seeded draw over data sets, classes and years."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime, timedelta
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copilot.bench.build.words import class_words
from data.catalogue.base import Catalogue, Selection
from data.gazetteer import Gazetteer, Place
from data.gazetteer.words import ORDINARY
from data.schema import ClassInfo, DatasetInfo
from data.vocabulary import mentions as class_mentions
from tools.base import World
from tools.class_words import ClassWords

COLUMNS = ("image_id", "sensor", "acquired", "country", "place", "event", "lon", "lat")
WINDOWS = 10
"""Of a large data set, how many spans of days a class's rows are drawn from: they spread over its years."""
ROWS_A_WINDOW = 16
LARGE = 50_000
"""Of a data set with fewer images, every row is looked at."""
CITY_WITHIN_KM = 35.0
"""Nearer than the 40 km that filter_coords takes around a city."""
CITY_PEOPLE = 200_000
"""Smaller ones are left out: a request names places that its reader may know."""
_EARTH_KM = 6371.0
_FORM = 2
"""Counts up when what is kept of a draw changes, so that an older file is not read."""


@dataclass(frozen=True)
class Row:
    """One image as slots see it, with the class that it was drawn for."""

    image: str
    dataset: str
    class_name: str
    scene: bool
    """Whether the class labels the whole image."""
    sensor: str | None
    day: str
    country: str | None
    place: str | None
    event: str | None
    lon: float
    lat: float
    city: str | None = None
    """The best known city whose 40 km hold the image, by the name that means it alone."""


@dataclass(frozen=True)
class Cities:
    """The cities that a request may name: each is what its name means, and no ordinary word."""

    places: tuple[Place, ...]

    @classmethod
    def of(cls, gazetteer: Gazetteer) -> Cities:
        """The well-known cities of a gazetteer."""
        found = []
        for place in gazetteer.places("city"):  # largest first
            if (place.population or 0) < CITY_PEOPLE:
                break
            if _means_it(gazetteer, place):
                found.append(place)
        return cls(tuple(found))

    def near(self, lon: float, lat: float) -> str | None:
        """The largest city within reach of a point."""
        cosines = self._vectors @ _vectors(np.array([[lon, lat]]))[0]
        within = np.flatnonzero(cosines >= np.cos(CITY_WITHIN_KM / _EARTH_KM))
        return self.places[int(within[0])].name if within.size else None

    @cached_property
    def _vectors(self) -> NDArray[np.float64]:
        return _vectors(np.array([[place.lon, place.lat] for place in self.places]))


@dataclass(frozen=True)
class Pool:
    """The drawn rows, by data set and class, and what people say for the classes."""

    rows: tuple[Row, ...]
    words: Mapping[str, tuple[str, ...]]
    """Class -> the words that mean just this class; none where people's words always mean more."""

    @cached_property
    def by_stratum(self) -> dict[tuple[str, str], tuple[Row, ...]]:
        """The rows of each (data set, class)."""
        found: dict[tuple[str, str], list[Row]] = {}
        for row in self.rows:
            found.setdefault((row.dataset, row.class_name), []).append(row)
        return {key: tuple(rows) for key, rows in found.items()}


def draw_pool(world: World, seed: int = 0) -> Pool:
    """Rows of every class of every data set; the same seed and catalogue draw the same."""
    catalogue, cities = world.catalogue, Cities.of(world.gazetteer)
    known = ClassWords.of(world)
    rows: list[Row] = []
    for info in catalogue.datasets():
        counts = dict(catalogue.count_by(Selection((info.name,)), "class"))
        for each in info.classes:
            if count := counts.get(each.name, 0):
                rng = Random(f"{seed}/{info.version}/{each.name}")
                rows += _of_class(catalogue, info, each, count, cities, rng)
    return Pool(tuple(rows), {name: class_words(name, known) for name in {row.class_name for row in rows}})


def write_pool(pool: Pool, path: Path) -> None:
    """Keep a pool in a file, for other processes and another day."""
    plain = {"rows": [asdict(row) for row in pool.rows], "words": pool.words}
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(f".{os.getpid()}.part")
    unfinished.write_text(json.dumps(plain), encoding="utf-8")
    unfinished.replace(path)  # another process may be drawing the same


def read_pool(path: Path) -> Pool:
    """The pool that `write_pool` kept."""
    plain = json.loads(path.read_text(encoding="utf-8"))
    words = {name: tuple(said) for name, said in plain["words"].items()}
    return Pool(tuple(Row(**row) for row in plain["rows"]), words)


def pool_file(world: World, seed: int, kept_in: Path) -> Path:
    """The file of a draw, made unless an earlier one left it there."""
    versions = "-".join(info.version[:6] for info in world.catalogue.datasets())
    path = kept_in / f"rows-{_FORM}-{seed}-{versions}.json"
    if not path.is_file():
        write_pool(draw_pool(world, seed), path)
    return path


def _of_class(
    catalogue: Catalogue, info: DatasetInfo, wanted: ClassInfo, count: int, cities: Cities, rng: Random
) -> list[Row]:
    """Rows of one class; of a large data set, from several short spans of days."""
    whole = Selection((info.name,), classes=(wanted.name,))
    drawn: list[dict[Any, Any]] = []
    if info.images < LARGE:
        numbers = sorted(rng.sample(range(count), min(count, WINDOWS * ROWS_A_WINDOW)))
        first = 0
        for page in catalogue.scan(whole, COLUMNS):
            here = [n - first for n in numbers if first <= n < first + len(page)]
            drawn += page.iloc[here].to_dict("records")
            first += len(page)
    else:
        for start, end in _windows(info, count, rng):
            selection = replace(whole, start=start, end=end)
            frame = catalogue.rows(selection, COLUMNS, limit=4 * ROWS_A_WINDOW)
            here = rng.sample(range(len(frame)), min(len(frame), ROWS_A_WINDOW))
            drawn += frame.iloc[sorted(here)].to_dict("records")
    rows = (_row(each, info.name, wanted, cities) for each in drawn)
    return list({row.image: row for row in rows if row is not None}.values())


def _windows(info: DatasetInfo, count: int, rng: Random) -> Iterable[tuple[str, str]]:
    """Spans of days that hold about as many rows as are taken; the whole time for a rare class."""
    if info.start is None or info.end is None:
        return
    first, last = date.fromisoformat(info.start), date.fromisoformat(info.end)
    days = (last - first).days + 1
    length = max(1, round(days * 2 * ROWS_A_WINDOW / count))
    if length * 2 >= days:
        yield info.start, info.end
        return
    for number in range(WINDOWS):
        # One window in each tenth of the time, so that no year is left out.
        earliest = days * number // WINDOWS
        start = first + timedelta(days=earliest + rng.randrange(max(1, days // WINDOWS)))
        yield start.isoformat(), min(last, start + timedelta(days=length - 1)).isoformat()


def _row(record: dict[str, Any], dataset: str, wanted: ClassInfo, cities: Cities) -> Row | None:
    acquired = record["acquired"]
    if not isinstance(acquired, datetime) or acquired != acquired:
        return None
    lon, lat = round(float(record["lon"]), 6), round(float(record["lat"]), 6)
    return Row(
        image=str(record["image_id"]),
        dataset=dataset,
        class_name=wanted.name,
        scene=wanted.scene,
        sensor=_text(record["sensor"]),
        day=acquired.date().isoformat(),
        country=_text(record["country"]),
        place=_text(record["place"]),
        event=_text(record["event"]),
        lon=lon,
        lat=lat,
        city=cities.near(lon, lat),
    )


def _means_it(gazetteer: Gazetteer, place: Place) -> bool:
    """Whether a city's name means this city alone, and could be taken for nothing else in a sentence."""
    words = place.name.casefold().replace("-", " ").split()
    if all(word in ORDINARY for word in words) or class_mentions(place.name):
        return False
    resolution = gazetteer.resolve(place.name)
    return resolution.best == place and not resolution.ambiguous


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _vectors(lonlat: NDArray[np.float64]) -> NDArray[np.float64]:
    """Unit vectors of points, shape (n, 3)."""
    lon, lat = np.radians(lonlat[:, 0]), np.radians(lonlat[:, 1])
    return np.column_stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])
