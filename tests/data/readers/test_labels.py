"""The label formats of the data sets that the catalogue is named after, and the usual ones."""

import json
from datetime import datetime
from pathlib import Path

import pandas
import pytest

from data.readers import bigearthnet, coco, dota, fair1m, fmow, sarfish, stac, voc, xbd, xview, xview3
from data.readers.base import Noted, Rejected
from data.readers.labels import NO_PLACE
from data.readers.mgrs_tile import tile_corner
from tests.real_files import real

LABEL_READERS = [
    (coco.READER, "l.json"),
    (dota.READER, "l.txt"),
    (fair1m.READER, "l.xml"),
    (fmow.READER, "l.json"),
    (voc.READER, "l.xml"),
    (xbd.READER, "l.json"),
    (xview.READER, "l.geojson"),
]
BOMB = (
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>'
    "<annotation><object><name>&b;</name></object></annotation>"
)


def write(path: Path, content) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def classes(row):
    return [each.class_name for each in row.detections]


# xView


def xview_feature(type_id, image="2355.tif", ring=((10.0, 49.9), (10.1, 49.9), (10.1, 50.0), (10.0, 50.0))):
    corners = [list(corner) for corner in (*ring, ring[0])]
    return {
        "type": "Feature",
        "properties": {
            "bounds_imcoords": "2712,1145,2746,1177",
            "cat_id": "1040010028371A00",
            "type_id": type_id,
            "ingest_time": "2017/07/24 12:49:09.118+00",
            "image_id": image,
            "feature_id": 374410,
        },
        "geometry": {"type": "Polygon", "coordinates": [corners]},
    }


def test_xview_features_become_images_and_the_known_errors_are_counted(tmp_path, read):
    features = [xview_feature(number) for number in (73, 75, 18, 82, 5)] + [xview_feature(18, "1.tif")]
    path = write(tmp_path / "xView_train.geojson", {"type": "FeatureCollection", "features": features})
    found = read(xview.READER, path)
    assert [(row.name, classes(row)) for row in found.images] == [
        ("1.tif", ["Small Car"]),
        ("2355.tif", ["Building", "Small Car"]),
    ]
    assert [(item.row, item.reason) for item in found.rejected] == [
        (2, "type_id 75 is a known error of the published file"),
        (4, "type_id 82 is a known error of the published file"),
        (5, "type_id 5 is not one of xView's 60 classes"),
    ]
    row = found.images[1]
    assert (row.extent.west, row.extent.north, row.properties) == (
        10.0,
        50.0,
        {"catalogue_id": "1040010028371A00"},
    )


def test_xview_objects_in_pixels_are_placed_by_the_geotiff_beside_them(tmp_path, geotiff, read):
    geotiff(tmp_path / "train_images" / "2355.tif")
    entry = xview_feature(18)
    entry["geometry"] = None
    entry["properties"]["bounds_imcoords"] = "0,0,10,5"
    write(tmp_path / "xView_train.geojson", {"type": "FeatureCollection", "features": [entry]})
    row = read(xview.READER, tmp_path).images[0]
    seen = row.detections[0].extent
    assert (seen.west, seen.south, seen.east, seen.north) == pytest.approx((10, 49.95, 10.1, 50))
    assert (row.width_px, row.extent.east) == (20, pytest.approx(10.2))


def test_the_real_xview_feature_with_its_ring_cut_off_is_rejected_with_a_reason(read):
    found = read(xview.READER, real("label_records/xview_feature_real.json"))
    assert found.rejected == [Rejected("xview_feature_real.json", 1, "the coordinates do not form a Polygon")]


# xBD


def xbd_record(phase="post"):
    def outline(uid, x, y, subtype):
        degrees = f"POLYGON (({x} {y}, {x + 0.001} {y}, {x} {y + 0.001}, {x} {y}))"
        properties = {"feature_type": "building", "uid": uid} | (
            {"subtype": subtype} if phase == "post" else {}
        )
        return {"properties": properties, "wkt": degrees}

    lng_lat = [
        outline("a", -95.0, 29.0, "destroyed"),
        outline("b", -95.1, 29.1, "no-damage"),
        {"properties": {}, "wkt": "POLYGON ((broken"},
    ]
    metadata = {
        "sensor": "GEOEYE01",
        "gsd": 2.3,
        "capture_date": "2017-08-31T17:22:44.000Z",
        "off_nadir_angle": 28.1,
        "disaster": "hurricane-harvey",
        "disaster_type": "flooding",
        "width": 1024,
        "height": 1024,
        "img_name": f"hurricane-harvey_00000072_{phase}_disaster.png",
    }
    return {"features": {"lng_lat": lng_lat, "xy": []}, "metadata": metadata}


