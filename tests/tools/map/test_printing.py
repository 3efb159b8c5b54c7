"""The page to print: what stands on it, where the map's features lie, and that it is the same each time."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pypdf
import pytest
from PIL import Image
from shapely.geometry import LineString, Polygon

from data.basemap import skins
from data.basemap.painting import Window, filled, painted
from state.model import MapState, State
from tests.tools.prepared import RASTER, prepared
from tests.tools.world import after, run
from tools.base import World
from tools.map.adding import add_raster_layer
from tools.map.camera import zoom_map
from tools.map.drawing import draw_bbox
from tools.map.export import export_map
from tools.map.features import Feature
from tools.map.picture import Frame, _in_sight, draw_map, scale_bar
from tools.map.plots import scatter_plot
from tools.map.styling import style_by_field

MM_PER_POINT = 25.4 / 72


@pytest.fixture
def rotterdam(world: World) -> State:
    """The images around Rotterdam as points, coloured by their sensor."""
    return after(
        world,
        prepared(world),
        (scatter_plot, {}),
        (style_by_field, {"layer": "points", "field": "sensor"}),
        (zoom_map, {"place": "Rotterdam"}),
    )


def page(world: World, state: State, **args: object) -> pypdf.PageObject:
    step = run(world, state, export_map, format="pdf", **args)
    assert not step.failed, step.observation
    (found,) = pypdf.PdfReader(step.data["path"]).pages
    return found


def test_the_page_says_title_legend_scale_north_sources_and_date(world: World, rotterdam: State) -> None:
    text = page(world, rotterdam, title="Around Rotterdam").extract_text()
    for said in (
        "Around Rotterdam", "Legend", "Points", "sensor", "WorldView-3", "N", "20 November 2026",
        "sample data: generated positions and labels", "Natural Earth", "shadedrelief.com", "GeoNames",
        "Web Mercator (EPSG:3857)", "about 1 : ", "at 51.9",
    ):  # fmt: skip
        assert said in text, said


@pytest.mark.parametrize(
    ("args", "size_mm"),
    [
        ({}, (297, 210)),
        ({"upright": True}, (210, 297)),
        ({"paper": "a3"}, (420, 297)),
        ({"paper": "letter", "upright": True}, (215.9, 279.4)),
    ],
)
def test_the_page_is_as_large_as_the_paper(
    world: World, rotterdam: State, args: dict[str, object], size_mm: tuple[float, float]
) -> None:
    box = page(world, rotterdam, **args).mediabox
    assert np.allclose([float(box.width) * MM_PER_POINT, float(box.height) * MM_PER_POINT], size_mm, atol=0.1)


def test_the_same_map_is_the_same_file(world: World, rotterdam: State) -> None:
    for kind in ("png", "pdf"):
        first = Path(run(world, rotterdam, export_map, format=kind).data["path"]).read_bytes()
        assert Path(run(world, rotterdam, export_map, format=kind).data["path"]).read_bytes() == first


def test_what_was_exported_before_has_the_name_that_it_had(world: World, rotterdam: State) -> None:
    plain = run(world, rotterdam, export_map, format="png")
    assert plain.state.artifacts[-1].made_by == "export_map(format=png)"
    large = run(world, rotterdam, export_map, format="png", paper="a3")
    assert large.state.artifacts[-1].made_by == "export_map(format=png, paper=a3)"
    assert large.state.artifacts[-1].id != plain.state.artifacts[-1].id


def test_a_box_is_drawn_where_it_lies(world: World) -> None:
    state = after(world, State(), (draw_bbox, {"bbox": [4, 51, 6, 53]}))
    state = state.with_map(center=(5.0, 52.0), zoom=7.0)
    with_it, without = (
        np.asarray(draw_map(each, world, Frame(state.map, 600, 400, 1.0)), dtype=int)
        for each in (state, state.without_layers(frozenset({"drawing-1"})))
    )
    rows, columns = np.nonzero(np.abs(with_it - without).sum(axis=2) > 12)
    px_per_deg = 256 * 2**7 / 360
    assert abs((columns.max() - columns.min()) - 2 * px_per_deg) < 4
    assert abs((columns.max() + columns.min()) / 2 - 300) < 3
    north, south = (math.asinh(math.tan(math.radians(lat))) / (2 * math.pi) * 256 * 2**7 for lat in (53, 51))
    assert abs((rows.max() - rows.min()) - (north - south)) < 4


def test_a_raster_s_ramp_is_in_the_legend(world: World) -> None:
    shown = {"artifact": RASTER.id, "colormap": "viridis"}
    state = after(world, prepared(world), (add_raster_layer, shown))
    assert "Heights" in page(world, state).extract_text()


def test_the_base_is_water_at_sea_and_not_on_land() -> None:
    water = tuple(bytes.fromhex(skins()["light"]["water"][1:]))

    def middle(lon: float, lat: float) -> tuple[int, ...]:
        y = 0.5 - math.asinh(math.tan(math.radians(lat))) / (2 * math.pi)
        picture = painted(Window(lon / 360 + 0.5, y, 256 * 2**5, 64, 48, 5.0), "light")
        return tuple(picture.getpixel((32, 24)))  # type: ignore[arg-type]

    assert middle(3.2, 54.0) == water
    assert middle(179.9999, -12.0) != middle(2.0, 47.0)
    land = middle(2.0, 47.0)
    assert min(land) > 200 and land != water


def test_a_mask_leaves_holes_out() -> None:
    ring = Polygon([(2, 2), (18, 2), (18, 18), (2, 18)], [[(6, 6), (14, 6), (14, 14), (6, 14)]])
    island = Polygon([(9, 9), (11, 9), (11, 11), (9, 11)])
    mask = np.asarray(filled((20, 20), np.array([island, ring, LineString([(0, 0), (1, 1)])], dtype=object)))
    assert (mask[4, 4], mask[8, 8], mask[10, 10], mask[0, 0]) == (255, 0, 255, 0)


def test_what_crosses_the_antimeridian_is_drawn_on_the_copy_in_sight() -> None:
    frame = Frame(MapState(center=(179.0, 0.0), zoom=4.0))
    (piece,) = _in_sight(frame, Feature(Polygon([(-179, 1), (-178, 1), (-178, 2)])).shape)
    assert piece.bounds == (181.0, 1.0, 182.0, 2.0)


def test_the_scale_bar_is_a_round_number_within_its_room() -> None:
    assert scale_bar(0.3, 40) == (10.0, pytest.approx(33.333, abs=0.01))
    assert scale_bar(0.001, 40) == (0.02, pytest.approx(20))


def test_a_picture_is_drawn_upright_too(world: World, rotterdam: State) -> None:
    step = run(world, rotterdam, export_map, format="png", upright=True)
    with Image.open(step.data["path"]) as picture:
        assert picture.size == (1654, 2339)
