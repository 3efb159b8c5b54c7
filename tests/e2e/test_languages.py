"""The page in other languages: switched and kept, right to left, and a request answered in its own."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

from pages.sampling import EXAMPLES
from tests.e2e.app import Tab

CONTRAST = (Path(__file__).parent / "contrast.js").read_text(encoding="utf-8")


def test_a_chosen_language_is_kept_in_the_browser_and_the_map_says_its_words_in_it(
    new_tab: Callable[..., Tab], screenshot_folder: Path
) -> None:
    tab = new_tab().open()
    tab.go("Settings")
    tab.page.get_by_role("radio", name="Español", exact=True).click()
    expect(tab.page.get_by_role("heading", name="Ajustes")).to_be_visible()
    expect(tab.page.locator("html")).to_have_attribute("lang", "es")
    tab.go("Mapa")
    expect(tab.map.locator(".az-base select")).to_have_attribute("aria-label", "Mapa base")
    tab.shot(screenshot_folder, "spanish")
    tab.expect_same(lambda: tab.page.evaluate(CONTRAST), {})
    other = tab.beside().open()
    expect(other.page.locator(".az-empty h2")).to_have_text("¿Qué quiere ver?")


def test_arabic_runs_from_right_to_left_and_the_map_does_not(
    new_tab: Callable[..., Tab], screenshot_folder: Path
) -> None:
    tab = new_tab(locale="ar", color_scheme="dark").open()
    expect(tab.page.locator("html")).to_have_attribute("dir", "rtl")
    expect(tab.page.locator(".az-empty h2")).to_have_text("ماذا تريد أن ترى؟")
    chat, shown = tab.page.locator(".st-key-left").bounding_box(), tab.page.locator("#root").bounding_box()
    map_ = tab.page.locator(".st-key-map iframe").bounding_box()
    assert chat and map_ and shown and chat["x"] > map_["x"] + map_["width"] - 1
    zoom = tab.map.locator(".leaflet-control-zoom").bounding_box()
    assert zoom and zoom["x"] < map_["x"] + 40
    tab.shot(screenshot_folder, "arabic")
    tab.expect_same(lambda: tab.page.evaluate(CONTRAST), {})
    tab.go("الإعدادات")
    expect(tab.page.get_by_role("radiogroup", name="الوكيل")).to_be_visible()
    tab.expect_same(lambda: tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), True)
    tab.expect_same(lambda: tab.page.evaluate(CONTRAST), {})


def test_a_request_in_spanish_is_answered_in_spanish_with_requests_to_click(
    new_tab: Callable[..., Tab], screenshot_folder: Path
) -> None:
    tab = new_tab().open()
    card = tab.ask("muéstrame los barcos cerca de Málaga")
    expect(card.locator(".az-reply")).to_have_text(
        re.compile(r"^Por ahora las solicitudes se leen en inglés\.")
    )
    expect(card.locator(".az-reply")).to_have_attribute("lang", "es")
    tab.shot(screenshot_folder, "spanish-request")
    request = EXAMPLES[2][0]
    card.get_by_role("button", name=request).click()
    answer = tab.page.locator("article.az-turn").nth(1)
    expect(answer.locator(".az-reply")).to_contain_text("images")
