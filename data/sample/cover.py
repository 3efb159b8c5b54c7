"""BigEarthNet: land-cover patches of ten European countries."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from data.sample.frame import Coded, Frame, numbered
from data.sample.mixes import landlocked, weights
from data.sample.plan import cloud, every_year, shoot
from data.sample.rng import Draw, Ints
from data.sample.sites import Site, column, sites_of
from data.vocabulary import CLASS_NAMES

COUNTRIES = ("AT", "BE", "FI", "IE", "LT", "LU", "PT", "RS", "CH", "XK")
_LANDSCAPES = ("boreal", "plain", "pasture", "mixed", "alpine", "mediterranean", "coast")
_SEA = (
    "Sea and ocean",
    "Beaches, dunes, sands",
    "Salt marshes",
    "Intertidal flats",
    "Estuaries",
    "Coastal lagoons",
    "Salines",
)
_SENTINEL_2_STARTS = 6  # July 2015, in months from January 2015
_SENTINEL_2B_STARTS = 1_498_867_200  # July 2017, in seconds


def patches(draw: Draw, images: int) -> tuple[Frame, Ints]:
    """Patches of 1.2 km and the class bits of each (1 to 5 classes)."""
    cities = [site for site in sites_of("city", "capital") if site.country in COUNTRIES]
    sites = [*sites_of(*_LANDSCAPES), *cities]
    wanted = every_year(sites, range(len(sites)), draw)
    share = np.where(np.arange(len(sites)) < len(sites) - len(cities), column(sites, "weight"), 30)
    shots = shoot(draw, sites, share, images, wanted, _SENTINEL_2_STARTS)
    name = _names(shots.seconds, (draw.below(2, images) == 1) & (shots.seconds >= _SENTINEL_2B_STARTS))
    frame = Frame(
        "bigearthnet",
        sites,
        shots.site,
        shots.lon,
        shots.lat,
        shots.seconds,
        np.full(images, 120),
        np.full(images, 120),
        np.full(images, 1000),
        name,
        Coded(np.zeros(images, np.int64), ["Sentinel-2"]),
        "multispectral",
        Coded(draw.pick(np.array([269695, 123723, 125866]), images), ["train", "val", "test"]),
        "B01,B02,B03,B04,B05,B06,B07,B08,B8A,B09,B11,B12",
        cloud(draw, images, 5),
    )
    return frame, _labels(draw, sites, shots.site)


def _names(seconds: Ints, second_satellite: Ints) -> pa.Array:
    """ "S2A_MSIL2A_20170613T101031_<column>_<row>", as BigEarthNet names its patches."""
    when = pc.strftime(pa.array(seconds).cast(pa.timestamp("s")), "%Y%m%dT%H%M%S")
    mission = Coded(second_satellite.astype(np.int64), ["S2A_MSIL2A", "S2B_MSIL2A"]).column()
    count = np.arange(len(seconds))
    return pc.binary_join_element_wise(
        mission, when, numbered("", count // 1000, 2, ""), numbered("", count % 1000, 2, ""), "_"
    )


def _labels(draw: Draw, sites: list[Site], site: Ints) -> Ints:
    words = np.zeros(len(site), np.int64)
    sea = [CLASS_NAMES["bigearthnet"].index(name) for name in _SEA]
    order = np.argsort(site, kind="stable")
    ends = np.searchsorted(site[order], np.arange(len(sites) + 1))
    for number, place in enumerate(sites):
        here = order[ends[number] : ends[number + 1]]
        mix = weights("bigearthnet", place.kind)
        if landlocked(place.country):
            mix[sea] = 0
        bits = np.int64(1) << draw.pick(mix, len(here) * 5).reshape(-1, 5)
        labels = draw.pick(np.array([14, 26, 30, 20, 10]), len(here)) + 1
        bits[np.arange(5)[None, :] >= labels[:, None]] = 0
        words[here] = np.bitwise_or.reduce(bits, axis=1)
    return words
