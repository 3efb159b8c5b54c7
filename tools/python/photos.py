"""Tell what a camera wrote into a photo."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from state.model import State
from tools.base import Step, ToolError, World, tool
from tools.phrases import number, one_line
from tools.python.pictures import readable
from tools.rasters import RasterHandle, raster_of

if TYPE_CHECKING:
    from data.pictures.photos import Photo


@tool("python", needs=("raster",))
def read_exif(state: State, world: World, *, raster: RasterHandle) -> Step:
    """Tell what the camera wrote into a photo: camera, time in UTC, place, direction and exposure.

    EXIF 2.32. The time is in UTC by the camera's offset, else by its GPS; without either it has no zone.

    Example: copilot call read_exif raster=raster-9407a0

    Asked as: where was the photo taken | when was this picture taken | which camera was it | exif of the
    photo | GPS position of the image | exposure time and ISO of the photo
    """
    from data.pictures.photos import read_exif as exif_of

    found = raster_of(state, world, raster)
    with readable():
        photo = exif_of(found.path)
    name = one_line(found.name)
    if not photo.tags:
        raise ToolError(f"{name} holds no EXIF: it is no photo as a camera wrote it.")
    where = _where(photo)
    taken = f"was taken {', '.join(where)}" if where else "tells neither time nor place"
    settings = _settings(photo)
    shot = f"; {', '.join(settings)}" if settings else ""
    nowhere = "" if photo.lon is not None else " It has no GPS position."
    facts = {"raster": found.handle, **asdict(photo)}
    return Step(state, f"{name} {taken}{shot}.{nowhere}", facts)


def _where(photo: Photo) -> list[str]:
    """By what, when and where it was taken, as far as the camera wrote it."""
    parts = [f"by {photo.camera}"] if photo.camera else []
    if photo.taken_utc:
        parts.append(f"at {photo.taken_utc}")
    elif photo.taken_local:
        parts.append(f"at {photo.taken_local} by the camera's clock, in no zone")
    if photo.lon is not None and photo.lat is not None:
        parts.append(f"at longitude {photo.lon:.6f}, latitude {photo.lat:.6f}")
    if photo.altitude_m is not None:
        parts.append(f"{number(photo.altitude_m)} m above the sea")
    if photo.direction_deg is not None:
        parts.append(f"looking {photo.direction_deg:.0f} degrees clockwise from north")
    return parts


def _settings(photo: Photo) -> list[str]:
    """Exposure, aperture, sensitivity and focal length, with their units."""
    values = (
        (photo.exposure_s, "{:g} s"),
        (photo.f_number, "f/{:g}"),
        (photo.iso, "ISO {:g}"),
        (photo.focal_length_mm, "{:g} mm"),
    )
    return [form.format(value) for value, form in values if value is not None]


TOOLS = (read_exif,)
