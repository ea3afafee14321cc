"""Linear models side by side with scikit-learn's fastest solver for the same objective.

    LINCLASS_MIRRORS=folder python benchmarks/solvers.py                        every case
    LINCLASS_MIRRORS=folder python benchmarks/solvers.py results.csv iris a9a   some, kept as CSV
    LINCLASS_MIRRORS=folder python benchmarks/solvers.py --profile "letter C=1" where time goes

The folders hold a9a.bz2, w8a.bz2, letter.arff and 20news-bydate-matlab.tgz; cases whose file is
missing are listed as left out. The peer runs at the loosest tol that reaches the required relative
suboptimality: 1e-8, or 1e-6 where the penalty has a kink (sparse.py). A line says: case, peer, how
far from the optimum each ended, seconds of each, the median of their interleaved ratios, its target,
and whether it is met. Medians of ratios move by a tenth on a busy machine; --profile does not
compare, it shows our side function by function.

A fit to 300 × 10 rows takes about 300 µs of processor time, .25 of the peer's: 420 calls of Python functions in four
steps, whose arithmetic (losses 20 µs, Hessians 15, products 17, the gap 6, factors 6) is a fifth of it. A new Hessian
for the third step would save the fourth, but no time.

Of w8a at C=0.01, at 1.1 of the peer's time, products of the sparse rows take .58 of ours, 31 with X and 31 with its
transpose, and the losses .07; L-BFGS takes 18 steps with one of each.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from harness import Case, run  # sets one BLAS thread, so it comes before NumPy

import data  # isort: skip
import numpy as np
import sparse
from scipy.special import expit
from sklearn.linear_model import LogisticRegression as Peer

from linclass import LogisticRegression, strength_of_C
from linclass.base.design_matrix import DesignMatrix
from linclass.linear.losses.margin import Logistic
from linclass.linear.losses.multiclass import Softmax
from linclass.linear.objective.objective import Objective
from linclass.linear.penalties.entrywise import L2


def logistic(
    name: str, X: Any, y: np.ndarray, C: float, solver: str, tol: float, target: float, **more: Any
) -> Case:
    """Both fit ½‖W‖² + C Σ loss; `solver` and `tol` are the peer's."""
    strength = strength_of_C(C, len(y))
    value = objective_of(X, y, strength)
    best = value(LogisticRegression(strength=strength, tol=1e-11, max_iter=500).fit(X, y))

    def theirs() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return Peer(C=C, solver=solver, tol=tol, max_iter=10_000).fit(X, y)

    return Case(
        name,
        f"{solver} tol={tol:g}",
        lambda: LogisticRegression(strength=strength).fit(X, y),
        theirs,
        lambda model: (value(model) - best) / best,
        target,
        **more,
    )


def objective_of(X: Any, y: np.ndarray, strength: float) -> Callable[[Any], float]:
    """model ↦ its objective, worked out in one way for ours and theirs."""
    K = int(y.max()) + 1
    loss, targets = (Logistic(), 2.0 * y - 1) if K == 2 else (Softmax(K), y)
    objective = Objective(DesignMatrix(X), loss, targets, None, L2(), strength)

    def value(model: Any) -> float:
        theta = np.hstack([model.coef_, np.reshape(model.intercept_, (-1, 1))])
        return objective.at(theta[0] if K == 2 else theta).value

    return value


def binary_dense() -> Iterator[Case]:
    for n, d, tol, target in [
        (200_000, 30, 2e-5, 0.3),
        (2000, 50, 1e-4, 0.55),
        (300, 10, 1e-4, 0.25),
    ]:
        X, y = data.gaussian(n, d)
        yield logistic(f"dense {n:,} × {d}", X, y, 1.0, "newton-cholesky", tol, target)


def binary_sparse() -> Iterator[Case]:
    X, y = data.libsvm_file("a9a.bz2")
    yield logistic("a9a C=0.01", X, y, 0.01, "lbfgs", 1e-6, 0.4)
    yield logistic("a9a C=1", X, y, 1.0, "newton-cholesky", 1e-4, 0.4)
    yield logistic("a9a C=100", X, y, 100.0, "newton-cholesky", 1e-7, 0.7)
    X, y = data.libsvm_file("w8a.bz2")
    yield logistic("w8a C=0.01", X, y, 0.01, "lbfgs", 1e-6, 1.1)
    yield logistic("w8a C=1", X, y, 1.0, "lbfgs", 1e-7, 0.7)
    yield logistic("w8a C=100", X, y, 100.0, "newton-cholesky", 1e-6, 1.0)
    X, y = data.newsgroups_two()
    for C, tol, target in [(0.01, 1e-5, 0.55), (1.0, 1e-7, 0.7), (100.0, 1e-8, 0.8)]:
        yield logistic(f"20news religion/politics C={C:g}", X, y, C, "newton-cg", tol, target)