def test_xbd_buildings_come_with_their_damage_and_the_broken_outline_is_rejected(tmp_path, read):
    name = "hurricane-harvey_00000072_post_disaster.json"
    write(tmp_path / "train" / "labels" / name, xbd_record())
    found = read(xbd.READER, tmp_path)
    row = found.images[0]
    assert classes(row) == ["destroyed", "no-damage"]
    assert (row.sensor, row.gsd_m, row.event, row.split) == ("GEOEYE01", 2.3, "hurricane-harvey", "train")
    assert row.acquired == datetime(2017, 8, 31, 17, 22, 44)
    assert row.properties["off_nadir_angle"] == 28.1
    assert row.detections[0].extent.outline is not None
    assert found.rejected == [Rejected(f"train/labels/{name}", 3, "the feature has no readable WKT polygon")]


def test_xbd_buildings_before_the_disaster_are_undamaged_ones(tmp_path, read):
    write(tmp_path / "x_00000001_pre_disaster.json", xbd_record("pre"))
    assert set(classes(read(xbd.READER, tmp_path).images[0])) == {"no-damage"}


def test_xbd_image_outline_follows_from_its_buildings_pixels(tmp_path, read):
    def pair(uid, column, row):
        lon, lat = -95 + column * 1e-5, 29 - row * 1e-5
        ring = [(0, 0), (10, 0), (10, 10), (0, 10), (0, 0)]
        xy = ", ".join(f"{column + x} {row + y}" for x, y in ring)
        degrees = ", ".join(f"{lon + x * 1e-5} {lat - y * 1e-5}" for x, y in ring)
        about = {"feature_type": "building", "uid": uid}
        return (
            {"properties": about, "wkt": f"POLYGON (({xy}))"},
            {"properties": about, "wkt": f"POLYGON (({degrees}))"},
        )

    pairs = [pair("a", 100, 100), pair("b", 800, 90), pair("c", 500, 900), pair("d", 100, 700)]
    record = xbd_record()
    record["features"] = {"xy": [xy for xy, _ in pairs], "lng_lat": [lnglat for _, lnglat in pairs]}
    write(tmp_path / "x_00000001_post_disaster.json", record)
    extent = read(xbd.READER, tmp_path).images[0].extent
    assert (extent.west, extent.north, extent.east, extent.south) == pytest.approx(
        (-95, 29, -95 + 0.01024, 29 - 0.01024)
    )


# xView3 and SARFish

XVIEW3 = """scene_id,detect_id,detect_lat,detect_lon,vessel_length_m,is_vessel,is_fishing,confidence,source
05bc615a9b0e1159t,1,10.5,-20.25,55.0,True,True,HIGH,manual
05bc615a9b0e1159t,2,10.6,-20.35,,True,,MEDIUM,ais
05bc615a9b0e1159t,3,95,-20.35,,True,,LOW,ais
05bc615a9b0e1159t,4,10.7,-20.30,,False,,LOW,manual
590dd08f71056cacv,5,1.0,2.0,12,True,False,HIGH,ais
"""


def test_xview3_empty_flags_mean_unknown_and_missing_columns_are_named(tmp_path, read):
    found = read(xview3.READER, write(tmp_path / "train.csv", XVIEW3))
    first, second = found.images
    assert classes(first) == ["fishing vessel", "vessel", "non-vessel"]
    assert [each.length_m for each in first.detections] == [55.0, None, None]
    assert (first.split, second.split, classes(second)) == ("train", "val", ["non-fishing vessel"])
    assert (first.extent.west, first.extent.east) == (-20.35, -20.25)
    assert found.rejected == [
        Rejected("train.csv", 3, "detect_lon -20.35, detect_lat 95 is not on the globe")
    ]
    assert found.noted == [
        Noted("train.csv", None, "columns not in the table, and so unknown: distance_from_shore_km")
    ]


