"""`linclass verify A B`: compare two results, one run after another, so that memory holds one."""

from __future__ import annotations

import filecmp
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from linclass.base.messages import counted, first_names
from linclass_study.analysis import study_file
from linclass_study.command.results_folder import ResultsFolder, Run
from linclass_study.entries import without_label
from linclass_study.files.environment import OTHERS, OWN
from linclass_study.files.reading import parsed_json, scan_parquet
from linclass_study.files.tables import FIT
from linclass_study.statuses import FITTED


def environment_differences(a: ResultsFolder, b: ResultsFolder) -> Iterator[str]:
    """Properties of the environments of the fits that differ."""
    one, other = (_joined(folder.environments) for folder in (a, b))
    if not (one or other):
        yield "Neither A nor B records the environment of its fits."
    for what in dict.fromkeys([*one, *other]):
        values = [side.get(what, "not recorded") for side in (one, other)]
        if values[0] != values[1]:
            yield f"environment: {what} is {values[0]} in A and {values[1]} in B"


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


SHOWN = 20  # runs that are listed; the others are counted
NAMED = 3  # metrics that are named; the others are counted


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
    # "A" and "B" → runs of both without predictions there
    lacking: dict[str, set[Run]] = field(default_factory=dict)

    @property
    def agree(self) -> bool:
        beyond = [found for found in self.close if not found.within(self.tolerance)]
        return not (beyond or self.different or self.facts or any(self.alone.values()))

    @property
    def verdict(self) -> str:
        """First line of the output."""
        without = set[Run]().union(*self.lacking.values())
        if not without:
            return self._verdict("predictions", "predictions and fits")
        who = " and ".join(name for name, runs in self.lacking.items() if runs)
        have = "do" if " and " in who else "does"
        said = f"the predictions of {counted(len(without), 'run')} were not compared: {who} {have} not have them"
        return f"{self._verdict('fits', 'fits and scores')}; {said}"

    def _verdict(self, equal: str, same: str) -> str:
        compared = self.identical + len(self.close) + len(self.different)
        runs, close = counted(compared, "run"), f"{len(self.close):,}"
        only = ((counted(len(those), "run"), name) for name, those in self.alone.items() if those)
        alone = [f"{number} in {name} alone" for number, name in only]
        if self.different:
            return f"different: {len(self.different):,} of {runs} differ"
        if alone or not compared:
            both = f"of {runs} in both {close} differ in numbers" if compared else "no run in both"
            return f"different: {', '.join([both, *alone])}"
        largest = max((found.largest for found in self.close), default=0.0)
        if self.facts:
            within = f" within {largest:.1e}" if largest else ""
            return f"different: the {equal} of {runs} are equal{within}, but data, folds or scores differ"
        if self.close:
            within = f"the same classes, numbers equal within {largest:.1e}"
            return f"equal but for rounding: {close} of {runs} have {within}"
        return f"identical: {runs} with the same {same}"


def verify(
    a: ResultsFolder, b: ResultsFolder, tolerance: float = 0.0, part: bool = False
) -> Verified:
    """Compare everything that both have; numbers may differ by the tolerance.

    If A is a part of B, as its study.json says or `part`, runs of B alone are no difference.
    """
    found = Verified(tolerance)
    both = sorted({*a.runs} & {*b.runs})
    found.alone = {"A": sorted({*a.runs} - {*b.runs}), "B": sorted({*b.runs} - {*a.runs})}
    if part or ((a.folder / study_file.NAME).exists() and a.study.whole):
        others = counted(len(found.alone.pop("B")), "run")
        found.notes.append(f"A is a part: {others} of B alone were not compared")
    found.lacking = {
        name: {run for run in both if not x.has_predictions(run)}
        for name, x in (("A", a), ("B", b))
    }
    for dataset in sorted({*a.datasets} & {*b.datasets}):
        found.facts += data_differences(dataset, a, b)
    found.notes += study_differences(a, b)
    shared = {*a.datasets} & {*b.datasets}
    files = ["scores.parquet", *(f"data/{name}.json" for name in shared)]
    has = [
        {file for file in files if (x.folder / file).exists()}
        | {f"folds/{name}.parquet" for name in shared if x.folds_digest(name)}
        for x in (a, b)
    ]
    for name, more in (("A", has[0] - has[1]), ("B", has[1] - has[0])):
        found.notes += [f"only {name} has {', '.join(sorted(more))}, not compared"] * bool(more)
    for name, folder in (("A", a), ("B", b)):
        if mixed := folder.mixed_environments:
            found.notes.append(f"{name}: " + ". ".join(mixed))
    for run in both:
        agreement = compare_run(run, a, b)
        if agreement.identical:
            found.identical += 1
        elif agreement.within(max(tolerance, DIFFERENCE_TOLERANCE)):
            found.close.append(agreement)
        else:
            found.different.append(agreement)
    if not (found.different or found.close):  # else scores differ, too
        facts, notes = score_differences(a, b)
        found.facts += facts
        found.notes += notes
    return found


