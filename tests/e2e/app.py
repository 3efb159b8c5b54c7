"""Start the whole app as a user would, and drive its page."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.request import urlopen

import psutil
from PIL import Image
from playwright.sync_api import Browser, FrameLocator, Locator, Page, expect

ROOT = Path(__file__).resolve().parents[2]
SLOW_MS = 45_000
"""How long the page may take on a machine that does ten other things; nothing here measures time."""


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


@contextmanager
def running_app(home: Path, catalogue: Path, **environment: str) -> Iterator[Server]:
    """The app on a free port, until the block ends."""
    encoded = Path(os.environ["AZIMUTH_HOME"]) / "remembered"
    if encoded.is_dir():  # what every home would compute again: the vectors of the tools and examples
        (home / "remembered").symlink_to(encoded, target_is_directory=True)
    server = Server(home, catalogue, environment)
    server.start()
    try:
        yield server
    finally:
        server.stop()


class Server:
    """The app's process."""

    def __init__(self, home: Path, catalogue: Path, environment: dict[str, str]) -> None:
        self.home, self.port = home, free_port()
        self.url = f"http://localhost:{self.port}"
        self.log = home / "app.log"
        self.environment = {
            **os.environ,
            "AZIMUTH_HOME": str(home),
            "AZIMUTH_CATALOGUE": str(catalogue),
            **environment,
        }

    def start(self) -> None:
        command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(self.port)]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*command, "--server.headless", "true"],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=log,
            )
        for _ in range(300):
            try:
                urlopen(f"{self.url}/api/health", timeout=2).close()
                return
            except OSError:
                assert self.process.poll() is None, self.log.read_text()[-3000:]
                time.sleep(0.1)
        raise AssertionError(f"The app did not start:\n{self.log.read_text()[-3000:]}")

    def kill(self) -> None:
        """kill -9, in the middle of whatever it does."""
        self.process.kill()
        self.process.wait()

    @contextmanager
    def held_worker(self, until: Callable[[], object]) -> Iterator[None]:
        """The worker goes on by little steps until `until`, then stands still until the block ends.

        So its job cannot end before the page has shown what it is doing, however slow the page is.
        """
        worker = self._worker()
        worker.suspend()
        try:
            ends = time.monotonic() + SLOW_MS / 1000
            while not until():
                assert time.monotonic() < ends, "the worker's job did not come so far"
                worker.resume()
                time.sleep(0.1)
                worker.suspend()
                time.sleep(1)
            yield
        finally:
            worker.resume()

    def _worker(self) -> psutil.Process:
        """The worker process, as soon as there is one: the page shows a job before it is started."""
        ends = time.monotonic() + SLOW_MS / 1000
        while True:
            for each in psutil.Process(self.process.pid).children(recursive=True):
                with suppress(psutil.NoSuchProcess):
                    if "copilot.worker.process" in each.cmdline():
                        return each
            assert time.monotonic() < ends, "no worker process was started"
            time.sleep(0.1)

    def told_to_stop(self) -> int:
        """How many jobs were told to stop."""
        return len(list(self.home.glob("jobs/*/stop")))

    def wait_until_told_to_stop(self, beyond: int = 0) -> None:
        """Until one more job was told to stop: a click is back before the server has heard of it."""
        ends = time.monotonic() + SLOW_MS / 1000
        while self.told_to_stop() <= beyond:
            assert time.monotonic() < ends, "no job was told to stop"
            time.sleep(0.1)

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.kill()


