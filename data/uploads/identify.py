"""What a file is, by its first bytes and never by its name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from data.uploads.archive import kind_of
from data.uploads.errors import UploadError, shown

Format = Literal[
    "tiff", "png", "jpeg", "jp2", "grib", "asc", "mbtiles", "netcdf3", "hdf5", "gpkg", "parquet", "geojson",
    "jsonl", "topojson", "esrijson", "json", "kml", "gpx", "gml", "osm", "fgb", "mapinfo", "mif", "dxf",
    "gdb", "archive", "shapefile", "xlsx", "docx", "pdf", "html", "xml", "csv", "text",
]  # fmt: skip

TITLES: dict[Format, str] = {
    "tiff": "a TIFF", "png": "a PNG", "jpeg": "a JPEG", "jp2": "a JPEG 2000", "grib": "a GRIB",
    "asc": "an ASCII grid", "mbtiles": "an MBTiles", "netcdf3": "a NetCDF",
    "hdf5": "an HDF5 or NetCDF-4", "gpkg": "a GeoPackage", "parquet": "a Parquet", "geojson": "a GeoJSON",
    "jsonl": "a line-by-line JSON", "topojson": "a TopoJSON", "esrijson": "an Esri JSON", "gpx": "a GPX",
    "gml": "a GML", "osm": "an OpenStreetMap", "fgb": "a FlatGeobuf", "mapinfo": "a MapInfo TAB",
    "mif": "a MapInfo MIF", "dxf": "a DXF", "gdb": "a file geodatabase",
    "json": "a JSON", "kml": "a KML", "archive": "an archive", "shapefile": "a shapefile", "xlsx": "an Excel",
    "docx": "a Word", "pdf": "a PDF", "html": "an HTML", "xml": "an XML", "csv": "a CSV", "text": "a text",
}  # fmt: skip
"""What a file of each is called, before "file"."""
LAYERED: frozenset[Format] = frozenset(
    ("gpx", "gml", "osm", "topojson", "esrijson", "fgb", "mapinfo", "mif", "dxf", "gdb")
)
"""What holds layers of features and is read by `data.uploads.layers`."""
PARTS_BESIDE = {
    ".shp": (".shx", ".dbf", ".prj", ".cpg"),
    ".tab": (".dat", ".map", ".id", ".ind"),
    ".mif": (".mid",),
}
"""The other files of what lies in several, by the suffix of the one that is named."""
SUFFIXES: dict[Format, tuple[str, ...]] = {
    "tiff": (".tif", ".tiff", ".gtiff", ".geotiff", ".cog"),
    "png": (".png",),
    "jpeg": (".jpg", ".jpeg", ".jpe"),
    "jp2": (".jp2", ".j2k", ".jpf", ".jpx", ".j2c", ".jpc"),
    "grib": (".grib", ".grib2", ".grb", ".grb2", ".gb2"),
    "asc": (".asc", ".grd", ".txt"),
    "mbtiles": (".mbtiles",),
    "netcdf3": (".nc", ".nc3", ".cdf", ".netcdf"),
    "hdf5": (".h5", ".hdf5", ".hdf", ".he5", ".nc", ".nc4", ".netcdf"),
    "gpkg": (".gpkg",),
    "parquet": (".parquet", ".geoparquet", ".pq"),
    "geojson": (".geojson", ".json", ".txt"),
    "jsonl": (
        ".geojsonl",
        ".geojsonseq",
        ".geojsons",
        ".ndjson",
        ".jsonl",
        ".ndgeojson",
        ".geojson",
        ".json",
    ),
    "topojson": (".topojson", ".json", ".geojson"),
    "esrijson": (".json", ".geojson", ".esrijson"),
    "json": (".json", ".ipynb"),
    "gpx": (".gpx", ".xml"),
    "gml": (".gml", ".xml"),
    "osm": (".osm", ".pbf", ".xml"),
    "fgb": (".fgb",),
    "mapinfo": (".tab",),
    "mif": (".mif",),
    "dxf": (".dxf",),
    "gdb": (".gdb",),
    "kml": (".kml", ".xml"),
    "archive": (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".kmz", ".shz"),
    "shapefile": (".shp", ".shx"),
    "xlsx": (".xlsx", ".xlsm"),
    "docx": (".docx", ".docm"),
    "pdf": (".pdf",),
    "html": (".html", ".htm", ".xhtml"),
    "xml": (".xml", ".gml", ".xsd", ".svg"),
    "csv": (".csv", ".tsv", ".txt", ".tab"),
    "text": (".txt", ".md", ".log", ".rst", ".prj", ".py", ".csv", ".ini", ".yaml", ".yml", ".toml"),
}
"""The names that people give to each; another one is said, and does not matter."""

_HEAD_BYTES = 65_536
_STEPS = 2_000_000
"""How many steps SQLite may take to say what a database is."""
_MAGIC: tuple[tuple[bytes, Format], ...] = (
    (b"II*\0", "tiff"),
    (b"MM\0*", "tiff"),
    (b"II+\0", "tiff"),
    (b"MM\0+", "tiff"),
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpeg"),
    (b"\0\0\0\x0cjP  \r\n\x87\n", "jp2"),
    (b"\xff\x4f\xff\x51", "jp2"),
    (b"CDF\1", "netcdf3"),
    (b"CDF\2", "netcdf3"),
    (b"\x89HDF\r\n\x1a\n", "hdf5"),
    (b"PAR1", "parquet"),
    (b"GRIB", "grib"),
    (b"fgb\3fgb", "fgb"),
    (b"\0\0'\n", "shapefile"),
    (b"%PDF-", "pdf"),
)
_REFUSED: tuple[tuple[bytes, str, str], ...] = (
    (b"\x0e\x03\x13\x01", "an HDF4 file", "convert it to GeoTIFF or NetCDF first"),
    (b"CDF\5", "a NetCDF of the 64-bit data format", "convert it to NetCDF-4 first"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "pack the files as a ZIP"),
    (b"Rar!", "a RAR archive", "pack the files as a ZIP"),
    (b"\x28\xb5\x2f\xfd", "packed with Zstandard", "send it unpacked, or as a ZIP"),
    (b"MZ", "a Windows program", "send data"),
    (b"\x7fELF", "a program", "send data"),
    (b"GIF8", "a GIF", "save it as PNG first"),
    (b"BM", "a Windows bitmap", "save it as PNG first"),
    (b"\xd0\xcf\x11\xe0", "an old Office file", "save it as XLSX, DOCX or CSV first"),
    (b"{\\rtf", "an RTF document", "save it as DOCX or PDF first"),
    (
        b"PMTiles",
        "a PMTiles archive of map tiles",
        "send its features as a GeoPackage, or its raster as a GeoTIFF",
    ),
    (b"EHFA_HEADER_TAG", "an Erdas Imagine raster", "convert it to GeoTIFF first"),
    (b"NITF", "a NITF", "convert it to GeoTIFF first"),
    (b"LASF", "a LAS point cloud", "make a raster or a table of points of it first"),
    (b"AC10", "a DWG drawing", "save it as DXF first"),
    (b"AutoCAD Binary DXF", "a binary DXF", "save it as a DXF of text first"),
    (b"\0\1\0\0Standard ", "an Access database", "export its tables or layers to a GeoPackage first"),
    (b"CREATE ", "a database dump", "send a GeoPackage or CSV"),
)
_WEBP = (b"RIFF", b"WEBP")
_POINTERS = re.compile(
    rb"<\s*(?:VRTDataset|OGRVRTDataSource|OGRVRTLayer|GDAL_WMS|WMS_\w+|WCS_GDAL|WMTS|GDAL_WMTS|WFSDataSource|"
    rb"OAPIF\w*|GDALTileIndexDataset|ServiceMetadata)\b",
    re.I,
)
_CONNECTION = re.compile(
    r"\s*(?:/vsi[a-z0-9_]+/|(?:pg|postgresql|mysql|mssql|oci|mongodb\w*|wms|wcs|wfs|wmts|oapif|netcdf|hdf[45]|"
    r"gpkg|sqlite|vrt|zarr|gti|mvt|csv|stacit|stacta|eedai?|ngw|carto|es|plscenes|plmosaic|gtiff_dir|gtiff_raw|"
    r"derived_subdataset|https?|ftp|s3|gs)\s*:)",
    re.I,
)
_JSON_POINTER = re.compile(
    rb'"(?:type|driver)"\s*:\s*"(?:gdal_streamed_alg|GDALG)"|"gdal_version"\s*:.*"command_line"'
)
_GEOJSON = re.compile(
    r'"type"\s*:\s*"(?:FeatureCollection|Feature|GeometryCollection|(?:Multi)?(?:Point|LineString|Polygon))"'
)

MAX_LINE_BYTES = 16_000_000
"""Of one object in a file that has one a line."""
_TOPOJSON = re.compile(
    r'^\{[^{}\[\]]*"type"\s*:\s*"Topology"|"type"\s*:\s*"Topology"\s*,\s*"(?:arcs|objects|transform)"'
)
_ESRI_JSON = re.compile(
    r'"geometryType"\s*:\s*"esriGeometry|"features"\s*:\s*\[\s*\{\s*"(?:attributes"|geometry"\s*:\s*\{\s*"(?:x|rings|paths|points)")'
)
_SIGNS: tuple[tuple[Format, re.Pattern[str]], ...] = (
    ("mapinfo", re.compile(r"!table\s*\n", re.I)),
    ("mif", re.compile(r"version\s+\d+\s*\n(?:.*\n){0,8}?\s*columns\s+\d+", re.I)),
    ("asc", re.compile(r"ncols\s+\d+\s*\n\s*nrows\s+\d+\s*\n\s*xll", re.I)),
    ("dxf", re.compile(r"(?:999\s*\n.*\n\s*)*0\s*\n\s*SECTION\s*\n")),
)
"""How a text of each begins."""
_ROOTS: tuple[tuple[Format, re.Pattern[str]], ...] = (
    ("gpx", re.compile(r"\A(?:\s*<[?!][^>]*>)*\s*<(?:\w+:)?gpx[\s>]")),
    ("osm", re.compile(r"\A(?:\s*<[?!][^>]*>)*\s*<osm[\s>]")),
    (
        "gml",
        re.compile(
            r"\A(?=[\s\S]*opengis\.net/gml)[\s\S]*?<(?:\w+:)?(?:FeatureCollection|featureMembers?)[\s>]"
        ),
    ),
)
"""What an XML of each has."""


def is_connection(text: str) -> bool:
    """Whether a text is an address that GDAL would open (`/vsicurl/…`, `PG:…`), and not a file's name."""
    return _CONNECTION.match(text) is not None


