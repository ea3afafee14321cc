"""Machines with margins side by side with liblinear and libsvm, on the same objective.

    LINCLASS_MIRRORS=folder python benchmarks/margins.py                       every case
    LINCLASS_MIRRORS=folder python benchmarks/margins.py results.csv moons a9a   some, kept as CSV
    LINCLASS_MIRRORS=folder python benchmarks/margins.py --profile "a9a C=1"     where time goes

Ours always ends at a relative duality gap of 1e-6; how far the peer, at the tol shown, is from the
optimum stands beside it (liblinear and libsvm stop by another rule, often sooner). liblinear
penalizes its intercept, so against it both fit [X 1] without one; against libsvm it is free.

Squared hinge on 20,000 × 50 rows, at .23 to .30 of liblinear's time: of our 6 ms nine Gram matrices of the rows whose
curvature changed take .37, products of the rows with parameters and slopes .18, the copy of the support vectors .1.

Hinge on a9a, C=0.01, at 2.5 to 2.7 of liblinear's time: 62 products of the sparse rows take .19 of ours, systems of
30 Newton steps .15, conversions to columns .06, slopes of the hinge .05, and no other function more than .04.

RBF on moons, of 2,000 rows with 9 (C=1) and 22 (C=100) support vectors on the margin: a third of our time is 150
columns of the kernel and their factorization, the rest 12 to 25 Newton steps, with 1,800 to 3,200 calls of NumPy.
Guesses of block pivoting cycle on features of low rank, as K of the rows at a kink is nearly singular.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from harness import Case, run  # sets one BLAS thread, so it comes before NumPy

import data  # isort: skip
import numpy as np
import separation
from scipy import sparse
from sklearn.datasets import make_moons
from sklearn.svm import SVC, LinearSVC

from linclass import KernelSVM, LinearSVM, strength_of_C
from linclass.base.design_matrix import DesignMatrix
from linclass.base.parts import find
from linclass.kernels.functions import Gaussian
from linclass.kernels.kernel_design import KernelDesign, KernelNorm
from linclass.linear.losses.margin import Hinge
from linclass.linear.objective.objective import Objective
from linclass.linear.penalties.entrywise import L2

WITHIN = 1e-6


def with_constant(X: Any) -> Any:
    one = np.ones((X.shape[0], 1))
    if not sparse.issparse(X):
        return np.hstack([X, one])
    X = sparse.csr_array(sparse.hstack([X, one]))
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X


def liblinear(
    name: str, X: Any, y: np.ndarray, C: float, loss: str, dual: bool, tol: float, target: float
) -> Case:
    strength = strength_of_C(C, len(y))
    own: dict[str, Any] = {"loss": loss, "strength": strength, "fit_intercept": False}
    made = find("losses", loss)()
    objective = Objective(DesignMatrix(X, False), made, 2.0 * y - 1, None, L2(), strength)
    best = LinearSVM(**own, tol=1e-10).fit(X, y).objective_
    return Case(
        f"{name} {loss} C={C:g}",
        f"LinearSVC dual={dual} tol={tol:g}",
        lambda: LinearSVM(**own).fit(X, y),
        quietly(
            lambda: LinearSVC(
                C=C, loss=loss, dual=dual, tol=tol, fit_intercept=False, max_iter=10_000
            ).fit(X, y)
        ),
        lambda model: (objective.at(model.coef_[0]).value - best) / best,
        target,
        WITHIN,
    )


def libsvm(name: str, X: np.ndarray, y: np.ndarray, C: float, kernel: str, target: float) -> Case:
    strength = strength_of_C(C, len(y))
    gamma = 1 / (X.shape[1] * X.var())
    ours = LinearSVM(strength=strength)
    value: Callable[[Any], float]
    if kernel == "linear":
        plain = Objective(DesignMatrix(X), Hinge(), 2.0 * y - 1, None, L2(), strength)

        def value(model: Any) -> float:
            return plain.at(np.append(model.coef_[0], model.intercept_)).value

    else:
        ours = KernelSVM(gamma=gamma, strength=strength)
        K = Gaussian(gamma).matrix(X)
        design: Any = KernelDesign(K)
        curved = Objective(design, Hinge(), 2.0 * y - 1, None, KernelNorm(K), strength)

        def value(model: Any) -> float:
            theta = np.zeros(len(y) + 1)
            theta[model.support_] = model.dual_coef_[0]
            theta[-1] = model.intercept_[0]
            return curved.at(theta).value

    exact = type(ours)(**ours.get_params() | {"tol": 1e-9}).fit(X, y)
    best = value(exact)
    return Case(
        f"{name} {kernel} C={C:g}",
        "SVC tol=0.001",
        lambda: ours.fit(X, y),
        lambda: SVC(C=C, kernel=kernel, gamma=gamma).fit(X, y),
        lambda model: (value(model) - best) / best,
        target,
        WITHIN,
        pairs=5,
    )


def quietly(fit: Callable[[], Any]) -> Callable[[], Any]:
    def call() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return fit()

    return call


def squared_hinge() -> Iterator[Case]:
    X, y = data.gaussian(20_000, 50)
    for C in (0.01, 1.0):
        yield liblinear("20,000 × 50", with_constant(X), y, C, "squared_hinge", False, 1e-4, 0.25)
    X, y = data.libsvm_file("a9a.bz2")
    yield liblinear("a9a", with_constant(X), y, 0.01, "squared_hinge", True, 1e-2, 2.0)
    yield liblinear("a9a", with_constant(X), y, 1.0, "squared_hinge", False, 1e-5, 0.5)


def hinge() -> Iterator[Case]:
    X, y = data.gaussian(20_000, 50)
    for C, target in [(0.01, 0.8), (1.0, 0.1)]:
        yield liblinear("20,000 × 50", with_constant(X), y, C, "hinge", True, 1e-3, target)
    X, y = data.libsvm_file("a9a.bz2")
    for C, target in [(0.01, 2.5), (1.0, 1.3)]:
        yield liblinear("a9a", with_constant(X), y, C, "hinge", True, 1e-3, target)


def free_intercept() -> Iterator[Case]:
    X, y = data.gaussian(2000, 50)
    for C, target in [(0.1, 0.8), (1.0, 0.16)]:
        yield libsvm("2000 × 50", X, y, C, "linear", target)
    moons = make_moons(2000, noise=0.25, random_state=0)
    noisy = data.gaussian(2000, 10)
    for name, (X, y) in [("moons", moons), ("noisy, 10 features,", noisy)]:
        for C in (1.0, 100.0):
            yield libsvm(name, X, y, C, "rbf", 2.5)


def cases() -> Iterator[Case]:
    for group in (squared_hinge, hinge, free_intercept, separation.cases):
        try:
            yield from group()
        except FileNotFoundError as missing:
            print(f"left out: {missing}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(run(cases(), sys.argv[1:]))
