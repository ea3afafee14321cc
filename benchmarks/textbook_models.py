"""Models of the textbooks beside their counterparts: Crammer–Singer, probit, ordinal, shrunken centroids, evidence.

    LINCLASS_MIRRORS=folder python benchmarks/textbook_models.py                       every case
    LINCLASS_MIRRORS=folder python benchmarks/textbook_models.py results.csv ordinal   some, kept as CSV
    LINCLASS_MIRRORS=folder python benchmarks/textbook_models.py --profile evidence    where our time goes

The folder holds letter.arff. `off` is the relative excess over the minimum, and the peer runs at the loosest
tol, a power of ten, that reaches what is asked of both. Of shrunken centroids `off` is the largest difference from
scikit-learn's, of the evidence the relative excess of the mean log loss on fresh rows over the lower one, at most 1%.

Of a probit fit to 300 × 10 rows .3 of statsmodels' time is 170 µs, what the proof alone takes that an optimum exists;
the peer has none. Of 2,000 × 50 rows three Hessians take 580 µs, .13 of the peer's time, thirteen products 190, five
losses 190: together .21; the rest is a thousand calls of functions. Of 50,000 × 20 rows three passes take .51 of our
time, Φ .20. One erfcx for all rows is slower than Φ: 40 ns a row for 15.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from harness import Case, run  # sets one BLAS thread, so it comes before NumPy

import data  # isort: skip
import numpy as np
import statsmodels.api as sm
from margins import quietly, with_constant
from scipy.special import log_expit, log_ndtr
from sklearn.linear_model import LogisticRegressionCV
from sklearn.neighbors import NearestCentroid
from sklearn.svm import LinearSVC
from statsmodels.miscmodels.ordinal_model import OrderedModel

from linclass import (
    BayesianLogisticRegression,
    LinearClassifier,
    NearestShrunkenCentroids,
    OrdinalRegression,
    ProbitRegression,
    strength_of_C,
)
from linclass.base.design_matrix import DesignMatrix
from linclass.linear.losses.multiclass import CrammerSinger
from linclass.linear.objective.objective import Objective
from linclass.linear.penalties.entrywise import L2

TOLERANCES = [10.0**-k for k in range(1, 11)]


def crammer_singer() -> Iterator[Case]:
    """liblinear penalizes its intercept, so both fit [X 1] without one."""
    letter = data.letter()
    for name, (X, y), Cs in [
        ("iris", data.iris(), (0.1, 10.0)),
        ("5,000 × 20, 4 classes,", classes(5000, 20, 4), (0.01, 1.0)),
        ("letter", letter, (0.01,)),
    ]:
        for C in Cs:
            yield machine(name, with_constant(X), y, C)


def machine(name: str, X: Any, y: np.ndarray, C: float) -> Case:
    strength, within = strength_of_C(C, len(y)), 1e-6
    objective = Objective(
        DesignMatrix(X, False), CrammerSinger(int(y.max()) + 1), y, None, L2(), strength
    )
    own: dict[str, Any] = {"loss": "crammer_singer", "strength": strength, "fit_intercept": False}
    best = LinearClassifier(**own, tol=1e-8).fit(X, y).objective_

    def off(model: Any) -> float:
        return (objective.at(model.coef_).value - best) / best

    def peer(tol: float) -> Any:
        options: dict[str, Any] = {"max_iter": 100_000, "random_state": 0, "fit_intercept": False}
        return LinearSVC(multi_class="crammer_singer", C=C, tol=tol, **options).fit(X, y)

    theirs, tol = loosest(peer, off, within)
    return Case(
        f"Crammer–Singer {name} C={C:g}",
        f"LinearSVC tol={tol:g}",
        lambda: LinearClassifier(**own).fit(X, y),
        theirs,
        off,
        1.0,
        within,
        pairs=3,
    )


def probit() -> Iterator[Case]:
    for n, d in ((300, 10), (2000, 50), (50_000, 20)):
        X = np.random.default_rng(n).standard_normal((n, d))
        y = (latent(X) > 0.4).astype(int)
        ones, sign = sm.add_constant(X), 2 * y - 1

        def value(model: Any, X: Any = X, ones: Any = ones, sign: Any = sign) -> float:
            if isinstance(model, ProbitRegression):
                return float(-log_ndtr(sign * (X @ model.coef_[0] + model.intercept_)).mean())
            return float(-log_ndtr(sign * (ones @ model.params)).mean())

        def ours(X: Any = X, y: Any = y, **tol: float) -> Any:
            return ProbitRegression(penalty=None, **tol).fit(X, y)

        def peer(tol: float, ones: Any = ones, y: Any = y) -> Any:
            return sm.Probit(y, ones).fit(disp=0, tol=tol)

        yield likelihood(f"probit {n:,} × {d}", "Probit newton", value, ours, peer)


def ordinal() -> Iterator[Case]:
    """`bfgs`, as statsmodels' documentation advises; it has no analytic Hessian, and gradients only by differences."""
    for n, d, K in ((300, 5, 4), (2000, 10, 5), (20_000, 10, 4)):
        X = np.random.default_rng(n).standard_normal((n, d))
        z = latent(X)
        y = np.digitize(z, np.quantile(z, np.arange(1, K) / K))

        def value(model: Any, X: Any = X, y: Any = y) -> float:
            if isinstance(model, OrdinalRegression):
                w, thresholds = model.coef_[0], model.thresholds_
            else:
                w = model.params[: X.shape[1]]
                thresholds = model.model.transform_threshold_params(model.params)[1:-1]
            bounds = np.concatenate([[-np.inf], thresholds, [np.inf]])
            a, b = bounds[y + 1] - X @ w, bounds[y] - X @ w
            return float(-(log_expit(a) + log_expit(-b) + np.log(-np.expm1(b - a))).mean())

        def ours(X: Any = X, y: Any = y, **tol: float) -> Any:
            return OrdinalRegression(strength=0, **tol).fit(X, y)

        def peer(tol: float, X: Any = X, y: Any = y) -> Any:
            return OrderedModel(y, X, distr="logit").fit(method="bfgs", disp=0, gtol=tol)

        yield likelihood(
            f"ordinal {n:,} × {d}, {K} classes", "OrderedModel bfgs", value, ours, peer
        )


