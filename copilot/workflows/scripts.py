"""A workflow as a Python script and as a notebook: each step a call, with why it is there and its checks."""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Iterator, Mapping
from typing import Any

from copilot.workflows.instantiate import Instance
from copilot.workflows.model import Step, Workflow, reference

_WITHIN = re.compile(r"\$\{([A-Za-z_]\w*(?:\.\w+)?)\}")
_OURS = frozenset({"flow", "asked", "main", "argparse", "Scripted", "parser"})


def script(workflow: Workflow, instance: Instance | None = None) -> str:
    """A Python script with an option for each input and parameter."""
    lines = [
        f'"""{_safe(workflow.title)}. {_safe(workflow.goal)}',
        "",
        f"Exported from Azimuth: {workflow.id}. Run it where Azimuth is installed.",
        '"""',
        "",
        "import argparse",
        "",
        "from copilot.workflows.scripting import Scripted",
        "",
        "",
        "def main() -> None:",
        f"    parser = argparse.ArgumentParser(description={workflow.title!r})",
    ]
    for each in workflow.inputs:
        needed = "" if each.optional else ", required=True"
        lines.append(
            f"    parser.add_argument('--{each.name}'{needed}, help={_help(f'{each.about} {each.needs}')})"
        )
    values = instance.parameters if instance is not None else {}
    for one in workflow.parameters:
        default = values.get(one.name, one.default)
        rest = f"{_reader(default)}, default={default!r}, help={_help(f'{one.why} {one.unit}')}"
        lines.append(f"    parser.add_argument('--{one.name}'{rest})")
    lines += ["    asked = parser.parse_args()", f"    flow = Scripted({workflow.id!r})"]
    for each in workflow.inputs:
        lines.append(f"    {_name(each.name)} = flow.add({each.name!r}, asked.{each.name})")
    for one in workflow.parameters:
        lines.append(f"    {_name(one.name)} = asked.{one.name}")
    for step in workflow.order():
        lines += [f"    {each}" for each in _step_lines(step)]
    given = ", ".join(_expression(each) for each in workflow.gives if reference(each) is not None)
    lines += [f"    print({given})", "", "", 'if __name__ == "__main__":', "    main()", ""]
    return "\n".join(lines)


def notebook(workflow: Workflow, instance: Instance | None = None) -> str:
    """A notebook (nbformat 4.5): the goal, the data, a cell a step, and the sources."""
    values = instance.parameters if instance is not None else {}
    data = [f"{_name(each.name)} = flow.add({each.name!r}, {each.name + '.tif'!r})  # {_one_line(each.about)}"
            for each in workflow.inputs]  # fmt: skip
    numbers = [
        f"{_name(one.name)} = {values.get(one.name, one.default)!r}  # {_one_line(f'{one.unit} {one.why}')}"
        for one in workflow.parameters
    ]
    cells = [
        _markdown(f"# {workflow.title}\n\n{workflow.goal} {workflow.when}\n\n`{workflow.id}`"),
        _code(
            "from copilot.workflows.scripting import Scripted\n\n"
            f"flow = Scripted({workflow.id!r})\n" + "\n".join([*data, *numbers])
        ),
    ]
    for step in workflow.order():
        cells.append(_markdown(f"**{step.id}** · `{step.tool}`\n\n{step.why}"))
        cells.append(_code("\n".join(line for line in _step_lines(step) if not line.startswith("#"))))
    given = ", ".join(_expression(each) for each in workflow.gives if reference(each) is not None)
    cells.append(_code(f"print({given})"))
    if workflow.sources:
        cells.append(_markdown("## Sources\n\n" + "\n".join(f"- {each}" for each in workflow.sources)))
    for at, cell in enumerate(cells):
        cell["id"] = f"cell-{at}"
    plain = {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(plain, indent=1, ensure_ascii=False) + "\n"


def _step_lines(step: Step) -> Iterator[str]:
    yield f"# {_one_line(step.why) or step.tool}"
    arguments = "".join(f", {key}={_expression(value)}" for key, value in step.args.items())
    yield f"{_name(step.id)} = flow.call({step.id!r}, {step.tool!r}{arguments})"
    for each in step.checks:
        said = {"of": each.of, "low": each.low, "high": each.high, "why": each.why}
        rest = "".join(f", {key}={value!r}" for key, value in said.items() if value not in ("", None))
        yield f"flow.check({_name(step.id)}, {each.measure!r}{rest})"


def _expression(value: Any) -> str:
    """An argument as Python: references are names, texts with values in them are f-strings."""
    if isinstance(value, str):
        found = reference(value)
        if found is not None:
            return f"{_name(found.name)}[{found.key!r}]" if found.key else _name(found.name)
        if _WITHIN.search(value):
            return _filled(value)
        return repr(value.replace("$$", "$", 1) if value.startswith("$$") else value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {_expression(each)}" for key, each in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_expression, value)) + "]"
    return repr(value)


def _filled(text: str) -> str:
    parts = _WITHIN.split(text)
    pieces = []
    for at, part in enumerate(parts):
        if at % 2:
            name, _, key = part.partition(".")
            pieces.append("{" + (f"{_name(name)}[{key!r}]" if key else _name(name)) + "}")
        else:
            pieces.append(repr(part)[1:-1].replace('"', '\\"').replace("{", "{{").replace("}", "}}"))
    return 'f"' + "".join(pieces).replace("\\'", "'") + '"'


def _name(name: str) -> str:
    return f"{name}_" if keyword.iskeyword(name) or name in _OURS else name


def _reader(default: Any) -> str:
    if isinstance(default, bool):
        return ", type=lambda text: text.lower() in ('1', 'true', 'yes')"
    if isinstance(default, int):
        return ", type=lambda text: int(text) if text.lstrip('-').isdigit() else float(text)"
    if isinstance(default, float):
        return ", type=float"
    return "" if isinstance(default, str) or default is None else ", type=__import__('json').loads"


def _help(text: str) -> str:
    return repr(_one_line(text).replace("%", "%%"))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _safe(text: str) -> str:
    return _one_line(text).replace("\\", "\\\\").replace('"""', "'''").rstrip('"').rstrip(".")


def _markdown(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text}


def _code(text: str) -> dict[str, Any]:
    return {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": [], "source": text}


__all__ = ["notebook", "script"]
