"""Jobs of a study: expected seconds of each run, the runs that share a job, and what a job requests from a cluster.

The expected seconds depend on the entries alone (expected size of the data, cost of the method), never on a clock or
the machine. They are correct within a factor of about five (docs/scale.md), which suffices to distinguish light runs
from heavy ones.

A bundle is the runs that share a job. Light runs of a data set share one; a heavy run has a job of its own:

iris             all light runs on iris          iris~2-of-4      a part of them, by the method's name
~3-of-8          light runs on several small data sets (`jobs: {across: true}`), by their names
iris@svm         one heavy run                   iris@svm@8       one heavy run, its fits distributed to 8 jobs

Membership is stable: a hash of the run's name selects its part, and the number of parts is a power of two, so a new
method or data set moves few others. No result depends on it: a run's files record their inputs (run_files.py), so a run
that moves to another job is not fitted again.

Requested memory and time follow from the size of the data, and retries request more: Slurm ends a job that requested
too little, and its next attempt continues with the remaining runs. No result depends on the request; the limits of a
fit are those of the study (`limits:`), and they also bound what a job can need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import ceil, inf, sqrt
from pathlib import Path
from typing import Any, NamedTuple

from linclass.base.many_fits import COUNT
from linclass.base.parts import import_class
from linclass.kernels.functions import WIDTHS
from linclass.tuning import selection
from linclass_study.config.study import Study
from linclass_study.data.expected_size import Size, expected_size
from linclass_study.entries import Entry
from linclass_study.files.digests import short_digest
from linclass_study.files.reading import read_about
from linclass_study.protocols import selected_protocols, size_of

SECONDS_OF_RULE = {  # seconds of other jobs than fits, for the progress in the terminal alone
    "score": 5.0,
    "aggregate": 2.5,
    "report": 4.0,
}


class Cost(NamedTuple):
    """Seconds of one fit: a minimum, per value of the data, and per pair of rows."""

    least: float
    value: float
    pair: float = 0.0


SUMS = Cost(1e-3, 2e-7)  # sums over rows, for all folds at once
PASSES = Cost(2e-2, 2e-7)  # passes over the rows, one row at a time
CONVEX = Cost(4e-3, 5e-7)  # an iterative fit; any foreign estimator
POSTERIOR = Cost(4e-3, 1e-6)  # with the inverse of a Hessian at many strengths
KERNEL = Cost(5e-3, 0, 3e-7)
RELEVANCE = Cost(1e-2, 0, 5e-6)  # three ascents, a step for each column that comes or goes
SEARCH = Cost(1e-1, 3e-7)  # runs until its limit of steps

CLASSES = {
    SUMS: "MajorityClass NearestMean LinearDiscriminantAnalysis QuadraticDiscriminantAnalysis FisherDiscriminant "
    "NearestShrunkenCentroids GaussianNB BernoulliNB MultinomialNB PoissonNB CategoricalNB ExponentialFamilyNB "
    "LeastSquaresClassifier",
    PASSES: "Perceptron AveragedPerceptron PassiveAggressive Relaxation Adaline Winnow BalancedWinnow",
    KERNEL: "KernelSVM KernelLogisticRegression KernelPerceptron",
    POSTERIOR: "BayesianLogisticRegression",
    RELEVANCE: "RelevanceVectorMachine",
    SEARCH: "ZeroOneClassifier",
}
COSTS = {name: cost for cost, names in CLASSES.items() for name in names.split()}


def seconds_of_run(size: Size | None, entry: Entry, evaluation: Mapping[str, Any]) -> float:
    """Seconds of all fits of a method on data of this size; infinity if the size is unknown."""
    if size is None:
        return inf
    cost = cost_of(entry)
    rows = size.rows or size.values / 10
    one = cost.least + cost.value * size.values + cost.pair * rows**2
    return number_of_fits(evaluation, 1 if cost is SUMS else rows) * tuned(entry, evaluation) * one


def cost_of(entry: Entry) -> Cost:
    """Cost class of an entry; that of the base estimator for a meta-estimator such as OneVsRest."""
    params = entry.get("params") or {}
    inner = params.get("estimator")
    if isinstance(inner, Mapping) and "classifier" in inner:
        return cost_of(inner)
    package, _, name = entry["classifier"].rpartition(".")
    without_kernel = "kernel" in params and params["kernel"] is None
    return COSTS.get(name, CONVEX) if package == "linclass" and not without_kernel else CONVEX


def number_of_fits(evaluation: Mapping[str, Any], rows: float) -> float:
    """Number of fits of a run, without the official split; `rows` is the number of fits of leave-one-out. Rows of an
    official test set count, too: before the data are fetched their number is unknown.
    """
    count = 0.0
    for name, options in selected_protocols(evaluation).items():
        repeats, each = size_of(name, options)
        whole = {"leave_one_out": rows, "official": 0}.get(name, repeats * each)
        count += whole * min(options.get("size", 1), 1)
    return max(count, 1)


def tuned(entry: Entry, evaluation: Mapping[str, Any]) -> float:
    """Factor by which tuning extends a fit: candidates are fitted along a path with warm starts."""
    if not entry.get("tune"):
        # a criterion such as AIC selects from a path of fits to all training rows
        return sqrt(COUNT) if entry["classifier"] == "linclass.TunedClassifier" else 1.0
    candidates = len(selection.candidates(entry["tune"]))
    for name in filter(lambda name: selection.is_path(entry["tune"][name]), entry["tune"]):
        candidates *= len(WIDTHS) if name.endswith("gamma") else COUNT
    return sqrt(candidates * evaluation["inner_folds"])


Run = tuple[str, str]  # data set, method
ALONE = 1 / 4  # of a job's work: a run of at least this size has a job of its own


@dataclass(frozen=True)
class Bundle:
    name: str
    runs: tuple[Run, ...]
    work: float  # expected seconds; infinity if unknown
    shards: int = 1

    @property
    def datasets(self) -> list[str]:
        return list(dict.fromkeys(dataset for dataset, _ in self.runs))


def plan(
    works: Mapping[Run, float], jobs: Mapping[str, Any], divisible: Callable[[str], bool]
) -> dict[str, Bundle]:
    """Name → bundle, in the order of `works`, the expected seconds of each run.

    jobs        work: seconds that a job should take; across: whether small data sets share jobs;
                shards: maximal number of jobs for a heavy run
    divisible   whether the fits of a method may be distributed to several jobs
    """
    bundles: list[Bundle] = []
    light: dict[str, dict[Run, float]] = {}
    for (dataset, method), seconds in works.items():
        if seconds < ALONE * jobs["work"]:
            light.setdefault(dataset, {})[dataset, method] = seconds
            continue
        wanted = inf if seconds == inf else round(seconds / jobs["work"])
        shards = max(1, min(jobs["shards"], wanted))
        shards = shards if shards > 1 and divisible(method) else 1
        name = f"{dataset}@{method}" + (f"@{shards}" if shards > 1 else "")
        bundles.append(Bundle(name, ((dataset, method),), seconds, shards))
    shared: dict[Run, float] = {}
    for dataset, runs in light.items():
        if jobs["across"] and sum(runs.values()) < jobs["work"] / 2:
            shared |= runs
        else:
            bundles += _parts(dataset, runs, jobs["work"], key=lambda run: run[1])
    bundles += _parts("", shared, jobs["work"], key=lambda run: run[0])
    return {bundle.name: bundle for bundle in bundles}


def plan_bundles(study: Study) -> dict[str, Bundle]:
    return plan(run_seconds(study), study.jobs, lambda method: divisible(study.methods[method]))


def run_seconds(study: Study) -> dict[Run, float]:
    sizes = {name: expected_size(entry) for name, entry in study.datasets.items()}
    return {
        (dataset, method): seconds_of_run(size, entry, study.evaluation)
        for dataset, size in sizes.items()
        for method, entry in study.methods.items()
    }


def divisible(entry: Entry) -> bool:
    """Whether the fits of a method are independent, as those of a tuned method are: folds that are fitted jointly
    have the same last digits only when fitted jointly again."""
    if entry.get("tune"):
        return True
    return not callable(getattr(import_class(entry["classifier"]), "fit_many", None))


def bundles_by_dataset(bundles: Iterable[Bundle]) -> dict[str, list[Bundle]]:
    """Data set → the bundles that contain its runs."""
    of_dataset: dict[str, list[Bundle]] = {}
    for bundle in bundles:
        for dataset in bundle.datasets:
            of_dataset.setdefault(dataset, []).append(bundle)
    return of_dataset


def _parts(
    name: str, runs: Mapping[Run, float], seconds: float, key: Callable[[Run], str]
) -> Iterable[Bundle]:
    """Divide runs into parts of about this much work; runs with equal keys stay together."""
    parts = 1
    while sum(runs.values()) > 1.5 * parts * seconds:
        parts *= 2
    members: list[list[Run]] = [[] for _ in range(parts)]
    for run in runs:
        members[int(short_digest(key(run), size=8), 16) % parts].append(run)
    for place, members_of_part in enumerate(members):
        if members_of_part:
            full = name if parts == 1 and name else f"{name}~{place + 1}-of-{parts}"
            yield Bundle(full, tuple(members_of_part), sum(runs[run] for run in members_of_part))


PROCESSES_MB = 1500  # Snakemake twice, the job and the child that fits, before any data
COPIES = 8  # of the data: as read, split, transformed, and copied by a fit
WHOLE = 3  # the attempt that requests the maximum that the study's limits allow
START = 5  # minutes to start a job on a node and to write its tables
WORK_MARGIN = 5  # factor by which an estimate of work may be too small
# of a run, beyond folds × repeats: other protocols, and a joint fit that is tried first
MORE_FITS = 3


def memory_mb(data_mb: float, fit_memory_mb: float, attempt: int) -> int:
    """Memory for data of this size and a fit that may allocate `limits.fit_memory_mb` in addition."""
    least = PROCESSES_MB + COPIES * data_mb
    most = least + fit_memory_mb
    return ceil(most if attempt >= WHOLE else min(most, least * 2 ** (attempt - 1)))


def minutes(
    seconds: float, fits: float, fit_seconds: float, attempt: int, longest: float = 0
) -> int:
    """Minutes for the expected work, in `fits` fits of at most `limits.fit_seconds` each.

    From the third attempt on they suffice for a run, of `longest` fits, all of which reach that limit.
    """
    most = START + fits * fit_seconds / 60
    requested = (START + WORK_MARGIN * seconds / 60) * 2 ** (attempt - 1)
    hanging = longest * fit_seconds / 60 if attempt >= WHOLE else 0
    return ceil(min(most, requested + hanging))


def minutes_of_bundle(bundle: Bundle, study: Study, attempt: int) -> int:
    """Minutes from the files of its data, or from the entries before these exist."""
    sizes = ((_size(study, *run), study.methods[run[1]]) for run in bundle.runs)
    seconds = sum(seconds_of_run(size, entry, study.evaluation) for size, entry in sizes)
    seconds_or_work = bundle.work if seconds == inf else seconds
    of_run = (number_of_fits(study.evaluation, 1) + MORE_FITS) / bundle.shards
    limit = study.limits["fit_seconds"]  # leave-one-out has one limit
    return minutes(
        seconds_or_work / bundle.shards, of_run * len(bundle.runs), limit, attempt, of_run
    )


def _size(study: Study, dataset: str, method: str) -> Size | None:
    features = Path(study.results, "features", dataset, f"{study.features_of[method]}.npz")
    about = Path(study.results, "data", f"{dataset}.json")
    if not (features.exists() and about.exists()):
        return None
    rows = read_about(about).get("rows")
    return Size(features.stat().st_size // 8, rows)


def megabytes(files: Iterable[str | Path]) -> float:
    """Size of the largest file: a job has one in memory at a time, and feature files are not compressed."""
    existing = (Path(file) for file in files if Path(file).exists())
    return max((file.stat().st_size / 1e6 for file in existing), default=0.0)