def identify(path: Path) -> Format:
    """The format of a file's content. Raises UploadError, one sentence, for what is not read here."""
    name = shown(path.name)
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    if not head:
        raise UploadError(f"{name} is empty (0 bytes); send it again.")
    for magic, found in _MAGIC:
        if head.startswith(magic):
            return found
    if head.startswith(b"SQLite format 3\0"):
        return _database(path)
    if head[4:15] == b"\n\tOSMHeader":
        return "osm"
    if head.startswith((b"PK\3\4", b"PK\5\6")):
        return _office(path) or "archive"
    if kind_of(path) is not None:
        return "archive"
    if head.startswith(b"\x1f\x8b"):
        raise UploadError(
            f"{name} is packed with gzip and holds no TAR archive; send it unpacked, or as a ZIP."
        )
    if head.startswith(_WEBP[0]) and head[8:12] == _WEBP[1]:
        raise UploadError(f"{name} is a WebP image, which is not read; save it as PNG first.")
    for magic, what, instead in _REFUSED:
        if head.startswith(magic):
            raise UploadError(f"{name} is {what}, which is not read; {instead}.")
    if head[0] == 3 and path.suffix.lower() == ".dbf":
        raise UploadError(
            f"{name} is the table of a shapefile; send it with its .shp and .shx as one ZIP, or as CSV."
        )
    return _text(path, head)


