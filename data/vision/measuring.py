"""How each group of facts is measured: frame, modality, tone, texture, cover, objects, clouds, roads."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from data.raster.errors import RasterError
from data.vision.cover import COVERS, MODEL
from data.vision.facts import MOST_DETECTED_PX, Fact, Facts

if TYPE_CHECKING:
    from numpy.typing import NDArray

KIND_WORDS = {"sar": "a radar (SAR) image", "optical": "an optical image in colour",
              "multispectral": "a multispectral image", "panchromatic": "a panchromatic image"}  # fmt: skip
_HUES = (
    (15, "red"),
    (45, "brown"),
    (70, "yellow"),
    (165, "green"),
    (260, "blue"),
    (330, "purple"),
    (361, "red"),
)
"""Upper ends of the hue in degrees, and what it is called."""


def frame_facts(facts: Facts) -> list[Fact]:
    """Size, bands, resolution, extent, place and date."""
    seen, by = facts.overview, "its file"
    bands = "1 band" if seen.bands == 1 else f"{seen.bands} bands"
    found = [
        Fact("size", f"It is {seen.width:,} x {seen.height:,} pixels with "
                     f"{bands}.", seen.width * seen.height, "px", by),
        Fact("bands", f"It has {bands}{_named(facts.image)}.", seen.bands, "", by),
    ]  # fmt: skip
    if seen.gsd_m is not None:
        found.append(
            Fact("gsd", f"A pixel is {_metres(seen.gsd_m)} on the ground.", round(seen.gsd_m, 4), "m", by)
        )
    if seen.area_m2 is not None:
        found.append(
            Fact("extent", f"It covers {_area(seen.area_m2)} of ground.", round(seen.area_m2, 1), "m²", by)
        )
    if seen.lonlat is not None:
        lon, lat = seen.lonlat
        found.append(
            Fact(
                "place",
                f"Its middle lies at {lon:g}, {lat:g} (longitude, latitude).",
                f"{lon:g}, {lat:g}",
                "degrees",
                by,
                None,
                seen.lonlat,
            )
        )
    if (date := _date(facts.image)) is not None:
        found.append(Fact("date", f"Its file dates it to {date}.", date, "", by))
    return found


def modality_facts(facts: Facts) -> list[Fact]:
    """What kind of image it is."""
    told = facts.modality
    if told.name is None:
        return [
            Fact(
                "modality",
                f"It is no image of a known kind but holds {told.instead}.",
                None,
                "",
                "classify_image",
            )
        ]
    said = f"It is {KIND_WORDS[told.name]} (confidence {told.confidence:g})."
    return [Fact("modality", said, told.name, "", "classify_image")]


def tone_facts(facts: Facts) -> list[Fact]:
    """Brightness, contrast, and of colour pictures how colourful they are and in which colour.

    Lightness is CIE L*, 0 to 100; colourfulness as Hasler and Suesstrunk (2003) measure it.
    """
    import cv2

    seen, by = facts.overview, "CIE L*a*b* of the overview"
    lab = cv2.cvtColor(seen.rgb.astype(np.float32) / 255, cv2.COLOR_RGB2LAB)[seen.known]
    light, spread = float(lab[:, 0].mean()), float(lab[:, 0].std())
    word = "dark" if light < 33 else "bright" if light > 62 else "of medium brightness"
    found = [
        Fact(
            "brightness",
            f"It is {word}: its mean lightness is {light:.1f} of 100.",
            round(light, 2),
            "L*",
            by,
        ),
        Fact(
            "contrast",
            f"Its lightness varies by {spread:.1f} (standard deviation).",
            round(spread, 2),
            "L*",
            by,
        ),
    ]
    if not seen.grey and facts.modality.name != "sar":
        rgb = seen.rgb[seen.known].astype(np.float64)
        apart, across = rgb[:, 0] - rgb[:, 1], (rgb[:, 0] + rgb[:, 1]) / 2 - rgb[:, 2]
        colourful = float(np.hypot(apart.std(), across.std()) + 0.3 * np.hypot(apart.mean(), across.mean()))
        name = colour_name(seen.rgb[seen.known])
        found.append(Fact("colour", f"Its commonest colour is {name}.", name, "", by))
        found.append(
            Fact(
                "colourfulness",
                f"Its colourfulness is {colourful:.1f} (15 is slight, 59 high).",
                round(colourful, 2),
                "",
                "Hasler and Suesstrunk 2003",
            )
        )
    return found


def texture_facts(facts: Facts) -> list[Fact]:
    """Entropy, edges, how much they keep one direction, and Haralick's homogeneity at one pixel."""
    import cv2
    from skimage.feature import graycomatrix, graycoprops

    from data.vision.blocks import nearest_filled

    seen = facts.overview
    grey = cv2.cvtColor(seen.rgb, cv2.COLOR_RGB2GRAY)
    counts = np.bincount(grey[seen.known], minlength=256) / max(int(seen.known.sum()), 1)
    entropy = float(-(counts[counts > 0] * np.log2(counts[counts > 0])).sum())
    smooth = cv2.GaussianBlur(nearest_filled(np.where(seen.known, grey, np.nan)), (0, 0), 1.0)
    across, down = cv2.Sobel(smooth, cv2.CV_32F, 1, 0), cv2.Sobel(smooth, cv2.CV_32F, 0, 1)
    size = np.hypot(across, down)
    edges = float((size[seen.known] > 40).mean())
    turned = np.arctan2(down, across) * 4
    weight = np.where(seen.known, size, 0)
    total = max(float(weight.sum()), 1e-9)
    grid = float(np.hypot((weight * np.cos(turned)).sum(), (weight * np.sin(turned)).sum()) / total)
    # Level 16 stands for no value: pairs with it are taken out of the matrix.
    levels = np.where(seen.known, grey // 16, 16).astype(np.uint8)
    pairs: Any = graycomatrix(levels, [1], [0, np.pi / 2], levels=17, symmetric=True)  # type: ignore[no-untyped-call]
    pairs = pairs[:16, :16].astype(np.float64)
    matrix = pairs / np.maximum(pairs.sum(axis=(0, 1)), 1.0)
    alike: Any = graycoprops(matrix, "homogeneity")  # type: ignore[no-untyped-call]
    even = float(alike.mean())
    return [
        Fact("entropy", f"Its grey values hold {entropy:.2f} bits "
                        f"of 8.", round(entropy, 3), "bit", "Shannon entropy"),
        Fact("edges", f"{100 * edges:.1f} % of its pixels lie on an "
                      f"edge.", round(100 * edges, 2), "%", "Sobel gradient above 40"),
        Fact("right_angles", f"Its edges keep to two directions at right angles by {grid:.2f} "
                             f"of 1.", round(grid, 3), "", "gradient directions times four"),
        Fact("homogeneity", f"Neighbouring pixels are alike by {even:.2f} "
                            f"of 1.", round(even, 3), "", "Haralick's homogeneity, 16 levels"),
    ]  # fmt: skip


def cover_facts(facts: Facts) -> list[Fact]:
    """The share of each cover, and its largest connected part."""
    cover, seen, radar = facts.cover, facts.overview, facts.modality.name == "sar"
    by = (
        "backscatter threshold"
        if radar
        else f"{MODEL} with spectral indices"
        if seen.spectral.get("nir") is not None
        else MODEL
    )
    found = []
    for name in ("water",) if radar else COVERS:
        share = cover.share(name)
        area = "" if seen.area_m2 is None else f", {_area(seen.area_m2 * share)}"
        verb = f"{name.capitalize()}s cover" if name == "building" else f"{name.capitalize()} covers"
        found.append(
            Fact(
                f"cover.{_key(name)}",
                f"{verb} {100 * share:.1f} % of it{area}.",
                round(100 * share, 2),
                "%",
                by,
            )
        )
        if seen.area_m2 is not None:
            found.append(
                Fact(
                    f"area.{_key(name)}",
                    f"{name.capitalize()}: {_area(seen.area_m2 * share)}.",
                    round(seen.area_m2 * share, 1),
                    "m²",
                    by,
                )
            )
        parts = [each for each in facts.regions if each.cover == name]
        if parts and share > 0.01:
            largest = parts[0]
            where = position_word(largest.centre_px, seen.width, seen.height)
            size = f"{100 * largest.share:.1f} % of it" if largest.area_m2 is None else _area(largest.area_m2)
            what = "built-up patch" if name == "building" else f"connected {name}"
            found.append(
                Fact(
                    f"largest.{_key(name)}",
                    f"The largest {what} is {size}, in the {where}.",
                    round(100 * largest.share, 2),
                    "%",
                    by,
                    largest.box_px,
                    facts.lonlat(largest.box_px),
                )
            )
    return found


def objects_facts(facts: Facts) -> list[Fact]:
    """How many objects of each class, and the largest of each. Raises RasterError where none can be told."""
    seen = facts.overview
    if seen.width * seen.height > MOST_DETECTED_PX:
        raise RasterError(
            f"With {seen.width:,} x {seen.height:,} pixels it is too large to look for objects in "
            f"passing; optical_detection does."
        )
    detected = facts.detected
    found = detected.found
    counts = Counter(each.class_name for each in found)
    made = [Fact("objects", f"{len(found):,} objects were detected in it.", len(found), "", detected.model)]
    for name, count in sorted(counts.items(), key=lambda each: (-each[1], each[0])):
        there = f"{count:,} {spoken(name, count)} {'was' if count == 1 else 'were'} detected."
        made.append(Fact(f"objects.{_key(name)}", there, count, "", detected.model))
        largest = max(
            (each for each in found if each.class_name == name), key=lambda each: area_px(each.outline)
        )
        box = box_of(largest.outline)
        where = position_word(((box[0] + box[2]) / 2, (box[1] + box[3]) / 2), seen.width, seen.height)
        made.append(_largest(facts, name, largest.outline, box, where, detected.model))
    return made


def clouds_facts(facts: Facts) -> list[Fact]:
    """The share of cloud. Raises RasterError for an image that clouds cannot be told in."""
    from data.vision.clouds import find_clouds

    if facts.modality.name not in ("optical", "multispectral"):
        raise RasterError("Clouds are looked for in colour and multispectral images.")
    facts.checked_as("cloud_detection")
    with tempfile.TemporaryDirectory() as folder:
        made = find_clouds(facts.progress, facts.image, Path(folder) / "clouds.tif")
    share = made.cloud_percent
    return [
        Fact(
            "clouds",
            f"Clouds cover {share:.1f} % of it.",
            round(share, 2),
            "%",
            f"cloud_detection, {made.method}",
        )
    ]


def roads_facts(facts: Facts) -> list[Fact]:
    """The length of roads. Raises RasterError where they cannot be told."""
    from data.vision.roads import graph_of, road_mask

    if facts.modality.name in (None, "sar"):
        raise RasterError("Roads are found in optical images.")
    facts.checked_as("road_extraction")
    if facts.overview.width * facts.overview.height > MOST_DETECTED_PX:
        raise RasterError("It is too large to follow its roads in passing; road_extraction does.")
    with tempfile.TemporaryDirectory() as folder:
        mask = Path(folder) / "roads.tif"
        made = road_mask(facts.progress, facts.image, mask, models=facts.models)
        _, network = graph_of(mask)
    if network.length_m is None:
        return [
            Fact(
                "roads",
                f"Its roads are {network.length_px:,.0f} pixels long in all.",
                round(network.length_px, 1),
                "px",
                made.model,
            )
        ]
    return [
        Fact(
            "roads",
            f"Its roads are {network.length_m / 1000:,.2f} km long in all.",
            round(network.length_m, 1),
            "m",
            made.model,
        )
    ]


def position_word(point: tuple[float, float], width: int, height: int) -> str:
    """Which ninth of the image a point lies in: "upper left", "middle", "lower right"."""
    across = min(2, max(0, int(3 * point[0] / max(width, 1))))
    down = min(2, max(0, int(3 * point[1] / max(height, 1))))
    if (across, down) == (1, 1):
        return "middle"
    vertical, horizontal = ("upper", "", "lower")[down], ("left", "", "right")[across]
    if not vertical:
        return f"{horizontal} middle"
    return f"{vertical} {horizontal}".strip() if horizontal else f"{vertical} middle"


def colour_name(pixels: NDArray[Any]) -> str:
    """What (n, 3) red, green and blue bytes look like on the whole: the commonest of a few colour words."""
    rgb = np.asarray(pixels, dtype=np.float64).reshape(-1, 3) / 255
    most, least = rgb.max(axis=1), rgb.min(axis=1)
    chroma = most - least
    hue = np.zeros(len(rgb))
    safe = np.where(chroma > 0, chroma, 1)
    red, green, blue = rgb.T
    hue = np.where(
        most == red,
        ((green - blue) / safe) % 6,
        np.where(most == green, (blue - red) / safe + 2, (red - green) / safe + 4),
    )
    degrees = np.asarray(60 * hue)
    names = np.select([degrees < end for end, _ in _HUES], [name for _, name in _HUES], "red").astype(object)
    dull = (chroma < 0.12) | (chroma / np.maximum(most, 1e-9) < 0.18)
    names[dull] = "grey"
    names[dull & (most > 0.78)] = "white"
    names[most < 0.16] = "black"
    warm = (names == "brown") & (most > 0.6) & (chroma < 0.35)
    names[warm] = "beige"
    names[(names == "brown") & (most > 0.75) & (chroma >= 0.35)] = "orange"
    return Counter(names.tolist()).most_common(1)[0][0] if len(names) else "black"


def spoken(name: str, count: int = 1) -> str:
    """A detector's class as people say it: "small-vehicle" as "small vehicles"."""
    plain = name.replace("-", " ").replace("_", " ").lower()
    if count == 1:
        return plain
    return (
        f"{plain}es"
        if plain.endswith(("s", "sh", "ch", "x")) and not plain.endswith("ships")
        else f"{plain}s"
    )


def box_of(outline: NDArray[np.float64]) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of an outline."""
    low, high = outline.min(axis=0), outline.max(axis=0)
    return tuple(round(float(each), 1) for each in (*low, *high))  # type: ignore[return-value]


def area_px(outline: NDArray[np.float64]) -> float:
    """The area of an outline, square pixels."""
    x, y = outline[:, 0], outline[:, 1]
    return float(abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2)


def _largest(facts: Facts, name: str, outline: NDArray[np.float64], box: Any, where: str, model: str) -> Fact:
    from data.vision.ground import ground_of

    ground = ground_of(facts.image)
    if ground is None:
        long = round(float(np.hypot(box[2] - box[0], box[3] - box[1])), 1)
        return Fact(
            f"largest.{_key(name)}",
            f"The largest {spoken(name)} lies in the {where}.",
            long,
            "px",
            model,
            box,
        )
    size = ground.size_m(outline)
    said = f"The largest {spoken(name)} is {size.length_m:.1f} m long and lies in the {where}."
    return Fact(f"largest.{_key(name)}", said, round(size.length_m, 1), "m", model, box, facts.lonlat(box))


def _named(image: Path) -> str:
    from data.models.choosing import image_facts

    names = [each for each in image_facts(image).bands if each]
    return f" ({', '.join(names)})" if names else ""


def _date(image: Path) -> str | None:
    """The day that a file's tags give."""
    import re

    from data.raster.files import opened

    with opened(image) as source:
        tags = source.tags()
    for key, value in tags.items():
        if any(each in key.lower() for each in ("datetime", "acquisition", "sensing", "date")):
            found = re.search(r"((?:19|20)\d\d)[-:/]?(0[1-9]|1[0-2])[-:/]?(0[1-9]|[12]\d|3[01])", str(value))
            if found:
                return "-".join(found.groups())
    return None


def _key(name: str) -> str:
    return name.replace(" ", "_").replace("-", "_").lower()


def _metres(value: float) -> str:
    return f"{value:.3g} m"


def _area(square_m: float) -> str:
    return f"{square_m / 1e6:,.3f} km²" if square_m >= 100_000 else f"{square_m:,.0f} m²"
