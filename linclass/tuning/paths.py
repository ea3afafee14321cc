"""Values of a tuned parameter that come from the training rows: `path` in the place of a list.

strength    from the strongest penalty that matters (linclass/linear/path.py), of linclass's models
C, alpha    strengths of scikit-learn's models, in its units
gamma       of kernels: values around 1/(d · variance)
threshold   of nearest shrunken centroids: from the value that leaves no feature to 0

The path of a base estimator's parameter, `estimator__strength` or `logisticregression__C`, comes from the problems that
the base estimator is fitted to: pairs of classes, each class against the rest, rows after earlier steps of a pipeline.

If the best value is an end of its path, the path goes on beyond it in the same ratios, a decade at a time, as far as
`BEYOND` says.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from linclass.base.arrays import Array, ArrayLike, EstimatorLike, MatrixLike
from linclass.base.parameters import key_of
from linclass.base.predicted import is_ours
from linclass.base.validation import class_weights
from linclass.tuning import selection
from linclass.tuning.selection import Option, is_path, is_strength

SLACK = 1e-6  # of a step, against rounding
# Decades by which a path may be extended at its lower and at its upper end. Penalties stronger than the first hardly
# change a fit; weaker ones may.
BEYOND = {"strength": (3, 1), "alpha": (3, 1), "C": (1, 3), "gamma": (1, 1)}


def parameter_path(estimator: EstimatorLike, parameter: str, X: MatrixLike, y: ArrayLike) -> Array:
    """Values of a parameter to choose from, for these training rows, from the simplest model on.

    Parameters
    ----------
    estimator : estimator
        An unfitted model of linclass, or of scikit-learn's with `C` or `alpha`, also inside others.
    parameter : str
        Name of the parameter, as in `set_params`: 'strength', 'C', 'estimator__strength'.
    X : array, sparse matrix or data frame of shape (n, d)
        Training rows, as `fit` gets them.
    y : array of shape (n,)
        Class, or target, of each row.

    Returns
    -------
    array of shape (m,)
        The values, to list in `tune:`, in TunedClassifier or in GridSearchCV.
    """
    step, _, inner = parameter.partition("__")
    if inner:
        found = [
            parameter_path(part, inner, rows, target)
            for part, rows, target in _problems(estimator, step, X, y)
        ]
        falls = found[0][0] > found[0][-1]
        return max(found, key=lambda values: values[0] if falls else -values[0])
    if (why := complaint(estimator, parameter)) is not None:
        raise ValueError(why)
    if parameter in getattr(estimator, "paths", ()):
        return np.asarray(estimator._path_values(parameter, X, y))
    return foreign_path(estimator, parameter, X, y)


def complaint(estimator: EstimatorLike, parameter: str) -> str | None:
    """Why a parameter of an estimator has no path, in one sentence; None if it has one."""
    step, _, inner = parameter.partition("__")
    if inner:
        return complaint(estimator.get_params()[step], inner)
    if parameter in getattr(estimator, "paths", ()):
        return None
    known = _known_class(estimator)
    if known and FOREIGN[known][0] == parameter:
        return None
    name, own = type(estimator).__name__, getattr(estimator, "paths", ())
    has = f"it has one of {', '.join(own)}" if own else "it has none"
    if not is_ours(estimator):
        all_known = (f"{parameter} of {name}" for name, (parameter, _) in FOREIGN.items())
        has = f"known are {', '.join(all_known)}"
    return f"{name} has no path of {parameter!r} ({has}); list its values"


def _problems(
    estimator: EstimatorLike, step: str, X: MatrixLike, y: ArrayLike
) -> Iterator[tuple[EstimatorLike, Any, Any]]:
    """(base estimator, its rows, its targets) of each of its fits."""
    if hasattr(estimator, "_inner_problems"):
        yield from estimator._inner_problems(X, y)
        return
    steps = getattr(estimator, "steps", None)
    if isinstance(steps, list):
        from sklearn.base import clone  # planning a study does not load scikit-learn

        for name, part in steps:
            if name == step:
                break
            if hasattr(part, "fit_transform"):
                X = clone(part).fit_transform(X, y)
    yield estimator.get_params()[step], X, y


def beyond(
    parameter: str, values: Iterable[float], best: float, first: Sequence[float]
) -> list[float]:
    """The next decade of values beyond the end of a path at which the best one is; `first` came from the data.

    Empty if the best value is inside, or if the path has gone on as far as it may.
    """
    ends, ordered = BEYOND.get(parameter.rpartition("__")[2], (0, 0)), sorted({*values})
    if not any(ends) or len(ordered) < 2 or best not in (ordered[0], ordered[-1]):
        return []
    up = best == ordered[-1]
    near, limit = (ordered[-2], max(first)) if up else (ordered[1], min(first))
    step, gone = np.log10(best / near), abs(np.log10(best / limit))
    left = int((ends[up] - gone) / abs(step) + SLACK)
    count = min(left, max(1, int(1 / abs(step) + SLACK)))
    return [float(best * 10 ** (step * k)) for k in range(1, count + 1)]


class Grid:
    """All combinations of the values of tuned parameters. A path depends on the values of the parameters before it:
    each width of a kernel has strengths of its own.

    `values` gives the path of a parameter when others are fixed. The `outer` parameters vary slowest.
    """

    def __init__(
        self,
        tune: Mapping[str, Any],
        values: Callable[[str, Option], Sequence[float]],
        outer: Collection[str] = (),
    ):
        self.tune = tune
        self.order = sorted(tune, key=lambda name: (name not in outer, _rank(name, tune[name])))
        self._values = values
        self._from_data: dict[tuple[str, Hashable], Sequence[float]] = {}
        self.options = [*self._combined({}, self.order)]

    def beyond(self, options: Sequence[Option], number: int) -> list[Option]:
        """The options that continue a path, if this number is at an end of it."""
        chosen = options[number]
        for i, name in enumerate(self.order):
            if is_path(self.tune[name]):
                before = {other: chosen[other] for other in self.order[:i]}
                key = key_of(before)
                mates = [o for o in options if key_of({n: o[n] for n in before}) == key]
                first = self._path(name, before)
                new = beyond(name, [o[name] for o in mates], chosen[name], first)
                if new:
                    rest = self.order[i + 1 :]
                    return [o for v in new for o in self._combined(before | {name: v}, rest)]
        return []

    def _combined(self, fixed: Option, names: Sequence[str]) -> Iterator[Option]:
        if not names:
            yield {name: fixed[name] for name in self.tune}
            return
        name, *rest = names
        spec = self.tune[name]
        for value in self._path(name, fixed) if is_path(spec) else selection.listed_values(spec):
            yield from self._combined(fixed | {name: value}, rest)

    def _path(self, name: str, fixed: Option) -> Sequence[float]:
        key = name, key_of(fixed)
        if key not in self._from_data:
            self._from_data[key] = [float(v) for v in self._values(name, fixed)]
        return self._from_data[key]


def _rank(name: str, spec: Any) -> int:
    """Paths come after lists, and strengths last, as they depend on the kernel."""
    return is_path(spec) + (is_path(spec) and is_strength(name))


# Paths of scikit-learn's `C` and `alpha`, by the model of linclass with the same objective, which is a sum of losses,
# C Σ w ℓ + R, a sum of squares, Σ w r² + alpha ‖w‖², or a mean, (1/n) Σ w ℓ + alpha R. The weights w are those of the
# classes (their sum is n without `class_weight`).
#
# Intercepts that liblinear penalizes are not taken into account; a start need not be exact.

PENALTIES = {"l1": "l1", "l2": "l2", "elasticnet": "elastic_net"}
LOSSES = {"log_loss": "logistic", "squared_error": "squared"}  # that have other names here
KERNELS = {"rbf": "gaussian", "poly": "polynomial"}


# by the name of the class: (parameter, its value at strengths λ, n rows and the sum W of their weights)
FOREIGN: dict[str, tuple[str, Callable[[Array, float, int], Array]]] = {
    "LogisticRegression": ("C", lambda strengths, W, n: 1 / (W * strengths)),
    "LinearSVC": ("C", lambda strengths, W, n: 1 / (W * strengths)),
    "SVC": ("C", lambda strengths, W, n: 1 / (W * strengths)),
    "RidgeClassifier": ("alpha", lambda strengths, W, n: W * strengths),
    "SGDClassifier": ("alpha", lambda strengths, W, n: W / n * strengths),
    "Ridge": ("alpha", lambda strengths, W, n: W * strengths),
    "Lasso": ("alpha", lambda strengths, W, n: W / n * strengths),
    "ElasticNet": ("alpha", lambda strengths, W, n: W / n * strengths),
}


def our_model(name: str, params: Mapping[str, Any]) -> Any:
    """The model of linclass with the objective of scikit-learn's class of this name."""
    linclass = import_module("linclass")
    if name in ("Ridge", "Lasso"):
        return getattr(linclass, name)()
    if name == "ElasticNet":
        return linclass.ElasticNet(l1_ratio=params["l1_ratio"])
    if name == "SVC":
        return linclass.KernelSVM(
            kernel=KERNELS.get(params["kernel"], params["kernel"]),
            gamma=params["gamma"] if params["gamma"] != "auto" else "scale",
            degree=params["degree"],
            coef0=params["coef0"],
        )
    options: dict[str, Any] = {"loss": "squared"}
    if name == "LinearSVC":
        options = {"loss": params["loss"], "penalty": params["penalty"]}
    elif name != "RidgeClassifier":
        ratio = float(params.get("l1_ratio") or 0.0)
        penalty = params.get("penalty", "deprecated")
        if penalty == "deprecated":  # since 1.8 l1_ratio alone says which penalty it is
            penalty = "l2" if ratio == 0 else "l1" if ratio == 1 else "elasticnet"
        options = {"penalty": PENALTIES.get(penalty), "l1_ratio": ratio}
        if name == "SGDClassifier":
            options["loss"] = LOSSES.get(params["loss"], params["loss"])
        else:
            options["fit_intercept"] = params["fit_intercept"]
    return linclass.LinearClassifier(strength=1.0, **options)


def foreign_path(estimator: EstimatorLike, parameter: str, X: MatrixLike, y: ArrayLike) -> Array:
    name = _known_class(estimator)
    params, n = estimator.get_params(deep=False), len(np.asarray(y))
    model, W = our_model(name, params), float(n)
    if (weight := params.get("class_weight")) is not None:
        model.set_params(class_weight=weight)
        classes, rows = np.unique(np.asarray(y), return_counts=True)
        W = float(class_weights(weight, classes, rows) @ rows)
    return np.asarray(FOREIGN[name][1](model.strength_path(X, y), W, n))


def _known_class(estimator: EstimatorLike) -> str:
    """The name of its class, or of the first one of scikit-learn that it extends, if FOREIGN has it; else empty.

    Estimators of scikit-learn that extend one of them, such as MultiTaskLasso, have other parameters and objectives.
    """
    bases = type(estimator).__mro__
    ours = (c for c in bases if c.__module__.partition(".")[0] == "sklearn" and hasattr(c, "fit"))
    name = getattr(next(ours, None), "__name__", "")
    return name if name in FOREIGN else ""
