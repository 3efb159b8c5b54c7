"""Sums as people write them, read by a small grammar and worked out exactly, within bounds.

    sum := product (("+" | "-") product)*         product := signed (("*" | "/" | "//" | "%" | "of") signed)*
    signed := ("+" | "-") signed | power          power := atom (("^" | "**") signed | "²" | "³")?
    atom := number [unit | "%"] | name | name "(" sum ("," sum)* ")" | "(" sum ")"

Nothing is handed to Python's own evaluation. Numbers are fractions, so 0.1 + 0.2 is 0.3; a number with a unit
is one of Pint's quantities, and `5 km / 20 min` is one quantity by another. A value that would need more than
8,192 bits is refused before it is made, so that 9**9**9 costs nothing.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from tools.base import ToolError
from tools.python.quantities import registry, spelled, unit_of

MAX_BITS = 8192
_DEEPEST = 40
_LARGEST_FACTORIAL = 500
_LETTER = "A-Za-zµμΩÅ°π_"
_NUMBER = re.compile(r"(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d+)?")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d*)?")
_NAME = re.compile(rf"[{_LETTER}]+(?:10|2)?")
_POWER = r"(?:(?:\^|\*\*)-?\d+|[²³])?"
_UNIT = re.compile(rf"\s?[{_LETTER}]+{_POWER}(?:[/·][{_LETTER}]+{_POWER})*")
"""A unit behind a number: `km/h`, `m^2`. Spaces end it, so that `5 km / 20 min` has two."""
_PERCENT = re.compile(r"\s*%(?!\s*[\d(.A-Za-z])|\s*%(?=\s*of\b)")

Value = Any
"""A Fraction (exact), a float, or a Pint quantity of either."""


def worked_out(text: str) -> Value:
    """The value of an expression. Raises ToolError with what cannot be read or is too large."""
    try:
        return _Reader(text).whole()
    except ToolError:
        raise
    except ZeroDivisionError:
        raise ToolError(f"{text[:80]!r} divides by zero.") from None
    except (OverflowError, ValueError) as error:
        raise ToolError(f"{text[:80]!r} has no value that a number can hold ({_reason(error)}).") from None
    except TypeError as error:  # Pint's errors of units are kinds of it, and so is a wrong count of values
        raise ToolError(f"The parts of {text[:80]!r} do not go together{_why(error)}.") from None


class _Reader:
    """One reading of a text from left to right, each rule of the grammar a method."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0
        self._in_call = False

    def whole(self) -> Value:
        """The value of all of the text."""
        value = self._sum()
        if self._rest():
            raise self._unreadable()
        return value

    def _sum(self) -> Value:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ToolError(f"The sum has more than {_DEEPEST} parts within one another, which is too deep.")
        value = self._product()
        while sign := self._take("+", "-", "−"):
            value = _checked((operator.add if sign == "+" else operator.sub)(value, self._product()))
        self._depth -= 1
        return value

    def _product(self) -> Value:
        value = self._signed()
        while True:
            if sign := self._take("*", "×", "·", "//", "/", "÷", "%"):
                value = _checked(_PRODUCTS[sign](value, self._signed()))
            elif re.match(r"of\b", self._rest()):
                self._take("of")
                value = _checked(value * self._signed())
            elif re.match(rf"[({_LETTER}]", self._rest()):  # 2 pi, 3(4 + 5)
                value = _checked(value * self._signed())
            else:
                return value

    def _signed(self) -> Value:
        signs = 0
        while sign := self._take("+", "-", "−"):
            signs += sign != "+"
        value = self._power()
        return -value if signs % 2 else value

    def _power(self) -> Value:
        value = self._atom()
        if self._take("**", "^"):
            self._depth += 1
            if self._depth > _DEEPEST:
                raise ToolError(
                    f"The sum has more than {_DEEPEST} parts within one another, which is too deep."
                )
            value = _checked(_power(value, self._signed()))
            self._depth -= 1
        elif mark := self._take("²", "³"):
            value = _checked(_power(value, Fraction(2 if mark == "²" else 3)))
        return value

    def _atom(self) -> Value:
        if self._take("("):
            inside, self._in_call = self._in_call, False
            value = self._sum()
            self._in_call = inside
            self._close()
            return value
        if number := self._match(_NUMBER if self._in_call else _THOUSANDS) or self._match(_NUMBER):
            return self._with_unit(_fraction(number.replace(",", "")))
        if name := self._match(_NAME):
            return self._named(name)
        raise self._unreadable()

    def _with_unit(self, value: Fraction) -> Value:
        if self._match(_PERCENT):
            return value / 100
        found = _UNIT.match(self._text, self._at)
        first = re.match(rf"\s?((?:{_NAME.pattern}))(\s*\()?", self._text[self._at :])
        if found is None or first is None or first[1] in (*_CONSTANTS, "of"):
            return value
        if first[1] in _FUNCTIONS and first[2]:  # 3 sqrt(2); but 20 min
            return value
        self._at = found.end()
        return registry().Quantity(value, unit_of(found[0]))

    def _named(self, name: str) -> Value:
        if name in _CONSTANTS:
            return _CONSTANTS[name]
        if name not in _FUNCTIONS or (name in _ALSO_UNITS and not self._rest().startswith("(")):
            return registry().Quantity(Fraction(1), unit_of(name))
        if not self._take("("):
            raise ToolError(f"{name} is a function; write {name}(…).")
        inside, self._in_call = self._in_call, True
        values = [self._sum()]
        while self._take(","):
            values.append(self._sum())
        self._in_call = inside
        self._close()
        return _checked(_FUNCTIONS[name](*values))

    def _close(self) -> None:
        if not self._take(")"):
            raise self._unreadable()

    def _rest(self) -> str:
        return self._text[self._at :].lstrip()

    def _take(self, *signs: str) -> str | None:
        """The one of these signs that comes next, if one does; `*` is not the half of `**`."""
        rest = self._rest()
        for sign in signs:
            if rest.startswith(sign) and not (sign == "*" and rest.startswith("**")):
                self._at = len(self._text) - len(rest) + len(sign)
                return sign
        return None

    def _match(self, pattern: re.Pattern[str]) -> str | None:
        start = len(self._text) - len(self._rest())
        found = pattern.match(self._text, start)
        if found is None:
            return None
        self._at = found.end()
        return found[0]

    def _unreadable(self) -> ToolError:
        return ToolError(
            f"{self._text[:80]!r} is not a sum that can be read; write one such as 3*(4+5), sqrt(2), "
            "15% of 240 or 5 km / 20 min."
        )


