"""Tuned values of each fit: tuned.parquet and tables/tuned.csv, and the methods that chose an end of their grids.

tuned/{dataset}.parquet and tuned.parquet also have the candidates that failed. All that the page shows of the tuning
comes from them, except for paths.

An estimator such as TunedClassifier or LogisticRegressionCV chooses while it is fitted; its parameters are those of the
fit that the method's entry does not give. `edge` is `lowest` or `highest` if the value is an end of its numeric grid,
beyond which a better one may exist: not at a natural limit of the parameter. A path is as long as it was extended; it
has no end on a plateau, where all candidates of the last decade have the same scores, so that nothing changes any more.
For leave-one-out, which is one planned fit, the value is the most frequent one.

A method chose an end if at least half of its fits on a data set did. A better value may lie beyond it, so the method's
rank may be too low.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from linclass.base.messages import counted
from linclass.evaluation import metrics
from linclass.tuning import selection
from linclass.tuning.paths import BEYOND
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.summary import concatenate_files, main_protocol_frame
from linclass_study.files.reading import naming_errors, scan_parquet
from linclass_study.files.tables import FIT, frame, write_csv, write_table
from linclass_study.statuses import FITTED

# Natural limits of parameters, beyond which there are no values; a class may name others (`limits` of
# linclass/base/estimator.py).
LIMITS = {
    **dict.fromkeys(["shrinkage", "reg_param", "l1_ratio", "pooling"], (0, 1)),
    **dict.fromkeys(["subclasses", "n_components", "components"], (1,)),
    **dict.fromkeys(["strength", "alpha", "smoothing", "var_smoothing", "threshold"], (0,)),
}


def write_tuned(outcome: Outcome, dataset: str) -> None:
    """Write tuned/{dataset}.parquet, for which every tuning.parquet of its runs is read once."""
    path = outcome.results / "tuned" / f"{dataset}.parquet"
    write_table(tuned_of(outcome, dataset), "tuned", path)


def write_tuned_table(outcome: Outcome) -> None:
    """Write tuned.parquet, all of these files as one, and of its chosen values tables/tuned.csv."""
    files = [outcome.results / "tuned" / f"{dataset}.parquet" for dataset in outcome.datasets]
    concatenate_files(files, "tuned", outcome.results / "tuned.parquet")
    table = chosen_values(outcome).select(*FIT, "parameter", "value", "edge")
    write_csv(table, outcome.results / "tables" / "tuned.csv")


def tuning_found(outcome: Outcome) -> pl.DataFrame:
    """The table `tuned` of the outcome's fits; made from the runs if its file is missing."""

    def read() -> pl.DataFrame:
        name = f"tuned/{outcome.part}.parquet" if outcome.part else "tuned.parquet"
        path, datasets = outcome.results / name, outcome.fits["dataset"].unique().sort().to_list()
        if not path.exists():
            return pl.concat([frame("tuned"), *(tuned_of(outcome, name) for name in datasets)])
        with naming_errors(path):
            found = scan_parquet(path).filter(pl.col("dataset").is_in(datasets)).collect()
        return found.filter(pl.col("method").is_in([*outcome.methods]))  # slow inside the scan

    return outcome.cached("tuned", read)


def chosen_values(outcome: Outcome) -> pl.DataFrame:
    return tuning_found(outcome).filter(pl.col("parameter").is_not_null())


