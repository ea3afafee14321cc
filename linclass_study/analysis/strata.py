"""Comparisons within strata of data sets, which the study declares by `strata:` (docs/statistics.md).

A bound belongs to the stratum below it. All strata compare the same methods, each with its own tests and corrections.

tables/strata_datasets.csv    data sets × properties: values and strata
tables/strata_ranks.csv       methods in each stratum: mean rank, and Nemenyi's p against its best method
tables/strata_pairs.csv       pairs of methods in each stratum: mean difference with its interval, tests, and the strata
                              of the same property whose intervals are disjoint from this one
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from linclass.evaluation import metrics
from linclass.evaluation.comparisons.bayesian import bayesian_signed_rank
from linclass.evaluation.comparisons.friedman_test import ranks
from linclass_study.analysis.across_datasets import ComparisonAcross, bootstrap_means
from linclass_study.analysis.export import STRATA
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.within_dataset import rope_of
from linclass_study.files.tables import AND, write_csv

MIN_TESTED = 10
DRAWS = 10_000  # of the Bayesian signed-rank test, for thousands of pairs
ALL = "all data sets"

Facts = Mapping[str, Any]
PROPERTIES: dict[str, Callable[[Facts], float]] = {  # of the checks of a data set (results/checks)
    "rows_per_column": lambda facts: facts["rows"] / max(facts["design_columns"], 1),
    "classes": lambda facts: len(facts["classes"]),
    "category_share": lambda facts: facts["categorical"] / max(facts["features"], 1),
    "missing_values": lambda facts: facts["missing_values"],
    "largest_class_share": lambda facts: max(facts["classes"].values()) / facts["rows"],
}
BY_NAME = ("domain",)  # given by the entry

# columns of the tables of ranks and of pairs
RANKS: dict[str, Any] = {
    "property": pl.String, "stratum": pl.String, "data_sets": pl.Int64, "method": pl.String,
    "mean_score": pl.Float64, "mean_rank": pl.Float64, "rank_lower": pl.Float64, "rank_upper": pl.Float64,
    "p_best": pl.Float64, "critical_difference": pl.Float64, "friedman_p": pl.Float64,
}  # fmt: skip
PAIRS: dict[str, Any] = {
    "property": pl.String, "stratum": pl.String, "data_sets": pl.Int64, "method": pl.String, "against": pl.String,
    "mean_difference": pl.Float64, "lower": pl.Float64, "upper": pl.Float64, "wins": pl.Int64, "ties": pl.Int64,
    "losses": pl.Int64, "p": pl.Float64, "p_holm": pl.Float64, "better": pl.Float64, "equal": pl.Float64,
    "worse": pl.Float64, "differs_from": pl.String,
}  # fmt: skip


class Stratum(NamedTuple):
    property: str
    name: str
    base: ComparisonAcross


def write_strata(outcome: Outcome, base: ComparisonAcross) -> None:
    """Write the three tables of the strata that the study declares; without strata, remove those of before."""
    files = [outcome.results / "tables" / f"{name}.csv" for name in STRATA]
    for file in files:
        file.unlink(missing_ok=True)
    if not (declared := outcome.evaluation.get("strata")):
        return
    of_datasets = datasets_table(outcome, declared, base)
    all_strata = list(strata(of_datasets, declared, base))
    rope = rope_of(outcome.evaluation)
    frames = of_datasets, ranks_of_strata(all_strata), pairs_of_strata(all_strata, rope)
    for file, frame in zip(files, frames, strict=True):
        write_csv(frame, file)


def datasets_table(
    outcome: Outcome, declared: Mapping[str, Sequence[float]], base: ComparisonAcross
) -> pl.DataFrame:
    """Each data set with its properties, its strata, and whether it counts in comparisons."""
    rows: list[dict[str, Any]] = []
    for name, entry in outcome.datasets.items():
        row: dict[str, Any] = {"dataset": name, "counts": name in base.datasets}
        facts = outcome.checks(name)
        for key, bounds in declared.items():
            if key in BY_NAME:
                row[key] = row[f"{key}_stratum"] = entry.get(key)
                continue
            row[key] = value = _value(key, facts)
            row[f"{key}_stratum"] = None if value is None else stratum_name(value, bounds)
        rows.append(row)
    return pl.DataFrame(rows, infer_schema_length=None)


def _value(key: str, facts: Facts) -> float | None:
    """A property of a data set; None if it is unavailable, or if a check was too expensive for it."""
    if not facts.get("rows"):
        return None
    try:
        return float(PROPERTIES[key](facts))
    except (KeyError, TypeError):
        return None


def stratum_name(value: float, bounds: Sequence[float]) -> str:
    """≤ 10, > 10 to 100, > 100, or 0; the value itself without bounds."""
    if not bounds:
        return f"{value:g}"
    bounds = sorted(bounds)
    place = bisect_left(bounds, value)
    if place == 0:
        return f"≤ {bounds[0]:g}" if bounds[0] else "0"  # no property is negative
    above = f"> {bounds[place - 1]:g}"
    return above if place == len(bounds) else f"{above} to {bounds[place]:g}"


def strata(
    table: pl.DataFrame, declared: Mapping[str, Sequence[float]], base: ComparisonAcross
) -> Iterator[Stratum]:
    """All data sets, followed by the strata of each property in the order of its values."""
    yield Stratum(ALL, ALL, base)
    counted = table.filter("counts")
    for key in declared:
        with_value = counted.drop_nulls(f"{key}_stratum").sort(key, maintain_order=True)
        for (name,), of_stratum in with_value.group_by(f"{key}_stratum", maintain_order=True):
            yield Stratum(key, str(name), base.among(of_stratum["dataset"].to_list()))


def _tested(base: ComparisonAcross) -> bool:
    return base.enough and len(base.datasets) >= MIN_TESTED


def ranks_of_strata(all_strata: Sequence[Stratum]) -> pl.DataFrame:
    """One row per stratum and method, best mean rank first; `p_best` is Nemenyi's p against the best method."""
    frames = [pl.DataFrame(schema=RANKS)]
    for stratum in all_strata:
        base = stratum.base
        if not base.methods or not base.datasets:
            continue
        ranked = np.array(ranks(base.table))
        sign = 1.0 if metrics.greater_is_better(base.metric) else -1.0
        columns: dict[str, Any] = {
            "method": base.methods,
            "mean_score": sign * base.table.mean(axis=0),
            "mean_rank": ranked.mean(axis=0),
        }
        if base.enough_for_intervals:
            columns["rank_lower"], columns["rank_upper"] = bootstrap_means(ranked)
        if _tested(base):
            columns["p_best"] = base.nemenyi.p[int(np.argmin(ranked.mean(axis=0)))]
            columns["critical_difference"] = float(base.nemenyi.critical_difference)
            if base.friedman is not None:
                columns["friedman_p"] = float(base.friedman.f_p)
        frames.append(_in_stratum(stratum, columns, RANKS).sort("mean_rank", "method"))
    return pl.concat(frames)


