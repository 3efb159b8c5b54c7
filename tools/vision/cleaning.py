"""Clean an image up: find clouds and take them out, take out haze and noise, find edges."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from data.vision.asked import CLOUD_CARDS
from state.model import State
from tools import conditions
from tools.artifacts import Call
from tools.base import Step, World, tool
from tools.geotools.raster_arguments import finite, with_data
from tools.phrases import number, number_of
from tools.rasters import Raster, RasterHandle, raster_of, raster_step
from tools.vision.guarding import Anyway, guarded
from tools.vision.products import Outlines, area_words, mask_step

if TYPE_CHECKING:
    from data.vision.clouds import Found
    from data.vision.declouding import Cleared
    from data.vision.denoise import Denoised
    from data.vision.edges import Edges
    from data.vision.haze import Air
    from data.vision.masks import ClassArea

CLOUD_METHODS = {
    "s2cloudless": "with s2cloudless, a model of Sentinel-2's ten bands",
    "qa_pixel": "from its QA_PIXEL band",
    "scl": "from its scene classification",
    "spectral": "by spectral tests of reflectance (Zhu and Woodcock 2012)",
    "colour": "by brightness, whiteness and smoothness (after Zhang and Xiao 2014), which can take smooth "
    "white ground for cloud",
}
MODELS = {
    **CLOUD_CARDS, "dct": "dct-denoising",
    "median and dct": "dct-denoising", "median": "impulse-median", "nlm": "non-local-means",
    "refined_lee": "refined-lee", "canny": "canny", "sobel": "sobel", "ratio": "ratio-of-averages",
}  # fmt: skip
"""The card of each method."""
_Cloud = Literal["auto", "s2cloudless", "qa_pixel", "scl", "spectral", "colour"]


@tool(
    "vision",
    changes_state=True,
    needs=(conditions.Raster("image", modality="optical|picture"),),
    gives=(
        conditions.Raster("raster", of="image", modality="classes"),
        conditions.Vector("vector", geometry="polygon"),
    ),
    long_running=True,
)
@guarded("image")
def cloud_detection(
    state: State,
    world: World,
    *,
    image: RasterHandle,
    method: Annotated[
        _Cloud, Field(description="auto takes the best that the bands allow, in the order of the list.")
    ] = "auto",
    anyway: Anyway = False,
) -> Step:
    """Find the clouds in an image: a mask, their outlines, the share of the image, and by which method.

    s2cloudless (Zupanc 2017) where Sentinel-2's ten bands are there by name, a quality band (QA_PIXEL, SCL),
    the spectral tests of Zhu and Woodcock (2012) for blue to near infrared, else the colours alone, after
    Zhang and Xiao (2014), IEEE TGRS 52, 7264-7275. Areas in square metres, shares in percent.

    Example: copilot call cloud_detection image=raster-5ce4e0

    Asked as: is it cloudy | find the clouds | detect the clouds in this image | how much of it is under
    cloud | cloud mask of the scene | which parts can I not see for clouds | is the view clear | show me
    where the clouds are | cloud cover of the picture
    """
    source = raster_of(state, world, image)
    found: dict[str, Any] = {}
    made: list[Found] = []

    def make(path: Path) -> None:
        from data.vision.clouds import find_clouds

        done = world.work(f"Finding clouds in {source.name}", find_clouds, source.path, path, method=method)
        made.append(done)
        found.update(
            model=MODELS[done.method],
            method=done.method,
            cloud_percent=round(done.cloud_percent, 3),
            shadow_percent=None if done.shadow_percent is None else round(done.shadow_percent, 3),
        )

    def said(areas: Sequence[ClassArea]) -> str:
        how = CLOUD_METHODS[made[0].method]
        shadow = made[0].shadow_percent
        also = "" if shadow is None else f" Another {number(round(shadow, 2))} % lies in their shadow."
        if areas[0].pixels == 0:
            return f"No cloud was found in {source.name}, {how}.{also}"
        return f"{area_words(areas[0])} of {source.name} is cloud, {how}.{also}"

    return mask_step(
        state, world, Call.of(cloud_detection, image=image, method=method, anyway=anyway), [source], make,
        name=f"Clouds of {source.name}"[:100], said=said, classes={1: "cloud"},
        polygons=Outlines(min_px=9), options={"colormap": "grey"}, color="#9bd3ff", found=found,
    )  # fmt: skip


@tool(
    "vision",
    changes_state=True,
    needs=(
        conditions.Raster("image", modality="optical|picture"),
        conditions.Raster("others", modality="optical|picture"),
    ),
    gives=(conditions.Raster("raster", of="image", cloud_pct=0.0, done="cloud_free"),),
    long_running=True,
)
@guarded("image")
def cloud_removal(
    state: State,
    world: World,
    *,
    image: RasterHandle,
    others: Annotated[
        list[RasterHandle] | None,
        Field(max_length=20, description="The same place on other dates, with the same bands."),
    ] = None,
    anyway: Anyway = False,
) -> Step:
    """Take the clouds out of an image, from other dates where given, and mark which pixels are invented.

    Under the clouds goes the median of the other dates that are clear there, matched band by band (Yuan and
    Elvidge 1996); what none shows is filled in: narrow holes by Telea (2004), wider ones from the image's own
    patches after Criminisi et al. (2004). The last band, "invented", is 1 as taken, 2 from another date, 3
    invented.

    Example: copilot call cloud_removal image=raster-5ce4e0

    Asked as: remove the clouds | take the clouds away | show me what is under the clouds | make it
    cloud-free | fill in the cloudy parts from the other dates | decloud this scene | get rid of the
    clouds | clean cloudless composite of these images
    """
    source = raster_of(state, world, image)
    dates = [raster_of(state, world, each) for each in others or ()]
    found: dict[str, Any] = {}

    def make(path: Path) -> None:
        from data.vision.declouding import remove_clouds

        done = world.work(
            f"Removing clouds from {source.name}",
            remove_clouds,
            source.path,
            path,
            [each.path for each in dates],
        )
        found.update(_cleared_facts(done), said=_cleared_words(done, source, dates))

    def said(_: Path) -> str:
        return str(found.pop("said"))

    step = raster_step(
        state, world, Call.of(cloud_removal, image=image, others=others, anyway=anyway),
        [source, *dates], make,
        name=f"{source.name} without clouds"[:100], said=said, options=_as_shown(source),
    )  # fmt: skip
    return with_data(step, **found)


def _cleared_facts(done: Cleared) -> dict[str, Any]:
    return {
        "model": "cloud-compositing" if done.others_used else "exemplar-inpainting",
        "clouds_by": MODELS[done.method],
        "cloud_percent": round(done.cloud_percent, 3),
        "other_dates_percent": round(done.other_percent, 3),
        "invented_percent": round(done.invented_percent, 3),
        "left_percent": round(done.left_percent, 3),
        "dates_used": done.others_used,
    }


def _cleared_words(done: Cleared, source: Raster, dates: Sequence[Raster]) -> str:
    how = CLOUD_METHODS[done.method]
    if done.other_percent + done.invented_percent + done.left_percent == 0:
        return f"No cloud was found in {source.name}, {how}, so its pixels are as they were."
    cloud, other, invented, left = (
        number(round(each, 2))
        for each in (done.cloud_percent, done.other_percent, done.invented_percent, done.left_percent)
    )
    parts = [f"{cloud} % of {source.name} was cloud, found {how}."]
    if dates:
        parts.append(f"{other} % of the image now comes from {number_of(done.others_used, 'other date')}.")
        if done.others_used < len(dates):
            parts.append("The rest of the dates have too little clear ground in common with it.")
    if done.invented_percent:
        parts.append(
            f"{invented} % is INVENTED: filled in from what lies around, and nothing to measure on; the last "
            "band marks it with 3."
        )
    if done.left_percent:
        parts.append(f"{left} % is still without a value, too far from anything clear.")
    return " ".join(parts)


@tool(
    "vision",
    changes_state=True,
    needs=(conditions.Raster("image", modality="optical|picture", bands="red+green+blue"),),
    gives=(conditions.Raster("raster", of="image", done="dehazed"),),
    long_running=True,
)
@guarded("image")
def image_dehazing(
    state: State,
    world: World,
    *,
    image: RasterHandle,
    strength: Annotated[
        float, Field(ge=0.05, le=1, description="How much of the haze goes, 0 to 1; the paper's omega.")
    ] = 0.95,
    anyway: Anyway = False,
) -> Step:
    """Take haze out of an image by the dark channel prior, and say how much light the haze had taken.

    He, Sun and Tang (2011), IEEE PAMI 33, 2341-2353, with their guided filter (2013) and one airlight for the
    whole image; bands beyond the visible see less haze, by Angstrom's exponent of 1.3. Pale ground without
    haze is darkened too.

    Example: copilot call image_dehazing image=raster-5ce4e0

    Asked as: dehaze the image | remove the haze | it looks foggy, make it clear | get rid of the mist |
    the picture is milky, can you fix it | take the smog out | haze removal | make the colours crisp again
    """
    source = raster_of(state, world, image)
    found: dict[str, Any] = {}

    def make(path: Path) -> None:
        from data.vision.haze import dehaze

        done: Air = world.work(
            f"Removing haze from {source.name}", dehaze, source.path, path, strength=strength
        )
        found.update(
            model="dark-channel-prior",
            transmission=round(done.transmission, 4),
            least_transmission=round(done.least_transmission, 4),
            haze_percent=round(100 * (1 - done.transmission), 2),
            airlight=[finite(each, 6) for each in done.airlight],
        )

    def said(_: Path) -> str:
        haze = number(found["haze_percent"])
        most = number(round(100 * (1 - found["least_transmission"]), 1))
        start = (
            f"Haze or pale ground takes {haze} % of the light in {source.name} on average, {most} % at the "
            "worst, by the dark channel prior"
        )
        hardly = " There was hardly any haze to remove." if found["haze_percent"] < 10 else ""
        return f"{start}; {number(100 * strength)} % of that was taken out.{hardly}"

    step = raster_step(
        state, world, Call.of(image_dehazing, image=image, strength=strength, anyway=anyway), [source], make,
        name=f"{source.name} without haze"[:100], said=said, options=_as_shown(source),
    )  # fmt: skip
    return with_data(step, **found)


@tool(
    "vision",
    changes_state=True,
    needs=("raster",),
    gives=(conditions.Raster("raster", of="image", done="denoised"),),
    long_running=True,
)
@guarded("image")
def denoising(
    state: State,
    world: World,
    *,
    image: RasterHandle,
    method: Annotated[
        Literal["auto", "dct", "nlm", "median", "refined_lee"],
        Field(description="auto: refined Lee for radar, median for lone pixels, then cosines (dct)."),
    ] = "auto",
    strength: Annotated[
        float, Field(ge=0.1, le=5, description="How much of the measured noise is taken off; 1 is all of it.")
    ] = 1.0,
    anyway: Anyway = False,
) -> Step:
    """Take noise out of an image, as strong as it measures; says the method and the noise before and after.

    Cosine thresholds (Yu and Sapiro 2011, with a Wiener pass), non-local means (Buades et al. 2005), the
    median for salt and pepper, and for the speckle of radar the refined Lee filter (1981). Noise is in the
    image's own numbers, measured after Donoho and Johnstone (1994).

    Example: copilot call denoising image=raster-5ce4e0

    Asked as: remove the noise | denoise it | clean this up | the picture is grainy | smooth out the grain
    but keep the edges | get rid of the salt and pepper dots | despeckle and clean the image | it is too
    noisy
    """
    source = raster_of(state, world, image)
    found: dict[str, Any] = {}

    def make(path: Path) -> None:
        from data.vision.denoise import denoise

        done = world.work(
            f"Removing noise from {source.name}",
            denoise,
            source.path,
            path,
            method=method,
            strength=strength,
            radar=is_radar(source.path),
        )
        found.update(_noise_facts(done))

    def said(_: Path) -> str:
        return _noise_words(found, source)

    step = raster_step(
        state, world,
        Call.of(denoising, image=image, method=method, strength=strength, anyway=anyway), [source], make,
        name=f"{source.name}, denoised"[:100], said=said, options=_as_shown(source),
    )  # fmt: skip
    return with_data(step, **found)


_NOISE_METHODS = {
    "dct": "cosine thresholds (Yu and Sapiro 2011)",
    "nlm": "non-local means",
    "median": "the median at lone extremes",
    "median and dct": "the median at lone extremes and then cosine thresholds",
    "refined_lee": "the refined Lee filter",
}


def _noise_facts(done: Denoised) -> dict[str, Any]:
    return {
        "model": MODELS[done.method],
        "method": done.method,
        "sigma_before": finite(done.sigma_before, 5),
        "sigma_after": finite(done.sigma_after, 5),
        "impulse_percent": round(100 * done.impulse_share, 3),
        "looks": None if done.looks is None else finite(done.looks, 5),
    }


def _noise_words(found: dict[str, Any], source: Raster) -> str:
    how = _NOISE_METHODS[found["method"]]
    before, after = found["sigma_before"], found["sigma_after"]
    if found["looks"] is not None:
        went = f"the speckle's deviation over the mean went from {number(before)} to {number(after)}"
        return f"Filtered {source.name} with {how} at {number(found['looks'])} looks; {went}."
    if before is None:
        return f"Filtered {source.name} with {how}; it is too small to measure its noise."
    went = f"from a standard deviation of {number(before)} to {number(after or 0.0)}"
    dots = found["impulse_percent"]
    also = f"; {number(dots)} % of its pixels were lone extremes" if "median" in found["method"] else ""
    return f"Took the noise out of {source.name} with {how}: {went} in its own numbers{also}."


@tool(
    "vision",
    changes_state=True,
    needs=("raster",),
    gives=(conditions.Raster("raster", of="image", modality="quantity"),),
    long_running=True,
)
@guarded("image")
def edge_detection(
    state: State,
    world: World,
    *,
    image: RasterHandle,
    method: Annotated[
        Literal["auto", "canny", "sobel", "ratio"],
        Field(description="auto: the ratio of averages for radar, else Canny; sobel gives the gradient."),
    ] = "auto",
    anyway: Anyway = False,
) -> Step:
    """Find the edges in an image: a raster of edges, and how dense they are.

    Canny (1986) at the least smoothing that the image's noise allows (Elder and Zucker 1998), Sobel's
    gradient, or for radar the ratio of averages of Touzi, Lopes and Bousquet (1988). 1 on an edge, 0
    beside it.

    Example: copilot call edge_detection image=raster-5ce4e0

    Asked as: find the edges | detect edges | outline everything in the picture | run Canny on it | show
    the contours of the objects | where does the brightness change sharply | gradient of the image | draw
    the borders you can see
    """
    source = raster_of(state, world, image)
    found: dict[str, Any] = {}

    def make(path: Path) -> None:
        from data.vision.edges import find_edges

        done = world.work(
            f"Finding edges in {source.name}",
            find_edges,
            source.path,
            path,
            method=method,
            radar=is_radar(source.path),
        )
        found.update(_edge_facts(done))

    def said(_: Path) -> str:
        share = number(round(found["density_percent"], 2))
        count = f"{number_of(found['edge_px'], 'pixel')} of {source.name} ({share} %)"
        how = {
            "canny": f"with Canny after a Gaussian of {number(found['scale_px'] or 0)} px",
            "sobel": f"as the gradient by Sobel is at least {number(found['high'] or 0)} a pixel there",
            "ratio": f"where means of radar differ by more than a ratio of {number(found['high'] or 0)}",
        }[found["method"]]
        return f"{count} lie on an edge, {how}."

    looks = {"colormap": "grey", "stretch": "percentile" if method == "sobel" else "minmax"}
    step = raster_step(
        state, world, Call.of(edge_detection, image=image, method=method, anyway=anyway), [source], make,
        name=f"Edges of {source.name}"[:100], said=said, options=looks,
    )  # fmt: skip
    return with_data(step, **found)


def _edge_facts(done: Edges) -> dict[str, Any]:
    return {
        "model": MODELS[done.method],
        "method": done.method,
        "edge_px": done.edge_px,
        "density_percent": round(done.density_percent, 3),
        "scale_px": done.scale_px,
        "low": None if done.low is None else finite(done.low, 5),
        "high": None if done.high is None else finite(done.high, 5),
    }


def is_radar(path: Path) -> bool:
    """Whether the image is of a radar, as far as its file and its grain tell."""
    from data.vision.modality import modality_of
    from tools.geotools.raster_arguments import said_plainly

    with said_plainly():
        return modality_of(path).name == "sar"


def _as_shown(source: Raster) -> dict[str, str]:
    """The bands that a layer of the cleaned image shows: red, green and blue where they are known."""
    from data.vision.blocks import visible_bands
    from tools.geotools.raster_arguments import said_plainly

    with said_plainly():
        found = visible_bands(source.path)
    return {"bands": ",".join(str(each) for each in found)} if found else {"bands": "1"}


TOOLS = (cloud_detection, cloud_removal, image_dehazing, denoising, edge_detection)
