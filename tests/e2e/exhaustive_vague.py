"""Vague questions about an uploaded image, turn after turn, offline: each answered from a call on record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from copilot.vague.pictures import write
from data.vision.look import Look
from tests.e2e.app import Server, Tab, running_app

PORT = "marina-512-17100002"


@pytest.fixture(scope="module")
def marina(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A rendered marina of 512 pixels a side."""
    return write(PORT, tmp_path_factory.mktemp("scenes"))[0]


@pytest.fixture(scope="module")
def by_the_interpreter(tmp_path_factory: pytest.TempPathFactory, sample_catalogue: Path) -> Iterator[Server]:
    """The app with the learned reader."""
    home = tmp_path_factory.mktemp("home")
    with running_app(home, sample_catalogue, COPILOT_READER="interpreter") as server:
        yield server


def test_an_uploaded_image_is_asked_about_in_plain_words_turn_after_turn(
    new_tab: Callable[..., Tab], by_the_interpreter: Server, marina: Path, screenshot_folder: Path
):
    look = Look(marina)
    boats, trees = look.count("ship"), look.shares("top left")["vegetation"]
    assert boats > 0
    tab = new_tab(by_the_interpreter).open()
    tab.page.get_by_label("Files to upload").set_input_files(str(marina))
    expect(tab.page.locator(".az-upload")).to_contain_text("a GeoTIFF of 3 bands")
    busy = tab.ask("is the harbour busy?")
    expect(busy.locator(".az-reply")).to_contain_text(f"I count {boats:,} ships")
    part = tab.ask("what's in the top left corner?")
    expect(part.locator(".az-reply")).to_contain_text("The top left part is mostly")
    after = tab.ask("and the trees?")
    expect(after.locator(".az-reply")).to_contain_text(f"vegetation covers {trees:.0%} of the top left part")
    lines = tab.ask("could you give me just the outlines, like a drawing of it")
    expect(lines.locator(".az-reply")).to_contain_text("lie on an edge")
    tab.shot(screenshot_folder, "vague")
    undone = tab.ask("undo that")
    expect(undone.locator(".az-reply")).to_contain_text("taken back")
