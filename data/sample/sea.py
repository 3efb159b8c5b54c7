"""The radar data sets, xView3 and SARFish: the same scenes at sea, as different products."""

from __future__ import annotations

import numpy as np
import pyarrow.compute as pc

from data.sample.frame import Boxes, Coded, Frame, around, numbered
from data.sample.objects import classes_by_kind
from data.sample.plan import every_year, shoot
from data.sample.rng import Draw, shares
from data.sample.sites import column, sites_of
from data.vocabulary import CLASS_NAMES

_SIDE_PX, _GSD_CM = 2560, 1000
_REACH_M = _SIDE_PX * _GSD_CM // 200 * 9 // 10
_GRD, _SLC = '{"product_type":"GRD"}', '{"product_type":"SLC"}'


def scenes(draw: Draw, images: int, detections: int, dataset: str) -> tuple[Frame, Boxes]:
    """Sentinel-1 chips of 25.6 km with their vessels; the draws are the same for both data sets."""
    sites = sites_of("fishing_ground", "shipping_lane", "port")
    wanted = every_year(sites, range(len(sites)), draw)
    shots = shoot(draw, sites, column(sites, "weight"), images, wanted)
    # Sentinel-1 passes at about six in the morning or in the evening, local time
    evening = draw.below(2, images)
    seconds = (
        shots.seconds // 86_400 * 86_400 + (21_600 + 43_200 * evening - shots.lon * 240 // 1_000_000) % 86_400
    )
    split = draw.pick(np.array([554, 50, 150]), images)
    letters = Coded(split, ["t", "v", "p"]).column()
    numbers = numbered("", draw.shuffled(np.arange(images)), 6, "")
    name = pc.binary_join_element_wise("scene_", numbers, letters, "")
    is_slc = draw.below(2, images)
    both = dataset == "sarfish"
    frame = Frame(
        dataset,
        sites,
        shots.site,
        shots.lon,
        shots.lat,
        seconds,
        np.full(images, _SIDE_PX),
        np.full(images, _SIDE_PX),
        np.full(images, _GSD_CM),
        name,
        Coded(np.zeros(images, np.int64), ["Sentinel-1"]),
        "sar",
        Coded(split, ["train", "val", "test"]),
        "vv,vh",
        properties=Coded(is_slc, [_GRD, _SLC]) if both else None,
    )
    return frame, _vessels(draw, frame, detections)


def _vessels(draw: Draw, frame: Frame, total: int) -> Boxes:
    counts = shares(total, draw.below(30, len(frame.site)) + 1)
    image = np.repeat(np.arange(len(frame.site)), counts)
    class_id = classes_by_kind(draw, "xview3", frame.sites, frame.site[image])
    spread = np.minimum(column(frame.sites, "spread_m")[frame.site[image]], _REACH_M)
    east, north = draw.scatter(spread, len(image)), draw.scatter(spread, len(image))
    lon, lat = around(frame.lon[image], frame.lat[image], east, north)
    fishing = class_id == CLASS_NAMES["xview3"].index("fishing vessel")
    length = np.where(fishing, draw.between(12, 60, len(image)), draw.between(25, 320, len(image)))
    known = draw.below(10, len(image)) < 4
    confidence = np.array([90, 60, 30])[draw.pick(np.array([70, 22, 8]), len(image))]
    return Boxes(
        image, class_id, lon, lat, length * 10, length * 2, None, np.where(known, length, 0), confidence
    )
