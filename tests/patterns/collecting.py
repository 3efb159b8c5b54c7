"""Every pattern of the code outside the planner: those compiled at import, and those that calls write out.

`python -m tests.patterns.collecting` prints how each does with hostile strings, for exhaustive_patterns.py.
With `--short` it only matches short ones, which a pattern that takes for ever does not come through.
"""

from __future__ import annotations

import ast
import importlib
import json
import re
import resource
import string
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("state", "data", "tools", "copilot")
LEFT_OUT = (ROOT / "copilot" / "planner",)
"""Bounded from outside: it reads in a process that is ended (copilot/apart)."""
CHARS = 4000
SECONDS = 0.2
"""Of computing, at most, for CHARS characters."""
GROWTH = 8.0
"""Four times the text may take so many times as long: 4 where it is linear, 16 where it is quadratic."""
NOTICED_S = 0.004
"""What takes less with CHARS characters is too quick for its growth to be measured."""
_SIZES = (16, 20, 24, 32, 48, 64, 96, 128, 160, 192, 256, 512, 1000, CHARS)
"""Small steps first: what is exponential is found before it takes for ever."""
FOR_TRAINING = ("torch", "torchvision", "ultralytics", "transformers")
"""What training needs and the app does not: `make test` runs without it."""
NOT_IMPORTED: list[str] = []
"""The modules that need it where it is not there; of them the patterns that stand in their calls are seen."""
SHORT = 40
"""Characters that a pattern with twice the work for each more would take days for."""
BOUNDED = {
    r"[-+]?[^-+°]+°[^-+°]*(?=\s|$)": 120,
    r"\s*%(?!\s*[\d(.A-Za-z])|\s*%(?=\s*of\b)": 500,
}
"""Patterns whose text is shorter than CHARS wherever they are used: the tool's argument says so."""
_UNITS = (
    *"1a A\n\t-.,([{<\"'/_:;=+%é°\x00",
    *(
        "1,",
        "1.",
        "a ",
        "1 ",
        " \n",
        "a.",
        "a-",
        "a:",
        "a=",
        ", ",
        "0.",
        "<a",
        "([",
        "1-",
        "1e",
        "a, ",
        "a b: ",
    ),
)


@dataclass(frozen=True)
class Found:
    """A pattern, where it stands, and the ways in which it is used there."""

    pattern: str | bytes
    flags: int
    place: str
    ways: tuple[str, ...]


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def text_of(path: Path) -> str:
    """What a module says."""
    return path.read_text(encoding="utf-8")


@cache
def sources() -> list[Path]:
    """The modules that are looked through."""
    found = (path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py")))
    return [path for path in found if not any(path.is_relative_to(each) for each in LEFT_OUT)]


def compiled_at_import() -> list[Found]:
    """What `re.compile` is given while every module is imported, with the line that gives it."""
    seen: dict[tuple[str | bytes, int], str] = {}
    ours = {str(path) for path in sources()}
    compile_ = re.compile

    def recording(pattern: Any, flags: Any = 0) -> Any:
        frame = sys._getframe(1)
        while frame.f_code.co_name in ("<genexpr>", "<dictcomp>", "<listcomp>") and frame.f_back:
            frame = frame.f_back
        made = compile_(pattern, flags)
        if frame.f_code.co_filename in ours:
            seen.setdefault((made.pattern, made.flags), f"{frame.f_code.co_filename}:{frame.f_lineno}")
        return made

    re.compile = recording  # type: ignore[assignment]
    try:
        for path in sources():
            try:
                importlib.import_module(
                    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
                )
            except ModuleNotFoundError as missing:
                if missing.name not in FOR_TRAINING:
                    raise
                NOT_IMPORTED.append(name_of(path))
    finally:
        re.compile = compile_
    return [Found(*key, place, _ways(place)) for key, place in seen.items()]


def written_out() -> list[Found]:
    """The patterns that stand in calls and tables: of a module that puts patterns together, every string."""
    found: dict[tuple[str | bytes, int], Found] = {}
    for path in sources():
        if "re." not in text_of(path):
            continue  # no call of the library stands in it
        tree = ast.parse(text_of(path))
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _is_re(node)]
        for call in calls:
            made, way = _text_of(call.args[0]) if call.args else None, call.func.attr  # type: ignore[attr-defined]
            if made is not None and way != "compile":
                _add(found, made, _flags(call), f"{path}:{call.lineno}", (_way(way),))
        seen = {id(inner) for call in calls for inner in ast.walk(call)}
        if any(call.args and _text_of(call.args[0]) is None for call in calls):
            for node in ast.walk(tree):
                text = None
                if isinstance(node, ast.Constant | ast.JoinedStr) and id(node) not in seen:
                    text = _text_of(node)
                if isinstance(text, str) and "\\" in text and "\n" not in text:
                    _add(found, text, 0, f"{path}:{node.lineno}", ("search",))
    return list(found.values())


