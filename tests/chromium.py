"""Which browser the tests drive; `python tests/chromium.py` prints it and fails when there is none.

A system Chromium first. Ubuntu's is a snap, which cannot be driven from a container or a service, so
there (and on other systems) it is the build that playwright keeps inside the virtual environment.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

os.environ.setdefault("PLAYWRIGHT_BROWSERS_PATH", "0")  # inside the package, not in the home folder

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The one without a window first: it takes a third less of the processor."""
ARGUMENTS = (
    "--no-sandbox",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
    "--disable-gpu",
    "--disable-software-rasterizer",
)
"""Without the sandbox, which root cannot have, and with names that lead to this machine alone. That a browser
reaches nothing else is its own business then: to ask us about each of its requests makes it slow. And without
a graphics card played by the processor: nothing here draws with one."""


def find_chromium() -> Path | None:
    """The executable, or None where there is none."""
    for name in NAMES:
        found = shutil.which(name)
        if found and not is_snap(Path(found)):
            return Path(found)
    return playwright_chromium()


def is_snap(executable: Path) -> bool:
    """True for a link to snap itself, and for the small script that stands where a package was."""
    target = executable.resolve()
    if target.name == "snap" or target.is_relative_to("/snap"):
        return True
    with target.open("rb") as file:
        start = file.read(4096)
    return start.startswith(b"#!") and b"/snap/bin/" in start


def playwright_chromium() -> Path | None:
    """The Chromium that playwright has fetched."""
    import playwright

    browsers = Path(playwright.__file__).parent / "driver" / "package" / ".local-browsers"
    return next(iter(sorted(browsers.glob("chromium-*/chrome-linux*/chrome"))), None)


if __name__ == "__main__":
    chromium = find_chromium()
    print(chromium or "none")
    sys.exit(chromium is None)
