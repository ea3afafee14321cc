"""Expected seconds of a run, estimated from its entries alone.

The estimate determines which runs share a job, so it depends on the expected size of the data and on the method, never
on a clock or the machine. It is correct within a factor of about five (docs/scale.md), which suffices to distinguish
light runs from heavy ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any, NamedTuple

from linclass.base.many_fits import COUNT
from linclass.kernels.functions.base import WIDTHS
from linclass.tuning import tuning
from linclass_study.data.entry.expected_size import Size
from linclass_study.pipeline.protocols import protocol_named, selected_protocols

SECONDS_OF_RULE = {  # seconds of other jobs than fits, for the progress in the terminal alone
    "score": 5.0,
    "draw_overall": 2.5,
    "aggregate": 2.5,
    "report": 3.0,
}


class Cost(NamedTuple):
    """Seconds of one fit: a minimum, per value of the data, and per pair of rows."""

    least: float
    value: float
    pair: float = 0.0


SUMS = Cost(1e-3, 2e-7)  # sums over rows, for all folds at once
CONVEX = Cost(4e-3, 1e-6)  # an iterative fit; any foreign estimator
KERNEL = Cost(5e-3, 0, 3e-7)
RELEVANCE = Cost(1e-2, 0, 5e-6)  # three ascents, a step for each column that comes or goes
SEARCH = Cost(1e-1, 2e-6)  # runs until its limit of steps

COSTS = dict.fromkeys(
    [
        "MajorityClass",
        "NearestMean",
        "LinearDiscriminantAnalysis",
        "QuadraticDiscriminantAnalysis",
        "FisherDiscriminant",
        "GaussianNB",
        "BernoulliNB",
        "MultinomialNB",
        "PoissonNB",
        "CategoricalNB",
        "ExponentialFamilyNB",
        "LeastSquaresClassifier",
    ],
    SUMS,
)
COSTS |= dict.fromkeys(["KernelSVM", "KernelLogisticRegression", "KernelPerceptron"], KERNEL)
COSTS["RelevanceVectorMachine"] = RELEVANCE
COSTS |= dict.fromkeys(["ZeroOneClassifier", "Perceptron"], SEARCH)


def seconds_of_run(
    size: Size | None, entry: Mapping[str, Any], evaluation: Mapping[str, Any]
) -> float:
    """Seconds of all fits of a method on data of this size; infinity if the size is unknown."""
    if size is None:
        return float("inf")
    cost = cost_of(entry)
    rows = size.rows or size.values / 10
    one = cost.least + cost.value * size.values + cost.pair * rows**2
    return number_of_fits(evaluation, 1 if cost is SUMS else rows) * tuned(entry, evaluation) * one


def cost_of(entry: Mapping[str, Any]) -> Cost:
    """Of a model around another, such as OneVsRest, that of the one inside."""
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
        repeats, each = protocol_named(name).size(options)
        whole = {"leave_one_out": rows, "official": 0}.get(name, repeats * each)
        count += whole * min(options.get("size", 1), 1)
    return max(count, 1)


def tuned(entry: Mapping[str, Any], evaluation: Mapping[str, Any]) -> float:
    """Factor by which tuning extends a fit: candidates are fitted along a path with warm starts."""
    if not entry.get("tune"):
        return 1.0
    candidates = len(tuning.candidates(entry["tune"]))
    for name in filter(lambda name: tuning.is_path(entry["tune"][name]), entry["tune"]):
        candidates *= len(WIDTHS) if name.endswith("gamma") else COUNT
    return sqrt(candidates * evaluation["inner_folds"])
