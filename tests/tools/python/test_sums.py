"""Sums and units, against published definitions and Python's own fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from state.model import State
from tests.suite.walking import walks
from tests.tools.world import run
from tools.base import Step, ToolError, World
from tools.python.expressions import worked_out
from tools.python.sums import calculate, convert_units


def worked(world: World, expression: str, **more: Any) -> Step:
    step = run(world, State(), calculate, expression=expression, **more)
    assert not step.failed, step.observation
    return step


@walks(
    "expression, said",
    [
        ("17 * 23", "17 * 23 = 391."),
        ("3 * (4 + 5)^2", "3 * (4 + 5)^2 = 243."),
        ("-2^2", "-2^2 = -4."),
        ("2^-1", "2^-1 = 0.5."),
        ("0.1 + 0.2 =", "0.1 + 0.2 = 0.3."),
        ("15% of 240", "15% of 240 = 36."),
        ("17 % 5", "17 % 5 = 2."),
        ("7 // 2", "7 // 2 = 3."),
        ("1,200 / 7", "1,200 / 7 = 171.428571429."),
        ("max(1,200) + 1,000", "max(1,200) + 1,000 = 1,200."),
        ("(1 + 2)(3 + 4)", "(1 + 2)(3 + 4) = 21."),
        ("2 pi", "2 pi = 6.28318530718."),
        ("sqrt(2) / 3", "sqrt(2) / 3 = 0.471404520791."),
        ("hypot(3, 4)", "hypot(3, 4) = 5."),
        ("sin(30 degrees)", "sin(30 degrees) = 0.5."),
        ("factorial(20)", "factorial(20) = 2,432,902,008,176,640,000."),
        ("2^100", "2^100 = 1,267,650,600,228,229,401,496,703,205,376."),
        ("2^300", "2^300 = 20370359763344860862…97376 (91 digits)."),
        ("5 km / 20 min in km/h", "5 km / 20 min = 15 km/h."),
        ("100 km / 50 km/h", "100 km / 50 km/h = 2 hours."),
        ("12 knots * 3 hours", "12 knots * 3 hours = 66,672 metres."),
        ("sqrt(16 m^2) + 3 ft to m", "sqrt(16 m^2) + 3 ft = 4.9144 metres."),
    ],
)
def test_a_sum_is_worked_out(world: World, expression: str, said: str) -> None:
    assert worked(world, expression).observation == said


def test_whole_numbers_and_fractions_keep_every_digit(world: World) -> None:
    assert worked(world, "1/3").data == {"value": 1 / 3, "text": "1/3", "unit": ""}
    assert worked(world, "2^80 + 1").data["text"] == str(2**80 + 1)
    assert worked(world, "10^400").data["value"] is None
    assert worked(world, "3 acres", unit="ha").data == {
        "value": 1.21405692672,
        "text": str(Fraction("1.21405692672")),
        "unit": "hectares",
    }


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("9**9**9", "A power in the sum needs more than 8,192 bits, which is too large."),
        ("2^0.5^9^9^9", "A power in the sum needs more than 8,192 bits, which is too large."),
        ("factorial(100000)", "comb and factorial take numbers up to 500."),
        ("1e999", "'1e999' is beyond what can be reckoned with; powers of ten go to 400."),
        (
            "10^400 * " * 9 + "10^400",
            "The sum comes to a number of more than 8,192 bits, which is too large.",
        ),
        ("1/0", "'1/0' divides by zero."),
        ("sqrt(-1)", "A negative number has no real square root."),
        ("exp(1000)", "'exp(1000)' has no value that a number can hold (math range error)."),
        (
            "5 km + 3 s",
            "The parts of '5 km + 3 s' do not go together: kilometres and seconds measure different things.",
        ),
        ("abs(1, 2)", "The parts of 'abs(1, 2)' do not go together."),
        (
            "5 - 3 km",
            "The parts of '5 - 3 km' do not go together: "
            "kilometres and a plain number measure different things.",
        ),
        ("sqrt", "sqrt is a function; write sqrt(…)."),
        ("3 flurbs", "There is no unit 'flurbs'. Units are written such as km, acres, knots or m/s."),
        ("(" * 200, "The sum has more than 40 parts within one another, which is too deep."),
    ],
)
def test_what_cannot_be_worked_out_is_said_at_once(world: World, expression: str, reason: str) -> None:
    step = run(world, State(), calculate, expression=expression)
    assert (step.failed, step.observation) == (True, reason)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').getcwd()",
        "().__class__",
        "open('x')",
        "a.b",
        "[1][0]",
        "lambda: 1",
        "'a'*9",
        "x:=1",
        "1 if 2else 3",
    ],
)
def test_no_text_of_a_program_is_read(text: str) -> None:
    with pytest.raises(ToolError):
        worked_out(text)


numbers = st.integers(0, 999).map(str) | st.decimals(0, 99, places=2).map(str)
sums = st.recursive(
    numbers,
    lambda inner: st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda each: f"({''.join(each)})"),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None)
@given(sums)
def test_any_sum_of_decimals_is_that_of_fractions(text: str) -> None:
    from tokenize import NUMBER, generate_tokens

    read = generate_tokens(iter([text]).__next__)
    exact = "".join(f"Fraction('{each.string}')" if each.type == NUMBER else each.string for each in read)
    try:
        expected = eval(exact, {"Fraction": Fraction})
    except ZeroDivisionError:
        with pytest.raises(ToolError, match="divides by zero"):
            worked_out(text)
        return
    assert worked_out(text) == expected


@walks(
    "value, from_unit, to_unit, expected, said",
    [  # SI brochure (9th ed.), NIST SP 811 and the Federal Register 85 FR 62698
        (1, "nautical miles", "m", 1852, "1 nautical mile = 1,852 metres."),
        (1, "knot", "km/h", 1.852, "1 knot = 1.852 km/h."),
        (1, "mph", "m/s", 0.44704, "1 mile per hour = 0.44704 m/s."),
        (1, "acre", "m2", 4046.8564224, "1 acre = 4,046.8564224 m²."),
        (1, "square mile", "hectares", 258.9988110336, "1 mi² = 258.998811034 hectares."),
        (1, "sq ft", "square metres", 0.09290304, "1 ft² = 0.09290304 m²."),
        (1, "lb", "kg", 0.45359237, "1 pound = 0.45359237 kilograms."),
        (1, "US gallons", "litres", 3.785411784, "1 gallon = 3.785411784 litres."),
        (1013.25, "hPa", "atm", 1, "1,013.25 hectopascals = 1 standard atmosphere."),
        (-40, "F", "C", -40, "-40 °F = -40 °C."),
        (0, "degrees Celsius", "kelvin", 273.15, "0 °C = 273.15 K."),
        (1, "MiB", "bytes", 1048576, "1 mebibyte = 1,048,576 bytes."),
        (180, "degrees", "radians", math.pi, "180 degrees = 3.14159265359 radians."),
        (10, "dB", "power ratio", 10, "10 dB = 10 power ratio."),
        (20, "dB", "amplitude ratio", 10, "20 dB = 10 amplitude ratio."),
        (0.5, "power ratio", "dB", 10 * math.log10(0.5), "0.5 power ratio = -3.01029995664 dB."),
        (30, "dBm", "W", 1, "30 dBm = 1 W."),
    ],
)
def test_units_have_their_published_sizes(
    world: World, value: float, from_unit: str, to_unit: str, expected: float, said: str
) -> None:
    step = run(world, State(), convert_units, value=value, from_unit=from_unit, to_unit=to_unit)
    assert step.data["value"] == pytest.approx(expected, rel=1e-15)
    assert step.observation == said


@pytest.mark.parametrize(
    ("value", "from_unit", "to_unit", "reason"),
    [
        (5, "km", "kg", "kilometres cannot be converted to kg: the one is a length, the other a mass."),
        (5, "kilometrs", "m", "There is no unit 'kilometrs'. Did you mean kilometer?"),
        (-300, "C", "K", "-300 °C is below absolute zero, which is -273.15 °C; give a temperature above it."),
        (0, "ratio", "dB", "0 ratio has no level in decibels; only what is above 0 has one."),
        (1e5, "dB", "ratio", "100000 dB is more than a number can hold; levels go to 3,000 dB."),
        (
            5,
            "dB",
            "km",
            "A level in dB is converted to or from a power ratio or an amplitude ratio, not 'km'.",
        ),
        (1e308, "light years", "nm", "1e+308 light years in nanometres is more than a number can hold."),
        (5, "9**9**9", "m", "'9**9**9' is not a unit; write one such as km, m/s^2, hectares or degrees C."),
    ],
)
def test_what_is_no_conversion_is_refused(
    world: World, value: float, from_unit: str, to_unit: str, reason: str
) -> None:
    step = run(world, State(), convert_units, value=value, from_unit=from_unit, to_unit=to_unit)
    assert (step.failed, step.observation) == (True, reason)
