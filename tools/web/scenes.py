"""Scenes of STAC services: their collections, a search, and what it found as a data set or as pixels."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from state.model import State
from tools.artifacts import Call, artifact_file
from tools.base import Step, ToolError, World, tool
from tools.database.dates import Day
from tools.phrases import listed, number, number_of
from tools.rasters import raster_step
from tools.selection import reselected
from tools.tables import table_of_inputs
from tools.units import BboxDeg, Names
from tools.vectors import vector_step
from tools.web.shared import (
    OUTSIDE,
    Place,
    Source,
    Url,
    area_of,
    asking,
    days_of,
    in_words,
    key_of,
    said_days,
)

Json = dict[str, Any]
Api = Annotated[Url | None, Field(description="A STAC API's root; $AZIMUTH_STAC_URL's when left out.")]
_COLUMNS = ("id", "collection", "datetime", "cloud_cover_pct", "platform", "gsd_m", "assets", "url")


@tool("web", external=True)
def stac_collections(
    state: State,
    world: World,
    *,
    api: Api = None,
    containing: Annotated[
        str | None, Field(min_length=1, max_length=100, description="A word in the id, title or description.")
    ] = None,
) -> Step:
    """List the collections of a STAC API: id, title, first and last day, licence.

    Example: copilot call stac_collections containing=sentinel

    Asked as: which STAC collections are there | what does the STAC server offer | list the collections of
    this API | is there Sentinel-2 in the catalogue service | available STAC data sets | what can I search
    """
    from dataclasses import asdict

    from data.web.stac import address_of, collections
    from data.web.urls import host_of

    root = address_of(api)
    with asking():
        found = collections(root)
    word = (containing or "").casefold()
    kept = [each for each in found if word in f"{each.id} {each.title} {each.about}".casefold()]
    rows = [{**asdict(each), "bbox": list(each.bbox) if each.bbox else None} for each in kept]
    data = {"api": root, "count": len(rows), "collections": rows[:200]}
    kind = "collection" if containing is None else f"collection with {containing!r}"
    if not kept:
        return Step(state, f"{host_of(root)} has no {kind}.", data)
    there = f"{host_of(root)} has {len(kept):,} {kind if len(kept) == 1 else kind.replace('n', 'ns', 1)}"
    names = listed([f"{each.id} ({each.title})" if each.title != each.id else each.id for each in kept], 20)
    return Step(state, f"{there} ({OUTSIDE}): {names}.", data)


@tool("web", changes_state=True, gives=("vector", "table"), external=True, long_running=True)
def stac_search(
    state: State,
    world: World,
    *,
    collections: Annotated[Names | None, Field(description="Which collections; all when left out.")] = None,
    bbox: BboxDeg | None = None,
    place: Place | None = None,
    start: Day | None = None,
    end: Day | None = None,
    cloud_pct: Annotated[
        float | None, Field(ge=0, le=100, description="At most this much cloud, percent.")
    ] = None,
    limit: Annotated[int, Field(ge=1, le=500, description="At most how many scenes.")] = 50,
    api: Api = None,
) -> Step:
    """Search a STAC API for scenes by area, days and cloud; they become a table, and footprints on the map.

    What is not given is taken from the selection: its area (else the map's view) and its dates, UTC.

    Example: copilot call stac_search collections=sentinel-2-l2a place=Rotterdam cloud_pct=20

    Asked as: search a STAC API for Sentinel-2 scenes | find Landsat scenes of this area on a STAC API |
    which Sentinel images are there online | cloud-free Sentinel-2 from the STAC service | look for scenes to
    load from Earth Search | new satellite images of this place from STAC
    """
    import geopandas as gpd
    import pandas as pd
    from shapely.geometry import shape

    from data.web.stac import Wanted, address_of, search
    from data.web.urls import host_of

    area = area_of(state, world, bbox, place)
    first, final = days_of(state, start, end)
    root = address_of(api)
    names = tuple(in_words(each, "collections") for each in collections or ())
    wanted = Wanted(names, area.bbox, first, final, cloud_pct, limit=limit)
    with asking():
        found = search(root, wanted)
    call = Call.of(
        stac_search,
        collections=list(names) or None,
        bbox=list(area.bbox),
        place=None,
        start=first,
        end=final,
        cloud_pct=cloud_pct,
        limit=limit,
        api=api,
    )
    source = Source(root, host_of(root), key_of([dict(each) for each in found.items]))
    rows = [_row(each) for each in found.items]
    name = f"{listed(names, 3) if names else 'Scenes'} of {host_of(root)}"[:100]
    clear = f" with at most {number(cloud_pct)} % cloud" if cloud_pct is not None else ""
    more = ", and there are more" if found.more else ""
    said = (
        f"{number_of(len(rows), 'scene')} of {host_of(root)} in {area.said}{said_days(first, final)}{clear}"
        f"{more} ({OUTSIDE}){_newest(rows)}."
    )
    table = pd.DataFrame(rows, columns=list(_COLUMNS))
    step = table_of_inputs(state, world, [source], table, call, name, said)
    items = [json.dumps(each, ensure_ascii=False, sort_keys=True) for each in found.items]
    frame = gpd.GeoDataFrame(
        table.assign(item=items), geometry=[shape(each["geometry"]) for each in found.items], crs="EPSG:4326"
    )
    footprints = vector_step(step.state, world, call, [source], frame, name=name, said=step.observation)
    facts = {"api": root, "area": list(area.bbox), "start": first, "end": final, "more": found.more}
    return replace(footprints, data={**step.data, **footprints.data, **facts})


@tool("web", changes_state=True, gives=("loaded", "raster"), external=True, long_running=True)
def stac_load(
    state: State,
    world: World,
    *,
    found: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=200,
            description="The footprints of a search; the newest one's if left out.",
        ),
    ] = None,
    asset: Annotated[
        str | None,
        Field(min_length=1, max_length=100, description="A file of one scene to read: visual, red."),
    ] = None,
    item: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=300,
            description="Which scene; the first that has the file when left out.",
        ),
    ] = None,
    bbox: BboxDeg | None = None,
    name: Annotated[str | None, Field(description="The data set's name; made when left out.")] = None,
    max_size_px: Annotated[
        int, Field(ge=64, le=8192, description="Longest side of the pixels that are read.")
    ] = 2048,
) -> Step:
    """Load the scenes of a STAC search as a data set; with an asset, one scene's pixels as a raster.

    A file is a Cloud Optimized GeoTIFF, read over HTTP by ranges: only the part in the bbox, else in the
    selection's area, else all of it, from its overviews when that part is larger than max_size_px.

    Example: copilot call stac_load found=vector-57ac00 asset=visual

    Asked as: load these STAC items | bring the found scenes into the catalogue | read the red band of the
    first scene | open the visual asset here | make a data set of the search results | get the pixels of that
    STAC item | load the scene from the STAC search
    """
    footprints = _search_of(state, world, found)
    items = _items_of(state, world, footprints)
    if asset is None:
        if item is not None:
            items = [_item_named(items, item)]
        return _loaded(state, world, items, footprints, name)
    chosen = _first_with(items, asset) if item is None else _item_named(items, item)
    return _read(state, world, chosen, footprints, asset, bbox, max_size_px)


def _loaded(state: State, world: World, items: Sequence[Json], footprints: str, name: str | None) -> Step:
    """Ingest the items as a static STAC catalogue, which is gone afterwards: their files stay on the web."""
    from data.ingest import UnreadableSource, ingest, slug

    if world.catalogue_root is None:
        raise ToolError(
            "This catalogue is on a server and cannot be written from here; its keeper can ingest."
        )
    wanted = slug(name or f"stac {items[0].get('collection') or 'scenes'} {footprints[-6:]}")
    beside = world.artifacts.about(footprints).parent
    beside.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=".stac-", dir=beside))
    try:
        # The folder's name stands for the source: the same search again replaces its own data set.
        _write_catalogue(scratch / wanted, wanted, items)
        report = ingest(
            world.catalogue_root,
            scratch / wanted,
            name=wanted,
            format="stac",
            owner=world.owner,
            apart=world.reader,
        )
    except UnreadableSource as error:
        raise ToolError(str(error)) from None
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    dataset = report.dataset.name
    loaded = tuple(sorted({*state.database.loaded, dataset}))
    said = f"{number_of(report.images, 'scene')} of {footprints} make the data set {dataset}, now loaded."
    step = reselected(state, world, replace(state.database, loaded=loaded), said)
    facts = {
        "dataset": dataset,
        "images": report.images,
        "rejected": report.rejected_count,
        "found": footprints,
    }
    return replace(step, data={**step.data, **facts})


def _read(
    state: State,
    world: World,
    item: Json,
    footprints: str,
    asset: str,
    bbox: list[float] | None,
    most_px: int,
) -> Step:
    """The part of one asset in the area, as a raster artifact."""
    from data.raster.told import told_of
    from data.web.read import line
    from data.web.stac import assets, taken
    from tools.map.geometry import checked_box

    there = assets(item)
    key = asset if asset in there else {each.casefold(): each for each in there}.get(asset.casefold(), asset)
    if key not in there:
        known = listed(list(there), 12) or "no files on the web"
        raise ToolError(f"The scene {item['id']!r} has no asset {asset!r}; it has {known}.")
    url = there[key][0]
    area = checked_box(bbox) if bbox is not None else state.database.filters.bbox
    if area is not None and area[0] > area[2]:
        raise ToolError("The area crosses the antimeridian; give a bbox on one side of it.")
    call = Call.of(
        stac_load,
        found=footprints,
        asset=key,
        item=item["id"],
        bbox=None if area is None else list(area),
        name=None,
        max_size_px=most_px,
    )
    facts: dict[str, Any] = {"item": item["id"], "asset": key, "url": url, "datetime": taken(item)}

    told = told_of(item, next(each for name, each in item["assets"].items() if line(name, 100) == key))

    def make(path: Path) -> None:
        from data.web.cog import read_window

        with asking():
            piece = read_window(url, path, area, most_px, told)
        facts.update(
            full_px=list(piece.full_px),
            pixel_size=list(piece.pixel),
            crs=piece.crs,
            bytes_read=piece.bytes_read,
            notes=list(piece.notes),
        )

    def said(_: Path) -> str:
        width, height = facts["full_px"]
        thinned = f", thinned out from {width:,} x {height:,} pixels" if max(width, height) > most_px else ""
        read = (
            f"Read {key} of {item['id']} by ranges ({facts['bytes_read'] / 1e6:,.1f} MB), {facts['crs']}, "
            f"pixels of {number(facts['pixel_size'][0])}{thinned}."
        )
        return " ".join([read, *facts["notes"]])

    source = Source(url, f"{item['id']} {key}", key_of([footprints, item["id"], key, area]))
    step = raster_step(state, world, call, [source], make, name=f"{item['id']} {key}"[:100], said=said)
    return replace(step, data={**step.data, **facts})


def _search_of(state: State, world: World, found: str | None) -> str:
    """The artifact of the search's footprints. Raises ToolError when there is none."""
    if found is not None:
        artifact_file(state, world, found, "vector")
        return found
    newest = next(
        (
            each.id
            for each in reversed(state.artifacts)
            if each.kind == "vector" and each.made_by.startswith("stac_search(")
        ),
        None,
    )
    if newest is None:
        raise ToolError("No scenes were searched for yet; stac_search finds some.")
    return newest


def _items_of(state: State, world: World, footprints: str) -> list[Json]:
    import pyarrow.parquet as pq

    path = artifact_file(state, world, footprints, "vector")
    names = pq.read_schema(path).names if path.suffix == ".parquet" else []
    if "item" not in names or "collection" not in names:
        raise ToolError(f"{footprints!r} is no result of stac_search; give one that is.")
    items = [json.loads(each) for each in pq.read_table(path, columns=["item"])["item"].to_pylist()]
    if not items:
        raise ToolError(f"The search {footprints} found no scenes; search a larger area or longer time.")
    return items


def _first_with(items: Sequence[Json], asset: str) -> Json:
    """The first scene that has such a file; the first of all when none has, which is then told."""
    from data.web.stac import assets

    wanted = asset.casefold()
    return next((each for each in items if wanted in map(str.casefold, assets(each))), items[0])


def _item_named(items: Sequence[Json], name: str) -> Json:
    from difflib import get_close_matches

    known = {str(each["id"]): each for each in items}
    if name in known:
        return known[name]
    near = get_close_matches(name, known, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else f"It has {listed(list(known), 5)}."
    raise ToolError(f"The search found no scene {name!r}. {hint}")


def _write_catalogue(folder: Path, name: str, items: Sequence[Json]) -> None:
    """A static STAC catalogue of the items."""
    folder.mkdir()
    links = []
    for place, each in enumerate(items):
        file = f"{place:05d}.json"
        (folder / file).write_text(json.dumps({**each, "links": []}), encoding="utf-8")
        links.append({"rel": "item", "href": f"./{file}", "type": "application/geo+json"})
    root = {
        "type": "Catalog",
        "stac_version": "1.0.0",
        "id": name,
        "description": "Scenes of a search",
        "links": links,
    }
    (folder / "catalog.json").write_text(json.dumps(root), encoding="utf-8")


def _row(item: Json) -> Json:
    from data.web.read import finite, line
    from data.web.stac import assets, cloud_pct, own_address, taken

    properties = item["properties"]
    return {
        "id": line(item["id"]),
        "collection": line(item.get("collection")) or None,
        "datetime": taken(item),
        "cloud_cover_pct": cloud_pct(item),
        "platform": line(properties.get("platform")) or None,
        "gsd_m": finite(properties.get("gsd")),
        "assets": ", ".join(list(assets(item))[:40]),
        "url": own_address(item),
    }


def _newest(rows: Sequence[Json]) -> str:
    newest = max((row for row in rows if row["datetime"]), key=lambda row: row["datetime"], default=None)
    if newest is None:
        return ""
    cloud = newest["cloud_cover_pct"]
    clear = "" if cloud is None else f", {number(cloud)} % cloud"
    return f"; the newest is {newest['id']}, {newest['datetime'][:10]}{clear}"


TOOLS = (stac_collections, stac_search, stac_load)
