"""Class words are resolved within one data set, published or not."""

import pytest

from data.schema import ClassInfo, DatasetInfo
from data.vocabulary import class_ids, classes_of, groups_for


def info(classes: tuple[ClassInfo, ...]) -> DatasetInfo:
    return DatasetInfo("any", "Any", "", "ingested", classes, 0, 0, None, None, None)


def names(dataset: str, word: str) -> set[str]:
    classes = classes_of(dataset)
    return {classes[number].name for number in class_ids(info(classes), word)}


@pytest.mark.parametrize(
    ("dataset", "word", "expected"),
    [
        ("xview1", "Truck", {"Truck"}),
        ("fair1m", "trucks", {"Cargo Truck", "Dump Truck", "Truck Tractor"}),
        ("fair1m", "lorries", {"Cargo Truck", "Dump Truck", "Truck Tractor"}),
        ("xview2", "damaged buildings", {"minor-damage", "major-damage", "destroyed"}),
        ("xview2", "buildings", {"no-damage", "minor-damage", "major-damage", "destroyed", "un-classified"}),
        ("xview3", "vessels", {"vessel", "fishing vessel", "non-fishing vessel"}),
        ("xview3", "fishing vessels", {"fishing vessel"}),
        ("fmow", "golf course", {"golf_course"}),
        ("fmow", "Golf Courses", {"golf_course"}),
        (
            "bigearthnet",
            "Arable land",
            {"Non-irrigated arable land", "Permanently irrigated land", "Rice fields"},
        ),
        ("bigearthnet", "pine woods", {"Coniferous forest"}),
        ("bigearthnet", "trucks", set()),
        ("fair1m", "soccer pitches", {"Football Field"}),
        ("fair1m", "", set()),
    ],
)
def test_a_word_gives_the_classes_it_means_in_that_data_set(
    dataset: str, word: str, expected: set[str]
) -> None:
    assert names(dataset, word) == expected


def test_a_users_own_classes_are_reached_by_name_plural_and_group() -> None:
    mine = info(
        tuple(ClassInfo(i, name, groups_for(name)) for i, name in enumerate(["delivery truck", "cat"]))
    )
    assert [class_ids(mine, word) for word in ("vehicles", "lorries", "delivery trucks", "cats", "dogs")] == [
        {0}, {0}, {0}, {1}, set(),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "groups"),
    [
        ("Delivery_Truck", ("vehicles", "trucks")),
        ("plane", ("aircraft", "airplanes")),
        ("non-vessel", ()),
        ("truck stop", ()),
        ("", ()),
    ],
)
def test_groups_of_a_users_class_come_from_the_noun_at_its_end(name: str, groups: tuple[str, ...]) -> None:
    assert groups_for(name) == groups
