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
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import urlopen

import psutil
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Error, FrameLocator, Locator, Page, Request, expect

from tests.suite.waiting import LIMIT_S, Seen, wait_until

ROOT = Path(__file__).resolve().parents[2]
SLOW_MS = LIMIT_S * 1000
"""How long the page may take; nothing here measures time."""
expect.set_options(timeout=SLOW_MS)
MAP = "iframe[title='streamlit_folium.st_folium']"
ONCE = ("remembered", "rendered")
"""What every home would make again and the same: vectors of texts, and pictures of the sample's records."""


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


@contextmanager
def running_app(home: Path, catalogue: Path, **environment: str) -> Iterator[Server]:
    """The app on a free port, until the block ends."""
    for name in ONCE:
        (Path(os.environ["AZIMUTH_HOME"]) / name).mkdir(parents=True, exist_ok=True)
        (home / name).symlink_to(Path(os.environ["AZIMUTH_HOME"]) / name, target_is_directory=True)
    server = Server(home, catalogue, environment)
    server.start()
    try:
        yield server
    finally:
        server.stop()


MOVES = """(() => {
    const { map, layers, moving } = azimuth;
    if (moving || map._animatingZoom || map._panAnim?._inProgress) return "the camera";
    const pictures = ["raster", "drawing"];
    const there = ({ view }) => !view.visible || view.objects || pictures.includes(view.kind);
    const short = [...layers.values()].find((each) => !there(each) && !each.covers());
    if (short) return `the layer ${short.view.id} ${short.note || ""}`;
    const tiles = [...document.querySelectorAll("img.leaflet-tile")];
    const coming = tiles.find((each) => each.src && !each.complete);
    if (coming) return "the tile " + coming.src;
    const runs = document.getAnimations().find((each) => each.playState === "running");
    if (runs) return "the animation of " + runs.effect?.target?.outerHTML;
    return document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => done(""))));
})()"""
"""What on the map is still on its way; nothing where it stands."""

PIXELS = "(image) => image.complete && image.naturalWidth > 50"


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
        wait_until(self._answers, "the app")

    def _answers(self) -> bool:
        assert self.process.poll() is None, self.log.read_text()[-3000:]
        try:
            urlopen(f"{self.url}/api/health", timeout=2).close()
        except OSError:
            return False
        return True

    def kill(self) -> None:
        """kill -9, in the middle of whatever it does."""
        self.process.kill()
        self.process.wait()

    @contextmanager
    def held_worker(self, until: Callable[[], object]) -> Iterator[None]:
        """The worker goes on by little steps until `until`, then stands still until the block ends.

        So its job cannot end before the page has shown what it is doing, however slow the page is.
        """
        worker = wait_until(self._worker, "the worker process")
        assert worker is not None
        worker.suspend()

        def a_step_on() -> bool:
            if until():
                return True
            worker.resume()
            time.sleep(0.1)
            worker.suspend()
            return False

        try:
            wait_until(a_step_on, "the worker's job")
            yield
        finally:
            worker.resume()

    def _worker(self) -> psutil.Process | None:
        """The worker process, once there is one: the page shows a job before it is started."""
        for each in psutil.Process(self.process.pid).children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                if "copilot.worker.process" in each.cmdline():
                    return each
        return None

    def told_to_stop(self) -> int:
        """How many jobs were told to stop."""
        return len(list(self.home.glob("jobs/*/stop")))

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.kill()


