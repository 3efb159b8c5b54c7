"""JSON and XML, whole and hostile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from copilot.bench.build.example_files import FOLDER
from data.documents.errors import DocumentError
from data.documents.structured import at_path, found_in, outline, read_json, read_xml, records_of

META = FOLDER / "meta.xml"


def of_text(folder: Path, text: str) -> Path:
    path = folder / "file"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("campaign", "Merwe 2023"),
        ("boat.length_m", 11.5),
        ("stations[1].name", "M2"),
        ("stations.1.km", 955.8),
        ("stations[-1].active", False),
    ],
)
def test_a_path_leads_to_its_value(path: str, value: Any) -> None:
    assert at_path(read_json(FOLDER / "settings.json"), path) == value


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("boat.width", "There is nothing at 'width' in boat; there is name, length_m."),
        ("stations[9]", "There is nothing at '[9]' in stations; there is a list of 3 objects."),
        ("campaign.x", "There is nothing at 'x' in campaign; there is the text \"Merwe 2023\"."),
    ],
)
def test_a_path_to_nothing_is_told_with_what_there_is(path: str, reason: str) -> None:
    with pytest.raises(DocumentError) as error:
        at_path(read_json(FOLDER / "settings.json"), path)
    assert str(error.value) == reason


def test_outlines_and_records() -> None:
    settings = read_json(FOLDER / "settings.json")
    assert outline(settings) == "an object with 3 keys (campaign, boat, stations)"
    assert outline([1, "a"]) == "a list of 2 values"
    assert records_of([{"a": [1], "b": 2}]) == [{"a": "[1]", "b": 2}]
    assert records_of([{"a": 1}, 2]) is None and records_of([]) is None


@pytest.mark.parametrize("text", ["{", "[" * 100_000, '{"a": ' * 300 + "1" + "}" * 300, "1" * 10_000])
def test_broken_and_very_deep_json_is_told(tmp_path: Path, text: str) -> None:
    with pytest.raises(DocumentError):
        read_json(of_text(tmp_path, text))


def test_what_json_has_not_is_none(tmp_path: Path) -> None:
    assert read_json(of_text(tmp_path, "[NaN, Infinity, 1e999, 1]")) == [None, None, None, 1]


def test_elements_and_attributes_are_found_whatever_their_namespace() -> None:
    meta = read_xml(META)
    assert (meta.root, meta.elements, meta.names[0]) == ("product", 10, ("band", 3))
    (cloud,) = found_in(meta, "cloudcover")
    assert (cloud.path, cloud.text, cloud.attributes) == (
        "product/scene/cloudCover",
        "7.2",
        {"unit": "percent"},
    )
    assert [each.attributes["wavelength"] for each in found_in(meta, "wavelength")] == [
        "492.1",
        "559.0",
        "664.9",
    ]
    assert found_in(meta, "scene/platform")[0].text == "Sentinel-2B"
    with pytest.raises(DocumentError, match="Did you mean cloudCover"):
        found_in(meta, "cloud")


BOMB = '<!DOCTYPE b [<!ENTITY a "aaaaaaaaaa">' + "".join(
    f'<!ENTITY a{n} "{f"&a{n - 1};" * 10 if n > 1 else "&a;" * 10}">' for n in range(1, 9)
)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"{BOMB}]><b>&a8;</b>", "The XML defines entities"),
        ('<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>', "The XML defines entities"),
        ("<a><b></a>", "The file is no XML that can be read"),
        ("", "The file is no XML that can be read"),
        ("<a>" * 300 + "</a>" * 300, "nested more than 200 deep"),
    ],
)  # fmt: skip
def test_bombs_and_broken_xml_are_told_at_once(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(DocumentError, match=reason):
        read_xml(of_text(tmp_path, text))


def test_a_schema_on_another_machine_is_not_fetched(tmp_path: Path) -> None:
    assert read_xml(of_text(tmp_path, '<!DOCTYPE x SYSTEM "http://127.0.0.1:1/x.dtd"><x y="1"/>')).root == "x"
