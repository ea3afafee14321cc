"""AIC and BIC of models beyond plain compositions of loss and penalty: ordinal and kernel logistic regression."""

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose
from scipy import sparse

from linclass import (
    BayesianLogisticRegression,
    KernelLogisticRegression,
    LinearClassifier,
    LogisticRegression,
    OrdinalRegression,
    TunedClassifier,
)

STRENGTHS = [10.0, 0.1, 1e-3]
Y = np.arange(90) % 3
X = np.random.default_rng(0).standard_normal((90, 4)) + 0.7 * np.outer(Y, [1, -1, 0, 0])
WEIGHTS = np.where(np.arange(90) % 7, 1.5, 0.0)


def judged(inner, y, rule, rows=X, weights=None):
    return TunedClassifier(inner, strengths=STRENGTHS, rule=rule).fit(rows, y, weights)


@each("rule", ["aic", "bic"])
@each("weights", [None, WEIGHTS], ids=["equal", "weighted"])
@each("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@each(("model", "K"), [
    (OrdinalRegression(tol=1e-12), 2),
    (KernelLogisticRegression(kernel="linear", tol=1e-12), 2),
    (KernelLogisticRegression(kernel="linear", tol=1e-12), 3),
], ids=["ordinal", "kernel", "kernel of three"])  # fmt: skip
def test_models_equal_to_logistic_regression_have_the_same_criteria(model, K, form, weights, rule):
    y = np.minimum(Y, K - 1)
    one = judged(model, y, rule, form(X), weights)
    other = judged(LogisticRegression(tol=1e-12), y, rule, form(X), weights)
    assert_allclose(one.degrees_of_freedom_, other.degrees_of_freedom_, rtol=1e-6)
    assert_allclose(one.criterion_, other.criterion_, rtol=1e-8)
    assert one.strength_ == other.strength_


@each(
    ("model", "most"),
    [(OrdinalRegression(order=[2, 0, 1]), 4 + 2), (KernelLogisticRegression(gamma=0.1), 180)],
    ids=["ordinal", "kernel"],
)
def test_criteria_are_minus_twice_the_log_likelihood_plus_a_penalty_on_degrees_of_freedom(
    model, most
):
    """Of a strong penalty nothing but K − 1 thresholds or intercepts are free, of a weak one nearly all."""
    inner = model.set_params(tol=1e-10)
    strengths = [1e7, 1.0, 1e-2, 1e-8]
    tuned = TunedClassifier(inner, strengths=strengths, rule="bic").fit(X, Y)
    df = tuned.degrees_of_freedom_
    assert df[0] == pytest.approx(2, abs=1e-3)
    assert (np.diff(df) > 0).all()
    assert df[-1] <= most + 1e-9
    if isinstance(model, OrdinalRegression):
        assert df[-1] == pytest.approx(most, abs=1e-3)
    for strength, value, free in zip(strengths, tuned.criterion_, df, strict=True):
        fit = model.set_params(strength=strength).fit(X, Y)
        log_likelihood = fit.predict_log_proba(X)[np.arange(90), Y].sum()
        assert value == pytest.approx(-2 * log_likelihood + np.log(90) * free, rel=1e-6)


def test_a_candidate_without_a_likelihood_is_reported():
    tuned = TunedClassifier(LinearClassifier(), rule="aic", strengths=STRENGTHS)
    for loss in ("squared_hinge", "hinge"):
        with pytest.raises(ValueError, match="needs a likelihood"):
            tuned.set_params(param_grid={"loss": ["logistic", loss]}).fit(X, np.minimum(Y, 1))


def test_models_without_degrees_of_freedom_are_refused_with_a_reason():
    with pytest.raises(ValueError, match="needs a likelihood: logistic, probit, ordinal or kernel"):
        judged(BayesianLogisticRegression(strength=1.0), Y, "aic")


@each("penalty", ["l1", "fused_lasso", {"group_lasso": {"groups": [0, 0, 1]}}])
def test_a_fit_without_weights_and_intercept_is_worth_no_parameter(penalty):
    """The criterion equals that of even odds."""
    rows, y = X[:, :3], np.minimum(Y, 1)
    inner = LogisticRegression(penalty=penalty, fit_intercept=False)
    tuned = TunedClassifier(inner, strengths=[1e6, 1e-3], rule="aic").fit(rows, y)
    assert tuned.degrees_of_freedom_[0] == 0
    assert_allclose(tuned.criterion_[0], 2 * len(y) * np.log(2))
