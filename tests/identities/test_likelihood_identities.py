"""Maximum likelihood against closed forms and other computations."""

import warnings
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pytest
from cases import each
from numpy.testing import assert_allclose
from scipy.special import expit, logit
from scipy.stats import norm
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import linclass as L
from linclass.base.messages import NotApplicable

LINKS = {  # the score that minimizes the mean loss where a share p is positive
    "logistic": logit,
    "probit": norm.ppf,
    "exponential": lambda p: 0.5 * logit(p),
    "squared": lambda p: 2 * p - 1,
    "squared_hinge": lambda p: 2 * p - 1,
    "modified_huber": lambda p: 2 * p - 1,
}


def rows(n=200, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, (X @ np.linspace(1, -1, d) + rng.standard_normal(n) > 0.3).astype(int)


@each("loss", LINKS)
def test_scores_of_two_groups_are_the_link_of_their_shares(loss):
    """A feature that distinguishes two groups gives each group its own score."""
    group, y = np.repeat([0.0, 1.0], 50), np.zeros(100, int)
    y[:10], y[50:80] = 1, 1  # shares 1/5 and 3/5
    model = L.LinearClassifier(loss=loss, penalty=None, tol=1e-10).fit(group[:, None], y)
    found = model.decision_function([[0.0], [1.0]])
    assert_allclose(found, LINKS[loss](np.array([0.2, 0.6])), atol=1e-6)


# probit


def test_probit_regression_is_of_two_classes_with_normal_thresholds():
    X, y = rows()
    model = L.ProbitRegression().fit(X, y)
    z = model.decision_function(X)
    assert_allclose(model.predict_proba(X), np.column_stack([norm.cdf(-z), norm.cdf(z)]))
    far = model.predict_log_proba(1e3 * X)
    assert_allclose(far[:, 1], norm.logcdf(model.decision_function(1e3 * X)))
    assert np.isfinite(far).all()
    with pytest.raises(NotApplicable, match=r"3 classes. Use OneVsRest\(ProbitRegression\(\)\)"):
        L.ProbitRegression().fit(X, y + (X[:, 0] > 1))
    several = L.LinearClassifier(loss="probit").fit(X, y + (X[:, 0] > 1))
    assert several.decision_function(X).shape == (200, 3)
    assert not hasattr(several, "predict_proba")


# ordinal


def ordered(K, n=150):
    rng = np.random.default_rng(K)
    X = rng.standard_normal((n, 3))
    z = X @ [1.0, -0.5, 0.2] + rng.logistic(size=n)
    return X, np.digitize(z, np.linspace(-1.5, 1.5, K - 1))


def test_ordinal_regression_of_two_classes_is_logistic_regression():
    X, y = ordered(2)
    ours = L.OrdinalRegression(strength=0.01, tol=1e-10).fit(X, y)
    logistic = L.LogisticRegression(strength=0.01, tol=1e-12).fit(X, y)
    assert_allclose(ours.coef_, logistic.coef_, atol=1e-6)
    assert_allclose(ours.decision_function(X), logistic.decision_function(X), atol=1e-6)


def test_the_order_is_the_given_one_and_its_reverse_is_the_same_model():
    X, y = ordered(3)
    names = np.array(["low", "mid", "high"])
    by_name = L.OrdinalRegression(order=["low", "mid", "high"], tol=1e-10).fit(X, names[y])
    by_code = L.OrdinalRegression(tol=1e-10).fit(X, y)
    assert np.array_equal(by_name.predict(X), names[by_code.predict(X)])
    backwards = L.OrdinalRegression(order=["high", "mid", "low"], tol=1e-10).fit(X, names[y])
    assert_allclose(backwards.coef_, -by_name.coef_, atol=1e-6)
    assert_allclose(backwards.predict_proba(X), by_name.predict_proba(X), atol=1e-6)
    two = L.OrdinalRegression(order=["b", "a"]).fit(X, np.where(y > 0, "b", "a"))
    assert two.score(X, np.where(y > 0, "b", "a")) > 0.6
    with pytest.raises(ValueError, match="lacks the class 'mid'"):
        L.OrdinalRegression(order=["low", "high"]).fit(X, names[y])


def test_the_order_is_that_of_ordered_categories_also_inside_other_estimators():
    X, y = ordered(3)
    names = np.array(["low", "mid", "high"])
    levels = ["none", *names, "most"]  # some without rows
    typed = {
        "pandas": pd.Series(pd.Categorical(names[y], levels, ordered=True), index=range(7, 157)),
        "pandas array": pd.Categorical(names[y], levels, ordered=True),
        "pandas column": pd.DataFrame({"y": pd.Categorical(names[y], levels, ordered=True)}),
        "polars": pl.Series(names[y], dtype=pl.Enum(levels)),
    }
    inner = L.OrdinalRegression(tol=1e-10)
    grid = {"strengths": None, "param_grid": {"strength": [1e-3]}}
    inside = {"param_grid": {"ordinalregression__strength": [1e-3]}, "strengths": None}
    models = {
        "alone": inner,
        "tuned": L.TunedClassifier(inner, **grid),
        "tuned pipeline": L.TunedClassifier(make_pipeline(StandardScaler(), inner), **inside),
        "calibrated": L.Calibrated(inner),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.simplefilter("ignore", DataConversionWarning)
        for name, model in models.items():
            right = clone(model).fit(X, y).predict(X)
            for kind, target in typed.items():
                found = clone(model).fit(X, target).predict(X)
                assert np.array_equal(found, names[right]), (name, kind)
        calibrated = L.Calibrated(L.OrdinalRegression(order=[*names], tol=1e-10)).fit(X, names[y])
        assert np.array_equal(
            calibrated.predict(X), names[models["calibrated"].fit(X, y).predict(X)]
        )


def test_strings_in_alphabetical_order_warn_where_the_order_matters():
    X, y = ordered(3)
    names = np.array(["low", "mid", "high"])[y]
    unordered = [names, pd.Series(names, dtype="category"), pl.Series(names, dtype=pl.Categorical)]
    models = [
        L.OrdinalRegression(),
        L.TunedClassifier(L.OrdinalRegression()),
        L.Calibrated(L.OrdinalRegression()),
    ]
    for target, model in product(unordered, models):
        with pytest.warns(UserWarning, match="alphabetical: 'high' < 'low' < 'mid'. Set order="):
            clone(model).fit(X, target)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        L.OrdinalRegression().fit(X, y)
        L.OrdinalRegression(order=["high", "low", "mid"]).fit(X, names)
        L.OrdinalRegression().fit(X[y < 2], names[y < 2])


@each("kind", ["complete", "quasi-complete"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_ordinal_regression_reports_that_its_likelihood_has_no_maximum(kind):
    X, y = ordered(3)
    if kind == "complete":
        X[:, 0] = 5 * y + expit(X[:, 0])
    else:
        X = np.column_stack([X, (np.arange(150) % 4 == 0) * (y == 2)])
    model = L.OrdinalRegression(strength=0).fit(X, y)
    assert model.status_ == "separable"
    eta, theta = X @ model.separating_direction_, model.separating_thresholds_
    below, above = (theta[y[y < 2]] - eta[y < 2]), (eta[y > 0] - theta[y[y > 0] - 1])
    assert min(below.min(), above.min()) >= -1e-9
    assert max(below.max(), above.max()) > 0
    assert L.OrdinalRegression().fit(X, y).status_ == "converged"


# Firth


def test_firths_estimates_of_a_table_add_one_half_to_each_count():
    counts = np.array([[3, 7], [9, 1], [0, 5]])
    group, y = np.repeat(np.repeat(np.arange(3), 2), counts.ravel()), []
    for row in counts:
        y += [0] * row[0] + [1] * row[1]
    X = np.eye(3)[group]
    model = L.FirthLogisticRegression(fit_intercept=False, tol=1e-12).fit(X, y)
    expected = np.log((counts[:, 1] + 0.5) / (counts[:, 0] + 0.5))
    assert_allclose(model.coef_[0], expected, rtol=1e-9)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_firths_estimates_of_one_group_and_k_classes_add_one_half_to_each_count():
    counts = np.array([10, 4, 0, 6])
    y = np.repeat([0, 1, 3], counts[counts > 0])
    model = L.FirthLogisticRegression(tol=1e-12).fit(np.zeros((20, 1)), y)
    expected = (counts[counts > 0] + 0.5) / (20 + 1.5)
    assert_allclose(model.predict_proba([[0.0]])[0], expected, rtol=1e-9)


@each("seed", [1, 3, 4])
def test_firths_estimates_of_skewed_features_and_a_rare_class_solve_his_equations(seed):
    """Scoring alone, which leaves out the curvature of the penalty, needs hundreds of steps here."""
    X, y = np.exp(2 * np.random.default_rng(seed).normal(size=(300, 5))), np.arange(300) < 3
    model = L.FirthLogisticRegression(tol=1e-8).fit(X, y)
    assert model.status_ == "converged"
    assert model.n_iter_ < 40
    p, rows = model.predict_proba(X)[:, 1], np.column_stack([X, np.ones(300)])
    information = np.linalg.inv((rows.T * (p * (1 - p))) @ rows)
    h = p * (1 - p) * ((rows @ information) * rows).sum(axis=1)
    residuals = y - p + h * (0.5 - p)
    norms = np.linalg.norm(rows, axis=0) * np.linalg.norm(residuals)
    assert_allclose(rows.T @ residuals / norms, 0, atol=1e-7)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_firths_estimates_follow_the_units_of_the_features_and_ignore_copies():
    X, y = ordered(3)
    model = L.FirthLogisticRegression(tol=1e-10).fit(X, y)
    other = L.FirthLogisticRegression(tol=1e-10).fit(X * [1e-3, 1, 1e4] + [5, 0, 1e3], y)
    expected = model.coef_ / [1e-3, 1, 1e4]
    assert_allclose(other.coef_, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())
    copied = L.FirthLogisticRegression(tol=1e-10).fit(np.column_stack([X, X[:, 0]]), y)
    assert copied.status_ == "rank_deficient"
    twice = np.column_stack([X, X[:, 0]])
    assert_allclose(copied.predict_proba(twice), model.predict_proba(X), atol=1e-8)