def test_sarfish_scenes_take_their_time_from_their_product(tmp_path, read):
    write(
        tmp_path / "GRD_train.csv",
        "partition,product_type,scene_id,detect_lat,detect_lon,is_vessel,is_fishing,vessel_length_m,"
        "distance_from_shore_km,confidence,source\n"
        "train,GRD,abct,1,2,True,,30,1,HIGH,ais\n",
    )
    write(
        tmp_path / "mapping.csv",
        "scene_id,GRD_product_identifier,SLC_product_identifier\n"
        "abct,S1B_IW_GRDH_1SDV_20200803T075721_20200803T075746_022756_02B2FF_033A,S1B_IW_SLC__1SDV_20200803T075720\n",
    )
    assert sarfish.READER.sniff(tmp_path) > xview3.READER.sniff(tmp_path)
    found = read(sarfish.READER, tmp_path)
    row = found.images[0]
    assert (found.rejected, found.noted) == ([], [])
    assert row.name == "S1B_IW_GRDH_1SDV_20200803T075721_20200803T075746_022756_02B2FF_033A"
    assert (row.acquired, row.split) == (datetime(2020, 8, 3, 7, 57, 21), "train")
    assert row.properties["scene_id"] == "abct"


# FAIR1M, VOC, DOTA, COCO


def test_fair1m_fixtures_have_their_classes_and_splits(read):
    found = read(fair1m.READER, real("label_fixtures/fair1m"))
    assert len(found.images) == 12
    assert {row.split for row in found.images} == {"train", "val"}
    assert classes(found.images[0]) == ["Liquid Cargo Ship"]
    assert {item.reason for item in found.noted} == {NO_PLACE}
    assert Path(found.images[0].path).parent.name == "images"


FAIR1M = """<annotation><source><filename>0.tif</filename></source>
<size><width>20</width><height>10</height></size><objects>
<object><possibleresult><name>Boeing737</name></possibleresult><points><point>0,0</point><point>10,0</point>
<point>10,5</point><point>0,5</point><point>0,0</point></points></object>
<object><possibleresult><name>Bridge</name></possibleresult><points><point>0;0</point></points></object>
</objects></annotation>"""


def test_fair1m_boxes_are_placed_by_the_geotiff_of_their_own_part(tmp_path, geotiff, read):
    geotiff(tmp_path / "part1" / "images" / "0.tif")
    geotiff(tmp_path / "part2" / "images" / "0.tif", crs=None)
    write(tmp_path / "part1" / "labelXml" / "0.xml", FAIR1M)
    found = read(fair1m.READER, tmp_path)
    seen = found.images[0].detections[0]
    assert (seen.class_name, seen.extent.west, seen.extent.south) == (
        "Boeing737",
        pytest.approx(10),
        pytest.approx(49.95),
    )
    assert found.rejected == [Rejected("part1/labelXml/0.xml", 2, "a point is not written 'x,y'")]


def test_dior_boxes_are_read(read):
    found = read(voc.READER, real("label_fixtures/dior"))
    assert len(found.images) == 6
    assert classes(found.images[0]) == ["stadium", "stadium", "airplane"]
    assert found.rejected == []


def test_a_real_dota_image_has_its_vehicles_and_pixel_size(read):
    row = read(dota.READER, real("dota")).images[0]
    assert (row.gsd_m, row.width_px, row.height_px) == (0.255589285596, 1111, 1182)
    assert row.properties == {"imagesource": "GoogleEarth"}
    lines = (real("dota/P0706.txt")).read_text().splitlines()[2:]
    assert classes(row) == [line.split()[8] for line in lines if line.strip()]


def test_of_several_label_versions_of_dota_the_newest_is_read(read):
    found = read(dota.READER, real("label_fixtures/dota"))
    assert len(found.images) == 5
    assert all("version2.0" in row.key for row in found.images)


