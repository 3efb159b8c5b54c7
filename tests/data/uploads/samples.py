"""Small whole files of every kind that is read, written anew for each test."""

from __future__ import annotations

import io
import itertools
import json
import struct
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import rasterio
import rasterio.shutil
from affine import Affine
from numpy.typing import NDArray
from PIL import Image
from shapely.geometry import box

UTM31 = Affine(10, 0, 590_000, 0, -10, 5_750_000)
"""A 10 m grid near Rotterdam in EPSG:32631."""
WEST, SOUTH, EAST, NORTH = 4.0, 51.0, 4.5, 51.5
"""The boxes of the vector samples."""


def pixels(bands: int = 3, rows: int = 8, columns: int = 10, dtype: str = "uint8") -> NDArray[Any]:
    """Different numbers in every pixel and band."""
    return (np.arange(bands * rows * columns) % 251 + 1).astype(dtype).reshape(bands, rows, columns)


def raster(path: Path, driver: str = "GTiff", values: NDArray[Any] | None = None, **profile: Any) -> Path:
    """A raster by GDAL: a GeoTIFF in UTM zone 31 unless said otherwise."""
    values = pixels() if values is None else values
    bands, rows, columns = values.shape
    placed = {"crs": "EPSG:32631", "transform": UTM31} if driver in ("GTiff", "JP2OpenJPEG") else {}
    form = {"count": bands, "height": rows, "width": columns, "dtype": values.dtype.name, **placed, **profile}
    with warnings.catch_warnings(), rasterio.Env(GDAL_PAM_ENABLED="NO"):
        warnings.simplefilter("ignore")
        with rasterio.open(
            path, "w", driver=driver, **{k: v for k, v in form.items() if v is not None}
        ) as to:
            to.write(values)
    return path


def picture(path: Path, **more: Any) -> Path:
    """A PNG or JPEG without a place."""
    Image.fromarray(np.moveaxis(pixels(), 0, -1)).save(path, **more)
    return path


def photo(path: Path) -> Path:
    """A JPEG with a camera's position, 51° 55' 12" N 4° 28' 48" E, and the time it was taken."""
    image = Image.fromarray(np.moveaxis(pixels(), 0, -1))
    exif = image.getexif()
    exif[0x0132] = "2023:07:14 09:30:00"
    gps = exif.get_ifd(0x8825)
    gps[1], gps[2], gps[3], gps[4] = "N", (51.0, 55.0, 12.0), "E", (4.0, 28.0, 48.0)
    image.save(path, exif=exif)
    return path


def frame() -> gpd.GeoDataFrame:
    """Two boxes with a name and a number, in degrees."""
    shapes = [box(WEST, SOUTH, 4.2, 51.2), box(4.3, 51.3, EAST, NORTH)]
    return gpd.GeoDataFrame({"name": ["a", "b"], "n": [1, 2]}, geometry=shapes, crs="EPSG:4326")


def shapefile(path: Path, **more: Any) -> Path:
    """A zipped shapefile."""
    folder = path.with_name(f"{path.stem}-parts")
    folder.mkdir()
    data = more.pop("data", frame())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a missing coordinate system, where that is what is meant
        data.to_file(folder / "fields.shp", **more)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for each in sorted(folder.iterdir()):
            archive.write(each, f"fields/{each.name}")
    return path


def vector(path: Path, **more: Any) -> Path:
    """The boxes in the format that the name tells."""
    frame().to_crs(more.pop("to_crs", 4326)).to_file(path, driver=DRIVERS[path.suffix], **more)
    return path


DRIVERS = {
    ".gpkg": "GPKG",
    ".geojson": "GeoJSON",
    ".kml": "KML",
    ".fgb": "FlatGeobuf",
    ".gml": "GML",
    ".geojsonl": "GeoJSONSeq",
    ".tab": "MapInfo File",
    ".mif": "MapInfo File",
    ".gdb": "OpenFileGDB",
}


