"""How often a request finds the right one of other servers' tools: `python -m benches.foreign`.

Tools of made-up servers, six requests each (tools.txt), of which nothing was learned. Beside them, requests
for Azimuth's own tools, for which none of those is right. Two numbers of `copilot.mcp.finding` were chosen
on the requests for every second tool; `first_unseen` is of the others.
"""

from __future__ import annotations

import json
from pathlib import Path

from copilot.mcp.declared import listed
from copilot.mcp.finding import meant, rank
from copilot.mcp.foreign import tools_of
from copilot.planner.head import shared_encoder
from state.servers import ServerRow

OWN = (
    "load xview1", "zoom to 6", "draw a heat map", "undo that", "show only the ships",
    "export the map as a picture",
    "how many damaged buildings are there", "hide the second layer", "filter by cloud cover under 10",
    "buffer the points by 2 km", "make a bar chart of the classes", "detect the planes in the image",
    "segment the image", "compute NDVI", "measure the distance between the two", "rename the layer",
    "clip the raster to the polygon", "list the datasets", "switch to the satellite base map",
    "go to the data page",
)  # fmt: skip


def read(path: Path) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """What each tool says of itself, and (request, tool) pairs."""
    said: dict[str, str] = {}
    asked = []
    for line in path.read_text(encoding="utf-8").splitlines():
        name, bar, text = line.partition(" | ")
        if line.startswith("#"):
            continue
        if bar:
            said[name] = text
        else:
            asked.append((line, list(said)[-1]))
    return said, asked


def main() -> None:
    """Print the shares."""
    said, asked = read(Path(__file__).with_name("tools.txt"))
    tools = []
    for name, text in said.items():
        server, _, tool = name.partition("__")
        row = ServerRow(server, url="https://example.org/mcp", tools=(declared(tool, text),))
        tools += tools_of(row)
    encode = shared_encoder().recall
    ranked = [(right, [each.name for each in rank(request, tools, encode)]) for request, right in asked]
    sure = [meant(request, tools, encode) == right for request, right in asked]
    tuned_on = set(list(said)[::2])
    unseen = [found[0] == right for right, found in ranked if right not in tuned_on]
    own = [meant(request, tools, encode) is None for request in OWN]
    told = {
        "tools": len(tools),
        "requests": len(asked),
        "first": share([found[0] == right for right, found in ranked]),
        "first_unseen": share(unseen),
        "among_three": share([right in found[:3] for right, found in ranked]),
        "first_and_sure": share(sure),
        "own_left_alone": share(own[1::2]),
    }
    print(json.dumps(told))


def share(said: list[bool]) -> float:
    """How many are true."""
    return round(sum(said) / len(said), 4)


def declared(tool: str, text: str) -> dict[str, object]:
    """A tool as a server declares it, read as one that was added."""
    from types import SimpleNamespace

    schema = {"type": "object", "properties": {"place": {"type": "string"}}}
    made = SimpleNamespace(
        name=tool, title=None, description=text, input_schema=schema, annotations=None, output_schema=None
    )
    rows, _ = listed("server", [made])
    return rows[0]


if __name__ == "__main__":
    main()
