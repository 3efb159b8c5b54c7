"""Reviewing detections: verdicts are state, can be undone, are played again, and go out with every export."""

from __future__ import annotations

import json
from pathlib import Path

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import rasterio
from affine import Affine

from copilot.engine import Engine
from copilot.session import Session, reviewer
from data.uploads.gdal import quiet_gdal
from data.vision.detections import Detection, features
from state.codec import canonical_bytes, digest, to_json
from state.model import Artifact, State
from tests.tools.prepared import FOUND, prepared
from tools.artifacts import Call
from tools.base import Step, World, tool
from tools.data.downloads import formats, write_as
from tools.detections import detections_of, detections_step
from tools.reviews import reviews_of, sample_of
from tools.run import run_call
from tools.toolbox import Toolbox, toolbox

AT = "2026-11-22T04:05:06Z"


@pytest.fixture
def ready(world: World) -> tuple[World, State]:
    return world, prepared(world)


def call(world: World, state: State, name: str, **args: object) -> Step:
    step = run_call(toolbox(), state, world, name, args)
    assert not step.failed, step.observation
    return step


def refused(world: World, state: State, **args: object) -> str:
    step = run_call(toolbox(), state, world, "review_detection", args)
    assert step.failed and step.state == state
    return step.observation


def test_a_verdict_is_kept_beside_the_detections_which_stay_as_they_are(ready: tuple[World, State]) -> None:
    world, state = ready
    file = world.artifacts.find(FOUND.id)
    assert file is not None
    content = file.read_bytes()
    step = call(world, state, "review_detection", detection_id=2, verdict="reject", by="ann", at=AT)
    assert step.observation == (
        "Detection 2 (plane, score 0.72) is rejected. 1 of 3 is reviewed: 1 rejected. They were not drawn at "
        "random, so there is no estimate for the others; list_detections sample=30 draws a random sample to "
        "review."
    )
    said = reviews_of(step.state, world.artifacts.find, FOUND.id)
    assert (said[2].verdict, said[2].by, said[2].at) == ("rejected", "ann", AT)
    assert file.read_bytes() == content
    assert detections_of(step.state, world).key == FOUND.id


def test_a_class_is_corrected_and_counts_as_wrong_for_the_class_that_was_found(
    ready: tuple[World, State],
) -> None:
    world, state = ready
    step = call(world, state, "review_detection", detection_id=[1], verdict="relabel", class_name=" tanker ")
    assert step.observation.startswith("Detection 1 (ship, now tanker, score 0.91) is relabelled.")
    step = call(world, step.state, "review_detection", detection_id=3, verdict="confirm")
    assert step.data["precision"]["by_class"]["ship"]["precision"] is None
    every = call(world, step.state, "review_detection", detection_id=2, verdict="reject")
    assert every.data["precision"]["by_class"]["ship"]["precision"] == 0.5
    assert every.observation.endswith("All 3 are reviewed, and the precision is 0.33.")
    listed = call(world, step.state, "list_detections", class_name="tanker")
    assert [row["detection_id"] for row in listed.data["first"]] == [1]
    assert call(world, step.state, "list_detections").data["by_class"] == {"plane": 1, "ship": 1, "tanker": 1}


def test_the_precision_is_estimated_from_a_random_sample_alone_that_is_kept_with_the_reviews(
    ready: tuple[World, State],
) -> None:
    world, state = ready
    # The one of the lowest score first: it says nothing of the others.
    lowest = int(detections_of(state, world).frame.sort_values("score")["detection_id"].iloc[0])
    step = call(world, state, "review_detection", detection_id=lowest, verdict="reject")
    assert (step.data["precision"]["basis"], step.data["precision"]["precision"]) == (None, None)
    drawn = call(world, step.state, "list_detections", sample=2)
    sample = sample_of(drawn.state, world.artifacts.find, FOUND.id)
    assert sorted(row["detection_id"] for row in drawn.data["first"]) == sorted(sample)
    assert lowest in sample and drawn.data["precision"]["basis"] is None
    (other,) = set(sample) - {lowest}
    both = call(world, drawn.state, "review_detection", detection_id=other, verdict="confirm")
    facts = both.data["precision"]
    assert (facts["basis"], facts["reviewed"], facts["precision"]) == ("sample", 2, 0.5)
    assert "From 2 of 3, drawn at random, the precision is 0.50" in both.observation
    assert sample_of(both.state, world.artifacts.find, FOUND.id) == sample