def multinomial() -> Iterator[Case]:
    X, y = data.iris()
    for C, tol in [(0.01, 1e-4), (1.0, 1e-5), (100.0, 1e-6)]:
        yield logistic(f"iris C={C:g}", X, y, C, "newton-cholesky", tol, 0.4)
    X, y = data.letter()
    yield logistic("letter C=0.01", X, y, 0.01, "newton-cg", 1e-5, 0.4, pairs=3)
    yield logistic("letter C=1", X, y, 1.0, "newton-cg", 1e-6, 0.4, pairs=3)
    X, y = data.newsgroups_twenty()
    yield logistic("20news 20 classes C=1", X, y, 1.0, "newton-cg", 1e-6, 0.85, pairs=3)


def many_steps(steps: int = 500_000) -> Iterator[Case]:
    """Real batch gradient steps on iris, setosa against the rest; the peer is the naive loop."""
    X, y = data.iris()
    for name, columns, target in [("petal", [2, 3], 0.45), ("4 features", [0, 1, 2, 3], 0.45)]:
        A = np.ascontiguousarray(X[:, columns])
        B = np.column_stack([A, np.ones(len(A))])
        t = (y > 0).astype(float)

        def ours(A: np.ndarray = A) -> np.ndarray:
            options: dict[str, Any] = {"solver": "gradient_descent", "learning_rate": 0.1, "tol": 0}
            model = LogisticRegression(penalty=None, max_iter=steps, **options).fit(A, y > 0)
            return np.append(model.coef_[0], model.intercept_)

        def theirs(B: np.ndarray = B, t: np.ndarray = t) -> np.ndarray:
            w, n = np.zeros(B.shape[1]), len(B)
            for _ in range(steps):
                w -= 0.1 / n * (B.T @ (expit(B @ w) - t))
            return w

        def off(w: np.ndarray, B: np.ndarray = B, t: np.ndarray = t) -> float:
            """Not an optimum but a path: how far its end is from that of the naive loop."""
            return float(np.abs(w - theirs(B, t)).max() / np.abs(w).max())

        yield Case(f"{steps:,} steps, {name}", "naive loop", ours, theirs, off, target, pairs=3)


def paths(count: int = 13) -> Iterator[Case]:
    """A path of strengths beside our own separate fits."""
    strengths = np.logspace(-6, 0, count)
    for name, (X, y), target in [
        ("2,000 × 50", data.gaussian(2000, 50), 0.75),
        ("iris", data.iris(), 0.6),
        ("20news religion/politics", data.newsgroups_two(), 0.5),
    ]:
        best = LogisticRegression(tol=1e-11, max_iter=500).path(X, y, strengths)

        def theirs(X: Any = X, y: np.ndarray = y) -> Any:
            return [LogisticRegression(strength=s).fit(X, y) for s in strengths]

        def off(fits: Any, X: Any = X, y: np.ndarray = y, best: Any = best) -> float:
            found = zip(strengths, fits, best, strict=True)
            return max(suboptimality(X, y, s, fit, optimum) for s, fit, optimum in found)

        def ours(X: Any = X, y: np.ndarray = y) -> Any:
            return LogisticRegression().path(X, y, strengths)

        case = f"path of {count} strengths, {name}"
        yield Case(case, "our separate fits", ours, theirs, off, target, within=1e-6, pairs=5)


def suboptimality(X: Any, y: np.ndarray, strength: float, model: Any, optimum: Any) -> float:
    value = objective_of(X, y, strength)
    best = value(optimum)
    return (value(model) - best) / best


def cases() -> Iterator[Case]:
    smooth = (binary_dense, binary_sparse, multinomial, paths, many_steps)
    for group in smooth + sparse.GROUPS:
        try:
            yield from group()
        except FileNotFoundError as missing:
            print(f"left out: {missing}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(run(cases(), sys.argv[1:]))
