"""How columns of numbers go together: correlation, regression, principal components."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from state.model import State
from tools.artifacts import Call
from tools.base import Step, ToolError, World, tool
from tools.data.computed import (
    Floats,
    at_most,
    complete,
    matrix,
    measured,
    need_rows,
    rounded,
    rounded_all,
    spread_of,
)  # fmt: skip
from tools.data.summaries import Column, TableOrSelection
from tools.phrases import listed, number, number_of
from tools.tables import plain_value, table_step
from tools.units import Names

MAX_ROWS = 2_000_000
MAX_KENDALL = 100_000

Numbers = Annotated[
    Names | None,
    Field(
        description="Columns of numbers; all of a table, or gsd_m, cloud_pct and detections of the selection."
    ),
]


@tool("data", changes_state=True, gives=("table",))
def correlation(
    state: State,
    world: World,
    *,
    columns: Numbers = None,
    method: Annotated[
        Literal["pearson", "spearman", "kendall"],
        Field(description="Straight-line (pearson), or of the ranks (spearman, kendall's tau-b)."),
    ] = "pearson",
    table: TableOrSelection = None,
) -> Step:
    """Correlate two or more columns of numbers: a matrix, and each pair's coefficient with its p-value.

    Pairwise: a row counts for a pair when it has both numbers. Two-sided p-values by scipy.stats: exact or
    Student's t for pearson, t for spearman, exact or normal for kendall. Constant columns have none.

    Example: copilot call correlation columns=cloud_pct,detections method=spearman

    Asked as: do cloud cover and resolution go together | correlation matrix | how strongly are the two
    columns related | Spearman correlation of gsd and detections | Pearson r with p value | is there a
    correlation between them | Kendall's tau
    """
    frame, names = measured(state, world, table, columns, 2)
    at_most(len(frame), MAX_KENDALL if method == "kendall" else MAX_ROWS, "This correlation", "narrow it")
    values = matrix(frame, names)
    found = {
        (i, j): _correlated(values[:, i], values[:, j], method)
        for i in range(len(names))
        for j in range(i + 1, len(names))
    }
    cells = np.full((len(names), len(names)), np.nan)
    for number_, each in enumerate(values.T):
        cells[number_, number_] = 1.0 if np.nanmin(each) < np.nanmax(each) else np.nan
    for (i, j), (r, _, _) in found.items():
        cells[i, j] = cells[j, i] = r
    result = pd.DataFrame({"column": names} | {name: cells[:, i] for i, name in enumerate(names)})
    pairs = [
        {"x": names[i], "y": names[j], "r": plain_value(r), "p": plain_value(p), "n": n}
        for (i, j), (r, p, n) in found.items()
    ]
    pairs.sort(key=lambda pair: (-abs(pair["r"]) if pair["r"] is not None else 1, pair["x"], pair["y"]))
    said = f"{method.capitalize()} correlation: {listed([_pair_in_words(each) for each in pairs], 5)}."
    call = Call.of(correlation, columns=columns, method=method, table=table)
    facts: dict[str, Any] = {"method": method, "pairs": pairs}
    if len(pairs) == 1:
        facts |= {"r": pairs[0]["r"], "p": pairs[0]["p"], "n": pairs[0]["n"]}
    return table_step(state, world, result, call, f"{method.capitalize()} correlation", said, **facts)


@tool("data", changes_state=True, gives=("table",))
def regression(
    state: State,
    world: World,
    *,
    y: Annotated[Column, Field(description="The column that is explained.")],
    x: Annotated[Names, Field(description="The columns that explain it.")],
    table: TableOrSelection = None,
) -> Step:
    """Fit a straight line or plane by least squares: coefficients with errors and p-values, R², F test.

    Ordinary least squares with an intercept (statsmodels), over the rows that have every number.

    Example: copilot call regression y=detections x=cloud_pct

    Asked as: regress detections on cloud cover | fit a line through the two columns | linear model of the
    count | how much does y change per unit of x | least squares with R squared | which of the columns
    explains it | multiple regression
    """
    import statsmodels.api as sm

    frame, names = measured(state, world, table, [y, *x], 2)
    outcome, explaining = names[0], names[1:]
    at_most(len(frame), MAX_ROWS, "A regression", "narrow the selection")
    values = matrix(frame, names)
    values = values[complete(values)]
    need_rows(len(values), len(names) + 1, "with all these numbers to fit")
    spread = spread_of(values[:, 1:], explaining)
    if np.abs(values).max() > 1e100:
        raise ToolError(
            "The columns hold numbers too large to fit, beyond 1e100; scale them with add_column."
        )
    scaled = (values[:, 1:] - values[:, 1:].mean(axis=0)) / spread
    if np.linalg.matrix_rank(np.column_stack([np.ones(len(scaled)), scaled])) < len(names):
        raise ToolError(f"{listed(explaining)} say the same of every row; leave one of them out.")
    with np.errstate(all="ignore"):
        fitted = sm.OLS(values[:, 0], sm.add_constant(values[:, 1:], has_constant="add")).fit()
        limits = fitted.conf_int(0.05)
        result = pd.DataFrame(
            {
                "term": ["intercept", *explaining],
                "coefficient": rounded_all(fitted.params),
                "standard_error": rounded_all(fitted.bse),
                "t": rounded_all(fitted.tvalues),
                "p": rounded_all(fitted.pvalues),
                "low_95": rounded_all(limits[:, 0]),
                "high_95": rounded_all(limits[:, 1]),
            }
        )
        facts: dict[str, Any] = {
            "r2": _finite(fitted.rsquared),
            "r2_adjusted": _finite(fitted.rsquared_adj),
            "f": _finite(fitted.fvalue),
            "p": _finite(fitted.f_pvalue),
            "n": len(values),
            "coefficients": {
                term: plain_value(each)
                for term, each in zip(result["term"], result["coefficient"], strict=True)
            },
        }
    slopes = "".join(
        f" {'-' if each < 0 else '+'} {abs(each):.5g} × {term}"
        for term, each in list(facts["coefficients"].items())[1:]
    )
    said = (
        f"{outcome} = {result['coefficient'][0]:.5g}{slopes}, over {number_of(len(values), 'row')}: "
        f"R² {_said(facts['r2'])}, F {_said(facts['f'])}, p {_said(facts['p'])}."
    )
    call = Call.of(regression, y=y, x=x, table=table)
    return table_step(state, world, result, call, f"Regression of {outcome}"[:100], said, y=outcome, **facts)


@tool("data", changes_state=True, gives=("table",))
def pca(
    state: State,
    world: World,
    *,
    columns: Numbers = None,
    components: Annotated[int, Field(ge=1, le=30, description="How many components are kept.")] = 2,
    scale: Annotated[bool, Field(description="Bring every column to the same spread first.")] = True,
    table: TableOrSelection = None,
) -> Step:
    """Reduce columns of numbers to principal components: scores, loadings and the variance they keep.

    By singular value decomposition (scikit-learn), of the columns' correlations when scaled and else of their
    covariances. Each component points to where its largest loading is positive. Rows that miss a number have
    no scores.

    Example: copilot call pca columns=gsd_m,detections,lat components=2

    Asked as: principal component analysis | reduce these columns to two dimensions | PCA of the measurements
    | which combination of columns carries the most variance | loadings of the first component | how many
    components do I need
    """
    from sklearn.decomposition import PCA

    frame, names = measured(state, world, table, columns, 2)
    at_most(len(frame), MAX_ROWS, "PCA", "narrow the selection")
    if columns is None:  # what never changes has nothing to say, and was not asked for
        names = [name for name in names if frame[name].nunique() > 1]
        if len(names) < 2:
            raise ToolError("Fewer than two of its columns of numbers ever change; name two others.")
    values = matrix(frame, names)
    whole = complete(values)
    need_rows(int(whole.sum()), 2, "with all these numbers to reduce")
    inside = values[whole]
    spread = spread_of(inside, names)
    if np.abs(inside).max() > 1e100:
        raise ToolError(
            "The columns hold numbers too large to reduce, beyond 1e100; scale them with add_column."
        )
    centred = inside - inside.mean(axis=0)
    kept = min(components, len(names), len(inside) - 1)
    fitted = PCA(n_components=kept, svd_solver="full").fit(centred / spread if scale else centred)
    loadings, signs = _signed(np.asarray(fitted.components_))
    scores = np.asarray(fitted.transform(centred / spread if scale else centred)) * signs
    result = frame.copy()
    for number_ in range(kept):
        column = np.full(len(frame), np.nan)
        column[whole] = rounded_all(scores[:, number_])
        result[_free(result, f"pc{number_ + 1}")] = column
    parts: list[dict[str, Any]] = [
        {
            "component": f"pc{number_ + 1}",
            "variance": rounded(float(fitted.explained_variance_[number_])),
            "share": rounded(float(fitted.explained_variance_ratio_[number_])),
            "loadings": dict(zip(names, rounded_all(loadings[number_]), strict=True)),
        }
        for number_ in range(kept)
    ]
    said = (
        f"{number_of(kept, 'component')} of {listed(names)} over {number_of(len(inside), 'row')}: "
        f"{listed([_component_in_words(each) for each in parts], 5)}."
    )
    call = Call.of(pca, columns=columns, components=components, scale=scale, table=table)
    facts: dict[str, Any] = {
        "components": parts,
        "n": len(inside),
        "share": rounded(sum(each["share"] for each in parts)),
    }
    return table_step(state, world, result, call, "Principal components", said, **facts)


def _correlated(x: Floats, y: Floats, method: str) -> tuple[float, float, int]:
    """(coefficient, p, rows): not-a-number where two rows or a change in one of them is missing."""
    from scipy import stats

    both = ~(np.isnan(x) | np.isnan(y))
    x, y = x[both], y[both]
    if len(x) < 2 or x.min() == x.max() or y.min() == y.max():
        return np.nan, np.nan, len(x)
    test = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}[method]
    with np.errstate(all="ignore"):
        found = test(x, y)
    p = float(found.pvalue) if len(x) > 2 else np.nan
    return rounded(float(found.statistic)), rounded(p), len(x)


def _signed(components: Floats) -> tuple[Floats, Floats]:
    """(components, their signs) such that each one's largest loading is positive; of equal ones the first."""
    sizes = np.round(np.abs(components), 9)
    largest = components[np.arange(len(components)), sizes.argmax(axis=1)]
    signs: Floats = np.where(largest < 0, -1.0, 1.0)
    return components * signs[:, None], signs


def _free(frame: pd.DataFrame, name: str) -> str:
    while name in frame:
        name = f"{name}_new"
    return name


def _pair_in_words(pair: dict[str, Any]) -> str:
    if pair["r"] is None:
        return f"{pair['x']} and {pair['y']} none, as one of them never changes"
    p = "" if pair["p"] is None else f", p {number(pair['p'])}"
    return f"{pair['x']} and {pair['y']} {number(pair['r'])} ({number_of(pair['n'], 'row')}{p})"


def _component_in_words(part: dict[str, Any]) -> str:
    loadings = ", ".join(f"{name} {value:+.3g}" for name, value in part["loadings"].items())
    return f"{part['component']} {100 * part['share']:.1f}% of the variance ({loadings})"


def _finite(value: float) -> float | None:
    plain = plain_value(rounded(float(value)))
    return None if plain is None else float(plain)


def _said(value: float | None) -> str:
    return "none" if value is None else number(value)


TOOLS = (correlation, regression, pca)
