"""Meta-estimators pass offsets on with their rows: to fits, to inner folds and to predictions."""

import copy
from functools import partial

import numpy as np
import pytest
from cases import each
from scipy.special import softmax
from sklearn.base import clone

import linclass
from linclass import (
    Calibrated,
    ElasticNet,
    ErrorCorrectingOutputCodes,
    GaussianNB,
    KernelLogisticRegression,
    Lasso,
    LinearClassifier,
    LinearRegression,
    LogisticRegression,
    OneVsOne,
    OneVsRest,
    ProbitRegression,
    Ridge,
    TunedClassifier,
    TunedRegressor,
)
from linclass.base.meta_estimator import Given
from linclass.tuning.candidates import fits_of

N = 72
FOLD = np.arange(N) // 6 % 3
STRENGTHS = [0.01, 0.1, 1.0]


def rows(K):
    """(X, y, weights, offset) of K classes, or of real targets (K = 0)."""
    rng = np.random.default_rng(K)
    y = np.arange(N) % max(K, 2)
    X = rng.normal(size=(N, 3)) + 0.5 * y[:, None]
    offset = 2 * rng.normal(size=(N, K) if K > 2 else N)
    return X, y if K else X @ [1.0, 0, 2] + rng.normal(size=N), rng.integers(0, 3, N) * 1.0, offset


def likelihood(model, X, y, w, offset):
    own = model.predict_log_proba(X, offset)[np.arange(len(y)), y]
    return float(np.average(own, weights=w))


@each("K", [2, 3])
@each(("inner", "metric"), [
    (LogisticRegression(tol=1e-9), "accuracy"),
    (LogisticRegression(tol=1e-9), "log_loss"),
    (LogisticRegression(penalty="l1", tol=1e-9), "log_loss"),
    (LinearClassifier(loss="probit"), "accuracy"),
    (KernelLogisticRegression(tol=1e-9), "log_loss"),
    (OneVsRest(ProbitRegression()), "accuracy"),
    (OneVsOne(LogisticRegression(tol=1e-9)), "accuracy"),
    (OneVsOne(LogisticRegression(tol=1e-9), coupling="wu_lin_weng"), "log_loss"),
], ids=lambda value: " ".join(str(value).split()))  # fmt: skip
def test_candidates_are_judged_with_the_offsets_of_held_out_rows(inner, metric, K):
    X, y, w, offset = rows(K)
    name = "estimator__strength" if hasattr(inner, "estimator") else "strength"
    options = {"strengths": None, "param_grid": {name: STRENGTHS}}
    model = TunedClassifier(inner, cv=FOLD, scoring=metric, **options)
    model.fit(X, y, w, offset=offset)
    score = likelihood if metric == "log_loss" else lambda fit, *given: fit.score(*given)
    wanted = np.empty((3, 3))
    for k in range(3):
        out = k == FOLD
        for i, strength in enumerate(STRENGTHS):
            fit = clone(inner).set_params(**{name: strength})
            fit.fit(X[~out], y[~out], w[~out], offset=offset[~out])
            wanted[k, i] = score(fit, X[out], y[out], w[out], offset[out])
    np.testing.assert_allclose(model.scores_, wanted, atol=1e-4)
    chosen = clone(inner).set_params(**model.best_params_).fit(X, y, w, offset=offset)
    Z = chosen.decision_function(X, offset)
    np.testing.assert_allclose(model.decision_function(X, offset), Z, atol=1e-3)
    assert np.array_equal(model.predict(X, offset), chosen.predict(X, offset))
    assert model.score(X, y, w, offset) == chosen.score(X, y, w, offset)
    if metric == "log_loss":
        P = chosen.predict_proba(X, offset)
        np.testing.assert_allclose(model.predict_proba(X, offset), P, atol=1e-3)


@each("rule", ["best", "one_standard_error", "aic", "bic"])
@each("inner", [Ridge(), Lasso(), ElasticNet()], ids=lambda inner: type(inner).__name__)
def test_a_regressor_is_tuned_to_what_is_left_of_the_target(inner, rule):
    X, y, w, offset = rows(0)
    options = {"rule": rule, "cv": FOLD, "strengths": 6}
    model = TunedRegressor(inner, **options).fit(X, y, w, offset=offset)
    left = TunedRegressor(inner, **options).fit(X, y - offset, w)
    assert model.strength_ == left.strength_
    assert np.array_equal(model.coef_, left.coef_)
    np.testing.assert_allclose(model.predict(X, offset), left.predict(X) + offset)
    names = (
        ("scores_",)
        if rule in ("best", "one_standard_error")
        else ("criterion_", "degrees_of_freedom_")
    )
    for name in names:
        np.testing.assert_allclose(getattr(model, name), getattr(left, name), rtol=1e-9)
    assert model.score(X, y, w, offset) == model.estimator_.score(X, y, w, offset)


