"""Agreement with scikit-learn, statsmodels and published tables for the same objectives."""

import csv
from pathlib import Path

import numpy as np
import pytest
import sklearn.linear_model as peers
import statsmodels.api as sm
from cases import each
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.svm import LinearSVC

from linclass import LinearClassifier, LinearRegression, LogisticRegression, Ridge, strength_of_C

ROOT = Path(__file__).parents[2]


def data(classes, n=150):
    rng = np.random.default_rng(2)
    y = np.arange(n) % classes
    return rng.standard_normal((n, 4)) + rng.standard_normal((classes, 4))[y], y


@each("classes", [2, 3])
def test_standard_errors_and_deviance_are_statsmodels(classes):
    X, y = data(classes)
    kind = sm.Logit if classes == 2 else sm.MNLogit
    peer = kind(y, sm.add_constant(X)).fit(disp=False, tol=1e-12, maxiter=100)
    for solver in ("auto", "quasi_newton"):
        model = LogisticRegression(penalty=None, solver=solver, tol=1e-10).fit(X, y)
        summary = model.summary()
        assert_allclose(summary.table.estimate, np.ravel(peer.params, order="F"), rtol=1e-5)
        assert_allclose(summary.table.std_error, np.ravel(peer.bse, order="F"), rtol=1e-5)
        assert_allclose(summary.table.p, np.ravel(peer.pvalues, order="F"), rtol=1e-4)
        assert_allclose(summary.deviance, -2 * peer.llf, rtol=1e-9)
        assert_allclose(summary.null_deviance, -2 * peer.llnull, rtol=1e-9)
        assert_allclose(summary.aic, peer.aic, rtol=1e-9)
        if classes == 2:  # of more, MNLogit counts a row once
            assert summary.df_residual == peer.df_resid


def heart(*columns):
    """Rousseauw et al. (1983), as in Hastie, Tibshirani & Friedman (2009), §4.4.2."""
    with (ROOT / "resources" / "SAheart.data").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    value = {"Present": 1.0, "Absent": 0.0}
    X = [[value.get(row[c]) if c == "famhist" else float(row[c]) for c in columns] for row in rows]
    return np.array(X, dtype=float), np.array([int(row["chd"]) for row in rows])


FULL = ("sbp", "tobacco", "ldl", "famhist", "obesity", "alcohol", "age")


def test_the_summary_matches_the_output_of_rs_glm():
    """R 4: summary(glm(chd ~ sbp + …, family = binomial)); its errors lag one step behind its fit."""
    text = str(LogisticRegression(penalty=None).fit(*heart(*FULL)).summary())
    assert "             Estimate Std. Error z value Pr(>|z|)" in text
    assert "(Intercept) -4.1295997  0.96418" in text
    assert "-4.283 1.84e-05 ***" in text
    assert "    Null deviance: 596.11  on 461  degrees of freedom" in text
    assert "Residual deviance: 483.17  on 454  degrees of freedom" in text
    assert "AIC: 499.17" in text


@each("intercept", [True, False])
@each(("classes", "family"), [(2, "binomial"), (3, "multinomial")])
def test_the_summary_names_the_family_and_counts_what_the_saturated_model_has_more(
    classes, family, intercept
):
    """It has K − 1 free probabilities a row, as VGAM::vglm of R counts."""
    X, y = data(classes)
    summary = LogisticRegression(penalty=None, fit_intercept=intercept).fit(X, y).summary()
    (n, d), K = X.shape, classes
    assert summary.df_residual == (n - d - intercept) * (K - 1)
    assert summary.df_null == (n - intercept) * (K - 1)
    assert f"(Dispersion parameter for {family} family taken to be 1)" in str(summary)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_standard_errors_are_absent_where_they_are_not_valid():
    X, y = heart(*FULL)
    with pytest.raises(ValueError, match="penalty is 'l2'"):
        LogisticRegression().fit(X, y).summary()
    with pytest.raises(ValueError, match="separable"):
        LogisticRegression(penalty=None).fit(np.column_stack([X, y]), y).summary()
    with pytest.raises(NotFittedError):
        LogisticRegression().summary()


@each("classes", [2, 3])
@each("C", [0.01, 1.0, 100.0])
@each("intercept", [True, False])
def test_logistic_regression_is_scikit_learns(classes, C, intercept):
    X, y = data(classes)
    w = np.random.default_rng(0).uniform(0.5, 2, len(y))
    peer = peers.LogisticRegression(C=C, tol=1e-10, max_iter=10_000, fit_intercept=intercept)
    peer.fit(X, y, w)
    strength = strength_of_C(C, w.sum())
    ours = LogisticRegression(strength=strength, tol=1e-12, fit_intercept=intercept)
    ours.fit(X, y, w)
    assert_allclose(ours.coef_, peer.coef_, atol=1e-5)
    assert_allclose(ours.decision_function(X), peer.decision_function(X), atol=1e-5)
    assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-6)


@each("solver", ["auto", "newton", "newton_cg", "quasi_newton", "gradient_descent"])
def test_ridge_and_linear_regression_are_scikit_learns(solver):
    X, _ = data(2)
    rng = np.random.default_rng(0)
    y, w = X @ rng.standard_normal(4) + rng.standard_normal(len(X)), rng.uniform(0.5, 2, len(X))
    options = {"solver": solver, "tol": 1e-10, "max_iter": 20_000}
    ridge = Ridge(strength=0.5, **options).fit(X, y, w)
    peer = peers.Ridge(alpha=0.5 * w.sum()).fit(X, y, w)
    assert_allclose(ridge.coef_, peer.coef_, atol=1e-5)
    assert_allclose(ridge.intercept_, peer.intercept_, atol=1e-5)
    plain, other = LinearRegression(**options).fit(X, y, w), peers.LinearRegression().fit(X, y, w)
    assert_allclose(plain.predict(X), other.predict(X), atol=1e-5)
    assert plain.status_ == ridge.status_ == "converged"


@each("strength", [0.1, 0.01])
def test_the_crammer_singer_machine_is_liblinears(strength):
    X, y = load_iris(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    options = {"fit_intercept": False, "tol": 1e-8, "max_iter": 10**6}
    theirs = LinearSVC(multi_class="crammer_singer", C=1 / (150 * strength), **options).fit(X, y)
    ours = LinearClassifier(
        loss="crammer_singer", strength=strength, fit_intercept=False, tol=1e-9
    ).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_ - theirs.coef_.mean(axis=0), atol=1e-4)
