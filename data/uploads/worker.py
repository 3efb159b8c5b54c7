"""The process in which files are read: jobs come as lines of JSON, and so do the answers.

`python -m data.uploads.worker MEMORY_BYTES`; it is started by `data.uploads.apart` and ends with its input.
"""

from __future__ import annotations

import json
import os
import resource
import sys

from data.uploads.apart import answer_of, incoming_of
from data.uploads.bring import bring
from data.uploads.errors import UploadError


def main() -> None:
    """Answer every job until there are no more."""
    limit = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # What a library prints must not come between the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    for line in sys.stdin.buffer:
        answers.write(_answer(line) + b"\n")
        answers.flush()


def _answer(line: bytes) -> bytes:
    incoming = incoming_of(json.loads(line))
    try:
        found = answer_of(bring(incoming))
    except UploadError as error:
        found = {"error": str(error)}
    except MemoryError:
        found = {"error": f"{incoming.shown} needs more memory than one file may take; send less of it."}
    return json.dumps(found, default=str).encode()


if __name__ == "__main__":
    main()