@each("K", [2, 3])
def test_criteria_are_of_the_likelihood_with_offsets(K):
    X, y, w, offset = rows(K)
    inner = LogisticRegression(tol=1e-11)
    model = TunedClassifier(inner, rule="aic", strengths=STRENGTHS).fit(X, y, w, offset=offset)
    for i, strength in enumerate(STRENGTHS):
        fit = LogisticRegression(strength=strength, tol=1e-11).fit(X, y, w, offset)
        price = 2 * model.degrees_of_freedom_[i]
        wanted = -2 * w.sum() * likelihood(fit, X, y, w, offset) + price
        assert model.criterion_[i] == pytest.approx(wanted, rel=1e-6)


@each("K", [2, 3])
def test_the_strongest_of_the_strengths_from_data_leaves_no_weight(K):
    X, y, w, offset = rows(K)
    model = TunedClassifier(LogisticRegression(penalty="l1", tol=1e-9), cv=FOLD)
    model.fit(X, y, w, offset=offset)
    strongest = model.candidates_[0]["strength"]
    for share, none in ((1.0, True), (0.98, False)):
        fit = LogisticRegression(penalty="l1", tol=1e-9, strength=share * strongest)
        assert np.allclose(fit.fit(X, y, w, offset).coef_, 0, atol=1e-7) == none


@each("K", [2, 3])
@each("method", ["sigmoid", "isotonic", "temperature"])
def test_scores_with_offsets_are_calibrated(method, K):
    """If the offset is the whole score, the calibrated score is the offset."""
    _, y, w, offset = rows(K)
    X = np.zeros((N, 1))
    model = Calibrated(LogisticRegression(fit_intercept=False), method=method)
    model.fit(X, y, w, offset=offset)
    known = Calibrated(AsTheyAre(), method=method).fit(offset.reshape(N, -1), y, w)
    P = known.predict_proba(offset.reshape(N, -1))
    np.testing.assert_allclose(model.predict_proba(X, offset), P, atol=1e-9)
    assert np.array_equal(model.predict(X, offset), known.predict(offset.reshape(N, -1)))
    assert np.ptp(model.predict_proba(X)[:, 0]) == 0


class AsTheyAre(GaussianNB):
    """Scores are the features."""

    def decision_function(self, X):
        return np.asarray(X)[:, 0] if np.shape(X)[1] == 1 else np.asarray(X)

    def predict_log_proba(self, X):
        raise NotImplementedError


@each("K", [2, 3])
def test_each_class_against_the_rest_has_its_column(K):
    X, y, w, offset = rows(K)
    model = OneVsRest(LogisticRegression()).fit(X, y, w, offset=offset)
    Z = model.decision_function(X, offset).reshape(N, -1)
    columns = offset.reshape(N, -1)
    for k, inner in enumerate(model.estimators_):
        alone = LogisticRegression().fit(X, y == (k if K > 2 else 1), w, columns[:, k])
        np.testing.assert_allclose(inner.coef_, alone.coef_)
        np.testing.assert_allclose(Z[:, k], alone.decision_function(X, columns[:, k]))
    options = [{"estimator__strength": s} for s in STRENGTHS[:2]]
    for fit, option in zip(
        fits_of(model, options, X, y, Given(w, None, offset)), options, strict=True
    ):
        alone = clone(model).set_params(**option).fit(X, y, w, offset=offset)
        np.testing.assert_allclose(fit.coef_, alone.coef_, atol=1e-3)


PAIRS = [(0, 1), (0, 2), (1, 2)]


@each("coupling", [None, "wu_lin_weng"])
def test_each_pair_of_classes_has_the_difference_of_their_columns(coupling):
    X, y, w, offset = rows(3)
    model = OneVsOne(LogisticRegression(), coupling=coupling).fit(X, y, w, offset=offset)
    votes, log_odds = np.zeros((N, 3)), []
    for (k, l), inner in zip(PAIRS, model.estimators_, strict=True):
        two, own = (y == k) | (y == l), offset[:, l] - offset[:, k]
        alone = LogisticRegression().fit(X[two], y[two] == l, w[two], own[two])
        np.testing.assert_allclose(inner.coef_, alone.coef_)
        log_odds.append(alone.decision_function(X, own))
        votes[np.arange(N), np.where(log_odds[-1] > 0, l, k)] += 1
    if coupling is None:
        assert (np.abs(model.decision_function(X, offset) - votes) < 1 / 3).all()
    else:  # pairs of these offsets alone are consistent
        alike = 0 * X
        known = OneVsOne(LogisticRegression(fit_intercept=False), coupling=coupling)
        P = known.fit(alike, y, w, offset=offset).predict_proba(alike, offset)
        np.testing.assert_allclose(P, softmax(offset, axis=1), rtol=1e-6)
    options = [{"estimator__strength": s} for s in STRENGTHS[:2]]
    for fit, option in zip(
        fits_of(model, options, X, y, Given(w, None, offset)), options, strict=True
    ):
        alone = clone(model).set_params(**option).fit(X, y, w, offset=offset)
        for one, other in zip(fit.estimators_, alone.estimators_, strict=True):
            np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-3)