def study_differences(a: ResultsFolder, b: ResultsFolder) -> list[str]:
    """Keys of the evaluation, and methods, that the studies define differently: most often why results differ."""
    if not all((x.folder / study_file.NAME).exists() for x in (a, b)):
        return []
    one, other = a.study.outcome, b.study.outcome
    notes = [text for _, text in differing("evaluation.", one.evaluation, other.evaluation)]
    changed = [
        name
        for name, entry in one.methods.items()
        if without_label(other.methods.get(name, entry)) != without_label(entry)
    ]
    return notes + [f"methods with other entries: {first_names(changed, SHOWN)}"] * bool(changed)


def differing(
    lead: str,
    one: Mapping[str, Any],
    other: Mapping[str, Any],
    names: Sequence[str] = "AB",
    keys: Iterable[str] = (),
) -> Iterator[tuple[str, str]]:
    """(key, sentence) of each key with different values, of `keys` or all."""
    for key in keys or dict.fromkeys([*one, *other]):
        if (x := one.get(key)) != (y := other.get(key)):
            yield key, f"{lead}{key} is {x} in {names[0]} and {y} in {names[1]}"


def data_differences(
    dataset: str, a: ResultsFolder, b: ResultsFolder, names: Sequence[str] = "AB"
) -> Iterator[str]:
    """Differences between a data set and its folds in both."""
    one, other = a.about(dataset), b.about(dataset)
    if one is not None and other is not None:
        keys = ("status", *SAME_DATA)
        yield from (t for _, t in differing(f"data set {dataset}: ", one, other, names, keys))
    files = [x.folder / "folds" / f"{dataset}.parquet" for x in (a, b)]
    if not same_bytes(*files):
        folds, others = (x.folds_digest(dataset) for x in (a, b))
        if folds and others and folds != others:
            yield f"data set {dataset}: its rows are assigned to other folds in {names[0]} and {names[1]}"


def score_differences(a: ResultsFolder, b: ResultsFolder) -> tuple[list[str], list[str]]:
    """(metrics with different values on the same fits, metrics that only one of them has)."""
    files = [folder.folder / "scores.parquet" for folder in (a, b)]
    if not all(file.exists() for file in files):
        return [], []
    with a.naming("scores.parquet of A or B"):
        one, two = (scan_parquet(file).select(*FIT, "metric", "value") for file in files)
        names = [set(x.select("metric").unique().collect()["metric"]) for x in (one, two)]
        parts = [_score_differences(one, two, dataset) for dataset in a.datasets]
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
    left, right = (x.join(y, on="method", how="semi") for x, y in ((one, two), (two, one)))
    value, other = pl.col("value"), pl.col("value_right")
    by = (value - other).abs().fill_null(float("inf"))  # one side has no value
    joined = left.join(right, on=[*FIT, "metric"], how="full", coalesce=True)
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
        yield from (f"{' × '.join(found.run)}: {found.sentence()}" for found in shown)
        if len(differences) > len(shown):
            yield f"… and {len(differences) - len(shown):,} more runs (--all shows them)"
    yield ""
    yield from environment_differences(a, b)


def _listed(names: list[str], every: bool) -> str:
    most = len(names) if every else SHOWN
    return first_names(names, most) + (" (--all shows them)" if len(names) > most else "")


# Compare the fits and predictions of one run in two results.
#
# The difference of numbers is  |a − b| / max(1, |a|, |b|), so it is relative for large numbers. Other values (predicted
# class, status, tuned value, held-out rows) are equal or not.

ROW = ("protocol", "repeat", "fold", "row")
DIFFERENCE_TOLERANCE = 1e-9  # smaller differences are rounding
SAME_DATA = ("digest", "classes", "positive", "costs")  # of results/data/{dataset}.json
SAME_FITS = ("status", "params", "seed", "n_train", "n_test", "certificate_kind")


