"""Penalties and online rules against scikit-learn, liblinear and conditions of an optimum."""

import warnings

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn import linear_model as sk
from sklearn.datasets import load_breast_cancer
from sklearn.svm import LinearSVC

import linclass as L
from linclass.base.messages import silently

# Penalties with factors and groups against scikit-learn, and against conditions and methods written out here


def data(classes, n=200):
    """The first and the fourth of six features are informative."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 6)) * [1, 2, 0.5, 1, 1, 1] + [0, 30, 0, 0, -5, 0]
    Z = X[:, [0, 3]] @ rng.standard_normal((2, classes)) * 2 + rng.gumbel(size=(n, classes))
    return X, Z.argmax(axis=1)


@each("groups", [None, ["age", "city", "city", "age", "city", "income"]])
@each("classes", [2, 3])
@each("thin", [False, True])
def test_group_lasso_satisfies_its_conditions(thin, classes, groups):
    """−∂loss/∂W_g is strength·√p W_g/‖W_g‖, or no longer than strength·√p where W_g = 0."""
    X, y = data(classes)
    strength = 0.06
    rows = sparse.csr_array(X) if thin else X
    model = L.LogisticRegression(
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


@each("classes", [2, 3])
@each(("gamma", "initial_strength"), [(1.0, 1e-3), (0.5, 0.1), (2.0, 0.0)])
def test_adaptive_lasso_is_l1_in_units_of_the_initial_estimate(gamma, initial_strength, classes):
    """Least squares, target by target:  w = v·|ŵ|^γ,  v the lasso on x·|ŵ|^γ."""
    X, y = data(classes)
    options = {"gamma": gamma, "initial_strength": initial_strength}
    model = L.LeastSquaresClassifier(
        penalty={"adaptive_lasso": options}, strength=0.02, tol=1e-12
    ).fit(X, y)
    first = L.LeastSquaresClassifier(penalty="l2", strength=initial_strength, tol=1e-12).fit(X, y)
    targets = [np.where(y == 1, 1.0, -1.0)] if classes == 2 else list(np.eye(classes)[:, y])
    for w, start, target in zip(model.coef_, first.coef_, targets, strict=True):
        unit = np.abs(start) ** gamma
        lasso = L.Lasso(strength=0.02, tol=1e-12).fit(X * unit, target)
        assert_allclose(w, lasso.coef_ * unit, atol=1e-6)
    assert (model.coef_ == 0).any()
    assert model.certificate_kind_ == "duality_gap"


@each("seed", [6, 8, 11])
def test_adaptive_lasso_of_several_classes_converges_on_rare_indicators(seed):
    """Weights that the first step leaves at 0 ask for a rough path at each strength of a rough path."""
    generator = np.random.default_rng(seed)
    X, y = (generator.random((60, 40)) < 0.1).astype(float), generator.integers(0, 3, 60)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    for strength in np.geomspace(0.3, 0.01, 8):
        model = L.LogisticRegression(penalty="adaptive_lasso", strength=strength).fit(X, y)
        assert model.status_ == "converged"
        assert model.certificate_ <= 1e-6


def test_an_offset_counts_in_the_initial_estimate():
    X, y = data(2)
    offset = 3 * X[:, 0]
    free = L.LogisticRegression(penalty="adaptive_lasso", strength=1e-4, tol=1e-12)
    found = free.fit(X, y, offset=offset).coef_[0]
    first = L.LogisticRegression(penalty="l2", tol=1e-12).fit(X, y, offset=offset).coef_[0]
    factors = 1 / np.abs(first)
    again = L.LogisticRegression(penalty={"l1": {"factors": factors}}, strength=1e-4, tol=1e-12)
    assert_allclose(found, again.fit(X, y, offset=offset).coef_[0], atol=1e-4)


@each("scaling", [1.0, 5.0])
@each("penalty", ["l1", "l2"])
@each("thin", [False, True])
def test_a_penalized_intercept_is_liblinears(thin, penalty, scaling):
    """liblinear's bias is a feature of value s: its penalty applies to b/s."""
    X, y = data(2)
    X, C = X[:, [0, 2, 3, 4]], 0.5
    rows = sparse.csr_array(X) if thin else X
    factor = 1 / scaling if penalty == "l1" else 1 / scaling**2
    options = {
        "penalty": {penalty: {"intercept": factor}},
        "strength": 1 / (C * len(y)),
        "tol": 1e-12,
    }
    same = {"C": C, "intercept_scaling": scaling, "tol": 1e-10, "max_iter": 100_000}
    peer = sk.LogisticRegression(l1_ratio=float(penalty == "l1"), solver="liblinear", **same)
    peer.fit(X, y)
    ours = L.LogisticRegression(**options).fit(rows, y)
    assert ours.certificate_kind_ == "duality_gap"
    assert_allclose(ours.coef_, peer.coef_, atol=1e-4)
    assert_allclose(ours.intercept_, peer.intercept_, atol=1e-4)
    # liblinear's squared hinge is ours: neither has a ½ but the penalty's
    svc = LinearSVC(penalty=penalty, loss="squared_hinge", dual=False, **same).fit(X, y)
    machine = L.LinearClassifier(loss="squared_hinge", **options).fit(rows, y)
    assert_allclose(machine.coef_, svc.coef_, atol=1e-4)
    assert_allclose(machine.intercept_, svc.intercept_, atol=1e-4)
    with pytest.raises(ValueError, match="intercept is 0"):
        L.LogisticRegression(penalty={"l2": {"intercept": 0}}).check()


