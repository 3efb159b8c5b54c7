"""Puts the gold together: candidates that were drawn (`making`), and the requests that were written by hand.

`python -m copilot.bench.knowflow.building CANDIDATES.jsonl …` writes gold/simple.jsonl and complex.jsonl.
What is in them stays; a candidate fills a place that is empty. What has no request is named and left out.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from copilot.bench.knowflow.gold import COMPLEXITIES, FOLDER, Gold, bound_calls, gold
from copilot.bench.knowflow.making import requests
from copilot.workflows.reading import library


def build(drawn: list[Path], folder: Path = FOLDER) -> list[str]:
    """Write the gold's files; the workflows that have no request."""
    asked = requests()
    flows = {each.id: each for task in library() for each in task.workflows}
    rows = {each.id: each for each in gold(folder)} if (folder / f"{COMPLEXITIES[0]}.jsonl").is_file() else {}
    known = {(each.request, str(each.data)) for each in rows.values()}
    missing = []
    for path in drawn:
        for line in path.read_text(encoding="utf-8").splitlines():
            plain = json.loads(line)
            name = f"{plain['task']}.{plain['complexity']}"
            if name in rows:
                continue
            if plain["workflow"] not in asked:
                missing.append(f"{name} {plain['workflow']}")
                continue
            flow = flows[plain["workflow"]]
            same = (asked[flow.id].strip(), str(plain["data"]))
            if same in known:  # a task whose two places would ask the same of the same data
                continue
            known.add(same)
            rows[name] = Gold(
                id=name,
                workflow=flow.id,
                request=asked[flow.id].strip(),
                data=plain["data"],
                parameters=plain["parameters"],
                calls=bound_calls(flow, plain["parameters"], plain["data"]),
                gives=flow.gives,
                ends=plain["ends"],
            )
    folder.mkdir(parents=True, exist_ok=True)
    for kind in COMPLEXITIES:
        lines = [
            json.dumps(each.to_json(), ensure_ascii=False, separators=(",", ":"))
            for each in sorted(rows.values(), key=lambda one: one.id)
            if each.complexity == kind
        ]
        (folder / f"{kind}.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return sorted(set(missing))


if __name__ == "__main__":
    for each in build([Path(one) for one in sys.argv[1:]]):
        print(each, file=sys.stderr)
