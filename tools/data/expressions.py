"""Expressions over the columns of a table: a small part of Python, read as a tree and computed by columns.

Nothing is run that the whitelist below does not name: no attribute, no subscript, no call but of its
functions. What is computed of whole numbers is whole where SQL's is; a result that is not finite is missing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np
import pandas as pd

from tools.base import ToolError
from tools.data.values import (
    ARITHMETIC,
    KINDS,
    Values,
    all_whole,
    arithmetic,
    as_whole,
    column_of,
    column_values,
    constant_number,
    days,
    missing,
    negative,
    numbers,
    signless,
    texts,
    times,
    whole_of,
)
from tools.phrases import listed

MAX_CHARS = 500
MAX_NODES = 200
_QUOTED = re.compile(r"`([^`]{1,100})`")
_NUMERIC: dict[str, Callable[[Any], Any]] = {
    "abs": np.abs, "sqrt": np.sqrt, "exp": np.exp, "log": np.log, "log10": np.log10, "log2": np.log2,
    "floor": np.floor, "ceil": np.ceil, "sign": np.sign, "sin": np.sin, "cos": np.cos, "tan": np.tan,
    "radians": np.radians, "degrees": np.degrees,
}  # fmt: skip
_KEEPS_WHOLE: dict[str, Callable[[Any], Any]] = {
    "floor": np.positive, "ceil": np.positive, "sign": np.sign,
}  # fmt: skip
"""Functions whose result is whole, with what they do to numbers that are whole already."""
_TIMES = ("year", "month", "day", "hour", "day_of_year")
_TEXTS: dict[str, Callable[[str], Any]] = {"lower": str.lower, "upper": str.upper, "length": len}
FUNCTIONS = (*_NUMERIC, "round", "min", "max", "where", "is_missing", "coalesce", "text", *_TEXTS, *_TIMES)
"""What may be called: all of them over whole columns."""


@dataclass(frozen=True)
class Expression:
    """An expression that was read: its tree and the columns it names."""

    text: str
    tree: ast.expr
    names: Mapping[str, str]
    """The names in the tree, each with the column it stands for."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it names, as written."""
        return tuple(dict.fromkeys(self.names.values()))


