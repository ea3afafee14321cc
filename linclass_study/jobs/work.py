"""About how many seconds a run will take, told by its entries alone.

Which runs share a job follows from this number, so it depends on the expected size of the data and on the
method, never on a clock or on the machine. It is right within a factor of five or so (docs/scale.md):
enough to tell a light run from a heavy one.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any, NamedTuple

from linclass import tuning
from linclass_study.data.entry.expected_size import Size
from linclass_study.protocols import asked, named


class Cost(NamedTuple):
    """Seconds of one fit: at least, and for each value of the data, and for each pair of rows."""

    least: float
    value: float
    pair: float = 0.0


SUMS = Cost(1e-3, 2e-7)  # sums over rows, for all folds at once
CONVEX = Cost(4e-3, 1e-6)  # an iterative fit; any foreign estimator
KERNEL = Cost(5e-3, 0, 3e-7)
SEARCH = Cost(1e-1, 2e-6)  # as long as its limit of steps allows

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
COSTS |= dict.fromkeys(["ZeroOneClassifier", "Perceptron"], SEARCH)


def of_run(size: Size | None, entry: Mapping[str, Any], evaluation: Mapping[str, Any]) -> float:
    """Seconds of all fits of a method on data of this size; infinity where the size is not known."""
    if size is None:
        return float("inf")
    package, _, name = entry["classifier"].rpartition(".")
    cost = COSTS.get(name, CONVEX) if package == "linclass" else CONVEX
    rows = size.rows or size.values / 10
    one = cost.least + cost.value * size.values + cost.pair * rows**2
    return fits(evaluation, 1 if cost is SUMS else rows) * tuned(entry, evaluation) * one


def fits(evaluation: Mapping[str, Any], rows: float) -> float:
    """How many fits a run makes, an official split's not counted; `rows` of leave-one-out, which sums do in one."""
    count = 0.0
    for name, options in asked(evaluation).items():
        repeats, each = named(name).size(options)
        whole = {"leave_one_out": rows, "official": 0}.get(name, repeats * each)
        count += whole * min(options.get("size", 1), 1)
    return max(count, 1)


def tuned(entry: Mapping[str, Any], evaluation: Mapping[str, Any]) -> float:
    """How many times as long a fit takes with its tuning: candidates are fitted along a path, from each other."""
    if not entry.get("tune"):
        return 1.0
    return sqrt(len(tuning.candidates(entry["tune"])) * evaluation["inner_folds"])
