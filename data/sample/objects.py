"""The object data sets seen by optical sensors: xView, FAIR1M and fMoW."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from data.sample.frame import Boxes, Coded, Frame, around, numbered
from data.sample.mixes import MIXES, sizes, weights
from data.sample.plan import Shots, Wanted, cloud, every_month, every_year, shoot
from data.sample.rng import Draw, Ints, shares
from data.sample.sites import Site, column, sites_of
from data.vocabulary import CLASS_NAMES
from data.vocabulary.words import data_lines

_URBAN = ("city", "capital", "airport", "port")
_XVIEW_PLACES = data_lines(Path(__file__).with_name("xview_places.txt"))


def xview(draw: Draw, images: int, detections: int) -> tuple[Frame, Boxes]:
    """xView: 60 classes in WorldView-3 images of about 65 large cities, their ports and airports."""
    cities = {site.name: site for site in sorted(sites_of("city", "capital"), key=lambda site: site.weight)}
    sites = [cities[name] for name in _XVIEW_PLACES] + list(sites_of("airport", "port"))
    share = np.where(np.arange(len(sites)) < len(_XVIEW_PLACES), 30, 12)
    wanted = every_month(0, [4, 4, 7]) + every_year(sites, range(len(_XVIEW_PLACES)), draw)
    shots = shoot(draw, sites, share, images, wanted)
    numbers = draw.shuffled(np.arange(images)) + 5
    frame = _optical(
        draw,
        "xview1",
        sites,
        shots,
        (2600, 4400),
        Coded(np.zeros(images, np.int64), ["WorldView-3"]),
        np.full(images, 30),
        numbered("", numbers, 1, ".tif"),
        (60, 20, 20),
        "red,green,blue",
        25,
    )
    return frame, _objects(draw, "xview1", frame, detections, turned=False)


def fair1m(draw: Draw, images: int, detections: int) -> tuple[Frame, Boxes]:
    """FAIR1M: 37 classes in Gaofen-2 and Google Earth images of cities, airports and ports."""
    sites = sites_of(*_URBAN)
    wanted = _large_cities_every_year(draw, sites, 12)
    shots = shoot(draw, sites, _with_pittsburgh(sites, 330), images, wanted)
    google = draw.below(100, images) < 45
    gsd = np.where(google, draw.between(30, 80, images), 80)
    names = numbered("", draw.shuffled(np.arange(images)), 5, ".tif")
    sensor = Coded(google.astype(np.int64), ["Gaofen-2", "Google Earth"])
    frame = _optical(
        draw, "fair1m", sites, shots, (1000, 2400), sensor, gsd, names, (16488, 0, 8287), "red,green,blue", 30
    )
    return frame, _objects(draw, "fair1m", frame, detections, turned=True)


def fmow(draw: Draw, images: int, detections: int) -> tuple[Frame, Boxes]:
    """fMoW: one of 62 categories an image, boxed once or more."""
    sites = sites_of(*_URBAN)
    share = _with_pittsburgh(sites, 150)
    share //= np.array([5 if site.kind in ("airport", "port") else 1 for site in sites])
    shots = shoot(draw, sites, share, images, _large_cities_every_year(draw, sites, 3))
    category = classes_by_kind(draw, "fmow", sites, shots.site)
    # QuickBird-02 came down in January 2015; only what it took that month is its own
    sensor = draw.pick(np.array([30, 34, 36]), images)
    sensor = np.where((shots.seconds < 1_422_316_800) & (draw.below(3, images) > 0), 3, sensor)
    low, high = np.array([31, 46, 41, 61]), np.array([124, 160, 160, 160])
    gsd = low[sensor] + draw.below(high[sensor] - low[sensor], images)
    platforms = Coded(sensor, ["WorldView-3", "WorldView-2", "GeoEye-1", "QuickBird-02"])
    labels = pa.array(CLASS_NAMES["fmow"]).take(pa.array(category))
    names = pc.binary_join_element_wise(labels, numbered("", _rank(category), 1, "_0_rgb.jpg"), "_")
    frame = _optical(
        draw,
        "fmow",
        sites,
        shots,
        (500, 1700),
        platforms,
        gsd,
        names,
        (363572, 53041, 53473),
        "red,green,blue",
        60,
    )
    extra = draw.below(100, images)
    counts = 1 + shares(max(detections - images, 0), np.where(extra < 70, 0, extra))
    image = np.repeat(np.arange(images), counts)
    lon, lat = _inside(draw, frame, image, 3)
    side = draw.between(400, 2200, len(image))
    return frame, Boxes(
        image, category[image], lon, lat, side, side * draw.between(55, 100, len(image)) // 100
    )


def classes_by_kind(draw: Draw, dataset: str, sites: Sequence[Site], site: Ints) -> Ints:
    """A class id for each entry, drawn by the mix of its site's kind."""
    kinds = list(MIXES[dataset])
    kind = np.array([kinds.index(s.kind) for s in sites])[site]
    found = np.zeros(len(site), np.int64)
    for number, name in enumerate(kinds):
        here = np.flatnonzero(kind == number)
        if len(here):
            found[here] = draw.pick(weights(dataset, name), len(here))
    return found


