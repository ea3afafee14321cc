"""Conflicts that prevent a merge: contradictions between results about the same data set, study or fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from linclass.base.messages import counted
from linclass_study.command import agreement
from linclass_study.command.agreement import same_bytes, same_folds
from linclass_study.command.merged_study import MergedStudy
from linclass_study.command.results_folder import ResultsFolder, Run
from linclass_study.errors import StudyError
from linclass_study.files.tables import FIT, FITTED

SHOWN = 20  # contradictions that are listed; the others are counted


class Conflict(StudyError):
    """Results contradict each other; each line of the message is one contradiction."""

    def __init__(self, found: Sequence[str]):
        more = [f"… and {len(found) - SHOWN:,} more"] if len(found) > SHOWN else []
        super().__init__("\n".join([*found[:SHOWN], *more]))


def conflicts(sources: Sequence[ResultsFolder], merged: MergedStudy, tolerance: float) -> list[str]:
    """Contradictions between the results, one sentence each."""
    found = list(merged.conflicts)
    for dataset in merged.datasets:
        found += data_conflicts(dataset, studying(dataset, sources))
    for run, having in runs_of(sources).items():
        pairs = ((one, two) for i, two in enumerate(having) for one in having[:i])
        sentences = (run_conflict(run, one, two, tolerance) for one, two in pairs)
        found += [f"{run[0]} × {run[1]}: {conflict}" for conflict in sentences if conflict]
    return found


def data_conflicts(dataset: str, sources: Sequence[ResultsFolder]) -> Iterator[str]:
    """Contradictions about a data set: its content and folds must be equal wherever it was available."""
    there = [(s, s.about(dataset)) for s in sources]
    had = [(s, about) for s, about in there if about and about["status"] == "available"]
    for other, about in had[1:]:
        first, known = had[0]
        pair = f"{first.given} and {other.given}"
        for key in agreement.SAME_DATA:
            if known.get(key) != about.get(key):
                values = f"{known.get(key)} and {about.get(key)}"
                yield f"data set {dataset}: {pair} differ in {key} ({values})"
        if not same_folds(dataset, first, other):
            yield f"data set {dataset}: {pair} differ in their folds"


def run_conflict(run: Run, a: ResultsFolder, b: ResultsFolder, tolerance: float) -> str:
    """Contradiction between two results in a run; '' if there is none."""
    fits = [s.of_run("fits", run) for s in (a, b)]
    for one, other in (fits, fits[::-1]):
        failed = other.filter(status="failed").join(made(one), on=FIT, how="semi")
        if failed.height:
            are = "is" if failed.height == 1 else "are"
            return (
                f"{counted(failed.height, 'fit')} that gave predictions in one of {a.given} and {b.given} "
                f"{are} 'failed' in the other ({failed['reason'][0]})"
            )
    if same_bytes(*(s.path(run, "predictions.parquet") for s in (a, b))):
        return ""
    both = made(fits[0]).join(made(fits[1]), on=FIT, how="semi")
    predictions = [s.of_run("predictions", run).join(both, on=FIT, how="semi") for s in (a, b)]
    differences, largest, rows = agreement.of_predictions(*predictions)
    found = agreement.Agreement(run, differences, largest, rows)
    return "" if found.within(tolerance) else f"{found.sentence()}; A = {a.given}, B = {b.given}"


def runs_of(sources: Sequence[ResultsFolder]) -> dict[Run, list[ResultsFolder]]:
    """Run → sources that contain it, in order."""
    found: dict[Run, list[ResultsFolder]] = {}
    for source in sources:
        for run in source.runs:
            found.setdefault(run, []).append(source)
    return dict(sorted(found.items()))


def made(fits: pl.DataFrame) -> pl.DataFrame:
    """Fits with predictions."""
    return fits.filter(pl.col("status").is_in(FITTED))


def studying(dataset: str, sources: Sequence[ResultsFolder]) -> list[ResultsFolder]:
    """Sources whose study contains the data set."""
    return [source for source in sources if dataset in source.study.outcome.datasets]