def misnamed(name: str, found: Format) -> str | None:
    """A sentence about a name that says something else than the content; None when it fits."""
    suffix = Path(name).suffix.lower()
    if not suffix or suffix in SUFFIXES[found]:
        return None
    return f"Its name ends in {suffix[:12]}, but it is {TITLES[found]} file and was read as one."


def _database(path: Path) -> Format:
    """An SQLite file is a GeoPackage, unless it has just what an MBTiles has to have."""
    import sqlite3
    from urllib.parse import quote

    try:
        with sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1", uri=True) as opened:
            opened.set_progress_handler(lambda: 1, _STEPS)
            # Tables alone: a view may be a query that never ends.
            listed = opened.execute("SELECT name FROM sqlite_master WHERE type = 'table' LIMIT 10000")
            names = {str(name) for (name,) in listed}
            if not {"metadata", "tiles"} <= names or "gpkg_contents" in names:
                return "gpkg"
            form = opened.execute("SELECT value FROM metadata WHERE name = 'format'").fetchone()
        opened.close()
    except (sqlite3.Error, UnicodeError):
        return "gpkg"
    if form is not None and form[0] in ("pbf", "mvt"):
        raise UploadError(
            f"{shown(path.name)} is an MBTiles of vector tiles, whose features are cut at the tiles' "
            "edges; send the features that it was made of, as a GeoPackage."
        )
    return "mbtiles"


