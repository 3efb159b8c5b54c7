"""Puts a request to a fresh session and judges what comes of it.

`python -m tests.requests.runner [THEME …]` prints what is answered wrongly, on the sample that the tests use;
a theme may be one of `held_out/`.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from copilot import Session
from copilot.bench.standin import in_place
from copilot.engine import Engine, default_engine
from state.codec import to_json
from tests.requests.check import check
from tests.requests.records import FOLDER, HELD_OUT, Request, read_requests
from tests.requests.run import Run

TODAY = date(2024, 6, 15)
"""The clock of every request: relative dates are written for it."""

REAL_DATA = "real_data"
"""The theme whose requests ingest real files, named from the repository's root."""


class NoSample(Exception):
    """The sample catalogue has not been built."""


@dataclass(frozen=True)
class Verdict:
    """What did not hold for one request; nothing when it was answered rightly."""

    request: Request
    wrong: tuple[str, ...]

    def __str__(self) -> str:
        turns = " / ".join(self.request.turns)
        return "\n".join([f"{self.request.id}: {turns}", *(f"    {each}" for each in self.wrong)])


def sample_engine(folder: Path) -> Engine:
    """An engine on the sample, in a catalogue of its own that requests may add to. Raises NoSample."""
    sample = default_engine().catalogue_root
    if sample is None or not (sample / "fmow").is_dir():
        raise NoSample("The sample catalogue is not built; `make sample` builds it.")
    folder.mkdir()
    for dataset in sample.iterdir():
        if dataset.is_dir():
            (folder / dataset.name).symlink_to(dataset.resolve(), target_is_directory=True)
    return Engine.in_memory(str(folder), today=TODAY)


def plain(value: Any) -> Any:
    """The value as it comes back from the CLI: plain JSON."""
    return json.loads(json.dumps(value))


def run_request(request: Request, engine: Engine) -> Run:
    """Set the session up and ask every turn, the web's tools answered by the benchmark's stand-in.

    Raises AssertionError when the setup itself fails.
    """
    with in_place():
        return _run(request, engine)


def _run(request: Request, engine: Engine) -> Run:
    session = Session.open(name=request.id, engine=engine)
    for each in request.setup:
        event = session.call_tool(each["tool"], each["args"])
        assert event.ok, f"The setup of {request.id} failed: {event.text}"
    start = plain(to_json(session.state))
    return Run(start, tuple(plain(session.ask(turn).to_json()) for turn in request.turns))


def judge(request: Request, engine: Engine) -> Verdict:
    """One request's verdict. A turn that raises is a wrong answer, told with the error."""
    try:
        return Verdict(request, tuple(check(request.expect, run_request(request, engine))))
    except Exception as error:  # one crash must not hide the other requests' verdicts
        return Verdict(request, (f"it raised {error!r}",))


def judge_all(requests: Iterable[Request], folder: Path) -> list[Verdict]:
    """Every request's verdict, in order. Raises NoSample.

    What is ingested for the real data stays out of the other requests' catalogue: both lie in `folder`.
    """
    engines = {real: sample_engine(folder / ("real" if real else "sample")) for real in (False, True)}
    return [judge(each, engines[each.theme == REAL_DATA]) for each in requests]


def share_right(verdicts: Sequence[Verdict]) -> float:
    """The share answered rightly, 0 to 1."""
    return sum(not each.wrong for each in verdicts) / len(verdicts)


def report(verdicts: Sequence[Verdict]) -> str:
    """The failures, then a line a theme, then the whole."""
    asked = Counter(each.request.theme for each in verdicts)
    right = Counter(each.request.theme for each in verdicts if not each.wrong)
    lines = [str(each) for each in verdicts if each.wrong]
    lines += [f"{theme:28} {right[theme]:3} of {total:3}" for theme, total in sorted(asked.items())]
    return "\n".join([*lines, f"{'all':28} {right.total():3} of {asked.total():3}"])


def main(themes: Iterable[str]) -> None:
    """Print the report for these themes; for all but the held-out ones when none is named."""
    wanted = set(themes)
    requests = [*read_requests(FOLDER), *(read_requests(HELD_OUT) if wanted else ())]
    with tempfile.TemporaryDirectory() as folder:
        asked = [each for each in requests if not wanted or each.theme in wanted]
        print(report(judge_all(asked, Path(folder))))


if __name__ == "__main__":
    main(sys.argv[1:])
