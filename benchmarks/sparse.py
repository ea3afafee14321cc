"""Cases of penalties with a kink: L1 logistic regression, lasso and elastic net, single and in paths.

Both sides reach a relative suboptimality of 1e-6. liblinear penalizes the intercept; scaled by 100,
that costs less than it must reach, but for a9a at a tenth of the largest strength, where saga is the
peer. Strengths are shares of the least one at which every weight is 0.

Of the elastic net path of 100,000 × 50 rows XᵀX, x̄ and Xᵀy are half of our time; in blocks that stay in the cache they
take as long, as BLAS is limited by arithmetic. Of that of 5,000 × 200 they take .2; of that of 2,000 × 100, at 70 µs a
strength, .04, and calls on arrays of 100 entries nearly all else: the largest share of one function is .12.

Of two classes of words at a tenth of the largest strength two conversions to columns take .15 of our 14 ms, products of
the columns .16, the choice of features that may join .06.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

from harness import Case  # sets one BLAS thread, so it comes before NumPy

import data  # isort: skip
import numpy as np
import sklearn.linear_model as peers

from linclass import ElasticNet, Lasso, LogisticRegression, strength_of_C
from linclass.base.design_matrix import DesignMatrix
from linclass.linear.losses.margin import Logistic
from linclass.linear.losses.regression import Squared
from linclass.linear.objective.objective import Objective
from linclass.linear.penalties.entrywise import ElasticNet as Net

WITHIN = 1e-6


def value_of(X: Any, y: np.ndarray, loss: Any, strength: float, l1_ratio: float = 1.0) -> Any:
    """model ↦ its objective, worked out in one way for ours and theirs."""
    P = Objective(DesignMatrix(X), loss, y, None, Net(l1_ratio), strength)
    return lambda model: P.at(np.append(np.ravel(model.coef_), model.intercept_)).value


def quietly(fit: Callable[[], Any]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fit()


def l1_logistic(
    name: str, X: Any, y: np.ndarray, share: float, solver: str, tol: float, target: float
) -> Case:
    largest = np.abs(X.T @ (y.mean() - y)).max() / len(y)
    strength = share * largest
    value = value_of(X, 2.0 * y - 1, Logistic(), strength)
    best = value(LogisticRegression(penalty="l1", strength=strength, tol=1e-11).fit(X, y))
    options: dict[str, Any] = {"l1_ratio": 1, "solver": solver, "tol": tol, "random_state": 0}
    options |= {"C": 1 / (strength * len(y)), "max_iter": 10_000}
    options |= {"intercept_scaling": 100} if solver == "liblinear" else {}
    assert np.isclose(strength, strength_of_C(options["C"], len(y)))
    return Case(
        f"{name} L1 {share:g}",
        f"{solver} tol={tol:g}",
        lambda: LogisticRegression(penalty="l1", strength=strength).fit(X, y),
        lambda: quietly(lambda: peers.LogisticRegression(**options).fit(X, y)),
        lambda model: (value(model) - best) / best,
        target,
        within=WITHIN,
        pairs=1 if solver == "saga" else 5,
    )


def l1_a9a() -> Iterator[Case]:
    X, y = data.libsvm_file("a9a.bz2")
    yield l1_logistic("a9a", X, y, 0.1, "saga", 1e-5, 0.1)
    yield l1_logistic("a9a", X, y, 0.01, "liblinear", 1e-5, 0.5)
    yield l1_logistic("a9a", X, y, 0.001, "liblinear", 1e-5, 0.2)


def l1_newsgroups() -> Iterator[Case]:
    X, y = data.newsgroups_two()
    for share, tol, target in [(0.1, 1e-3, 0.8), (0.03, 1e-4, 1.2), (0.01, 1e-4, 3.0)]:
        yield l1_logistic("20news religion/politics", X, y, share, "liblinear", tol, target)


def regression(n: int, d: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Few features count, a fifth at most; half of the variance of y is noise; columns centred."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    w = np.where(np.arange(d) < min(d / 5, n / 10), rng.standard_normal(d), 0)
    y = X @ w + np.linalg.norm(w) * rng.standard_normal(n)
    return X - X.mean(axis=0), y - y.mean()


def net(
    X: np.ndarray, y: np.ndarray, share: float, l1_ratio: float, tol: float, target: float
) -> Case:
    """One fit; the peer with or without a Gram matrix, as is faster at its shape."""
    strength = share * np.abs(X.T @ y).max() / len(y) / l1_ratio
    value = value_of(X, y, Squared(), strength, l1_ratio)
    ours: Any = Lasso(strength=strength)
    if l1_ratio < 1:
        ours = ElasticNet(strength=strength, l1_ratio=l1_ratio)
    tall = len(y) > X.shape[1]
    theirs = peers.ElasticNet(
        alpha=strength, l1_ratio=l1_ratio, tol=tol, precompute=tall, max_iter=100_000
    )
    best = value(type(ours)(**ours.get_params() | {"tol": 1e-11}).fit(X, y))
    kind = "lasso" if l1_ratio == 1 else "elastic net"
    return Case(
        f"{kind} {len(y):,} × {X.shape[1]:,}, {share:g}",
        f"{'Gram' if tall else 'rows'} tol={tol:g}",
        lambda: ours.fit(X, y),
        lambda: theirs.fit(X, y),
        lambda model: (value(model) - best) / best,
        target,
        within=WITHIN,
        pairs=5,
    )


def whole_path(
    X: np.ndarray, y: np.ndarray, l1_ratio: float, solver: str, tol: float, target: float
) -> Case:
    """100 strengths over three decades; the worst of them counts."""
    strengths = np.geomspace(1, 1e-3, 100) * np.abs(X.T @ y).max() / len(y) / l1_ratio
    ours: Any = Lasso(solver=solver)
    if l1_ratio < 1:
        ours = ElasticNet(l1_ratio=l1_ratio, solver=solver)
    best = [model.objective_ for model in ours.set_params(tol=1e-11).path(X, y, strengths)]
    ours.set_params(tol=1e-6)

    def off(coefs: np.ndarray) -> float:
        worst = 0.0
        for w, strength, b in zip(coefs, strengths, best, strict=True):
            r = X @ w - y
            penalty = l1_ratio * np.abs(w).sum() + (1 - l1_ratio) * 0.5 * (w @ w)
            worst = max(worst, (0.5 * np.mean(r * r) + strength * penalty - b) / b)
        return worst

    def theirs() -> np.ndarray:
        return peers.enet_path(X, y, l1_ratio=l1_ratio, alphas=strengths, tol=tol)[1].T

    kind = "lasso" if l1_ratio == 1 else "elastic net"
    return Case(
        f"{kind} path {len(y):,} × {X.shape[1]:,}, {solver}",
        f"enet_path tol={tol:g}",
        lambda: np.array([model.coef_ for model in ours.path(X, y, strengths)]),
        theirs,
        off,
        target,
        within=WITHIN,
        pairs=5,
    )


def squared_loss() -> Iterator[Case]:
    for n, d, target in [(100_000, 50, 0.7), (5000, 200, 1.2), (2000, 100, 1.2), (500, 5000, 1.2)]:
        X, y = regression(n, d)
        for share, l1_ratio in [(0.1, 1.0), (0.1, 0.5), (0.01, 1.0), (0.01, 0.5)]:
            tol = 1e-4 if d < n or share > 0.05 else 1e-6
            yield net(X, y, share, l1_ratio, tol, target)
        if d < n:
            for l1_ratio, solver in [(1.0, "homotopy"), (1.0, "auto"), (0.5, "auto")]:
                yield whole_path(X, y, l1_ratio, solver, 1e-4, target)


GROUPS = (l1_a9a, l1_newsgroups, squared_loss)
