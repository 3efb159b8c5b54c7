"""Clear a picture up, and show how its values are spread."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Any

from pydantic import Field

from state.model import State
from tools.artifacts import Call
from tools.base import Step, ToolError, World, tool
from tools.phrases import listed, number, number_of, one_line
from tools.python.pictures import picture_step, readable
from tools.rasters import RasterHandle, raster_of

Factor = Annotated[float, Field(ge=0, le=10)]
_MAX_HISTOGRAMS = 8
_COLORS = {"red": "#d62728", "green": "#2ca02c", "blue": "#1f77b4"}


@tool("python", changes_state=True, needs=("raster",), gives=("raster", "layer"), long_running=True)
def image_enhance(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    contrast: Annotated[Factor, Field(description="1 leaves it, 2 doubles it, 0 is grey.")] = 1,
    brightness: Annotated[Factor, Field(description="1 leaves it, 1.3 is brighter, 0 is black.")] = 1,
    sharpness: Annotated[Factor, Field(description="1 leaves it, 2 is sharper, 0 is smoothed.")] = 1,
    gamma: Annotated[
        float, Field(ge=0.05, le=20, description="Over 1 lightens the dark parts, under 1 darkens.")
    ] = 1,
    equalise: Annotated[bool, Field(description="Spread the histogram evenly over all tones.")] = False,
) -> Step:
    """Change contrast, brightness, sharpness and gamma of a picture, or equalise its histogram.

    As Pillow's ImageEnhance and ImageOps define them. What comes out has 8 bits, for looking at: other values
    are first stretched between their 2nd and 98th percentile, and the bands are those seen as colours.

    Example: copilot call image_enhance raster=raster-5ce4e0 contrast=1.4 gamma=1.2

    Asked as: make the picture brighter | more contrast please | sharpen the image | equalise the histogram of
    the photo | it is too dark, lighten it | gamma 1.5 | enhance the picture
    """
    from data.pictures.tones import Tones, enhance, scale_of

    found = raster_of(state, world, raster)
    tones = Tones(brightness, contrast, gamma, sharpness, equalise)
    if tones == Tones():
        raise ToolError(
            "image_enhance needs something to change: contrast, brightness, sharpness, gamma or "
            "equalise=true."
        )
    with readable():
        scale = scale_of(found.path)
    named = (("brightness", brightness), ("contrast", contrast), ("gamma", gamma), ("sharpness", sharpness))
    done = [f"{name} {value:g}" for name, value in named if value != 1] + (["equalised"] if equalise else [])
    stretched = ", stretched to 8 bits between its 2nd and 98th percentile" if scale.stretched else ""
    call = Call.of(
        image_enhance,
        raster=found.handle,
        contrast=contrast,
        brightness=brightness,
        sharpness=sharpness,
        gamma=gamma,
        equalise=equalise,
    )
    shown = ",".join(str(each) for each in range(1, len(scale.bands) + 1))
    return picture_step(
        state,
        world,
        call,
        [found],
        lambda path: enhance(found.path, path, tones, scale),
        name=f"{found.name} enhanced",
        said=f"Enhanced {one_line(found.name)}: {listed(done)}{stretched}.",
        options={"bands": shown, "stretch": "none"},
    )


@tool("python", changes_state=True, needs=("raster",), gives=("figure",), long_running=True)
def image_histogram(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    bins: Annotated[int, Field(ge=2, le=256, description="How many equal bins.")] = 64,
) -> Step:
    """Draw the histogram of a picture's bands: how many pixels have which value. Nodata is left out.

    At most eight bands, over one axis from the least to the greatest value of all of them.

    Example: copilot call image_histogram raster=raster-5ce4e0 bins=32

    Asked as: histogram of the picture | how are the pixel values spread | tonal distribution of the image |
    histogram of the bands | is the photo too dark, show its histogram | pixel value distribution
    """
    from data.raster.files import opened
    from data.raster.looks import band_names
    from data.raster.stats import band_histogram, band_stats, whole_counts

    found = raster_of(state, world, raster)
    with readable():
        with opened(found.path) as source:
            named = zip(band_names(source), source.colorinterp, strict=True)
            colours = [(name, str(each.name)) for name, each in named][:_MAX_HISTOGRAMS]
            names = [one_line(colour if colour in _COLORS else name) for name, colour in colours]
        numbers = range(1, len(names) + 1)
        # Bands of whole numbers are read once: their counts tell the moments too.
        whole = [whole_counts(found.path, band) for band in numbers]
        moments = [
            band_stats(found.path, band, ()).moments if counted is None else counted.moments
            for band, counted in zip(numbers, whole, strict=True)
        ]
        seen = [each for each in moments if each.count]
        if not seen:
            raise ToolError(f"{one_line(found.name)} has no pixel with a value.")
        low, high = min(each.minimum for each in seen), max(each.maximum for each in seen)
        spread = [
            band_histogram(found.path, band, low, high, bins)
            if counted is None
            else counted.histogram(low, high, bins)
            for band, counted in zip(numbers, whole, strict=True)
        ]
    width = (high - low) / bins
    edges = [low + width * step for step in range(bins + 1)]
    facts = [
        {
            "band": name,
            "mean": each.mean,
            "min": each.minimum,
            "max": each.maximum,
            "pixels": each.count,
            "counts": bars.counts.tolist(),
        }
        for name, each, bars in zip(names, moments, spread, strict=True)
        if each.count
    ]
    told = [
        f"{each['band']} from {number(each['min'])} to {number(each['max'])}, mean {number(each['mean'])}"
        for each in facts
    ]
    figure = _figure(found.name, edges, facts)
    call = Call.of(image_histogram, raster=found.handle, bins=bins)
    of = f"{number_of(len(facts), 'band')} of {one_line(found.name)}"
    said = f"Histogram of {of} in {bins} bins: {'; '.join(told)}."
    return _figure_step(state, world, figure, call, found, said, edges=edges, bands=facts)


def _spread(band: dict[str, Any]) -> str:
    """`red from 12 to 240, mean 83`."""
    return f"{band['band']} from {number(band['min'])} to {number(band['max'])}, mean {number(band['mean'])}"


def _figure(name: str, edges: list[float], bands: list[dict[str, Any]]) -> Any:
    """A line a band, over the middles of the bins."""
    from tools.data.drawing import Drawing
    from tools.data.figures import figure_text

    middles = [(one + other) / 2 for one, other in pairwise(edges)]
    figure = Drawing(
        figure_text(f"Histogram of {one_line(name)}"),
        {
            "margin": {"l": 60, "r": 20, "t": 80, "b": 60},
            "xaxis": {"title": {"text": "pixel value"}},
            "yaxis": {"title": {"text": "pixels"}},
        },
    )
    for each in bands:
        figure.add(
            "scatter",
            x=middles,
            y=each["counts"],
            name=figure_text(each["band"]),
            mode="lines",
            fill="tozeroy",
            line={"color": _COLORS[each["band"]]} if each["band"] in _COLORS else None,
        )
    return figure


def _figure_step(
    state: State, world: World, figure: Any, call: Call, source: Any, said: str, **data: Any
) -> Step:
    """Keep a figure of a raster, under an id that follows the raster."""
    name = f"Histogram of {one_line(source.name)}"[:100]
    artifact = call.artifact("figure", state, name, said[:200], [source])
    world.artifacts.path(artifact.id, ".json").write_text(figure.json(), encoding="utf-8")
    after = state.with_artifact(artifact).with_ui(figure=artifact.id).with_panel("figure")
    facts = {"figure": artifact.id, "raster": source.handle, **data}
    return Step(after, f"{said} The figure is {artifact.id}.", facts)


TOOLS = (image_enhance, image_histogram)
