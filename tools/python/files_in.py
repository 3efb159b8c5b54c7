"""Bring the user's own files in: rasters, features, tables and documents."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from data.uploads.brought import MOST_AT_ONCE
from state.model import Artifact, State
from tools.artifacts import Call, about, write_about
from tools.base import Step, ToolError, World, tool
from tools.map.geometry import camera_for, point, union_box
from tools.outside import Outside, file_named
from tools.phrases import one_line
from tools.python.sources import keep_source
from tools.rasters import with_raster
from tools.showing import artifact_layer
from tools.units import NewName

if TYPE_CHECKING:
    from data.uploads.brought import Asked, Brought

Nodata = Annotated[
    Annotated[float, Field(allow_inf_nan=False)] | Literal["none"] | None,
    Field(description="A raster's value for nothing, where its file does not say it; or none."),
]
Encoding = Annotated[
    str | None,
    Field(
        min_length=1,
        max_length=40,
        description="The encoding of a CSV or shapefile whose letters look wrong, such as cp1251.",
    ),
]
NO_PLACE = "It has no place on the map: say where it lies, or draw its box (place_raster)."
_ID_DIGITS = 6


@dataclass(frozen=True)
class _Came:
    """A file that came in, as an artifact's input."""

    handle: str
    name: str
    key: str


@tool(
    "python",
    changes_state=True,
    gives=("raster", "vector", "table", "document"),
    reads_files=True,
    long_running=True,
)
def add_file(
    state: State,
    world: World,
    *,
    file: Annotated[
        str,
        Field(
            min_length=1,
            max_length=4096,
            description="The name of an uploaded file, or a path on this machine.",
        ),
    ],
    name: Annotated[
        NewName | None, Field(description="What to call it; the file's name when left out.")
    ] = None,
    part: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=400,
            description="Which layer, variable, sheet or archive member, where a file holds several.",
        ),
    ] = None,
    crs: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=4096,
            description="The coordinate system of a file that names none, such as EPSG:32631.",
        ),
    ] = None,
    nodata: Nodata = None,
    encoding: Encoding = None,
) -> Step:
    """Bring a file in: a raster, features, a table or a document; it is shown on the map if it has a place.

    Reads GeoTIFF and COG, JPEG 2000, NetCDF, HDF5, GRIB, ASCII grids and MBTiles of pictures, PNG and JPEG
    (with a world file, or a photo's EXIF); zipped shapefiles, GeoPackage, zipped file geodatabases, GeoJSON
    (also one feature a line), TopoJSON, Esri JSON, FlatGeobuf, GeoParquet (also in pieces), KML and KMZ, GPX,
    GML, OpenStreetMap, MapInfo and DXF; CSV, Parquet and XLSX; PDF, DOCX, TXT, HTML, XML and JSON, told by
    their content. Of a file with several layers each becomes a layer of its own, up to 12, or the one that
    part names. Features stay in their own coordinate system, with heights and rows without a shape. A
    raster's numbers become values by the scale and offset that it tells, and a value that plainly means
    nothing becomes nodata. What a file claims is checked, and one that cannot be used is refused in a
    sentence. Over the web a file is named by its upload's name, or as folder/path below a folder of
    $AZIMUTH_DATA_FOLDERS; paths work on one's own machine.

    Example: copilot call add_file file=scene.tif

    Asked as: add my file scene.tif | open the GeoTIFF I uploaded | put my shapefile on the map | bring in
    the photo IMG_2041.jpg | read my spreadsheet of stations | load the PDF report | here is my own imagery,
    use it | open the NetCDF file | show the KML I dropped here
    """
    from data.uploads.brought import Asked
    from data.uploads.errors import UploadError

    try:
        found = file_named(world, file)
    except ToolError:
        before = _added_before(state, world, file)
        if before is None:
            raise
        file, found = before, file_named(world, before)
    try:
        return _added(state, world, found, file, name, Asked(crs, part, nodata, encoding))
    except UploadError as error:
        raise ToolError(one_sentence(str(error))) from None
    except OSError as error:
        why = error.strerror or "the disk failed"
        raise ToolError(f"{found.path.name!r} cannot be read ({why}); check it and try again.") from None


def _added_before(state: State, world: World, file: str) -> str | None:
    """How a file was named when this session added it, by its bare name: parks.gpkg for /data/parks.gpkg."""
    for artifact in reversed(state.artifacts):
        known = about(world, artifact.id)
        if "upload" in known and any(each["name"] == file for each in known.get("inputs", ())):
            return str(known["arguments"]["file"])
    return None


