"""How the app ends when it is told to (SIGTERM, Ctrl-C): within 10 s, whatever runs, with its children.

    leave_when_told(engine)      # once, from the main thread

What would hold the end up: answers and streams that the server waits for, a call in a thread that nobody can
stop, the workers of a scheduler that does not answer, and C code that holds the interpreter, in which no line
of Python runs. So, from the signal on: the streams end, files that are read and workers are ended at once;
after LEAVE_S this process ends itself; and after GONE_S a process beside it (`copilot.watcher`), which the
signal's own C code tells of it, ends it with its children. What was acknowledged is in the store, which is
made for that.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import FrameType
from typing import Any

from copilot.engine import Engine
from data.apart.pool import pool as readers

LEAVE_S = 4.0
GONE_S = 8.0
SIGNALS = (signal.SIGTERM, signal.SIGINT)
leaving = threading.Event()
"""Set when the app has been told to end: streams look at it."""
_WATCHER = Path(__file__).with_name("watcher.py")
_log = logging.getLogger(__name__)


def leave_when_told(engine: Engine) -> None:
    """From here on a signal ends the app in time. Does nothing outside of the main thread, as in tests."""
    if threading.current_thread() is not threading.main_thread():
        return
    before = {each: signal.getsignal(each) for each in SIGNALS}

    def told(number: int, frame: FrameType | None) -> None:
        if not leaving.is_set():
            leaving.set()
            for work in (readers.leave, engine.leave, lambda: _end_in_time(number)):
                threading.Thread(target=work, name="leaving", daemon=True).start()
        handler: Any = before[signal.Signals(number)]
        if callable(handler):
            handler(number, frame)

    for each in SIGNALS:
        signal.signal(each, told)
    _watch()


def _end_in_time(number: int) -> None:
    time.sleep(LEAVE_S)
    _log.warning("ended in the middle of what ran: it did not end within %.0f s", LEAVE_S)
    logging.shutdown()
    os._exit(128 + number)


def _watch() -> None:
    """Start the process that ends this one where it cannot: the signal's number reaches it from C."""
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)
    if signal.set_wakeup_fd(theirs, warn_on_full_buffer=False) != -1:
        _log.warning("something else is told of signals too, and is not any more")
    try:
        subprocess.Popen(
            [sys.executable, "-I", "-S", str(_WATCHER), str(os.getpid()), str(GONE_S)],
            stdin=ours,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        _log.exception("nobody watches that the app ends")
    finally:
        os.close(ours)
