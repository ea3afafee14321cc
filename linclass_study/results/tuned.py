"""tables/tuned.csv: the value of each parameter that inner cross-validation or the estimator itself chose in each fit.

An estimator such as TunedClassifier or LogisticRegressionCV chooses while it is fitted; its parameters are those of the
fit that the method's entry does not give. `edge` is `lowest` or `highest` if the value is an end of its numeric grid,
beyond which a better one may exist. A path is as long as it was extended; its end is none on a plateau, where all
candidates of the last decade have the same scores, so that nothing changes any more. For leave-one-out, which is one
planned fit, the value is the most frequent one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import polars as pl

from linclass.selection import tuning
from linclass.selection.paths import BEYOND, STRENGTHS
from linclass_study.fit_statuses import FITTED
from linclass_study.results.outcome import Outcome
from linclass_study.results_files import scan_parquet
from linclass_study.table_files import FIT, write_csv

SCHEMA = {"parameter": pl.String, "value": pl.String, "edge": pl.String}
# of the values of parameters
LIMITS = {
    **dict.fromkeys(["shrinkage", "reg_param", "l1_ratio", "pooling"], (0, 1)),
    **dict.fromkeys(["subclasses", "n_components", "components"], (1,)),
}


def write_tuned(outcome: Outcome) -> None:
    write_csv(tuned_table(outcome), outcome.results / "tables" / "tuned.csv")


def tuned_table(outcome: Outcome) -> pl.DataFrame:
    """Columns dataset, method, protocol, repeat, fold, parameter, value (JSON) and edge, for all fits that chose."""
    fits = scan_parquet(outcome.results / "fits.parquet")
    return tuned_of(outcome, fits.select(*FIT, "status", "params").collect())


def tuned_of(outcome: Outcome, fits: pl.DataFrame) -> pl.DataFrame:
    """The same for the given fits."""
    known = pl.col("method").is_in(list(outcome.methods))
    fits = fits.filter(known, pl.col("status").is_in(FITTED)).select(*FIT, "params")
    rows = [
        (method, params, _by_candidates(spec), parameter, json.dumps(value), edge(value, spec))
        for method, params in fits.select("method", "params").unique().iter_rows()
        for parameter, value, spec in _chosen(params, outcome.methods[method])
    ]
    columns = {"method": pl.String, "params": pl.String, "by_candidates": pl.Boolean, **SCHEMA}
    found = pl.DataFrame(rows, schema=columns, orient="row")
    found = fits.join(found, on=["method", "params"])
    runs = found.filter("by_candidates").select("dataset", "method").unique().sort(pl.all())
    ends = [_edges_among_candidates(outcome, found, *run) for run in runs.iter_rows()]
    found = pl.concat([found.filter(~pl.col("by_candidates")), *ends])
    return found.select(*FIT, *SCHEMA).sort(*FIT, "parameter")


def at_the_edge(outcome: Outcome) -> list[dict[str, Any]]:
    """Methods and parameters with the data sets on which more than half of the fits selected the same end of the grid,
    so that the grid should be extended."""
    every = tuned_of(outcome, outcome.fits)
    fits = every.group_by("dataset", "method", "protocol", "parameter").len("fits")
    often = (
        every.filter(pl.col("edge").is_not_null())
        .group_by("dataset", "method", "protocol", "parameter", "edge")
        .agg(times=pl.len(), value=pl.col("value").sort().mode().first())
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
    if _by_candidates(spec):
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


def _by_candidates(spec: Any) -> bool:
    """Whether the ends are those of the candidates of each fit: of a path, or of what an estimator tried itself."""
    return spec is None or tuning.is_path(spec)


def _edges_among_candidates(
    outcome: Outcome, found: pl.DataFrame, dataset: str, method: str
) -> pl.DataFrame:
    """The values of a run that are an end of their path, or of what the estimator itself compared in each fit, or else
    of the grid that its entry gives."""
    own = found.filter("by_candidates", dataset=dataset, method=method)
    entry = outcome.methods[method]
    tune = entry.get("tune") or {}
    kept = outcome.kept("tuning", dataset, method)
    parts = {} if kept is None else kept.partition_by(*FIT, as_dict=True)
    edges = []
    for *fit, parameter, value in own.select(*FIT, "parameter", "value").iter_rows():
        part = parts.get(tuple(fit))
        if parameter in tune:
            edges.append(None if part is None else _end_of_path(part, parameter))
            continue
        options = [] if part is None or tune else [json.loads(params) for params in part["params"]]
        grid = [option[parameter] for option in options if parameter in option]
        grid = grid or ([] if tune else _given_grid(entry, parameter))
        edges.append(edge(json.loads(value), grid) if grid else None)
    return own.with_columns(edge=pl.Series(edges, dtype=pl.String))


def _end_of_path(candidates: pl.DataFrame, parameter: str) -> str | None:
    """The end of a path at which the chosen candidate of a fit is; None on a plateau, and at a natural limit."""
    options = [json.loads(params) for params in candidates["params"]]
    chosen = candidates["chosen"].to_list()
    last = parameter.rpartition("__")[2]
    if last not in BEYOND or True not in chosen:
        return None
    best = options[chosen.index(True)]
    others = {name: best[name] for name in best if name != parameter and last in STRENGTHS}
    mates = [
        (option[parameter], mean, error)
        for option, mean, error in zip(
            options, candidates["mean"], candidates["error"], strict=True
        )
        if others.items() <= option.items()
    ]
    which = edge(best[parameter], [value for value, *_ in mates])
    decade = [judged for value, *judged in mates if 0.0999 < value / best[parameter] < 10.001]
    flat = last in STRENGTHS and len(decade) > 1 and all(one == decade[0] for one in decade)
    return None if flat else which


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