@each("penalty", ["adaptive_lasso", {"l1": {"intercept": 1.0}}, {"l2": {"intercept": 1.0}}])
def test_adaptive_penalties_and_penalized_intercepts_in_folds_are_those_of_single_fits(penalty):
    X, y = data(3)
    model = L.LogisticRegression(penalty=penalty, tol=1e-10)
    folds, shift = [np.arange(0, 50), np.arange(50, 120)], np.ones(6)
    settings = [{"strength": 0.01}, {"strength": 0.03}]
    atol = 1e-4 if penalty == "adaptive_lasso" else 1e-3
    for scaling in (None, [(shift, 2 * shift)] * 2):
        together = model.fit_many(X, y, folds, settings, scaling)
        rows = X if scaling is None else (X - 1) / 2
        for fold, fits in zip(folds, together, strict=True):
            kept = np.setdiff1d(np.arange(len(y)), fold)
            for fit in fits:
                alone = model._unfitted(strength=fit.strength).fit(rows[kept], y[kept])
                assert_allclose(fit.coef_, alone.coef_, atol=atol)
                assert_allclose(fit.intercept_, alone.intercept_, atol=atol)


# The weights of scikit-learn's compiled loops, after the same passes over the same rows in the same order

CASES = {
    "PA-I": (L.PassiveAggressive(aggressiveness=0.1), {"loss": "hinge", "learning_rate": "pa1", "eta0": 0.1}),
    "PA-II": (L.PassiveAggressive(variant="PA-II", aggressiveness=0.1),
        {"loss": "hinge", "learning_rate": "pa2", "eta0": 0.1}),
    "averaged perceptron": (L.AveragedPerceptron(),
        {"loss": "perceptron", "learning_rate": "constant", "eta0": 1.0, "average": True}),
    "AdaLine": (L.Adaline(learning_rate=1e-3), {"loss": "squared_error", "learning_rate": "constant", "eta0": 1e-3}),
}  # fmt: skip


def rows():
    X, y = load_breast_cancer(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


@each("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@each("name", CASES)
def test_weights_are_those_of_the_compiled_loop(name, kind):
    X, y = rows()
    ours, peer = CASES[name]
    options = {"max_iter": 3, "fit_intercept": False}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = sk.SGDClassifier(penalty=None, shuffle=False, tol=None, **options, **peer)
        theirs.fit(X, y)
    with silently():
        model = type(ours)(**(ours.get_params() | options | {"order": "cyclic"})).fit(kind(X), y)
    assert_allclose(model.coef_, theirs.coef_, rtol=1e-8, atol=1e-10)


def test_the_perceptron_by_parts_is_scikit_learns():
    X, y = rows()
    ours = L.Perceptron(fit_intercept=False)
    theirs = sk.Perceptron(fit_intercept=False, shuffle=False)
    for part in np.array_split(np.arange(len(y)), 5):
        ours.partial_fit(X[part], y[part], classes=[0, 1])
        theirs.partial_fit(X[part], y[part], classes=[0, 1])
        assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9, atol=1e-12)