def test_a_name_that_the_detector_gave_already_confirms(ready: tuple[World, State]) -> None:
    world, state = ready
    step = call(world, state, "review_detection", detection_id=1, verdict="relabel", class_name="Ship")
    assert reviews_of(step.state, world.artifacts.find, FOUND.id)[1].verdict == "confirmed"


def test_a_filter_reviews_all_that_match_and_leaves_what_was_reviewed_by_hand(
    ready: tuple[World, State],
) -> None:
    world, state = ready
    state = call(world, state, "review_detection", detection_id=3, verdict="confirm").state
    step = call(world, state, "review_detection", verdict="reject", found_as="ship", below_score=0.95)
    assert step.data["detection_ids"] == [1]
    assert "1 detection that had been reviewed before stayed as they were." in step.observation
    step = call(world, state, "review_detection", verdict="reject", found_as="SHIP", again=True)
    assert step.data["detection_ids"] == [1, 3]
    nothing = call(world, step.state, "review_detection", verdict="reject", below_score=0.01)
    assert nothing.state == step.state


def test_clearing_the_last_verdict_leaves_the_state_as_it_was(ready: tuple[World, State]) -> None:
    world, state = ready
    step = call(world, state, "review_detection", detection_id=[1, 3], verdict="confirm", by="ann")
    one = call(world, step.state, "review_detection", detection_id=3, verdict="clear")
    assert sorted(reviews_of(one.state, world.artifacts.find, FOUND.id)) == [1]
    both = call(world, one.state, "review_detection", detection_id=1, verdict="clear")
    assert both.state == state


def test_what_cannot_be_reviewed_is_said_in_one_sentence(ready: tuple[World, State]) -> None:
    world, state = ready
    assert refused(world, state, verdict="confirm") == (
        "Say which detections: a number, a list of numbers, or a class or score as a filter."
    )
    assert refused(world, state, verdict="confirm", detection_id=9) == (
        "There is no detection 9 in detections-de7ec7; they are numbered 1 to 3."
    )
    assert refused(world, state, verdict="relabel", detection_id=1) == (
        "relabel needs the right class as 'class_name', and the other verdicts take none."
    )
    assert refused(world, state, verdict="reject", found_as="car") == (
        "detections-de7ec7 holds no 'car'; its classes are plane and ship."
    )
    assert refused(world, state, verdict="reject", detection_id=1, at="yesterday") == (
        "'yesterday' is no time in UTC such as 2026-11-22T04:05:06Z."
    )


def test_a_list_has_sizes_places_and_verdicts_and_follows_the_reviews(ready: tuple[World, State]) -> None:
    world, state = ready
    first = call(world, state, "list_detections", class_name="ship", min_score=0.5)
    assert first.observation.startswith(
        "2 detections in Detections in Scene: ship 2. None of them is reviewed yet."
    )
    row = first.data["first"][0]
    assert (row["x_px"], row["y_px"], row["verdict"]) == (7.0, 5.0, "unreviewed")
    frame = detections_of(state, world).frame
    centre = frame.geometry.iloc[0].centroid
    assert (row["lon"], row["lat"]) == (round(centre.x, 6), round(centre.y, 6))
    reviewed = call(world, state, "review_detection", detection_id=1, verdict="confirm").state
    second = call(world, reviewed, "list_detections", class_name="ship", min_score=0.5)
    assert second.data["first"][0]["verdict"] == "confirmed"
    assert second.data["table"] != first.data["table"]
    left = call(world, reviewed, "list_detections", verdict="unreviewed")
    assert left.data["count"] == 2 and left.data["verdicts"] == {"confirmed": 1, "unreviewed": 2}


