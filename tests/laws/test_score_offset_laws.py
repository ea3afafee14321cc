"""Offsets of scores, Z = X Wᵀ + b + offset, of models of a likelihood."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from cases import each
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import log_softmax

from linclass import (
    FirthLogisticRegression,
    GaussianNB,
    KernelSVM,
    LogisticRegression,
    OrdinalRegression,
    ProbitRegression,
)

LIKELIHOOD: dict[type, dict[str, Any]] = {  # without a penalty on w, to a tight tolerance
    LogisticRegression: {"penalty": None, "tol": 1e-12},
    ProbitRegression: {"penalty": None, "tol": 1e-12},
    OrdinalRegression: {"strength": 0.0, "tol": 1e-12},
    FirthLogisticRegression: {"tol": 1e-12},
}
CASES = [
    pytest.param(kind, K, id=f"{kind.__name__}-{K}")
    for kind in LIKELIHOOD
    for K in (2, 3)
    if (kind, K) != (ProbitRegression, 3)
]


def rows(K: int, n: int = 90) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(K)
    y = np.arange(n) % K
    return rng.normal(size=(n, 3)) + 0.5 * y[:, None], y


def form(kind: type, K: int) -> tuple[int, ...]:
    """Of the offset of a row."""
    return () if K == 2 or kind is OrdinalRegression else (K,)


def intercepts(model: Any) -> np.ndarray:
    return -model.thresholds_ if isinstance(model, OrdinalRegression) else model.intercept_


@each("container", [np.asarray, sparse.csr_array])
@each(("kind", "K"), CASES)
def test_a_constant_offset_moves_the_intercept_alone(kind: Any, K: int, container: Any) -> None:
    X, y = rows(K)
    constant = np.array([0.7, -0.4, -0.3])[:K] if form(kind, K) else np.array(0.7)
    offset = np.broadcast_to(constant, (len(y), *form(kind, K)))
    plain = kind(**LIKELIHOOD[kind]).fit(container(X), y)
    moved = kind(**LIKELIHOOD[kind]).fit(container(X), y, offset=offset)
    np.testing.assert_allclose(moved.coef_, plain.coef_, atol=1e-7)
    np.testing.assert_allclose(intercepts(moved), intercepts(plain) - constant, atol=1e-7)
    P = plain.predict_proba(X)
    np.testing.assert_allclose(moved.predict_proba(container(X), offset), P, atol=1e-8)
    assert np.array_equal(moved.predict(X, offset), plain.predict(X))
    assert moved.objective_ == pytest.approx(plain.objective_, rel=1e-9)


@each(("kind", "K"), CASES)
def test_scores_that_are_known_are_what_the_coefficients_lack(kind: Any, K: int) -> None:
    X, y = rows(K)
    V = np.random.default_rng(0).normal(size=(3, *form(kind, K)))
    V = V - V.mean(axis=-1, keepdims=True) if form(kind, K) else V
    plain = kind(**LIKELIHOOD[kind]).fit(X, y)
    moved = kind(**LIKELIHOOD[kind]).fit(X, y, offset=X @ V)
    np.testing.assert_allclose(moved.coef_, plain.coef_ - V.T, atol=1e-7)
    np.testing.assert_allclose(intercepts(moved), intercepts(plain), atol=1e-7)


@each(("kind", "K"), CASES)
def test_offsets_go_with_their_rows(kind: Any, K: int) -> None:
    X, y = rows(K)
    rng = np.random.default_rng(1)
    offset, w = rng.normal(size=(len(y), *form(kind, K))), rng.integers(0, 3, len(y)) * 1.0
    often = np.repeat(np.arange(len(y)), w.astype(int))
    weighted = kind(**LIKELIHOOD[kind]).fit(X, y, w, offset)
    repeated = kind(**LIKELIHOOD[kind]).fit(X[often], y[often], offset=offset[often])
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-7)
    unlike = kind(**LIKELIHOOD[kind]).fit(X, y, w)
    assert np.abs(weighted.coef_ - unlike.coef_).max() > 0.01


PENALIZED = [
    {"penalty": "l2", "strength": 0.05},
    {"penalty": "l2", "strength": 0.05, "solver": "newton_cg"},
    {"penalty": "l2", "strength": 0.05, "solver": "quasi_newton"},
    {"penalty": None},
    {"penalty": None, "solver": "irls"},
    {"penalty": None, "solver": "gradient_descent", "max_iter": 20000},
]


@each("K", [2, 3])
@each("params", PENALIZED, ids=lambda params: "-".join(map(str, params.values())))
def test_penalized_fits_minimize_the_objective_with_offsets(params: dict[str, Any], K: int) -> None:
    X, y = rows(K)
    offset = 2 * np.random.default_rng(1).normal(size=(len(y), K))
    strength = params.get("strength", 0.0)

    def objective(theta: np.ndarray) -> float:
        W = theta.reshape(K, 4)
        Z = X @ W[:, :3].T + W[:, 3] + offset
        loss = -log_softmax(Z, axis=1)[np.arange(len(y)), y].mean()
        penalized = W[1, :3] - W[0, :3] if K == 2 else W[:, :3]
        return loss + strength * (penalized**2).sum() / 2

    best = minimize(objective, np.zeros(4 * K), tol=1e-12).fun
    given = offset[:, 1] - offset[:, 0] if K == 2 else offset
    model = LogisticRegression(**params, tol=1e-8).fit(X, y, offset=given)
    assert model.status_ == "converged"
    assert model.objective_ == pytest.approx(best, rel=1e-7)
    P = model.predict_log_proba(X, given)
    penalty = strength * (model.coef_**2).sum() / 2
    assert -P[np.arange(len(y)), y].mean() + penalty == pytest.approx(best, rel=1e-7)


def test_offsets_that_have_every_row_right_separate_nothing() -> None:
    X, y = rows(2)
    offset = 3.0 * (2 * y - 1) + 0.2 * X[:, 0]
    model = LogisticRegression(penalty=None, tol=1e-10).fit(X, y, offset=offset)
    assert model.status_ == "converged"
    assert (model.predict(X, offset) == y).all()
    gradient = np.column_stack([X, np.ones(len(y))]).T @ (model.predict_proba(X, offset)[:, 1] - y)
    np.testing.assert_allclose(gradient, 0, atol=1e-6)
    with pytest.warns(match="separable"):
        apart = LogisticRegression(penalty=None).fit(X + 9 * y[:, None], y, offset=-offset)
    assert apart.status_ == "separable"


@each("kind", [LogisticRegression, ProbitRegression])
def test_a_generalized_linear_model_of_statsmodels_agrees(kind: Any) -> None:
    X, y = rows(2)
    rng = np.random.default_rng(2)
    offset, w = rng.normal(size=len(y)), rng.uniform(0.5, 2, len(y))
    link = sm.families.links.Logit() if kind is LogisticRegression else sm.families.links.Probit()
    family = sm.families.Binomial(link=link)
    known = sm.GLM(y, sm.add_constant(X), family=family, offset=offset, freq_weights=w)
    known = known.fit(tol=1e-12, maxiter=100)
    model = kind(**LIKELIHOOD[kind]).fit(X, y, w, offset)
    ours = np.append(model.intercept_, model.coef_)
    np.testing.assert_allclose(ours, known.params, rtol=1e-6)
    summary = model.summary()
    np.testing.assert_allclose(summary.table.std_error, known.bse, rtol=1e-6)
    assert summary.deviance == pytest.approx(known.deviance, rel=1e-9)
    assert summary.null_deviance == pytest.approx(known.null_deviance, rel=1e-7)


@each("K", [2, 3])
def test_offsets_of_another_form_are_refused(K: int) -> None:
    X, y = rows(K)
    model = LogisticRegression()
    with pytest.raises(ValueError, match=r"offset has shape \(3,\); it must be \(90"):
        model.fit(X, y, offset=np.zeros(3))
    bad = np.full((len(y), K) if K > 2 else len(y), np.inf)
    with pytest.raises(ValueError, match="offset holds inf; offsets must be finite"):
        model.fit(X, y, offset=bad)
    with pytest.raises(ValueError, match="it must be"):
        model.fit(X, y).predict_proba(X, np.zeros(4))


@each("penalty", ["l2", "l1", "adaptive_lasso"])
@each(("kind", "K"), [(LogisticRegression, 2), (LogisticRegression, 3), (ProbitRegression, 2)])
def test_paths_and_folds_have_the_offsets_of_their_rows(kind: Any, K: int, penalty: str) -> None:
    """As single fits to the same rows do; a row of weight 0 takes its offset along."""
    X, y = rows(K)
    rng = np.random.default_rng(2)
    offset, w = rng.normal(size=(len(y), *form(kind, K))), rng.integers(0, 3, len(y)) * 1.0
    model, strengths = kind(penalty=penalty, tol=1e-11), [0.03, 0.1]
    for one in model.path(X, y, strengths, w, offset):
        alone = kind(penalty=penalty, tol=1e-11, strength=one.strength).fit(X, y, w, offset)
        np.testing.assert_allclose(one.coef_, alone.coef_, atol=1e-5)
        np.testing.assert_allclose(one.intercept_, alone.intercept_, atol=1e-5)
    fold = np.arange(len(y)) % 4 == 0
    ((*fits,),) = model.fit_many(
        X, y, [fold], [{"strength": s} for s in [*strengths, 0.0][: 3 if penalty == "l2" else 2]],
        sample_weight=w, offset=offset,
    )  # fmt: skip
    for one in fits:
        alone = kind(penalty=penalty, tol=1e-11, strength=one.strength)
        alone.fit(X[~fold], y[~fold], w[~fold], offset[~fold])
        np.testing.assert_allclose(one.coef_, alone.coef_, atol=2e-5)


def test_models_without_offsets_say_so_and_name_those_that_take_them() -> None:
    X, y = rows(2)
    for ask, name in (
        (lambda: KernelSVM().path(X, y, [0.1], offset=y), "KernelSVM"),
        (lambda: GaussianNB().fit_many(X, y, [[0]], [{}], offset=y), "GaussianNB"),
    ):
        said = f"^{name} takes no offset in fit; generalized linear models do, such as Logistic"
        with pytest.raises(ValueError, match=said):
            ask()


@each(("kind", "K"), CASES)
def test_accuracy_is_that_of_scores_with_offsets(kind: Any, K: int) -> None:
    X, y = rows(K)
    offset = 3 * np.random.default_rng(4).normal(size=(len(y), *form(kind, K)))
    w = np.arange(len(y)) % 3 + 0.5
    model = kind(**LIKELIHOOD[kind]).fit(X, y)
    expected = np.average(model.predict(X, offset) == y, weights=w)
    assert model.score(X, y, w, offset) == expected != model.score(X, y, w)
    with pytest.raises(ValueError, match="offset has shape"):
        model.score(X, y, w, offset[1:])


def test_predictions_of_statsmodels_with_an_offset_are_ours() -> None:
    """GLM.predict(exog, offset=…) adds it to the linear predictor, as R's predict does with that of its formula."""
    X, y = rows(2)
    offset = np.random.default_rng(3).normal(size=len(y))
    peer = sm.GLM(y, sm.add_constant(X), family=sm.families.Binomial(), offset=offset).fit(
        tol=1e-12
    )
    model = LogisticRegression(penalty=None, tol=1e-12).fit(X, y, offset=offset)
    new = peer.predict(sm.add_constant(X), offset=-offset)
    np.testing.assert_allclose(model.predict_proba(X, -offset)[:, 1], new, atol=1e-8)
    assert np.array_equal(model.predict(X, -offset), new > 0.5)
