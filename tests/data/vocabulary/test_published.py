"""The class lists are the published ones."""

import pytest

from data.schema import ClassInfo
from data.vocabulary import CLASS_NAMES, XVIEW_TYPE_IDS, classes_of
from data.vocabulary.published import CORINE_GROUPS
from tests.real_files import real


def test_xviews_type_ids_and_names_are_those_of_its_own_label_file() -> None:
    lines = real("label_records/xview_class_labels.txt").read_text().splitlines()
    assert dict(XVIEW_TYPE_IDS) == {
        int(line.split(":", 1)[0]): line.split(":", 1)[1] for line in lines if line
    }


def test_each_data_set_has_as_many_classes_as_published() -> None:
    assert {name: len(names) for name, names in CLASS_NAMES.items()} == {
        "xview1": 60, "xview2": 5, "xview3": 4, "sarfish": 4, "fair1m": 37, "fmow": 62, "bigearthnet": 43,
    }  # fmt: skip


def test_no_class_is_listed_twice() -> None:
    assert [name for name, names in CLASS_NAMES.items() if len(set(names)) != len(names)] == []


def test_bigearthnets_19_groups_cover_all_but_the_11_dropped_classes() -> None:
    groups = [group for group in CORINE_GROUPS.values() if group]
    assert (len(set(groups)), list(CORINE_GROUPS.values()).count("")) == (19, 11)


def test_a_class_carries_its_groups_widest_first_and_says_whether_it_labels_a_scene() -> None:
    by_name = {entry.name: entry for dataset in ("fair1m", "fmow") for entry in classes_of(dataset)}
    assert by_name["Cargo Truck"] == ClassInfo(22, "Cargo Truck", ("vehicles", "trucks"), scene=False)
    assert by_name["solar_farm"] == ClassInfo(49, "solar_farm", ("energy", "renewable energy"), scene=True)


def test_an_unknown_data_set_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(KeyError, match="no published class list for 'dota'; there are xview1, xview2"):
        classes_of("dota")
