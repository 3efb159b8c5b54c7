"""Memory and time of the raster tools on a large scene, beside GDAL's own programs on the same file.

`python -m benches.rasters [--size 20000] [--folder DIR] [--markdown] [tool …]` prints a table. A scene of
one band (uint16, smooth relief with noise, a few holes) is written once to the folder. Each tool is run in
a process of its own: first on a small scene, so that what is imported and compiled counts as idle, then on
the large one. `above idle` is the peak of its resident memory in the second run less its size before.
GDAL's program then reads the same file and writes a file with the same options (tiles, deflate level 1, all
processors). Needs gdal-bin; tools that GDAL has no program for are timed against the nearest thing it has,
which the table names. On a machine that has other work, the ratio of processor time says more than that
of the clock.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benches.machine import ROOT, commit, load_line, machine_line, resident_mib

SIZE_PX = 20_000
SMALL_PX = 768
PIXEL_M = 10.0
WEST_M, NORTH_M = 500_000.0, 5_800_000.0
MOST_MIB = 1024.0
MOST_RATIO = 1.5
LIMIT_S = 1800

OUT = ["-co", "TILED=YES", "-co", "COMPRESS=DEFLATE", "-co", "ZLEVEL=1", "-co", "NUM_THREADS=ALL_CPUS"]
OUT += ["-co", "BIGTIFF=IF_SAFER", "-co", "BLOCKXSIZE=512", "-co", "BLOCKYSIZE=512"]
CALC_OUT = [part.replace("-co", "--co") for part in OUT]


@dataclass(frozen=True)
class Case:
    """A tool's call on the scene, and GDAL's program that does the same."""

    tool: str
    args: dict[str, Any]
    """Handles: `raster-scene`, `raster-classes`, `raster-coarse` (40 m), `vector-zone`, what is `made`."""
    gdal: Callable[[Path], list[list[str]]]
    """The commands, given the folder with scene.tif, classes.tif, coarse.tif, zone.geojson; into out.tif."""
    note: str = ""
    small: dict[str, Any] = field(default_factory=dict)
    """What differs in the call on the small scene."""
    made: str = ""
    """A scene of its own: `moved` (by 3.4 and 2.3 pixels), `raw` (with RPCs) or `smooth` (without noise)."""


def _calc(expression: str, kind: str = "Float32", both: bool = False) -> Callable[[Path], list[list[str]]]:
    def commands(folder: Path) -> list[list[str]]:
        scene = str(folder / "scene.tif")
        second = ["-B", scene] if both else []
        plain = ["--calc", expression, "--type", kind, "--NoDataValue=-9999", "--quiet", "--overwrite"]
        return [
            ["gdal_calc.py", "-A", scene, *second, *plain, "--outfile", str(folder / "out.tif"), *CALC_OUT]
        ]

    return commands


def _run(
    program: str, *words: str, source: str = "scene.tif", target: str = "out.tif"
) -> Callable[[Path], Any]:
    def commands(folder: Path) -> list[list[str]]:
        placed = [str(folder / word[1:]) if word.startswith("@") else word for word in words]
        return [[program, *placed, str(folder / source), *([str(folder / target)] if target else [])]]

    return commands


def _dem(mode: str) -> Callable[[Path], list[list[str]]]:
    return lambda folder: [
        ["gdaldem", mode, str(folder / "scene.tif"), str(folder / "out.tif"), "-compute_edges", "-q", *OUT]
    ]


SCENE = {"raster": "raster-scene"}
CLASSES = {"raster": "raster-classes"}
_CUT = ["-q", "-overwrite", "-cutline", "@zone.geojson", "-crop_to_cutline", *OUT]
_EVI2 = "2.5*(A.astype(float32)-B)*1e-4/((A+2.4*B.astype(float32))*1e-4+1)"
CASES = (
    Case("raster_info", SCENE, _run("gdalinfo", target="")),
    Case("raster_stats", SCENE, _run("gdalinfo", "-stats", target="")),
    Case("zonal_stats", {**SCENE, "zones": "vector-zone"}, _run("gdalwarp", *_CUT), "gdalwarp -cutline"),
    Case("raster_sample", {**SCENE, "lon": 3.1, "lat": 52.3}, _run("gdalinfo", target=""), "gdalinfo"),
    Case("raster_clip", {**SCENE, "mask": "vector-zone"}, _run("gdalwarp", *_CUT)),
    Case("raster_reproject", {**SCENE, "crs": "EPSG:3857", "resampling": "bilinear"},
         _run("gdalwarp", "-q", "-overwrite", "-t_srs", "EPSG:3857", "-r", "bilinear", *OUT)),
    Case("raster_resample", {**SCENE, "resolution_m": 20},
         _run("gdalwarp", "-q", "-overwrite", "-tr", "20", "20", "-r", "average", *OUT)),
    Case("raster_mosaic", {"rasters": ["raster-scene", "raster-coarse"]},
         _run("gdalwarp", "-q", "-overwrite", "-tr", "10", "10", *OUT, "@coarse.tif")),
    Case("raster_calc", {**SCENE, "expression": "sqrt(A) * 2 + 1"}, _calc("sqrt(A)*2+1")),
    Case("spectral_index", {**SCENE, "index": "EVI2", "bands": "nir=1,red=1", "scale": 1e-4},
         _calc(_EVI2, both=True)),
    Case("to_decibel", SCENE, _calc("10*log10(A.astype(float32))")),
    Case("histogram_match", {**SCENE, "reference": "raster-coarse"}, _calc("A*0.5+7", "UInt16"),
         "gdal_calc, a*A+b"),
    Case("band_composite", {**SCENE, "bands": [1]},
         _run("gdal_translate", "-q", "-ot", "Byte", "-scale", "400", "3600", "1", "255", *OUT)),
    Case("pansharpen", {"raster": "raster-coarse", "pan": "raster-scene"},
         lambda folder: [["gdal_pansharpen.py", "-q", "-threads", "ALL_CPUS", str(folder / "scene.tif"),
                          str(folder / "coarse.tif"), str(folder / "out.tif"), *OUT]]),
    Case("raster_to_cog", SCENE, _run("gdal_translate", "-q", "-of", "COG", "-co", "COMPRESS=DEFLATE", "-co",
         "LEVEL=1", "-co", "PREDICTOR=YES", "-co", "NUM_THREADS=ALL_CPUS", "-co", "BIGTIFF=IF_SAFER", "-co",
         "OVERVIEW_RESAMPLING=AVERAGE")),
    Case("raster_convert", {**SCENE, "dtype": "float32"},
         _run("gdal_translate", "-q", "-ot", "Float32", *OUT)),
    Case("hillshade", SCENE, _dem("hillshade")),
    Case("slope", SCENE, _dem("slope")),
    Case("aspect", SCENE, _dem("aspect")),
    Case("contour_lines", {"raster": "raster-smooth", "interval_m": 200, "base_m": 0.5},
         _run("gdal_contour", "-q", "-i", "200", "-off", "0.5", "-a", "elevation_m", "-f", "GPKG",
              source="smooth.tif", target="out.gpkg"),
         "gdal_contour, without noise", made="smooth"),
    Case("viewshed", {**SCENE, "lon": 3.3, "lat": 52.2, "max_distance_m": 20_000},
         _run("gdal_viewshed", "-q", "-ox", "520480", "-oy", "5783300", "-oz", "1.7", "-md", "20000", *OUT),
         small={"lon": 3.03, "lat": 52.33, "max_distance_m": 1000}),
    Case("rasterize", {"vector": "vector-zone", "raster": "raster-scene"},
         lambda folder: [["gdal_rasterize", "-q", "-burn", "1", "-ot", "Byte", "-tr", "10", "10", "-te",
                          *_extent(folder), *OUT, str(folder / "zone.geojson"), str(folder / "out.tif")]]),
    Case("polygonize", CLASSES,
         _run("gdal_polygonize.py", "-q", source="classes.tif", target="out.gpkg")),
    Case("sieve", {**CLASSES, "min_px": 10},
         _run("gdal_sieve.py", "-q", "-st", "10", source="classes.tif"), "gdal_sieve.py, uncompressed"),
    Case("fill_nodata", {**SCENE, "max_distance_px": 20}, _run("gdal_fillnodata.py", "-q", "-md", "20"),
         "gdal_fillnodata.py, uncompressed"),  # it fills its output in place, and tiles take it minutes
    Case("proximity", {**CLASSES, "value": 1},
         _run("gdal_proximity.py", "-q", "-values", "1", *OUT, source="classes.tif")),
    Case("dark_object_subtraction", {**SCENE}, _calc("A-100.0"), "gdal_calc, A-c"),
    Case("cloud_mask", {**SCENE, "method": "qa_pixel", "band": 1}, _calc("A>3000", "Byte"),
         "gdal_calc, A>c"),
    Case("speckle_filter", {**SCENE, "method": "lee"}, _dem("slope"), "gdaldem slope"),
    Case("toa_reflectance", {**SCENE, "gain": 1e-4, "sun_elevation_deg": 50}, _calc("A*1e-4/0.766"),
         "gdal_calc, A*c"),
    Case("radiometric_calibration", {**SCENE, "gain": 1e-4}, _calc("A*1e-4"), "gdal_calc, A*c"),
    Case("coregister", {"raster": "raster-moved", "reference": "raster-scene"}, lambda folder: [
         ["gdalwarp", "-q", "-overwrite", "-r", "bilinear", "-tr", "10", "10", "-te", *_extent(folder), *OUT,
          str(folder / "moved.tif"), str(folder / "out.tif")]],
         "gdalwarp -r bilinear, told the shift", made="moved"),
    Case("orthorectify_rpc", {"raster": "raster-raw", "height_m": 100, "resolution_m": 10},
         _run("gdalwarp", "-q", "-overwrite", "-rpc", "-to", "RPC_HEIGHT=100", "-t_srs", "EPSG:32631", "-tr",
              "10", "10", "-r", "bilinear", "-srcnodata", "0", "-dstnodata", "0", *OUT, source="raw.tif"),
         "gdalwarp -rpc", made="raw"),
    Case("image_info", SCENE, _run("gdalinfo", target="")),
    Case("image_resize", {**SCENE, "scale": 0.35},
         _run("gdal_translate", "-q", "-r", "average", "-outsize", "35%", "35%", *OUT)),
    Case("image_crop", {**SCENE, "left": 1000, "top": 1000, "width": 10_000, "height": 10_000},
         _run("gdal_translate", "-q", "-srcwin", "1000", "1000", "10000", "10000", *OUT),
         small={"left": 100, "top": 100, "width": 500, "height": 500}),
    Case("image_rotate", {**SCENE, "degrees": 90}, _run("gdal_translate", "-q", *OUT),
         "gdal_translate, not turned"),
    Case("image_enhance", {**SCENE, "contrast": 1.5}, _calc("clip(A*0.08, 0, 255)", "Byte"),
         "gdal_calc, clip(A*c)"),
    Case("image_histogram", SCENE, _run("gdalinfo", "-hist", target="")),
    Case("image_annotate", {**SCENE, "text": "Scene", "boxes": [[100, 100, 700, 700]]},
         _run("gdal_translate", "-q", "-b", "1", "-b", "1", "-b", "1", "-b", "mask", "-ot", "Byte",
              "-scale", "600", "3400", "0", "255", *OUT),
         "gdal_translate into the same four bands"),
    Case("image_to_png", SCENE,
         _run("gdal_translate", "-q", "-of", "PNG", "-ot", "Byte", "-scale", "-outsize", "2000", "2000")),
    Case("image_montage", {"rasters": ["raster-scene", "raster-coarse"]}, lambda folder: [
         ["gdal_translate", "-q", "-of", "PNG", "-ot", "Byte", "-scale", "-outsize", "256", "256",
          str(folder / source), str(folder / "out.tif")] for source in ("scene.tif", "coarse.tif")],
         "gdal_translate, each of the two"),
    Case("place_raster", {"raster": "raster-raw", "bbox": [3.0, 50.0, 6.0, 52.0]},
         _run("gdal_translate", "-q", "-a_srs", "EPSG:4326", "-a_ullr", "3", "52", "6", "50", *OUT,
              source="raw.tif"), made="raw"),
)  # fmt: skip


def main() -> None:
    """Run the cases asked for, and print a line as each is done."""
    asked = _asked()
    if asked.child:
        print(json.dumps(_child(asked.child, Path(asked.folder))))
        return
    folder = Path(asked.folder)
    folder.mkdir(parents=True, exist_ok=True)
    cases = [each for each in CASES if not asked.tool or each.tool in asked.tool]
    _make(folder, asked.size, {each.made for each in cases if each.made})
    print(
        f"{asked.size:,} x {asked.size:,} pixels, {machine_line()}\nload {load_line()}, commit {commit()}\n"
    )
    heads = ("tool", "above idle, MiB", "seconds", "GDAL, seconds", "ratio", "of processor time", "beside")
    print(f"| {' | '.join(heads)} |\n|---|{'--:|' * 5}---|")
    for case in cases:
        print(_line(case, folder), flush=True)


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("tool", nargs="*", help="only these tools")
    parser.add_argument("--size", type=int, default=SIZE_PX, help="width and height, pixels")
    parser.add_argument("--folder", default=str(Path(tempfile.gettempdir()) / "azimuth-rasters"))
    parser.add_argument("--child", help=argparse.SUPPRESS)
    return parser.parse_args()


def _line(case: Case, folder: Path) -> str:
    """One tool's row of the table."""
    command = [sys.executable, "-m", "benches.rasters", "--child", case.tool, "--folder", str(folder)]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return f"| {case.tool} | | more than {LIMIT_S} | | | | |"
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        return f"| {case.tool} | failed: {last[:120]} | | | | | |"
    ours = json.loads(done.stdout.splitlines()[-1])
    if "failed" in ours:
        return f"| {case.tool} | failed: {ours['failed'][:160]} | | | | | |"
    try:
        theirs, their_cpu = _gdal(case, folder)
    except (OSError, subprocess.SubprocessError) as error:
        return (
            f"| {case.tool} | {ours['mib']:.0f} | {ours['seconds']:.1f} | failed: {str(error)[:80]} | | | |"
        )
    ratio, program = ours["seconds"] / theirs, case.note or Path(case.gdal(folder)[0][0]).name
    marks = ("" if ours["mib"] <= MOST_MIB else " !", "" if ratio <= MOST_RATIO else " !")
    return (
        f"| {case.tool} | {ours['mib']:.0f}{marks[0]} | {ours['seconds']:.1f} | {theirs:.1f} | "
        f"{ratio:.2f}{marks[1]} | {ours['cpu'] / their_cpu:.2f} | {program} |"
    )


