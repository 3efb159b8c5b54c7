"""One image, or two of the same place: chosen by id or by rank in the selection."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

import pandas as pd
from pydantic import Field

from data.catalogue.base import Selection
from state.model import State
from tools.base import Step, ToolError, World, tool
from tools.map.adding import image_record
from tools.map.geometry import camera_for, checked_box
from tools.map.shapes import path_km
from tools.phrases import number_of
from tools.selection import current_selection
from tools.tables import plain_value
from tools.units import ImageId

Rank = Literal["first", "newest", "oldest", "clearest", "cloudiest", "sharpest", "most_detections"]
RankIn = Annotated[Rank | None, Field(description="Which image of the selection, when no id is given.")]
Nth = Annotated[int, Field(ge=1, le=10_000, description="2 is the second of that rank.")]
_ORDER: dict[Rank, tuple[tuple[str, Literal["asc", "desc"]], ...]] = {
    "first": (),
    "newest": (("acquired", "desc"),),
    "oldest": (("acquired", "asc"),),
    "clearest": (("cloud_pct", "asc"),),
    "cloudiest": (("cloud_pct", "desc"),),
    "sharpest": (("gsd_m", "asc"),),
    "most_detections": (("detections", "desc"),),
}
_COLUMNS = (
    "image_id",
    "acquired",
    "cloud_pct",
    "gsd_m",
    "detections",
    "lon",
    "lat",
    "west",
    "south",
    "east",
    "north",
)
_MOST_AT_A_PLACE = 1000


@tool("ui", changes_state=True, gives=("image",))
def select_image(
    state: State, world: World, *, image: ImageId | None = None, rank: RankIn = None, n: Nth = 1
) -> Step:
    """Select one image by its id or by its rank in the selection, and open it in the image panel.

    Example: copilot call select_image rank=newest

    Asked as: select the newest image | pick the first one | open image fair1m:10.tif | take the third image |
    choose the one with the least clouds | select a scene | the oldest one | open the latest acquisition
    """
    if image is None and rank is None:
        raise ToolError("select_image needs an image's id, or a rank such as newest or clearest.")
    record = _wanted(state, world, image, rank, n)
    return _selected(state, record, f"Selected {_in_words(record)}.")


@tool("ui", changes_state=True, gives=("image",))
def show_image(
    state: State, world: World, *, image: ImageId | None = None, rank: RankIn = None, n: Nth = 1
) -> Step:
    """Show one image and fly the map to it: by id, by rank in the selection, or the selected one.

    Example: copilot call show_image rank=newest

    Asked as: show me the image | display the newest scene | let me see the picture | fly to the first image |
    view the sharpest one | show the selected image | what does the oldest one look like | next image
    """
    if image is None and rank is None:
        image = state.ui.selected_image
        if image is None:
            raise ToolError("No image is selected; give an image's id, or a rank such as newest or clearest.")
    record = _wanted(state, world, image, rank, n)
    step = _selected(state, record, f"The map shows {_in_words(record)}.")
    camera = camera_for(checked_box([float(record[side]) for side in ("west", "south", "east", "north")]))
    view = replace(step.state.map, center=camera.center, zoom=camera.zoom)
    data = {**step.data, "center": list(camera.center), "zoom": camera.zoom}
    return replace(step, state=replace(step.state, map=view), data=data)


@tool("ui", changes_state=True)
def compare_images(
    state: State,
    world: World,
    *,
    before: Annotated[ImageId | None, Field(description="The earlier image's id.")] = None,
    after: Annotated[ImageId | None, Field(description="The later image's id.")] = None,
) -> Step:
    """Compare two images side by side; without ids, the selection's oldest with the newest of the same place.

    Example: copilot call compare_images before=xview1:1001.tif after=xview1:1004.tif

    Asked as: compare the two images | before and after | put them side by side | oldest against newest | the
    same place earlier and later | pre and post disaster pictures | difference between both scenes
    """
    earlier, later = before, after
    if earlier is None or later is None:
        earlier, later = _pair(state, world, before, after)
    if earlier == later:
        raise ToolError(f"{earlier} is on both sides; give two different images.")
    records = [image_record(world, each) for each in (earlier, later)]
    apart = path_km([(float(each["lon"]), float(each["lat"])) for each in records])[0]
    said = f"Comparing {_in_words(records[0])} with {_in_words(records[1])}: {apart:,.1f} km apart."
    after_state = state.with_ui(compared=(earlier, later)).with_panel("image")
    data = {"before": earlier, "after": later, "apart_km": round(apart, 1)}
    return Step(after_state, said, data)


def _wanted(state: State, world: World, image: str | None, rank: Rank | None, n: int) -> dict[str, Any]:
    """The record of an id or of a rank. Raises ToolError for both, an unknown id, or a rank nobody has."""
    if image is not None:
        if rank is not None:
            raise ToolError("Give an image's id or a rank, not both.")
        return image_record(world, image)
    assert rank is not None
    rows = world.catalogue.rows(
        current_selection(state, world), _COLUMNS, _ORDER[rank], limit=1, offset=n - 1
    )
    word = rank.replace("_", " ")
    if not len(rows):
        count = number_of(state.database.count, "image")
        raise ToolError(f"There is no {word} image number {n}: the selection has {count}.")
    if _ORDER[rank] and pd.isna(rows.iloc[0][_ORDER[rank][0][0]]):
        raise ToolError(f"There is no {word} image number {n}: {_ORDER[rank][0][0]} is not known for it.")
    return image_record(world, str(rows.iloc[0]["image_id"]))


def _pair(state: State, world: World, before: str | None, after: str | None) -> tuple[str, str]:
    """The oldest and the newest image of the selection over one place, where one or both are left open."""
    selection = current_selection(state, world)
    given = before or after
    if given is None:
        rows = world.catalogue.rows(selection, _COLUMNS, _ORDER["oldest"], limit=1)
        if not len(rows):
            raise ToolError(
                "The selection is empty, so there is nothing to compare; drop a filter with filter_clear."
            )
        given = str(rows.iloc[0]["image_id"])
    anchor = image_record(world, given)
    there = _over(world, selection, anchor)
    others = there[there["image_id"] != given]
    if others.empty:
        raise ToolError(f"The selection has no other image over the place of {given}; give before and after.")
    # The one that is farthest on the side that is asked for; where there is none, the sides go by date.
    taken = anchor.get("acquired")
    later, sooner = others[others["acquired"] > taken], others[others["acquired"] < taken]
    wanted = sooner if after is not None else later
    if wanted.empty:
        wanted = later if after is not None else sooner
    if wanted.empty:
        wanted = others
    other = wanted.iloc[0] if after is not None else wanted.iloc[-1]
    return (str(other["image_id"]), given) if other["acquired"] < taken else (given, str(other["image_id"]))


def _over(world: World, selection: Selection, anchor: dict[str, Any]) -> pd.DataFrame:
    """The selected images whose box holds the anchor's centre, oldest first."""
    lon, lat = float(anchor["lon"]), float(anchor["lat"])
    rows = world.catalogue.images_near(selection, lon, lat, limit=_MOST_AT_A_PLACE)
    inside = (rows["south"] <= lat) & (lat <= rows["north"])
    plain = (rows["west"] <= lon) & (lon <= rows["east"])
    across = (rows["west"] > rows["east"]) & ((lon >= rows["west"]) | (lon <= rows["east"]))
    found = rows[inside & (plain | across) & rows["acquired"].notna()]
    if "kind" in found and anchor.get("kind") is not None:  # an image is compared with images, no features
        found = found[found["kind"] == anchor["kind"]]
    return found.sort_values(["acquired", "image_id"])


def _selected(state: State, record: dict[str, Any], said: str) -> Step:
    image = str(record["image_id"])
    keys = ("acquired", "sensor", "gsd_m", "cloud_pct", "place", "country", "lon", "lat", "detections")
    data = {"image": image, **{key: plain_value(record.get(key)) for key in keys}}
    return Step(state.with_ui(selected_image=image).with_panel("image"), said, data)


def _in_words(record: dict[str, Any]) -> str:
    day = plain_value(record.get("acquired"))
    parts = [record.get("sensor"), str(day)[:10] if day else None, record.get("place")]
    about = ", ".join(str(part) for part in parts if part)
    return f"{record['image_id']} ({about})" if about else str(record["image_id"])


TOOLS = (select_image, show_image, compare_images)
