"""Results over all data sets: tables of scores, fits and ranks, study.json, verdict.json and the answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from linclass.evaluation import metrics
from linclass_study.analysis import across_datasets
from linclass_study.analysis.answer import answer
from linclass_study.analysis.export import export_table
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.sentences import sentences
from linclass_study.analysis.strata import write_strata
from linclass_study.analysis.study_file import StudyDescription, write_study
from linclass_study.analysis.summary import write_summary
from linclass_study.analysis.tuned_values import grid_end_note, grid_ends, marked, write_tuned_table
from linclass_study.analysis.verdict import no_ranking, study_verdict
from linclass_study.analysis.within_dataset import same_predictions
from linclass_study.files.writing import write_json


def aggregate(outcome: Outcome, study: StudyDescription, report: str) -> None:
    """Write all results over several data sets except the page: tables of scores, fits and tuned values, the comparison
    of the methods, study.json, and the answer, which names the path of the `report`."""
    scores, fits = (
        [outcome.results / table / f"{dataset}.parquet" for dataset in outcome.datasets]
        for table in ("scores", "fits")
    )
    write_summary(outcome.results, scores, fits)
    write_study(study)
    write_tuned_table(outcome)
    write_across(outcome)
    text = answer(outcome, report)
    (outcome.results / "answer.txt").write_text(text, encoding="utf-8")


def write_across(outcome: Outcome) -> None:
    """Write the tables of the comparison and of the strata, verdict.json, and across.json: the sentences, and the data
    sets and methods that took part."""
    base = across_datasets.write_comparison(outcome)
    write_json(outcome.results / "tables" / "verdict.json", study_verdict(outcome))
    tried = across_datasets.scenarios(outcome, base)
    grid_end = pl.col("method").is_in([*grid_ends(outcome)])
    frames = {
        "ranks": ranks_table(base).with_columns(grid_end=grid_end),
        "pairwise": pairwise_table(base),
        "sensitivity": sensitivity_table(tried),
    }
    for name, frame in frames.items():
        note = grid_end_note(outcome, base.methods)
        export_table(frame, outcome.results / "tables" / name, _marked(outcome, frame), note)
    write_strata(outcome, base)
    record = {
        "metric": base.metric,
        "datasets": base.datasets,
        "methods": base.methods,
        "incomplete": base.every.incomplete,
        "few": no_ranking(base),
        "sentences": [*sentences(outcome, base, tried), *same_predictions(outcome)],
    }
    write_json(conclusions_path(outcome), record)


def _marked(outcome: Outcome, frame: pl.DataFrame) -> pl.DataFrame:
    """The table with the mark of methods that chose an end of their grids."""
    names = [*grid_ends(outcome)]
    marks = dict(zip(names, marked(outcome, names), strict=True))
    columns = [name for name in ("method", "against", "best") if name in frame.columns]
    each = pl.col(columns).str.split(", ").list.eval(pl.element().replace(marks)).list.join(", ")
    return frame.with_columns(each)


def conclusions_path(outcome: Outcome) -> Path:
    return outcome.results / "tables" / "across.json"


def ranks_table(base: across_datasets.ComparisonAcross) -> pl.DataFrame:
    """One row per method of the complete field, best mean rank first: number of data sets, ranks and rating."""
    n, sign = len(base.datasets), 1.0 if metrics.greater_is_better(base.metric) else -1.0
    means = (sign * base.table.mean(axis=0)).tolist() if n else [None] * len(base.methods)
    best = base.table.max(axis=1, keepdims=True, initial=-np.inf)
    columns: dict[str, Any] = {
        "method": pl.Series(base.methods, dtype=pl.String),
        "data_sets": [n] * len(base.methods),
        "mean_score": means,
        "times_best": (base.table >= best - 1e-9).sum(axis=0).tolist(),
    }
    if not base.enough:
        return pl.DataFrame(columns, strict=False)
    ratings, has_intervals = base.ratings, base.enough_for_intervals
    columns |= {"mean_rank": base.nemenyi.ranks.tolist(), "rating": ratings.elo.tolist()}
    for name, ends in (("rating_lower", ratings.lower), ("rating_upper", ratings.upper)):
        columns[name] = pl.Series(
            [*ends] if has_intervals else [None] * len(ends), dtype=pl.Float64
        )
    return pl.DataFrame(columns, strict=False).sort("mean_rank", "method")


def pairwise_table(base: across_datasets.ComparisonAcross) -> pl.DataFrame:
    """One row per pair of methods, in the study's order."""
    schema = {
        "method": pl.String, "against": pl.String, "mean_difference": pl.Float64, "wins": pl.Int64,
        "ties": pl.Int64, "losses": pl.Int64, "p": pl.Float64, "p_holm": pl.Float64, "data_sets": pl.Int64,
        "rank_biserial": pl.Float64,
    }  # fmt: skip
    if not base.enough:
        return pl.DataFrame(schema=schema)
    p, k = base.pairs, len(base.methods)
    i, j = np.triu_indices(k, 1)
    names = np.array(base.methods)
    numbers = p.difference, p.wins, p.ties, p.losses, p.p, p.adjusted, p.n, p.rank_biserial
    columns = [names[i], names[j], *(values[i, j] for values in numbers)]
    return pl.DataFrame(dict(zip(schema, columns, strict=True)), schema=schema)


def sensitivity_table(tried: list[across_datasets.Scenario]) -> pl.DataFrame:
    schema = {"variation": pl.String, "data_sets": pl.Int64, "best": pl.String, "same_best": pl.String}  # fmt: skip
    rows = [
        (one.what, one.datasets, ", ".join(one.best), _same(one, len(tried[0].kept)))
        for one in tried
    ]
    return pl.DataFrame(rows, schema, orient="row")


def _same(one: across_datasets.Scenario, best: int) -> str:
    """Whether the study's best methods are among the best of a variation: yes, no, their number, or that they have no
    score."""
    still_best = len(one.kept)
    if not best:
        return "none is ranked"
    if not one.scored:
        return "no score" if best == 1 else "none has a score"
    if still_best in (0, best):
        return "yes" if still_best else "no"
    return f"{('one', 'two', 'three')[still_best - 1] if still_best < 4 else still_best} of them"