@dataclass(frozen=True)
class Agreement:
    """Result for one run: sentences about differences, and the largest difference of numbers."""

    run: Run
    differences: list[str] = field(default_factory=list)
    largest: float = 0.0
    rows: int = 0  # rows of predictions whose numbers differ
    scores: str = ""  # metrics that differ, if predictions were not compared

    @property
    def identical(self) -> bool:
        return not self.differences and self.largest == 0

    def within(self, tolerance: float) -> bool:
        return not self.differences and self.largest <= tolerance

    def sentence(self) -> str:
        numbers = f"numbers differ by at most {self.largest:.1e}"
        if self.rows:
            numbers += f" in {counted(self.rows, 'row')}"
        numbers += f" ({self.scores})" * bool(self.scores)
        return "; ".join([*self.differences, *([numbers] if self.largest else [])])


def compare_run(run: Run, a: ResultsFolder, b: ResultsFolder) -> Agreement:
    differences, largest = compare_fits(a.run_table("fits", run), b.run_table("fits", run))
    found = compare_predicted(run, a, b)
    differences = [*found.differences, *differences]
    return replace(found, differences=differences, largest=max(found.largest, largest))


def compare_predicted(
    run: Run, a: ResultsFolder, b: ResultsFolder, fits: pl.DataFrame | None = None
) -> Agreement:
    """Compare the predictions of a run, of these fits or of all; if one has none, what there is without."""
    if not (a.has_predictions(run) and b.has_predictions(run)):
        return compare_scores(run, a, b)
    if same_bytes(*(x.path(run, "predictions.parquet") for x in (a, b))):
        return Agreement(run)
    rows = [x.run_table("predictions", run) for x in (a, b)]
    if fits is not None:
        rows = [own.join(fits, on=FIT, how="semi") for own in rows]
    return Agreement(run, *compare_predictions(*rows))


def compare_scores(run: Run, a: ResultsFolder, b: ResultsFolder) -> Agreement:
    """Compare what there is without predictions, on the fits that both have: scores by the metrics of both, and
    digests of the predicted classes, if all fits are those of both."""
    fits = [x.run_table("fits", run).filter(pl.col("status").is_in(FITTED)) for x in (a, b)]
    differences, largest, moved = list[str](), 0.0, list[str]()
    if all((x.folder / "scores.parquet").exists() for x in (a, b)):
        common = pl.col("metric").is_in([*(a.metrics & b.metrics)])
        one, other = (
            x.study_table("scores", run).filter(common).join(own, on=FIT, how="semi")
            for x, own in zip((a, b), fits[::-1], strict=True)
        )
        pairs = one.join(other, on=[*FIT, "metric"], how="full", coalesce=True)
        by = difference(pairs["value"], pairs["value_right"])
        largest = float(by.max(initial=0.0))
        moved = pairs["metric"].filter(pl.Series(by > 0)).unique().sort().to_list()
    if fits[0].select(FIT).sort(FIT).equals(fits[1].select(FIT).sort(FIT)):
        known, others = a.predicted(run), b.predicted(run)
        for protocol in known:
            mine, theirs = known[protocol], others.get(protocol)
            if mine and theirs and mine != theirs:
                differences.append(f"predicted classes differ ({protocol})")
    return Agreement(run, differences, largest, scores=first_names(moved, NAMED) if moved else "")


def compare_predictions(a: pl.DataFrame, b: pl.DataFrame) -> tuple[list[str], float, int]:
    """(differences, largest difference of numbers, number of rows with different numbers)."""
    a, b = a.sort(ROW), b.sort(ROW)
    repeated = pl.all_horizontal(pl.col(column) == pl.col(column).shift(1) for column in ROW).any()
    differences = [
        f"a row is predicted twice in {name}"
        for name, rows in (("A", a), ("B", b))
        if rows.select(repeated).item()
    ]
    if differences:
        return differences, np.inf, 0
    differences = _alone(a, b)
    if differences:
        a, b = a.join(b, on=ROW, how="semi"), b.join(a, on=ROW, how="semi")
    for column, what in (("y_true", "true classes"), ("y_pred", "predicted classes")):
        places = a[column].ne_missing(b[column]).arg_true()
        if len(places):
            values = f": {a[column][places[0]]} in A and {b[column][places[0]]} in B"
            where = _first(a[places[0], :], values)
            differences.append(
                f"{what} differ in {len(places):,} of {counted(a.height, 'row')}{where}"
            )
    largest, moved = 0.0, np.zeros(a.height, bool)
    for column in ("score", "log_proba"):
        widths = a[column].list.len()
        places = widths.ne_missing(b[column].list.len()).arg_true()
        if len(places):
            where = f"{counted(len(places), 'row')}{_first(a[places[0], :])}"
            differences.append(f"{column} has different lengths in {where}")
            continue
        widths = widths.fill_null(0)
        by = difference(*(x[column].filter(widths > 0).explode() for x in (a, b)))
        largest = max(largest, float(by.max(initial=0.0)))
        moved[np.repeat(np.arange(a.height), widths.to_numpy())[by > 0]] = True
    return differences, largest, int(moved.sum())


