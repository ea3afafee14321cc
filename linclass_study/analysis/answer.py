"""The answer: problems of fits and data, the best method of each data set, and the sentences that head the page."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from linclass.base.messages import counted, first_names
from linclass.evaluation import metrics
from linclass_study.analysis import wording
from linclass_study.analysis.across_datasets import datasets_apart, groups_sharing_rows
from linclass_study.analysis.data_warnings import serious
from linclass_study.analysis.fit_problems import (
    FitProblem,
    failed_candidates,
    fit_problems,
    log_of_problem,
    mixed_environments,
)
from linclass_study.analysis.headline import headline
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.scoring import metric_problems
from linclass_study.analysis.sentences import excluded_sentence, not_ranked
from linclass_study.analysis.tuned_values import grid_end_sentences, marked
from linclass_study.analysis.verdict import dataset_verdict, study_verdict
from linclass_study.entries import Labels
from linclass_study.files.environment import recorded_environments
from linclass_study.statuses import FITTED

LINES = 24  # problems that are printed; the report has all
DATA_LINES = 8  # remarks on the data that are printed; likewise
REASON = 300  # characters of a reason; the middle is cut, as the remedy is at the end
BEST_LINES = 24  # data sets whose best method is printed; likewise
NAMES = 3  # methods or data sets named in a line; the others are counted


def answer(outcome: Outcome, report: str) -> str:
    """One line per distinct problem, remarks on the data, then the answer, the number of fits and the path of the
    `report`. Names are those of the study file, not labels.
    """
    verdict = study_verdict(outcome)
    methods, datasets = ({name: name for name in of} for of in (outcome.methods, outcome.datasets))
    names = Labels(methods, datasets)
    lines = [
        *problem_lines(outcome),
        *headline(outcome, verdict, names),
        *best_lines(outcome),
        *grid_end_sentences(verdict.metric, verdict.tuned, verdict.grid_ends),
        not_ranked(verdict) or excluded_sentence(verdict, "no "),  # failures are problems above
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
    of_fits = [problem_line(problem, outcome) for problem in fit_problems(outcome.fits)]
    of_candidates = [
        f"left out of the tuning: {_names(one.candidates, 'candidates')} of {one.methods[0]} on "
        f"{_names(one.datasets, 'data sets')} ({counted(one.fits, 'fit')}): {shortened(one.reason)}"
        for one in failed_candidates(outcome)
    ]
    of_data = [
        f"data: {dataset}: {shortened(sentence)}"
        for dataset in outcome.datasets
        if (facts := outcome.checks(dataset))
        for sentence in serious(facts)
    ]
    of_data += [
        f"data: {_names(group, 'data sets')} share their rows, so they count once"
        for group in groups_sharing_rows(outcome)
        if len(group) > 1
    ]
    reasons: dict[str, list[str]] = {}
    for dataset, reason in datasets_apart(outcome).items():
        reasons.setdefault(reason, []).append(dataset)
    of_data += [
        f"data: {_names(names, 'data sets')} not counted across data sets: {shortened(reason)}"
        for reason, names in reasons.items()
    ]
    return [
        *_first(of_fits, LINES, "problems"),
        *_first(metric_lines(outcome), DATA_LINES, "exceptions of metrics"),
        *_first(of_candidates, DATA_LINES, "such reasons"),
        *_first(of_data, DATA_LINES, "remarks", "data: "),
    ]


def mixture(outcome: Outcome) -> list[str]:
    """Sentences about fits in environments that may give different numbers, if any."""
    environments = recorded_environments(outcome.results)
    return mixed_environments(outcome.fits, environments, str(outcome.results))


def best_lines(outcome: Outcome) -> list[str]:
    """The best method of each data set, each by its main protocol: one line of a single data set, else a table."""
    first = next(iter(outcome.main_protocols))
    unusual = "." in outcome.metric or not metrics.greater_is_better(outcome.metric)
    direction = f"; {wording.direction_words(outcome.metric)}" if unusual else ""
    words = f"Best {wording.metric_words(outcome.metric)} ({_over(outcome, first)}{direction}):"
    rows = []  # data set, mean ± sd, the best methods and the protocol unless it is the usual one
    for verdict in (dataset_verdict(part, name) for name, part in outcome.parts().items()):
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
    wide = [max(map(len, column)) for column in zip(*rows[:BEST_LINES], strict=True)]
    padded = ["  ".join(map(str.ljust, row, wide)) for row in rows]
    lines = [f"  {line.rstrip()}" for line in padded]
    return [words, *_first(lines, BEST_LINES, "data sets", "  … and ")]


def _over(outcome: Outcome, protocol: str) -> str:
    """mean ± sd, 10 folds"""
    spread = "mean ± sd, " if wording.has_spread(outcome.evaluation, protocol) else ""
    return spread + wording.protocol_phrase(outcome.evaluation, protocol)


def problem_line(problem: FitProblem, outcome: Outcome) -> str:
    reason = shortened(problem.reason)
    if problem.status == "unavailable":
        return f"unavailable: {', '.join(problem.datasets)}: {reason}"
    every = len(problem.methods) == len(outcome.methods) > 1
    methods = "every method" if every else _names(problem.methods, "methods")
    everywhere = len(problem.datasets) == len(outcome.datasets) > 1
    datasets = "every data set" if everywhere else _names(problem.datasets, "data sets")
    log = log_of_problem(outcome.results, problem)
    traceback = f" (traceback: {outcome.results / log})" if log else ""
    what = f"{datasets} × {methods} ({counted(problem.fits, 'fit')})"
    return f"{problem.status}: {what}: {reason}{traceback}"


def shortened(reason: str, limit: int = REASON) -> str:
    """A reason in one line: the last line of a traceback, or both ends of a longer text."""
    if "Traceback (most recent call last)" in reason:
        reason = [line for line in reason.splitlines() if line.strip()][-1]
    text = " ".join(reason.split())
    if len(text) <= limit:
        return text
    head = (limit - 3) // 2
    return f"{text[:head].rstrip()} … {text[-(limit - 3 - head) :].lstrip()}"


def _names(names: Sequence[str], kind: str = "") -> str:
    if len(names) <= NAMES + 1:
        return ", ".join(names)
    return f"{first_names(names, NAMES)} {kind}".rstrip()
