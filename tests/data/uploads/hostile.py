# ruff: noqa: E501 - a table of one line a file
"""Files that lie, break or reach for what is not theirs, each made anew with the sentence it must get."""

from __future__ import annotations

import gzip
import json
import lzma
import sqlite3
import struct
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import geopandas as gpd
import numpy as np
import pandas as pd
from affine import Affine

from tests.data.uploads.samples import (
    GEOJSON,
    docx,
    frame,
    geoparquet,
    netcdf3,
    netcdf4,
    pdf,
    photo,
    picture,
    pixels,
    png_claiming,
    raster,
    shapefile,
    table,
    vector,
    zipped,
)


@dataclass(frozen=True)
class Hostile:
    """A bad file: its name, how it is written, and what must be said of it, without the name in quotes."""

    name: str
    write: Callable[[Path], object]
    says: str


def content(data: bytes | str) -> Callable[[Path], object]:
    """A writer of those bytes."""
    return lambda path: path.write_bytes(data if isinstance(data, bytes) else data.encode())


def cut(write: Callable[[Path], object], share: float) -> Callable[[Path], object]:
    """A writer of the first part of a file."""

    def written(path: Path) -> None:
        write(path)
        whole = path.read_bytes()
        path.write_bytes(whole[: int(len(whole) * share)])

    return written


def changed(write: Callable[[Path], object], old: bytes, new: bytes) -> Callable[[Path], object]:
    """A writer of a file in which some bytes are others."""

    def written(path: Path) -> None:
        write(path)
        whole = path.read_bytes()
        assert old in whole
        path.write_bytes(whole.replace(old, new, 1))

    return written


def tiff_tag(write: Callable[[Path], object], tag: int, value: int) -> Callable[[Path], object]:
    """A writer of a little-endian TIFF whose first directory says something else."""

    def written(path: Path) -> None:
        write(path)
        whole = bytearray(path.read_bytes())
        (at,) = struct.unpack_from("<I", whole, 4)
        (count,) = struct.unpack_from("<H", whole, at)
        for entry in range(at + 2, at + 2 + 12 * count, 12):
            if struct.unpack_from("<H", whole, entry)[0] == tag:
                struct.pack_into("<HI", whole, entry + 2, 4, 1)
                struct.pack_into("<I", whole, entry + 8, value)
        path.write_bytes(whole)

    return written


def linked_zip(path: Path) -> None:
    """A ZIP whose TIFF is a symbolic link to a file of the machine."""
    with zipfile.ZipFile(path, "w") as archive:
        info = zipfile.ZipInfo("scene.tif")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")


def locked_zip(path: Path) -> None:
    """A ZIP that says it needs a password."""
    zipped(path, {"a.csv": b"lon,lat\n1,2\n"})
    whole = bytearray(path.read_bytes())
    whole[whole.find(b"PK\1\2") + 8] |= 1
    path.write_bytes(whole)


