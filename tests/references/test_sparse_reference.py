"""Lasso, elastic net and L1 logistic regression: scikit-learn on the same objectives."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from cases import each
from numpy.testing import assert_allclose
from scipy import sparse

from linclass import ElasticNet, Lasso, LogisticRegression, strength_of_C


def rows(classes: int, n: int = 150) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(2)
    y = np.arange(n) % classes
    return rng.standard_normal((n, 6)) + 0.7 * rng.standard_normal((classes, 6))[y], y


@each("classes", [2, 3])
@each("l1_ratio", [0.4, 1.0])
@each("C", [0.05, 1.0])
def test_l1_and_elastic_net_logistic_regression_are_sagas(classes, l1_ratio, C):
    from sklearn.linear_model import LogisticRegression as Peer

    X, y = rows(classes)
    w = np.random.default_rng(0).uniform(0.5, 2, len(y))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = Peer(C=C, l1_ratio=l1_ratio, solver="saga", tol=1e-9, max_iter=50_000)
        peer.fit(X, y, w)
    strength = strength_of_C(C, w.sum())
    ours = LogisticRegression(
        penalty="elastic_net", l1_ratio=l1_ratio, strength=strength, tol=1e-12
    ).fit(X, y, w)
    assert_allclose(ours.coef_, peer.coef_, atol=1e-6)
    assert ((ours.coef_ == 0) == (np.abs(peer.coef_) < 1e-7)).all()
    assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-6)


@each("store", [np.asarray, sparse.csr_array])
@each("solver", ["auto", "homotopy", "proximal_newton"])
@each("intercept", [True, False])
def test_lasso_is_scikit_learns(store, solver, intercept):
    import sklearn.linear_model as peers

    X, _ = rows(2)
    rng = np.random.default_rng(0)
    y, w = X @ [2, -1, 0, 0, 0.5, 0] + rng.standard_normal(len(X)), rng.uniform(0.5, 2, len(X))
    peer = peers.Lasso(alpha=0.2, tol=1e-12, max_iter=100_000, fit_intercept=intercept)
    peer.fit(X, y, w)
    ours = Lasso(strength=0.2, solver=solver, tol=1e-12, fit_intercept=intercept)
    ours.fit(store(X), y, w)
    assert_allclose(ours.coef_, peer.coef_, atol=1e-6)
    assert_allclose(ours.intercept_, peer.intercept_, atol=1e-6)
    assert (ours.coef_ == 0).any()


@each("solver", ["auto", "proximal_newton"])
@each("l1_ratio", [0.2, 0.9])
def test_elastic_net_and_its_path_are_scikit_learns(solver, l1_ratio):
    import sklearn.linear_model as peers

    X, _ = rows(2)
    rng = np.random.default_rng(0)
    y = X @ [2, -1, 0, 0, 0.5, 0] + rng.standard_normal(len(X))
    y -= y.mean()  # enet_path has no intercept
    X = X - X.mean(axis=0)
    strengths = np.geomspace(5, 1e-3, 20)
    options: dict[str, Any] = {"tol": 1e-12, "max_iter": 100_000}
    _, coefs, _ = peers.enet_path(X, y, l1_ratio=l1_ratio, alphas=strengths, **options)
    path = ElasticNet(l1_ratio=l1_ratio, solver=solver, tol=1e-12).path(X, y, strengths)
    for k, model in enumerate(path):
        assert_allclose(model.coef_, coefs[:, k], atol=1e-6)
        assert_allclose(model.intercept_, 0, atol=1e-8)
    peer = peers.ElasticNet(alpha=0.3, l1_ratio=l1_ratio, **options).fit(X + 1, y + 2)
    ours = ElasticNet(strength=0.3, l1_ratio=l1_ratio, solver=solver, tol=1e-12).fit(X + 1, y + 2)
    assert_allclose(ours.coef_, peer.coef_, atol=1e-6)
    assert_allclose(ours.intercept_, peer.intercept_, atol=1e-6)


def test_the_lasso_path_is_lars():
    """The same kinks, one by one."""
    from sklearn.linear_model import lars_path

    X, _ = rows(2)
    y = X @ [2, -1, 0.3, 0, 0.5, 0] + np.random.default_rng(0).standard_normal(len(X))
    X, y = X - X.mean(axis=0), y - y.mean()
    alphas, _, coefs = lars_path(X, y, method="lasso")
    alphas, coefs = alphas[:-1], coefs[:, :-1]  # the last is the end of the path, 0
    path = Lasso(solver="homotopy").path(X, y, alphas)
    for k, model in enumerate(path):
        assert_allclose(model.coef_, coefs[:, k], atol=1e-8)
        assert abs(model.n_iter_ - k) <= 1  # rounding says on which side of a kink it is
