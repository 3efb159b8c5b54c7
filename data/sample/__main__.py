"""`python -m data.sample DIR [--scale S]`: build the sample catalogue, with a progress bar."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from data.catalogue.base import CatalogueError
from data.sample.build import SIZES, build


def main() -> int:
    """Build, and say where; 2 and a sentence when the arguments cannot be met."""
    parser = argparse.ArgumentParser(prog="python -m data.sample", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the catalogue goes")
    parser.add_argument("--scale", type=float, default=1.0, help="a part of the published sizes, 0 to 1")
    parser.add_argument("--dataset", action="append", choices=list(SIZES), help="only this one (repeatable)")
    arguments = parser.parse_args()
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("Sample catalogue", total=1.0)
        try:
            build(
                arguments.folder,
                lambda fraction, sentence: bar.update(task, completed=fraction, description=sentence),
                arguments.dataset,
                arguments.scale,
            )
        except (CatalogueError, OSError) as error:
            bar.console.print(str(error), markup=False)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