def test_vhr10_as_coco_is_read_with_numbers_for_absent_category_names(read):
    found = read(coco.READER, real("label_fixtures/vhr10/annotations.json"))
    assert [row.name for row in found.images] == ["001.jpg", "002.jpg", "003.jpg", "004.jpg", "005.jpg"]
    assert all(row.detections for row in found.images)


def test_coco_annotations_that_fit_nothing_are_rejected(tmp_path, geotiff, read):
    geotiff(tmp_path / "a.tif")
    record = {
        "images": [{"id": 1, "file_name": "a.tif", "width": 20, "height": 10}, {"id": 2}],
        "categories": [{"id": 3, "name": "ship"}],
        "annotations": [
            {"image_id": 1, "category_id": 3, "bbox": [0, 0, 10, 5], "score": 0.5},
            {"image_id": 9, "category_id": 3, "bbox": [0, 0, 1, 1]},
            {"image_id": 1, "category_id": 4, "bbox": [0, 0, 1, 1]},
            {"image_id": 1, "category_id": 3, "bbox": [0, 0]},
        ],
    }
    found = read(coco.READER, write(tmp_path / "instances.json", record))
    assert [(each.class_name, each.confidence) for each in found.images[0].detections] == [("ship", 0.5)]
    assert [item.reason for item in found.rejected] == [
        "the annotation belongs to image '9', which is not in the file",
        "the category '4' is not in the file",
        "the bbox is not [x, y, width, height]",
        "the image has no file_name",
    ]


# fMoW and BigEarthNet


def test_the_real_fmow_record_drops_the_padded_box(read):
    row = read(fmow.READER, real("label_records/fmow_record_real.json")).images[0]
    assert (row.name, row.sensor, row.classes) == ("fountain_514_1_rgb.tif", "GEOEYE01", ("fountain",))
    assert (row.acquired, row.cloud_pct) == (datetime(2012, 4, 2, 10, 32, 22), 0.0)
    assert len(row.detections) == 1
    seen = row.detections[0].extent
    assert (seen.west, seen.north) == pytest.approx((8.58297836, 47.44918423), abs=1e-5)


def test_bigearthnet_v1_reads_coordinates_in_the_patchs_own_zone(tmp_path, read):
    record = {
        "labels": ["Pastures"],
        "coordinates": {"ulx": 600000, "uly": 5500000, "lrx": 601200, "lry": 5498800},
        "projection": "EPSG:32633",
        "tile_source": "S2A.SAFE",
        "acquisition_date": "2017-06-13 10:10:31",
    }
    write(tmp_path / "S2A_X" / "S2A_X_labels_metadata.json", record)
    row = read(bigearthnet.READER, tmp_path).images[0]
    assert (row.classes, row.acquired) == (("Pastures",), datetime(2017, 6, 13, 10, 10, 31))
    assert (row.extent.lon, row.extent.lat) == pytest.approx((16.392, 49.638), abs=5e-3)


def test_bigearthnet_v2_places_a_patch_by_its_name(read):
    found = read(bigearthnet.READER, real("label_fixtures/bigearthnet/v2"))
    row = found.images[0]
    assert (len(found.images), found.noted) == (4, [])
    assert (row.split, row.classes[0]) == ("train", "Urban fabric")
    assert (row.extent.lon, row.extent.lat) == pytest.approx((12.74, 48.11), abs=0.01)


def test_bigearthnet_v2_rows_without_labels_are_rejected(tmp_path, read):
    pandas.DataFrame({"patch_id": ["S2A_1", None], "labels": [["Pastures"], ["Pastures"]]}).to_parquet(
        tmp_path / "metadata.parquet"
    )
    found = read(bigearthnet.READER, tmp_path)
    assert [row.name for row in found.images] == ["S2A_1"]
    assert found.rejected == [Rejected("metadata.parquet", 2, "the row has no patch_id or no list of labels")]


@pytest.mark.parametrize(
    ("tile", "corner"),
    [
        ("33UUP", (32633, 300000, 5400000)),
        ("32TQT", (32632, 699960, 5300040)),
        ("31TCJ", (32631, 300000, 4900020)),
        ("99ABC", None),
    ],
)
def test_a_sentinel_2_tile_begins_at_its_published_corner(tile, corner):
    assert tile_corner(tile) == corner


# STAC


