"""The knowledge base in the browser, offline: a PDF of one's own is added on its page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

from copilot.bench.build.example_files import FOLDER
from tests.e2e.app import Tab

"""The first addition of a process makes the index of what is built in."""


def test_a_pdf_of_the_session_is_added_and_seen_by_its_owner_alone(
    visit: Callable[..., Tab], screenshot_folder: Path
) -> None:
    tab = visit()
    page = tab.page
    tab.add_file(FOLDER / "report.pdf")
    tab.go("Knowledge")
    expect(page.get_by_text("None yet.")).to_be_visible()
    tab.settle()
    page.get_by_role("button", name="Add report to the knowledge base").click()
    document = page.locator("[class*='st-key-document-']")
    expect(document).to_contain_text("3 pages")
    expect(document).to_contain_text("only you see it")
    tab.shot(screenshot_folder, "knowledge")
