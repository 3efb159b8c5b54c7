"""One read-only SELECT over the session's layers and tables, and over the catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from data.catalogue.base import CatalogueError
from data.catalogue.guard import functions_of, tables_of, transform_targets
from state.model import State
from tools.artifacts import FEATURES, Call
from tools.base import Step, ToolError, World, tool
from tools.data.flattening import names_apart
from tools.noting import note
from tools.phrases import listed, number_of
from tools.row_shapes import with_shapes
from tools.rows_said import rows_said
from tools.tables import table_of_inputs
from tools.units import NewName
from tools.vectors import DRAWINGS, SELECTION, Named, vector_of

if TYPE_CHECKING:
    import pandas as pd

MAX_ROWS = 1_000_000
SECONDS = 30.0
CATALOGUE = ("images", "detections", "datasets")
_PLANAR = frozenset({"st_area", "st_length", "st_perimeter", "st_distance", "st_buffer", "st_dwithin"})
"""Functions that count in the units of the coordinates, which are degrees in longitude and latitude."""
_MERCATORS = ("Mercator (", "Popular Visualisation Pseudo Mercator")
"""Projections of the world that stretch it, as PROJ names their methods."""
_MEASURES = frozenset({"area_m2", "length_m", "in_degrees", "in_metres"})
_MOST_DEG = 12.0
"""How wide layers may lie for one system in metres to fit them: two zones of UTM."""


@dataclass
class _Open:
    """What a query can read: a file by each name, and what it is of."""

    files: dict[str, Path] = field(default_factory=dict)
    inputs: dict[str, Named] = field(default_factory=dict)


@tool("data", changes_state=True, gives=("table", "vector"), long_running=True)
def sql(
    state: State,
    world: World,
    *,
    query: Annotated[
        str,
        Field(
            min_length=1,
            max_length=20_000,
            description="One SELECT (DuckDB, spatial) over layers and tables by name or id; shapes are the "
            "column geometry, longitude and easting first, in the system that their layer is kept in. Also "
            "area_m2(geometry), length_m(geometry) on the ellipsoid, in_metres, in_degrees, "
            "ST_Transform(geometry, 'EPSG:3035'), ST_Union_Agg, ST_Dump, ST_LineLocatePoint.",
        ),
    ],
    name: Annotated[
        NewName | None, Field(description="What the result is called; Result of a query when left out.")
    ] = None,
    crs: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=200,
            description="The system that the result's shapes are brought into: EPSG:3035, utm, equal area; "
            "of shapes made of numbers (ST_Point(x, y)) the one that they are in.",
        ),
    ] = None,
) -> Step:
    """Run one read-only SELECT over the session's layers, tables and results, and over the catalogue.

    DuckDB with its spatial functions. A table is called by its name (us_cities, or "My layer" in double
    quotes) or its id; there are also selection, drawings, and the catalogue's images, detections and
    datasets. The column of shapes is geometry, longitude first, in the system that the layer is kept in; a
    result with a geometry is features on the map, any other a table, and all other tools take it by its name.
    Beside ST_Intersects, ST_Union_Agg, ST_Transform(geometry, 'EPSG:3035') and the like there are
    area_m2(geometry) and length_m(geometry) on the ellipsoid, in_metres(geometry) in the UTM zone of the
    layers, and in_degrees(geometry). Text, regular expressions, JSON, windows, TRY_CAST, and likeness of
    texts (levenshtein, jaro_winkler_similarity) work too. At most 1,000,000 rows, 30 seconds, 1.5 GB of
    memory; no file and no network is reached, and nothing is changed.

    Example: copilot call sql query="SELECT dataset, count(*) AS n FROM images GROUP BY dataset"

    Asked as: query my layers with SQL | select from the layer where | join the two layers in SQL | group the
    rows of my table by a column and sum | which parcels touch a river, as a query | run a spatial SQL query
    | duplicates in my table by SQL
    """
    wanted = _wanted(query)
    with TemporaryDirectory(prefix="azimuth-sql-") as kept:
        folder = Path(kept)
        there = _open(state, world, wanted, folder)
        frame = _answer(world, query, there, crs, folder)
    more = len(frame) > MAX_ROWS
    frame = frame.head(MAX_ROWS)
    call = Call.of(sql, query=query, name=name, crs=crs)
    said = f"The query gave {number_of(len(frame), 'row')}"
    said += f", and more than the {MAX_ROWS:,} that are kept." if more else "."
    said += f" {rows_said(frame)}"
    inputs = list({each.key: each for each in there.inputs.values()}.values())
    title = name or "Result of a query"
    made_of = inputs if set(there.inputs) >= {each.casefold() for each in wanted} else None
    return table_of_inputs(state, world, made_of, frame, call, title, said, rows_said=True)


def _wanted(query: str) -> list[str]:
    """The tables that a query reads. Raises ToolError for what is no SELECT."""
    try:
        return tables_of(query)
    except CatalogueError as error:
        raise ToolError(str(error)) from error


def _open(state: State, world: World, wanted: list[str], folder: Path) -> _Open:
    """The files that a query reads, by the names that it calls them. Raises ToolError with the nearest."""
    known = names_open(state)
    there = _Open()
    for number, asked in enumerate(wanted):
        handle = known.get(asked) or known.get(asked.casefold())
        if handle is None:
            if asked.casefold() in CATALOGUE:
                continue
            raise ToolError(_unknown(asked, state, known))
        if asked.casefold() in CATALOGUE:
            note(f"{asked} is your own layer of that name here, and not the catalogue's.")
        artifact = state.artifact(handle)
        path = world.artifacts.find(handle) if artifact is not None else None
        if artifact is not None and path is None:
            raise ToolError(f"The file of {handle} is gone; {artifact.made_by} makes it again.")
        if artifact is not None and path is not None and path.suffix == ".parquet":
            there.inputs[asked.casefold()] = Named(artifact.id, artifact.name, artifact.id)
            there.files[asked] = path
            continue
        source = vector_of(state, world, handle)
        there.inputs[asked.casefold()] = Named(source.handle, source.name, source.key)
        there.files[asked] = folder / f"layer-{number}.parquet"
        source.frame.to_parquet(there.files[asked], index=False)
    return there


def names_open(state: State) -> dict[str, str]:
    """What a query may call each layer and table of the session, with its id.

    Its name as it is written and in small letters, its name with underscores, and its id; of two with one
    name the newest.
    """
    known = {SELECTION: SELECTION, DRAWINGS: DRAWINGS}
    for layer in state.map.layers:
        if layer.kind != "raster":
            known |= dict.fromkeys(_spellings(layer.name, layer.id), layer.artifact or layer.id)
    for artifact in state.artifacts:
        if artifact.kind in (*FEATURES, "table"):
            known |= dict.fromkeys(_spellings(artifact.name, artifact.id), artifact.id)
    return known


def plain_name(name: str) -> str:
    """A name as SQL takes it without quotes."""
    plain = "".join(each if each.isalnum() else "_" for each in name.casefold()).strip("_")
    return f"t_{plain}" if plain[:1].isdigit() else plain


def _spellings(name: str, handle: str) -> list[str]:
    return [each for each in (name, name.casefold(), plain_name(name), handle, plain_name(handle)) if each]


def _unknown(asked: str, state: State, known: Mapping[str, str]) -> str:
    near = get_close_matches(asked.casefold(), known, n=1)
    if near:
        return f"There is no layer or table {asked!r}. Did you mean {near[0]!r}?"
    artifacts = [each for each in state.artifacts if each.kind in (*FEATURES, "table")]
    names = [plain_name(each.name) for each in artifacts[-8:]]
    return f"There is no layer or table {asked!r}; there are {listed([*names, SELECTION, *CATALOGUE], 12)}."


def _answer(world: World, query: str, there: _Open, crs: str | None, folder: Path) -> pd.DataFrame:
    """What the query gives: rows, or features in a known coordinate system. Raises ToolError."""
    import pyarrow.parquet as pq

    from data.catalogue.layers_sql import ANSWER
    from data.uploads.frames import exact_frame  # of pyproj, which a list of tools does without

    boxes = [found for path in there.files.values() if (found := _box(path)) is not None]
    used = functions_of(query)
    metres = _metres(boxes)
    if "in_metres" in used and metres is None:
        raise ToolError(
            "in_metres fits layers that lie within two UTM zones, and these lie wider, or have no shapes; "
            "area_m2, length_m, ST_Distance_Spheroid or ST_Transform(geometry, 'EPSG:…') measure them."
        )
    try:
        told = world.catalogue.sql_over(
            query, there.files, folder, crs=None if crs is None else _code(crs, boxes), metres=metres,
            max_rows=MAX_ROWS + 1, timeout_s=SECONDS, reader=world.reader,
        )  # fmt: skip
    except CatalogueError as error:
        raise ToolError(_with_columns(str(error), there)) from error
    _note_degrees(used, boxes)
    _note_capitals(there)
    if told["texts"]:
        note(f"A result has one column of shapes; {told['texts']} became text (WKT).")
    if told["long"]:
        note(f"{told['long']} became text, which keeps all digits: it has whole numbers beyond 64 bits.")
    if told["rounded"]:
        note(
            f"{told['rounded']} has decimals with more digits than a number holds, and was rounded; "
            "CAST(… AS VARCHAR) keeps all digits as text."
        )
    frame: pd.DataFrame = exact_frame(pq.read_table(folder / ANSWER))
    if told["geometry"]:
        targets = transform_targets(query)
        moved = targets.pop() if len(targets) == 1 else ""
        frame = with_shapes(frame, told["geometry"], told["system"], told["made"], moved)
    return frame


def _note_degrees(used: set[str], boxes: list[_Box]) -> None:
    """Say so where areas and lengths were counted in degrees, or on a map that stretches them."""
    planar = sorted(each for each in used & _PLANAR)
    if not planar or used & {"st_transform", "in_metres"}:
        return
    if stretched := sorted({each.stretched for each in boxes if each.stretched}):
        note(
            f"{listed([each.upper() for each in planar])} counts on the plane of {listed(stretched)}, which "
            "stretches all lengths the more, the farther from the equator: area_m2(geometry), "
            "length_m(geometry), or a shape through in_metres(geometry) gives true metres."
        )
    if any(box.in_degrees for box in boxes):
        note(
            f"{listed([each.upper() for each in planar])} counts in degrees here, since the layers are in "
            "longitude and latitude: area_m2(geometry), length_m(geometry), or a shape through "
            "in_metres(geometry) gives metres."
        )


def _note_capitals(there: _Open) -> None:
    """Say so where columns differ in capitals alone, which SQL does not tell apart."""
    import pyarrow.parquet as pq

    for asked, path in there.files.items():
        names = pq.read_schema(path).names
        if len({each.lower() for each in names}) == len(names):
            continue
        others = [f"{old} is {new}" for old, new in names_apart(names).items() if old != new]
        note(
            f"SQL takes names of columns that differ in capitals for one: of {asked}, {listed(others)} here."
        )


def _with_columns(said: str, there: _Open) -> str:
    """A sentence about a column that is not there, with the nearest of those that are."""
    import pyarrow.parquet as pq

    start = "There is no column '"
    if not said.startswith(start) or not there.files:
        return said
    asked = said[len(start) :].split("'")[0]
    if (bare := asked.rpartition(".")[2].casefold()) in _MEASURES:
        return f"{start}{asked}'; in sql it is a function: {bare}(geometry)."
    columns = [each for path in there.files.values() for each in pq.read_schema(path).names]
    near = get_close_matches(asked.rpartition(".")[2], columns, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {listed(list(dict.fromkeys(columns)), 20)}."
    return f"{start}{asked}'; {hint}"


def _code(crs: str, boxes: list[_Box]) -> str:
    """The EPSG code of the system that is asked for; how it was chosen is said. Raises ToolError."""
    from data.vector.errors import VectorError
    from data.vector.systems import crs_named

    around = _around(boxes) if boxes else None
    try:
        system, why = crs_named(crs, around)
    except VectorError as error:
        raise ToolError(str(error)) from error
    authority = system.to_authority()
    if authority is None or authority[0] != "EPSG":
        raise ToolError("crs takes a system with an EPSG code here, such as EPSG:3035; save_file takes any.")
    code = ":".join(authority)
    note(why if crs.strip().upper() != code else None)
    return code


@dataclass(frozen=True)
class _Box:
    west: float
    south: float
    east: float
    north: float
    in_degrees: bool
    stretched: str = ""
    """The name of the layer's system where it is a Mercator projection of the world."""


