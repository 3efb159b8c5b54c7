"""The sample catalogue: its sizes, its rows, and the same bytes everywhere."""

import hashlib
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
import shapely

from data.catalogue.base import CatalogueError
from data.catalogue.write import read_info
from data.sample import SIZES, build, ensure
from data.sample.sites import sites_of
from data.schema import DETECTIONS, IMAGES
from data.vocabulary import classes_of

SCALE = 0.002
DIGEST = "08701536030cc06799fbeffc76d3204e31ad6f438643a807ad4d7677e0948b68"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    build(folder, lambda fraction, sentence: None, scale=SCALE)
    return folder


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("full")
    build(folder, lambda fraction, sentence: None)
    return folder


def digest(folder: Path) -> str:
    found = hashlib.sha256()
    for path in sorted(folder.rglob("*.parquet")):
        found.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return found.hexdigest()


def test_one_seed_gives_the_same_bytes_on_every_machine(small: Path) -> None:
    assert digest(small) == DIGEST


@pytest.mark.parametrize("name", list(SIZES))
def test_a_data_set_says_what_it_is_and_that_it_is_generated(small: Path, name: str) -> None:
    info = read_info(small / name)
    assert (info.name, info.origin, info.classes) == (name, "sample", classes_of(name))
    assert (
        "generated positions and labels at the published size, not the published annotations"
        in info.description
    )
    assert info.title.endswith("(sample)")


@pytest.mark.parametrize("name", list(SIZES))
def test_rows_fit_the_schema_and_agree_with_their_detections(small: Path, name: str) -> None:
    images = pq.read_table(small / name / "images.parquet")
    assert images.schema.equals(IMAGES)
    assert images["image_num"].to_pylist() == list(range(len(images)))
    assert len(pc.unique(images["image_id"])) == len(images)
    if name == "bigearthnet":
        assert not (small / name / "detections.parquet").exists()
        assert all(1 <= word[0].bit_count() <= 5 for word in images["class_words"].to_pylist())
        return
    found = pq.read_table(small / name / "detections.parquet")
    assert found.schema.equals(DETECTIONS)
    counts, words = [0] * len(images), [0] * len(images)
    for image, class_id in zip(found["image_num"].to_pylist(), found["class_id"].to_pylist(), strict=True):
        counts[image] += 1
        words[image] |= 1 << class_id
    assert images["detections"].to_pylist() == counts
    assert images["class_words"].to_pylist() == [[word] for word in words]


@pytest.mark.parametrize("name", ["xview2", "fair1m"])
def test_outlines_are_closed_rectangles_whose_bounds_are_the_box(small: Path, name: str) -> None:
    rows = pq.read_table(small / name / "detections.parquet").slice(0, 500)
    outlines = shapely.from_wkb(rows["outline"].to_numpy())
    boxes = np.stack([rows[side].to_numpy() for side in ("west", "south", "east", "north")], axis=1)
    assert shapely.is_valid(outlines).all()
    assert np.array_equal(shapely.bounds(outlines), boxes)


def test_detections_lie_in_their_images(small: Path) -> None:
    for name in ("xview1", "xview2", "fair1m", "fmow", "xview3"):
        images = pq.read_table(small / name / "images.parquet")
        found = pq.read_table(small / name / "detections.parquet")
        owner = images.take(found["image_num"])
        crosses = pc.greater(owner["west"], owner["east"])
        in_lon = pc.and_(
            pc.less_equal(owner["west"], found["lon"]), pc.less_equal(found["lon"], owner["east"])
        )
        in_lat = pc.and_(
            pc.less_equal(owner["south"], found["lat"]), pc.less_equal(found["lat"], owner["north"])
        )
        assert pc.all(pc.and_(pc.or_(in_lon, crosses), in_lat)).as_py(), name


def test_buildings_stand_in_both_images_of_a_pair_and_are_whole_before_the_disaster(small: Path) -> None:
    images = pq.read_table(small / "xview2" / "images.parquet")
    found = pq.read_table(small / "xview2" / "detections.parquet").to_pandas()
    assert [name.rsplit("_", 2)[1] for name in images["name"].to_pylist()] == ["pre", "post"] * (
        len(images) // 2
    )
    before, after = found[found.image_num % 2 == 0], found[found.image_num % 2 == 1]
    assert before.outline.tolist() == after.outline.tolist()
    assert set(before.class_id) == {0}


def test_xview3_and_sarfish_are_the_same_scenes(small: Path) -> None:
    first, second = (
        pq.read_table(
            small / name / "images.parquet", columns=["name", "lon", "lat", "acquired", "class_words"]
        )
        for name in ("xview3", "sarfish")
    )
    assert first.equals(second)


def test_radar_has_no_clouds_and_optical_images_are_taken_in_the_morning(small: Path) -> None:
    assert (
        pq.read_table(small / "xview3" / "images.parquet")["cloud_pct"].null_count == SIZES_AT_SCALE["xview3"]
    )
    rows = pq.read_table(small / "fmow" / "images.parquet", columns=["lon", "acquired"]).to_pylist()
    local = [(row["acquired"].hour + row["acquired"].minute / 60 + row["lon"] / 15) % 24 for row in rows]
    assert all(9.7 <= hour <= 11.3 for hour in local)


SIZES_AT_SCALE = {"xview3": 46}