def _add(
    found: dict[tuple[str | bytes, int], Found],
    text: str | bytes,
    flags: int,
    place: str,
    ways: tuple[str, ...],
) -> None:
    try:
        made = re.compile(text, flags)
    except (re.error, ValueError):
        return  # a piece of a pattern, or no pattern
    key = (made.pattern, made.flags & ~re.UNICODE)
    before = found[key].ways if key in found else ()
    found[key] = Found(*key, place, tuple(dict.fromkeys((*before, *ways))))


def _is_re(call: ast.Call) -> bool:
    at = call.func
    return (
        isinstance(at, ast.Attribute)
        and isinstance(at.value, ast.Name)
        and at.value.id == "re"
        and at.attr
        in ("compile", "match", "search", "fullmatch", "sub", "subn", "split", "findall", "finditer")
    )


def _text_of(node: ast.expr) -> str | bytes | None:
    """What a pattern says; what is put into it stands for a word."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(each.value) if isinstance(each, ast.Constant) else "word" for each in node.values)
    return None


def _flags(call: ast.Call) -> int:
    names = {node.attr for node in ast.walk(call) if isinstance(node, ast.Attribute)} & {*"IMSAX", *_LONG}
    return sum({int(getattr(re, name)) for name in names})


_LONG = ("IGNORECASE", "MULTILINE", "DOTALL", "ASCII", "VERBOSE")


def _way(method: str) -> str:
    return method if method in ("search", "match", "fullmatch") else "finditer"


@cache
def _body(path: Path) -> list[ast.stmt]:
    return ast.parse(text_of(path)).body


def _ways(place: str) -> tuple[str, ...]:
    """How a pattern with a name of its own is used; a pattern in a table is searched for."""
    path, line = place.rsplit(":", 1)
    for node in _body(Path(path)):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.lineno <= int(line) <= (
            node.end_lineno or 0
        ):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name):
                used = re.compile(rf"\b{target.id}\.(\w+)\(")
                read = sources() if not target.id.startswith("_") else [Path(path)]
                texts = (text_of(each) for each in read)
                named = {_way(way) for text in texts for way in used.findall(text)}
                return tuple(sorted(named & {"search", "match", "fullmatch", "finditer"})) or ("search",)
    return ("search",)


# -- hostile texts ------------------------------------------------------------------------------


def attacks(pattern: str | bytes, flags: int) -> list[tuple[str, str, str]]:
    """(what comes first, what is repeated, what comes last): runs, and what the pattern itself repeats."""
    ends = ("", "\x00", "!")
    found = {("", unit, end) for unit in _UNITS for end in ends}
    found |= {(first, unit, end) for first, unit in repeats(pattern, flags) for end in ends}
    whole = _sample(_tree(pattern, flags))
    found |= {("", whole, end) for end in ends} | {("", whole[:-1], end) for end in ends}
    return sorted(each for each in found if each[1])


def repeats(pattern: str | bytes, flags: int) -> set[tuple[str, str]]:
    """(what comes first, what is repeated) for each part that the pattern itself repeats."""
    found = _repeats(_tree(pattern, flags), "")
    return {(first, unit) for first, inner in found for unit in inner if unit}


def _tree(pattern: str | bytes, flags: int) -> list[Any]:
    """The pattern as the library reads it."""
    text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
    return list(re._parser.parse(text, flags & ~re.UNICODE if flags & re.ASCII else flags))  # type: ignore[attr-defined]


def _repeats(items: list[Any], first: str) -> Iterator[tuple[str, set[str]]]:
    """For each part that may be repeated often: what leads to it, and texts that it takes once."""
    for op, value in items:
        name = str(op)
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            _, high, body = value
            if high > 20:
                yield first, _once(list(body))
            yield from _repeats(list(body), first)
        elif name == "SUBPATTERN":
            yield from _repeats(list(value[3]), first)
        elif name == "BRANCH":
            for branch in value[1]:
                yield from _repeats(list(branch), first)
        elif name in ("ASSERT", "ASSERT_NOT"):
            yield from _repeats(list(value[1]), first)
        elif name == "ATOMIC_GROUP":
            yield from _repeats(list(value), first)
        first += _sample([(op, value)])


def _once(body: list[Any]) -> set[str]:
    """Texts that a repeated part takes: its sample, and each plain letter that it takes."""
    found = {_sample(body)}
    if len(body) == 1:
        name, value = str(body[0][0]), body[0][1]
        if name in ("IN", "NOT_LITERAL", "ANY", "LITERAL"):
            found |= {letter for letter in _LETTERS if _takes(name, value, letter)}
    return found


_LETTERS = "a1 ,.-\n:"


def _takes(name: str, value: Any, letter: str) -> bool:
    if name == "ANY":
        return letter != "\n"
    if name == "LITERAL":
        return bool(letter == chr(value))
    if name == "NOT_LITERAL":
        return bool(letter != chr(value))
    negated, inside = False, False
    for op, what in value:
        kind = str(op)
        negated = negated or kind == "NEGATE"
        inside = inside or (
            (kind == "LITERAL" and chr(what) == letter)
            or (kind == "RANGE" and what[0] <= ord(letter) <= what[1])
            or (kind == "CATEGORY" and _is_of(str(what), letter))
        )
    return inside != negated


def _is_of(category: str, letter: str) -> bool:
    plain = category.removeprefix("CATEGORY_").removeprefix("UNI_").removeprefix("LOC_")
    wanted, kind = not plain.startswith("NOT_"), plain.removeprefix("NOT_")
    known: dict[str, Callable[[str], bool]] = {
        "DIGIT": str.isdigit,
        "SPACE": str.isspace,
        "WORD": lambda each: each.isalnum() or each == "_",
    }
    return kind in known and known[kind](letter) == wanted


def _sample(items: list[Any]) -> str:
    """A text that the pattern takes, as a rule."""
    said = ""
    for op, value in items:
        name = str(op)
        if name == "LITERAL":
            said += chr(value)
        elif name in ("IN", "NOT_LITERAL", "ANY"):
            letters = (*_LETTERS, *string.printable)
            said += next((each for each in letters if _takes(name, value, each)), "")
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            said += _sample(list(value[2])) * max(value[0], min(1, value[1]))
        elif name == "SUBPATTERN":
            said += _sample(list(value[3]))
        elif name == "ATOMIC_GROUP":
            said += _sample(list(value))
        elif name == "BRANCH":
            said += _sample(list(value[1][0]))
    return said


# -- measuring ----------------------------------------------------------------------------------


def too_slow(found: Found) -> str | None:
    """How a pattern fails, with the text that it fails on; None where it is linear."""
    made = re.compile(found.pattern, found.flags)
    for way in found.ways:
        for first, unit, end in attacks(found.pattern, found.flags):
            if said := _failure(made, way, first, unit, end):
                return f"{found.place} {way} of {found.pattern!r}: {said}"
    return None


def _failure(made: re.Pattern[Any], way: str, first: str, unit: str, end: str) -> str | None:
    taken, most = 0.0, BOUNDED.get(str(made.pattern), CHARS)
    for size in sorted({*(each for each in _SIZES if each < most), most}):
        taken = _seconds(made, way, _text(made, first, unit, end, size))
        if taken > SECONDS:
            return f"{taken:.2f} s for {first!r} + {unit!r} * … + {end!r} of {size:,} characters"
    if taken < NOTICED_S:
        return None
    # The least of several by the clock: whatever else the machine does only adds to it.
    long, short = (
        min(_seconds(made, way, _text(made, first, unit, end, size), time.perf_counter) for _ in range(7))
        for size in (most, most // 4)
    )
    if long < NOTICED_S or long < GROWTH * short:
        return None
    return f"grows {long / short:.0f} times where {first!r} + {unit!r} * … + {end!r} grows 4 times"


def _text(made: re.Pattern[Any], first: str, unit: str, end: str, size: int) -> Any:
    text = first + (unit * (size // len(unit) + 1))[:size] + end
    return text.encode("latin-1", "replace") if isinstance(made.pattern, bytes) else text


def _seconds(
    made: re.Pattern[Any], way: str, text: Any, clock: Callable[[], float] = time.process_time
) -> float:
    started = clock()
    if way == "finditer":
        for _ in made.finditer(text):
            pass
    else:
        getattr(made, way)(text)
    return clock() - started


def main() -> None:
    """Print how many patterns there are and which of them fail, as JSON."""
    short = "--short" in sys.argv
    limit_s = 60 if short else 600
    resource.setrlimit(resource.RLIMIT_CPU, (limit_s, limit_s))
    every = [*compiled_at_import(), *written_out()]
    if short:
        match_short(every)
        print(json.dumps({"patterns": len(every), "not_imported": NOT_IMPORTED}))
        return
    failed = [said.replace(f"{ROOT}/", "") for said in map(too_slow, every) if said]
    bounded = [each.pattern for each in every if each.pattern in BOUNDED]
    said = {"patterns": len(every), "failed": failed, "bounded": bounded, "not_imported": NOT_IMPORTED}
    print(json.dumps(said))


def match_short(every: list[Found]) -> None:
    """Match each pattern with short hostile texts, saying first which: what takes for ever is ended."""
    for found in every:
        print(f"{found.place} {found.pattern!r}", file=sys.stderr, flush=True)
        made = re.compile(found.pattern, found.flags)
        for first, unit in repeats(found.pattern, found.flags):
            for way in found.ways:
                _seconds(made, way, _text(made, first, unit, "\x00", SHORT))


if __name__ == "__main__":
    main()