def _fraction(written: str) -> Fraction:
    power = re.search(r"[eE]([+-]?\d+)$", written)
    if power and (len(power[1]) > 5 or abs(int(power[1])) > 400):
        raise ToolError(f"{written!r} is beyond what can be reckoned with; powers of ten go to 400.")
    return Fraction(_checked(Fraction(written)))


def _checked(value: Value) -> Value:
    """The value, if it is small enough to go on with."""
    plain: Any = getattr(value, "magnitude", value)
    if isinstance(plain, float):
        if not math.isfinite(plain):
            raise ToolError("The sum has no finite value.")
    elif _bits(Fraction(plain)) > MAX_BITS:
        raise ToolError(f"The sum comes to a number of more than {MAX_BITS:,} bits, which is too large.")
    return value


def _bits(value: Fraction) -> int:
    return value.numerator.bit_length() + value.denominator.bit_length()


def _power(base: Value, exponent: Value) -> Value:
    if hasattr(exponent, "to"):
        exponent = exponent.to("").magnitude
    plain = getattr(base, "magnitude", base)
    if isinstance(exponent, Fraction) and exponent.denominator == 1:
        times = abs(exponent.numerator)
        if isinstance(plain, Fraction) and (times > MAX_BITS or times * _bits(plain) > 2 * MAX_BITS):
            if plain in (0, 1):
                return plain**exponent.numerator if base is plain else base
            raise ToolError(f"A power in the sum needs more than {MAX_BITS:,} bits, which is too large.")
        if base is not plain and times > 9:
            raise ToolError("A unit can be raised to the power of 9 at most.")
        return base**exponent.numerator
    if base is not plain:
        return base**exponent
    if plain < 0:
        raise ToolError("A negative number has no real power that is not whole.")
    return float(plain) ** float(exponent)


