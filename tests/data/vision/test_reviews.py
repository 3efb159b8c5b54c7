"""Reviews: their files, the columns that they add, and the precision that they let one estimate."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from scipy.stats import binomtest

from data.vision.reviews import (
    Precision,
    Review,
    Reviews,
    canonical_reviews,
    draw,
    estimated,
    joined,
    precision,
    read_reviews,
    wilson,
    write_reviews,
)


@pytest.mark.parametrize(("right", "of"), [(0, 1), (1, 1), (3, 7), (50, 50), (499, 1000)])
def test_the_interval_is_wilsons_as_scipy_has_it(right: int, of: int) -> None:
    expected = binomtest(right, of).proportion_ci(0.95, method="wilson")
    assert wilson(right, of) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert wilson(0, 0) is None


def test_an_object_of_another_class_is_wrong_for_the_class_it_was_found_as() -> None:
    classes = {1: "ship", 2: "ship", 3: "plane", 4: "ship"}
    said = {1: Review("confirmed"), 2: Review("relabelled", "tanker"), 3: Review("rejected")}
    whole, by_class = precision(classes, said)
    assert whole == Precision(confirmed=1, rejected=1, relabelled=1)
    assert by_class == {"plane": Precision(0, 1, 0), "ship": Precision(1, 0, 1)}
    assert by_class["ship"].to_json()["precision"] == 0.5
    assert precision(classes, {})[0].to_json()["precision"] is None


def test_reviews_in_another_order_than_by_chance_give_no_estimate_of_the_others() -> None:
    rightness = {number: number / 1000 for number in range(1, 1001)}
    classes = dict.fromkeys(rightness, "ship")

    def said(number: int) -> Review:
        return Review("confirmed" if rightness[number] > 0.5 else "rejected")

    lowest = {number: said(number) for number in range(1, 101)}
    assert estimated(classes, lowest).to_json()["precision"] is None
    sample = draw("detections-1", classes, 100)
    assert len(set(sample)) == 100 and draw("detections-1", classes, 200)[:100] == sample
    assert draw("detections-2", classes, 100) != sample
    some = {**lowest, **{number: said(number) for number in sample[:99]}}
    assert estimated(classes, some, sample).basis is None
    whole = {**lowest, **{number: said(number) for number in sample}}
    found = estimated(classes, whole, sample).to_json()
    assert (found["basis"], found["reviewed"], found["drawn"]) == ("sample", 100, 100)
    assert found["low"] < 0.5 < found["high"]
    every = estimated(classes, {number: said(number) for number in classes}).to_json()
    assert (every["basis"], every["precision"], every["low"], every["high"]) == ("all", 0.5, 0.5, 0.5)


def test_a_table_gets_who_said_what_and_when_and_keeps_what_was_found() -> None:
    table = pd.DataFrame({"detection_id": [1, 2, 3, 4], "class_name": ["ship", "ship", "plane", "plane"]})
    said = {
        1: Review("confirmed", None, "ann", "2026-11-22T04:00:00Z"),
        2: Review("relabelled", "tanker", "ann", "2026-11-22T04:01:00Z"),
        3: Review("rejected"),
    }
    after = joined(table, said)
    assert after["class_name"].tolist() == table["class_name"].tolist()
    assert after["verdict"].tolist() == ["confirmed", "relabelled", "rejected", "unreviewed"]
    assert after["reviewed_class"].fillna("-").tolist() == ["ship", "tanker", "-", "-"]
    assert after["reviewed_by"].fillna("-").tolist() == ["ann", "ann", "-", "-"]
    assert joined(after, said).equals(after)


def test_a_long_row_of_reviews_reads_back_whole_from_files_that_stay_small(tmp_path: Path) -> None:
    reviews: Reviews = {}
    before: tuple[str, int, Reviews] | None = None
    for number in range(1, 301):
        reviews = {**reviews, number: Review("confirmed", None, "analyst-0a1b2c", "2026-11-22T04:00:00Z")}
        if number == 250:
            reviews.pop(3)
        path = tmp_path / f"{number}.json"
        write_reviews(path, reviews, before)
        before = (path.stem, 0 if before is None else before[1] + 1, reviews)

    def find(name: str) -> Path:
        return tmp_path / f"{name}.json"

    assert read_reviews(find("300"), find) == (299, reviews)
    assert 3 not in reviews and 3 in read_reviews(find("249"), find)[1]
    assert sum(each.stat().st_size for each in tmp_path.iterdir()) < 300 * 150 * 8


def test_the_text_of_reviews_does_not_depend_on_their_order() -> None:
    one, other = Review("confirmed"), Review("rejected")
    assert canonical_reviews({1: one, 2: other}) == canonical_reviews({2: other, 1: one})