def test_every_format_of_an_export_says_who_when_model_and_verdict(
    ready: tuple[World, State], tmp_path: Path
) -> None:
    world, state = ready
    state = call(world, state, "review_detection", detection_id=1, verdict="confirm", by="ann", at=AT).state
    path = world.artifacts.find(FOUND.id)
    assert path is not None
    for wanted in formats(FOUND, path):
        target = tmp_path / f"out{wanted.suffix}"
        write_as(state, FOUND, path, wanted, target)
        assert target.stat().st_size
        if wanted.name in ("geojson", "geopackage", "geoparquet"):
            frame = gpd.read_parquet(target) if wanted.name == "geoparquet" else gpd.read_file(target)
            found = frame.sort_values("detection_id").iloc[0]
            assert (found["verdict"], found["reviewed_by"], found["model"]) == ("confirmed", "ann", "test")
            assert str(found["reviewed_class"]) == "ship" and "2026" in str(found["reviewed_at"])
    assert "verdict,reviewed_class,reviewed_by,reviewed_at" in (tmp_path / "out.csv").read_text()


def test_the_exported_list_has_outlines_and_as_csv_the_middles(ready: tuple[World, State]) -> None:
    world, state = ready
    state = call(world, state, "review_detection", detection_id=1, verdict="confirm", by="ann", at=AT).state
    listed = call(world, state, "list_detections", class_name="ship")
    assert "footprint" not in listed.data["columns"] and "footprint" not in listed.data["first"][0]
    kept = call(
        world, listed.state, "filter_rows", table=listed.data["table"], field="score", op=">", value=0.9
    )
    known = detections_of(state, world).frame.set_index("detection_id").loc[1]
    plain = pd.read_csv(call(world, kept.state, "export_csv", table=kept.data["table"]).data["path"])
    for name, read in (("export_geojson", gpd.read_file), ("export_geoparquet", gpd.read_parquet)):
        frame = read(call(world, kept.state, name, table=kept.data["table"]).data["path"])
        assert list(frame.columns.drop("geometry")) == list(plain.columns.drop("origin"))
        (row,) = frame.to_dict("records")
        assert row["geometry"].equals_exact(known.geometry, 1e-6, normalize=True)
        assert (row["class_name"], row["score"], row["length_m"], row["verdict"], row["reviewed_by"]) == (
            "ship",
            known["score"],
            known["length_m"],
            "confirmed",
            "ann",
        )
    centre = known.geometry.centroid
    assert plain[["lon", "lat"]].to_numpy().tolist() == [[round(centre.x, 6), round(centre.y, 6)]]


def test_detections_without_a_place_are_reviewed_and_exported_too(world: World, tmp_path: Path) -> None:
    image = tmp_path / "photo.tif"
    plain = {"driver": "GTiff", "width": 8, "height": 8, "count": 1, "dtype": "uint8"}
    with quiet_gdal(), rasterio.open(image, "w", **plain) as target:
        target.write(np.zeros((1, 8, 8), dtype="uint8"))
    outline = np.array([[1.0, 1], [4, 1], [4, 4], [1, 4]])
    frame = features([Detection(outline, "ship", 0.5)], image, model="test", source="raster-000000")
    assert frame.geometry.isna().all()
    path = world.artifacts.path(FOUND.id, ".parquet")
    frame.to_parquet(path, index=False)
    state = call(
        world, State().with_artifact(FOUND), "review_detection", detection_id=1, verdict="confirm"
    ).state
    listed = call(world, state, "list_detections")
    assert (listed.data["first"][0]["lon"], listed.data["first"][0]["x_px"]) == (None, 2.5)
    for wanted in formats(FOUND, path):
        write_as(state, FOUND, path, wanted, tmp_path / f"out{wanted.suffix}")
    exported = gpd.read_file(tmp_path / "out.geojson")
    assert exported["verdict"].tolist() == ["confirmed"] and exported.geometry.isna().all()
    of_list = call(world, listed.state, "export_geojson", table=listed.data["table"])
    (feature,) = json.loads(Path(of_list.data["path"]).read_text())["features"]
    assert (feature["geometry"], feature["properties"]["pixels"]) == (
        None,
        "POLYGON ((1 1, 4 1, 4 4, 1 4, 1 1))",
    )


