"""Thousands of detections on the map: `python -m benches.vision_many_detections --catalogue FOLDER`.

The scene and its objects are rendered (no imagery): what is measured is the page, and not a detector. The
objects become detections as a detector's do, with scores from a seed; the app is open in a real browser. A
time ends when the browser has drawn: at the second frame after the map says that it has changed.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
import psutil
import rasterio
from affine import Affine
from playwright.sync_api import Frame, Position, expect, sync_playwright

from benches.machine import machine_line
from copilot.engine import Engine
from copilot.session import Session
from data.scenes import render
from data.vision.detections import Detection, features
from state.model import State
from tests.chromium import ARGUMENTS, find_chromium
from tests.e2e.app import Browsers, Server, Tab, running_app
from tools.artifacts import Call
from tools.base import Step, World, tool
from tools.detections import detections_step
from tools.rasters import RasterHandle, raster_of
from tools.toolbox import Toolbox

BLOCK_PX, BLOCKS, GSD_M = 512, 6, 0.4
THEMES = ("marina", "parking", "town", "marina", "parking", "airport", "parking", "depot")
PATIENCE_MS = 120_000
FOUND: list[Detection] = []
"""What the rendered scene holds."""
SET = "[...azimuth.layers.values()].find((each) => each.objects).objects"
DRAWN = "await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));"
SHOWN = f"""async (count) => {{
  const began = performance.now();
  azimuth.refresh();
  const shown = () => document.querySelector(".az-objects")?.dataset.shown === String(count);
  while (!shown()) await new Promise((go) => setTimeout(go, 4));
  {DRAWN}
  return performance.now() - began;
}}"""
JUMP = f"""async ([x, y, zoom]) => {{
  const set = {SET};
  window.box ||= L.latLngBounds([...set.items.values()].map((each) => each.bounds.getCenter()));
  const along = (least, most, share) => least + share * (most - least);
  const spot = [along(box.getSouth(), box.getNorth(), y), along(box.getWest(), box.getEast(), x)];
  await new Promise((go) => setTimeout(go, 120));
  const began = performance.now();
  azimuth.map.setView(spot, zoom, {{ animate: false }});
  {DRAWN}
  return performance.now() - began;
}}"""
FILTER = f"""async ([label, value]) => {{
  const control = document.querySelector(`[aria-label="${{label}}"]`);
  await new Promise((go) => setTimeout(go, 120));
  const began = performance.now();
  if (value === null) control.querySelector("button").click();
  else {{
    control.value = value;
    control.dispatchEvent(new Event(control.tagName === "SELECT" ? "change" : "input"));
  }}
  {DRAWN}
  return performance.now() - began;
}}"""
POINT = f"""() => {{
  const near = azimuth.map.getBounds().pad(-0.35);
  const item = [...{SET}.items.values()].find((each) => near.contains(each.bounds.getCenter()));
  if (!item) return null;
  const spot = azimuth.map.latLngToContainerPoint(item.bounds.getCenter());
  return [spot.x, spot.y];
}}"""
FRAMES = """() => {
  window.gaps = [];
  let before = performance.now();
  const look = (now) => {
    if (!window.gaps) return;
    gaps.push(now - before);
    before = now;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""
CHIP = """() => {
  const chip = document.querySelector(".az-card-chip");
  return chip && chip.complete && chip.naturalWidth > 0;
}"""


@tool("vision", changes_state=True, needs=("raster",), gives=("detections",))
def rendered_objects(state: State, world: World, *, image: RasterHandle, most: int = 1_000_000) -> Step:
    """Take the objects of a rendered scene for detections, with scores from a seed.

    Example: copilot call rendered_objects image=newest

    Asked as: nobody asks for it
    """
    raster = raster_of(state, world, image)
    found = FOUND[:most]
    frame = features(found, raster.path, model="rendered", source=raster.handle)
    said = f"{len(frame):,} rendered objects in {raster.name}."
    call = Call.of(rendered_objects, image=raster.handle, most=most)
    facts = {"by_class": dict(Counter(each.class_name for each in found)), "model": "rendered"}
    return detections_step(
        state, world, call, [raster], frame, name=f"Objects in {raster.name}", said=said, **facts
    )


class Beside(Engine):
    """The app's own home, seen by this process: its sessions, and the one tool of this module."""

    @property
    def toolbox(self) -> Toolbox:
        """That tool."""
        return Toolbox((rendered_objects,))


def scene(path: Path, count: int) -> Path:
    """A GeoTIFF of rendered blocks, in UTM; the `count` likeliest of its objects are in FOUND."""
    made = [render(800_000 + at, "optical", BLOCK_PX, GSD_M, theme=theme) for at, theme in enumerate(THEMES)]
    side, rng = BLOCK_PX * BLOCKS, np.random.default_rng(0)
    profile = {
        "driver": "GTiff", "width": side, "height": side, "count": 3, "dtype": "uint8", "tiled": True,
        "crs": "EPSG:32631", "transform": Affine(GSD_M, 0, 600_000, 0, -GSD_M, 5_760_000),
        "compress": "jpeg", "jpeg_quality": 90, "photometric": "ycbcr", "interleave": "pixel",
    }  # fmt: skip
    with rasterio.open(path, "w", **profile) as target:
        for at in range(BLOCKS * BLOCKS):
            block, (down, across) = made[at % len(made)], divmod(at, BLOCKS)
            corner = np.array([across * BLOCK_PX, down * BLOCK_PX], dtype=float)
            window = ((corner[1], corner[1] + BLOCK_PX), (corner[0], corner[0] + BLOCK_PX))
            target.write(block.pixels, window=window)
            FOUND.extend(
                Detection(each.outline + corner, each.class_name, float(score))
                for each, score in zip(block.objects, rng.beta(3, 1.5, len(block.objects)), strict=True)
            )
    FOUND.sort(key=lambda each: -each.score)
    if len(FOUND) < count:
        raise SystemExit(f"The scene holds {len(FOUND):,} objects; ask for no more than that.")
    del FOUND[count:]
    return path


def cpu_s() -> float:
    """What all processes of the browser and of the app have computed so far, seconds."""
    used = 0.0
    for each in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            times = each.cpu_times()
            used += times.user + times.system
    return used


def told(what: str, act: Callable[[], list[float]]) -> None:
    """A line of the table."""
    before = cpu_s()
    taken_ms = act()
    computed_ms = (cpu_s() - before) * 1000 / len(taken_ms)
    middle, most = np.percentile(taken_ms, 50), np.max(taken_ms)
    print(
        f"| {what} | {middle:,.0f} ms | {most:,.0f} ms | {computed_ms:,.0f} ms | {len(taken_ms)} |",
        flush=True,
    )


def timed(act: Callable[[], object], until: Callable[[], object]) -> float:
    """How long it takes from before `act` until `until` returns, milliseconds."""
    began = time.perf_counter()
    act()
    until()
    return (time.perf_counter() - began) * 1000


def frame_of(tab: Tab) -> Frame:
    """The map's frame."""
    return next(each for each in tab.page.frames if "streamlit_folium" in each.url)


def on_the_map(tab: Tab, count: int, runs: int) -> None:
    """Drawing, moving and filtering: what happens without the session."""
    box = tab.map.locator(".az-objects")
    told("the session has them until all are drawn", lambda: [float(frame_of(tab).evaluate(SHOWN, count))])
    told(
        "page opened anew: map there until all are drawn",
        lambda: [opened_anew(tab, count) for _ in range(max(2, runs // 4))],
    )
    frame, rng = frame_of(tab), np.random.default_rng(1)
    for what, zooms in (("all in view", (15, 15.9)), ("nearer", (16, 20))):
        views = [
            [*rng.uniform(0.3, 0.7, 2).tolist(), int(rng.integers(*np.ceil(zooms)))] for _ in range(runs)
        ]
        told(f"a jump of the map, {what}", lambda: [float(frame.evaluate(JUMP, each)) for each in views])  # noqa: B023
    frame.evaluate(JUMP, [0.5, 0.5, 15])
    told("dragging with all in view: time between frames", lambda: dragged(tab))
    for label, values in (
        ("Least score shown", [f"{each:.2f}" for each in rng.uniform(0.1, 0.9, runs)] + ["0"]),
        ("Verdicts shown", ["confirmed", "unreviewed"] * (runs // 2) + ["all"]),
        ("Classes shown", [None] * (runs // 2 * 2)),
    ):
        told(
            f"filter: {label.lower()}",
            lambda: [float(frame.evaluate(FILTER, [label, each])) for each in values],  # noqa: B023
        )
    expect(box).to_have_attribute("data-shown", str(count))


def opened_anew(tab: Tab, count: int) -> float:
    """How long after the map stands again all are drawn."""
    tab.page.reload()
    tab.map.locator("#map_div[data-version]").wait_for()
    shown = f"() => document.querySelector('.az-objects')?.dataset.shown === '{count}'"
    return timed(lambda: None, lambda: frame_of(tab).wait_for_function(shown, polling=4))


def dragged(tab: Tab) -> list[float]:
    """The times between the frames while the map is dragged to and fro."""
    frame, area = frame_of(tab), tab.map.locator("#map_div").bounding_box()
    assert area is not None
    x, y = area["x"] + area["width"] / 2, area["y"] + area["height"] / 2
    frame.evaluate(FRAMES)
    tab.page.mouse.move(x, y)
    for by in (160, -160, 160):
        tab.page.mouse.down()
        tab.page.mouse.move(x + by, y + by / 3, steps=25)
        tab.page.mouse.up()
        tab.page.mouse.move(x, y)
        tab.page.wait_for_timeout(300)
    return [float(each) for each in frame.evaluate("() => { const said = gaps; gaps = null; return said; }")]


def with_the_session(tab: Tab, runs: int) -> None:
    """A click until the chip is seen, and verdicts by key."""
    frame, rng = frame_of(tab), np.random.default_rng(2)
    told("a click until its chip is seen", lambda: [clicked(tab, rng) for _ in range(runs)])
    tab.map.locator(".az-objects-go").click()
    told(
        "a verdict by key until the next is open",
        lambda: [judged(tab, key) for key in ("c", "r") * (runs // 2)],
    )
    kept = f"() => {SET}.waiting.size === 0"
    told(
        "… until the session has the last of them",
        lambda: [timed(lambda: None, lambda: frame.wait_for_function(kept, timeout=PATIENCE_MS))],
    )


def clicked(tab: Tab, rng: np.random.Generator) -> float:
    """One click on a detection somewhere."""
    frame, spot = frame_of(tab), None
    while spot is None:
        frame.evaluate(JUMP, [*rng.uniform(0.2, 0.8, 2).tolist(), 18])
        spot = frame.evaluate(POINT)
    place = Position(x=float(spot[0]), y=float(spot[1]))
    taken = timed(
        lambda: tab.map.locator("#map_div").click(position=place),
        lambda: frame.wait_for_function(CHIP, polling=4),
    )
    tab.page.keyboard.press("Escape")
    expect(tab.map.locator(".az-card")).to_have_count(0)
    return taken


def judged(tab: Tab, key: str) -> float:
    """One verdict by key."""
    before = tab.map.locator(".az-card").get_attribute("data-detection")
    changed = f"() => document.querySelector('.az-card')?.dataset.detection !== '{before}'"
    return timed(
        lambda: tab.page.keyboard.press(key), lambda: frame_of(tab).wait_for_function(changed, polling=4)
    )


def on_the_page(tab: Tab, count: int) -> None:
    """The Imagery page with its picture and its table."""
    viewer = tab.page.frame_locator(".st-key-viewer iframe")
    nav = tab.page.locator(".st-key-nav").get_by_text("Imagery", exact=True)
    drawn = partial(
        expect(viewer.locator(".az-objects")).to_have_attribute, "data-shown", str(count), timeout=PATIENCE_MS
    )
    told("the Imagery page is opened until all are in the picture", lambda: [timed(nav.click, drawn)])
    table = tab.page.locator(".st-key-imagery [data-testid=stDataFrame]").first
    told(
        "… until the table is there",
        lambda: [timed(lambda: None, lambda: table.wait_for(timeout=PATIENCE_MS))],
    )


def use(tab: Tab, server: Server, path: Path, catalogue: Path, runs: int) -> None:
    """The story, a line for each of its figures."""
    tab.page.get_by_label("Files to upload").set_input_files(str(path))
    expect(tab.page.locator(".az-upload")).to_contain_text("a GeoTIFF of 3 bands", timeout=PATIENCE_MS)
    tab.page.wait_for_timeout(3000)
    session = Session.open(tab.session, engine=Beside(server.home, catalogue_url=str(catalogue)))
    (image,) = (each.id for each in session.state.artifacts if each.kind == "raster")
    # The app has shown some before, as one has whose own process made them.
    session.call("rendered_objects", image=image, most=10)
    frame_of(tab).evaluate(SHOWN, 10)
    tab.call("undo")  # by the page: this process has one tool
    session.refresh()
    tab.page.reload()
    tab.map.locator("#map_div[data-version]").wait_for()
    tab.page.wait_for_timeout(5000)
    began = time.perf_counter()
    event = session.call("rendered_objects", image=image)
    if not event.ok:
        raise SystemExit(event.text)
    by_class = ", ".join(f"{name} {n:,}" for name, n in event.data["by_class"].items())
    print(f"{event.text} {by_class}; the call took {(time.perf_counter() - began) * 1000:,.0f} ms\n")
    print("| what | median | slowest | computing, each | n |\n|---|---|---|---|---|")
    on_the_map(tab, len(FOUND), runs)
    with_the_session(tab, runs)
    on_the_page(tab, len(FOUND))


def main() -> None:
    """Make the scene, start the app and use it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--runs", type=int, default=16)
    parser.add_argument("--catalogue", type=Path, required=True, help="A catalogue that has been built.")
    chosen = parser.parse_args()
    print(machine_line())
    with tempfile.TemporaryDirectory(prefix="azimuth-many-") as folder, sync_playwright() as playwright:
        path = scene(Path(folder) / "rendered.tif", chosen.count)
        browser = playwright.chromium.launch(executable_path=str(find_chromium()), args=list(ARGUMENTS))
        home = Path(folder) / "home"
        home.mkdir()
        os.environ.setdefault("AZIMUTH_HOME", str(chosen.catalogue.parent))
        with running_app(home, chosen.catalogue) as server:
            tab = Browsers(browser).tab(server, reduced_motion="reduce").open()
            use(tab, server, path, chosen.catalogue, chosen.runs)
            tab.close()
        browser.close()


if __name__ == "__main__":
    main()