def _added(state: State, world: World, found: Outside, file: str, name: str | None, asked: Asked) -> Step:
    """The file's artifact, and those of its other layers where no part was asked for. Raises UploadError."""

    def brought(part: str | None) -> tuple[Artifact, dict[str, Any]]:
        return _brought(world, found, file, name, replace(asked, part=part))

    artifact, known = brought(asked.part)
    step = _shown(state, world, artifact, known)
    others = [each for each in known.get("parts", ()) if each != known["part"]]
    if asked.part is not None or not others:
        return step
    if len(others) >= MOST_AT_ONCE:
        said = f"{step.observation} {_left(found.path.name, known['part'], others)}"
        return replace(step, observation=said, data={**step.data, "not_added": others})
    return _with_others(world, step, name, others, brought)


def _brought(
    world: World, found: Outside, file: str, name: str | None, asked: Asked
) -> tuple[Artifact, dict[str, Any]]:
    """What a file, or one part of it, becomes, and what is on record of it. Raises UploadError."""
    from data.uploads.bring import beside, content_key

    call = Call.of(add_file, file=file, name=name, **asdict(asked))
    key = content_key(found.path, beside(found.path), asked)
    known = _known(world, key) or _brought_in(world, found.path, asked, found.ours, key, call)
    if known["kind"] in ("vector", "table"):
        keep_source(world, known["id"], found.path, ours=found.ours)
    title = one_line(name or known.get("title") or found.path.stem) or known["id"]
    return Artifact(known["id"], known["kind"], title, known["summary"], made_by=str(call)), known


def _left(file: str, taken: str, others: Sequence[str]) -> str:
    """The sentences about a file of more layers than are added at once: what there is to choose from."""
    from data.uploads.errors import all_shown, shown

    return (
        f"{shown(file)} has {len(others) + 1:,} layers, and of more than {MOST_AT_ONCE} only the first is "
        f"added: {shown(taken)} is, and the other {len(others):,} are not: {all_shown(others)}. "
        f"part={shown(others[0])} of add_file adds another one of them."
    )


def _with_others(
    world: World,
    step: Step,
    name: str | None,
    others: Sequence[str],
    brought: Callable[[str], tuple[Artifact, dict[str, Any]]],
) -> Step:
    """The step that brought a file's first layer in, with its others; one that cannot be used is told."""
    from data.uploads.errors import UploadError

    said, boxes = [step.observation], [step.data["bbox"]] if "bbox" in step.data else []
    layers = [{key: step.data[key] for key in ("name", "layer", "count") if key in step.data}]
    state = step.state
    for each in others:
        try:
            artifact, known = brought(each)
        except UploadError as error:
            said.append(f"{one_line(each)!r} was left out: {one_sentence(str(error))}")
            continue
        if name is not None:
            artifact = replace(artifact, name=one_line(f"{name} {known.get('title') or each}"))
        more = _shown(state, world, artifact, known)
        state = more.state
        said.append(more.observation)
        layers.append({key: more.data[key] for key in ("name", "layer", "count") if key in more.data})
        boxes += [more.data["bbox"]] if "bbox" in more.data else []
    state = state.with_ui(table=step.state.ui.table)
    if len(boxes) > 1:
        camera = camera_for(union_box(boxes))
        state = state.with_map(center=camera.center, zoom=camera.zoom)
    return Step(state, " ".join(said), {**step.data, "layers": layers})


def one_sentence(text: str) -> str:
    """What a reader says, on one line and with one full stop at its end."""
    plain = " ".join(text.split()).encode("utf-8", "replace").decode("utf-8")
    return f"{plain.rstrip('. ')}." if plain else "The file cannot be read."


def _known(world: World, key: str) -> dict[str, Any] | None:
    """What is on record of the same content that this session brought in before, while its file is there."""
    for kind in ("raster", "vector", "table", "document"):
        artifact_id = f"{kind}-{key[:_ID_DIGITS]}"
        if world.artifacts.find(artifact_id) is not None:
            found = about(world, artifact_id).get("upload")
            if isinstance(found, dict) and found.get("key") == key:
                return found
    return None


