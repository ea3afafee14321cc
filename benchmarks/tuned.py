"""Strengths chosen by inner folds, side by side with scikit-learn's estimators that do it, on the same folds and grids.

    python benchmarks/tuned.py                      every case
    python benchmarks/tuned.py results.csv lasso    some, kept as CSV

`off` is the difference of the logarithms of the chosen strengths: the choice must be the same. Both sides have their
default tolerances, and fit once more to all rows; ours fits the whole path to them.

Of the lasso on 2,000 × 100 rows the walks along the paths of five folds and of all rows take .45, predictions of
held-out rows at 50 strengths .2, second moments .07.

The last cases are methods of config/methods.yaml with `strength: path` on the breast cancer data, against GridSearchCV
over the path of scikit-learn's class. There `off` is by how much the best mean inner accuracy is below the better one.

Of the Gaussian kernel with 10 widths and 8 strengths more than half are systems of the 3,400 Newton steps of the inner
folds, most of it on the four narrowest widths, where hundreds of rows are at a kink.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from harness import Case  # sets one BLAS thread, so it comes before NumPy

import numpy as np  # isort: skip
from harness import run as compare_all
from sklearn import linear_model as sk
from sklearn.datasets import load_breast_cancer, make_moons
from sklearn.linear_model import LassoCV, LogisticRegressionCV, RidgeCV
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC, LinearSVC

from linclass import (
    KernelSVM,
    Lasso,
    LeastSquaresClassifier,
    LinearSVM,
    LogisticRegression,
    Ridge,
    TunedClassifier,
    TunedRegressor,
    parameter_path,
    strength_of_C,
)

FOLDS = 5


def cases() -> Iterator[Case]:
    for n, d, K in ((500, 20, 2), (2000, 20, 2), (20_000, 20, 2), (2000, 20, 3)):
        yield logistic(n, d, K)
    for n, d in ((500, 20), (2000, 100), (200, 1000)):
        yield lasso(n, d)
    yield ridge(2000, 50)
    yield catalogue("logistic", LogisticRegression(), sk.LogisticRegression(max_iter=1000), "C")
    l1 = sk.LogisticRegression(l1_ratio=1, solver="liblinear", max_iter=1000)
    yield catalogue("logistic_l1", LogisticRegression(penalty="l1"), l1, "C")
    least_squares = LeastSquaresClassifier(penalty="l2")
    yield catalogue("least_squares_ridge", least_squares, sk.RidgeClassifier(), "alpha")
    yield catalogue("svm", LinearSVM(), LinearSVC(loss="hinge", max_iter=10_000), "C")
    yield catalogue("svm_gaussian, one width", KernelSVM(), SVC(), "C")
    yield widths_and_strengths(1000)


def logistic(n: int, d: int, K: int) -> Case:
    rng = np.random.default_rng(n + K)
    y, strengths = rng.integers(0, K, n), np.logspace(-0.5, -4, 15)
    X = 0.4 * np.eye(d)[y] + rng.standard_normal((n, d))
    fold, splits, train = folds(n)
    peer = LogisticRegressionCV(
        Cs=[strength_of_C(s, train) for s in strengths],
        cv=splits,
        scoring="neg_log_loss",
        l1_ratios=(0,),
        use_legacy_attributes=False,
    )
    ours = TunedClassifier(LogisticRegression(), strengths=strengths, cv=fold, scoring="log_loss")

    def off(fitted: Any) -> float:
        own = isinstance(fitted, TunedClassifier)
        chosen = fitted.strength_ if own else strength_of_C(float(np.ravel(fitted.C_)[0]), train)
        return difference(chosen, ours.fit(X, y).strength_)

    return Case(
        f"logistic {n} × {d}, {K} classes",
        "LogisticRegressionCV",
        lambda: ours.fit(X, y),
        lambda: peer.fit(X, y),
        off,
        target=0.5,
    )


def lasso(n: int, d: int) -> Case:
    rng = np.random.default_rng(n)
    X, strengths = rng.standard_normal((n, d)), np.logspace(0, -2, 50)
    y = X[:, :10].sum(axis=1) + 3 * rng.standard_normal(n)
    fold, splits, _ = folds(n)
    peer = LassoCV(alphas=strengths, cv=splits)
    return regression(f"lasso {n} × {d}", peer, Lasso(), X, y, strengths, fold, 1, target=1.0)


def ridge(n: int, d: int) -> Case:
    rng = np.random.default_rng(n)
    X, strengths = rng.standard_normal((n, d)), np.logspace(1, -4, 30)
    y = X[:, :10].sum(axis=1) + 3 * rng.standard_normal(n)
    fold, splits, train = folds(n)
    peer = RidgeCV(alphas=train * strengths, cv=splits, scoring="neg_mean_squared_error")
    return regression(f"ridge {n} × {d}", peer, Ridge(), X, y, strengths, fold, train, target=0.5)


def catalogue(name: str, inner: Any, peer: Any, parameter: str) -> Case:
    """A method over its path; tolerances of candidates are those of tuning in a study."""
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    fold, splits, _ = folds(len(y))
    values = parameter_path(peer, parameter, X, y)
    search = GridSearchCV(peer, {parameter: values}, cv=splits, scoring="accuracy")
    ours = TunedClassifier(inner.set_params(tol=inner.tuning_tol), cv=fold)

    def best(fitted: Any) -> float:
        own = isinstance(fitted, TunedClassifier)
        return float(fitted.mean_scores_.max() if own else fitted.best_score_)

    def off(fitted: Any) -> float:
        return max(best(ours.fit(X, y)), best(search.fit(X, y))) - best(fitted)

    kind = f"GridSearchCV({type(peer).__name__})"
    return Case(
        f"{name}: path",
        kind,
        lambda: ours.fit(X, y),
        lambda: search.fit(X, y),
        off,
        target=1.0,
        within=0.01,
        pairs=3,
    )


def widths_and_strengths(n: int) -> Case:
    """Ten widths of a Gaussian kernel and eight strengths; `off` as above."""
    X, y = make_moons(n, noise=0.3, random_state=0)
    gammas, strengths = np.logspace(-2, 2, 10), np.logspace(-1, -5, 8)
    fold, splits, train = folds(n)
    grid = {"gamma": gammas, "C": [strength_of_C(s, train) for s in strengths]}
    search = GridSearchCV(SVC(), grid, cv=splits, scoring="accuracy")
    inner = KernelSVM(tol=KernelSVM.tuning_tol)
    both = {"gamma": gammas.tolist(), "strength": strengths.tolist()}
    ours = TunedClassifier(inner, strengths=None, param_grid=both, cv=fold)

    def off(fitted: Any) -> float:
        own = isinstance(fitted, TunedClassifier)
        found = fitted.mean_scores_.max() if own else fitted.best_score_
        return max(0.0, float(search.fit(X, y).best_score_ - found))

    return Case(
        f"svm_gaussian, 10 widths × 8 strengths, {n} rows",
        "GridSearchCV(SVC)",
        lambda: ours.fit(X, y),
        lambda: search.fit(X, y),
        off,
        target=0.5,
        within=0.01,
        pairs=3,
    )


def regression(
    name: str,
    peer: Any,
    inner: Any,
    X: np.ndarray,
    y: np.ndarray,
    strengths: np.ndarray,
    fold: np.ndarray,
    factor: float,
    target: float,
) -> Case:
    ours = TunedRegressor(inner, strengths=strengths, cv=fold)

    def off(fitted: Any) -> float:
        chosen = getattr(fitted, "strength_", None) or fitted.alpha_ / factor
        return difference(chosen, ours.fit(X, y).strength_)

    return Case(
        name, type(peer).__name__, lambda: ours.fit(X, y), lambda: peer.fit(X, y), off, target
    )


def folds(n: int) -> tuple[np.ndarray, list[tuple[np.ndarray, np.ndarray]], int]:
    """(fold of each row, splits, rows in a training set)"""
    fold = np.arange(n) % FOLDS
    splits = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(FOLDS)]
    return fold, splits, n - n // FOLDS


def difference(strength: float, other: float) -> float:
    return abs(float(np.log(strength / other)))


if __name__ == "__main__":
    sys.exit(compare_all(cases(), sys.argv[1:]))
