"""Rows reach an estimator of another library as the caller gave them, through every estimator around it, as in
scikit-learn: texts, columns by name, missing values. Rows of our own estimators are finite numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from cases import each
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression as ForeignClassifier
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import linclass as L

Y = np.arange(36) % 3
rng = np.random.default_rng(0)
NUMBERS = rng.standard_normal((36, 2)) + Y[:, None]
NUMBERS[5, 0] = NUMBERS[9, 1] = np.nan
TEXTS = [("bad", "fair", "good")[k] + (" day" if i % 5 else " night") for i, k in enumerate(Y)]
TABLE = {"size": NUMBERS[:, 0], "age": NUMBERS[:, 1], "word": [text[:3] for text in TEXTS]}

BY_NAME = make_column_transformer(
    (SimpleImputer(), ["age", "size"]), (OneHotEncoder(handle_unknown="ignore"), ["word"])
)
FIRST = {"numbers": SimpleImputer(), "table": BY_NAME, "texts": CountVectorizer()}
ROWS = {
    "array": ("numbers", NUMBERS),
    "pandas": ("table", pd.DataFrame(TABLE, index=range(100, 136))),
    "Polars": ("table", pl.DataFrame(TABLE)),
    "list of texts": ("texts", TEXTS),
    "array of texts": ("texts", np.array(TEXTS, dtype=object)),
    "series of texts": ("texts", pd.Series(TEXTS, index=range(100, 136))),
}
GRID = {"logisticregression__C": [0.1, 1.0]}
AROUND = {
    "tuned": lambda e: L.TunedClassifier(e, strengths=None, param_grid=GRID, cv=2),
    "calibrated": lambda e: L.Calibrated(e, cv=2),
    "one_vs_rest": L.OneVsRest,
    "one_vs_one": lambda e: L.OneVsOne(e, coupling="wu_lin_weng"),
    "output_codes": L.ErrorCorrectingOutputCodes,
    "one in another": lambda e: L.OneVsRest(L.Calibrated(e, cv=2)),
}


@each("form", ROWS)
@each("name", AROUND)
def test_the_wrapped_estimator_gets_the_rows_of_the_caller(name, form):
    kind, rows = ROWS[form]
    inside = make_pipeline(FIRST[kind], ForeignClassifier())
    model = AROUND[name](inside).fit(rows, Y)
    assert model.score(rows, Y) > 0.5
    numbers = FIRST[kind].fit_transform(rows)
    after = make_pipeline(SimpleImputer(), ForeignClassifier())
    expected = AROUND[name](after).fit(numbers, Y)
    if name in ("one_vs_rest", "output_codes"):  # all rows in every fit, so `FIRST` learns the same
        assert_array_equal(model.predict(rows), expected.predict(numbers))
    for method in ("decision_function", "predict_proba"):
        if hasattr(model, method):
            assert getattr(model, method)(rows).shape == (36, 3)
    names = list(TABLE) if kind == "table" else None
    assert list(getattr(model, "feature_names_in_", [])) == (names or [])
    assert hasattr(model, "n_features_in_") is (kind != "texts")


class Weighted(ClassifierMixin, BaseEstimator):
    """A pipeline whose `fit` takes weights."""

    def __init__(self, first: Any = None):
        self.first = first

    def fit(self, X, y, sample_weight=None):
        self.inside_ = make_pipeline(self.first, ForeignClassifier())
        self.inside_.fit(X, y, logisticregression__sample_weight=sample_weight)
        self.classes_ = self.inside_.classes_
        return self

    def decision_function(self, X):
        return self.inside_.decision_function(X)

    def predict(self, X):
        return self.inside_.predict(X)


@each("form", ["pandas", "Polars", "list of texts"])
@each("kind", [L.Calibrated, L.OneVsOne])
def test_a_row_of_weight_zero_is_dropped_from_raw_input(kind, form):
    first, rows = ROWS[form]
    inside = Weighted(FIRST[first])
    weights = (np.arange(36) > 5).astype(float)
    left = rows.iloc[6:] if isinstance(rows, pd.DataFrame) else rows[6:]
    whole = kind(inside).fit(rows, Y, sample_weight=weights).decision_function(rows)
    assert_array_equal(whole, kind(inside).fit(left, Y[6:]).decision_function(rows))


@each("form", ["array", "pandas", "Polars", "list of texts"])
def test_a_wrapped_regressor_gets_the_rows_of_the_caller(form):
    kind, rows = ROWS[form]
    inside = make_pipeline(FIRST[kind], Ridge())
    grid = {"ridge__alpha": [0.1, 1.0]}
    tuned = L.TunedRegressor(inside, strengths=None, param_grid=grid, cv=2).fit(rows, Y)
    assert tuned.score(rows, Y) > 0.3
    assert L.FlexibleDiscriminantAnalysis(inside).fit(rows, Y).score(rows, Y) > 0.5


def test_a_user_metric_gets_the_rows_of_the_caller():
    seen = []

    def metric(fit, X, y, weights):
        seen.append(X)
        return float((fit.predict(X) == y).mean())

    inside = make_pipeline(BY_NAME, ForeignClassifier())
    frame = ROWS["pandas"][1]
    model = L.TunedClassifier(inside, strengths=None, param_grid=GRID, cv=2, scoring=metric)
    model.fit(frame, Y)
    assert all(isinstance(rows, pd.DataFrame) and rows.index.min() >= 100 for rows in seen)


def test_the_wrapped_estimator_validates_its_rows():
    frame = ROWS["pandas"][1]
    with pytest.raises(ValueError, match="LogisticRegression does not accept missing values"):
        L.OneVsRest(ForeignClassifier()).fit(NUMBERS, Y)
    with pytest.raises(ValueError, match="OneVsRest takes finite numbers: impute them first"):
        L.OneVsRest(L.LogisticRegression()).fit(NUMBERS, Y)
    with pytest.raises(ValueError, match="OneVsRest takes numbers"):
        L.OneVsRest().fit(frame, Y)
    with pytest.raises(ValueError, match="Expected 2D array"):
        L.OneVsRest(ForeignClassifier()).fit(NUMBERS[:, 0], Y)
    fitted = L.OneVsRest(make_pipeline(BY_NAME, ForeignClassifier())).fit(frame, Y)
    with pytest.raises(ValueError, match=r"columns are missing: .'age'"):
        fitted.predict(frame.drop(columns="age"))
    turned = frame[["word", "age", "size"]]  # columns are taken by name
    assert_array_equal(fitted.predict(turned), fitted.predict(frame))


def test_missing_values_are_allowed_if_the_wrapped_estimator_allows_them():
    for inside, allowed in [
        (HistGradientBoostingClassifier(max_iter=2), True),
        (ForeignClassifier(), False),
        (L.LogisticRegression(), False),
    ]:
        for around in (L.OneVsRest(inside), L.Calibrated(L.OneVsOne(inside))):
            assert around.__sklearn_tags__().input_tags.allow_nan is allowed
            if allowed:
                assert around.fit(NUMBERS, Y).predict(NUMBERS).shape == (36,)
