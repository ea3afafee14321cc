"""`partial_fit`: one more pass over the rows of a call, which are checked and, for classifiers, coded by the classes of
the first call.

A model whose solver makes passes over the rows minimizes the objective of the rows of the call; the state of the solver
(steps taken, means of iterates) is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from linclass.base import validation
from linclass.base.arrays import Array, ArrayLike, Matrix, MatrixLike, PerRow
from linclass.base.classifier import Classifier
from linclass.base.estimator import Estimator
from linclass.base.messages import NotApplicable, silently
from linclass.base.parameters import is_list
from linclass.base.regressor import Regressor
from linclass.base.validation import class_weights, is_missing
from linclass.linear.linear_model import ending_of, solver_of
from linclass.linear.solvers.base import SolverByPasses


def why_no_partial_fit(model: Any) -> str:
    """The reason why a model has no `partial_fit`; empty if its solver can be continued."""
    try:
        solver: Any = solver_of(model)
    except (ValueError, TypeError):  # 'auto', or a name that `check` refuses
        solver = None
    if isinstance(solver, SolverByPasses):
        return ""
    return f"solver={model.solver!r} cannot be continued; solver='stochastic_gradient' can"


def pass_over(
    model: Any, begins: bool, X: Matrix, y: Array, weights: Array, offset: Array | None
) -> Any:
    """The model after one more pass of its solver over these rows."""
    model._forget("trace_")
    solver: Any = solver_of(model)
    objectives = model._objectives(X, y, weights, offset)
    if not hasattr(model, "_states"):
        old = None if begins else model._old_parameters()
        begin_with(model, model.begun_with)
        model._states = []
        for number, P in enumerate(objectives):
            start = P.zero() if old is None else model._start(P, old, number)
            model._states.append(solver.begin(P, start))
    solutions = []
    for objective, state in zip(objectives, model._states, strict=True):
        solver.run_through(objective, state)
        solutions.append(solver.estimate(objective, state))
    model._learn(solutions)
    model.solver_ = solver.name
    with silently():
        one_pass = {"status": "max_iter", "reason": "partial_fit makes one pass.", "n_iter": 1}
        return model._record(**ending_of(model, solutions) | one_pass)


def rows_of_call(
    model: Classifier,
    begins: bool,
    X: MatrixLike,
    y: ArrayLike,
    classes: ArrayLike | None,
    sample_weight: PerRow,
) -> tuple[Any, Array, Array]:
    """(X, codes, weights > 0), within `nothing_if_refused`. The first call sets the classes and the features."""
    model.check()
    balance = getattr(model, "class_weight", None)
    if isinstance(balance, str):
        raise ValueError(
            f"class_weight is {balance!r}, which needs all rows, but partial_fit sees some; give a dict "
            "of weights, or sample_weight."
        )
    X = _checked(model, begins, X)
    y = validation.labels(y, X.shape[0], type(model).__name__)
    weights = validation.row_weights(sample_weight, X.shape[0])
    all_classes = _classes(y, classes) if begins else model.classes_
    if len(all_classes) > 2 and model.for_more_classes:
        raise model._too_many_classes(all_classes)
    codes = _codes(all_classes, y, classes)
    if balance is not None:
        weights *= class_weights(balance, all_classes, np.ones(len(all_classes)))[codes]
    model.classes_ = all_classes  # at last: without them the next call begins anew
    return validation.of_positive_weight(X, codes, weights)


def rows_with_targets(
    model: Regressor, begins: bool, X: MatrixLike, y: ArrayLike, sample_weight: PerRow
) -> tuple[Any, Array, Array]:
    """(X, y, weights > 0), within `nothing_if_refused`. The first call sets the features."""
    model.check()
    X = _checked(model, begins, X)
    y = validation.targets(y, X.shape[0], type(model).__name__)
    return validation.of_positive_weight(X, y, validation.row_weights(sample_weight, X.shape[0]))


@contextmanager
def nothing_if_refused(model: Estimator, begins: bool) -> Iterator[None]:
    """Context of a call; what a first one has set is removed if it is refused."""
    try:
        yield
    except (ValueError, TypeError):
        if begins:
            model._forget("classes_", "n_features_in_", "feature_names_in_")
        raise


def _checked(model: Estimator, begins: bool, X: MatrixLike) -> Any:
    if begins:
        return validation.rows_to_learn(model, X)
    _refuse_changes(model)
    return model._check_rows(X, products=True)


def begin_with(model: Any, names: Sequence[str]) -> None:
    """Keep the parameters that the state of the model depends on."""
    model._begun = {name: getattr(model, name) for name in names}


def _refuse_changes(model: Estimator) -> None:
    for name, old in getattr(model, "_begun", {}).items():
        if (new := getattr(model, name)) != old:
            raise ValueError(
                f"{name} was {old!r} when this {type(model).__name__} began, and is {new!r}; "
                "call fit to begin anew."
            )


def _classes(y: Array, given: Any) -> Array:
    classes = validation.encode(y)[0] if given is None else _named(given)
    if len(classes) < 2:
        raise NotApplicable(
            f"y has 1 class so far: {classes.tolist()[0]!r}; classes must be passed on the first "
            "call, classes=[…]."
        )
    return classes


def _named(given: Any) -> Array:
    """The classes that a call names, sorted."""
    if not is_list(given):
        raise ValueError(f"classes is {given!r}; give all classes in a list.")
    if any(map(is_missing, np.asarray(given).tolist())):
        raise ValueError(f"classes is {given!r}, with a missing label; leave it out.")
    return validation.encode(np.asarray(given))[0]


def _codes(classes: Array, y: Array, given: Any) -> Array:
    """`given`, if it is not None, must repeat the classes of the first call."""
    if given is not None and not np.array_equal(_named(given), classes):
        raise ValueError(
            f"`classes={given!r}` is not the same as on last call to partial_fit, was: {classes!r}."
        )
    is_class = np.isin(y, classes)
    if not is_class.all():
        raise ValueError(
            f"y holds {y[~is_class].tolist()[0]!r}, but the classes are {classes.tolist()}; name all of "
            "them in the first call, classes=[…]."
        )
    return np.searchsorted(classes, y)
