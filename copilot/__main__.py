"""`python -m copilot`."""

import sys

from copilot.cli.output import run

if __name__ == "__main__":
    from copilot.cli import app

    sys.exit(run(app))