def overlapping_zip(path: Path) -> None:
    """A ZIP whose two members are the same bytes."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", b"lon,lat\n1,2\n")
        archive.writestr("b.csv", b"lon,lat\n1,2\n")
    whole = bytearray(path.read_bytes())
    struct.pack_into("<I", whole, whole.rfind(b"PK\1\2") + 42, 0)
    path.write_bytes(whole)


def many_members(path: Path) -> None:
    """A ZIP of more members than anybody sends."""
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(10_001):
            archive.writestr(f"{number}", b"")


def without_part(suffix: str) -> Callable[[Path], object]:
    """A zipped shapefile that lacks one of its files."""

    def written(path: Path) -> None:
        shapefile(path)
        with zipfile.ZipFile(path) as archive:
            kept = {name: archive.read(name) for name in archive.namelist() if not name.endswith(suffix)}
        zipped(path, kept)

    return written


def external_hdf5(path: Path) -> None:
    """An HDF5 whose data set is a file of the machine."""
    import h5py

    with h5py.File(path, "w") as file:
        file.create_dataset("a", (4, 4), "u1", external=[("/etc/passwd", 0, 16)])


def linked_hdf5(path: Path) -> None:
    """An HDF5 that links to another."""
    import h5py

    with h5py.File(path, "w") as file:
        file["a"] = h5py.ExternalLink("/data/other.h5", "/a")


def virtual_hdf5(path: Path) -> None:
    """An HDF5 whose data set is put together from another file."""
    import h5py

    layout = h5py.VirtualLayout((4, 4), "u1")
    layout[:] = h5py.VirtualSource("/data/other.h5", "a", (4, 4))
    with h5py.File(path, "w") as file:
        file.create_virtual_dataset("a", layout)


def empty_claims_hdf5(path: Path) -> None:
    """An HDF5 of no data that claims 10^12 values."""
    import h5py

    with h5py.File(path, "w") as file:
        file.create_dataset("a", (1_000_000, 1_000_000), "f4", chunks=(1024, 1024))


def numbers_hdf5(path: Path) -> None:
    """An HDF5 without rows and columns."""
    import h5py

    with h5py.File(path, "w") as file:
        file["a"] = np.arange(5)


def plain_sqlite(path: Path) -> None:
    """A database that is no GeoPackage."""
    with sqlite3.connect(path) as opened:
        opened.execute("CREATE TABLE t (a)")
    opened.close()


def reaching_gpkg(path: Path) -> None:
    """A GeoPackage with a virtual table over another file."""
    vector(path)
    with sqlite3.connect(path) as opened:
        opened.execute("PRAGMA writable_schema=ON")
        opened.execute(
            "INSERT INTO sqlite_master VALUES ('table', 'v', 'v', 0, "
            "'CREATE VIRTUAL TABLE v USING VirtualOGR(''/etc/passwd'')')"
        )
    opened.close()


def xlsx_with_entities(path: Path) -> None:
    """A workbook whose sheet defines entities."""
    table().to_excel(path, index=False)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    bomb = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa">]>'
    parts["xl/worksheets/sheet1.xml"] = bomb + parts["xl/worksheets/sheet1.xml"]
    zipped(path, parts)


def points(*places: tuple[object, object], **more: object) -> str:
    """A GeoJSON of those points, whatever their coordinates are."""
    found = [
        {"type": "Feature", "properties": {}, "geometry": {"type": "Point", "coordinates": list(place)}}
        for place in places
    ]
    return json.dumps({"type": "FeatureCollection", **more, "features": found})


def parquet_claiming_rows(path: Path) -> None:
    """A Parquet of six million rows in a few kilobytes."""
    pd.DataFrame({"a": np.zeros(6_000_000, "int8")}).to_parquet(path)


def bomb_zip(path: Path) -> None:
    """A ZIP of a kilobyte that unpacks to four gigabytes, by its own table of contents."""
    zipped(path, {"a.tif": bytes(100_000)})
    whole = bytearray(path.read_bytes())
    struct.pack_into("<I", whole, whole.rfind(b"PK\1\2") + 24, 4_000_000_000)
    path.write_bytes(whole)


def bomb_tar(path: Path) -> None:
    """A packed TAR of a few kilobytes whose one file is 250 MB of zeros."""
    header = tarfile.TarInfo("a.tif")
    header.size = 250_000_000
    zeros = lzma.compress(bytes(10_000_000), preset=0)
    path.write_bytes(lzma.compress(header.tobuf(tarfile.USTAR_FORMAT)) + zeros * 25)


def hollow() -> np.ndarray:
    """Pixels that are all not a number."""
    return np.full((1, 8, 8), np.nan, "float32")


def metres() -> gpd.GeoDataFrame:
    """Features in metres that do not say so."""
    return frame().to_crs(32631).set_crs(None, allow_override=True)


EPSG_99 = {"type": "name", "properties": {"name": "EPSG:99"}}
LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE kml [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
    '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><kml xmlns="http://www.opengis.net/kml/2.2"><name>&c;</name></kml>'
)
VRT = (
    '<VRTDataset rasterXSize="4" rasterYSize="4"><VRTRasterBand dataType="Byte" band="1"><SimpleSource>'
    '<SourceFilename relativeToVRT="0">/etc/passwd</SourceFilename></SimpleSource></VRTRasterBand></VRTDataset>'
)
OGR_VRT = (
    '<OGRVRTDataSource><OGRVRTLayer name="a"><SrcDataSource>PG:host=10.0.0.1</SrcDataSource>'
    "</OGRVRTLayer></OGRVRTDataSource>"
)
WMS = '<GDAL_WMS><Service name="TMS"><ServerUrl>http://169.254.169.254/</ServerUrl></Service></GDAL_WMS>'
NESTED = {"inner.zip": b"PK\5\6" + bytes(18)}
NOT_HERE = "cut off or broken"
AN_ADDRESS = "holds an address and no data; send the file that it points at."
POINTS_AWAY = "only points at other data (a VRT or a service); send the file that it points at."
BOMB = "as an archive bomb does"

FILES: tuple[Hostile, ...] = (
    # Nothing in it, or nothing that is read.
    Hostile("empty.tif", content(b""), "is empty (0 bytes); send it again."),
    Hostile("blank.txt", content("  \n\t\n"), "holds nothing but blanks; send it again."),
    Hostile("program.tif", content(b"MZ\x90\0" + bytes(200)), "is a Windows program, which is not read"),
    Hostile("program.png", content(b"\x7fELF" + bytes(200)), "is a program, which is not read; send data."),
    Hostile("noise.tif", content(bytes(range(256)) * 4), "is of no kind that is read here"),
    Hostile("moving.gif", content(b"GIF89a" + bytes(50)), "is a GIF, which is not read; save it as PNG first."),
    Hostile("picture.webp", content(b"RIFF\0\0\0\0WEBPVP8 "), "is a WebP image, which is not read"),
    Hostile("old.hdf", content(b"\x0e\x03\x13\x01" + bytes(50)), "is an HDF4 file, which is not read"),
    Hostile("old.doc", content(b"\xd0\xcf\x11\xe0" + bytes(50)), "is an old Office file, which is not read"),
    Hostile("data.7z", content(b"7z\xbc\xaf\x27\x1c" + bytes(50)), "is a 7z archive, which is not read"),
    Hostile("data.rar", content(b"Rar!\x1a\x07" + bytes(50)), "is a RAR archive, which is not read"),
    Hostile("dump.sql", content("CREATE TABLE a (b);"), "is a database dump, which is not read"),
    # What only points elsewhere.
    Hostile("scene.vrt", content(VRT), POINTS_AWAY),
    Hostile("scene.tif", content(VRT), POINTS_AWAY),
    Hostile("layers.shp", content(OGR_VRT), POINTS_AWAY),
    Hostile("tiles.xml", content(WMS), POINTS_AWAY),
    Hostile("vsicurl.tif", content("/vsicurl/http://169.254.169.254/latest/meta-data"), AN_ADDRESS),
    Hostile("vsizip.gpkg", content("/vsizip//etc/secrets.zip/a.tif\n"), AN_ADDRESS),
    Hostile("database.csv", content("PG:host=10.0.0.1 dbname=users"), AN_ADDRESS),
    Hostile("web.geojson", content("https://example.org/data.geojson"), AN_ADDRESS),
    Hostile("outside.h5", external_hdf5, "takes 'a' from another file; copy the data into one file."),
    Hostile("linked.h5", linked_hdf5, "takes 'a' from another file; copy the data into one file."),
    Hostile("virtual.h5", virtual_hdf5, "takes 'a' from another file; copy the data into one file."),
    Hostile("reaching.gpkg", reaching_gpkg, "holds the virtual table 'v', which may read elsewhere"),
    # Archives.
    Hostile("bomb.zip", bomb_zip, BOMB),
    Hostile("overlap.zip", overlapping_zip, "holds members that lie over each other, as an archive bomb does"),
    Hostile("many.zip", many_members, "holds more than 10,000 members"),
    Hostile("climbing.zip", lambda path: zipped(path, {"../../evil.tif": b"x"}), "which climbs out of the folder"),
    Hostile("absolute.zip", lambda path: zipped(path, {"/etc/cron.d/x": b"x"}), "holds the absolute path"),
    Hostile("link.zip", linked_zip, "holds 'scene.tif', which is a link or a device"),
    Hostile("locked.zip", locked_zip, "needs a password; pack it again without one."),
    Hostile("nested.zip", lambda path: zipped(path, NESTED), "holds another archive, 'inner.zip'"),
    Hostile("nothing.zip", content(b"PK\5\6" + bytes(18)), "is empty; pack the files into it."),
    Hostile("cut.zip", cut(shapefile, 0.5), "is a ZIP that is cut off or broken; send it again."),
    Hostile("two.zip", lambda path: zipped(path, {"a.tif": b"II*\0", "b.kml": b"<kml/>"}), "holds 2 files"),
    Hostile("vrt.zip", lambda path: zipped(path, {"a.tif": VRT.encode()}), POINTS_AWAY),
    Hostile("single.gz", lambda path: path.write_bytes(gzip.compress(b"a,b\n1,2\n")), "is packed with gzip"),
    Hostile("bomb.tar.xz", bomb_tar, BOMB),
    Hostile("nodbf.zip", without_part(".dbf"), "is one part of a shapefile"),
    Hostile("noshp.zip", without_part(".shp"), "holds parts of a shapefile but no .shp"),
    # Pictures and rasters.
    Hostile("exif.jpg", changed(photo, b"MM\0*", b"M\0*\0"), "is broken and cannot be read as a JPEG file"),
    Hostile("wide.png", content(png_claiming(100_000, 100_000)), "claims 100,000 x 100,000 pixels; at most"),
    Hostile("laced.png", content(png_claiming(9_000, 9_000, interlaced=True)), "from an interlaced PNG"),
    Hostile("cut.png", cut(picture, 0.6), NOT_HERE),
    Hostile("cut.jpg", cut(picture, 0.2), NOT_HERE),
    Hostile("cut.jp2", cut(lambda path: raster(path, "JP2OpenJPEG", pixels(3, 64, 64)), 0.05), NOT_HERE),
    Hostile("head.tif", content(b"II*\0\x08\0\0\0"), NOT_HERE),
    Hostile("cut.tif", cut(raster, 0.7), "cut off"),
    Hostile("giant.tif", tiff_tag(tiff_tag(raster, 256, 90_000), 257, 90_000), "claims 90,000 x 90,000 pixels"),
    Hostile("tall.tif", tiff_tag(raster, 257, 60_000_000), "more than so few bytes can hold"),
    Hostile("hollow.tif", lambda path: raster(path, values=hollow()), "has no pixel with a value"),
    Hostile("off.tif", lambda path: raster(path, crs="EPSG:4326"), "is off the globe in EPSG:4326"),
    Hostile("nan.tif", lambda path: raster(path, transform=Affine(float("nan"), 0, 1, 0, -1, 2)), "cannot be"),
    Hostile("claims.h5", empty_claims_hdf5, "claims 1,000,000,000,000 values, more than can be read"),
    Hostile("numbers.h5", numbers_hdf5, "holds no variable with rows and columns"),
    Hostile("cut.h5", cut(netcdf4, 0.5), NOT_HERE),
    Hostile("cut.nc", cut(netcdf3, 0.3), NOT_HERE),
    # Features.
    Hostile("cut.geojson", content(GEOJSON[:100]), "cannot be read: the JSON is broken"),
    Hostile("overflow.geojson", content(points((9, 51)).replace("9", "1e999")), "floating point"),
    Hostile("infinite.geojson", content(points((9, 51)).replace("9", "Infinity")), "the JSON is broken"),
    Hostile("far.geojson", content(points((4, 951))), "are no degrees; add it again with crs"),
    Hostile("none.geojson", content(points()), "there are no features"),
    Hostile("texts.geojson", content(points(("a", "b"))), "the coordinates do not form a Point"),
    Hostile("deep.geojson", content('{"type":"Point","coordinates":' + "[" * 500 + "]" * 500 + "}"), "nested"),
    Hostile("deep.json", content("[" * 100_000), "levels deep"),
    Hostile("named.geojson", content(points((1, 2), crs=EPSG_99)), "is no coordinate system that is known"),
    Hostile("laughs.kml", content(LAUGHS), "declares a document type or entities"),
    Hostile("cut.kml", cut(vector, 0.7), "is broken XML"),
    Hostile("bare.kml", content('<kml xmlns="http://www.opengis.net/kml/2.2"/>'), "no placemark with a place"),
    Hostile("cut.gpkg", cut(vector, 0.4), "is cut off or broken and is no GeoPackage"),
    Hostile("plain.gpkg", plain_sqlite, "is an SQLite database and no GeoPackage"),
    Hostile("metres.zip", lambda path: shapefile(path, data=metres()), "are no degrees; add it again with crs"),
    Hostile("lone.shp", content(b"\0\0'\n" + bytes(96)), "is one part of a shapefile"),
    Hostile("cut.parquet", cut(geoparquet, 0.5), NOT_HERE),
    Hostile("rows.parquet", parquet_claiming_rows, "claims 6,000,000 rows"),
    # Tables and documents.
    Hostile("huge.csv", content('a,b\n1,"' + "x" * 2_000_000 + '"\n2,3\n'), "a cell of 2,000,000 bytes"),
    Hostile("columns.csv", content(("," * 2999 + "\n") * 3), "has 3,000 columns; at most 2,000 are read."),
    Hostile("off.csv", content("lon,lat\n4,951\n5,952\n"), "holds no feature with a place: the latitude 951"),
    Hostile("heads.csv", content("a,b\n"), "has a header and no rows"),
    Hostile("heads.xlsx", lambda path: table()[:0].to_excel(path, index=False), "a header and no rows"),
    Hostile("entities.xlsx", xlsx_with_entities, "declares a document type in 'xl/worksheets/sheet1.xml'"),
    Hostile("cut.xlsx", cut(lambda path: table().to_excel(path, index=False), 0.6), NOT_HERE),
    Hostile("locked.pdf", lambda path: pdf(path, "secret"), "needs a password; save it without one."),
    Hostile("cut.pdf", content(b"%PDF-1.7\n1 0 obj"), "is cut off or broken and is no PDF"),
    Hostile("cut.docx", cut(docx, 0.5), NOT_HERE),
    Hostile("laughs.xml", content(LAUGHS.replace("kml", "meta")), "as an XML bomb does; save it without."),
    Hostile("cut.xml", content("<a><b></a>"), "is broken XML"),
    Hostile("cut.json", content('{"a": [1, 2'), "is cut off or broken and is no JSON"),
)  # fmt: skip
