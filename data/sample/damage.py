"""xBD (xView2): pairs of images before and after 19 disasters, with the same buildings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from data.sample.frame import Boxes, Coded, Frame, around, numbered
from data.sample.plan import cloud
from data.sample.rng import Draw, Ints, shares
from data.sample.sites import Site, column, disasters

_LEVELS = np.array([313_033, 36_860, 29_904, 31_560, 14_011])
"""Published numbers of buildings by damage level, in the order of the class list."""
_EPOCH_DAY = 719_163  # date(1970, 1, 1).toordinal()


def pairs(draw: Draw, images: int, detections: int) -> tuple[Frame, Boxes]:
    """`images` images (an even number), `detections` polygons: each building once before, once after.

    Before the disaster every building is "no-damage"; after it the levels have the published shares.
    """
    count, events = images // 2, disasters()
    sites = [event.site for event in events]
    event = np.repeat(np.arange(len(events)), shares(count, column(sites, "weight")))
    lon, lat = _scattered(draw, sites_spread=column(sites, "spread_m")[event], event=event, sites=sites)
    seconds = _seconds(draw, event, lon)
    gsd = draw.between(45, 80, count)
    sensor = draw.pick(np.array([70, 15, 15]), count)
    own = np.array([_SENSORS.index(entry.sensor) for entry in events])[event]
    used = np.where((sensor == 0) | (own == _SENSORS.index("QuickBird-02")), own, sensor)
    frame = Frame(
        "xview2",
        sites,
        _twice(event),
        _twice(lon),
        _twice(lat),
        seconds.reshape(-1),
        np.full(images, 1024),
        np.full(images, 1024),
        _twice(gsd),
        _names(event),
        Coded(_twice(used), _SENSORS),
        "optical",
        Coded(_twice(draw.pick(np.array([60, 20, 20]), count)), ["train", "val", "test"]),
        "red,green,blue",
        cloud(draw, images, 20),
        Coded(_twice(event), [entry.name for entry in events]),
        _properties(event),
    )
    return frame, _buildings(draw, frame, gsd, detections // 2)


_SENSORS = ["WorldView-2", "GeoEye-1", "WorldView-3", "QuickBird-02"]


def _twice(values: Ints) -> Ints:
    return np.repeat(values, 2)


def _scattered(draw: Draw, sites_spread: Ints, event: Ints, sites: Sequence[Site]) -> tuple[Ints, Ints]:
    east, north = draw.scatter(sites_spread, len(event)), draw.scatter(sites_spread, len(event))
    return around(column(sites, "lon")[event], column(sites, "lat")[event], east, north)


def _seconds(draw: Draw, event: Ints, lon: Ints) -> Ints:
    """(pairs, 2) times: up to 20 months before the disaster, and within its days after."""
    events = disasters()
    struck = np.array([entry.day.toordinal() - _EPOCH_DAY for entry in events])[event]
    days_after = np.array([entry.days_after for entry in events])[event]
    before = struck - draw.between(5, 600, len(event))
    after = struck + 1 + draw.below(days_after, len(event))
    noon = (37_800 + draw.scatter(2_700, len(event)) - lon * 240 // 1_000_000) % 86_400
    return np.stack([before * 86_400 + noon, after * 86_400 + noon], axis=1)


def _names(event: Ints) -> pa.Array:
    events = disasters()
    starts = np.searchsorted(event, np.arange(len(events)))
    number = _twice(np.arange(len(event)) - starts[event])
    phase = Coded(np.arange(len(event) * 2) % 2, ["_pre_disaster.png", "_post_disaster.png"]).column()
    names = Coded(_twice(event), [entry.name for entry in events]).column()
    return pc.binary_join_element_wise(names, numbered("_", number, 8, ""), phase, "")


def _properties(event: Ints) -> Coded:
    values = [
        f'{{"disaster_type":"{entry.type}","phase":"{phase}"}}'
        for entry in disasters()
        for phase in ("pre", "post")
    ]
    return Coded(_twice(event) * 2 + np.arange(len(event) * 2) % 2, values)


def _buildings(draw: Draw, frame: Frame, gsd: Ints, total: int) -> Boxes:
    counts = shares(total, draw.between(1, 60, len(gsd)))
    pair = np.repeat(np.arange(len(gsd)), counts)
    reach = 1024 * gsd // 200 * 9 // 10
    east = draw.below(2 * reach[pair] + 1, total) - reach[pair]
    north = draw.below(2 * reach[pair] + 1, total) - reach[pair]
    lon, lat = around(frame.lon[::2][pair], frame.lat[::2][pair], east, north)
    length, turn = draw.between(80, 240, total), draw.below(128, total)
    width = length * draw.between(55, 95, total) // 100
    level = draw.shuffled(np.repeat(np.arange(len(_LEVELS)), shares(total, _LEVELS)))
    # each pair's buildings stand in both of its images: before, undamaged, and after
    image = np.concatenate([pair * 2, pair * 2 + 1])
    order = np.argsort(image, kind="stable")
    both = np.concatenate([np.arange(total), np.arange(total)])[order]
    class_id = np.concatenate([np.zeros(total, np.int64), level])[order]
    return Boxes(image[order], class_id, lon[both], lat[both], length[both], width[both], turn[both])
