"""The terminal's last lines: what did not work or looks wrong, and in one line what the study found."""

from __future__ import annotations

import polars as pl

from linclass_study.gate.findings import serious
from linclass_study.results.independent_datasets import groups
from linclass_study.results.outcome import FITTED, Outcome
from linclass_study.protocols import asked
from linclass_study.results.fit_problems import FitProblem, fit_problems
from linclass_study.results.protocol_names import has_spread, protocol_phrase
from linclass_study.results.summary import ranking

LINES = 24  # of problems; the rest is in the report
DATA_LINES = 8  # of remarks on the data; likewise
REASON = 300  # characters; a reason ends with its remedy, so long ones lose their middle
NAMES = 3  # methods or data sets named in a line before it says how many more there are


def answer(outcome: Outcome, report: str) -> str:
    """One line per distinct problem, those of the data, then the answer and where the `report` is."""
    found = fit_problems(outcome.fits)
    lines = [problem_line(problem, outcome) for problem in found[:LINES]]
    if len(found) > LINES:
        lines.append(f"… and {len(found) - LINES} more problems, all in the report")
    lines += data_lines(outcome)
    unmade = outcome.fits.filter(~pl.col("status").is_in(FITTED)).height
    counts = f"{_count(outcome.fits.height, 'fit')}, " + (
        f"{unmade} of them did not succeed" if unmade else "all of them succeeded"
    )
    return "\n".join([*lines, f"{best_line(outcome)} | {counts} | report: {report}"]) + "\n"


def data_lines(outcome: Outcome) -> list[str]:
    """Columns that can spoil every result, and data sets that are one piece of evidence."""
    found = [
        f"data: {dataset}: {shortened(sentence)}"
        for dataset in outcome.datasets
        if (facts := outcome.checks(dataset))
        for sentence in serious(facts)
    ]
    found += [
        f"data: {_names(group, 'data sets')} share their rows, so they count once"
        for group in groups(outcome)
        if len(group) > 1
    ]
    more = len(found) - DATA_LINES
    return found[:DATA_LINES] + [f"data: {more} more remarks, all in the report"] * (more > 0)


def best(outcome: Outcome, dataset: str) -> tuple[str, float, float | None, list[str]] | None:
    """Best method with its mean and sd, and those that equal it; only of methods whose every fold
    succeeded: a mean over the folds that were easy enough is not comparable."""
    whole = ranking(outcome, dataset).filter("whole")
    if whole.is_empty():
        return None
    method, mean, sd = whole.select("method", "mean", "sd").row(0)
    equals = whole["method"].filter((whole["mean"] - mean).abs() < 1e-12).to_list()
    return method, mean, sd, equals[1:]


def best_line(outcome: Outcome) -> str:
    first = next(iter(asked(outcome.evaluation)))
    parts = []
    for dataset in outcome.datasets:
        found = best(outcome, dataset)
        if found is None:
            parts.append(f"{dataset}: none")
            continue
        method, mean, sd, equals = found
        spread = "" if sd is None else f" ± {sd:.3f}"
        names = method + (f" (= {_names(equals)})" if equals else "")
        protocol = outcome.protocol(dataset)
        other = "" if protocol == first else f" ({_over(outcome, protocol)})"
        parts.append(f"{dataset}: {names} {mean:.3f}{spread}{other}")
    words = outcome.metric.replace("_", " ")
    return f"Best {words} ({_over(outcome, first)}): {'; '.join(parts)}"


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
    count = _count(problem.fits, "fit")
    everywhere = len(problem.datasets) == len(outcome.datasets) > 1
    datasets = "every data set" if everywhere else _names(problem.datasets, "data sets")
    return f"{problem.status}: {datasets} × {methods} ({count}): {reason}"


def shortened(reason: str, limit: int = REASON) -> str:
    """One line. Of a traceback the last line, which says what happened; of the rest both ends."""
    if "Traceback (most recent call last)" in reason:
        reason = [line for line in reason.splitlines() if line.strip()][-1]
    text = " ".join(reason.split())
    if len(text) <= limit:
        return text
    head = (limit - 3) // 2
    return f"{text[:head].rstrip()} … {text[-(limit - 3 - head) :].lstrip()}"


def _names(names: tuple[str, ...] | list[str], kind: str = "") -> str:
    shown = ", ".join(names[:NAMES])
    more = len(names) - NAMES
    if more == 1:
        return f"{shown}, {names[-1]}"
    return f"{shown} and {more} more {kind}".rstrip() if more > 0 else shown


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" + ("" if number == 1 else "s")