def likelihood(
    name: str,
    peer_name: str,
    value: Callable[[Any], float],
    ours: Callable[..., Any],
    peer: Callable[[float], Any],
) -> Case:
    best = value(ours(tol=1e-10))

    def off(model: Any) -> float:
        return (value(model) - best) / best

    theirs, tol = loosest(peer, off, 1e-8)
    return Case(name, f"{peer_name} tol={tol:g}", ours, theirs, off, 0.3, pairs=5)


def shrunken_centroids() -> Iterator[Case]:
    thresholds = np.linspace(0, 5, 30)
    for n, d, K in ((100, 2000, 4), (2000, 100, 4), (20_000, 50, 3)):
        X, y = classes(n, d, K)

        def ours(X: Any = X, y: Any = y) -> Any:
            return [m.means_ for m in NearestShrunkenCentroids().path(X, y, thresholds)]

        def theirs(X: Any = X, y: Any = y) -> Any:
            peers = (
                NearestCentroid(shrink_threshold=t or None, priors="empirical") for t in thresholds
            )
            return [peer.fit(X, y).centroids_ for peer in peers]

        reference = theirs()

        def off(means: Any, reference: Any = reference) -> float:
            pairs = zip(means, reference, strict=True)
            return max(float(np.abs(a - b).max() / np.abs(b).max()) for a, b in pairs)

        name = f"shrunken centroids {n:,} × {d}"
        yield Case(
            name, f"NearestCentroid {len(thresholds)} fits", ours, quietly(theirs), off, 0.05
        )


def evidence() -> Iterator[Case]:
    """The strength of largest evidence beside the best of 20 on five folds."""
    for n, d, K in ((500, 20, 2), (5000, 50, 2), (1000, 10, 4)):
        X, y = classes(n + 20_000, d, K)
        fresh, truth, X, y = X[n:], y[n:], X[:n], y[:n]

        def ours(X: Any = X, y: Any = y) -> Any:
            return BayesianLogisticRegression(strength="evidence").fit(X, y)

        def theirs(X: Any = X, y: Any = y) -> Any:
            return LogisticRegressionCV(
                Cs=20, cv=5, scoring="neg_log_loss", l1_ratios=(0,), use_legacy_attributes=False
            ).fit(X, y)

        def loss(model: Any, fresh: Any = fresh, truth: Any = truth) -> float:
            P = model.predict_proba(fresh)
            return float(-np.log(P[np.arange(len(truth)), truth]).mean())

        lower = min(loss(ours()), loss(theirs()))

        def off(model: Any, loss: Any = loss, lower: float = lower) -> float:
            return (loss(model) - lower) / lower

        name = f"evidence {n:,} × {d}, {K} classes"
        yield Case(name, "LogisticRegressionCV Cs=20", ours, theirs, off, 0.2, 0.01, pairs=5)


def loosest(
    peer: Callable[[float], Any], off: Callable[[Any], float], within: float
) -> tuple[Callable[[], Any], float]:
    """The peer's fit at the first tol that is good enough, else at the tightest, and that tol."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tol = next((t for t in TOLERANCES if off(peer(t)) <= within), TOLERANCES[-1])
    return quietly(lambda: peer(tol)), tol


def latent(X: np.ndarray) -> np.ndarray:
    """A linear score of variance 2 with normal noise of variance 1."""
    rng = np.random.default_rng(X.shape[1])
    n, d = X.shape
    return X @ rng.standard_normal(d) * np.sqrt(2 / d) + rng.standard_normal(n)


def classes(n: int, d: int, K: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows N(0, I); a softmax model draws the class."""
    rng = np.random.default_rng(n + K)
    X = rng.standard_normal((n, d))
    Z = X @ rng.standard_normal((d, K)) * 2 / np.sqrt(d) + rng.gumbel(size=(n, K))
    return X, Z.argmax(axis=1)


def cases() -> Iterator[Case]:
    for group in (probit, ordinal, shrunken_centroids, evidence, crammer_singer):
        try:
            yield from group()
        except FileNotFoundError as missing:
            print(f"left out: {missing}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(run(cases(), sys.argv[1:]))
