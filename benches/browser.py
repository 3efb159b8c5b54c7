"""The page in a real browser: start, a request until the map shows it, panning over 700,000 images."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from benches.figure import Budget, Figure, skipped
from benches.machine import ROOT, resident_mib
from tests.chromium import ARGUMENTS, find_chromium
from tests.e2e.app import Browsers, Server, Tab, running_app

START, IDLE = Budget("p50", 6), Budget("p50", 1229)
SUBMIT, PAN = Budget("p95", 1500), Budget("p95", 1000)
IDLE_AFTER_S = 20
REQUESTS = (
    "Plot the fair1m and xview1 images around Pittsburgh, PA from May 2018 with vehicles",
    "now only 2019",
    "undo that",
    "Show fmow airports in Japan",
    "Show xview3 images in the Gulf of Guinea from 2020",
    "Show xview2 images in Mexico as footprints",
    "Plot sarfish around Singapore since 2018",
    "Show fmow golf courses in Florida as points",
    "Show bigearthnet images in Portugal as a heat map",
    "Show fair1m images around Tokyo with ships",
    "Show all xview2 images",
    "Show fmow stadiums in Brazil between 2016 and 2018",
    "now only 2017",
    "Show fmow images with clouds below 10 % in Kenya",
    "Plot xview1 buses around Paris within 100 km",
    "Show fmow in the Sahel in 2021",
    "Show bigearthnet vineyards in Austria",
    "Show fair1m and fmow around Istanbul",
    "Show xview3 fishing vessels off the coast of Norway",
    "Show fmow ports in Germany as points",
)
EVERYTHING = "Show all fmow images"
_FILLS = "[...azimuth.layers.values()].map((layer) => layer.view.id + layer.view.fill)"
_NEW_FILL = """(before) => [...azimuth.layers.values()].some((layer) =>
  !before.includes(layer.view.id + layer.view.fill) && !layer.dirty && layer.loaded)"""
_MOVE = """([lat, lon, zoom]) => new Promise((done) => {
  const began = performance.now();
  azimuth.map.setView([lat, lon], zoom, { animate: false });
  const look = () => [...azimuth.layers.values()].every((layer) => layer.covers())
    ? done(performance.now() - began) : requestAnimationFrame(look);
  requestAnimationFrame(look);
})"""


def measure(home: Path, runs: int) -> Iterator[Figure]:
    """Everything that needs the app and a browser; figures that say so where there is neither."""
    if not (ROOT / "app.py").is_file() or find_chromium() is None:
        why = "needs app.py and Chromium (`make setup-tests`)"
        yield skipped("app start to first paint, warm disk", "s", why, START)
        yield skipped("resident memory, idle", "MiB", why, IDLE)
        yield skipped("chat submit to map updated in the browser", "ms", why, SUBMIT)
        yield skipped("pan or zoom over 700,000 images", "ms", why, PAN)
        return
    with _browser() as browser:
        yield from _starts(browser, home / "catalogue", max(3, runs // 2))
        with tempfile.TemporaryDirectory() as folder, running_app(Path(folder), home / "catalogue") as server:
            yield from _used(browser, server)


@contextmanager
def _browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(find_chromium()), args=list(ARGUMENTS))
        yield browser
        browser.close()


def _starts(browser: Browser, catalogue: Path, runs: int) -> Iterator[Figure]:
    painted, usable = [], []
    for _ in range(runs + 1):
        with tempfile.TemporaryDirectory() as folder:
            server = Server(Path(folder), catalogue, {})
            began = time.perf_counter()
            server.start()
            try:
                tab = Browsers(browser).tab(server)
                tab.page.goto(server.url, wait_until="commit")
                tab.page.get_by_test_id("stChatInputTextArea").wait_for()
                painted.append(time.perf_counter() - began)
                tab.map.locator("#map_div[data-version]").wait_for()
                usable.append(time.perf_counter() - began)
                tab.context.close()
            finally:
                server.stop()
    how = (
        "A new process of the app with a new home, and a browser tab that opens as soon as it answers; until"
    )
    yield Figure(
        "app start to first paint, warm disk",
        "s",
        tuple(painted[1:]),
        f"{how} the chat's input is drawn.",
        (START,),
    )
    yield Figure("app start to the map drawn", "s", tuple(usable[1:]), f"{how} the map is drawn too.")


def _used(browser: Browser, server: Server) -> Iterator[Figure]:
    tab = Browsers(browser).tab(server).open()
    time.sleep(IDLE_AFTER_S)
    yield Figure(
        "resident memory, idle",
        "MiB",
        (resident_mib(server.process.pid),),
        f"The app's process with one tab open, {IDLE_AFTER_S} s after the page was drawn: encoder, gazetteer "
        "and catalogue are warmed up by then.",
        (IDLE,),
    )
    yield Figure(
        "chat submit to map updated in the browser",
        "ms",
        tuple(_submitted_ms(tab, request) for request in REQUESTS),
        f"{len(REQUESTS)} requests in one session, from the Enter key until the map has drawn the layer with "
        "the new selection.",
        (SUBMIT,),
    )
    tab.ask(EVERYTHING)
    yield Figure(
        "pan or zoom over 700,000 images",
        "ms",
        tuple(_moved_ms(tab)),
        "All 727,144 fmow images as clusters; 40 jumps of the map to other places at zooms 2 to 9, from the "
        "jump until the new view's clusters are drawn (the map's own animation left out).",
        (PAN,),
    )
    yield Figure(
        "resident memory after that use",
        "MiB",
        (resident_mib(server.process.pid),),
        "The same process after the requests and jumps above.",
    )
    tab.context.close()


def _submitted_ms(tab: Tab, request: str) -> float:
    before = tab.see(_FILLS)
    frame = next(each for each in tab.page.frames if "streamlit_folium" in each.url)
    turns = tab.page.locator("article.az-turn").count()
    box = tab.page.get_by_test_id("stChatInputTextArea")
    box.fill(request)
    began = time.perf_counter()
    box.press("Enter")
    frame.wait_for_function(_NEW_FILL, arg=before, timeout=30_000)
    taken = (time.perf_counter() - began) * 1000
    # The next request waits until this turn is over; that is not part of the time.
    tab.page.locator("article.az-turn").nth(turns).locator(".az-reply").wait_for()
    tab.page.wait_for_timeout(1200)
    return taken


def _moved_ms(tab: Tab) -> Iterator[float]:
    tab.page.wait_for_timeout(2000)
    frame = next(each for each in tab.page.frames if "streamlit_folium" in each.url)
    for number in range(40):
        lat, lon, zoom = -40 + number * 23 % 100, -120 + number * 67 % 280, 2 + number * 3 % 8
        yield float(frame.evaluate(_MOVE, [lat, lon, zoom]))
        tab.page.wait_for_timeout(150)
