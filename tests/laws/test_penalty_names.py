"""Groups and factors by feature name equal those by column number, which is unknown before one-hot encoding."""

import warnings

import numpy as np
import pandas as pd
import pytest
from cases import each
from numpy.testing import assert_array_equal
from scipy import sparse

from linclass import (
    Calibrated,
    ErrorCorrectingOutputCodes,
    FlexibleDiscriminantAnalysis,
    LogisticRegression,
    OneVsOne,
    OneVsRest,
    Ridge,
    TunedClassifier,
)
from linclass.base.messages import NotApplicable
from linclass.base.tables import Table, named
from linclass.preprocessing.transforms.categories import OneHot
from linclass_study.pipeline.fitted import Task
from linclass_study.pipeline.fitting import coefficient_path, fit_method
from linclass_study.pipeline.method import Method

N = 90
CITIES = ("Rome", "Oslo", "Bern", "Linz")
COLUMNS = ["age", "city=Oslo", "city=Bern", "city=Linz", "dose"]
BY_FEATURE = {"group_lasso": {"groups": "feature"}}
BY_NAME = {"group_lasso": {"groups": {"age": "body", "dose": "body"}}}
FACTORS = {"city": 0, "dose": 2.5}
PENALTIES = [
    (BY_FEATURE, {"group_lasso": {"groups": [0, 1, 1, 1, 2]}}),
    (BY_NAME, {"group_lasso": {"groups": [0, 1, 1, 1, 0]}}),
    *(
        ({kind: {"factors": FACTORS}}, {kind: {"factors": [1, 0, 0, 0, 2.5]}})
        for kind in ("l1", "l2", "elastic_net", "adaptive_lasso")
    ),
]


def table():
    rng = np.random.default_rng(7)
    y = np.arange(N, dtype=np.int32) % 3
    X = np.column_stack([rng.normal(size=N), rng.integers(0, 4, N), rng.normal(size=N) + y])
    return Table(X, ("age", "city", "dose"), {"city": CITIES}), y


def encoded():
    rows, y = table()

    rows = OneHot().fit(rows).transform(rows)
    assert list(rows.names) == COLUMNS
    return pd.DataFrame(rows.X, columns=COLUMNS), y


@each(("by_name", "by_number"), PENALTIES)
def test_names_are_resolved_when_a_model_is_fitted(by_name, by_number):
    frame, y = encoded()
    model = LogisticRegression(penalty=by_name, strength=0.05).fit(frame, y)
    other = LogisticRegression(penalty=by_number, strength=0.05).fit(frame, y)
    assert_array_equal(model.coef_, other.coef_)
    assert model.penalty == by_name  # as given
    strengths = [0.1, 0.03]
    for path in (
        (m.path(frame, y, strengths).coef_ for m in (model, other)),
        (
            np.array(
                [
                    [f.coef_ for f in fold]
                    for fold in m.fit_many(frame, y, [[0, 1]], [{"strength": s} for s in strengths])
                ]
            )
            for m in (model, other)
        ),
    ):
        assert_array_equal(*path)
    weights = [
        TunedClassifier(LogisticRegression(penalty=p), strengths=strengths).fit(frame, y).coef_
        for p in (by_name, by_number)
    ]
    assert_array_equal(*weights)


@each(("by_name", "by_number"), PENALTIES)
def test_a_study_needs_no_number_of_columns(by_name, by_number):
    """Also where the strength is tuned, and for the path that a study draws; rows to predict have no names."""
    rows, y = table()
    task = Task(n_classes=3, positive=2, inner_folds=2)
    fits, paths = [], []
    for penalty in (by_name, by_number):
        tune = {"strength": [0.1, 0.03]}
        method = Method(LogisticRegression, {"penalty": penalty}, tune, (("one_hot", {}),))
        fits.append(fit_method(method, rows, y, task, 1))
        paths.append(coefficient_path(method, rows, y, 1, {"strength": 0.1}))
    assert_array_equal(*(fit.predict(rows)[1] for fit in fits))
    assert_array_equal(*(path[-1][1].W for path in paths))


def test_group_lasso_by_feature_drops_a_category_as_a_whole():
    frame, y = encoded()
    path = LogisticRegression(penalty=BY_FEATURE).path(frame, y, np.geomspace(1e-3, 1, 20))
    dropped = {tuple((fit.coef_[:, 1:4] == 0).all(axis=0).tolist()) for fit in path}
    assert dropped == {(False,) * 3, (True,) * 3}


