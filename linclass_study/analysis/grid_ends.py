"""Compared methods whose tuned value is an end of its grid: the sentences that name them, and the mark of their names.

A better value may lie beyond the end, so such a method's rank may be too low. The fact is that of tuned.at_the_edge():
at least half of the fits on a data set chose the end of an explicit grid, or of a path that was extended as far as
allowed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

from linclass.base.messages import counted
from linclass.evaluation import metrics
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.tuned import at_the_edge
from linclass_study.files.tables import FITTED

MARK = "†"
NAMES = 3  # methods named in the answer; the others are counted


def grid_ends(outcome: Outcome) -> dict[str, str]:
    """Method → 'logistic_l1 chose the lowest strength of its grid on 10 of 10 data sets', in the study's order."""
    if "grid_ends" not in outcome.read:
        outcome.read["grid_ends"] = _grid_ends(outcome)
    found: dict[str, str] = outcome.read["grid_ends"]
    return found


def marked(outcome: Outcome, names: Iterable[str]) -> list[str]:
    """The names of methods, with the mark where it applies."""
    return [f"{name}{MARK}" if name in grid_ends(outcome) else name for name in names]


def grid_end_note(outcome: Outcome, names: Iterable[str]) -> str:
    """A sentence for captions that explains the mark; empty if none of the methods has it."""
    found = [
        grid_ends(outcome)[name] for name in dict.fromkeys(names) if name in grid_ends(outcome)
    ]
    if not found:
        return ""
    if len(found) == 1:
        return f" {MARK} {found[0]}: its score {_may_be_worse(outcome)}."
    return (
        f" {MARK} At least half of the fits on some data set chose an end of the method’s grid, so its score "
        f"{_may_be_worse(outcome)} (tables/at_the_edge.csv)."
    )


def grid_end_sentences(outcome: Outcome) -> list[str]:
    """Sentences of the answer."""
    found = [*grid_ends(outcome).values()]
    tuned = sum(bool(entry.get("tune")) for entry in outcome.methods.values())
    if tuned and not found:
        return [f"0 of {counted(tuned, 'tuned method')} at an end of a path or grid."]
    sentences = [f"{one}: its score {_may_be_worse(outcome)}." for one in found[:NAMES]]
    more = len(found) - NAMES
    return sentences + [
        f"So did {counted(more, 'other method')} with an end of a grid (tables/at_the_edge.csv)."
    ] * (more > 0)


def _may_be_worse(outcome: Outcome) -> str:
    return f"may be too {'low' if metrics.greater_is_better(outcome.metric) else 'high'}"


def _grid_ends(outcome: Outcome) -> dict[str, str]:
    datasets: dict[tuple[str, str, str], set[str]] = {}
    for one in at_the_edge(outcome):
        key = one["method"], one["parameter"], one["edge"]
        datasets.setdefault(key, set()).update(one["datasets"])
    fitted = outcome.fits.filter(pl.col("status").is_in(FITTED))
    total = dict(fitted.group_by("method").agg(pl.col("dataset").n_unique()).iter_rows())
    chose: dict[str, list[str]] = {}
    for (method, parameter, edge), own in datasets.items():
        chose.setdefault(method, []).append(
            f"the {edge} {parameter} of its {_kind(outcome, method, parameter)} {_where(own, total[method])}"
        )
    return {
        name: f"{name} chose {' and '.join(chose[name])}"
        for name in outcome.methods
        if name in chose
    }


def _kind(outcome: Outcome, method: str, parameter: str) -> str:
    tune = outcome.methods[method].get("tune") or {}
    return "path" if tune.get(parameter) == "path" else "grid"


def _where(datasets: Iterable[str], total: int) -> str:
    names: Sequence[str] = sorted(datasets)
    return f"on {names[0]}" if total == 1 else f"on {len(names)} of {total} data sets"
