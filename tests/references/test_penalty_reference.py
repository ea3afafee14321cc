"""Penalties with factors and groups against scikit-learn, and against conditions and methods written out here."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from linclass import LeastSquaresClassifier, LogisticRegression, TunedClassifier

GROUPS = ["age", "city", "city", "age", "city", "income"]


def data(classes: int, n: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Of six features the first and the fourth say something."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 6)) * [1, 2, 0.5, 1, 1, 1] + [0, 30, 0, 0, -5, 0]
    Z = X[:, [0, 3]] @ rng.standard_normal((2, classes)) * 2 + rng.gumbel(size=(n, classes))
    return X, Z.argmax(axis=1)


@pytest.mark.parametrize("strength", [0.15, 0.05, 0.01])
def test_grouped_squares_are_scikit_learns_multi_task_lasso(strength: float) -> None:
    from sklearn.linear_model import MultiTaskLasso

    X, y = data(4)
    peer = MultiTaskLasso(alpha=strength, tol=1e-12, max_iter=100_000).fit(X, np.eye(4)[y])
    ours = LeastSquaresClassifier(penalty="group_lasso", strength=strength, tol=1e-12).fit(X, y)
    assert ours.status_ == "converged"
    assert_allclose(ours.coef_, peer.coef_, atol=1e-6)
    assert_allclose(ours.intercept_, peer.intercept_, atol=1e-5)
    assert ((ours.coef_ == 0).all(axis=0) == (ours.coef_ == 0).any(axis=0)).all()


@pytest.mark.parametrize("groups", [None, GROUPS])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("thin", [False, True])
def test_group_lasso_satisfies_its_conditions(thin: bool, classes: int, groups: Any) -> None:
    """−∂loss/∂W_g is strength·√p W_g/‖W_g‖, or no longer than strength·√p where W_g = 0."""
    X, y = data(classes)
    strength = 0.06
    rows = sparse.csr_array(X) if thin else X
    model = LogisticRegression(
        penalty={"group_lasso": {"groups": groups}}, strength=strength, tol=1e-12
    ).fit(rows, y)
    assert model.status_ == "converged"
    assert model.certificate_kind_ == "duality_gap"
    P = model.predict_proba(X)
    G = ((P - np.eye(classes)[y]).T @ X / len(y))[1 if classes == 2 else slice(None)]
    W, G = model.coef_, np.atleast_2d(G)
    names, entered = np.asarray(range(6) if groups is None else groups), []
    for name in np.unique(names):
        own = names == name
        length, root = float(np.linalg.norm(W[:, own])), own.sum() ** 0.5
        entered.append(length > 0)
        if length:
            assert_allclose(-G[:, own], strength * root * W[:, own] / length, atol=1e-5)
        else:
            assert np.linalg.norm(G[:, own]) <= strength * root * (1 + 1e-9)
    assert any(entered)
    assert not all(entered)


def test_group_lasso_ends_where_proximal_steps_written_out_end() -> None:
    X, y = data(2)
    X, t = X - X.mean(axis=0), np.where(y == 1, 1.0, -1.0)
    strength, names = 0.05, np.array(GROUPS)
    step = 4 / np.linalg.eigvalsh(np.c_[X, np.ones(len(X))].T @ np.c_[X, np.ones(len(X))])[-1]
    step *= len(X)
    w, b = np.zeros(6), 0.0
    for _ in range(20_000):
        s = -t / (1 + np.exp(t * (X @ w + b))) / len(X)
        w, b = w - step * (X.T @ s), b - step * s.sum()
        for name in np.unique(names):
            own = names == name
            length = np.linalg.norm(w[own])
            w[own] *= max(0.0, 1 - step * strength * own.sum() ** 0.5 / length) if length else 0.0
    model = LogisticRegression(
        penalty={"group_lasso": {"groups": GROUPS}}, strength=strength, tol=1e-12
    ).fit(X, y)
    assert_allclose(model.coef_[0], w, atol=1e-6)
    assert_allclose(model.intercept_[0], b, atol=1e-6)


def test_groups_that_do_not_fit_are_refused_in_one_sentence() -> None:
    X, y = data(2)
    for groups, words in [(["a", "b"], "groups has 2 entries for 6 features"), ("ab", "in a list")]:
        with pytest.raises(ValueError, match=words) as caught:
            LogisticRegression(penalty={"group_lasso": {"groups": groups}}).fit(X, y)
        assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match=r"sum over features.*proximal_gradient"):
        LogisticRegression(penalty="group_lasso", solver="proximal_newton").fit(X, y)
    with pytest.raises(ValueError, match="inner folds"):
        TunedClassifier(LogisticRegression(penalty="group_lasso"), rule="bic").fit(X, y)


@pytest.mark.parametrize("loss", ["lasso", "elastic_net"])
def test_factors_of_a_lasso_are_scikit_learns_on_scaled_columns(loss: str) -> None:
    """Factors multiply the whole penalty: of the elastic net, only L1's share is a unit of the columns."""
    from sklearn.linear_model import Lasso as Peer

    X, y = data(2)
    factors = np.array([1.0, 0.2, 3.0, 0.5, 2.0, 0.1])
    l1_ratio = 1.0 if loss == "lasso" else 0.6
    options: dict[str, Any] = {"l1_ratio": l1_ratio, "factors": factors}
    model = LeastSquaresClassifier(penalty={"elastic_net": options}, strength=0.05, tol=1e-13).fit(
        X, y
    )
    # ½μ f w² is a row √(nμf) e_j of the rows with target 0
    n, mean = len(X), X.mean(axis=0)
    t = np.where(y == 1, 1.0, -1.0)
    ridge = np.diag(np.sqrt(n * 0.05 * (1 - l1_ratio) * factors))
    rows = np.vstack([X - mean, ridge]) / factors
    target = np.r_[t - t.mean(), np.zeros(6)]
    alpha = 0.05 * l1_ratio * n / len(rows)
    peer = Peer(alpha=alpha, fit_intercept=False, tol=1e-14, max_iter=100_000).fit(rows, target)
    assert_allclose(model.coef_[0], peer.coef_ / factors, atol=1e-7)
