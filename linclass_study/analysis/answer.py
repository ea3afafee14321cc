"""The last lines in the terminal: problems of fits and data, the best method of each data set, and its
significance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from linclass.base.messages import counted, first_names
from linclass.evaluation import metrics
from linclass_study.analysis.across_datasets import (
    ComparisonAcross,
    Scenario,
    groups_sharing_rows,
    scenarios,
    write_comparison,
)
from linclass_study.analysis.controls import focus_of, verdicts
from linclass_study.analysis.export import export_table
from linclass_study.analysis.fit_problems import (
    FitProblem,
    failed_candidates,
    fit_problems,
    log_of_problem,
    mixed_environments,
)
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.scoring import metric_problems
from linclass_study.analysis.sentences import focus_sentences, not_ranked, plain_answer, sentences
from linclass_study.analysis.study_file import StudyDescription, write_study
from linclass_study.analysis.summary import write_summary
from linclass_study.analysis.tuned import grid_end_note, grid_ends, marked, write_tuned_table
from linclass_study.analysis.verdict import (
    dataset_verdict,
    no_ranking,
    study_verdict,
    write_verdict,
)
from linclass_study.analysis.within_dataset import SURE, same_predictions
from linclass_study.analysis.wording import (
    direction_words,
    has_spread,
    metric_words,
    protocol_phrase,
)
from linclass_study.checks.findings import serious
from linclass_study.files.writing import write_json
from linclass_study.processes.environment import recorded_environments
from linclass_study.statuses import FITTED

LINES = 24  # problems that are printed; the report has all
DATA_LINES = 8  # remarks on the data that are printed; likewise
REASON = 300  # characters of a reason; the middle is cut, as the remedy is at the end
BEST_LINES = 24  # data sets whose best method is printed; likewise
NAMES = 3  # methods or data sets named in a line; the others are counted


def answer(outcome: Outcome, report: str) -> str:
    """One line per distinct problem, remarks on the data, then the answer, the number of fits and the path of the
    `report`.
    """
    verdict = study_verdict(outcome)
    lines = [
        *problem_lines(outcome),
        *focus_lines(outcome),
        *best_lines(outcome),
        *plain_answer(verdict),
        not_ranked(verdict),
        ". ".join(mixture(outcome)),
        counts_line(outcome.fits),
        f"report: {report}",
    ]
    return "\n".join(filter(None, lines)) + "\n"


def _first(lines: Sequence[str], most: int, what: str, lead: str = "… and ") -> list[str]:
    """The first lines, and how many more there are."""
    more = f"{lead}{len(lines) - most} more {what}, all in the report"
    return [*lines[:most], *[more] * (len(lines) > most)]


def counts_line(fits: pl.DataFrame) -> str:
    """How many fits there are, how many have no predictions, and how many ended without a unique optimum."""
    absent = fits.filter(~pl.col("status").is_in(FITTED))
    inapplicable = absent.filter(pl.col("status") == "not_applicable").height
    of, parts = f" of {counted(fits.height, 'fit')}", []
    if failed := absent.height - inapplicable:
        parts.append(f"{failed:,}{of} failed")
    if inapplicable:
        parts.append(f"{inapplicable:,}{of * (not failed)} do not apply to their data")
    ended = [(status, fits.filter(status=status).height) for status in FITTED[1:]]
    odd = [f"{number:,} {status}" for status, number in ended if number]
    if not absent.height:
        parts.append(counted(fits.height, "fit"))
        parts.append("all of them with predictions" if odd else "all of them succeeded")
    return ", ".join(parts) + (f"; ended as {', '.join(odd)}" if odd else "")


def metric_lines(outcome: Outcome) -> list[str]:
    return [
        f"not scored by {one.status}: {_names(one.datasets, 'data sets')} × {_names(one.methods, 'methods')} "
        f"({counted(one.fits, 'fold')}): {shortened(one.reason)}"
        for one in metric_problems(outcome)
    ]


def problem_lines(outcome: Outcome) -> list[str]:
    """A line for each distinct problem of fits, exception of the study's own metrics, reason for which candidates of
    the tuning failed, and remark on data that can invalidate results."""
    fits = [problem_line(problem, outcome) for problem in fit_problems(outcome.fits)]
    candidates = [
        f"left out of the tuning: {_names(one.candidates, 'candidates')} of {one.method} on "
        f"{_names(one.datasets, 'data sets')} ({counted(one.fits, 'fit')}): {shortened(one.reason)}"
        for one in failed_candidates(outcome)
    ]
    data = [
        f"data: {dataset}: {shortened(sentence)}"
        for dataset in outcome.datasets
        if (facts := outcome.checks(dataset))
        for sentence in serious(facts)
    ]
    data += [
        f"data: {_names(group, 'data sets')} share their rows, so they count once"
        for group in groups_sharing_rows(outcome)
        if len(group) > 1
    ]
    return [
        *_first(fits, LINES, "problems"),
        *_first(metric_lines(outcome), DATA_LINES, "exceptions of metrics"),
        *_first(candidates, DATA_LINES, "such reasons"),
        *_first(data, DATA_LINES, "remarks", "data: "),
    ]


def focus_lines(outcome: Outcome) -> list[str]:
    """What the study is about, against all others: sentences, and a line for each data set; empty without a focus."""
    lines = []
    for name in focus_of(outcome):
        by_dataset: dict[str, Counter[str]] = {}
        for one in verdicts(outcome, name):
            by_dataset.setdefault(one.dataset, Counter())[one.decided] += 1
        words = ("better", "equal", "worse", "undecided")
        rows = [
            (dataset, *(f"{word} {counts[word]}" for word in words))
            for dataset, counts in by_dataset.items()
        ]
        if rows:
            lines.append(
                f"{name} against each other method (with a probability of at least {SURE:g}):"
            )
            lines += _columns(rows)
    return [*lines, *focus_sentences(outcome)]


def mixture(outcome: Outcome) -> list[str]:
    """Sentences on fits of environments that may give different numbers; empty if there are none."""
    known = recorded_environments(outcome.results)
    return mixed_environments(outcome.fits, known, str(outcome.results))


def _columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """A line of each of the first data sets, in aligned columns."""
    shown = rows[:BEST_LINES]
    wide = [max(len(cell) for cell in column) for column in zip(*shown, strict=True)]
    padded = ["  ".join(map(str.ljust, row, wide)) for row in rows]
    return _first([f"  {line.rstrip()}" for line in padded], BEST_LINES, "data sets", "  … and ")


def best_lines(outcome: Outcome) -> list[str]:
    """The best method of each data set, each by its main protocol: one line of a single data set, else a table."""
    first = next(iter(outcome.main_protocols))
    unusual = "." in outcome.metric or not metrics.greater_is_better(outcome.metric)
    direction = f"; {direction_words(outcome.metric)}" if unusual else ""
    words = f"Best {metric_words(outcome.metric)} ({_over(outcome, first)}{direction}):"
    rows = []  # data set, mean ± sd, the best methods and the protocol unless it is the usual one
    for verdict in (dataset_verdict(own, name) for name, own in outcome.parts().items()):
        if not verdict.best:
            rows.append((verdict.dataset, "", "none"))
            continue
        spread = "" if verdict.sd is None else f" ± {verdict.sd:.3f}"
        method, *equals = marked(outcome, verdict.best)
        method += f" (= {_names(equals)})" if equals else ""
        protocol = outcome.protocol(verdict.dataset)
        other = "" if protocol == first else f" ({_over(outcome, protocol)})"
        rows.append((verdict.dataset, f"{verdict.mean:.3f}{spread}", method + other))
    if len(outcome.datasets) == 1:
        dataset, score, names = rows[0]
        return [f"{words} {dataset}: {names} {score}".rstrip()]
    return [words, *_columns(rows)]


def _over(outcome: Outcome, protocol: str) -> str:
    """mean ± sd, 10 folds"""
    spread = "mean ± sd, " if has_spread(outcome.evaluation, protocol) else ""
    return spread + protocol_phrase(outcome.evaluation, protocol)


def problem_line(problem: FitProblem, outcome: Outcome) -> str:
    reason = shortened(problem.reason)
    if problem.status == "unavailable":
        return f"unavailable: {', '.join(problem.datasets)}: {reason}"
    every = len(problem.methods) == len(outcome.methods) > 1
    methods = "every method" if every else _names(problem.methods, "methods")
    count = counted(problem.fits, "fit")
    everywhere = len(problem.datasets) == len(outcome.datasets) > 1
    datasets = "every data set" if everywhere else _names(problem.datasets, "data sets")
    log = log_of_problem(outcome.results, problem)
    traceback = f" (traceback: {outcome.results / log})" if log else ""
    return f"{problem.status}: {datasets} × {methods} ({count}): {reason}{traceback}"


def shortened(reason: str, limit: int = REASON) -> str:
    """A reason in one line: the last line of a traceback, or both ends of a longer text."""
    if "Traceback (most recent call last)" in reason:
        reason = [line for line in reason.splitlines() if line.strip()][-1]
    text = " ".join(reason.split())
    if len(text) <= limit:
        return text
    head = (limit - 3) // 2
    return f"{text[:head].rstrip()} … {text[-(limit - 3 - head) :].lstrip()}"


def _names(names: tuple[str, ...] | list[str], kind: str = "") -> str:
    if len(names) <= NAMES + 1:
        return ", ".join(names)
    return f"{first_names(names, NAMES)} {kind}".rstrip()


# results/tables/ranks, pairwise and sensitivity: comparisons across data sets as tables and sentences.


def aggregate(outcome: Outcome, study: StudyDescription, report: str) -> None:
    """Write what all data sets give together, but for the page: tables of scores, fits and tuned values, the comparison
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
    """Three tables, verdict.json, and across.json: the sentences, and the data sets and methods that took part."""
    base = write_comparison(outcome)
    write_verdict(outcome)
    tried = scenarios(outcome, base)
    frames = {
        "ranks": ranks_table(base).with_columns(
            grid_end=pl.col("method").is_in([*grid_ends(outcome)])
        ),
        "pairwise": pairwise_table(base),
        "sensitivity": sensitivity_table(tried),
    }
    for name, frame in frames.items():
        note = grid_end_note(outcome, base.methods)
        export_table(frame, outcome.results / "tables" / name, _marked(outcome, frame), note)
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


