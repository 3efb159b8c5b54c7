"""The main job, from the sentence to the map, and again tomorrow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

from tests.e2e.app import Tab

REQUEST = "Plot the fair1m and xview1 images around Pittsburgh, PA from May 2018 with vehicles"

IN_SIGHT = """[...document.querySelectorAll("path.leaflet-interactive")].findIndex((path) => {
  const box = path.getBoundingClientRect();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  return x > 40 && y > 40 && x < innerWidth - 40 && y < innerHeight - 40;
})"""
"""Which outline has its middle on the map."""


def test_from_a_sentence_to_the_map_and_back_the_next_day(visit: Callable[..., Tab], screenshot_folder: Path):
    tab = visit(reduced_motion="no-preference")
    tab.shot(screenshot_folder, "empty")
    card = tab.ask(REQUEST)
    card.locator("summary").click()
    calls = card.locator(".az-call code").all_inner_texts()
    assert [text.split("(")[0] for text in calls][-1] == "cluster_plot"
    assert 'db_load(names=["fair1m", "xview1"])' in calls
    tab.expect_chips("fair1m", "xview1", "Pittsburgh", "May 2018", "vehicles")
    expect(tab.page.locator(".st-key-header").get_by_text("sample data").first).to_be_visible()
    reply = card.locator(".az-reply")
    tab.wait_for(lambda: f"{tab.selected():,}" in reply.inner_text(), "the count that the answer tells")

    # The map is there, with clusters.
    cluster = tab.map.locator(".az-cluster").last  # the others may lie below it
    expect(cluster).to_be_visible()
    tab.wait_until("azimuth.map.getCenter().distanceTo([40.44, -79.99]) < 30_000")
    tab.stand()
    tab.shot(screenshot_folder, "main-job")

    # A cluster opens, an image's record opens.
    zoom = tab.see("azimuth.map.getZoom()")
    cluster.click()
    expect(tab.map.locator("path.leaflet-interactive").first).to_be_visible()
    tab.wait_until(f"azimuth.map.getZoom() > {zoom}")
    tab.stand()
    shown = tab.see(IN_SIGHT)
    assert isinstance(shown, int)
    tab.map.locator("path.leaflet-interactive").nth(shown).click(force=True)
    record = tab.body().locator(".az-record")
    expect(record).to_be_visible()
    expect(tab.body().locator(".az-figures figcaption").first).to_contain_text("not imagery")
    tab.shot(screenshot_folder, "record")

    tab.ask("now only 2019")
    tab.wait_for_chip("2019")
    tab.ask("undo that")
    tab.wait_for_chip("May 2018")
    expect(tab.ask("how many per class?").locator(".az-reply")).to_contain_text("Small Car")
    expect(tab.body().get_by_text("Show the selection")).to_be_visible()
    tab.ask("export it")
    expect(tab.page.locator(".st-key-files a").first).to_be_visible()
    with tab.page.expect_download() as download:
        tab.page.locator(".st-key-files a").first.click()
    assert len(Path(download.value.path()).read_text().splitlines()) > 1

    # Tomorrow.
    session, said = tab.session, tab.page.locator("article.az-turn .az-reply").all_inner_texts()
    tab.page.close()
    tab.page = tab._new_page()
    tab.open()
    assert tab.session == session
    tab.wait_for_chip("May 2018")
    tab.expect_same(tab.page.locator("article.az-turn .az-reply").all_inner_texts, said)


def test_a_number_in_the_answer_opens_its_call_in_the_trace(tab: Tab):
    card = tab.ask(REQUEST)
    card.locator(".az-ref").first.click()
    wanted = tab.body().locator(".az-wanted")
    expect(wanted).to_be_visible()
    expect(wanted).to_contain_text("cluster_plot")


def test_a_thumb_with_a_note_is_kept_and_shown_at_its_turn(tab: Tab):
    card = tab.ask(REQUEST)
    card.get_by_role("button", name="This was wrong").click()
    card.get_by_role("textbox", name="Note").fill("the <b>year</b> is off")
    card.get_by_role("button", name="Send the note").click()
    expect(tab.page.locator(".az-thumbs .az-muted", has_text="kept as a case to get right")).to_be_visible()
    body = tab.panel("Trace")
    expect(body).to_contain_text('record_feedback(rating="down", turn=1, note="the <b>year</b> is off")')


def test_a_chip_drops_its_part_and_undo_brings_it_back(tab: Tab):
    tab.ask(REQUEST)
    tab.wait_for_chip("May 2018")
    tab.settle()
    tab.page.get_by_role("button", name="May 2018 ✕").click()
    tab.expect_chips("fair1m", "xview1", "Pittsburgh", "vehicles")
    tab.settle()
    tab.page.get_by_role("button", name="Undo").click()
    tab.wait_for_chip("May 2018")
    tab.settle()
    tab.page.get_by_role("button", name="Redo").click()
    tab.expect_chips("fair1m", "xview1", "Pittsburgh", "vehicles")


def test_an_ambiguous_place_is_asked_about_with_buttons(tab: Tab):
    tab.ask("show fmow images around Springfield")
    choice = tab.page.locator(".az-choices button").first
    expect(choice).to_be_visible()
    name = choice.inner_text()
    choice.click()
    tab.wait_for_chip(name.split(",")[0])


def test_two_browsers_do_not_see_each_others_sessions(tab: Tab, new_tab: Callable[..., Tab]):
    tab.ask("load fair1m")
    other = new_tab().open(f"/?session={tab.session}")
    assert other.session != tab.session
    expect(other.page.get_by_text("belongs to another browser")).to_be_visible()
    answer = other.page.request.get(f"{other.server.url}/api/sessions/{tab.session}/view")
    assert (answer.status, answer.json()) == (404, {"error": "There is no such session here."})
    other.expect_chips()


def test_a_share_link_opens_a_copy_of_ones_own(tab: Tab, new_tab: Callable[..., Tab]):
    tab.ask("load fair1m")
    tab.page.locator(".st-key-session_menu button").first.click()
    tab.settle()
    tab.page.get_by_role("button", name="Share").click()
    link = tab.page.locator("[data-testid='stCode']").inner_text().strip()
    other = new_tab().open(link.removeprefix(tab.server.url))
    other.wait_for_chip("fair1m")
    assert other.session != tab.session
    other.ask("load xview1")
    tab.ask("how many images are there?")
    tab.expect_chips("fair1m")