def pairs_of_strata(all_strata: Sequence[Stratum], rope: float) -> pl.DataFrame:
    """One row per stratum and pair of methods, in the study's order."""
    frames = [pl.DataFrame(schema=PAIRS)]
    intervals = {stratum[:2]: _intervals(stratum.base) for stratum in all_strata}
    for stratum in all_strata:
        key, name, base = stratum
        if len(base.methods) < 2 or not base.datasets:
            continue
        i, j = np.triu_indices(len(base.methods), 1)
        names, p = np.array(base.methods), base.pairs
        columns: dict[str, Any] = {"method": names[i], "against": names[j]}
        columns |= {"mean_difference": p.difference[i, j], "wins": p.wins[i, j]}
        columns |= {"ties": p.ties[i, j], "losses": p.losses[i, j]}
        interval = intervals[key, name]
        if interval is not None:
            others = [other for other in all_strata if other.property == key and other.name != name]
            apart = [
                (other.name, _disjoint(interval, intervals[key, other.name])) for other in others
            ]
            columns |= {"lower": interval[0], "upper": interval[1]}
            columns["differs_from"] = [
                AND.join(other for other, differs in apart if differs[k]) for k in range(len(i))
            ]
        if _tested(base):
            columns |= {"p": p.p[i, j], "p_holm": p.adjusted[i, j]}
            posterior = bayesian_signed_rank(base.table, rope, draws=DRAWS)
            columns |= {side: part[i, j] for side, part in posterior._asdict().items()}
        frames.append(_in_stratum(stratum, columns, PAIRS))
    return pl.concat(frames)


def _in_stratum(one: Stratum, columns: dict[str, Any], schema: Any) -> pl.DataFrame:
    """The columns of the schema, with nulls for those that are not given."""
    about = {"property": one.property, "stratum": one.name, "data_sets": len(one.base.datasets)}
    return pl.DataFrame({**dict.fromkeys(schema), **about, **columns}).cast(schema)


Interval = tuple[np.ndarray, np.ndarray]


def _intervals(base: ComparisonAcross) -> Interval | None:
    """Interval of the mean difference of each pair."""
    if not base.enough_for_intervals or len(base.methods) < 2:
        return None
    i, j = np.triu_indices(len(base.methods), 1)
    return bootstrap_means(base.table[:, i] - base.table[:, j])


def _disjoint(a: Interval, b: Interval | None) -> np.ndarray:
    return np.zeros(len(a[0]), bool) if b is None else (a[0] > b[1]) | (a[1] < b[0])