def _box(path: Path) -> _Box | None:
    """What the shapes of a GeoParquet file cover, in degrees; None for a table."""
    import json

    import pyarrow.parquet as pq
    import pyproj

    from data.vector.systems import code_of

    geo = json.loads((pq.read_schema(path).metadata or {}).get(b"geo", b"{}"))
    column = geo.get("columns", {}).get(geo.get("primary_column"), {})
    sides = column.get("bbox")
    if not sides or len(sides) not in (4, 6) or any(each != each for each in sides):
        return None
    west, south, east, north = sides[0], sides[1], sides[len(sides) // 2], sides[len(sides) // 2 + 1]
    stored = column.get("crs", "OGC:CRS84")
    system = pyproj.CRS.from_user_input(stored) if stored is not None else pyproj.CRS(4326)
    if system != pyproj.CRS(4326):
        change = pyproj.Transformer.from_crs(system, "EPSG:4326", always_xy=True)
        west, south, east, north = change.transform_bounds(west, south, east, north)
    operation = system.coordinate_operation
    mercator = operation is not None and operation.method_name.startswith(_MERCATORS)
    return _Box(west, south, east, north, bool(system.is_geographic), code_of(system) if mercator else "")


def _around(boxes: list[_Box]) -> tuple[float, float, float, float]:
    """The box of all of them, in degrees."""
    return (
        min(each.west for each in boxes), min(each.south for each in boxes),
        max(each.east for each in boxes), max(each.north for each in boxes),
    )  # fmt: skip


def _metres(boxes: list[_Box]) -> str | None:
    """The UTM zone of what the layers cover together; None where they lie wider than one fits."""
    if not boxes:
        return None
    from data.vector.errors import VectorError
    from data.vector.systems import code_of, crs_named

    west, south, east, north = _around(boxes)
    if east - west > _MOST_DEG:
        return None
    try:
        zone, _ = crs_named("utm", (west, south, east, north))
    except VectorError:
        return None
    return code_of(zone)


TOOLS = (sql,)
