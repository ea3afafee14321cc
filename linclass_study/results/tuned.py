"""tables/tuned.csv: the value of each tuned parameter that inner cross-validation selected in each fit.

`edge` is `lowest` or `highest` if the value is an end of its numeric grid, beyond which a better one may exist. For
leave-one-out, which is one planned fit, the value is the most frequent one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import polars as pl

from linclass.selection import tuning
from linclass_study import table_files
from linclass_study.results.outcome import FIT, FITTED, Outcome

SCHEMA = {"parameter": pl.String, "value": pl.String, "edge": pl.String}
LIMITS = {"shrinkage": (0, 1), "reg_param": (0, 1), "l1_ratio": (0, 1)}  # of the parameters themselves


def write(outcome: Outcome) -> None:
    with table_files.aside(outcome.results / "tables" / "tuned.csv") as partial:
        table(outcome).write_csv(partial)


def table(outcome: Outcome) -> pl.DataFrame:
    """Columns dataset, method, protocol, repeat, fold, parameter, value (JSON) and edge, for all tuned methods."""
    fits = pl.scan_parquet(outcome.results / "fits.parquet")
    tuned = [name for name, entry in outcome.methods.items() if entry.get("tune")]
    own = fits.filter(pl.col("method").is_in(tuned)).select(*FIT, "status", "params")
    return of_fits(own.collect(), outcome.methods)


def of_fits(fits: pl.DataFrame, methods: Mapping[str, Mapping[str, Any]]) -> pl.DataFrame:
    """The same for the given fits."""
    tuned = {name: entry["tune"] for name, entry in methods.items() if entry.get("tune")}
    fits = fits.filter(pl.col("method").is_in(list(tuned)), pl.col("status").is_in(FITTED))
    fits = fits.select(*FIT, "params")
    rows = [
        (method, params, parameter, json.dumps(value), edge(value, tuned[method][parameter]))
        for method, params in fits.select("method", "params").unique().iter_rows()
        for parameter, value in _chosen(params, tuned[method])
    ]
    columns = {"method": pl.String, "params": pl.String, **SCHEMA}
    found = pl.DataFrame(rows, schema=columns, orient="row")
    return (
        fits.join(found, on=["method", "params"]).select(*FIT, *SCHEMA).sort(*FIT, "parameter")
    )


def at_the_edge(outcome: Outcome) -> list[dict[str, Any]]:
    """Methods and parameters with the data sets on which more than half of the fits selected the same end of the grid,
    so that the grid should be extended."""
    every = table(outcome)
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
    grid = [option[""] for option in tuning.candidates({"": spec})]
    if not all(isinstance(v, int | float) and not isinstance(v, bool) for v in grid):
        return None
    if len(set(grid)) < 3:
        return None
    return "lowest" if value == min(grid) else "highest" if value == max(grid) else None


def _chosen(params: str, tune: Mapping[str, Any]) -> list[tuple[str, Any]]:
    values = json.loads(params)
    return [(name, values[name]) for name in tune if name in values]


def _is_a_limit(parameter: str, value: str) -> bool:
    return json.loads(value) in LIMITS.get(parameter.rpartition("__")[2], ())
