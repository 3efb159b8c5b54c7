"""Pieces of texts and documents."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from pypdf import PdfReader

from state.model import State
from tests.tools.data.test_summaries import read
from tests.tools.prepared import prepared
from tests.tools.world import run
from tools.base import World
from tools.langchain.splitting import load_document, split_text

TEXT = (
    "One sentence here. Another one follows it.\n\n"
    "A second paragraph, which is a little longer than the first.\n"
)


def pieces(world: World, state: State, tool: Any, **args: Any) -> pd.DataFrame:
    step = run(world, state, tool, **args)
    assert not step.failed, step.observation
    return read(world, step.data["table"])


def test_paragraphs_come_first_then_sentences(world: World) -> None:
    assert pieces(world, State(), split_text, text=TEXT, size=60)["text"].tolist() == [
        "One sentence here. Another one follows it.",
        "A second paragraph,",
        "which is a little longer than the first.",
    ]


@pytest.mark.parametrize(("size", "overlap"), [(50, 0), (50, 20), (200, 50), (1000, 0)])
def test_pieces_are_no_longer_than_asked_and_stand_where_they_say(
    world: World, size: int, overlap: int
) -> None:
    text = "\n\n".join(f"Paragraph {n} tells of scene {n}. " + "It has words. " * (n % 7) for n in range(40))
    found = pieces(world, State(), split_text, text=text, size=size, overlap=overlap)
    assert found["characters"].max() <= size
    for _, row in found.iterrows():
        assert text[row["start"] :].startswith(row["text"])
    covered = set()
    for _, row in found.iterrows():
        covered |= set(range(row["start"], row["start"] + row["characters"]))
    left = [each for at, each in enumerate(text) if at not in covered]
    assert not "".join(left).strip()  # nothing but blanks is lost
    if overlap:
        ends = found["start"] + found["characters"]
        assert (found["start"].to_numpy()[1:] < ends.to_numpy()[:-1]).any()


def test_headings_of_markdown_begin_a_piece(world: World) -> None:
    text = "# One\n\nBody of one, in some words.\n\n## Two\n\nBody of two, in other words.\n"
    found = pieces(world, State(), split_text, text=text, size=60, kind="markdown")
    assert [each.split("\n")[0] for each in found["text"]] == ["# One", "## Two"]


def test_a_pdf_comes_page_by_page(world: World) -> None:
    state = prepared(world)
    found = pieces(world, state, load_document, document="report", size=200)
    path = world.artifacts.find("document-9df000")
    pages = [page.extract_text() for page in PdfReader(str(path)).pages]
    assert sorted(set(found["page"])) == [n for n, text in enumerate(pages, 1) if text.strip()]
    assert found["source"].unique().tolist() == ["report"]
    first = " ".join(found[found["page"] == 1]["text"].str.cat(sep=" ").split())
    assert first[:40] in " ".join(pages[0].split())


@pytest.mark.parametrize("document", ["notes", "page", "Note", "stations.csv"])
def test_other_documents_load_without_pages(world: World, document: str) -> None:
    found = pieces(world, prepared(world), load_document, document=document)
    assert found["page"].isna().all() and found["characters"].sum() > 20


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({}, "a text or a document, one of the two"),
        ({"text": "a", "document": "Note"}, "a text or a document, one of the two"),
        ({"text": "  \n "}, "The text is blank"),
        ({"text": "abc", "size": 50, "overlap": 50}, "leaves nothing new"),
        ({"document": "bundle"}, "holds no running text"),
    ],
)
def test_what_cannot_be_split_is_told_why(world: World, args: dict[str, Any], said: str) -> None:
    step = run(world, prepared(world), split_text, **args)
    assert step.failed and said in step.observation, step.observation