def _office(path: Path) -> Format | None:
    """Office's own ZIP files, told by the one member that each of them must have."""
    import zipfile

    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.NameToInfo)
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError, NotImplementedError):
        return None
    if "[Content_Types].xml" not in names:
        return None
    return "xlsx" if "xl/workbook.xml" in names else "docx" if "word/document.xml" in names else None


def _text(path: Path, head: bytes) -> Format:
    name = shown(path.name)
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        start = head.decode("utf-16", "ignore").lstrip("\ufeff").lstrip()
    elif b"\0" in head:
        raise UploadError(f"{name} is of no kind that is read here; send a GeoTIFF, GeoJSON, CSV or PDF.")
    else:
        start = head.decode("utf-8-sig", "replace").lstrip()
    if not start:
        raise UploadError(f"{name} holds nothing but blanks; send it again.")
    if _POINTERS.search(head[:4096]) or _JSON_POINTER.search(head[:4096]):
        raise UploadError(
            f"{name} only points at other data (a VRT or a service); send the file that it points at."
        )
    if is_connection(start) and len(start) < 4096 and len(start.splitlines()) <= 2:
        raise UploadError(f"{name} holds an address and no data; send the file that it points at.")
    if start[0] in "{[\x1e":
        return _json(path, start)
    if start[0] == "<":
        return _markup(start)
    for found, sign in _SIGNS:
        if sign.match(start):
            return found
    # A header alone, or a first row that never ends, is a table only if it is called one.
    called = path.suffix.lower() in (".csv", ".tsv") and any(
        sign in start.splitlines()[0] for sign in ",;\t|"
    )
    return "csv" if called or _is_table(start) else "text"


def _json(path: Path, start: str) -> Format:
    if _is_one_a_line(path):
        return "jsonl"
    if _TOPOJSON.search(start):
        return "topojson"
    if _ESRI_JSON.search(start) and '"properties"' not in start:
        return "esrijson"
    return "geojson" if _GEOJSON.search(start) else "json"


def _is_one_a_line(path: Path) -> bool:
    """Whether the first line is a whole object and something begins in a line after it."""
    import json

    with path.open("rb") as file:
        first = file.readline(MAX_LINE_BYTES).removeprefix(b"\xef\xbb\xbf").strip(b"\x1e \t\r\n")
        others = (line.strip(b"\x1e \t\r\n") for line in iter(lambda: file.readline(1000), b""))
        after = next((line for line in others if line), b"")
    if not first.endswith(b"}") or not after.startswith(b"{"):
        return False
    try:
        return isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


def _markup(start: str) -> Format:
    if re.search(r"<(?:\w+:)?kml[\s>]", start[:4096]):
        return "kml"
    for found, sign in _ROOTS:
        if sign.search(start) is not None:
            return found
    if re.match(r"(?:<!--.*?-->\s*+)*+<!doctype\s+html|<html[\s>]", start, re.I | re.S) or re.search(
        r"<(?:html|body)[\s>]", start[:4096], re.I
    ):
        return "html"
    return "xml" if re.match(r"<[?!\w]", start) else "text"


def _is_table(start: str) -> bool:
    """Whether the first lines have the same number of columns, and more than one."""
    import csv

    whole = start.splitlines()[:20]
    lines = [
        line for line in (whole[:-1] if len(whole) == 20 or len(start) >= _HEAD_BYTES else whole) if line
    ]
    while len(lines) > 2 and lines[0].startswith("#"):  # comments before a header
        lines = lines[1:]
    if len(lines) < 2 and "," not in (lines or [""])[0]:
        return False
    for delimiter in (",", ";", "\t", "|"):
        try:
            counts = {len(row) for row in csv.reader(lines, delimiter=delimiter)}
        except csv.Error:
            continue
        if len(counts) == 1 and counts.pop() > 1 and len(lines) >= 2:
            return True
    return False