def tuned_of(outcome: Outcome, dataset: str) -> pl.DataFrame:
    """What the tuning found on a data set: the values that were chosen, and the candidates that failed."""
    read = (outcome.run_table("tuning", dataset, method) for method in outcome.methods)
    tables = [frame("tuning"), *(table for table in read if table is not None)]
    tuning = pl.concat(tables, how="diagonal")
    fitted = pl.col("status").is_in(FITTED) & pl.col("method").is_in([*outcome.methods])
    fits = outcome.fits.filter(fitted, dataset=dataset).select(*FIT, "params")
    of_fits, none, rows = tuning.partition_by(*FIT, as_dict=True), tuning.clear(), []
    for *fit, params in fits.iter_rows():
        candidates, method = of_fits.get(tuple(fit), none), fit[1]
        entry, stated = outcome.methods[method], outcome.parameters.get(method, {})
        for name, value in _chosen(params, entry):
            mean = next(iter(candidates.filter("chosen")["mean"]), None)
            usual = LIMITS.get(name.rpartition("__")[2], ())
            limits = stated.get("limits", {}).get(name, usual)
            end = None if value in limits else _edge(entry, name, value, candidates)
            rows.append((*fit, name, json.dumps(value), end, mean, candidates.height))
    failed = tuning.filter(pl.col("failure").is_not_null())
    parts = [
        frame("tuned"),
        pl.DataFrame(rows, frame("tuned").drop("failure").schema, orient="row"),
        failed.select(*FIT, pl.col("params").alias("value"), "failure"),
    ]
    return pl.concat(parts, how="diagonal").sort(*FIT, "parameter", maintain_order=True)


def at_the_edge(outcome: Outcome) -> list[dict[str, Any]]:
    """Methods and parameters with the data sets on which at least half of the fits selected the same end of the grid,
    so that the grid should be extended."""
    every, of_run = chosen_values(outcome), ["dataset", "method", "protocol", "parameter"]
    fits = every.group_by(of_run).len("fits")
    often = (
        every.filter(pl.col("edge").is_not_null())
        .group_by(*of_run, "edge")
        .agg(times=pl.len(), value=pl.col("value").mode().sort().first())
        .join(fits, on=of_run)
        .filter(pl.col("times") * 2 >= pl.col("fits"))
    )
    keys = ("method", "parameter", "edge", "value")
    often = often.join(main_protocol_frame(outcome), on=["dataset", "protocol"]).sort(keys)
    groups = often.group_by(keys, maintain_order=True)
    return groups.agg(datasets=pl.col("dataset").sort()).to_dicts()


def edge(value: Any, spec: Any) -> str | None:
    """`lowest` or `highest` if the value is an end of a grid of at least two numbers; else None."""
    grid = [option[""] for option in selection.candidates({"": spec})]
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in grid)
    if not numbers or len(set(grid)) < 2:
        return None
    return "lowest" if value == min(grid) else "highest" if value == max(grid) else None


