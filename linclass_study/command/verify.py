"""`linclass verify A B`: compare two results, one run after another, so that memory holds one."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

import polars as pl

from linclass.base.messages import counted, first_names
from linclass_study.analysis import study_file
from linclass_study.command.agreement import ROUNDING, SAME_DATA, Agreement, compare_run, same_folds
from linclass_study.command.results_folder import ResultsFolder, Run
from linclass_study.files.reading import Unreadable, scan_parquet
from linclass_study.files.tables import FIT
from linclass_study.processes.environment import OTHERS, OWN

CELL = 46  # letters in a line of an environment's column


def environments(a: ResultsFolder, b: ResultsFolder) -> Iterator[str]:
    """Both environments side by side, with ≠ if they differ."""
    sides = [_joined(folder.environments) for folder in (a, b)]
    if not any(sides):
        yield "Neither A nor B records in which environment its fits were made."
        return
    rows: list[tuple[str, ...]] = [("", "environment", "A", "B")]
    for what in dict.fromkeys([*sides[0], *sides[1]]):
        one, other = (side.get(what, "not recorded") for side in sides)
        cells = [
            textwrap.wrap(text, CELL) for text in ("≠" if one != other else "", what, one, other)
        ]
        rows += zip_longest(*cells, fillvalue="")
    yield from aligned(rows)


def _joined(environments: list[dict[str, str]]) -> dict[str, str]:
    """Values of each property over the machines of one side; packages are separate properties."""
    values: dict[str, dict[str, None]] = {}
    for environment in environments:
        for what, value in environment.items():
            parts = value.split(", ") if what in (OWN, OTHERS) else []
            packages = dict(part.rsplit(" ", 1) for part in parts if " " in part)
            for name, version in (packages or {what: value}).items():
                values.setdefault(name, {})[version] = None
    return {what: " | ".join(distinct) for what, distinct in values.items()}


def aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Lines of aligned columns; the last one is not padded."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]) - 1)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        yield "  ".join([*cells, row[-1]]).rstrip()


SHOWN = 20  # runs that are listed; the others are counted


@dataclass
class Verified:
    """Result of the comparison; `facts` are sentences about data sets, folds and scores that differ."""

    tolerance: float
    identical: int = 0
    close: list[Agreement] = field(default_factory=list)  # equal within the tolerance or rounding
    different: list[Agreement] = field(default_factory=list)
    alone: dict[str, list[Run]] = field(default_factory=dict)  # "A" and "B" → runs of it alone
    facts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # permitted differences

    @property
    def agree(self) -> bool:
        beyond = [found for found in self.close if not found.within(self.tolerance)]
        return not (beyond or self.different or self.facts or any(self.alone.values()))

    @property
    def verdict(self) -> str:
        """First line of the output."""
        compared = self.identical + len(self.close) + len(self.different)
        runs = counted(compared, "run")
        if self.different:
            return f"different: {len(self.different):,} of {runs} differ"
        if any(self.alone.values()) or not compared:
            return f"different: {self._common(runs)}, {' and '.join(self._alone())}"
        largest = max((found.largest for found in self.close), default=0.0)
        if self.facts:
            within = "the tolerance" if largest > ROUNDING else "rounding" if largest else ""
            equal = f"equal within {within}" if within else "equal"
            return f"different: the predictions of {runs} are {equal}, but data, folds or scores differ"
        if self.close:
            within = f"the same classes, numbers equal within {largest:.1e}"
            return f"equal but for rounding: {len(self.close):,} of {runs} have {within}"
        return f"identical: {runs} with the same predictions and fits"

    def _common(self, runs: str) -> str:
        if not (self.identical or self.close):
            return "no run is in both"
        if not self.close:
            return f"the {runs} of both {'is' if self.identical == 1 else 'are'} equal"
        differ = "differs" if len(self.close) == 1 else "differ"
        return f"of the {runs} of both {len(self.close):,} {differ} in numbers"

    def _alone(self) -> list[str]:
        sizes = {name: len(runs) for name, runs in self.alone.items() if runs} or {"A": 0}
        return [
            f"{counted(n, 'run')} {'is' if n == 1 else 'are'} in {name} alone"
            for name, n in sizes.items()
        ]


def verify(a: ResultsFolder, b: ResultsFolder, tolerance: float = 0.0) -> Verified:
    """Compare everything that both have; numbers may differ by the tolerance (see agreement.py)."""
    found = Verified(tolerance)
    found.alone = {"A": sorted({*a.runs} - {*b.runs}), "B": sorted({*b.runs} - {*a.runs})}
    found.facts += data_differences(a, b)
    found.notes += [*study_differences(a, b), *_only_in_one(a, b), *_mixed(a, b)]
    for run in sorted({*a.runs} & {*b.runs}):
        agreement = compare_run(run, a, b)
        if agreement.identical:
            found.identical += 1
        elif agreement.within(max(tolerance, ROUNDING)):
            found.close.append(agreement)
        else:
            found.different.append(agreement)
    if not (found.different or found.close):  # if predictions differ, scores differ, too
        facts, notes = score_differences(a, b)
        found.facts += facts
        found.notes += notes
    return found


def study_differences(a: ResultsFolder, b: ResultsFolder) -> list[str]:
    """Keys of the evaluation, and methods, that the studies define differently: most often why results differ."""
    if not all((x.folder / study_file.NAME).exists() for x in (a, b)):
        return []
    one, other = a.study.outcome, b.study.outcome
    notes = [
        f"evaluation.{key} is {one.evaluation.get(key)} in A and {other.evaluation.get(key)} in B"
        for key in dict.fromkeys([*one.evaluation, *other.evaluation])
        if one.evaluation.get(key) != other.evaluation.get(key)
    ]
    changed = [x for x, entry in one.methods.items() if other.methods.get(x, entry) != entry]
    return notes + [f"methods with other entries: {first_names(changed, SHOWN)}"] * bool(changed)


def data_differences(a: ResultsFolder, b: ResultsFolder) -> list[str]:
    """Differences between the data sets and folds that both have."""
    differences = []
    for dataset in sorted({*a.datasets} & {*b.datasets}):
        abouts = a.about(dataset), b.about(dataset)
        for key in ("status", *SAME_DATA):
            one, other = ((about or {}).get(key) for about in abouts)
            if None not in abouts and one != other:
                differences.append(f"data set {dataset}: {key} is {one} in A and {other} in B")
        if not same_folds(dataset, a, b):
            differences.append(f"data set {dataset}: its rows are assigned to other folds")
    return differences


def _only_in_one(a: ResultsFolder, b: ResultsFolder) -> list[str]:
    """Files that are compared, and that one of them lacks."""
    files = ["scores.parquet"]
    for name in {*a.datasets} & {*b.datasets}:
        files += [f"data/{name}.json", f"folds/{name}.parquet"]
    has = [{file for file in files if (x.folder / file).exists()} for x in (a, b)]
    alone = zip("AB", (has[0] - has[1], has[1] - has[0]), strict=True)
    return [
        f"only {name} has {', '.join(sorted(more))}, not compared" for name, more in alone if more
    ]


def _mixed(a: ResultsFolder, b: ResultsFolder) -> Iterator[str]:
    """What to know of each side whose ranking mixes environments."""
    for name, folder in (("A", a), ("B", b)):
        if mixed := folder.mixed_environments:
            yield f"{name}: " + ". ".join(mixed.sentences(folder.given))


def score_differences(a: ResultsFolder, b: ResultsFolder) -> tuple[list[str], list[str]]:
    """(metrics with different values on the same fits, metrics that only one of them has)."""
    files = [folder.folder / "scores.parquet" for folder in (a, b)]
    if not all(file.exists() for file in files):
        return [], []
    try:
        one, two = (scan_parquet(file).select(*FIT, "metric", "value") for file in files)
        names = [set(x.select("metric").unique().collect()["metric"]) for x in (one, two)]
        parts = [_score_differences(one, two, dataset) for dataset in a.datasets]
    except (Unreadable, pl.exceptions.PolarsError) as error:
        raise a.unreadable("scores.parquet of A or B", error) from None
    differences = pl.concat(parts).filter(pl.col("metric").is_in(names[0] & names[1]))
    by_metric = differences.group_by("metric").agg(pl.col("fits").sum(), pl.col("by").max())
    facts = [
        f"scores: {metric} differs on {counted(fits, 'fit')} by at most {by:.1e}"
        for metric, fits, by in by_metric.sort("metric").iter_rows()
    ]
    alone = zip("AB", (names[0] - names[1], names[1] - names[0]), strict=True)
    notes = [f"scores: only {name} has {', '.join(sorted(more))}" for name, more in alone if more]
    return facts, notes


def _score_differences(one: pl.LazyFrame, two: pl.LazyFrame, dataset: str) -> pl.DataFrame:
    """Metrics that differ on the runs of one data set that both have: number of fits and largest difference.

    One data set at a time limits the memory.
    """
    one, two = (x.filter(dataset=dataset) for x in (one, two))
    sides = [
        x.join(y.select("method").unique(), on="method", how="semi")
        for x, y in ((one, two), (two, one))
    ]
    value, other = pl.col("value"), pl.col("value_right")
    by = (value - other).abs().fill_null(float("inf"))  # one side has no value
    joined = sides[0].join(sides[1], on=[*FIT, "metric"], how="full", coalesce=True)
    differing = joined.filter(value.ne_missing(other)).group_by("metric")
    return differing.agg(fits=pl.len(), by=by.max()).collect()


def verify_lines(
    found: Verified, a: ResultsFolder, b: ResultsFolder, every: bool = False
) -> Iterator[str]:
    """Output of the command, line by line, the verdict first."""
    yield found.verdict
    yield f"A = {a.given}"
    yield f"B = {b.given}"
    yield from found.notes
    yield from found.facts
    for name, runs in found.alone.items():
        if runs:
            yield f"in {name} alone: " + _listed([" × ".join(run) for run in runs], every)
    differences = found.different + found.close
    shown = differences if every else differences[:SHOWN]
    if shown:
        yield ""
        yield from aligned(
            [("data set", "method", "what differs")] + [(*x.run, x.sentence()) for x in shown]
        )
        if len(differences) > len(shown):
            yield f"… and {len(differences) - len(shown):,} more runs (--all shows them)"
    yield ""
    yield from environments(a, b)


def _listed(names: list[str], every: bool) -> str:
    most = len(names) if every else SHOWN
    return first_names(names, most) + (" (--all shows them)" if len(names) > most else "")
