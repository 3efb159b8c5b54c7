"""From a record to a scene: its ground, the things it lists, and how its sensor saw them that day."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from data.rendered.grounds import houses, sea, struck, town, woods
from data.rendered.mosaic import mosaic
from data.rendered.places import COUNTRY, draw_place, painter_of
from data.rendered.shapes import look_of, shape_of
from data.rendered.subject import Subject
from data.rendered.window import Canvas, Streams, Window, close_up, whole
from data.scenes.model import COVERS, Scene
from data.scenes.paint import Light
from data.scenes.plan import Plan, Thing
from data.scenes.rendering import View, seen
from data.scenes.sensor import Tone
from data.scenes.shapes import Shape

LISTS_NO_BUILDINGS = ("fair1m", "fmow")
"""Data sets in which buildings stand that no record lists."""
_TONES = {
    "Google Earth": Tone(2.1, 0.72, (0.98, 1.0, 1.03), (0.0, 0.0, 0.0), 1.15),
    "Gaofen-2": Tone(1.75, 0.78, (1.05, 1.0, 0.97), (0.03, 0.02, 0.01), 0.9),
}
_TONE = Tone(1.9, 0.75, (1.0, 1.0, 1.0), (0.0, 0.0, 0.0), 1.0)
_FOUR = np.array([4])
_LOOKS = 4.4
"""Equivalent number of looks of Sentinel-1's detected products (ESA, 2016)."""

__all__ = ["Window", "close_up", "plan_of", "scene_of", "whole"]


def scene_of(subject: Subject, window: Window) -> Scene:
    """What the record shows in that window, the same for the same record in every process."""
    plan = plan_of(subject, window)
    day = np.random.default_rng([subject.seed, 2, subject.taken.toordinal()])
    ground = np.random.default_rng([subject.seed, 4])
    air = np.random.default_rng([subject.seed, 5, subject.taken.toordinal()])
    view = _view(subject, day)
    if not window.is_whole(subject):  # where a cloud lies is drawn over all of an image
        view = replace(view, clouds=0.0)
    scene = seen(plan, view, ground, air, maps=False)
    return replace(scene, transform=window.places(subject), crs="EPSG:4326", theme=subject.dataset)


def plan_of(subject: Subject, window: Window) -> Plan:
    """What lies and stands where in that window."""
    plan = Plan((window.height_px, window.width_px), window.gsd_m, 0.0, "grass")
    canvas = Canvas(plan, window, subject)
    if subject.modality == "sar":
        sea(canvas)
    elif subject.modality == "multispectral":
        mosaic(canvas)
        return plan
    else:
        town(canvas, streets=not _in_the_country(subject))
        struck(canvas)
    if subject.dataset == "fmow":
        for number, item in enumerate(subject.items):
            draw_place(canvas, item, number)
    else:
        _listed(canvas)
    if subject.modality != "sar":
        if subject.dataset in LISTS_NO_BUILDINGS and not _in_the_country(subject):
            houses(canvas)
        woods(canvas)
    return plan


def _in_the_country(subject: Subject) -> bool:
    """Whether the image shows a place of a kind that lies outside of towns."""
    return subject.dataset == "fmow" and any(painter_of(each) in COUNTRY for each in subject.classes)


def _listed(canvas: Canvas) -> None:
    """Put each listed thing where it is listed, the large below the small; its front at either end."""
    streams, items = Streams(canvas.subject, 6), list(enumerate(canvas.subject.items))
    for number, item in sorted(items, key=lambda each: -each[1].length_m * each[1].width_m):
        if not canvas.reaches(item.x_m, item.y_m, item.length_m):
            continue
        rng = streams.at(number)
        shape = shape_of(rng, look_of(item.name), item.length_m, item.width_m, canvas.window.gsd_m)
        heading = item.turn_rad + (np.pi if rng.uniform() < 0.5 else 0.0)
        x, y = canvas.local(item.x_m, item.y_m)
        if len(shape.parts) == 1 and shape.parts[0].solid and len(shape.parts[0].points) == 4:
            _lay_block(canvas.plan, shape, x, y, heading)
        else:
            canvas.plan.put(shape, x, y, heading, over=True)


def _lay_block(plan: Plan, shape: Shape, x: float, y: float, heading: float) -> None:
    """What `Plan.put` does, for a shape of one box: an image may list a thousand of a few pixels each."""
    cos, sin = float(np.cos(heading)), float(np.sin(heading))
    centre = np.array([x, y]) / plan.gsd_m + np.array([plan.size[1], plan.size[0]]) / 2
    corners = shape.parts[0].points @ (np.array([[cos, sin], [-sin, cos]]) / plan.gsd_m) + centre
    plan.things.append(Thing(shape, corners, _FOUR, centre, np.array([cos, sin]), corners, 1.0))
    drawn = np.asarray(np.round((corners - 0.5) * 16), np.int32)
    cv2.fillConvexPoly(plan.taken, drawn, 1, cv2.LINE_8, 4)
    if shape.class_name == "building":
        cv2.fillConvexPoly(plan.covers, drawn, COVERS.index("building"), cv2.LINE_8, 4)


def _view(subject: Subject, rng: np.random.Generator) -> View:
    """The sensor, the season, and the sun of half past ten on that day."""
    kinds = {"sar": "sar", "multispectral": "multispectral"}
    optical = subject.modality not in kinds
    return View(
        kind=kinds.get(subject.modality, "optical"),  # type: ignore[arg-type]
        season=_season(subject),
        light=_sun(subject),
        tone=_TONES.get(subject.sensor, _TONE),
        clouds=subject.clouds if subject.clouds >= 0.01 else 0.0,
        haze=float(rng.uniform(0.0, 0.08)) if optical else 0.0,
        noise=1.0 if optical else 0.3,
        blur_px=0.45 if optical else 0.0,
        jpeg=None,
        looks=_LOOKS,
        variation=0.3,
    )


def _season(subject: Subject) -> str:
    """By the month, turned round south of the equator; summer all year in the tropics."""
    if abs(subject.lat) < 23.5:
        return "summer"
    month = (subject.taken.month + (6 if subject.lat < 0 else 0)) % 12
    return ("winter", "spring", "summer", "autumn")[month // 3]


def _sun(subject: Subject) -> Light:
    """Where the sun stands an hour and a half before noon (Cooper's declination, 1969)."""
    day = subject.taken.timetuple().tm_yday
    declination = np.radians(23.45 * np.sin(2 * np.pi * (284 + day) / 365))
    lat, hour = np.radians(subject.lat), np.radians(-22.5)
    height = np.sin(lat) * np.sin(declination) + np.cos(lat) * np.cos(declination) * np.cos(hour)
    east = -np.cos(declination) * np.sin(hour)
    north = np.cos(lat) * np.sin(declination) - np.sin(lat) * np.cos(declination) * np.cos(hour)
    azimuth = float(np.degrees(np.arctan2(east, north)) % 360)
    return Light(azimuth, float(np.degrees(np.arcsin(np.clip(height, 0.2, 1.0)))), 0.6)
