"""How the texts of a column are written: how many are blank or differ in case alone, and their forms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

MAX_COMPARED = 200_000
"""Of a column of more different texts, neither its forms are told nor how many are alike."""
MAX_FORMS = 8
"""So many forms of a column are told; what is written in others is counted together."""
OTHERS = "others"
_FEW = 0.8
"""Of more forms the first are told where they are those of so large a share of the cells."""
_TRIED = 1_000
"""By so many different texts it is seen at first whether there are few forms."""
_FORM_CHARS = 40
_WHITE = r"[\s\pZ]+"
_CODE = r"^\s*0\d"
"""What no number begins with, but a code does."""
_PLAIN_TIME = r"^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?Z?$"


@dataclass(frozen=True)
class Written:
    """The texts of a column."""

    different: pd.Series[Any]
    """Each text once that is not blank, in the order in which they come."""
    counts: list[int]
    """How many cells have it."""
    blank: int
    """Cells that are empty, or white space."""
    alike: int
    """How many differ once case, and white space around them and in them, are made alike.

    As many as differ where these are more than `MAX_COMPARED`.
    """


def written(there: pd.Series[Any]) -> Written:
    """What is in the cells of a column of text that have a value."""
    import pandas as pd
    import pyarrow as pa
    import pyarrow.compute as pc

    found = there.value_counts(sort=False)
    different, counts = pd.Series(found.index, dtype=there.dtype), found.to_numpy()
    whole = texts_of(different)
    full = pc.not_equal(pc.utf8_trim_whitespace(whole), "").to_numpy(zero_copy_only=False).astype(bool)
    alike = int(full.sum())
    if alike <= MAX_COMPARED:
        alike = int(pc.count_distinct(pc.utf8_lower(_one_space(whole.filter(pa.array(full))))).as_py())
    blank = int(counts[~full].sum())
    return Written(different[full].reset_index(drop=True), counts[full].tolist(), blank, alike)


def forms_of(texts: Written, *, numbers: bool) -> dict[str, int]:
    """`{"99/99/9999": 36, "9999-99-99": 18}`: how many cells are written in each form, the most first.

    Letters are told as one `a`, a digit as `9`; where that makes too many forms, digits in a row as `9+`.
    Nothing is told of one form alone, of too many forms or texts, of texts that most often have no digit, and
    of `numbers` whose form is clear: all that have no 0 in front as codes have. What is in forms that are too
    rare to be told is counted under `others`.
    """
    import pyarrow.compute as pc

    if not 0 < len(texts.different) <= MAX_COMPARED:
        return {}
    step = max(1, len(texts.different) // _TRIED)
    tried, whole = texts_of(texts.different.iloc[::step]), texts_of(texts.different)
    if numbers and not pc.any(pc.match_substring_regex(whole, _CODE)).as_py():
        return {}
    if not _told(_counted(_form(tried, runs=True), texts.counts[::step])):
        return {}
    exact = _counted(_form(whole, runs=False), texts.counts)
    forms = exact if len(exact) <= MAX_FORMS else _told(_counted(_form(whole, runs=True), texts.counts))
    return forms if len(forms) > 1 else {}


def ordered_as_text(texts: pd.Series[Any]) -> bool:
    """Whether times are written so alike that the order of the texts is that of the times."""
    import pyarrow.compute as pc

    found = texts_of(texts)
    lengths = pc.min_max(pc.utf8_length(found)).as_py()
    same = lengths["min"] == lengths["max"]
    return bool(same and pc.all(pc.match_substring_regex(found, _PLAIN_TIME)).as_py())


def texts_of(column: pd.Series[Any]) -> pa.Array:
    """Texts as Arrow has them; half a letter, as JSON can hold it, is a question mark."""
    import pyarrow as pa

    try:
        found = pa.array(column, pa.string(), from_pandas=True)
    except (pa.ArrowException, UnicodeError):
        found = pa.array([str(each).encode("utf-8", "replace").decode() for each in column], pa.string())
    return found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found


def _one_space(texts: pa.Array) -> pa.Array:
    import pyarrow.compute as pc

    return pc.utf8_trim(pc.replace_substring_regex(texts, _WHITE, " "), " ")


def _form(texts: pa.Array, *, runs: bool) -> pa.Array:
    """The form of each text."""
    import pyarrow.compute as pc

    letters = pc.replace_substring_regex(_one_space(texts), r"\pL[\pL\pM]*", "a")
    made = pc.replace_substring_regex(letters, r"\p{Nd}+" if runs else r"\p{Nd}", "9+" if runs else "9")
    return pc.utf8_slice_codeunits(made, 0, _FORM_CHARS)


def _counted(forms: pa.Array, counts: list[int]) -> dict[str, int]:
    """How many cells have each form, the most first; nothing where most have no digit."""
    import pandas as pd

    found = pd.Series(counts).groupby(forms.to_pandas().to_numpy(), sort=True).sum()
    found = found.sort_values(ascending=False, kind="stable")
    with_digits = found[[("9" in str(each)) for each in found.index]].sum()
    return {str(key): int(count) for key, count in found.items()} if 2 * with_digits >= found.sum() else {}


def _told(forms: dict[str, int]) -> dict[str, int]:
    """The forms of most cells, and how many have others; nothing where too many have a form of their own."""
    if len(forms) <= MAX_FORMS:
        return forms
    first = dict(list(forms.items())[: MAX_FORMS - 1])
    left = sum(forms.values()) - sum(first.values())
    return {**first, OTHERS: left} if sum(first.values()) >= _FEW * sum(forms.values()) else {}