def in_parts(path: Path, suffix: str) -> Path:
    """A ZIP of a file that lies in several, or of a folder that is one."""
    folder = path.with_name(f"{path.stem}-parts")
    folder.mkdir()
    # The geodatabases of ArcGIS before 3.2 have no integers of 64 bits.
    rows = frame().astype({"n": "int32"})
    rows.to_file(folder / f"fields{suffix}", driver=DRIVERS[suffix])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for each in sorted(folder.rglob("*")):
            if each.is_file():
                archive.write(each, each.relative_to(folder).as_posix())
    return path


def dxf(path: Path) -> Path:
    """The outlines of the boxes, as a drawing has them."""
    frame()[["geometry"]].set_geometry(frame().boundary).to_file(path, driver="DXF")
    return path


def topojson(path: Path) -> Path:
    """The boxes as arcs of whole steps of a tenth of a degree."""
    rings = [
        [[int(x * 10 - 40 + 0.5), int(y * 10 - 510 + 0.5)] for x, y in each.exterior.coords]
        for each in frame().geometry
    ]
    arcs = [[ring[0], *([b[0] - a[0], b[1] - a[1]] for a, b in itertools.pairwise(ring))] for ring in rings]
    shapes = [
        {"type": "Polygon", "arcs": [[at]], "properties": {"name": name, "n": at + 1}}
        for at, name in enumerate("ab")
    ]
    whole = {
        "type": "Topology",
        "transform": {"scale": [0.1, 0.1], "translate": [4, 51]},
        "arcs": arcs,
        "objects": {"fields": {"type": "GeometryCollection", "geometries": shapes}},
    }
    path.write_text(json.dumps(whole))
    return path


def esri_json(path: Path) -> Path:
    """The boxes in Web Mercator, as a feature service answers."""
    rows = frame().to_crs(3857)
    found = [
        {
            "attributes": {"name": row.name, "n": row.n},
            "geometry": {"rings": [[list(corner) for corner in row.geometry.exterior.coords][::-1]]},
        }
        for row in rows.itertuples(index=False)
    ]
    fields = [{"name": "name", "type": "esriFieldTypeString"}, {"name": "n", "type": "esriFieldTypeInteger"}]
    whole = {
        "geometryType": "esriGeometryPolygon",
        "spatialReference": {"wkid": 102100, "latestWkid": 3857},
        "fields": fields,
        "features": found,
    }
    path.write_text(json.dumps(whole))
    return path


def sequence(path: Path) -> Path:
    """One feature a line after a record separator (RFC 8142)."""
    lines = [json.dumps(each) for each in json.loads(frame().to_json())["features"]]
    path.write_text("".join(f"\x1e{line}\n" for line in lines))
    return path


def osm(path: Path) -> Path:
    """Each box as a closed way of four nodes, as OpenStreetMap has buildings."""
    nodes, ways = [], []
    for at, each in enumerate(frame().geometry):
        corners = list(each.exterior.coords)[:4]
        ids = [at * 4 + number + 1 for number in range(4)]
        nodes += [f'<node id="{i}" lat="{y}" lon="{x}"/>' for i, (x, y) in zip(ids, corners, strict=True)]
        refs = "".join(f'<nd ref="{i}"/>' for i in (*ids, ids[0]))
        ways.append(
            f'<way id="{at + 100}">{refs}<tag k="building" v="yes"/><tag k="name" v="{"ab"[at]}"/></way>'
        )
    path.write_text(f'<?xml version="1.0"?><osm version="0.6">{"".join(nodes)}{"".join(ways)}</osm>')
    return path


def copied(path: Path, driver: str, **more: Any) -> Path:
    """A raster that GDAL only writes as a copy of another."""
    values = pixels(more.pop("bands", 1), 64, 64, more.pop("dtype", "uint8"))
    first = raster(path.with_suffix(".first.tif"), values=values, crs=more.pop("crs", "EPSG:4326"),
                   transform=more.pop("transform", Affine(0.01, 0, 4, 0, -0.01, 52)))  # fmt: skip
    rasterio.shutil.copy(first, path, driver=driver, **more)
    first.unlink()
    return path