def parsed(text: str, as_sql: str = "SELECT {}") -> Expression:
    """The expression that a text says. Raises ToolError with the part that is not understood.

    A column whose name is no word of Python is written in backticks: `` `mean of gsd` ``. `as_sql` is the
    query that takes a text of SQL in its place.
    """
    if len(text) > MAX_CHARS:
        raise ToolError(f"The expression has {len(text):,} characters; {MAX_CHARS} are the most.")
    quoted: dict[str, str] = {}

    def stand_in(found: re.Match[str]) -> str:
        return quoted.setdefault(found[1], f"column_in_backticks_{len(quoted)}")

    plain = _QUOTED.sub(stand_in, text.strip())
    try:
        tree = ast.parse(plain, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        flat = " ".join(plain.split())
        raise ToolError(_no_expression(" ".join(text.split()), flat, quoted, as_sql)) from None
    if sum(1 for _ in ast.walk(tree)) > MAX_NODES:
        raise ToolError(f"The expression has too many parts; {MAX_NODES} are the most.")
    named = {stand_in: name for name, stand_in in quoted.items()}
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    names = {
        node.id: named.get(node.id, node.id)
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and id(node) not in called
    }
    return Expression(text.strip(), tree, names)


def _no_expression(text: str, plain: str, quoted: Mapping[str, str], as_sql: str) -> str:
    """The sentence about a text that is none, with what to write where it is as SQL writes it.

    `plain` is the text with a name in place of each column in backticks, as `quoted` has them.
    """
    from data.catalogue.base import CatalogueError
    from data.catalogue.guard import parse_select

    said = f"{text[:60]!r} is no expression"
    other = f"{said}; write one such as detections / gsd_m or where(cloud_pct > 50, 1, 0)."
    if not plain.isprintable():  # a zero ends a query
        return other
    written = _in_python(plain)
    if written != plain and _is_python(written):
        return f"{said}; write {_with_columns(written, quoted, '`')}"
    query = as_sql.format(plain)
    try:
        parse_select(query)
    except CatalogueError:
        return other
    return f"{said}, but SQL, which the tool sql takes: {_with_columns(query, quoted, chr(34))}"


def _in_python(text: str) -> str:
    """A text of SQL with its signs as Python has them, as far as there are such."""
    import duckdb

    whole, tokens = text.encode(), duckdb.tokenize(text)
    if not tokens:  # a text or a comment without an end
        return text
    ends = [*(start for start, _ in tokens[1:]), len(whole)]
    pieces = [
        (whole[start:end].decode(), kind in (duckdb.token_type.operator, duckdb.token_type.keyword))
        for (start, kind), end in zip(tokens, ends, strict=True)
    ]
    return "".join(
        _IN_PYTHON.get(piece.strip().upper(), piece.strip()) + piece[len(piece.rstrip()) :] if sign else piece
        for piece, sign in pieces
    )


def _with_columns(text: str, quoted: Mapping[str, str], mark: str) -> str:
    """A text with its columns in marks again, where a name stood in place of them."""
    for column, name in reversed(list(quoted.items())):  # _10 before _1
        text = text.replace(name, f"{mark}{column}{mark}")
    return text


def _is_python(text: str) -> bool:
    try:
        ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


_IN_PYTHON = {
    "=": "==", "<>": "!=", "AND": "and", "OR": "or", "NOT": "not", "IN": "in", "IS": "is", "NULL": "None",
}  # fmt: skip
"""What is written otherwise in SQL, and means the same."""


def evaluated(expression: Expression, frame: pd.DataFrame, columns: Mapping[str, str]) -> pd.Series[Any]:
    """The expression's value in every row. `columns` maps each name written to the frame's column."""
    named = {name: column_values(frame[columns[written]]) for name, written in expression.names.items()}
    with np.errstate(all="ignore"):
        return column_of(_Reader(named, len(frame)).read(expression.tree), frame.index)


class _Reader:
    """Computes a tree over columns of one length."""

    def __init__(self, columns: Mapping[str, Values], rows: int) -> None:
        self._columns = columns
        self._rows = rows

    def read(self, node: ast.expr) -> Values:
        """The values of a part of the tree. Raises ToolError for what is not allowed."""
        if isinstance(node, ast.Constant):
            return self._constant(node.value)
        if isinstance(node, ast.Name):
            return self._columns[node.id]
        if isinstance(node, ast.BinOp):
            return self._arithmetic(node)
        if isinstance(node, ast.UnaryOp):
            return self._signed(node)
        if isinstance(node, ast.BoolOp):
            parts = [self._truth(each) for each in node.values]
            join = np.logical_and if isinstance(node.op, ast.And) else np.logical_or
            return Values("truth", join.reduce(np.broadcast_arrays(*parts)))
        if isinstance(node, ast.Compare):
            return self._compared(node)
        if isinstance(node, ast.IfExp):
            return self._chosen(node.test, node.body, node.orelse)
        if isinstance(node, ast.Call):
            return self._called(node)
        what = type(node).__name__
        raise ToolError(
            f"An expression cannot have a part of the kind {what}; it takes numbers, texts, columns, "
            f"+ - * / // % **, comparisons, in, is, and, or, not, and the functions {listed(FUNCTIONS, 30)}."
        )

    def _constant(self, value: object) -> Values:
        if isinstance(value, bool):
            return Values("truth", np.array([value]))
        if isinstance(value, int | float):
            return constant_number(value)
        if isinstance(value, str):
            return Values("text", np.array([value], dtype=object))
        if value is None:
            raise ToolError("An expression takes None after is alone, as in name is None or is not None.")
        raise ToolError(f"An expression cannot hold {str(value)[:40]!r}; it takes numbers and texts.")

    def _arithmetic(self, node: ast.BinOp) -> Values:
        if type(node.op) not in ARITHMETIC:
            raise ToolError(
                "An expression computes with + - * / // % and **; write and, or and not in words."
            )
        left, right = self.read(node.left), self.read(node.right)
        if {left.kind, right.kind} == {"text"} and isinstance(node.op, ast.Add):
            both = np.broadcast_arrays(left.values, right.values)
            joined = [None if a is None or b is None else a + b for a, b in zip(*both, strict=True)]
            return Values("text", np.array(joined, dtype=object))
        if "time" in (left.kind, right.kind) and isinstance(node.op, ast.Sub):
            return Values("number", days(times(left)) - days(times(right)))
        return arithmetic(type(node.op), left, right)

    def _signed(self, node: ast.UnaryOp) -> Values:
        if isinstance(node.op, ast.Not):
            return Values("truth", ~self._truth(node.operand))
        if isinstance(node.op, ast.USub | ast.UAdd):
            signed = negative(self.read(node.operand))
            return signed if isinstance(node.op, ast.USub) else negative(signed)
        raise ToolError("An expression takes - and not in front of a part, and no ~.")

    def _compared(self, node: ast.Compare) -> Values:
        found: Any = np.array([True])
        left = self.read(node.left)
        for operator, following in zip(node.ops, node.comparators, strict=True):
            if isinstance(operator, ast.In | ast.NotIn | ast.Is | ast.IsNot):
                return Values("truth", found & self._among(operator, left, following, len(node.ops)))
            right = self.read(following)
            found = found & _met(operator, left, right)
            left = right
        return Values("truth", found)

    def _among(self, operator: ast.cmpop, left: Values, right: ast.expr, count: int) -> Any:
        """Which rows have one of several values, or none: in and is, which stand alone."""
        if isinstance(operator, ast.Is | ast.IsNot):
            if count > 1 or not (isinstance(right, ast.Constant) and right.value is None):
                raise ToolError("is takes None alone, as in name is not None; == compares values.")
            return missing(left) if isinstance(operator, ast.Is) else ~missing(left)
        if count > 1 or not isinstance(right, ast.Tuple | ast.List | ast.Set) or not right.elts:
            raise ToolError(
                "in takes several values in brackets, as in kind in ('a', 'b'); == takes one, and "
                "filter_rows with op=contains looks for a part of a text."
            )
        met = [_met(ast.Eq(), left, self.read(each)) for each in right.elts]
        found = np.logical_or.reduce(np.broadcast_arrays(*met))
        return found if isinstance(operator, ast.In) else ~found & ~missing(left)

    def _truth(self, node: ast.expr) -> Any:
        found = self.read(node)
        if found.kind != "truth":
            raise ToolError(f"A condition is a comparison such as cloud_pct > 50, not {KINDS[found.kind]}.")
        return found.values

    def _chosen(self, test: ast.expr, one: ast.expr, other: ast.expr) -> Values:
        condition, a, b = self._truth(test), self.read(one), self.read(other)
        if a.kind != b.kind:
            raise ToolError(f"where gives either {KINDS[a.kind]} or {KINDS[b.kind]}; both must be of a kind.")
        return _either(condition, a, b)

    def _called(self, node: ast.Call) -> Values:
        if not isinstance(node.func, ast.Name) or node.func.id not in FUNCTIONS:
            asked = node.func.id if isinstance(node.func, ast.Name) else "a call of that kind"
            near = get_close_matches(asked, FUNCTIONS, n=1)
            hint = f"did you mean {near[0]}" if near else f"there are {listed(FUNCTIONS, 30)}"
            raise ToolError(f"An expression has no function {asked!r}; {hint}.")
        name, given = node.func.id, node.args
        least, most = _COUNTS.get(name, (1, 1))
        if node.keywords or not least <= len(given) <= most or any(isinstance(g, ast.Starred) for g in given):
            takes = f"{least}" if least == most else f"{least} to {most}"
            raise ToolError(f"{name} takes {takes} values, not {len(given) + len(node.keywords)}.")
        if name == "where":
            return self._chosen(*given)
        return _applied(name, [self.read(each) for each in given])


_COUNTS = {"where": (3, 3), "round": (1, 2), "min": (2, 20), "max": (2, 20), "coalesce": (2, 20)}


def _applied(name: str, given: list[Values]) -> Values:
    first = given[0]
    if name == "abs":
        return signless(first)
    if name in _KEEPS_WHOLE and (whole := all_whole(given, _KEEPS_WHOLE[name])):
        return whole
    if name in _NUMERIC:
        found = _NUMERIC[name](numbers(first))
        return as_whole(found) if name in _KEEPS_WHOLE else Values("number", found)
    if name == "round":
        digits = numbers(given[1]) if len(given) > 1 else np.array([0.0])
        if len(digits) != 1 or not -15 <= digits[0] <= 15:
            raise ToolError("round takes a number of decimals from -15 to 15.")
        if digits[0] >= 0 and (whole := all_whole(given[:1], np.positive)):
            return whole
        rounded = np.round(numbers(first), int(digits[0]))
        return as_whole(rounded) if digits[0] <= 0 else Values("number", rounded)
    if name in ("min", "max"):
        pick = np.minimum if name == "min" else np.maximum

        def picked(*parts: Any) -> Any:
            return pick.reduce(np.broadcast_arrays(*parts))

        return all_whole(given, picked) or Values("number", picked(*map(numbers, given)))
    if name == "is_missing":
        return Values("truth", missing(first))
    if name == "coalesce":
        return _first_there(given)
    if name in _TIMES:
        moments = pd.DatetimeIndex(times(first))
        return as_whole(np.asarray(getattr(moments, name), float))
    said = texts(first)
    if name == "text":
        return Values("text", said)
    made = [None if text is None else _TEXTS[name](text) for text in said]
    if name == "length":
        return as_whole(np.array([np.nan if each is None else each for each in made], dtype=float))
    return Values("text", np.array(made, dtype=object))


def _either(condition: Any, one: Values, other: Values) -> Values:
    """Each row's value of the one where the condition is met, else of the other; both of a kind."""
    values = np.where(condition, one.values, other.values)
    if one.whole is None or other.whole is None:
        return Values(one.kind, values)
    return Values(one.kind, values, np.where(condition, one.whole, other.whole))


def _first_there(given: list[Values]) -> Values:
    found = given[0]
    for each in given[1:]:
        if each.kind != found.kind:
            raise ToolError(f"coalesce was given {KINDS[found.kind]} and {KINDS[each.kind]}; give one kind.")
        found = _either(missing(found), each, found)
    return found


def _met(operator: ast.cmpop, left: Values, right: Values) -> Any:
    """Which rows meet a comparison; a missing value never does."""
    there = ~(missing(left) | missing(right))
    one, other = whole_of(left), whole_of(right)
    a: Any
    b: Any
    if "time" in (left.kind, right.kind):
        a, b = days(times(left)), days(times(right))
    elif "text" in (left.kind, right.kind):
        if {left.kind, right.kind} != {"text"}:
            raise ToolError(
                f"A comparison has {KINDS[left.kind]} on one side and {KINDS[right.kind]} on the other; "
                "text(…) makes a text of a value, and edit_columns with types makes numbers of texts."
            )
        a, b = _texts_of(left), _texts_of(right)
    elif one is not None and other is not None:
        a, b = one, other
    else:
        a, b = numbers(left), numbers(right)
    return there & _COMPARE[type(operator)](a, b)


_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: np.equal, ast.NotEq: np.not_equal, ast.Lt: np.less, ast.LtE: np.less_equal,
    ast.Gt: np.greater, ast.GtE: np.greater_equal,
}  # fmt: skip


def _texts_of(values: Values) -> Any:
    return np.array(["" if text is None else text for text in values.values], dtype=str)
