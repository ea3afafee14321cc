"""tables/tuned.csv: the value of each parameter that inner cross-validation or the estimator itself chose in each fit.

An estimator such as TunedClassifier or LogisticRegressionCV chooses while it is fitted; its parameters are those of the
fit that the method's entry does not give. `edge` is `lowest` or `highest` if the value is an end of its numeric grid,
beyond which a better one may exist. For leave-one-out, which is one planned fit, the value is the most frequent one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import polars as pl

from linclass.selection import tuning
from linclass_study.fit_statuses import FITTED
from linclass_study.results.outcome import Outcome
from linclass_study.table_files import FIT
from linclass_study.unfinished_file import unfinished_file

SCHEMA = {"parameter": pl.String, "value": pl.String, "edge": pl.String}
# of the values of parameters
LIMITS = {"shrinkage": (0, 1), "reg_param": (0, 1), "l1_ratio": (0, 1)}


def write_tuned(outcome: Outcome) -> None:
    with unfinished_file(outcome.results / "tables" / "tuned.csv") as partial:
        tuned_table(outcome).write_csv(partial)


def tuned_table(outcome: Outcome) -> pl.DataFrame:
    """Columns dataset, method, protocol, repeat, fold, parameter, value (JSON) and edge, for all fits that chose."""
    fits = pl.scan_parquet(outcome.results / "fits.parquet")
    return tuned_of(outcome, fits.select(*FIT, "status", "params").collect())


def tuned_of(outcome: Outcome, fits: pl.DataFrame) -> pl.DataFrame:
    """The same for the given fits."""
    known = pl.col("method").is_in(list(outcome.methods))
    fits = fits.filter(known, pl.col("status").is_in(FITTED)).select(*FIT, "params")
    rows = [
        (method, params, spec is None, parameter, json.dumps(value), edge(value, spec))
        for method, params in fits.select("method", "params").unique().iter_rows()
        for parameter, value, spec in _chosen(params, outcome.methods[method])
    ]
    columns = {"method": pl.String, "params": pl.String, "by_itself": pl.Boolean, **SCHEMA}
    found = pl.DataFrame(rows, schema=columns, orient="row")
    found = fits.join(found, on=["method", "params"])
    by_itself = found.filter("by_itself").select("dataset", "method").unique().sort(pl.all())
    ends = [_own_edges(outcome, found, *run) for run in by_itself.iter_rows()]
    found = pl.concat([found.filter(~pl.col("by_itself")), *ends])
    return found.select(*FIT, *SCHEMA).sort(*FIT, "parameter")


def at_the_edge(outcome: Outcome) -> list[dict[str, Any]]:
    """Methods and parameters with the data sets on which more than half of the fits selected the same end of the grid,
    so that the grid should be extended."""
    every = tuned_of(outcome, outcome.fits)
    fits = every.group_by("dataset", "method", "protocol", "parameter").len("fits")
    often = (
        every.filter(pl.col("edge").is_not_null())
        .group_by("dataset", "method", "protocol", "parameter", "edge", "value")
        .len("times")
        .join(fits, on=["dataset", "method", "protocol", "parameter"])
        .filter(pl.col("times") * 2 > pl.col("fits"))
    )
    main = pl.DataFrame(
        [(name, outcome.protocol(name)) for name in outcome.datasets],
        schema=["dataset", "protocol"],
        orient="row",
    )
    often = often.join(main, on=["dataset", "protocol"]).sort("method", "parameter", "edge")
    return [
        {"method": method, "parameter": parameter, "edge": which, "value": value, "datasets": own}
        for (method, parameter, which, value), own in (
            (key, part["dataset"].sort().to_list())
            for key, part in often.group_by(
                "method", "parameter", "edge", "value", maintain_order=True
            )
            if not _is_a_limit(str(key[1]), str(key[3]))
        )
    ]


def edge(value: Any, spec: Any) -> str | None:
    """`lowest` or `highest` if the value is an end of a grid of at least three numbers; else None."""
    if spec is None:
        return None
    grid = [option[""] for option in tuning.candidates({"": spec})]
    if not all(isinstance(v, int | float) and not isinstance(v, bool) for v in grid):
        return None
    if len(set(grid)) < 3:
        return None
    return "lowest" if value == min(grid) else "highest" if value == max(grid) else None


def _chosen(params: str, entry: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """(parameter, value, grid) of what was chosen; the grid is None where the estimator chose itself."""
    values, tune, given = json.loads(params), entry.get("tune") or {}, entry.get("params") or {}
    by_folds = [(name, values[name], tune[name]) for name in tune if name in values]
    same = {name: json.dumps(value, default=str) for name, value in given.items()}
    return by_folds + [
        (name, value, None)
        for name, value in values.items()
        if name not in tune and json.dumps(value) != same.get(name)
    ]


def _own_edges(outcome: Outcome, found: pl.DataFrame, dataset: str, method: str) -> pl.DataFrame:
    """What an estimator chose itself in the fits of a run. `edge` is that of its own candidates in each fit, or else of
    the grid that its entry gives."""
    own = found.filter("by_itself", dataset=dataset, method=method)
    entry = outcome.methods[method]
    if entry.get("tune"):
        return own
    tuning = outcome.kept("tuning", dataset, method)
    parts = {} if tuning is None else tuning.partition_by(*FIT, as_dict=True)
    candidates = {
        fit: [json.loads(params) for params in part["params"]] for fit, part in parts.items()
    }
    edges = []
    for *fit, parameter, value in own.select(*FIT, "parameter", "value").iter_rows():
        options = candidates.get(tuple(fit), [])
        grid = [option[parameter] for option in options if parameter in option]
        grid = grid or _given_grid(entry, parameter)
        edges.append(edge(json.loads(value), grid) if grid else None)
    return own.with_columns(edge=pl.Series(edges, dtype=pl.String))


def _given_grid(entry: Mapping[str, Any], parameter: str) -> list[Any]:
    """The list from which scikit-learn's *CV estimators choose: `alphas` of alpha, `steps` being asked by name."""
    params = entry.get("params") or {}
    step, _, inner = parameter.partition("__")
    if inner:
        steps = dict(params.get("steps") or [])
        return _given_grid(steps.get(step, {}), inner)
    given = params.get(f"{parameter}s", params.get(parameter))
    return given if isinstance(given, list) else []


def _is_a_limit(parameter: str, value: str) -> bool:
    return json.loads(value) in LIMITS.get(parameter.rpartition("__")[2], ())