def pieces(path: Path) -> Path:
    """A Parquet data set in folders by year, the second of which has a column more."""
    first, second = (frame().iloc[[at]] for at in (0, 1))
    files = {"set/year=2020/a.parquet": first, "set/year=2021/b.parquet": second.assign(more=0.5)}
    return zipped(path, {name: geoparquet_bytes(each) for name, each in files.items()})


def geoparquet_bytes(rows: gpd.GeoDataFrame) -> bytes:
    """The rows as GeoParquet."""
    held = io.BytesIO()
    rows.to_parquet(held)
    return held.getvalue()


def geoparquet(path: Path) -> Path:
    """The boxes in UTM zone 31."""
    frame().to_crs(32631).to_parquet(path)
    return path


def table() -> pd.DataFrame:
    """Three rows without a place."""
    return pd.DataFrame({"station": ["x", "y", "z"], "level_m": [1.5, 2.5, None], "count": [1, 2, 3]})


def netcdf3(path: Path) -> Path:
    """Two variables over a grid of degrees, three times, south first."""
    import xarray

    lat, lon = np.array([50.5, 51.5, 52.5]), np.array([3.5, 4.5, 5.5, 6.5])
    values = np.arange(36, dtype="float32").reshape(3, 3, 4)
    data = xarray.Dataset(
        {
            "sst": (("time", "lat", "lon"), values, {"units": "K"}),
            "ice": (("time", "lat", "lon"), values * 2),
        },
        {"lat": lat, "lon": lon, "time": np.arange(3)},
    )
    data.to_netcdf(path, engine="scipy")
    return path


def netcdf4(path: Path) -> Path:
    """As `netcdf3`, in HDF5, on a UTM grid by its grid mapping, north first."""
    import xarray
    from pyproj import CRS

    y, x = np.array([5_749_995.0, 5_749_985.0, 5_749_975.0]), np.array([590_005.0, 590_015.0])
    values = np.arange(6, dtype="float64").reshape(3, 2)
    data = xarray.Dataset(
        {
            "height": (("y", "x"), values, {"grid_mapping": "crs"}),
            "crs": ((), 0, CRS.from_epsg(32631).to_cf()),
        },
        {"y": y, "x": x},
    )
    data.to_netcdf(path, engine="h5netcdf")
    return path


def pdf(path: Path, password: str | None = None) -> Path:
    """One blank page."""
    from pypdf import PdfWriter

    writer = PdfWriter()
    writer.add_blank_page(200, 200)
    if password:
        writer.encrypt(password)
    writer.write(path)
    return path


def docx(path: Path) -> Path:
    """A heading and a paragraph."""
    import docx as library

    document = library.Document()
    document.add_heading("Report")
    document.add_paragraph("Turbidity rose.")
    document.save(str(path))
    return path


def written(text: str) -> Callable[[Path], Path]:
    """A writer of that text."""

    def write(path: Path) -> Path:
        path.write_text(text, encoding="utf-8")
        return path

    return write


GEOJSON = json.dumps(
    {
        "type": "FeatureCollection",
        "features": [
            {
                "type": "Feature",
                "properties": {"name": "a", "tags": ["x", 1]},
                "geometry": {"type": "Point", "coordinates": [4.25, 51.25]},
            },
            {
                "type": "Feature",
                "properties": {"name": "b", "tags": None},
                "geometry": {"type": "Point", "coordinates": [4.5, 51.5]},
            },
        ],
    }
)