class Tab:
    """One tab of a browser on the app; what asks for another machine is noted, and does not come there."""

    def __init__(self, context: BrowserContext, server: Server) -> None:
        self.server, self.context = server, context
        self.outside: list[str] = []
        self.errors: list[str] = []
        self.broken = False
        context.clear_cookies()  # somebody else's browser, which has kept the page's scripts
        context.on("request", self._look_where)
        self.page = self._new_page()

    def _new_page(self) -> Page:
        page = self.context.new_page()
        page.set_default_timeout(SLOW_MS)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        return page

    def _look_where(self, request: Request) -> None:
        if not request.url.startswith((self.server.url, "data:", "blob:")):
            self.outside.append(request.url)

    def open(self, path: str = "/") -> Tab:
        self.page.goto(self.server.url + path)
        self.map.locator("#map_div[data-version]").wait_for()
        return self

    def beside(self) -> Tab:
        """A second tab of the same browser."""
        other = object.__new__(Tab)
        other.__dict__ = {**self.__dict__}
        other.page = self._new_page()
        return other

    @property
    def map(self) -> FrameLocator:
        return self.page.frame_locator(MAP)

    @property
    def session(self) -> str:
        return self.page.url.split("session=")[1].split("&")[0]

    def ask(self, text: str) -> Locator:
        """Send a request and wait for its reply; the turn's card."""
        before = self.page.locator("article.az-turn").count()
        self.send(text)
        card = self.page.locator("article.az-turn").nth(before)
        expect(card.locator(".az-reply")).to_be_visible()
        return card

    def send(self, text: str) -> None:
        box = self.page.get_by_test_id("stChatInputTextArea")
        box.fill(text)
        box.press("Enter")

    def expect_chips(self, *texts: str) -> None:
        """The selection's parts, each beginning so, in this order and no others."""
        wanted = [re.compile(rf"^\s*{re.escape(text)}.*✕") for text in texts]
        expect(self.page.locator(".st-key-chips button:visible")).to_have_text(wanted)

    def wait_for_chip(self, text: str) -> None:
        expect(self.page.locator(".st-key-chips").get_by_text(text).first).to_be_visible()

    def count(self) -> Locator:
        return self.page.locator(".st-key-count")

    def selected(self) -> int:
        """How many images or features the page says are selected; -1 while it says nothing."""
        found = re.match(r"[\d,]+", self.count().inner_text())
        return int(found[0].replace(",", "")) if found else -1

    def panel(self, name: str) -> Locator:
        """Open a panel, and wait until it is drawn; again where a rerun took the click."""
        radios = self.page.locator(".st-key-panels").get_by_role("radio")
        button = self.page.locator(".st-key-panels").get_by_role("radio", name=name, exact=True)

        def opened() -> bool:
            self.settle()
            if button.get_attribute("aria-checked") != "true":
                button.click()
            return self._within(lambda each: expect(button).to_be_checked(timeout=each))

        wait_until(opened, f"the panel {name}")
        number = [each.inner_text().strip() for each in radios.all()].index(name)
        body = self.page.locator(f".st-key-panel_body_{number}")
        body.wait_for()
        return body

    def body(self) -> Locator:
        return self.page.locator("[class*='st-key-panel_body_']")

    def settle(self) -> None:
        """Wait until no script runs: a rerun under way takes a click with it, or closes an open list."""
        expect(self.page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")

    def go(self, name: str) -> None:
        """Go to a page by its link in the header, in the page's language."""
        link = self.page.locator(".st-key-nav").get_by_role("link", name=name, exact=True)
        path = urlsplit(link.get_attribute("href") or "").path
        here = re.compile(rf"/{re.escape(path)}([?#]|$)")

        def there() -> bool:
            self.settle()
            link.click()
            return self._within(lambda each: expect(self.page).to_have_url(here, timeout=each))

        wait_until(there, f"the page {name}")

    def press(self, button: Locator, leads_to: Locator | Callable[[], object]) -> None:
        """Click what leads to something, on the page or elsewhere; again where a rerun took the click."""
        there = leads_to.is_visible if isinstance(leads_to, Locator) else leads_to

        def led() -> bool:
            self.settle()
            if not there():
                with suppress(Error):  # it has just been drawn anew
                    button.click(timeout=SLOW_MS / 12)
            ends = time.monotonic() + LIMIT_S / 12
            while not there() and time.monotonic() < ends:
                self.page.wait_for_timeout(50)
            return bool(there())

        wait_until(led, "what a click leads to")

    def pick(self, box: Locator, option: str) -> None:
        """Open a list and pick one of its options; again where a rerun has closed it."""
        wanted = self.page.get_by_role("option", name=option, exact=True)

        def picked() -> bool:
            self.settle()
            box.click()
            return self._within(lambda each: wanted.click(timeout=each))

        wait_until(picked, f"the option {option}")

    @staticmethod
    def _within(act: Callable[[float], None]) -> bool:
        """Whether it was done in the time that a rerun takes."""
        try:
            act(SLOW_MS / 12)
        except (AssertionError, Error):
            return False
        return True

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

    def stand(self) -> None:
        """Wait until the map is where it goes, and all that is in sight is there: features, tiles, fonts."""
        self.settle()
        self.expect_same(lambda: self.see(MOVES), "")

    def see(self, script: str) -> object:
        """A value out of the map: `azimuth` is our part of it."""
        frame = next(each for each in self.page.frames if "streamlit_folium" in each.url)
        return frame.evaluate(script)

    def wait_until(self, script: str) -> None:
        """Wait until that is true in the map; a promise, true to `wait_for_function`, is awaited."""
        self.wait_for(lambda: self.see(script), script)

    def expect_same(self, seen: Callable[[], object], wanted: object) -> None:
        """Wait until what is seen of the page is this; what is read once may be what was there before."""
        ends = time.monotonic() + LIMIT_S
        while (found := seen()) != wanted:
            assert time.monotonic() < ends, f"after {LIMIT_S:g} s: {found!r}, not {wanted!r}"
            self.page.wait_for_timeout(50)

    def expect_picture(self, picture: Locator) -> None:
        """Wait until a picture is there with its pixels: its place is visible before them."""
        self.wait_for(lambda: picture.evaluate(PIXELS), "a picture's pixels")

    def wait_for(self, seen: Callable[[], Seen], what: str) -> Seen:
        """Wait until something true is seen of the page, which goes on meanwhile, and give that."""
        ends = time.monotonic() + LIMIT_S
        while not (found := seen()):
            assert time.monotonic() < ends, f"not within {LIMIT_S:g} s: {what}"
            self.page.wait_for_timeout(50)
        return found

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

    def new_session(self) -> None:
        """Begin anew in the page that is open, as one does by the session's menu."""
        left = self.session
        button = self.page.get_by_role("button", name="New session")
        self.press(self.page.locator(".st-key-session_menu button").first, leads_to=button)
        button.click()
        self.wait_for(lambda: self.session != left, "the new session")
        self.page.keyboard.press("Escape")
        expect(button).to_be_hidden()
        # Escape gives the menu the focus, and with it a tip that would lie over what is clicked next.
        self.page.evaluate("document.activeElement.blur()")
        if urlsplit(self.page.url).path != "/":
            self.go("Map")
        self.settle()
        expect(self.page.locator(MAP)).to_have_count(1)  # the map of the session that was left has gone
        self.map.locator("#map_div[data-version]").wait_for()

    def judge(self) -> None:
        """Nothing may have gone outside or failed since this was last asked."""
        outside, errors = [*self.outside], [*self.errors]
        self.outside.clear()
        self.errors.clear()
        assert not outside, outside
        assert not errors, errors

    def close(self) -> None:
        """Leave nothing behind in the browser."""
        self.context.remove_listener("request", self._look_where)
        for page in self.context.pages:
            if page.url.startswith(self.server.url):
                with suppress(Error):  # it is on its way to another page
                    page.evaluate("localStorage.clear()")
            page.close()


@dataclass
class Kept:
    """A browser with these options, and the page that stays open in it between tests."""

    options: dict[str, object]
    context: BrowserContext
    tab: Tab | None = None
    used: bool = False


class Browsers:
    """The browsers of the tests. A browser that is used again has kept what it fetched of the page.

    They ask for reduced motion but where a test says otherwise: to draw flights takes a fifth of a journey.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._kept: list[Kept] = []

    @contextmanager
    def stranger(self, server: Server, **options: object) -> Iterator[Tab]:
        """A tab, not yet open, of a browser that has never been on the app; closed at the end."""
        with self._free(options, lambda each: each.tab is None) as kept:
            tab = Tab(kept.context, server)
            try:
                yield tab
            finally:
                tab.close()
            tab.judge()

    @contextmanager
    def visitor(self, server: Server, **options: object) -> Iterator[Tab]:
        """A tab on a new session in a page that stays open: what costs most is to load the page.

        The page of a test that failed is closed: nobody knows what it shows then.
        """
        with self._free(options, lambda each: each.tab is not None and each.tab.server is server) as kept:
            tab, kept.tab = kept.tab, None
            if tab is None:
                tab = Tab(kept.context, server).open()
            else:
                tab.new_session()
            yield tab
            if tab.broken:
                tab.close()
                return
            for page in kept.context.pages:
                if page is not tab.page:
                    page.close()
            kept.tab = tab
            tab.judge()

    @contextmanager
    def _free(self, options: dict[str, object], fits: Callable[[Kept], bool]) -> Iterator[Kept]:
        """A free browser with these options: one that fits, else one without a page, else a new one."""
        free = [each for each in self._kept if not each.used and each.options == options]
        found = next((each for each in free if fits(each)), None)
        found = found or next((each for each in free if each.tab is None), None)
        if found is None:
            settings = {"viewport": {"width": 1440, "height": 900}, "reduced_motion": "reduce", **options}
            found = Kept(options, self._browser.new_context(**settings))  # type: ignore[arg-type]
            self._kept.append(found)
        found.used = True
        try:
            yield found
        finally:
            found.used = False

    def leave(self, server: Server) -> None:
        """Close the pages on a server that ends."""
        for each in self._kept:
            if each.tab is not None and each.tab.server is server:
                each.tab.close()
                each.tab = None

    def close(self) -> None:
        """Close all of them."""
        for each in self._kept:
            each.context.close()
