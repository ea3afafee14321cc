"""Write docs/reference_results.md, its figures and its table of findings from the archive of the reference study:

    python docs/make_reference.py [reference/2026.1]

Nonlinear methods come from an archive beside it, reference/2026.1-context, if it exists: the context study, whose
methods do not enter the ranks. The plan of the analysis is docs/reference_study.md. Each number of the page is a row of
the findings, or of accuracies.csv, computed here from the tables, scores and fits of the archives.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
import numpy as np
import polars as pl

from linclass.base.messages import first_names
from linclass.evaluation.comparisons.bayesian import bayesian_signed_rank
from linclass_study.analysis.across_datasets import ALPHA, bootstrap_means
from linclass_study.analysis.strata import ALL, MIN_TESTED
from linclass_study.statuses import FITTED

matplotlib.use("Agg")
import matplotlib.pyplot as plt

ROOT = Path(__file__).resolve().parent.parent
ARCHIVE = ROOT / "reference" / "2026.1"
PAGE = ROOT / "docs" / "reference_results.md"
PICTURES = ROOT / "docs" / "_static" / "reference"
FINDINGS = PICTURES / "findings.csv"
ACCURACIES = PICTURES / "accuracies.csv"
CONTRASTS = PICTURES / "contrasts.csv"
PLANNED = 91  # data sets that count
FOCUS, ROPE = "logistic", 0.01
SURE = 0.95  # probability of practical equivalence
UNUSUAL = {"majority"}  # not a method that anyone would choose
NONLINEAR = "boosting"  # that the plan compares with the focus
# the differences that the plan announces: of tuning, of several classes, of generative and of nonlinear methods
TUNING = (
    ("logistic", "logistic_unpenalized"),
    ("lda_shrunk", "lda"),
    ("least_squares_ridge", "least_squares"),
)
SEVERAL = (
    ("logistic_one_vs_rest", "logistic"),
    ("logistic_one_vs_one", "logistic"),
    ("logistic_coupled", "logistic"),
    ("svm_one_vs_one", "svm"),
    ("svm_crammer_singer", "svm"),
)
ANNOUNCED = (*TUNING, *SEVERAL, ("lda_shrunk", FOCUS), (NONLINEAR, FOCUS))
PROPERTY_WORDS = {
    "rows_per_column": "rows per column",
    "classes": "classes",
    "category_share": "share of categories",
    "missing_values": "missing values",
    "largest_class_share": "share of the largest class",
    "domain": "domain",
}
MINUS = "−"
CLOSE = 3  # ratio of costs below which names in the figure would overlap,
LEVEL = 0.006  # if their accuracies differ by less than this


class Interval(NamedTuple):
    """A mean difference of two methods over data sets."""

    data_sets: int
    mean: float
    lower: float
    upper: float

    @classmethod
    def of(cls, values: np.ndarray) -> Interval:
        """The interval is NaN for fewer data sets than a stratum needs for tests."""
        n = len(values)
        ends = (
            [end[0] for end in bootstrap_means(values[:, None])]
            if n >= MIN_TESTED
            else [np.nan] * 2
        )
        return cls(n, float(values.mean()) if n else np.nan, *map(float, ends))

    @property
    def direction(self) -> int:
        """1 and −1: the interval is above and below 0."""
        return (self.lower > 0) - (self.upper < 0)

    def __str__(self) -> str:
        few = np.isnan(self.lower) and self.data_sets
        return f"{self.alone} ({self.data_sets} data sets)" if few else self.alone

    @property
    def alone(self) -> str:
        """The interval without the number of data sets."""
        if not self.data_sets:
            return "–"
        if np.isnan(self.lower):
            return signed(self.mean)
        low, high = signed(self.lower), signed(self.upper)
        if self.direction and "0.000" in (low, high):  # an end that is not 0
            low, high = signed(self.lower, 4), signed(self.upper, 4)
        text = f"{signed(self.mean)} [{low}, {high}]"
        return f"**{text}**" if self.direction else text


def signed(value: float, digits: int = 3) -> str:
    rounded = f"{abs(value):.{digits}f}"
    sign = "" if not float(rounded) else "+" if value > 0 else MINUS
    return sign + rounded


def times(value: float) -> str:
    return f"{value:.2g}" if value < 10 else f"{value:,.0f}"


@dataclass
class Study:
    """An archive, and what the page has taken from it so far."""

    folder: Path
    findings: list[dict[str, Any]] = field(default_factory=list)

    def table(self, name: str) -> pl.DataFrame:
        return pl.read_csv(self.folder / "tables" / f"{name}.csv", infer_schema_length=None)

    @cached_property
    def datasets(self) -> pl.DataFrame:
        """The data sets that count, with their properties and strata."""
        sizes = self.table("datasets").select("dataset", "rows")
        return self.table("strata_datasets").filter("counts").join(sizes, on="dataset")

    @cached_property
    def fits(self) -> pl.DataFrame:
        return pl.read_parquet(self.folder / "fits.parquet")

    def means(self, metric: str, names: Sequence[str] | None = None) -> pl.DataFrame:
        """Data sets that count, or these, × methods; null where a fit failed."""
        scores = pl.read_parquet(self.folder / "scores.parquet").filter(metric=metric)
        run = ["dataset", "method"]
        made = self.fits.group_by(run).agg(
            planned=pl.len(), made=pl.col("status").is_in(FITTED).sum()
        )
        means = scores.group_by(run).agg(pl.col("value").mean(), n=pl.len())
        whole = means.join(made, on=run).filter(pl.col("n") == pl.col("planned"))
        wide = whole.sort(run).pivot("method", index="dataset", values="value")
        rows = (
            self.datasets.select("dataset") if names is None else pl.DataFrame({"dataset": names})
        )
        found = rows.join(wide, on="dataset", how="left")
        return found.select(column for column in found if column.null_count() < found.height)

    @cached_property
    def accuracy(self) -> pl.DataFrame:
        return self.means("accuracy")

    @cached_property
    def seconds(self) -> pl.DataFrame:
        """Median seconds of a fit with its tuning, data sets × methods."""
        made = self.fits.filter(pl.col("status").is_in(FITTED))
        found = made.group_by("dataset", "method").agg(pl.col("fit_seconds").median().clip(1e-9))
        wide = found.sort("dataset", "method").pivot(
            "method", index="dataset", values="fit_seconds"
        )
        return self.datasets.select("dataset").join(wide, on="dataset", how="left")

    @cached_property
    def equivalent(self) -> list[str]:
        """The methods that are equal to the focus in practice."""
        return [name for name in complete(self) if name != FOCUS and _equal(self, name) >= SURE]

    @cached_property
    def context(self) -> Study | None:
        """The study of nonlinear methods on the same rows and folds, if it is published."""
        folder = self.folder.with_name(f"{self.folder.name}-context")
        if not folder.is_dir():
            return None
        found = Study(folder)
        found.datasets = self.datasets.filter(
            pl.col("dataset").is_in(found.fits["dataset"].unique().to_list())
        )
        for name in found.datasets["dataset"]:
            for key in ("digest", "folds_digest"):
                if self.about(name)[key] != found.about(name)[key]:
                    raise ValueError(f"{folder}: {key} of {name} differs from {self.folder}")
        return found

    def about(self, dataset: str) -> dict[str, Any]:
        text = (self.folder / "data" / f"{dataset}.json").read_text(encoding="utf-8")
        return dict(json.loads(text))

    def with_context(self, what: str) -> pl.DataFrame:
        """`accuracy` or `seconds`, with the methods of the context study."""
        own: pl.DataFrame = getattr(self, what)
        if self.context is None:
            return own
        other: pl.DataFrame = getattr(self.context, what)
        new = [name for name in other.columns[1:] if name not in own.columns]
        return own.join(other.select("dataset", *new), on="dataset", how="left")

    def note(self, finding: str, value: float, **more: Any) -> None:
        self.findings.append({"finding": finding, "value": float(value)} | more)

    def has(self, *methods: str) -> bool:
        return {*methods} <= {*self.accuracy.columns}

    def number(self, finding: str, value: float, digits: int | None = None) -> str:
        """A number of the page, which becomes a row of the findings."""
        self.note(finding, value)
        return f"{value:,.0f}" if digits is None else f"{value:.{digits}f}"

    def difference(
        self, a: str, b: str, among: str = "", names: Sequence[str] | None = None
    ) -> Interval:
        """Interval of the difference of accuracies of two methods, on the data sets with both."""
        both = self.with_context("accuracy").select("dataset", a, b).drop_nulls()
        if names is not None:
            both = both.filter(pl.col("dataset").is_in([*names]))
        values = (both[a] - both[b]).to_numpy()
        found = Interval.of(values)
        self.note(
            "mean difference of accuracies",
            found.mean,
            method=a,
            against=b,
            among=among or ALL,
            data_sets=found.data_sets,
            lower=found.lower,
            upper=found.upper,
        )
        return found

    def cost(self, a: str, b: str, names: Sequence[str] | None = None) -> float:
        """Geometric mean of the ratios of median seconds of a fit."""
        both = self.with_context("seconds").select("dataset", a, b).drop_nulls()
        if names is not None:
            both = both.filter(pl.col("dataset").is_in([*names]))
        ratio = float(np.exp((both[a].log() - both[b].log()).mean()))
        self.note("ratio of seconds of a fit", ratio, method=a, against=b, data_sets=both.height)
        return ratio

    def within(self, key: str, *strata: str) -> list[str]:
        chosen = self.datasets.filter(pl.col(f"{key}_stratum").cast(pl.String).is_in(strata))
        return chosen["dataset"].to_list()


def compared(study: Study, a: str, b: str) -> str:
    """`a` is more accurate than `b` by … / no difference is visible."""
    found = study.difference(a, b)
    if found.direction:
        word = "higher" if found.direction > 0 else "lower"
        return f"the accuracy of `{a}` is {word} than that of `{b}`: {found}"
    return f"no difference between `{a}` and `{b}` is shown: {found}"


def best(study: Study) -> Iterator[str]:
    """Is there a best linear method, and by how much?"""
    ranks = study.table("strata_ranks").filter(property=ALL).sort("mean_rank")
    first, n = ranks.row(0, named=True), ranks["data_sets"][0]
    name, equals = first["method"], ranks.filter(pl.col("p_best") >= ALPHA).height - 1
    of, rank = ranks.height, study.number("mean rank of the best", first["mean_rank"], 1)
    interval = (
        study.number(f"mean rank of the best, {end}", first[f"rank_{end}"], 1)
        for end in ("lower", "upper")
    )
    yield (
        f"**{'No single method is best.' if equals else f'`{name}` is the best method.'}** "
        f"Of {study.number('ranked methods', of)} methods on {study.number('data sets', n)} data sets, "
        f"`{name}` has the best (lowest) mean rank, {rank} [{', '.join(interval)}]"
        + (
            f", but {study.number('not significantly different from the best', equals)} others do not differ from it "
            "significantly (Nemenyi’s test at 0.05)."
            if equals
            else ", significantly better than every other (Nemenyi’s test at 0.05)."
        )
    )
    if name != FOCUS:
        yield f"In mean accuracy, {compared(study, name, FOCUS)}."
    highest = max(complete(study), key=lambda other: study.accuracy[other].mean())
    if highest not in (name, FOCUS):
        yield f"`{highest}` has the highest mean accuracy; {compared(study, highest, FOCUS)}."
    variations = study.table("sensitivity").with_columns(
        pl.col("variation").str.replace(" apart$", " that do not count")
    )
    dropped = variations.filter(
        pl.col("variation").is_in([f"without {d}" for d in study.datasets["dataset"]])
    )
    same = dropped.filter(same_best="yes").height
    yield (
        f"`{name}` stays first by rank in {study.number('leave-one-out variations with the same best', same)} of "
        f"{study.number('leave-one-out variations', dropped.height)} comparisons that leave out one data set."
    )
    others = variations.filter(~pl.col("variation").is_in(dropped["variation"].to_list()))
    other_data = others.filter(pl.col("variation").str.contains("^with(out)? .*data sets"))
    if same_ways := other_data.filter(same_best="yes")["variation"].to_list():
        yield f"It is also first {' and '.join(same_ways)}."
    by_first = others.filter(same_best="no").group_by("best", maintain_order=True).agg("variation")
    if by_first.height:
        ways = (f"`{first}` {_joined(how)}" for first, how in by_first.iter_rows())
        yield f"Other choices change which one is first: {'; '.join(ways)}."


def _joined(words: Sequence[str]) -> str:
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last


def against_focus(study: Study) -> tuple[list[str], list[str], int]:
    """(significantly better methods, worse ones, number of methods compared)."""
    control = study.table("control").filter(control=FOCUS)
    better = control.filter(pl.col("p_holm") < ALPHA, pl.col("difference") > 0)["method"].to_list()
    worse = control.filter(pl.col("p_holm") < ALPHA, pl.col("difference") < 0)["method"].to_list()
    return better, worse, control.height


def default(study: Study) -> Iterator[str]:
    """Which methods are indistinguishable from logistic regression?"""
    better, worse, compared_with = against_focus(study)
    open_ = compared_with - len(better) - len(worse)
    above = UNUSUAL & {*worse}  # the others of these are named in short
    named = f" (those named above and {_listed([*above])})" if above else _named(worse)
    yield (
        f"Against `{FOCUS}` (L2 penalty, tuned), {study.number('significantly better than the focus', len(better))} of "
        f"{study.number('compared with the focus', compared_with)} methods are significantly better"
        f"{_named(better)}, {study.number('significantly worse than the focus', len(worse))} significantly worse"
        f"{named}, and {study.number('not significantly different from the focus', open_)} are not "
        "distinguished from it (Wilcoxon’s test with Holm’s correction)."
    )
    yield "The intervals of the figure are not corrected, so more of them exclude 0."
    equal = study.equivalent
    other = [n for n in complete(study) if n not in {*better, *worse, *equal, FOCUS}]
    own = Study(study.folder)  # without rows of the findings
    far = [name for name in equal if abs(own.difference(name, FOCUS).mean) > ROPE]
    slightly = [name for name in equal if name in {*better, *worse}]
    though = (
        f" Of these, {_listed(slightly)} differ significantly, but by little." if slightly else ""
    )
    yield (
        f"{study.number('equivalent to the focus', len(equal))} methods are shown to "
        f"be equivalent in practice{_named(equal)}: by the Bayesian signed-rank test, their typical "
        "difference is at most "
        f"our margin of {ROPE}, which is shaded in the figure, with a probability of at least {SURE}.{though} Methods "
        "for several "
        "classes at once or by pairs are the same as the others on data of two classes, so they are "
        "equivalent in part by "
        "construction."
    )
    if far:
        yield (
            "A typical difference is about the median; on a few data sets it is so much greater that the mean is "
            f"beyond the margin for {_listed(far)}."
        )
    if other:
        yield f"Neither is shown for {_listed(other)}."


def complete(study: Study) -> list[str]:
    """The methods with a score on each data set that counts."""
    scores = study.accuracy
    return [n for n in scores.columns[1:] if n not in UNUSUAL and not scores[n].null_count()]


def _equal(study: Study, name: str) -> float:
    """Probability of the Bayesian signed-rank test that a method and the focus are equal in practice."""
    table = study.accuracy.select(name, FOCUS).to_numpy()
    return float(bayesian_signed_rank(table, ROPE).equal[0, 1])


def _named(names: Sequence[str]) -> str:
    return f" ({first_names([f'`{name}`' for name in names], 30)})" if names else ""


def tuning(study: Study) -> Iterator[str]:
    """What does tuning buy?"""
    yield "Methods with a tuned penalty or shrinkage are compared with the same ones without."
    yield from contrasts(study, TUNING, "rows_per_column", "rows per column")


def generative(study: Study) -> Iterator[str]:
    """When do generative methods win?"""
    yield from contrasts(
        study,
        [("lda_shrunk", FOCUS), ("gaussian_nb_tied", FOCUS)],
        "rows_per_column",
        "rows per column",
    )


def contrasts(
    study: Study, pairs: Sequence[tuple[str, str]], key: str, words: str
) -> Iterator[str]:
    """A table: mean difference overall and in each stratum of a property."""
    strata = strata_of(study, key)
    heads = ["all", *(f"{words} {name}" for name in strata)]
    lines = [f"| difference of accuracies | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    said = []
    words_of = ("lower than", "not shown to differ from", "higher than")
    for a, b in pairs:
        if study.has(a, b):
            found = [study.difference(a, b)]
            overall = found[0].direction
            said.append(f"that of `{a}` is {words_of[overall + 1]} that of `{b}`")
            found += [study.difference(a, b, f"{words} {s}", study.within(key, s)) for s in strata]
            other = [
                f"{words_of[own.direction + 1].removesuffix(' than')} with {words} {s}"
                for s, own in zip(strata, found[1:], strict=True)
                if own.direction not in (0, overall)
            ]
            said[-1] += "".join(f", but {each}" for each in other)
            lines.append(f"| `{a}` {MINUS} `{b}` | {' | '.join(map(str, found))} |")
    yield f"Mean accuracies over all data sets, by intervals that are not corrected: {'; '.join(said)}."
    yield "\n".join(lines)


def strata_of(study: Study, key: str) -> list[str]:
    """The strata of a property, in the order of its values."""
    known = study.datasets.drop_nulls(f"{key}_stratum").sort(key)
    return known[f"{key}_stratum"].cast(pl.String).unique(maintain_order=True).to_list()


def every_stratum(study: Study) -> Iterator[tuple[str, str, str]]:
    """(property, stratum, its name on the page)."""
    for key, words in PROPERTY_WORDS.items():
        for stratum in strata_of(study, key):
            sign = ":" if key == "domain" else " =" if stratum == "0" else ""
            yield key, stratum, f"{words}{sign} {stratum}"


def by_stratum(study: Study) -> Iterator[str]:
    """Is the best method the same for every kind of data?"""
    ranks = study.table("strata_ranks").with_columns(pl.col("stratum").cast(pl.String))
    overall = ranks.filter(property=ALL).sort("mean_rank")["method"][0]
    heads = [
        "kind of data",
        "data sets",
        "best mean rank",
        f"its accuracy {MINUS} `{FOCUS}`",
        "others not significantly different",
    ]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    same, worse, tested, total = 0, 0, 0, 0
    for key, stratum, name in every_stratum(study):
        own = ranks.filter(property=key, stratum=stratum).sort("mean_rank")
        if not own.height:
            continue
        first, n, total = own["method"][0], own["data_sets"][0], total + 1
        same += first == overall
        open_ = "too few to test"
        if own["p_best"].null_count() == 0:
            equals = own.filter(pl.col("p_best") >= ALPHA)
            open_ = study.number(f"not significantly different, {name}", equals.height - 1)
            open_ += f" of {study.number('other ranked methods', own.height - 1)}"
            tested, worse = tested + 1, worse + (FOCUS not in equals["method"])
        gain = (
            "–"
            if first == FOCUS
            else study.difference(first, FOCUS, name, study.within(key, stratum)).alone
        )
        lines.append(
            f"| {name} | {study.number(f'data sets, {name}', n)} | `{first}` | {gain} | {open_} |"
        )
    yield (
        f"The plan divides the data sets by six properties. `{overall}` has the best mean rank in "
        f"{study.number('strata with the same best', same)} of {study.number('strata', total)} groups. `{FOCUS}` is "
        "significantly worse than the best method (Nemenyi’s test) in "
        f"{study.number('strata where the focus is significantly worse', worse)} of the "
        f"{study.number('tested strata', tested)} groups that have enough data sets for a test. The best method of a "
        "group is chosen by the same data sets, so its advantage is likely overstated. Rows per column count the "
        "columns after one indicator for each category."
    )
    yield "\n".join(lines)
    yield disjoint(study)


def partial(study: Study) -> Iterator[str]:
    """How good are the methods without a score on some data sets?"""
    scores = study.accuracy
    names = [n for n in scores.columns[1:] if scores[n].null_count() and n not in UNUSUAL]
    if names:
        yield (
            "These methods are not ranked, since they have no score on some data sets: "
            f"{', or '.join(why_partial(study, names))}. On the others:"
        )
        lines = ["| method | data sets | accuracy − `logistic` |", "|---|---|---|"]
        for name in names:
            found = study.difference(name, FOCUS)
            lines.append(f"| `{name}` | {found.data_sets} | {found.alone} |")
        yield "\n".join(lines)


def why_partial(study: Study, names: Sequence[str]) -> list[str]:
    """Why these methods have no score on some data sets."""
    own = study.fits.filter(pl.col("method").is_in([*names]))
    ended = {*own["status"]} - {*FITTED}
    missing = own.select("dataset", "method").n_unique() < len(names) * own["dataset"].n_unique()
    reasons = {
        "they need two classes or features of at least 0": "not_applicable" in ended,
        "a fit failed or exceeded a limit": bool(ended - {"not_applicable"}),
        "they are not fitted there yet": missing,
    }
    return [reason for reason, holds in reasons.items() if holds]


SHOWN = 6  # methods of a table, the best ones


def probabilities(study: Study) -> Iterator[str]:
    """Which methods have good probabilities?"""
    loss, error = study.means("log_loss"), study.means("calibration_error")
    names = [name for name in loss.columns[1:] if not loss[name].null_count()]
    if FOCUS not in names:
        return
    ordered = sorted(names, key=lambda name: loss[name].mean())
    heads = [
        "method",
        "log loss",
        f"data sets with a lower one than `{FOCUS}`",
        "calibration error",
    ]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    top = [name for name in ordered if name not in UNUSUAL][:SHOWN]
    for name in ordered:
        if name in {*top, FOCUS} | UNUSUAL:
            equal_but_for_rounding = loss[FOCUS] * (1 - 1e-9)
            lower = int((loss[name] < equal_but_for_rounding).sum())
            wins = study.number(f"data sets where {name} has the lower log loss", lower)
            lines.append(
                f"| `{name}` | {study.number(f'mean log loss of {name}', loss[name].mean(), 3)} | "
                f"{'–' if name == FOCUS else wins} | "
                f"{study.number(f'mean calibration error of {name}', error[name].mean(), 3)} |"
            )
    yield (
        f"{study.number('complete methods with probabilities', len(names))} methods give probabilities on all data "
        f"sets. Below are the {study.number('methods shown', SHOWN)} with the lowest mean log loss, `{FOCUS}`, and "
        "`majority`, which predicts the shares of the classes. This is a description: the plan announced no test of "
        "probabilities. Calibration error in folds of few rows is mostly chance, so small differences of it mean "
        "nothing; and `majority` has a small one without being of use."
    )
    yield "\n".join(lines)
    useless = [name for name in ordered if loss[name].mean() > loss["majority"].mean()]
    if useless:
        yield f"Not for probabilities: the mean log loss of {_listed(useless)} is higher than that of `majority`."


def absolute(study: Study) -> Iterator[str]:
    """How accurate are methods on each data set?"""
    table = accuracies(study)
    yield (
        "Below are a few methods (– where they are not fitted yet) and, chosen in hindsight, the most accurate of the "
        "ranked linear ones, of several the first by name; [all accuracies](_static/reference/accuracies.csv) are a "
        "table."
    )
    methods = [name for name in (*SHOWN_ACCURACIES, NONLINEAR) if name in table.columns]
    heads = ["data set", "rows", "rows per column", "classes", *(f"`{name}`" for name in methods)]
    heads.append("highest linear")
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    ranked = complete(study)
    for row in table.sort("rows", "dataset").iter_rows(named=True):
        highest = max(ranked, key=lambda name: row[name])
        cells = ["–" if row[name] is None else f"{row[name]:.3f}" for name in methods]
        lines.append(
            f"| {row['dataset']} | {row['rows']:,} | {times(row['rows_per_column'])} | {row['classes']} | "
            f"{' | '.join(cells)} | "
            f"{row[highest]:.3f} `{highest}` |"
        )
    yield "\n\n".join(
        [
            f"<details><summary>Accuracies on {table.height} data sets</summary>",
            "\n".join(lines),
            "</details>",
        ]
    )


SHOWN_ACCURACIES = ("majority", FOCUS, "lda_shrunk", "svm")


def accuracies(study: Study) -> pl.DataFrame:
    """Data sets that count × methods, with those of the context study."""
    sizes = study.datasets.select(
        "dataset", "rows", "rows_per_column", pl.col("classes").cast(pl.Int64)
    )
    return sizes.join(study.with_context("accuracy"), on="dataset")


def classes(study: Study) -> Iterator[str]:
    """What do one-vs-rest, softmax and pairwise coupling cost and gain?"""
    names = study.datasets.filter(pl.col("classes") > 2)["dataset"].to_list()
    several = study.number("data sets with more than two classes", len(names))
    yield f"On the {several} data sets with more than two classes:"
    lines = [
        "| | data sets | difference of accuracies | seconds of a fit, ratio |",
        "|---|---|---|---|",
    ]
    for a, b in SEVERAL:
        if study.has(a, b):
            found = study.difference(a, b, "more than two classes", names)
            cells = f"{found.data_sets} | {found.alone} | {times(study.cost(a, b, names))}"
            lines.append(f"| `{a}` {MINUS} `{b}` | {cells} |")
    yield "\n".join(lines)


def context(study: Study) -> Iterator[str]:
    """Where is a linear method enough?"""
    if study.context is None:
        return
    ranked = study.table("strata_ranks").filter(property=ALL).sort("mean_rank")
    best_linear = ranked["method"][0]
    names = study.context.accuracy.columns[1:]
    heads = [
        "method",
        "data sets",
        f"accuracy {MINUS} `{FOCUS}`",
        *([f"accuracy {MINUS} `{best_linear}`"] if best_linear != FOCUS else []),
        f"more than {ROPE} above / below `{FOCUS}` on",
        f"seconds of a fit, ratio to `{FOCUS}`",
    ]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    found = {name: study.difference(name, FOCUS) for name in names}
    for name in sorted(names, key=lambda name: -found[name].mean):
        cells = [found[name].alone]
        if best_linear != FOCUS:
            cells.append(study.difference(name, best_linear).alone)
        cells += [" / ".join(margins(study, name)), times(study.cost(name, FOCUS))]
        lines.append(f"| `{name}` | {found[name].data_sets} | {' | '.join(cells)} |")
    yield (
        "Nonlinear methods on the same folds show what a linear boundary loses. They are not ranked among the linear "
        f"methods, but compared with `{FOCUS}`"
        + (
            f" and with `{best_linear}`, the linear method with the best mean rank"
            if best_linear != FOCUS
            else ""
        )
        + ", each on the data sets where it has a score. "
        f"They are fitted on {study.number('data sets with nonlinear methods', study.context.datasets.height)} of the "
        f"{study.datasets.height} data sets so far, of at most "
        f"{study.number('rows of the largest one with nonlinear methods', study.context.datasets['rows'].max())} rows. "
        "[What is tuned](../config/reference_context.yaml) is little for some, "
        f"for example only the learning rate of `{NONLINEAR}`, whose other parameters are the defaults of scikit-learn:"
    )
    yield "\n".join(lines)
    if NONLINEAR in names:
        above, below = margins(study, NONLINEAR)
        yield (
            f"The plan announced `{NONLINEAR}` {MINUS} `{FOCUS}`. It is above {ROPE} on {above} of "
            f"{found[NONLINEAR].data_sets} data sets, below {MINUS}{ROPE} on {below}, and within this margin on "
            "the others."
        )
        if gained := widest(study):
            scores = study.with_context("accuracy").filter(pl.col("dataset").is_in(gained))
            linear = pl.max_horizontal(complete(study))
            reached = scores.filter(linear >= pl.col(NONLINEAR)).height
            yield (
                f"It gains on {_listed(gained)}; on {study.number('gains that a linear method reaches', reached)} of "
                "these, some linear method, chosen in hindsight, is as accurate."
            )


def margins(study: Study, name: str) -> tuple[str, str]:
    """On how many data sets a method is above and below the focus by more than the rope."""
    both = study.with_context("accuracy").select(name, FOCUS).drop_nulls()
    gap = (both[name] - both[FOCUS]).round(9)
    return (
        study.number(f"data sets where {name} is above the focus by the rope", (gap > ROPE).sum()),
        study.number(f"data sets where {name} is below the focus by the rope", (gap < -ROPE).sum()),
    )


def widest(study: Study, number: int = 5) -> list[str]:
    """The data sets where the nonlinear method gains most."""
    both = study.with_context("accuracy").select("dataset", NONLINEAR, FOCUS).drop_nulls()
    gap = pl.col(NONLINEAR) - pl.col(FOCUS)
    return (
        both.filter(gap.round(9) > ROPE)
        .sort(gap, descending=True)["dataset"]
        .head(number)
        .to_list()
    )


def by_group(study: Study, a: str, b: str) -> dict[tuple[str, str], Interval]:
    """(property, name of the group) → mean difference; of multiclass methods on more than two classes."""
    many = study.datasets.filter(pl.col("classes") > 2)["dataset"].to_list()
    among = [*many] if (a, b) in SEVERAL else study.datasets["dataset"].to_list()
    groups = [(ALL, among, ALL)]
    groups += [(key, study.within(key, s), name) for key, s, name in every_stratum(study)]
    found = {
        (key, name): study.difference(a, b, name, [d for d in names if d in among])
        for key, names, name in groups
    }
    return {group: own for group, own in found.items() if own.data_sets}


def all_contrasts(study: Study) -> pl.DataFrame:
    """The differences that the plan announces, in each group."""
    rows = [
        {"method": a, "against": b, "property": key, "group": group, **own._asdict()}
        for a, b in ANNOUNCED
        if study.has(a, b)
        for (key, group), own in by_group(study, a, b).items()
    ]
    found = pl.DataFrame(rows, infer_schema_length=None)
    return found.with_columns(pl.col("lower", "upper").fill_nan(None))  # without a test


def disjoint(study: Study) -> str:
    """Between which groups the announced differences differ."""
    found = all_contrasts(Study(study.folder))  # without rows of the findings
    pair = ["method", "against", "property"]
    both = found.join(found, on=pair, suffix="_high").filter(pl.col("upper") < pl.col("lower_high"))
    apart = [
        f"`{a}` {MINUS} `{b}` is lower for {low} than for {high}"
        for a, b, low, high in both.select(*pair[:2], "group", "group_high").iter_rows()
    ]
    link = (
        "The differences that the plan announces are computed in [each group]"
        "(_static/reference/contrasts.csv)."
    )
    if not apart:
        return f"{link} None is shown to differ between groups: no two of their intervals are disjoint."
    return f"{link} These differ between groups, by disjoint intervals: {'; '.join(apart)}."


def convergence(study: Study) -> Iterator[str]:
    """Which fits did not converge, and does it matter?"""
    counted = study.fits.group_by("method").agg(
        planned=pl.len(),
        **{s: (pl.col("status") == s).sum() for s in study.fits["status"].unique()},
    )
    total, made = study.fits.height, study.fits.filter(pl.col("status").is_in(FITTED)).height
    yield (
        f"Of {study.number('planned fits', total)} planned fits, of {study.number('methods', counted.height)} "
        "methods on "
        f"{study.number('data sets with those apart', study.fits['dataset'].n_unique())} data sets (with "
        "those that do not "
        f"count) in {study.number('folds', study.fits['fold'].n_unique())} folds, "
        f"{study.number('fits with predictions', made)} gave predictions. The others have a row with the reason; their "
        "methods are not ranked:"
    )
    rest = (
        study.fits.filter(~pl.col("status").is_in(FITTED))
        .group_by("status")
        .agg(n=pl.len(), methods=pl.col("method").unique().sort())
        .sort("n", "status", descending=[True, False])
    )
    lines = ["| status | fits | methods |", "|---|---|---|"]
    for status, n, methods in rest.iter_rows():
        lines.append(
            f"| `{status}` | {study.number(f'fits with status {status}', n)} | "
            f"{first_names([f'`{m}`' for m in methods], 8)} |"
        )
    yield "\n".join(lines)
    if "max_iter" in counted.columns:
        ended = counted.filter(pl.col("max_iter") > 0).with_columns(
            share=pl.col("max_iter") / pl.col("planned")
        )
        rows = (
            ended.sort("share", "method", descending=[True, False])
            .select("method", "share")
            .head(12)
        )
        shares = (
            f"`{m}` {study.number(f'share of fits of {m} stopped at the limit of iterations', 100 * s)} %"
            for m, s in rows.iter_rows()
        )
        yield (
            f"Fits that reached their limit of iterations predict, and count: {', '.join(shares)}. Online "
            "rules make at "
            "most ten passes by design, and the search for the fewest errors has a limit of steps."
        )
    gaps = study.fits.filter(certificate_kind="duality_gap", status="converged")
    if gaps.height:
        yield (
            f"{study.number('converged fits with a duality gap', gaps.height)} converged fits have a duality gap as "
            f"certificate, which bounds how far the objective is above its minimum: by at most "
            f"{gaps['certificate'].max():.1e} of it."
        )
        study.note("largest relative duality gap", gaps["certificate"].max())


def strengths(study: Study) -> Iterator[str]:
    """Which strengths are chosen?"""
    tuned = pl.read_parquet(study.folder / "tuned.parquet").filter(parameter="strength")
    values = (
        tuned.with_columns(pl.col("value").cast(pl.Float64, strict=False))
        .drop_nulls("value")
        .filter(pl.col("value") > 0)
    )
    lines = [
        "| method | lower quartile | median | upper quartile | at an end of the grid |",
        "|---|---|---|---|---|",
    ]
    for name in (
        "logistic",
        "logistic_l1",
        "logistic_elastic_net",
        "svm",
        "svm_squared_hinge",
        "least_squares_ridge",
    ):
        own = values.filter(method=name)
        if own.height:
            quartiles = [own["value"].quantile(q) for q in (0.25, 0.5, 0.75)]
            at_end = 100 * own["edge"].is_not_null().mean()
            for what, value in zip(
                ("lower quartile", "median", "upper quartile"), quartiles, strict=True
            ):
                study.note(f"{what} of the strength of {name}", value)
            cells = " | ".join(f"{value:.1e}" for value in quartiles)
            lines.append(
                f"| `{name}` | {cells} | {study.number(f'share of strengths of {name} at an end', at_end, 1)} % |"
            )
    yield (
        "The strength multiplies the penalty; the loss is a mean over the rows ([the objective](objective.md)), so a "
        "strength does not grow with their number. With n rows, it is `C = 1/(n · strength)` in scikit-learn:"
    )
    yield "\n".join(lines)


def costs(study: Study) -> Iterator[str]:
    """What does a fit cost?"""
    names = [
        n for n in study.accuracy.columns[1:] if n in study.seconds.columns and n not in UNUSUAL
    ]
    ratios = sorted((study.cost(name, FOCUS), name) for name in names if name != FOCUS)
    cheap = [f"`{name}` {times(1 / ratio)}" for ratio, name in ratios[:5]]
    dear = [f"`{name}` {times(ratio)}" for ratio, name in ratios[::-1][:5]]
    tuned = {*pl.read_parquet(study.folder / "tuned.parquet")["method"]}
    free = study.number(
        "fastest methods without tuning", sum(n not in tuned for _, n in ratios[:5])
    )
    median = study.seconds[FOCUS].median()
    yield (
        f"A fit of `{FOCUS}` with its tuning takes {study.number('median seconds of the focus', median, 2)} s in the "
        f"median of the data sets. Times faster (geometric mean): {', '.join(cheap)}; {free} of these five "
        f"have nothing to tune. Times slower: {', '.join(dear)}. In the figure, methods in colour are more accurate "
        "than all that are faster."
    )


PROPERTIES = (
    "rows",
    "rows_per_column",
    "classes",
    "category_share",
    "missing_values",
    "largest_class_share",
)


def regressed(study: Study) -> tuple[np.ndarray, np.ndarray]:
    """(properties, differences to the focus) of the data sets that count, complete methods only."""
    table = study.datasets.drop_nulls([*PROPERTIES])
    values = table.select(
        pl.col("rows", "rows_per_column", "classes").log(),
        "category_share",
        (pl.col("missing_values") > 0).cast(pl.Float64),
        "largest_class_share",
    ).to_numpy()
    scores = table.select("dataset").join(study.accuracy, on="dataset", how="left")
    methods = complete(study)
    differences = np.column_stack([(scores[n] - scores[FOCUS]).to_numpy() for n in methods])
    return values, differences


def choices(X: np.ndarray, D: np.ndarray) -> np.ndarray:
    """For each data set, the method with the greatest difference that a ridge regression on the others predicts."""
    from sklearn.linear_model import RidgeCV

    chosen = np.empty(len(X), int)
    for i in range(len(X)):
        rest = np.arange(len(X)) != i
        mean, scale = X[rest].mean(axis=0), X[rest].std(axis=0) + 1e-12
        model = RidgeCV(alphas=np.geomspace(1, 1e5, 16)).fit((X[rest] - mean) / scale, D[rest])
        chosen[i] = np.argmax(model.predict((X[[i]] - mean) / scale))
    return chosen


def suggestion(study: Study) -> Iterator[str]:
    """Can the properties of a data set tell which method to choose?"""
    X, D = regressed(study)
    if len(X) < 20:
        yield "Too few data sets so far."
        return
    rows = np.arange(len(X))
    gain = D[rows, choices(X, D)]
    constant = np.array([D[i, np.argmax(np.delete(D, i, axis=0).mean(axis=0))] for i in rows])
    rule, fixed = Interval.of(gain), Interval.of(constant)
    for what, found in (
        ("a ridge regression on the properties", rule),
        ("the best mean of the others", fixed),
    ):
        ends = {"lower": found.lower, "upper": found.upper}
        study.note(
            f"gain over the focus of a choice by {what}", found.mean, data_sets=len(X), **ends
        )
    oracle = float(D.max(axis=1).mean())
    yield (
        "Each data set in turn was left out, and a ridge regression of the differences to `logistic` on rows, rows per "
        "column, classes, share of categories, missing values and share of the largest class, fitted to the others, "
        f"chose its method. Against always `{FOCUS}`, this choice changed the accuracy by {rule}, and always using "
        f"the method with the best mean on the others by {fixed}. The best method in hindsight would gain "
        f"{signed(oracle)}, in part by "
        "chance."
    )
    study.note("gain over the focus of the best method in hindsight", oracle)
    if rule.direction > 0 and rule.mean > fixed.mean:
        yield "So the properties help."
    else:
        yield "So the properties did not help to choose, and linclass has no command that suggests a method."


def power(study: Study) -> Iterator[str]:
    """What could the study not see?"""
    n = study.datasets.height
    own = Study(study.folder)  # without rows of the findings
    each = (own.difference(name, FOCUS) for name in complete(study) if name != FOCUS)
    half = float(np.median([(found.upper - found.lower) / 2 for found in each]))
    yield (
        f"With {study.number('data sets that count', n)} data sets, half an interval of a mean difference to "
        f"`{FOCUS}` is {study.number('median half width of an interval to the focus', half, 4)} in the median of the "
        "methods: smaller differences of such a method are not visible here, and comparisons that are not "
        "significant do not show that methods are equal."
    )


def short(study: Study) -> Iterator[str]:
    """What to use."""
    better, worse, _ = against_focus(study)
    own = Study(study.folder)  # without rows of the findings
    first = (
        f"Try {_listed(better)} first"
        if better
        else f"Start with `{FOCUS}`: no linear method is significantly better"
    )
    yield f"{first}."
    fast = min(study.equivalent, key=lambda name: own.cost(name, FOCUS), default=FOCUS)
    if own.cost(fast, FOCUS) < 1:
        yield (
            f"`{fast}` is equivalent in accuracy and {times(1 / study.cost(fast, FOCUS))} times as fast"
            f"{probable(study, fast)}."
        )
    if worth := [name for name in worse if name not in UNUSUAL]:
        loss = {name: -own.difference(name, FOCUS).mean for name in worth}
        most = max(loss, key=lambda name: loss[name])
        least = min(loss, key=lambda name: loss[name])
        yield (
            f"Significantly worse, in the mean by {study.number('most that is lost', loss[most], 3)} (`{most}`) to "
            f"{study.number('least that is lost', loss[least], 3)} (`{least}`): "
            f"{_listed(sorted(worth, key=lambda name: -loss[name]))}."
        )
    if study.context is not None and NONLINEAR in study.context.accuracy.columns:
        above, below = margins(own, NONLINEAR)
        n = own.difference(NONLINEAR, FOCUS).data_sets
        yield (
            f"Of {n} data sets, `{NONLINEAR}`, which is not linear, is more accurate than `{FOCUS}` by more than "
            f"{ROPE} on {above} and less accurate by that on {below}."
        )
    yield "[What each method is](models.md)."


def probable(study: Study, name: str) -> str:
    """What to add if the probabilities of a method are the best ones."""
    loss = study.means("log_loss")
    whole = [column.name for column in loss if not column.null_count()][1:]
    return (
        ", with the lowest mean log loss"
        if name == min(whole, key=lambda n: loss[n].mean())
        else ""
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


SECTIONS = (
    (short, "In short"),
    (best, "Is there a best linear method?"),
    (default, "Which methods are as good as logistic regression?"),
    (by_stratum, "Is it the same for every kind of data?"),
    (context, "Where is a linear boundary enough?"),
    (tuning, "What does a tuned penalty gain?"),
    (generative, "When do generative methods win?"),
    (classes, "Several classes: softmax, one-vs-rest or pairs?"),
    (partial, "Methods for some data only"),
    (probabilities, "Which methods give good probabilities?"),
    (suggestion, "Can the properties of the data tell which method to choose?"),
    (convergence, "Which fits are missing or stopped early?"),
    (strengths, "Which strengths are chosen?"),
    (costs, "What does a fit cost?"),
    (absolute, "How accurate are the methods on each data set?"),
    (power, "What could the study not see?"),
)
PICTURED = {best: "differences", context: NONLINEAR, generative: "generative", costs: "cost"}
CAPTIONS = {
    "differences": "Mean difference of accuracy to logistic regression, with bootstrap intervals over the data sets",
    NONLINEAR: "Boosting against logistic regression by kind of data; circles: fewer than ten data sets",
    "generative": "Shrunken LDA against logistic regression, a point a data set",
    "cost": "Mean accuracy relative to logistic regression against the cost of a fit",
}


def page(study: Study) -> str:
    """The text of the page; fills the findings."""
    n = study.datasets.height
    text = [
        "# Results of the reference study",
        "<!-- Written by `python docs/make_reference.py` from reference/2026.1: change that, not this page. -->",
        (
            f"Linear classifiers on {n} real data sets, version {study.folder.name}. "
            "[The plan](reference_study.md) was written before the fits. Differences are of mean accuracy over ten "
            "folds; brackets are 95 % bootstrap intervals over the data sets, bold where they exclude 0. They are not "
            "corrected for several comparisons. [All numbers](_static/reference/findings.csv) are a table, computed "
            "from the archive `reference/2026.1`. [Add your method](add_method.md)."
        ),
    ]
    if n < PLANNED:
        text.append(
            f"**Preliminary.** These are {n} of the {PLANNED} data sets that count in the plan, real ones with "
            "independent rows, with at most "
            f"{study.number('rows of the largest data set', study.datasets['rows'].max())} rows; the others are still "
            "to be fitted. So the findings are about data of this size, and some will change."
        )
    for section, title in SECTIONS:
        said = [*section(study)]
        if said:
            text += [f"## {title}", *_paragraphs(said)]
            if section in PICTURED:
                name = PICTURED[section]
                text.append(f"![{CAPTIONS[name]}](_static/reference/{name}.svg)")
    return "\n\n".join(text) + "\n"


def draw(study: Study) -> None:
    """The figures of the page."""
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "linclass", "font.size": 9})
    names = complete(study)
    own = Study(study.folder)  # without rows of the findings
    found = {name: own.difference(name, FOCUS) for name in names if name != FOCUS}
    ordered = sorted(found, key=lambda name: found[name].mean)
    _forest(
        "differences", {name: found[name] for name in ordered}, f"accuracy − accuracy of {FOCUS}"
    )
    if study.context is not None and NONLINEAR in study.context.accuracy.columns:
        shown = {
            f"{name} ({each.data_sets})": each
            for (_, name), each in by_group(own, NONLINEAR, FOCUS).items()
        }
        label = f"accuracy of {NONLINEAR} − {FOCUS}"
        _forest(NONLINEAR, dict(reversed(shown.items())), label)

    table = study.datasets.select("dataset", "rows_per_column", "classes").join(
        study.accuracy, on="dataset"
    )
    figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
    for marker, many in (("o", False), ("^", True)):
        rows = table.filter((pl.col("classes") > 2) == many)
        axes.plot(
            *(rows["rows_per_column"], rows["lda_shrunk"] - rows[FOCUS], marker),
            ms=4,
            mfc="none",
            label="more than two classes" if many else "two classes",
        )
    axes.axhline(0, color="0.4", lw=0.8)
    axes.legend(frameon=False)
    axes.set(xscale="log", xlabel="rows per column", ylabel=f"accuracy of lda_shrunk − {FOCUS}")
    _save(figure, "generative")

    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    points = sorted((own.cost(name, FOCUS), found[name].mean, name) for name in found)
    points.append((1.0, 0.0, FOCUS))
    front, best = set[str](), -np.inf
    for _, mean, name in sorted(points):
        if mean > best:
            front.add(name)
            best = mean
    last, height = (0.0, 0.0), 0
    for cost, mean, name in sorted(points):
        led = name in front or name == FOCUS
        axes.plot(cost, mean, "o", color="C0" if led else "0.7", ms=4, zorder=2 + led)
        if name == FOCUS:
            axes.annotate(
                name, (cost, mean), (0, -11), textcoords="offset points", fontsize=7, ha="center"
            )
        elif led:  # names of near points are above one another
            near = cost < CLOSE * last[0] and mean < last[1] + LEVEL
            height = height + 1 if near else 0
            place = {"xytext": (0, 5 + 9 * height), "textcoords": "offset points"}
            axes.annotate(name, (cost, mean), fontsize=7, ha="center", **place)
            last = cost, mean
    axes.margins(x=0.1)
    lowest = np.quantile([each.mean for each in found.values()], 0.1)
    axes.set(xscale="log", xlabel=f"seconds of a fit with its tuning, as a multiple of {FOCUS}")
    axes.set(ylabel=f"accuracy − accuracy of {FOCUS}", ylim=(1.5 * lowest, -0.6 * lowest))
    _save(figure, "cost")


def _forest(picture: str, found: Mapping[str, Interval], label: str) -> None:
    """A mean difference with its interval for each name, from the lowest row up."""
    figure, axes = plt.subplots(figsize=(7, 0.16 * len(found) + 0.8), layout="constrained")
    for y, each in enumerate(found.values()):
        axes.plot([each.lower, each.upper], [y, y], color="C0", lw=1)
        tested = not np.isnan(each.lower)
        axes.plot(each.mean, y, "o", color="C0", ms=3.5, mfc="C0" if tested else "none")
    axes.axvspan(-ROPE, ROPE, color="0.92", zorder=0)
    axes.axvline(0, color="0.4", lw=0.8)
    axes.set_yticks(range(len(found)), [*found], fontsize=7)
    axes.set(ylim=(-0.7, len(found) - 0.3), xlabel=label)
    _save(figure, picture)


def _save(figure: Any, name: str) -> None:
    figure.savefig(PICTURES / f"{name}.svg", metadata={"Date": None})
    plt.close(figure)


def _paragraphs(said: Sequence[str]) -> Iterator[str]:
    """Sentences in one paragraph, tables by themselves."""
    sentences: list[str] = []
    for each in said:
        if each.startswith(("|", "<")):
            yield from [" ".join(sentences)] * bool(sentences)
            sentences = []
            yield each
        else:
            sentences.append(each)
    yield from [" ".join(sentences)] * bool(sentences)


def main(folder: Path = ARCHIVE) -> None:
    """Write the page, the findings and the figures."""
    study = Study(folder)
    PICTURES.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page(study), encoding="utf-8")
    pl.DataFrame(study.findings, infer_schema_length=None).write_csv(FINDINGS)
    accuracies(study).write_csv(ACCURACIES)
    all_contrasts(Study(folder)).write_csv(CONTRASTS)
    draw(study)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