GPX = """<?xml version="1.0"?><gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1">
<wpt lat="51.25" lon="4.25"><name>hut</name></wpt><trk><name>walk</name><trkseg><trkpt lat="51" lon="4"/>
<trkpt lat="51" lon="4.5"/></trkseg></trk></gpx>"""
LAYERS: dict[str, Callable[[Path], Path]] = {
    "fields.zip": shapefile,
    "fields.gpkg": vector,
    "fields.kml": vector,
    "fields.parquet": geoparquet,
    "fields.fgb": vector,
    "fields.gml": vector,
    "utm.gml": lambda path: vector(path, to_crs=32631),
    "fields.geojsonl": vector,
    "sequence.geojson": sequence,
    "fields.topojson": topojson,
    "esri.json": esri_json,
    "tab.zip": lambda path: in_parts(path, ".tab"),
    "mif.zip": lambda path: in_parts(path, ".mif"),
    "gdb.zip": lambda path: in_parts(path, ".gdb"),
    "fields.osm": osm,
    "pieces.zip": pieces,
}
"""A writer of the two boxes for each format of features, by the file's name."""

SAMPLES: dict[str, tuple[Callable[[Path], Path], str]] = {
    "field.tif": (raster, "raster"),
    "field.jp2": (lambda path: raster(path, "JP2OpenJPEG", pixels(3, 64, 64)), "raster"),
    "scan.png": (picture, "raster"),
    "scan.jpg": (picture, "raster"),
    "photo.jpg": (photo, "raster"),
    "sea.nc": (netcdf3, "raster"),
    "height.nc": (netcdf4, "raster"),
    "air.grib2": (lambda path: copied(path, "GRIB", dtype="float32"), "raster"),
    "dem.asc": (lambda path: copied(path, "AAIGrid", dtype="int16"), "raster"),
    "tiles.mbtiles": (
        lambda path: copied(
            path, "MBTiles", bands=3, crs="EPSG:3857", transform=Affine(153, 0, 445e3, 0, -153, 68e5)
        ),
        "raster",
    ),
    **{name: (write, "vector") for name, write in LAYERS.items()},
    "points.geojson": (written(GEOJSON), "vector"),
    "walk.gpx": (written(GPX), "vector"),
    "plan.dxf": (dxf, "vector"),
    "rows.jsonl": (written('{"station": "x", "level_m": 1.5}\n{"station": "y", "level_m": null}\n'), "table"),
    "points.csv": (written("name,lon,lat\na,4.25,51.25\nb,4.5,51.5\n"), "vector"),
    "shapes.csv": (written('name;wkt\na;"POINT (4.25 51.25)"\nb;"POINT (4.5 51.5)"\n'), "vector"),
    "levels.csv": (written("station,level_m,count\nx,1.5,1\ny,2.5,2\nz,,3\n"), "table"),
    "levels.parquet": (lambda path: table().to_parquet(path) or path, "table"),
    "levels.xlsx": (lambda path: table().to_excel(path, index=False) or path, "table"),
    "note.txt": (written("Turbidity rose to 12.5 NTU.\n"), "document"),
    "page.html": (written("<!doctype html><html><body><p>Hello</p></body></html>"), "document"),
    "meta.xml": (written('<?xml version="1.0"?><meta><cloud>12</cloud></meta>'), "document"),
    "settings.json": (written('{"sensor": {"name": "MSI"}}'), "document"),
    "report.pdf": (pdf, "document"),
    "report.docx": (docx, "document"),
}
"""A writer and the kind that each becomes, by the file's name."""


def zipped(path: Path, files: dict[str, bytes]) -> Path:
    """A ZIP of those members."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def kmz(path: Path) -> Path:
    """A KML in a ZIP, as Google Earth saves it."""
    return zipped(path, {"doc.kml": vector(path.with_suffix(".kml")).read_bytes()})


def png_claiming(width: int, height: int, *, interlaced: bool = False) -> bytes:
    """A PNG of a few bytes whose header claims that size."""
    import zlib

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, int(interlaced))
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(bytes(1000))), (b"IEND", b"")]
    out = io.BytesIO(b"\x89PNG\r\n\x1a\n")
    out.seek(0, io.SEEK_END)
    for kind, body in chunks:
        out.write(struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)))
    return out.getvalue()