def compare_fits(a: pl.DataFrame, b: pl.DataFrame) -> tuple[list[str], float]:
    """(differences, largest difference of objectives)."""
    differences: list[str] = []
    compared = [*FIT, *SAME_FITS, "objective"]
    if a.select(compared).equals(b.select(compared)):
        return differences, 0.0
    for name, one, other in (("A", a, b), ("B", b, a)):
        alone = one.join(other, on=FIT, how="anti").height
        if alone:
            differences.append(f"{alone} of {counted(one.height, 'fit')} in {name} alone")
    a, b = a.join(b, on=FIT, how="semi").sort(FIT), b.join(a, on=FIT, how="semi").sort(FIT)
    if a.height != b.height:
        return [*differences, "a fit occurs twice"], np.inf
    by = difference(a["objective"], b["objective"])
    for column in SAME_FITS:
        places = a[column].ne_missing(b[column]).arg_true().to_numpy()
        if column == "params" and len(places):
            pairs = ((a[column][i], b[column][i]) for i in places.tolist())
            moved = np.array([_parameter_difference(*pair) for pair in pairs])
            by = np.append(by, moved[moved <= DIFFERENCE_TOLERANCE])
            places = places[moved > DIFFERENCE_TOLERANCE]
        if len(places):
            first = int(places[0])
            values = f"'{a[column][first]}' in A and '{b[column][first]}' in B"
            differences.append(
                f"{column} of {len(places)} of {counted(a.height, 'fit')} differs ({values})"
            )
    return differences, float(by.max(initial=0.0))


def _parameter_difference(a: str | None, b: str | None) -> float:
    """The largest relative difference of numbers, as an estimator may choose them; inf if anything else differs."""
    if a is None or b is None:
        return np.inf
    mine, other = parsed_json(a), parsed_json(b)
    names = [name for name in mine if mine[name] != other.get(name)]
    pairs = [(mine[name], other.get(name)) for name in names]
    if list(mine) != list(other) or not all(isinstance(v, float) for pair in pairs for v in pair):
        return np.inf
    return max((abs(x - y) / max(abs(x), abs(y)) for x, y in pairs), default=0.0)


def difference(a: pl.Series, b: pl.Series) -> np.ndarray:
    """|a − b| / max(1, |a|, |b|) of each pair; 0 for equal values, nan and null included; inf if one is missing."""
    x, y = (s.cast(pl.Float64).fill_null(np.nan).to_numpy() for s in (a, b))
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    with np.errstate(invalid="ignore", over="ignore"):
        by = np.abs(x - y) / np.maximum(1, np.maximum(np.abs(x), np.abs(y)))
    return np.where(same, 0.0, np.where(np.isfinite(by), by, np.inf))


def same_bytes(a: Path, b: Path) -> bool:
    """Whether both files exist with the same content."""
    return a.exists() and b.exists() and filecmp.cmp(a, b, shallow=False)


def _alone(a: pl.DataFrame, b: pl.DataFrame) -> list[str]:
    """Sentences about rows that only one side has."""
    if a.select(ROW).equals(b.select(ROW)):
        return []
    sides = (("A", a.join(b, on=ROW, how="anti")), ("B", b.join(a, on=ROW, how="anti")))
    found = ((counted(x.height, "row"), name, _first(x)) for name, x in sides if x.height)
    return [f"{rows} predicted in {name} alone{where}" for rows, name, where in found]


def _first(rows: pl.DataFrame, more: str = "") -> str:
    protocol, repeat, fold, row = rows.select(ROW).row(0)
    return f" (first: {protocol}, repeat {repeat}, fold {fold}, row {row}{more})"