def test_a_pair_of_two_classes_is_their_model():
    X, y, w, offset = rows(2)
    alone = LogisticRegression().fit(X, y, w, offset)
    for coupling in (None, "wu_lin_weng"):
        pair = OneVsOne(LogisticRegression(), coupling=coupling).fit(X, y, w, offset=offset)
        Z = alone.decision_function(X, offset)
        np.testing.assert_allclose(pair.decision_function(X, offset), Z, rtol=1e-9)


def test_output_codes_report_that_they_take_no_offsets():
    X, y, _, offset = rows(3)
    codes = TunedClassifier(
        ErrorCorrectingOutputCodes(LogisticRegression()),
        strengths=None,
        param_grid={"estimator__strength": STRENGTHS},
    )
    with pytest.raises(ValueError, match=r"^ErrorCorrectingOutputCodes takes no offset in fit"):
        codes.fit(X, y, offset=offset)


@each("kind", [TunedClassifier, Calibrated, OneVsOne, OneVsRest, TunedRegressor])
def test_a_base_estimator_without_offsets_is_reported(kind):
    X, y, w, offset = rows(0 if kind is TunedRegressor else 2)
    inner = linclass.SupportVectorRegressor() if kind is TunedRegressor else linclass.GaussianNB()
    own = {"strengths": None, "param_grid": {"tol": [1e-3, 1e-2]}} if kind is TunedRegressor else {}
    if kind is TunedClassifier:
        own = {"strengths": None, "param_grid": {"estimator": [GaussianNB()]}}
        inner = OneVsRest(GaussianNB())
    name = "SupportVectorRegressor" if kind is TunedRegressor else "GaussianNB"
    with pytest.raises(
        ValueError, match=f"^{name} takes no offset in fit; generalized linear models do"
    ):
        kind(inner, **own).fit(X, y, offset=offset)
    likely = kind(LogisticRegression()) if kind is Calibrated else kind()
    takes = likely.fit(X, y, w, offset=offset)
    with pytest.raises(ValueError, match=r"offset has shape \(71,\); it must "):
        likely.fit(X, y, offset=offset[1:])
    with pytest.raises(ValueError, match=r"offset has shape \(71,\); it must be \(72,\)"):
        takes.predict(X, offset=offset[1:])


def test_foreign_classifiers_get_the_offset_if_they_take_it():
    X, y, w, offset = rows(2)
    model = OneVsRest(Foreign()).fit(X, y, offset=offset)
    ours = LogisticRegression().fit(X, y, offset=offset)
    assert np.array_equal(model.predict(X, offset=offset), ours.predict(X, offset))
    platt = partial(Calibrated, random_state=0)
    P = platt(Foreign()).fit(X, y, w, offset=offset).predict_proba(X, offset)
    Q = platt(LogisticRegression()).fit(X, y, w, offset=offset).predict_proba(X, offset)
    np.testing.assert_allclose(P, Q)
    assert LinearRegression().fit(X, offset).score(X, offset, offset=0 * offset) >= 0


class Foreign:
    """Has only the required methods."""

    def get_params(self, deep=True):
        return {}

    def fit(self, X, y, sample_weight=None, offset=None):
        self.inside = LogisticRegression().fit(X, y, sample_weight, offset)
        self.classes_ = self.inside.classes_
        return self

    def decision_function(self, X, offset=None):
        return self.inside.decision_function(X, offset)

    def predict(self, X, offset=None):
        return self.inside.predict(X, offset)


@each("prefix", ["", "estimator__"])
def test_a_fold_with_all_rows_of_a_class_is_reported_in_one_line(prefix):
    X, y, _, offset = rows(3)
    inner = OneVsRest(LogisticRegression()) if prefix else LogisticRegression()
    grid = {f"{prefix}strength": STRENGTHS}
    names = np.array(["a", "b", "c"])[y]
    fold = np.where(y == 2, 0, FOLD)
    tuned = TunedClassifier(inner, strengths=None, param_grid=grid, cv=fold)
    with pytest.raises(ValueError, match="offset has a column of class 'c', of which one fold"):
        tuned.fit(X, names, offset=offset)
    with pytest.warns(UserWarning, match="1 of 3 inner folds have training rows without"):
        tuned.fit(X, names)


def test_a_metric_may_copy_the_fits_that_it_judges():
    X, y, _, offset = rows(2)
    scores = [
        TunedClassifier(LogisticRegression(), strengths=STRENGTHS, cv=FOLD, scoring=metric)
        .fit(X, y, offset=offset)
        .scores_
        for metric in (
            lambda model, X, y, w: model.score(X, y, w),
            lambda model, X, y, w: copy.deepcopy(model).score(X, y, w),
        )
    ]
    np.testing.assert_array_equal(*scores)