def test_progress_runs_from_nothing_to_everything(tmp_path: Path) -> None:
    seen: list[tuple[float, str]] = []
    build(tmp_path, lambda fraction, sentence: seen.append((fraction, sentence)), ["xview1", "xview2"], SCALE)
    assert [fraction for fraction, _ in seen] == sorted(fraction for fraction, _ in seen)
    assert seen[0] == (0.0, "Making the sample of xView.")
    assert seen[-1] == (1.0, f"The sample catalogue is ready in {tmp_path}.")


def test_ensure_builds_what_is_missing_and_leaves_what_is_there(tmp_path: Path) -> None:
    ensure(tmp_path, lambda fraction, sentence: None, SCALE)
    (tmp_path / "fair1m" / "dataset.json").unlink()
    users = tmp_path / "xview2" / "dataset.json"
    users.write_text(
        users.read_text().replace('"origin": "sample"', '"origin": "ingested"').replace("minor", "small")
    )
    old = tmp_path / "xview3" / "dataset.json"
    old.write_text(old.read_text().replace("version 1", "version 0"))
    seen: list[str] = []
    ensure(tmp_path, lambda fraction, sentence: seen.append(sentence), SCALE)
    ensure(tmp_path, lambda fraction, sentence: seen.append(sentence), SCALE)
    assert read_info(tmp_path / "xview2").origin == "ingested"
    assert seen == [
        "Making the sample of xView3-SAR.",
        "Making the sample of FAIR1M.",
        f"The sample catalogue is ready in {tmp_path}.",
    ]


@pytest.mark.parametrize(
    ("datasets", "scale", "message"),
    [
        (["dota"], 1.0, "The sample has no data set 'dota'; it has xview1, xview2"),
        (None, 0.0, "A sample's scale must lie above 0 and up to 1, such as 0.01; 0.0 came in."),
        (None, 2.0, "A sample's scale must lie above 0"),
    ],
)
def test_a_sample_that_cannot_be_made_is_refused(
    tmp_path: Path, datasets: list[str] | None, scale: float, message: str
) -> None:
    with pytest.raises(CatalogueError, match=message):
        build(tmp_path, lambda fraction, sentence: None, datasets, scale)
    assert list(tmp_path.iterdir()) == []


def test_the_command_builds_and_refuses_like_the_function(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "data.sample", str(tmp_path / "c"), "--dataset", "xview1", "--scale"]
    good = subprocess.run([*command, "0.01"], capture_output=True, text=True, check=False)
    bad = subprocess.run([*command, "7"], capture_output=True, text=True, check=False)
    assert (good.returncode, good.stdout, read_info(tmp_path / "c" / "xview1").images) == (0, "", 40)
    assert bad.returncode == 2
    assert "A sample's scale must lie above 0" in bad.stderr


@pytest.mark.slow
def test_the_full_sample_has_the_published_sizes(full: Path) -> None:
    sizes = {name: (read_info(full / name).images, read_info(full / name).detections) for name in SIZES}
    assert sizes == {
        "xview1": (846, 1_000_000), "xview2": (5_598, 850_736), "xview3": (23_432, 220_000),
        "sarfish": (23_432, 220_000), "fair1m": (24_775, 1_020_579), "fmow": (727_144, 1_047_691),
        "bigearthnet": (344_385, 0),
    }  # fmt: skip
    assert sum(images for images, _ in sizes.values()) == 1_149_612


@pytest.mark.slow
def test_xbds_damage_levels_after_the_19_disasters_are_the_published_numbers(full: Path) -> None:
    found = pq.read_table(
        full / "xview2" / "detections.parquet", columns=["image_num", "class_id"]
    ).to_pandas()
    after = found[found.image_num % 2 == 1].class_id.value_counts().sort_index().tolist()
    events = pq.read_table(full / "xview2" / "images.parquet", columns=["event"])["event"]
    assert (after, len(pc.unique(events))) == ([313_033, 36_860, 29_904, 31_560, 14_011], 19)


@pytest.mark.slow
def test_every_large_city_and_capital_has_fair1m_and_fmow_images_in_every_year(full: Path) -> None:
    cities = {(site.country, site.name) for site in sites_of("city", "capital")}
    for name in ("fair1m", "fmow"):
        rows = pq.read_table(full / name / "images.parquet", columns=["place", "country", "acquired"])
        frame = rows.to_pandas()
        years = frame.groupby(["country", "place"]).acquired.agg(lambda times: times.dt.year.nunique())
        assert cities <= set(years[years == 9].index), name


@pytest.mark.slow
@pytest.mark.parametrize("name", ["fair1m", "xview1"])
def test_pittsburgh_has_images_with_vehicles_in_may_2018(full: Path, name: str) -> None:
    rows = pq.read_table(
        full / name / "images.parquet", columns=["place", "acquired", "class_words"]
    ).to_pylist()
    vehicles = sum(1 << entry.id for entry in classes_of(name) if "vehicles" in entry.groups)
    start, end = (datetime(2018, month, 1, tzinfo=UTC).replace(tzinfo=None) for month in (5, 6))
    seen = [row for row in rows if row["place"] == "Pittsburgh" and start <= row["acquired"] < end]
    assert len(seen) >= 2
    assert all(row["class_words"][0] & vehicles for row in seen)
