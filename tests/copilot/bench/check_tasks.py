"""Tasks over the small catalogue, each with its gold, for the tests of the model checker."""

from __future__ import annotations

from typing import Any

from copilot.bench.task import GoldCall, Kind, Task


def call(tool: str, **args: Any) -> GoldCall:
    return GoldCall(tool, args)


def task(
    task_id: str,
    category: Kind,
    request: str,
    calls: tuple[GoldCall, ...],
    reply: str,
    setup: tuple[GoldCall, ...] = (),
    also: tuple[tuple[GoldCall, ...], ...] = (),
) -> Task:
    return Task(task_id, task_id, category, request, calls, reply, {}, setup, also)


LOADED = (call("db_load", names=["xview1", "fair1m"]),)
PLOTTED = (*LOADED, call("filter_coords", place="Pittsburgh", radius_km=40), call("cluster_plot"))

FILTER_PLOT = task(
    "filter-plot",
    "load-filter-plot",
    "Plot vehicles near Pittsburgh in 2018 from xView1 in red, on the dark map",
    (
        call("db_load", names=["xview1"]),
        call("filter_date", start="2018-01-01", end="2018-12-31"),
        call("filter_coords", place="Pittsburgh", radius_km=40),
        call("filter_class", classes=["vehicles"]),
        call("scatter_plot", color="red"),
        call("set_basemap", name="dark"),
    ),
    "3 images.",
)
COUNT_CLASSES = task(
    "count-classes",
    "information",
    "How many objects of each class are there in xView1?",
    (call("db_load", names=["xview1"]), call("db_count", by="class", unit="detections")),
    "40 detections, most of them Building (16) and Small Car (10).",
)
TABLE_AND_FIGURE = task(
    "table-and-figure",
    "information",
    "Images per sensor as a table and as bars",
    (call("group_count", by="sensor"), call("bar_figure", by="sensor")),
    "Gaofen-2 has 5 images and WorldView-3 7.",
    setup=LOADED,
)
CLOUD = task(
    "cloud",
    "information",
    "What is the mean cloud cover, and how many images have at most 10 %?",
    (
        call("aggregate", field="cloud_pct", function="mean"),
        call("filter_attribute", field="cloud_pct", op="<=", value=10),
        call("db_count"),
    ),
    "The mean is 23.04 % and 5 images have at most 10 %.",
    setup=LOADED,
)
LAND_COVER = task(
    "land-cover",
    "load-filter-plot",
    "Show golf courses in fMoW as footprints",
    (
        call("db_load", names=["fmow"]),
        call("filter_lccclass", classes=["golf_course"]),
        call("footprint_plot"),
    ),
    "1 image.",
)
UI = task(
    "ui",
    "ui-web",
    "Open the layers panel, show names and clouds on hover, and open the port's site",
    (
        call("open_panel", name="layers"),
        call("display_hover", fields=["name", "cloud_pct"]),
        call("open_tab", url="https://www.portofrotterdam.com"),
        call("open_page", name="data"),
    ),
    "The layers panel and the site are open.",
    setup=PLOTTED,
)
CAMERA = task(
    "camera",
    "ui-web",
    "Zoom to Lyon and call the layer Ships",
    (
        call("set_view", lon=4.85, lat=45.75, zoom=10),
        call("rename_layer", layer="clusters", name="Ships"),
    ),
    "The map shows Lyon.",
    setup=PLOTTED,
    also=(
        (
            call("set_view", lon=4.85, lat=45.75, zoom=12),
            call("rename_layer", layer="clusters", name="Ships"),
        ),
    ),
)
DRAWINGS = task(
    "drawings",
    "load-filter-plot",
    "Draw a box and a circle around Rotterdam, and a marker called Depot",
    (
        call("draw_bbox", bbox=[4.0, 51.8, 4.6, 52.0]),
        call("draw_circle", place="Rotterdam", radius_km=40),
        call("draw_marker", place="Lagos", label="Depot"),
        call("toggle_control", control="graticule"),
    ),
    "Three drawings.",
)
TWO_LAYERS = task(
    "two-layers",
    "load-filter-plot",
    "Keep xView1 as a layer called Before, then show FAIR1M as a heat map beneath it",
    (
        call("db_load", names=["xview1"]),
        call("scatter_plot", name="Before", color="blue"),
        call("db_unload", names=["xview1"]),
        call("db_load", names=["fair1m"]),
        call("heatmap_plot"),
        call("reorder_layer", layer="heatmap", position="bottom"),
    ),
    "7 images before, 5 in the heat map.",
)
UNDO = task(
    "undo",
    "ui-web",
    "Take that back and save the session as Port study",
    (call("undo"), call("save_session", name="Port study")),
    "Taken back.",
    setup=(*LOADED, call("filter_coords", place="Pittsburgh", radius_km=40)),
)
ASK = task(
    "ask",
    "information",
    "Show me Springfield",
    (
        call(
            "ask_user",
            question="Which Springfield?",
            choices=["Springfield, Illinois", "Springfield, Missouri"],
        ),
    ),
    "Which Springfield?",
)
REJECT = task(
    "reject",
    "information",
    "Show me images of the Moon",
    (call("reject_task", reason="There are no images of the Moon in these 7 data sets."),),
    "There are no images of the Moon in these 7 data sets.",
)
IMAGE = task(
    "image",
    "ui-web",
    "Show the newest image, then compare 1001 with 1004, and export the rows",
    (
        call("show_image", rank="newest"),
        call("compare_images", before="xview1:1001.tif", after="xview1:1004.tif"),
        call("export_csv"),
        call("notify", text="The export is ready."),
    ),
    "12 rows are exported; the two images lie 3.2 km apart.",
    setup=LOADED,
)
MEASURE = task(
    "measure",
    "information",
    "How far is it from Paris to Lagos, and what is at 79.996 W 40.441 N?",
    (
        call("measure_distance", start="Paris", end="Lagos"),
        call("identify_at", lon=-79.996, lat=40.441),
    ),
    "4,700.68 km. There lies Pittsburgh.",
    setup=PLOTTED,
)
TOP = task(
    "top",
    "information",
    "The images with the most detections",
    (call("top_n", by="detections", n=50),),
    "The first has 10 detections.",
    setup=LOADED,
)
BINS = task(
    "bins",
    "information",
    "Cloud cover as a histogram of 5 bars",
    (call("histogram_figure", field="cloud_pct", bins=5),),
    "A histogram of 10 values in 5 bins.",
    setup=LOADED,
)
CLOSE = task(
    "close",
    "ui-web",
    "Close the results panel",
    (call("close_panel", name="results"),),
    "The results panel is closed.",
    setup=(call("open_panel", name="results"),),
)

TASKS = (
    FILTER_PLOT, COUNT_CLASSES, TABLE_AND_FIGURE, CLOUD, LAND_COVER, UI, CAMERA, DRAWINGS, TWO_LAYERS, UNDO,
    ASK, REJECT, IMAGE, MEASURE, TOP, BINS, CLOSE,
)  # fmt: skip
