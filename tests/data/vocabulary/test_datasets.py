"""Data sets, sensors and modalities are recognised by the names people use."""

import pytest

from data.vocabulary import dataset_mentions, modality_mentions, sensor_mentions


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Plot the fair1m and xview1 images", [("fair1m",), ("xview1",)]),
        ("load xview and xBD", [("xview1",), ("xview2",)]),
        ("the SAR set", [("xview3", "sarfish")]),
        ("the functional map of the world", [("fmow",)]),
        ("big earth net, sar fish and the functional map", [("bigearthnet",), ("sarfish",), ("fmow",)]),
        ("FAIR images", [("fair1m",)]),
        ("xView3-SAR", [("xview3",)]),
        ("fair enough, Ben", []),
        ("a map of the world", []),
    ],
)
def test_a_sentence_names_its_data_sets(text: str, names: list[tuple[str, ...]]) -> None:
    assert [span.names for span in dataset_mentions(text)] == names


def test_sensors_and_modalities_are_named_as_their_columns_hold_them() -> None:
    text = "radar from Sentinel-1, worldview 3 and QuickBird"
    assert [span.names for span in sensor_mentions(text)] == [
        ("Sentinel-1",),
        ("WorldView-3",),
        ("QuickBird-02",),
    ]
    assert [span.names for span in modality_mentions(text)] == [("sar",)]
