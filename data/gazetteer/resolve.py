"""What a name may mean, and which sense is dominant."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, replace
from functools import cached_property
from math import log10
from pathlib import Path

from rapidfuzz import process
from rapidfuzz.distance import DamerauLevenshtein

from data.gazetteer.model import Candidate, Resolution
from data.gazetteer.names import normalise
from data.gazetteer.table import ALTERNATE, PRIMARY, Table
from data.gazetteer.words import PROVINCES, US_STATES, is_known

HERE = Path(__file__).parent
DOMINANCE = 4.0  # a sense this many times better known than the next wins silently
KNOWN_FAME = 1e5
"""A misspelled name means no place less known than a city of so many people, unless it says where."""
_SHORT_NAME = 8
"""In a name of no more letters two slips are too many to be slips."""
# How well known a kind of place is, as if it were people in a city.
FAME = {
    "continent": 5e8,
    "ocean": 5e8,
    "hemisphere": 2e8,
    "sea": 4e7,
    "gulf": 3e7,
    "strait": 2e7,
    "canal": 2e7,
    "channel": 2e7,
    "region": 3e7,
    "economic region": 3e7,
    "political region": 3e7,
    "desert": 2e7,
    "mountains": 2e7,
    "rainforest": 2e7,
    "archipelago": 1e7,
    "island": 1e7,
    "peninsula": 1.5e7,
    "lake": 5e6,
    "bay": 5e6,
    "delta": 1e7,
    "basin": 8e6,
}
OTHER_FAME = 3e6
HINTS = {
    "country": ("country",),
    "nation": ("country",),
    "state": ("admin1",),
    "province": ("admin1",),
    "oblast": ("admin1",),
    "city": ("city",),
    "town": ("city",),
    "island": ("island", "archipelago"),
    "airport": ("airport",),
    "port": ("port",),
    "region": ("region", "admin1"),
    "prefecture": ("admin1",),
    "republic": ("country",),
    "kingdom": ("country",),
    "sea": ("sea",),
    "river": ("basin",),
    "county": ("admin1",),
}
_PREFIX = re.compile(
    r"^(country|nation|state|province|city|town|island|region|republic|kingdom|oblast|prefecture|county)"
    r" of (.+)$"
)
_SUFFIX = re.compile(r"^(.+) (country|state|province|city|oblast|prefecture|county|region|republic)$")
_LOOSE = re.compile(
    r"^(?:downtown|greater|metropolitan|central) (.+)$"
    r"|^(.+?) (?:area|metro area|metropolitan area|coast|harbou?r|port|waters|(?:international )?airports?)$"
)
_PORT = re.compile(r"^(?:ports?|harbou?r) of (.+)$|^(.+) (?:port|harbou?r)$")
_BRACKET = re.compile(r"^(.*?)(?<!\s)\s*+\(([^()]*)\)\s*$")


@dataclass(frozen=True)
class Wanted:
    """A name taken apart: what it is called, what kind it is, what it lies in."""

    key: str
    kinds: tuple[str, ...] = ()
    within: tuple[str, ...] = ()  # qualifiers, as written


class Resolver:
    """Resolves names over one table."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def resolve(self, name: str, limit: int = 8) -> Resolution:
        """The places a name may mean; see `Gazetteer.resolve`."""
        for wanted in self._readings(name):
            rows = self._matching(wanted, self.table.rows(wanted.key))
            if rows:
                return self._ranked(name, wanted, rows, limit)
        return self._misspelled(name, limit)

    # Readings of a name

    def _readings(self, name: str) -> list[Wanted]:
        """Ways to read the name, the most literal first."""
        bracket = _BRACKET.match(name)
        if bracket and normalise(bracket[1]):
            hint = HINTS.get(normalise(bracket[2]).removeprefix("us "), ())
            return [Wanted(normalise(bracket[1]), hint, () if hint else (bracket[2],))]
        head, *tail = (part.strip() for part in name.split(","))
        within = tuple(part for part in tail if normalise(part))
        readings = [] if not within else [Wanted(normalise(name))]
        for key, kinds in self._plain(normalise(head)):
            readings.append(Wanted(key, kinds, within))
        if not within:
            readings += self._trailing(name)
        # "Southern Nations, Nationalities and Peoples, Ethiopia": a comma may belong to a name.
        for j in range(1, len(within)):
            readings.append(Wanted(normalise(" ".join((head, *within[:j]))), (), within[j:]))
            readings.append(Wanted(normalise(head), (), (" ".join(within[:j]), *within[j:])))
        return [r for r in readings if r.key]

    @staticmethod
    def _plain(key: str) -> list[tuple[str, tuple[str, ...]]]:
        readings: list[tuple[str, tuple[str, ...]]] = [(key, ())]
        if found := _PREFIX.match(key):
            readings.append((found[2].removeprefix("the "), HINTS[found[1]]))
        if found := _PORT.match(key):
            readings.append((f"port of {found[1] or found[2]}", ("port",)))
        if found := _SUFFIX.match(key):
            readings.append((found[1], HINTS[found[2]]))
        if found := _PORT.match(key):
            readings.append((found[1] or found[2], ("city",)))
        if found := _LOOSE.match(key):
            readings.append((found[1] or found[2], ()))
        return readings

    def _trailing(self, name: str) -> list[Wanted]:
        """Readings with the last one to three words as a qualifier: "Paris TX", "London Ontario"."""
        words = name.split()
        found = []
        for n in range(1, min(3, len(words) - 1) + 1):
            head, tail = normalise(" ".join(words[:-n])), " ".join(words[-n:])
            if head and self.containers(tail):
                found += [Wanted(key, kinds, (tail,)) for key, kinds in self._plain(head)]
        return found

    # Qualifiers

    def containers(self, qualifier: str) -> list[int]:
        """Rows of the countries and areas a qualifier stands for: "PA", "Ontario", "UK", "Bavaria"."""
        text = qualifier.strip()
        code = text.replace(".", "").upper()
        found = [row for row, _ in self.table.rows(normalise(text)) if self.table.kind(row) != "city"]
        if len(code) == 2:
            found += self._by_code.get(code, [])
        return found

    @cached_property
    def _by_code(self) -> dict[str, list[int]]:
        """US states', Canadian provinces' and countries' two-letter codes."""
        found: dict[str, list[int]] = {}
        provinces = {name: code for code, name in PROVINCES.items()}
        for row in range(self.table.first_city):
            kind, country = self.table.kind(row), self.table.country(row)
            if kind == "country" and country:
                found.setdefault(country, []).append(row)
            elif kind == "admin1" and country == "US":
                found.setdefault(self.table.place(row).id.rpartition("-")[2], []).insert(0, row)
            elif kind == "admin1" and country == "CA" and self.table.name(row) in provinces:
                found.setdefault(provinces[self.table.name(row)], []).insert(0, row)
        assert set(US_STATES) <= set(found), "a US state is missing from the table"
        return found

    def _inside(self, row: int, container: int) -> bool:
        kind, country = self.table.kind(container), self.table.country(container)
        if row == container:
            return False
        if kind == "country":
            return self.table.country(row) == country
        lon, lat = self.table.lonlat[row].tolist()
        if kind == "admin1":
            own = self.table.admin1(row)
            if own >= 0 and self.table.country(container) != "GB":
                return own == container
            return own == container or (
                self.table.country(row) == country and self.table.holds(container, lon, lat)
            )
        return self.table.holds(container, lon, lat)

    def _matching(self, wanted: Wanted, rows: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """The rows that are of the wanted kind and lie in every qualifier."""
        if wanted.kinds:
            rows = [(row, claim) for row, claim in rows if self.table.kind(row) in wanted.kinds]
        for qualifier in wanted.within:
            containers = self.containers(qualifier)
            rows = [(row, claim) for row, claim in rows if any(self._inside(row, c) for c in containers)]
        return rows

    # Order

    def fame(self, row: int, claim: int) -> float:
        """How well known a place is under a name, in people of an equally known city."""
        kind, people = self.table.kind(row), self.table.population(row)
        if kind == "country":
            fame = 2e7 + people
        elif kind == "admin1":
            fame = (2e7 if self.table.country(row) == "US" else 1e5) + people
        elif kind == "city":
            fame = max(people, 1000)
        else:
            fame = FAME.get(kind, OTHER_FAME)
        return float(fame) * (0.1 if claim == ALTERNATE else 1.0)

    def _ranked(
        self, query: str, wanted: Wanted, rows: list[tuple[int, int]], limit: int, corrected: bool = False
    ) -> Resolution:
        ordered = self._cities_first(sorted(rows, key=lambda rc: (-self.fame(*rc), rc[0])))
        if wanted.within:
            ordered = self._whole_label_first(query, ordered)
        ordered = self._distinct(ordered)
        plain = not wanted.within and not wanted.kinds
        verdict, first = self._senses.get(wanted.key, ("", -1)) if plain else ("", -1)
        if any(row == first for row, _ in ordered):
            ordered.sort(key=lambda rc: rc[0] != first)
        ambiguous = verdict == "ambiguous" if verdict else self._ambiguous(ordered)
        candidates = tuple(
            Candidate(
                self.table.place(row),
                self._score(i, row, claim),
                self._reason(i, row, claim, ordered, corrected),
            )
            for i, (row, claim) in enumerate(ordered[:limit])
        )
        return Resolution(query, candidates, ambiguous and len(ordered) > 1, corrected)

    def _score(self, position: int, row: int, claim: int) -> float:
        """0..1 and falling with the position, so that the order is the score's."""
        return round(min(1.0, log10(1 + self.fame(row, claim)) / 10) / (1 + position), 4)

    def _ambiguous(self, ordered: list[tuple[int, int]]) -> bool:
        if len(ordered) < 2:
            return False
        first, second = ordered[0], ordered[1]
        if self.table.kind(first[0]) == "country" and self.table.kind(second[0]) == "city":
            return False
        return self.fame(*first) < DOMINANCE * self.fame(*second)

    def _distinct(self, ordered: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """One candidate per sense: a city and the province around it are one, the better known is kept."""
        kept: list[tuple[int, int]] = []
        for row, claim in ordered:
            if not any(self._same_sense(row, other) for other, _ in kept):
                kept.append((row, claim))
        return kept

    def _cities_first(self, ordered: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """A city that holds a fifth of its area's people goes before the area of that name."""
        moved = list(ordered)
        areas = [rc for rc in ordered if self.table.kind(rc[0]) == "admin1"]
        for area in areas:
            least = self.table.population(area[0]) / 5
            for city in ordered:
                large = self.table.kind(city[0]) == "city" and self.table.population(city[0]) >= least
                if (
                    large
                    and city[1] != ALTERNATE
                    and self._is_seat(city[0], area[0])
                    and moved.index(area) < moved.index(city)
                ):
                    moved.remove(city)
                    moved.insert(moved.index(area), city)
        return moved

    def _same_sense(self, row: int, other: int) -> bool:
        kinds = {self.table.kind(row), self.table.kind(other)}
        if kinds == {"city"}:
            return self.table.country(row) == self.table.country(other) and self._near(row, other, 0.3)
        if kinds == {"city", "admin1"}:
            return self._is_seat(*((row, other) if self.table.kind(row) == "city" else (other, row)))
        return "city" not in kinds and "country" not in kinds and self._near(row, other, 3.0)

    def _whole_label_first(self, query: str, ordered: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """A place whose label was written in full goes first: "Kyiv, Ukraine" may also be the area."""
        key = normalise(query)
        return sorted(ordered, key=lambda rc: normalise(self.table.place(rc[0]).label) != key)

    def _is_seat(self, city: int, area: int) -> bool:
        """Whether a first-level area is named after the city in it (São Paulo, Lagos, Beijing)."""
        country = self.table.country(city)
        if country == "US" or country != self.table.country(area):
            return False
        return self.table.admin1(city) == area or self.table.holds(area, *self.table.lonlat[city].tolist())

    def _near(self, row: int, other: int, degrees: float) -> bool:
        return bool(abs(self.table.lonlat[row] - self.table.lonlat[other]).max() < degrees)

    @cached_property
    def _senses(self) -> dict[str, tuple[str, int]]:
        """Names whose order was judged by hand: key → (dominant or ambiguous, the first sense's row)."""
        found: dict[str, tuple[str, int]] = {}
        with (HERE / "senses.csv").open(encoding="utf-8", newline="") as file:
            for line in csv.DictReader(file):
                key = normalise(line["name"])
                for row, _ in self.table.rows(key):
                    same = (
                        self.table.kind(row) == line["first_kind"]
                        and (self.table.country(row) or "") == line["first_country"]
                    )
                    if same and line["first_name"] in ("", self.table.name(row)):
                        found.setdefault(key, (line["verdict"], row))
        return found

    def _reason(
        self, position: int, row: int, claim: int, ordered: list[tuple[int, int]], corrected: bool
    ) -> str:
        kind, name, people = self.table.kind(row), self.table.name(row), self.table.population(row)
        if corrected:
            return f"spelled '{name}'"
        if kind == "country":
            return "the country"
        if kind == "admin1":
            country = self.table.country(row) or ""
            return (
                "the US state"
                if country == "US"
                else f"the first-level area of {self.table.country_names.get(country, country)}"
            )
        if kind != "city":
            return f"the {kind}"
        cities = [r for r, _ in ordered if self.table.kind(r) == "city"]
        if claim != PRIMARY:
            return f"another name of {name} ({people:,} people)"
        if len(cities) == 1:
            return f"the city ({people:,} people)"
        rank = (
            "largest city of that name"
            if row == max(cities, key=self.table.population)
            else "a city of that name"
        )
        return f"{rank} ({people:,} people)"

    # Misspellings

    def _misspelled(self, name: str, limit: int) -> Resolution:
        for wanted in self._readings(name):
            if is_known(wanted.key):
                continue
            wanted = replace(wanted, within=tuple(map(self._corrected_qualifier, wanted.within)))
            for key in self.near_keys(wanted.key):
                rows = self._matching(wanted, self.table.rows(key))
                if rows and self._is_slip(wanted, key, rows):
                    return self._ranked(
                        name, Wanted(key, wanted.kinds, wanted.within), rows, limit, corrected=True
                    )
        return Resolution(name, (), ambiguous=False, corrected=False)

    def _is_slip(self, wanted: Wanted, key: str, rows: list[tuple[int, int]]) -> bool:
        """Whether a name that nothing bears was meant as this one, and is no other name that is alike.

        One slip in a name of up to 8 letters, two in a longer one or where letters only changed places ("Nwe
        Yrok"): stricter than what search engines take (Elasticsearch's fuzziness AUTO: one from 3 letters,
        two from 6), since one place is chosen here and no list is shown. And the place is well known, or lies
        where it was said to lie: a village is no likely meaning of a word that is spelled a little alike.
        """
        written, meant = wanted.key.replace(" ", ""), key.replace(" ", "")
        allowed = 2 if len(written) > _SHORT_NAME or sorted(written) == sorted(meant) else 1
        known = bool(wanted.within) or max(self.fame(*each) for each in rows) >= KNOWN_FAME
        return known and DamerauLevenshtein.distance(written, meant) <= allowed

    def _corrected_qualifier(self, qualifier: str) -> str:
        """The qualifier, or the area it is a misspelling of."""
        if self.containers(qualifier):
            return qualifier
        return next(
            (near for near in self.near_keys(normalise(qualifier)) if self.containers(near)), qualifier
        )

    def near_keys(self, key: str, slack: int = 0, limit: int = 8) -> list[str]:
        """Names within a few slips of the key, nearest and best known first.

        One slip in a key of up to 6 letters, two up to 10, then three; `slack` allows more.
        """
        slips = (1 if len(key) < 7 else 2 if len(key) < 11 else 3) + slack
        if not key or (len(key) < 5 and slack == 0):
            return []
        pools = [self.table.fuzzy_keys.get(key[0], [])]
        if slack == 0 and len(key) > 5 and key[1] != key[0]:
            pools.append(
                self.table.fuzzy_keys.get(key[1], [])
            )  # the first two letters swapped, or the first one lost
        found = [
            hit
            for pool in pools
            for hit in process.extract(
                key, pool, scorer=DamerauLevenshtein.distance, score_cutoff=slips, limit=50
            )
        ]
        found += [(joined, 0, 0) for joined in [self._joined.get(key.replace(" ", ""))] if joined]
        fame = {hit[0]: max((self.fame(*rc) for rc in self.table.rows(hit[0])), default=0.0) for hit in found}
        ordered = sorted(found, key=lambda hit: (hit[1] - 0.45 * log10(1 + fame[hit[0]]), hit[0]))
        return [hit[0] for hit in ordered[:limit]]

    @cached_property
    def _joined(self) -> dict[str, str]:
        """Names of several words written as one: "sanfrancisco" → "san francisco"."""
        found: dict[str, str] = {}
        for pool in self.table.fuzzy_keys.values():
            for key in pool:
                if " " in key:
                    found.setdefault(key.replace(" ", ""), key)
        return found