def _gdal(case: Case, folder: Path) -> tuple[float, float]:
    """Seconds that GDAL's programs take, by the clock and of the processors."""
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    for command in case.gdal(folder):
        env = {"GDAL_PAM_ENABLED": "NO", "PATH": "/usr/local/bin:/usr/bin:/bin"}
        subprocess.run(command, check=True, capture_output=True, env=env, timeout=LIMIT_S)
    seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    for left in ("out.tif", "out.gpkg"):
        (folder / left).unlink(missing_ok=True)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _child(name: str, folder: Path) -> dict[str, Any]:
    """Run one tool in this process: {mib, seconds}, or {failed} with what it said."""
    from tests.tools.world import small_world, write_small_catalogue
    from tools.run import run_call
    from tools.toolbox import toolbox

    case = next(each for each in CASES if each.tool == name)
    with tempfile.TemporaryDirectory(dir=folder, prefix="session-") as scratch:
        home = Path(scratch)
        catalogue = write_small_catalogue(home / "catalogue")
        for size in ("small", "large"):
            artifacts = home / size
            world = small_world(catalogue, artifacts)
            state = _session(folder, artifacts, "small-" if size == "small" else "")
            args = {**case.args, **(case.small if size == "small" else {})}
            Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
            idle, began, worked = resident_mib(_pid()), time.perf_counter(), time.process_time()
            step = run_call(toolbox(), state, world, name, args)
            seconds, cpu = time.perf_counter() - began, time.process_time() - worked
            if step.failed and size == "large":
                return {"failed": step.observation}
        from benches.machine import peak_mib

        return {"mib": peak_mib(_pid()) - idle, "seconds": seconds, "cpu": cpu, "said": step.observation}