def ranks_table(base: ComparisonAcross) -> pl.DataFrame:
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
    rated, unknown = base.ratings, pl.Series([None] * len(base.methods), dtype=pl.Float64)
    columns |= {
        "mean_rank": base.nemenyi.ranks.tolist(),
        "rating": rated.elo.tolist(),
        "rating_lower": rated.lower.tolist() if base.enough_for_intervals else unknown,
        "rating_upper": rated.upper.tolist() if base.enough_for_intervals else unknown,
    }
    return pl.DataFrame(columns, strict=False).sort("mean_rank", "method")


def pairwise_table(base: ComparisonAcross) -> pl.DataFrame:
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


def sensitivity_table(tried: list[Scenario]) -> pl.DataFrame:
    schema = {
        "variation": pl.String, "data_sets": pl.Int64, "best": pl.String, "same_best": pl.String
    }  # fmt: skip
    rows = [
        (one.what, one.datasets, ", ".join(one.best), _same(one, len(tried[0].kept)))
        for one in tried
    ]
    return pl.DataFrame(rows, schema=schema, orient="row")


def _same(one: Scenario, best: int) -> str:
    """Whether the study's best methods are among the best of a variation: yes, no, their number, or that they have no
    score."""
    kept = len(one.kept)
    if not best:
        return "none is ranked"
    if not one.scored:
        return "no score" if best == 1 else "none has a score"
    if kept in (0, best):
        return "yes" if kept else "no"
    return f"{('one', 'two', 'three')[kept - 1] if kept < 4 else kept} of them"
