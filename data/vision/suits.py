"""Whether a look can tell anything of an image at all, by its bands: told before it is run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from data.progress import Unheard
from data.raster.errors import RasterError

_SURE = 0.75
"""How sure it must be that an image is no radar for it to be refused as such."""


def refuse_no_radar(path: Path) -> None:
    """Raise RasterError for an image of one or two bands without names that is plainly no radar."""
    from data.vision.modality import tell_modality

    told = tell_modality(Unheard(), path)
    if told.name == "sar" or (told.name is not None and told.confidence < _SURE):
        return
    if told.name is None and told.instead is None:
        return
    what = f"is {told.name}" if told.name is not None else f"holds {told.instead}"
    raise RasterError(
        f"{path.name} {what} and no radar image; water is told from land in radar (one or two bands), or by "
        "green with infrared (the bands green and swir16 or nir, by name or description)."
    )


def refuse_no_image(path: Path) -> None:
    """Raise RasterError for a raster of heights, of classes or of nothing, in which no thing can be seen."""
    from data.vision.modality import modality_of

    instead = modality_of(path).instead
    if instead is None:
        return
    raise RasterError(
        f"Things on the ground are found in a colour, multispectral, panchromatic or radar image, and "
        f"{path.name} holds {instead}."
    )


def refusal(tool: str, path: Path) -> str | None:
    """Why a tool can tell nothing of an image, in a sentence; None where it can, or only a run shows it."""
    check = _CHECKS.get(tool)
    if check is None:
        return None
    try:
        check(path)
    except RasterError as error:
        return str(error)
    return None


def _flood(path: Path) -> None:
    from data.vision.flood import optical_bands

    if optical_bands(path) is None:
        refuse_no_radar(path)


def _water(path: Path) -> None:
    from data.vision.water import suited

    suited(path)


def _burned(path: Path) -> None:
    from data.vision.burn import burn_bands

    burn_bands(path)


def _clouds(path: Path) -> None:
    from data.vision.clouds import choose

    choose(path)


def _quantities(path: Path) -> None:
    """Quantities of the ground need reflectance with infrared, or a thermal band."""
    from data.raster.bands import band_names, find_band
    from data.raster.digital import is_digital
    from data.raster.files import opened

    with opened(path) as source:
        names = band_names(source)
    if find_band(names, "lwir11") is not None or find_band(names, "lwir12") is not None:
        return
    number = find_band(names, "nir")
    if number is None or is_digital(path, (number,)):
        raise RasterError(
            "Quantities of the ground are computed from reflectance with near infrared, or from a thermal "
            f"band; {path.name} has neither."
        )


_CHECKS: Mapping[str, Callable[[Path], None]] = {
    "flood_mapping": _flood,
    "water_extraction": _water,
    "burned_area": _burned,
    "cloud_detection": _clouds,
    "cloud_removal": _clouds,
    "remote_sensing_inversion": _quantities,
}
CHECKED = tuple(_CHECKS)
"""The tools of which an image's bands say whether they can tell anything."""