class Tab:
    """One tab of a browser on the app; nothing but this machine can be reached from it."""

    def __init__(self, browser: Browser, server: Server, **options: object) -> None:
        self.server = server
        self.context = browser.new_context(**{"viewport": {"width": 1440, "height": 900}, **options})  # type: ignore[arg-type]
        self.outside: list[str] = []
        self.errors: list[str] = []
        self.context.route(re.compile(r"^(?!data:|blob:).*"), self._local_only)
        self.page = self._new_page()

    def _new_page(self) -> Page:
        page = self.context.new_page()
        page.set_default_timeout(SLOW_MS)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        return page

    def _local_only(self, route: object) -> None:
        url = route.request.url  # type: ignore[attr-defined]
        if url.startswith((self.server.url, self.server.url.replace("http", "ws", 1))):
            route.continue_()  # type: ignore[attr-defined]
        else:
            self.outside.append(url)
            route.abort()  # type: ignore[attr-defined]

    def open(self, path: str = "/") -> Tab:
        self.page.goto(self.server.url + path)
        self.map.locator("#map_div[data-version]").wait_for(timeout=SLOW_MS)
        return self

    def beside(self) -> Tab:
        """A second tab of the same browser."""
        other = object.__new__(Tab)
        other.__dict__ = {**self.__dict__}
        other.page = self._new_page()
        return other

    @property
    def map(self) -> FrameLocator:
        return self.page.frame_locator("iframe[title='streamlit_folium.st_folium']")

    @property
    def session(self) -> str:
        return self.page.url.split("session=")[1].split("&")[0]

    def ask(self, text: str) -> Locator:
        """Send a request and wait for its reply; the turn's card."""
        before = self.page.locator("article.az-turn").count()
        self.send(text)
        card = self.page.locator("article.az-turn").nth(before)
        expect(card.locator(".az-reply")).to_be_visible(timeout=SLOW_MS)
        return card

    def send(self, text: str) -> None:
        box = self.page.get_by_test_id("stChatInputTextArea")
        box.fill(text)
        box.press("Enter")

    def expect_chips(self, *texts: str) -> None:
        """The selection's parts, each beginning so, in this order and no others."""
        wanted = [re.compile(rf"^\s*{re.escape(text)}.*✕") for text in texts]
        expect(self.page.locator(".st-key-chips button:visible")).to_have_text(wanted, timeout=SLOW_MS)

    def wait_for_chip(self, text: str) -> None:
        expect(self.page.locator(".st-key-chips").get_by_text(text).first).to_be_visible(timeout=SLOW_MS)

    def count(self) -> Locator:
        return self.page.locator(".st-key-count")

    def panel(self, name: str) -> Locator:
        """Open a panel."""
        self.page.locator(".st-key-panels").get_by_role("radio", name=name, exact=True).click()
        return self.page.locator(".st-key-panel_body")

    def body(self) -> Locator:
        return self.page.locator(".st-key-panel_body")

    def go(self, name: str) -> None:
        """Go to a page by its link; click again where a rerun that was under way took the click with it."""
        path = re.compile(rf"/{name.lower()}\b")
        for _ in range(3):
            self.page.locator(".st-key-nav").get_by_text(name, exact=True).click()
            try:
                expect(self.page).to_have_url(path, timeout=SLOW_MS / 4)
                return
            except AssertionError:
                continue
        expect(self.page).to_have_url(path)

    def call(self, tool: str, **args: object) -> None:
        """Make one call as the map does, and wait until the map shows what it led to."""
        frame = next(each for each in self.page.frames if "streamlit_folium" in each.url)
        said = frame.evaluate(
            """async ([tool, args]) => {
                const headers = { "Content-Type": "application/json", "X-Azimuth": "1" };
                const asked = { method: "POST", headers, body: JSON.stringify({ tool, args }) };
                const answer = await fetch(azimuth.base + "/calls", asked);
                azimuth.refresh();
                const seen = await (await fetch(azimuth.base + "/view")).json();
                while (azimuth.version !== seen.version) await new Promise((done) => setTimeout(done, 30));
                return [answer.status, await answer.text()];
            }""",
            [tool, args],
        )
        assert said[0] == 200 and '"ok":true' in said[1], said

    def add_file(self, path: Path, **args: object) -> None:
        """Upload a file as this browser, and bring it into the session."""
        answer = self.page.request.put(
            f"{self.server.url}/api/uploads/{path.name}", data=path.read_bytes(), headers={"X-Azimuth": "1"}
        )
        assert answer.ok, answer.text()
        self.call("add_file", file=answer.json()["name"], **args)

    def see(self, script: str) -> object:
        """A value out of the map: `azimuth` is our part of it."""
        frame = next(each for each in self.page.frames if "streamlit_folium" in each.url)
        return frame.evaluate(script)

    def wait_until(self, script: str) -> None:
        """Wait until that is true in the map; a promise, true to `wait_for_function`, is awaited."""
        ends = time.monotonic() + SLOW_MS / 1000
        while not self.see(script):
            assert time.monotonic() < ends, f"not within {SLOW_MS / 1000:g} s: {script}"
            self.page.wait_for_timeout(50)

    def shot(self, folder: Path, name: str) -> None:
        """Take a picture where pictures are wanted (`make screenshots`), and make it small.

        Nothing compares pictures, so a run of the tests takes none.
        """
        if "AZIMUTH_SCREENSHOTS" not in os.environ:
            return
        png = folder / f"{name}.png"
        self.page.wait_for_timeout(1500)  # tiles, fades and fonts
        self.page.screenshot(path=png)
        with Image.open(png) as picture:
            picture.convert("RGB").save(png, optimize=True)

    def close(self) -> None:
        self.context.close()
        assert self.outside == []
        assert self.errors == []
