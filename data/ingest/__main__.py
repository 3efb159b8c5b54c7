"""python -m data.ingest SOURCE --root DIR [--name N] [--format F] [--append] [--replace]"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from data.apart.reader import Reader
from data.ingest import IngestReport, UnreadableSource, ingest
from data.readers import READERS


def main() -> int:
    """Read the arguments, ingest, print the report; 1 when the source cannot be used."""
    parser = argparse.ArgumentParser(
        prog="python -m data.ingest", description="Read a file or a folder into a catalogue."
    )
    parser.add_argument("source", type=Path)
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--name")
    parser.add_argument("--format", choices=[reader.name for reader in READERS])
    parser.add_argument("--append", action="store_true")
    parser.add_argument("--replace", action="store_true")
    given = parser.parse_args()
    console = Console(stderr=True)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description} {task.completed:,.0f} rows"),
        TimeElapsedColumn(),
    )
    try:
        with Progress(*columns, console=console) as bar:
            task = bar.add_task("reading")
            report = ingest(
                given.root,
                given.source,
                name=given.name,
                format=given.format,
                append=given.append,
                replace=given.replace,
                progress=lambda rows, doing: bar.update(task, completed=rows, description=doing),
                apart=Reader(patient=True),
            )
    except UnreadableSource as error:
        console.print(str(error), markup=False)
        return 1
    _print(report)
    return 0


def _print(report: IngestReport) -> None:
    info = report.dataset
    print(
        f"{info.name}: {report.images:,} rows and {report.detections:,} detections "
        f"as {report.format}, {report.seconds:.1f} s"
    )
    print(
        f"version {info.version}, {len(info.classes)} classes, "
        f"{info.start or '?'} to {info.end or '?'}, bbox {info.bbox}"
    )
    for reason, count in report.reasons[:20]:
        print(f"rejected {count:,}: {reason}")
    for reason, count in report.notes[:20]:
        print(f"noted {count:,}: {reason}")


if __name__ == "__main__":
    sys.exit(main())