def stac_catalogue(tmp_path, links):
    write(tmp_path / "cat" / "catalog.json", {"stac_version": "1.0.0", "type": "Catalog", "links": links})
    item = {
        "stac_version": "1.0.0",
        "type": "Feature",
        "id": "scene-1",
        "collection": "scenes",
        "geometry": {"type": "Polygon", "coordinates": [[[1, 1], [2, 1], [2, 2], [1, 2], [1, 1]]]},
        "properties": {"datetime": "2020-01-02T03:04:05Z", "gsd": 10, "eo:cloud_cover": 3, "tile": "X"},
        "assets": {"data": {"href": "./scene.tif"}, "away": {"href": "https://example.org/a.tif"}},
    }
    write(tmp_path / "cat" / "items" / "scene-1.json", item)
    inner = [{"rel": "item", "href": "../items/scene-1.json"}, {"rel": "child", "href": "../catalog.json"}]
    collection = {"stac_version": "1.0.0", "type": "Collection", "links": inner}
    write(tmp_path / "cat" / "scenes" / "collection.json", collection)
    return tmp_path / "cat"


def test_a_static_stac_catalogue_is_walked_once_even_in_a_circle(tmp_path, geotiff, read):
    root = stac_catalogue(tmp_path, [{"rel": "child", "href": "./scenes/collection.json"}])
    geotiff(root / "items" / "scene.tif")
    found = read(stac.READER, root)
    assert (len(found.images), found.rejected, found.noted) == (1, [], [])
    row = found.images[0]
    assert (row.name, row.gsd_m, row.cloud_pct, row.width_px) == ("scene-1", 10, 3, 20)
    assert (row.acquired, row.properties) == (
        datetime(2020, 1, 2, 3, 4, 5),
        {"tile": "X", "collection": "scenes"},
    )


def test_stac_links_that_climb_out_or_lead_to_the_network_are_refused(tmp_path, read):
    write(tmp_path / "secret.json", {"stac_version": "1.0.0", "type": "Feature", "id": "secret"})
    hrefs = ["../secret.json", "%2e%2e/secret.json", "/etc/passwd", "https://example.org/c.json", "gone.json"]
    root = stac_catalogue(tmp_path, [{"rel": "item", "href": href} for href in hrefs])
    found = read(stac.READER, root)
    assert found.images == []
    reasons = [item.reason for item in found.rejected]
    assert [reason.rpartition("leads ")[2] for reason in reasons[:4]] == [
        "out of the catalogue's folder",
        "out of the catalogue's folder",
        "out of the catalogue's folder",
        "to the network; only files beside the catalogue are read",
    ]
    assert found.rejected[4] == Rejected("gone.json", None, "the linked file is not there")


# What holds for all of them


@pytest.mark.parametrize(("reader", "name"), LABEL_READERS, ids=lambda value: getattr(value, "name", ""))
@pytest.mark.parametrize(
    "content", ["", "{", '{"a": 1}', "[" * 100_000 + "]" * 100_000, "<a><b></a>", BOMB, "\0\0"]
)
def test_a_malformed_file_is_rejected_with_a_reason_and_nothing_else(tmp_path, read, reader, name, content):
    write(tmp_path / name, content)
    found = read(reader, tmp_path)
    assert all(not row.detections for row in found.images)
    assert found.rejected or found.noted
    assert all(item.file == name and item.reason for item in found.rejected)


def test_an_entity_bomb_is_named(tmp_path, read):
    write(tmp_path / "l.xml", BOMB)
    assert read(voc.READER, tmp_path).rejected == [
        Rejected("l.xml", None, "the XML declares a document type or entities, which label files do not need")
    ]


def test_a_single_label_file_does_not_search_the_folders_around_it(tmp_path, geotiff, read):
    geotiff(tmp_path / "holidays" / "2355.tif")
    path = write(
        tmp_path / "xView_train.geojson", {"type": "FeatureCollection", "features": [xview_feature(18)]}
    )
    assert read(xview.READER, path).images[0].path is None
    geotiff(tmp_path / "train_images" / "2355.tif")
    assert read(xview.READER, path).images[0].path == tmp_path / "train_images" / "2355.tif"


# Boxes that are none