def _large_cities_every_year(draw: Draw, sites: Sequence[Site], months: int) -> list[Wanted]:
    """Pittsburgh's months, then every city and capital in each year, the largest first."""
    home = next(number for number, site in enumerate(sites) if site.name == "Pittsburgh")
    chosen = [number for number, site in enumerate(sites) if site.kind in ("city", "capital")]
    chosen.sort(key=lambda number: -sites[number].weight)
    may_2018 = [Wanted(home, 12 * 3 + 4)] * (8 if months == 12 else 3)
    return may_2018 + every_month(home, range(months)) + every_year(sites, chosen, draw)


def _with_pittsburgh(sites: Sequence[Site], least: int) -> Ints:
    """The sites' weights, Pittsburgh's raised: the examples in the documentation look there."""
    found = column(sites, "weight")
    found[next(number for number, site in enumerate(sites) if site.name == "Pittsburgh")] = least
    return found


def _optical(
    draw: Draw,
    dataset: str,
    sites: Sequence[Site],
    shots: Shots,
    pixels: tuple[int, int],
    sensor: Coded,
    gsd: Ints,
    name: pa.Array,
    splits: tuple[int, int, int],
    bands: str,
    clouds: int,
) -> Frame:
    count = len(shots.site)
    width = draw.between(*pixels, count)
    height = width * draw.between(80, 120, count) // 100
    split = Coded(draw.pick(np.array(splits), count), ["train", "val", "test"])
    cover = cloud(draw, count, clouds)
    return Frame(
        dataset,
        sites,
        shots.site,
        shots.lon,
        shots.lat,
        shots.seconds,
        width,
        height,
        gsd,
        name,
        sensor,
        "optical",
        split,
        bands,
        cover,
    )


def _objects(draw: Draw, dataset: str, frame: Frame, total: int, *, turned: bool) -> Boxes:
    counts = shares(total, draw.between(20, 100, len(frame.site)))
    image = np.repeat(np.arange(len(frame.site)), counts)
    class_id = classes_by_kind(draw, dataset, frame.sites, frame.site[image])
    lon, lat = _inside(draw, frame, image, 10)
    lengths, widths = sizes(dataset)
    percent = draw.between(75, 125, len(image))
    turn = draw.below(128, len(image)) if turned else None
    return Boxes(
        image, class_id, lon, lat, lengths[class_id] * percent // 100, widths[class_id] * percent // 100, turn
    )


def _inside(draw: Draw, frame: Frame, image: Ints, part: int) -> tuple[Ints, Ints]:
    """A position in each entry's image, at most (part-1)/part of the way from its centre to its edge."""
    reach_x = frame.width_px * frame.gsd_cm // 200 * (part - 1) // part
    reach_y = frame.height_px * frame.gsd_cm // 200 * (part - 1) // part
    east = draw.below(2 * reach_x[image] + 1, len(image)) - reach_x[image]
    north = draw.below(2 * reach_y[image] + 1, len(image)) - reach_y[image]
    return around(frame.lon[image], frame.lat[image], east, north)


def _rank(values: Ints) -> Ints:
    """How many equal values stand before each one."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    starts = np.searchsorted(ordered, ordered, side="left")
    ranks = np.empty_like(order)
    ranks[order] = np.arange(len(values)) - starts
    return ranks