def _chosen(params: str, entry: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """(parameter, value) of the tuned parameters, then of those that the estimator selected itself."""
    values, tune, given = json.loads(params), entry.get("tune") or {}, entry.get("params") or {}
    same = {name: json.dumps(value, default=str) for name, value in given.items()}
    by_folds = [(name, values[name]) for name in tune if name in values]
    others = [(name, value) for name, value in values.items() if name not in tune]
    return by_folds + [
        (name, chosen) for name, chosen in others if json.dumps(chosen) != same.get(name)
    ]


def _edge(
    entry: Mapping[str, Any], parameter: str, value: Any, candidates: pl.DataFrame
) -> str | None:
    """The end at which a value is: of the tuned grid or path, of the candidates that the estimator compared, or else
    of the grid among its parameters."""
    tune = entry.get("tune") or {}
    if parameter in tune:
        if not selection.is_path(tune[parameter]):
            return edge(value, tune[parameter])
        return _end_of_path(candidates, parameter)
    if tune:
        return None
    options = map(json.loads, candidates["params"])
    grid = [option[parameter] for option in options if parameter in option]
    grid = grid or _given_grid(entry, parameter)
    return edge(value, grid) if grid else None


def _end_of_path(candidates: pl.DataFrame, parameter: str) -> str | None:
    """The end of a path at which the chosen candidate of a fit is; None on a plateau."""
    options = [json.loads(params) for params in candidates["params"]]
    chosen = candidates["chosen"].to_list()
    last, is_strength = parameter.rpartition("__")[2], selection.is_strength(parameter)
    if last not in BEYOND or True not in chosen:
        return None
    best = options[chosen.index(True)]
    others = {name: best[name] for name in best if name != parameter and is_strength}
    scores = candidates.select("mean", "error").rows()
    mates = [
        (option[parameter], *score)
        for option, score in zip(options, scores, strict=True)
        if others.items() <= option.items()
    ]
    which = edge(best[parameter], [value for value, *_ in mates])
    decade = [judged for value, *judged in mates if 0.0999 < value / best[parameter] < 10.001]
    flat = is_strength and len(decade) > 1 and all(scores == decade[0] for scores in decade)
    return None if flat else which


def _given_grid(entry: Mapping[str, Any], parameter: str) -> list[Any]:
    """The list from which scikit-learn's *CV estimators choose, such as `alphas`; also of a step of a pipeline."""
    params = entry.get("params") or {}
    step, _, inner = parameter.partition("__")
    if inner:
        steps = dict(params.get("steps") or [])
        return _given_grid(steps.get(step, {}), inner)
    grid = params.get(f"{parameter}s", params.get(parameter))
    return grid if isinstance(grid, list) else []


MARK = "†"
NAMES = 3  # methods named in the answer; the others are counted


def grid_ends(outcome: Outcome) -> dict[str, str]:
    """Method → 'logistic_l1 chose the lowest strength of its grid on 10 of 10 data sets', in the study's order."""

    def find() -> dict[str, str]:
        datasets: dict[tuple[str, str, str], set[str]] = {}
        for one in at_the_edge(outcome):
            key = one["method"], one["parameter"], one["edge"]
            datasets.setdefault(key, set()).update(one["datasets"])
        fitted = outcome.fits.filter(pl.col("status").is_in(FITTED))
        total = dict(fitted.group_by("method").agg(pl.col("dataset").n_unique()).iter_rows())
        chose: dict[str, list[str]] = {}
        for (method, parameter, end), names in datasets.items():
            tune = outcome.methods[method].get("tune") or {}
            kind = "path" if tune.get(parameter) == "path" else "grid"
            where = f"{len(names)} of {total[method]} data sets"
            where = where if total[method] > 1 else next(iter(names))
            chose.setdefault(method, []).append(f"the {end} {parameter} of its {kind} on {where}")
        return {m: f"{m} chose {' and '.join(chose[m])}" for m in outcome.methods if m in chose}

    return outcome.cached("grid_ends", find)


def marked(outcome: Outcome, names: Iterable[str], labels: Mapping[str, str] = {}) -> list[str]:
    """The names of methods, or their labels, with the mark where it applies."""
    ends = grid_ends(outcome)
    return [labels.get(name, name) + MARK * (name in ends) for name in names]


def marked_labels(outcome: Outcome, names: Iterable[str]) -> list[str]:
    return marked(outcome, names, outcome.labels.methods)


def grid_end_note(outcome: Outcome, names: Iterable[str]) -> str:
    """A sentence for captions that explains the mark; empty if none of the methods has it."""
    label, ends = outcome.labels.methods, grid_ends(outcome)
    marked_methods = [name for name in dict.fromkeys(names) if name in ends]
    sentences = [label[name] + ends[name].removeprefix(name) for name in marked_methods]
    if not sentences:
        return ""
    if len(sentences) == 1:
        return f" {MARK} {sentences[0]}: its score {_may_be_worse(outcome.metric)}."
    return (
        f" {MARK} At least half of the fits on some data set chose an end of the method’s grid, so its score "
        f"{_may_be_worse(outcome.metric)} (tables/at_the_edge.csv)."
    )


def grid_end_sentences(metric: str, tuned: int, ends: Mapping[str, str]) -> list[str]:
    """Sentences of the answer about the `ends` of grids that methods chose, of so many tuned ones."""
    each = [*ends.values()]
    if tuned and not each:
        return [f"0 of {counted(tuned, 'tuned method')} at an end of a path or grid."]
    sentences = [f"{one}: its score {_may_be_worse(metric)}." for one in each[:NAMES]]
    if (more := len(each) - NAMES) > 0:
        others = counted(more, "other method")
        sentences.append(f"So did {others} with an end of a grid (tables/at_the_edge.csv).")
    return sentences


def _may_be_worse(metric: str) -> str:
    return f"may be too {'low' if metrics.greater_is_better(metric) else 'high'}"