def _pid() -> int:
    import os

    return os.getpid()


def _session(folder: Path, artifacts: Path, prefix: str) -> Any:
    """A state with the scenes as artifacts; their files are links."""
    from state.model import Artifact, State

    artifacts.mkdir()
    state = State()
    for name in ("scene", "classes", "coarse", "moved", "raw", "smooth"):
        if not (folder / f"{prefix}{name}.tif").is_file():
            continue
        (artifacts / f"raster-{name}.tif").hardlink_to(folder / f"{prefix}{name}.tif")
        state = state.with_artifact(Artifact(f"raster-{name}", "raster", name, "1 band", "made"))
    shutil.copy(folder / f"{prefix}zone.geojson", artifacts / "vector-zone.geojson")
    return state.with_artifact(Artifact("vector-zone", "vector", "zone", "1 feature", "made"))


def _extent(folder: Path) -> list[str]:
    import rasterio

    with rasterio.open(folder / "scene.tif") as source:
        return [str(each) for each in source.bounds]


def _make(folder: Path, size: int, more: set[str]) -> None:
    """Write the scenes of that size, unless they are there."""
    stamp, known = folder / "size.json", [size, SMALL_PX]
    if not stamp.is_file() or json.loads(stamp.read_text()) != known:
        for left in folder.glob("*.tif"):
            left.unlink()
        for prefix, side in (("", size), ("small-", SMALL_PX)):
            _scene(folder / f"{prefix}scene.tif", side, 1)
            _scene(folder / f"{prefix}coarse.tif", side // 4, 4)
            _scene(folder / f"{prefix}classes.tif", side, 1, classes=True)
            _zone(folder / f"{prefix}zone.geojson", side)
        stamp.write_text(json.dumps(known))
    for name in more:
        for prefix in ("", "small-"):
            if not (folder / f"{prefix}{name}.tif").is_file():
                _other(folder / f"{prefix}scene.tif", folder / f"{prefix}{name}.tif", name)


def _other(source: Path, target: Path, name: str) -> None:
    """The scene again: some pixels farther on ("moved"), with RPCs and no place ("raw"), or "smooth"."""
    import rasterio
    from affine import Affine

    from data.raster.windows import Grid, windows

    part = target.with_suffix(".part")
    if name == "smooth":
        with rasterio.open(source) as reader:
            _scene(part, reader.width, 1, noise_m=0)
        part.rename(target)
        return
    with rasterio.open(source) as reader:
        place = reader.transform @ Affine.translation(3.4, -2.3)
        where = {"transform": place} if name == "moved" else {"crs": None, "transform": None}
        with rasterio.open(part, "w", **{**reader.profile, **where}) as writer:
            for window in windows(Grid.of(reader)):
                writer.write(reader.read(window=window), window=window)
            if name == "raw":
                writer.rpcs = _rpcs(reader.width)
    part.rename(target)


def _rpcs(side: int) -> Any:
    """Rational polynomials of a scene with north up around 52 N, 3 E, that leans with the height."""
    from rasterio.rpc import RPC

    half = side * PIXEL_M / 2 / 111_320
    one, line, sample = ([0.0] * 20 for _ in range(3))
    one[0], line[2], sample[1], sample[3], sample[4], line[7] = 1.0, -1.0, 1.0, 0.01, 1e-3, 1e-3
    return RPC(
        height_off=0, height_scale=500, lat_off=52.0, lat_scale=half, long_off=3.0,
        long_scale=half / np.cos(np.radians(52)), line_off=side / 2, line_scale=side / 2, samp_off=side / 2,
        samp_scale=side / 2, line_num_coeff=line, line_den_coeff=one, samp_num_coeff=sample,
        samp_den_coeff=one,
    )  # fmt: skip


def _scene(path: Path, side: int, step: int, classes: bool = False, noise_m: float = 20) -> None:
    """A relief with noise and holes, or its five classes by value, in strips."""
    import rasterio
    from affine import Affine
    from rasterio.windows import Window

    from data.raster.files import geotiff_profile

    random = np.random.default_rng(8)
    pixel = PIXEL_M * step
    place = Affine(pixel, 0, WEST_M, 0, -pixel, NORTH_M)
    kind = "uint8" if classes else "uint16"
    profile = geotiff_profile(side, side, count=1, dtype=kind, nodata=0, crs="EPSG:32631", transform=place)
    columns = (np.arange(side) + 0.5) * step
    with rasterio.open(path, "w", **profile) as target:
        for first in range(0, side, 512):
            rows = (np.arange(first, min(first + 512, side)) + 0.5)[:, None] * step
            values = 2000 + 800 * np.sin(columns / 900) + 600 * np.cos(rows / 700)
            values = values + (0 if classes else random.normal(0, noise_m, values.shape))
            if classes:
                values = np.clip(values // 700, 1, 5)
            else:
                values[((rows // 40) % 97 == 3) & ((columns // 40) % 89 == 5)] = 0
            window = Window(0, first, side, values.shape[0])
            target.write(np.rint(values).astype(kind)[np.newaxis], window=window)


def _zone(path: Path, side: int) -> None:
    """A many-cornered shape over most of the scene."""
    from pyproj import Transformer

    middle, reach = side * PIXEL_M / 2, side * PIXEL_M * 0.45
    turn = np.linspace(0, 2 * np.pi, 721)
    radius = reach * (0.9 + 0.1 * np.sin(9 * turn))
    x = WEST_M + middle + radius * np.cos(turn)
    y = NORTH_M - middle + radius * np.sin(turn)
    lon, lat = Transformer.from_crs("EPSG:32631", "EPSG:4326", always_xy=True).transform(x, y)
    ring = [[round(a, 7), round(b, 7)] for a, b in zip(lon, lat, strict=True)]
    ring[-1] = ring[0]
    geometry = {"type": "Polygon", "coordinates": [ring]}
    feature = {"type": "Feature", "properties": {"name": "zone"}, "geometry": geometry}
    path.write_text(json.dumps({"type": "FeatureCollection", "features": [feature]}))


if __name__ == "__main__":
    main()
