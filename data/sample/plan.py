"""Where and when the images of a data set are taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from data.sample.frame import around
from data.sample.rng import Draw, Ints
from data.sample.sites import Site, column

FIRST_YEAR, LAST_YEAR = 2015, 2023
YEARS = LAST_YEAR - FIRST_YEAR + 1
_MONTH_STARTS = np.arange(f"{FIRST_YEAR}-01", f"{LAST_YEAR + 1}-02", dtype="datetime64[M]").astype(
    "datetime64[D]"
)


@dataclass(frozen=True)
class Wanted:
    """An image that must be there: its site, and its month counted from January 2015."""

    site: int
    month: int


@dataclass(frozen=True)
class Shots:
    """Places and times, sorted by site and then by time."""

    site: Ints
    lon: Ints
    lat: Ints
    seconds: Ints


def shoot(
    draw: Draw,
    sites: Sequence[Site],
    weights: Ints,
    count: int,
    wanted: Sequence[Wanted],
    first_month: int = 0,
) -> Shots:
    """`count` shots: the wanted ones first, the others drawn by the sites' weights over all months."""
    must = list(wanted[:count])
    rest = count - len(must)
    site = np.concatenate([np.array([w.site for w in must], dtype=np.int64), draw.pick(weights, rest)])
    months = draw.below(YEARS * 12 - first_month, rest) + first_month
    month = np.concatenate([np.array([max(w.month, first_month) for w in must], dtype=np.int64), months])
    starts = _MONTH_STARTS.astype(np.int64)
    day = starts[month] + draw.below(starts[month + 1] - starts[month], count)
    spread = column(sites, "spread_m")[site]
    lon, lat = around(
        column(sites, "lon")[site],
        column(sites, "lat")[site],
        draw.scatter(spread, count),
        draw.scatter(spread, count),
    )
    seconds = day * 86_400 + _second_of_day(draw, lon, count)
    order = np.lexsort((seconds, site))
    return Shots(site[order], lon[order], lat[order], seconds[order])


def every_year(sites: Sequence[Site], chosen: Sequence[int], draw: Draw) -> list[Wanted]:
    """One image of each chosen site in each year, in a random month."""
    months = draw.below(12, len(chosen) * YEARS)
    pairs = [(site, year) for year in range(YEARS) for site in chosen]
    return [Wanted(site, year * 12 + int(month)) for (site, year), month in zip(pairs, months, strict=True)]


def every_month(site: int, months: Sequence[int] = range(12)) -> list[Wanted]:
    """One image of a site in each of these months (0 is January) of each year, 2018 first."""
    years = sorted(range(YEARS), key=lambda year: (year != 2018 - FIRST_YEAR, year))
    return [Wanted(site, year * 12 + month) for year in years for month in months]


def _second_of_day(draw: Draw, lon: Ints, count: int) -> Ints:
    """UTC second of the day at about 10:30 local solar time: 240 s a degree of longitude."""
    local = 37_800 + draw.scatter(2_700, count)
    return (local - lon * 240 // 1_000_000) % 86_400


def cloud(draw: Draw, count: int, most: int) -> Ints:
    """Cloud cover in hundredths of a per cent, up to `most` per cent, mostly little."""
    first, second = draw.below(most * 10, count), draw.below(most * 10, count)
    return first * second // most