def bad_boxes(kind: str) -> tuple[str, object]:
    """A label file of an image of 20 x 10 pixels: a good "large vehicle", one of no height, one outside."""
    boxes = [(1, 1, 5, 4), (1, 1, 5, 1), (400, 1, 410, 4)]
    corners = [f"{x0} {y0} {x1} {y0} {x1} {y1} {x0} {y1}" for x0, y0, x1, y1 in boxes]
    if kind == "dota":
        return "a.txt", "\n".join(f"{each} large vehicle 0" for each in corners)
    if kind == "coco":
        found = [
            {"image_id": 1, "category_id": 7, "bbox": [x0, y0, x1 - x0, y1 - y0]} for x0, y0, x1, y1 in boxes
        ]
        images = [{"id": 1, "file_name": "a.tif", "width": 20, "height": 10}]
        return "a.json", {
            "images": images,
            "annotations": found,
            "categories": [{"id": 7, "name": "large vehicle"}],
        }
    size = "<size><width>20</width><height>10</height></size>"
    if kind == "voc":
        objects = "".join(
            f"<object><name>large vehicle</name><bndbox><xmin>{x0}</xmin><ymin>{y0}</ymin><xmax>{x1}</xmax>"
            f"<ymax>{y1}</ymax></bndbox></object>"
            for x0, y0, x1, y1 in boxes
        )
        return "a.xml", f"<annotation><filename>a.tif</filename>{size}{objects}</annotation>"
    objects = "".join(
        f"<object><possibleresult><name>large vehicle</name></possibleresult><points>"
        f"<point>{x0},{y0}</point><point>{x1},{y0}</point><point>{x1},{y1}</point><point>{x0},{y1}</point></points></object>"
        for x0, y0, x1, y1 in boxes
    )
    return (
        "a.xml",
        f"<annotation><source><filename>a.tif</filename></source>{size}<objects>{objects}</objects></annotation>",
    )


@pytest.mark.parametrize(
    "reader", [coco.READER, dota.READER, fair1m.READER, voc.READER], ids=lambda each: each.name
)
def test_a_label_is_whole_and_a_box_that_is_none_is_rejected_with_its_row(tmp_path, geotiff, read, reader):
    name, content = bad_boxes(reader.name)
    path = write(tmp_path / name, content)
    geotiff(tmp_path / ("a.png" if reader.name == "dota" else "a.tif"))
    found = read(reader, tmp_path)
    assert [classes(row) for row in found.images] == [["large vehicle"]]
    told = {item.row: item.reason for item in found.rejected}
    assert (set(told), {item.file for item in found.rejected}) == ({2, 3}, {path.name})
    assert told[2] in ("the box 1,1,5,1 has no height", "its corners enclose no area")
    assert told[3] == "the box lies outside the image of 20 x 10 pixels"


def test_an_object_of_coco_in_several_pieces_is_as_large_as_all_of_them(tmp_path, geotiff, read):
    pieces = [[1, 1, 3, 1, 3, 3], [10, 5, 12, 5, 12, 8, 11, 8]]
    whole = {
        "images": [{"id": 1, "file_name": "a.tif"}],
        "annotations": [{"image_id": 1, "category_id": 7, "segmentation": pieces, "bbox": [1, 1, 11, 7]}],
        "categories": [{"id": 7, "name": "ship"}],
    }
    write(tmp_path / "a.json", whole)
    geotiff(tmp_path / "a.tif")
    seen = read(coco.READER, tmp_path).images[0].detections[0].extent
    assert (seen.west, seen.south, seen.east, seen.north) == pytest.approx((10.01, 49.92, 10.12, 49.99))


def test_two_categories_of_one_number_are_told(tmp_path, read):
    whole = {
        "images": [{"id": 1, "file_name": "a.tif"}],
        "annotations": [{"image_id": 1, "category_id": 7, "bbox": [1, 1, 11, 7]}],
        "categories": [{"id": 7, "name": "ship"}, {"id": 7, "name": "boat"}],
    }
    found = read(coco.READER, write(tmp_path / "a.json", whole))
    assert classes(found.images[0]) == ["boat"]
    assert "some categories have the number of another one" in found.noted[0].reason