def test_names_of_scikit_learns_encoder_form_groups_with_its_separator():
    """Plain, with a prefix from ColumnTransformer, and where only a dict can distinguish features from categories."""
    frame, y = encoded()
    cases = [
        (["age", "city_Oslo", "city_Bern", "city_Linz", "dose"], "feature"),
        (["num__age", "cat__home_city_Oslo", "cat__home_city_Bern", "cat__home_city_Linz", "num__dose"], "feature"),
        (["mean_age", "city_New_York", "city_Bern", "city_Linz", "mean_dose"], {"city": "any"}),
    ]  # fmt: skip
    other = LogisticRegression(penalty=PENALTIES[0][1], strength=0.05).fit(frame, y)
    for columns, groups in cases:
        penalty = {"group_lasso": {"groups": groups, "separator": "_"}}
        renamed = frame.set_axis(columns, axis=1)
        model = LogisticRegression(penalty=penalty, strength=0.05).fit(renamed, y)
        assert_array_equal(model.coef_, other.coef_, err_msg=str(columns))


def test_groups_of_one_column_each_warn():
    frame, y = encoded()
    renamed = frame.rename(columns=lambda name: name.replace("=", "_"))
    model = LogisticRegression(penalty=BY_FEATURE, strength=0.05)
    with pytest.warns(UserWarning, match="each of the 5 groups has one column.*'separator': '_'"):
        model.fit(renamed, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(frame, y)


@each(("penalty", "words"), [
    ({"l1": {"factors": {"citty": 0}}}, "factors names 'citty', which no feature is called; did you mean 'city'"),
    ({"group_lasso": {"groups": {"zzz": 1}}}, "groups names 'zzz', which no feature is called; they are age, "),
    ({"l1": {"factors": {"age": -1}}}, "give one number, at least 0, for each feature"),
    ({"l2": {"factors": [1.0, np.nan, 1.0, 1.0, 1.0]}}, "at least 0"),
    ({"l2": {"factors": "many"}}, "at least 0"),
    ({"l2": {"factors": dict.fromkeys(["age", "city", "dose"], 0)}}, "factors are all 0"),
    ({"group_lasso": {"groups": "features"}}, "or 'feature'"),
    ({"group_lasso": {"groups": "feature", "separator": ""}}, "separator is ''; give a string"),
    ({"group_lasso": {"groups": [None, "a", "a", 1, 1]}}, "all of one type"),
    ({"group_lasso": {"groups": [[1], [1, 2], 3, 4, 5]}}, "give the group of each feature"),
])  # fmt: skip
def test_wrong_names_and_factors_are_one_line(penalty, words):
    with pytest.raises(ValueError, match=words):
        LogisticRegression(penalty=penalty).fit(*encoded())


def test_features_without_names_are_one_line():
    frame, y = encoded()
    for penalty in (BY_FEATURE, {"l1": {"factors": {"city": 0}}}):
        with pytest.raises(NotApplicable, match="have no names; pass a data frame, or give"):
            LogisticRegression(penalty=penalty).fit(frame.to_numpy(), y)


@each("kind", [OneVsRest, OneVsOne, ErrorCorrectingOutputCodes, Calibrated])
@each(
    ("rows", "by_name", "by_number"), [("dense", *PENALTIES[1]), ("sparse", *PENALTIES[2])], quick=1
)
def test_feature_names_reach_the_base_estimator(kind, rows, by_name, by_number):
    frame, y = encoded()
    X = frame if rows == "dense" else named(sparse.csr_array(frame.to_numpy()), COLUMNS)
    inner = [LogisticRegression(penalty=p, strength=0.05) for p in (by_name, by_number)]
    assert_array_equal(*(kind(one).fit(X, y).decision_function(frame) for one in inner))
    grid, folds = {"estimator__strength": [0.1, 1.0]}, np.arange(N) % 2
    nested = [
        TunedClassifier(kind(one), strengths=None, param_grid=grid, cv=folds) for one in inner
    ]
    assert_array_equal(*(model.fit(X, y).decision_function(frame) for model in nested))
    if hasattr(kind, "fit_many"):
        settings = [{"estimator__strength": s} for s in (0.1, 0.03)]
        many = [kind(one).fit_many(X, y, [[0, 1], [2, 3]], settings) for one in inner]
        scores = ([[fit.decision_function(frame) for fit in fold] for fold in own] for own in many)
        assert_array_equal(*scores)


def test_names_reach_the_regressions_of_discriminant_analysis():
    frame, y = encoded()
    inner = [Ridge(factors=factors) for factors in (FACTORS, [1, 0, 0, 0, 2.5])]
    fits = [FlexibleDiscriminantAnalysis(one).fit(frame, y) for one in inner]
    assert_array_equal(*(fit.coef_ for fit in fits))