def _brought_in(world: World, path: Path, asked: Asked, ours: bool, key: str, call: Call) -> dict[str, Any]:
    """Read the file, keep what it becomes, and write what is known of it beside it."""
    from data.uploads.apart import bring_apart
    from data.uploads.bring import staged
    from data.uploads.item import whole_item

    folder = world.artifacts.about(f"document-{key[:_ID_DIGITS]}").parent
    with staged(path, folder, asked=asked, ours=ours) as incoming:
        brought = bring_apart(incoming, world.reader)
        artifact_id = f"{brought.kind}-{key[:_ID_DIGITS]}"
        target = world.artifacts.path(artifact_id, brought.suffix)
        brought.path.replace(target)
    if brought.kind == "raster":
        _make_quick(target, brought)
    known = _record(brought, artifact_id, key)
    came = {"name": path.name, "bytes": path.stat().st_size, "content_key": key}
    item = whole_item(brought, artifact_id, path.stem, came, world.today)
    artifact = Artifact(artifact_id, brought.kind, path.stem, brought.summary, made_by=str(call))
    write_about(world, artifact, call, (_Came(path.name, path.name, key),), upload=known, stac=item)
    return known


def _make_quick(path: Path, brought: Brought) -> None:
    """Have a large raster made a COG in the background, for the map; nothing waits for it."""
    from data.uploads.cog import SMALL_PX, make_cog_later

    if max(brought.facts["width_px"], brought.facts["height_px"]) > SMALL_PX:
        make_cog_later(path)


def _record(brought: Brought, artifact_id: str, key: str) -> dict[str, Any]:
    """What is kept of a file for the next time that it comes, as plain JSON."""
    kept = {
        "key": key,
        "id": artifact_id,
        "kind": brought.kind,
        "summary": brought.summary,
        "what": brought.what,
        "notes": list(brought.notes),
        "bbox": brought.bbox,
        "point": brought.point,
        "bands": brought.bands,
        "facts": dict(brought.facts),
        "part": brought.part,
        "parts": list(brought.parts),
        "title": brought.title,
    }
    plain: dict[str, Any] = json.loads(json.dumps(kept, default=str))
    return plain


def _own_name(state: State, artifact: Artifact) -> Artifact:
    """The artifact under a name that no other of its kind has, so that a name means one."""
    others = [each for each in state.artifacts if each.id != artifact.id]
    taken = {each.name for each in others if each.kind == artifact.kind} | {each.id for each in others}
    name, number = artifact.name, 2
    while name in taken:
        name, number = f"{artifact.name} {number}", number + 1
    return replace(artifact, name=name)


def _shown(state: State, world: World, artifact: Artifact, known: Mapping[str, Any]) -> Step:
    """The state with the artifact, on the map or in its panel, and what is said of it."""
    from data.uploads.gdal import quiet_gdal

    wanted, artifact = artifact.name, _own_name(state, artifact)
    after = state.with_artifact(artifact)
    of_it = {key: each for key, each in known["facts"].items() if key != "file_layers"}
    facts: dict[str, Any] = {artifact.kind: artifact.id, "name": artifact.name, **of_it}
    said = [f"{artifact.name} is {known['what']} ({artifact.id})."]
    if artifact.name != wanted:
        said.append(f"{wanted!r} means another result already, so this is {artifact.name!r}.")
    if artifact.kind == "raster":
        path = world.artifacts.find(artifact.id)
        assert path is not None
        looks = {"bands": known["bands"]} if known["bands"] else {}
        with quiet_gdal():
            after, where = with_raster(after, path, artifact.id, artifact.name, looks)
        facts.update(where)
        if not where:
            said.append(NO_PLACE)
    elif artifact.kind == "vector":
        bbox, placed = tuple(known["bbox"]), known["facts"].get("placed", known["facts"]["count"])
        layer = artifact_layer(after, artifact.name, "vector", bbox, artifact=artifact.id, count=placed)
        after = after.with_layer(layer)
        facts.update(layer=layer.id, bbox=list(bbox))
    elif artifact.kind == "table":
        after = after.with_ui(table=artifact.id).with_panel("results")
    if "bbox" in facts:
        camera = camera_for(tuple(facts["bbox"]))
        after = after.with_map(center=camera.center, zoom=camera.zoom)
        said.append("The map shows it.")
    elif known["point"]:
        after = after.with_map(center=point(*known["point"]), zoom=max(after.map.zoom, 12.0))
    return Step(after, " ".join([*said, *known["notes"]]), facts)


TOOLS = (add_file,)