@tool("vision", changes_state=True)
def find_blocks(state: State, world: World) -> Step:
    """Find eight ships in a row, of falling scores."""
    image = world.artifacts.path("raster-b10c5a", ".tif")
    where = {"crs": "EPSG:32631", "transform": Affine(1, 0, 500_000, 0, -1, 5_600_000)}
    with rasterio.open(
        image, "w", driver="GTiff", width=64, height=64, count=1, dtype="uint8", **where
    ) as made:
        made.write(np.zeros((1, 64, 64), dtype="uint8"))
    outlines = [np.array([[x, 3.0], [x + 6, 3], [x + 6, 8], [x, 8]]) for x in range(0, 64, 8)]
    found = [Detection(outline, "ship", 0.9 - 0.1 * at) for at, outline in enumerate(outlines)]
    frame = features(found, image, model="test", source="raster-b10c5a")
    return detections_step(
        state, world, Call("find_blocks", {}), (), frame, name="Blocks", said="Found 8 ships."
    )


@pytest.fixture
def session(small_catalogue: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    """A session with eight detections."""
    engine = Engine(home=tmp_path, store_url="sqlite://", catalogue_url=str(small_catalogue))
    tools = Toolbox((*engine.toolbox, find_blocks))
    monkeypatch.setattr("copilot.engine.toolbox", lambda: tools)
    made = Session.open(engine=engine)
    assert made.call("find_blocks").ok
    return made


def verdicts(session: Session) -> dict[int, str]:
    detections = session.state.artifacts[-1]
    assert detections.kind == "detections"
    found = reviews_of(session.state, session.engine.artifacts(session.id).find, detections.id)
    return {number: review.verdict for number, review in sorted(found.items())}


def test_reviews_are_undone_and_done_again(session: Session) -> None:
    session.call("review_detection", detection_id=1, verdict="confirm")
    session.call("review_detection", detection_id=2, verdict="reject")
    assert verdicts(session) == {1: "confirmed", 2: "rejected"}
    session.undo()
    assert verdicts(session) == {1: "confirmed"}
    session.undo()
    assert verdicts(session) == {}
    session.redo()
    session.redo()
    assert verdicts(session) == {1: "confirmed", 2: "rejected"}


def test_a_replay_and_a_copy_come_to_the_same_verdicts_and_the_same_hash(session: Session) -> None:
    for number, verdict in ((1, "confirm"), (2, "reject"), (2, "confirm"), (3, "clear")):
        session.call("review_detection", detection_id=number, verdict=verdict)
    assert digest(session.replay()) == session.hash
    copy = session.fork()
    assert (copy.hash, verdicts(copy)) == (session.hash, {1: "confirmed", 2: "confirmed"})
    copy.call("review_detection", detection_id=8, verdict="reject")
    assert verdicts(session) == {1: "confirmed", 2: "confirmed"}
    assert digest(copy.replay()) == copy.hash


def test_a_list_is_narrowed_by_length_part_and_score_and_names_the_first_of_an_order(
    ready: tuple[World, State],
) -> None:
    world, state = ready
    frame = detections_of(state, world).frame.sort_values(
        ["length_m", "detection_id"], ascending=[False, True]
    )
    longest, length = int(frame["detection_id"].iloc[0]), float(frame["length_m"].iloc[0])
    step = call(world, state, "list_detections", order="longest")
    assert [row["detection_id"] for row in step.data["first"]] == frame["detection_id"].tolist()
    assert (
        f"The longest are No. {longest} (" in step.observation and f"{length:.1f} m long" in step.observation
    )
    assert step.data["leading"]["detection_id"] == longest
    one = call(world, state, "list_detections", order="longest", limit=1)
    assert f"of which the first is listed. The longest is No. {longest} (" in one.observation
    over = call(world, state, "list_detections", min_length_m=length)
    assert over.data["count"] == int((frame["length_m"] >= length).sum())
    assert call(world, state, "list_detections", min_length_m=length + 1).data["count"] == 0
    assert call(world, state, "list_detections", max_length_m=length).data["count"] == len(frame)
    under = call(world, state, "list_detections", below_score=0.8)
    assert {row["score"] < 0.8 for row in under.data["first"]} == {True}
    parts = [call(world, state, "list_detections", part=each).data["count"] for each in ("left", "right")]
    assert sum(parts) == len(frame)
    quarters = ("top-left", "top-right", "bottom-left", "bottom-right")
    assert sum(call(world, state, "list_detections", part=each).data["count"] for each in quarters) == len(
        frame
    )
    left = call(world, state, "list_detections", part="left")
    assert {row["x_px"] < 48 for row in left.data["first"]} <= {True}


def test_lengths_are_not_made_up_for_an_image_without_a_place(world: World) -> None:
    path = world.artifacts.path("raster-000001", ".tif")
    profile = {"driver": "GTiff", "width": 20, "height": 20, "count": 1, "dtype": "uint8"}
    with quiet_gdal(), rasterio.open(path, "w", **profile) as target:
        target.write(np.ones((1, 20, 20), np.uint8))
    outline = np.array([(1, 1), (5, 1), (5, 3), (1, 3)], float)
    frame = features([Detection(outline, "ship", 0.9)], path, model="test", source="raster-000001")
    state = State()
    for kind, name in (("raster", "Bay"), ("detections", "Ships in Bay")):
        state = state.with_artifact(Artifact(f"{kind}-000001", kind, name, "", "test()"))  # type: ignore[arg-type]
    frame.to_parquet(world.artifacts.path("detections-000001", ".parquet"))
    step = run_call(toolbox(), state, world, "list_detections", {"order": "longest"})
    assert step.failed and step.observation == (
        "The image of Ships in Bay has no place on the ground, so its objects have no lengths in metres; "
        "place_raster gives it one."
    )
    assert call(world, state, "list_detections", part="left").data["count"] == 1
    assert call(world, state, "list_detections", part="right").data["count"] == 0


def test_the_state_stays_small_however_many_were_reviewed(session: Session) -> None:
    session.call("review_detection", detection_id=1, verdict="confirm")
    small = len(canonical_bytes(to_json(session.state)))
    for number in range(1, 71):
        session.call(
            "review_detection", detection_id=number % 8 + 1, verdict="reject", by=f"analyst {number}"
        )
    assert len(canonical_bytes(to_json(session.state))) <= small + 2
    assert [each.kind for each in session.state.artifacts] == ["reviews", "detections"]
    assert verdicts(session) == dict.fromkeys(range(1, 9), "rejected")


def test_a_call_from_anywhere_is_signed_before_it_is_on_record(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COPILOT_USER", raising=False)
    event = session.call("review_detection", verdict="confirm", detection_id=1, at=None)
    assert event.args["by"] == "local" and len(event.args["at"]) == 20
    given = session.call("review_detection", verdict="confirm", detection_id=1, by="ann", at=AT)
    assert (given.args["by"], given.args["at"]) == ("ann", AT)
    assert "by" not in session.call("list_detections").args
    monkeypatch.setenv("COPILOT_USER", "Ann Analyst")
    assert session.call("review_detection", verdict="confirm", detection_id=1).args["by"] == "Ann Analyst"


def test_a_cookie_is_never_written_beside_a_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COPILOT_USER", raising=False)
    named = reviewer("a" * 32)
    assert named.startswith("analyst-") and "aaaa" not in named and named == reviewer("a" * 32)
