"""What the wording tells of files, pictures, stores and models, and what is read out of it."""

from __future__ import annotations

from datetime import date

import pytest

from copilot.planner.declared.files import File, file_meant, paths_in
from copilot.planner.declared.idioms.texts import IDIOMS, told
from tests.suite.walking import walks

TODAY = date(2024, 6, 15)
REPORT = File("document-1", "report", "pdf")
LOG = File("document-2", "log", "txt")
PHOTO = File("raster-3", "photo", "jpg")
FILES = (REPORT, LOG, PHOTO)


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("what is on page 2 of the report", "read_pdf"),
        ("print log.txt", "read_text"),
        ("when was the photo taken", "read_exif"),
        ("how many pixels does photo.jpg have", "image_info"),
        ("md5 of the pdf please", "file_hash"),
        ("what files are in data/bundle.zip", "list_archive"),
        ("take log.txt out of data/bundle.zip", "extract_archive"),
        ("Cut the report into pieces of 200 characters", "split_text"),
        ("Index the report so that I can search it, and call the store merwe", "vectorstore_create"),
        ("What does remarks say about floods?", "vectorstore_search"),
        ('Add "It rained." to the store remarks', "vectorstore_add"),
        ("the store remarks can go", "vectorstore_delete"),
        ('How similar are "a ship" and "a vessel"?', "embeddings"),
        ('Ask the chat model: "What is NDVI?"', "chat_completion"),
        ("show ships near Rotterdam", None),
    ],
)
def test_the_wording_tells_what_is_done_with_a_file_or_a_store(text: str, tool: str | None) -> None:
    assert told(text, FILES, ["remarks"]) == tool


@walks(
    "tool, text, arguments",
    [
        ("read_pdf", "pages 2 to 3 of the report", {"first_page": 2, "last_page": 3}),
        ("read_pdf", "just the second page", {"first_page": 2, "last_page": 2}),
        ("read_text", "the first 2 lines of the log", {"lines": 2}),
        ("read_json", "what is boat.length_m in settings.json?", {"path": "boat.length_m"}),
        ("read_xml", "cloudCover in meta.xml?", {"element": "cloudCover"}),
        ("extract_archive", "take log.txt out of data/bundle.zip", {"members": ["log.txt"]}),
        ("image_rotate", "turn it a quarter turn counter-clockwise", {"degrees": -90}),
        ("image_crop", "cut a 50 by 40 pixel window out", {"width": 50, "height": 40, "part": "middle"}),
        ("image_crop", "crop it to the upper left 50 by 40 pixels", {"width": 50, "height": 40}),
        (
            "image_crop",
            "300 x 200 pixels from the bottom right",
            {"width": 300, "height": 200, "part": "bottom-right"},
        ),
        ("image_crop", "crop from 10, 20 to 40, 60", {"left": 10, "top": 20, "width": 30, "height": 40}),
        ("image_crop", "the left half", {"part": "left"}),
        ("image_crop", "cut the top off", {}),
        ("image_crop", "cut the top off keep the lower half", {"part": "bottom"}),
        ("split_text", "chunks of 120 characters with an overlap of 20", {"overlap": 20, "size": 120}),
        ("vectorstore_delete", "take text 2 out of the store log", {"ids": [2]}),
        ("summarize_history", "recap the last 2 turns", {"last": 2}),
    ],
)
def test_what_is_asked_of_a_text_or_a_picture_is_read_out_of_the_wording(
    tool: str, text: str, arguments: dict[str, object]
) -> None:
    read = IDIOMS[tool](text, TODAY)
    assert {name: value for name, value in read.items() if value is not None} == arguments


def test_a_file_is_meant_by_its_name_then_by_its_format_then_by_a_path_of_the_disk() -> None:
    meant = [
        file_meant(text, FILES)
        for text in ("read report.pdf", "the photo", "the text file", "unzip data/bundle.zip", "a map")
    ]
    assert meant == [REPORT, PHOTO, LOG, File("data/bundle.zip", "bundle", "zip"), None]


def test_an_address_of_the_web_is_no_file() -> None:
    assert paths_in("get https://a.example/x.csv and data/y.csv") == ["data/y.csv"]