def _root(value: Value) -> Value:
    """The square root; exact where the number is the square of a fraction."""
    if hasattr(value, "to"):
        return type(value)(_root(value.magnitude), value.units ** Fraction(1, 2))
    if value < 0:
        raise ToolError("A negative number has no real square root.")
    if isinstance(value, Fraction):
        above, below = math.isqrt(value.numerator), math.isqrt(value.denominator)
        if above**2 == value.numerator and below**2 == value.denominator:
            return Fraction(above, below)
    return math.sqrt(value)


def _real(function: Callable[..., float]) -> Callable[..., float]:
    """A function of plain numbers; an angle with a unit is taken in radians."""

    def taken(*values: Value) -> float:
        return function(*(float(each.to("").magnitude if hasattr(each, "to") else each) for each in values))

    return taken


def _whole(function: Callable[..., int]) -> Callable[..., Fraction]:
    def taken(*values: Value) -> Fraction:
        if any(not isinstance(each, Fraction) or each.denominator != 1 for each in values):
            raise ToolError("gcd, lcm, comb and factorial take whole numbers.")
        if function in (math.comb, math.factorial) and any(abs(each) > _LARGEST_FACTORIAL for each in values):
            raise ToolError(f"comb and factorial take numbers up to {_LARGEST_FACTORIAL}.")
        return Fraction(function(*(each.numerator for each in values)))

    return taken


def _round(value: Value, digits: Value = Fraction(0)) -> Value:
    if abs(digits) > 300:
        raise ToolError("A number is rounded to 300 digits at most.")
    if hasattr(value, "to"):
        return type(value)(_round(value.magnitude, digits), value.units)
    rounded = round(value if isinstance(value, Fraction) else Fraction(value), int(digits))
    return Fraction(rounded)


def _mean(*values: Value) -> Value:
    return sum(values[1:], start=values[0]) / Fraction(len(values))


def _exact(value: Value) -> Value:
    """A whole number as a fraction, like all others."""
    return Fraction(value) if isinstance(value, int) else value


_PRODUCTS: dict[str, Callable[[Value, Value], Value]] = {
    **dict.fromkeys(("*", "×", "·"), operator.mul),
    **dict.fromkeys(("/", "÷"), operator.truediv),
    "//": lambda a, b: _exact(a // b),
    "%": operator.mod,
}
_FUNCTIONS: dict[str, Callable[..., Value]] = {
    "sqrt": _root,
    "abs": abs,
    "min": lambda *values: min(values),
    "max": lambda *values: max(values),
    "sum": lambda *values: sum(values[1:], start=values[0]),
    "mean": _mean,
    "round": _round,
    "floor": lambda value: Fraction(math.floor(value)),
    "ceil": lambda value: Fraction(math.ceil(value)),
    "gcd": _whole(math.gcd),
    "lcm": _whole(math.lcm),
    "comb": _whole(math.comb),
    "factorial": _whole(math.factorial),
    "degrees": _real(math.degrees),
    "radians": _real(math.radians),
    **{
        name: _real(getattr(math, name))
        for name in ("exp", "log10", "log2", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "hypot")
    },
    "ln": _real(math.log),
    "log": _real(math.log),
}
_ALSO_UNITS = ("min", "degrees", "radians")
_CONSTANTS: dict[str, Value] = {"pi": math.pi, "π": math.pi, "e": math.e, "tau": math.tau}


def _reason(error: Exception) -> str:
    return " ".join(str(error).split()).rstrip(".")[:120]


def _why(error: TypeError) -> str:
    """Which units do not agree; Pint's own words fail on powers that are fractions."""
    units = [getattr(error, name, None) for name in ("units1", "units2")]
    if None in units:
        return ""
    said = ["" if each == "dimensionless" else spelled(each) for each in units]  # Pint says that as a word
    return f": {said[0] or 'a plain number'} and {said[1] or 'a plain number'} measure different things"
