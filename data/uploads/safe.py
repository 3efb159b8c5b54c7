"""Sentinel-2 products as they are handed out, packed SAFE folders: the bands of one resolution."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

import rasterio
from rasterio.errors import RasterioError
from rasterio.windows import Window

from data.raster.errors import RasterError
from data.raster.files import geotiff_profile
from data.raster.metadata import Sentinel2, read_metadata
from data.raster.told import BAND_FILE, PRODUCT_FILE
from data.raster.windows import Grid
from data.uploads.archive import Member, extract
from data.uploads.brought import Brought, Incoming
from data.uploads.errors import UploadError, shown
from data.uploads.gdal import opened, reason_of
from data.uploads.identify import identify

_BANDS_BY_METRES = {10: ("B02", "B03", "B04", "B08"), 20: ("B05", "B06", "B07", "B8A", "B11", "B12")}
"""Of Level 1C, whose files do not tell it; all others have 60 m."""
_METRES = re.compile(r"(\d\d) ?m", re.IGNORECASE)
_CLASSES = re.compile(r"/IMG_DATA/.*_SCL_\d\dm\.jp2", re.IGNORECASE)
_STRIP_ROWS = 1024
"""The height of a tile of the product's own JPEG 2000, so that none is decoded twice."""


@dataclass(frozen=True)
class Product:
    """A Sentinel-2 product in an archive."""

    name: str
    level: str
    """1C or 2A."""
    metadata: Member
    bands: Mapping[int, Mapping[str, Member]]
    """By the size of their pixels in metres, and by their codes."""
    classes: str | None
    """The name of the file of scene classes."""


def product_in(members: Sequence[Member]) -> Product | None:
    """The one Sentinel-2 product that an archive holds; None where it holds none, or several."""
    found = [each for each in members if PRODUCT_FILE.fullmatch(PurePosixPath(each.name).name)]
    if len(found) != 1:
        return None
    folder = found[0].name.rpartition("/")[0]
    level = found[0].name[-6:-4]
    bands: dict[int, dict[str, Member]] = {}
    classes = sorted(each.name for each in members if _CLASSES.search(each.name))
    for each in members:
        file = BAND_FILE.search(each.name)
        if file is None or "IMG_DATA" not in each.name.split("/") or not each.name.startswith(folder):
            continue
        code = file[1].upper()
        metres = int(file[2]) if file[2] else _native_m(code)
        if code in bands.setdefault(metres, {}):
            return None  # of before 2016, with several tiles
        bands[metres][code] = each
    name = PurePosixPath(folder).name.removesuffix(".SAFE") or f"Sentinel-2 Level-{level}"
    ordered = {metres: dict(sorted(bands[metres].items())) for metres in sorted(bands)}
    return Product(name, level, found[0], ordered, next(iter(classes), None)) if ordered else None


def bring_product(
    incoming: Incoming, product: Product, reader_of: Callable[[Incoming], Brought]
) -> Brought | None:
    """The bands of the resolution or the file that was asked for, else of the finest; None for no band.

    Raises UploadError.
    """
    metres, bands = _asked(incoming, product)
    if not bands:
        return None
    folder = incoming.folder / "product"
    wanted = {product.metadata.name, *(each.name for each in bands.values())}
    by_name = {
        file.relative_to(folder).as_posix(): file for file in extract(incoming.path, folder, only=wanted)
    }
    try:
        told = read_metadata(by_name[product.metadata.name])
    except RasterError as error:
        raise UploadError(f"{incoming.shown} does not say what its numbers mean: {error}") from None
    if not isinstance(told, Sentinel2) or not set(bands) <= set(told.offsets):
        raise UploadError(f"{incoming.shown} has metadata that are not of its bands; send the whole product.")
    which = next(iter(bands)) if len(bands) == 1 else ""
    stack = incoming.folder / f"{product.name}_{which}{'_' if which else ''}{metres}m.tif"
    try:
        _write(incoming, {code: by_name[each.name] for code, each in bands.items()}, told, stack)
    except (RasterioError, OSError) as error:
        raise UploadError(
            f"{incoming.shown} is cut off or broken: its bands cannot be read ({reason_of(error)}); "
            "send it again."
        ) from None
    brought = reader_of(incoming.inner(stack, {}, None))
    what = brought.what.replace("a GeoTIFF", f"a Sentinel-2 product (Level-{product.level})", 1)
    said = f"It is {', '.join(bands)} at {metres} m, by {PurePosixPath(product.metadata.name).name}."
    return replace(brought, what=what).noted(said, _others_said(product, metres))


def _others_said(product: Product, metres: int) -> str | None:
    others = [
        f"{', '.join(bands)} at {each} m (part={each}m)"
        for each, bands in product.bands.items()
        if each != metres
    ]
    if product.classes is not None:
        others.append(f"scene classes (part={PurePosixPath(product.classes).name})")
    return f"It also holds {', '.join(others)}." if others else None


def _asked(incoming: Incoming, product: Product) -> tuple[int, Mapping[str, Member]]:
    """The size of the pixels, and the bands. Raises UploadError for a size that there is not."""
    wanted = incoming.asked.part
    if wanted is None:
        return next(iter(product.bands.items()))
    if size := _METRES.fullmatch(wanted):
        if int(size[1]) in product.bands:
            return int(size[1]), product.bands[int(size[1])]
        known = ", ".join(f"{each}m" for each in product.bands)
        raise UploadError(f"{incoming.shown} has no bands at {shown(wanted)}; it has {known}.")
    for metres, bands in product.bands.items():
        for code, each in bands.items():
            if wanted in (code, each.name, PurePosixPath(each.name).name):
                return metres, {code: each}
    return 0, {}


def _native_m(code: str) -> int:
    return next((metres for metres, codes in _BANDS_BY_METRES.items() if code in codes), 60)


def _write(incoming: Incoming, files: Mapping[str, Path], told: Sentinel2, target: Path) -> None:
    """The bands as one GeoTIFF of their stored numbers, which says how they become reflectance."""
    with ExitStack() as stack:
        forms = {path: identify(path) for path in files.values()}
        if not set(forms.values()) <= {"jp2", "tiff"}:
            raise UploadError(f"{incoming.shown} has bands that are neither JPEG 2000 nor GeoTIFF.")
        sources = [stack.enter_context(opened(path, form, path.name)) for path, form in forms.items()]
        grid = Grid.of(sources[0])
        if not all(grid.same_as(Grid.of(each)) and each.count == 1 for each in sources):
            raise UploadError(f"{incoming.shown} has bands of one resolution that lie on several grids.")
        profile = geotiff_profile(
            grid.width,
            grid.height,
            count=len(sources),
            dtype=sources[0].dtypes[0],
            nodata=0,
            crs=grid.crs,
            transform=grid.transform,
        )
        with rasterio.open(target, "w", **profile) as writer:
            for row in range(0, grid.height, _STRIP_ROWS):
                window = Window(0, row, grid.width, min(_STRIP_ROWS, grid.height - row))
                for band, source in enumerate(sources, start=1):
                    writer.write(source.read(1, window=window), band, window=window)
            linear = [told.linear(code) for code in files]
            writer.scales, writer.offsets = [each.gain for each in linear], [each.offset for each in linear]
            writer.descriptions = tuple(files)
