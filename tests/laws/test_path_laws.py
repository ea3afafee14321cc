"""Laws of a path, for every estimator that has one: it is what separate fits are, only cheaper."""

import numpy as np
import pytest
from cases import each
from models import MODULES, own_classes
from scipy import sparse

from linclass import LeastSquaresClassifier
from linclass.base.messages import NotApplicable
from linclass.base.numerics import conjugate_gradients_of_shifts
from linclass.base.regressor import Regressor
from linclass.kernels.kernel_machine import KernelPath
from linclass.linear.linear_model import LinearModel, penalty_of
from linclass.linear.logistic_regression import LogisticRegression

STRENGTHS = [1e-3, 1.0, 1e-2, 0.3, 1e-4, 1e-2]  # in no order, one of them twice
VARIANTS = {  # besides the defaults
    "LogisticRegression": [
        {"solver": "newton_cg"},
        {"class_weight": "balanced"},
        *({"penalty": penalty} for penalty in ("l1", "elastic_net")),
    ],
    "LinearClassifier": [{"loss": "squared_hinge"}, {"loss": "squared"}],
    "KernelSVM": [{"loss": "squared_hinge"}, {"kernel": "polynomial", "degree": 2}],
    "SupportVectorRegressor": [{"kernel": "gaussian"}],
}


def penalized():
    """One of each estimator whose fit has a penalty, and its variants."""
    found = []
    for module in MODULES:
        for kind in own_classes(module):
            if issubclass(kind, LinearModel | KernelPath) and hasattr(kind, "path"):
                variants = [{}, *VARIANTS.get(kind.__name__, [])]
                found += [kind(**params) for params in variants]
    return [
        e.set_params(tol=1e-9 if over_kernels(e) else 1e-12)  # what rounding of their scores leaves
        for e in found
        if over_kernels(e) or penalty_of(e).binds
    ]


def over_kernels(estimator):
    return isinstance(estimator, KernelPath)


def problem(estimator, K, n=80, seed=5):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % K
    X = rng.standard_normal((n, 4)) + np.eye(max(K, 4))[y][:, :4]
    if isinstance(estimator, Regressor):
        return X, X @ [1.0, -2.0, 0.0, 0.0] + rng.standard_normal(n)
    return X, np.array(["a", "b", "c"])[y]


@each("K", [2, 3])
@each("kind", ["dense", "sparse"], quick=1)
@each("estimator", penalized(), ids=repr)
def test_a_path_is_what_separate_fits_are(estimator, kind, K):
    X, y = problem(estimator, K)
    w = np.random.default_rng(1).uniform(0.5, 2, len(y))
    X = sparse.csr_array(np.where(np.abs(X) > 0.7, X, 0)) if kind == "sparse" else X
    try:
        path = estimator.path(X, y, STRENGTHS, sample_weight=w)
    except NotApplicable as refusal:  # some are of two classes only
        pytest.skip(str(refusal))
    assert len(path) == len(STRENGTHS)
    assert path.strengths.tolist() == STRENGTHS
    for strength, fitted in zip(STRENGTHS, path, strict=True):
        alone = estimator._unfitted(strength=strength).fit(X, y, sample_weight=w)
        assert fitted.get_params() == alone.get_params()
        assert set(vars(fitted)) == set(vars(alone))
        assert fitted.status_ == alone.status_ == "converged"
        assert fitted.certificate_ <= estimator.tol
        np.testing.assert_allclose(fitted.objective_, alone.objective_, rtol=10 * estimator.tol)
        if over_kernels(estimator):  # an optimal intercept need not be the only one
            np.testing.assert_allclose(function(fitted, X), function(alone, X), atol=1e-4)
            continue
        np.testing.assert_allclose(fitted.coef_, alone.coef_, atol=2e-5)
        if isinstance(fitted, Regressor):
            np.testing.assert_allclose(fitted.predict(X), alone.predict(X), atol=1e-5)
        else:
            np.testing.assert_array_equal(fitted.predict(X), alone.predict(X))


@each("fit_intercept", [True, False])
def test_a_ridge_path_of_many_sparse_rows_is_what_separate_fits_are(fit_intercept):
    """Its systems are solved together, by products with the rows."""
    rng = np.random.default_rng(3)
    X = sparse.random_array((350, 400), density=0.05, rng=rng, format="csr")
    y, w = rng.integers(0, 2, 350), rng.integers(0, 3, 350)
    model = LeastSquaresClassifier(
        penalty="l2", solver="finite_newton", fit_intercept=fit_intercept, tol=1e-10
    )
    for fitted in model.path(X, y, STRENGTHS, sample_weight=w):
        alone = model._unfitted(strength=fitted.strength).fit(X, y, sample_weight=w)
        assert fitted.status_ == "converged"
        assert fitted.certificate_ <= 1e-10
        np.testing.assert_allclose(fitted.coef_, alone.coef_, atol=1e-4 * np.abs(alone.coef_).max())
        np.testing.assert_allclose(fitted.intercept_, alone.intercept_, atol=1e-5)


def function(model, X):
    """f of every row, without the intercept."""
    scores = model.predict if isinstance(model, Regressor) else model.decision_function
    return scores(X) - model.intercept_


@each("estimator", penalized(), ids=repr)
def test_computing_a_path_does_not_change_the_estimator(estimator):
    X, y = problem(estimator, 2)
    fitted = estimator._unfitted(strength=0.05).fit(X, y)
    before = {name: np.copy(value) for name, value in vars(fitted).items()}
    fitted.path(X, y, STRENGTHS)
    assert set(vars(fitted)) == set(before)
    for name, value in before.items():
        np.testing.assert_array_equal(vars(fitted)[name], value)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_path_reports_fits_that_did_not_converge():
    from linclass import LogisticRegression

    X, y = problem(LogisticRegression(), 2)
    path = LogisticRegression(solver="gradient_descent", max_iter=3).path(X, y, [1e-4, 1e-3])
    assert path.status_.tolist() == ["max_iter", "max_iter"]


def test_a_fit_with_more_weights_than_rows_follows_the_path_to_a_weak_strength():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 300))
    X[:, 1:] += 0.5 * X[:, :-1]
    W = rng.standard_normal((3, 300)) * (rng.random((3, 300)) < 0.1)
    y = (X @ W.T + rng.gumbel(size=(100, 3))).argmax(axis=1)
    weak = LogisticRegression(penalty="l1", strength=1e-6, trace=True).fit(X, y)
    assert weak.status_ == "converged"
    passes = weak.trace_[-1]["passes"]
    assert passes < 10 * weak.n_iter_  # 140 a step where each stage is a single step


def test_systems_that_differ_by_multiples_of_the_identity_are_solved_together():
    rng = np.random.default_rng(0)
    B, b = rng.standard_normal((30, 20)), rng.standard_normal(30)
    H, shifts = B @ B.T, np.array([1.0, 1e-3, 30.0])
    found = conjugate_gradients_of_shifts(
        lambda p: H @ p, b, shifts, lambda which, s, square: square <= 1e-24
    )
    for shift, s in zip(shifts, found, strict=True):
        np.testing.assert_allclose(s, np.linalg.solve(H + shift * np.eye(30), b), rtol=1e-8)
