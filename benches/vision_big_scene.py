"""A scene of 10,000 x 10,000 pixels in the browser: `python -m benches.vision_big_scene [--side 10000]`.

The scene is put together of rendered ones (no imagery). It is chosen as a file on the page, and a request
in words, sent `--pause` seconds later, detects its objects: how long until something moves, a reload in the
middle, how long until it has stopped, run again to its end. The page is looked at sixty times a second.
"""

from __future__ import annotations

import argparse
import os
import re
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import rasterio
from affine import Affine
from playwright.sync_api import expect, sync_playwright

from benches.machine import machine_line, resident_mib
from data.scenes import render
from tests.chromium import ARGUMENTS, find_chromium
from tests.e2e.app import Browsers, Server, Tab, running_app

BLOCK_PX, GSD_M = 1000, 0.4
THEMES = ("harbour", "parking", "airport", "depot", "town", "marina", "sea", "fields")
PATIENCE_MS = 900_000


def scene(path: Path, side_px: int) -> Path:
    """A GeoTIFF of rendered blocks, in UTM, as an aerial survey delivers one."""
    blocks = [
        render(700_000 + at, "optical", BLOCK_PX, GSD_M, theme=theme).pixels
        for at, theme in enumerate(THEMES)
    ]
    profile = {
        "driver": "GTiff", "width": side_px, "height": side_px, "count": 3, "dtype": "uint8", "tiled": True,
        "crs": "EPSG:32631", "transform": Affine(GSD_M, 0, 600_000, 0, -GSD_M, 5_760_000),
        "compress": "jpeg", "jpeg_quality": 90, "photometric": "ycbcr", "interleave": "pixel",
    }  # fmt: skip
    rng = np.random.default_rng(0)
    with rasterio.open(path, "w", **profile) as target:
        for top in range(0, side_px, BLOCK_PX):
            strip = np.concatenate([blocks[rng.integers(len(blocks))]] + [
                np.rot90(blocks[rng.integers(len(blocks))], int(rng.integers(4)), (1, 2))
                for _ in range(side_px // BLOCK_PX - 1)
            ], axis=2)  # fmt: skip
            target.write(strip, window=((top, top + BLOCK_PX), (0, strip.shape[2])))
    return path


def seconds_until(what: Callable[[], object], before: Callable[[], object] = lambda: None) -> float:
    """How long it takes from the end of `before` until `what` returns."""
    before()
    started = time.perf_counter()
    what()
    return time.perf_counter() - started


def shows(tab: Tab, pattern: str, attribute: str = "") -> None:
    """Wait until the job in the chat says the pattern, or has it in an attribute of its bar."""
    job = "document.querySelector('.az-job')"
    said = f"{job}?.querySelector('[role=progressbar]')?.getAttribute('{attribute}')"
    text = said if attribute else f"({job}?.offsetParent && {job}.innerText)"
    tab.page.wait_for_function(f"() => /{pattern}/.test({text} || '')", timeout=PATIENCE_MS)


def use(tab: Tab, server: Server, path: Path, pause_s: float) -> None:
    """The story, a line for each of its figures."""
    page, name = tab.page, path.stem
    row = page.locator(".az-upload", has=page.get_by_text(path.name, exact=True))
    brought = seconds_until(
        lambda: expect(row).to_contain_text("is a GeoTIFF of 3 bands", timeout=PATIENCE_MS),
        lambda: page.get_by_label("Files to upload").set_input_files(str(path)),
    )
    print(f"chosen until on the map: {brought:.1f} s", flush=True)
    page.wait_for_timeout(pause_s * 1000)
    tab.send(f"detect the planes, ships and vehicles in {name}")
    sent = time.perf_counter()
    for what, pattern, attribute in (
        ("the job shows", ".", ""),
        ("windows are counted", r"[1-9]\d* of \d+ windows", ""),
        ("it has moved a per cent", r"[1-9]\d*", "aria-valuenow"),
    ):
        shows(tab, pattern, attribute)
        print(f"sent until {what}: {time.perf_counter() - sent:.2f} s", flush=True)
    page.wait_for_timeout(5_000)
    page.reload()
    back = seconds_until(lambda: shows(tab, r"[1-9]\d*", "aria-valuenow"))
    at = page.locator(".az-job:visible").get_by_role("progressbar").get_attribute("aria-valuenow")
    print(f"reload until the job shows again, at {at} per cent: {back:.2f} s", flush=True)
    stop = page.locator(".st-key-stop").get_by_role("button", name="Stop")
    stopped = seconds_until(
        lambda: expect(page.locator(".az-reply")).to_have_text(re.compile("^Stopped"), timeout=PATIENCE_MS),
        stop.click,
    )
    print(f"Stop until stopped: {stopped:.2f} s", flush=True)
    panel = tab.panel("Jobs")
    badge = panel.locator(".stMarkdownBadge").first
    ended = seconds_until(
        lambda: expect(badge).to_contain_text("done", timeout=PATIENCE_MS),
        lambda: panel.get_by_role("button", name="Run again").click(),
    )
    said = page.locator(".az-action").last.inner_text().splitlines()
    print(f"run again until done: {ended:.1f} s; {' '.join(said)[:300]}", flush=True)
    print(f"resident memory of the app: {resident_mib(server.process.pid):,.0f} MiB", flush=True)


def main() -> None:
    """Make the scene, start the app and use it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--side", type=int, default=10_000)
    parser.add_argument("--pause", type=float, default=10, help="between upload and request, seconds")
    parser.add_argument("--catalogue", type=Path, required=True, help="A catalogue that has been built.")
    chosen = parser.parse_args()
    print(machine_line())
    with tempfile.TemporaryDirectory(prefix="azimuth-big-") as folder, sync_playwright() as playwright:
        path = scene(Path(folder) / "survey.tif", chosen.side)
        print(f"{chosen.side:,} x {chosen.side:,} pixels, {path.stat().st_size / 1e6:.0f} MB")
        browser = playwright.chromium.launch(executable_path=str(find_chromium()), args=list(ARGUMENTS))
        home = Path(folder) / "home"
        home.mkdir()
        os.environ.setdefault("AZIMUTH_HOME", str(chosen.catalogue.parent))
        with running_app(home, chosen.catalogue) as server:
            tab = Browsers(browser).tab(server).open()
            use(tab, server, path, chosen.pause)
            tab.close()
        browser.close()


if __name__ == "__main__":
    main()
