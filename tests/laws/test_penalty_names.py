"""Groups and factors by feature name equal those by column number, which is unknown before one-hot encoding."""

import warnings

import numpy as np
import pandas as pd
import pytest
from cases import each
from numpy.testing import assert_array_equal
from scipy import sparse

import linclass as L
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
    """Also for a path, for folds, and where the strength is tuned."""
    frame, y = encoded()
    strengths, found = [0.1, 0.03], []
    for penalty in (by_name, by_number):
        model = L.LogisticRegression(penalty=penalty, strength=0.05).fit(frame, y)
        tuned = L.TunedClassifier(model, strengths=strengths).fit(frame, y)
        folds = model.fit_many(frame, y, [[0, 1]], [{"strength": s} for s in strengths])
        path = model.path(frame, y, strengths).coef_
        found.append([model.coef_, tuned.coef_, *path, *(fit.coef_ for fit in folds[0])])
        assert model.penalty == penalty  # as given
    assert_array_equal(*found)


@each(("by_name", "by_number"), PENALTIES)
def test_a_study_needs_no_number_of_columns(by_name, by_number):
    """Also where the strength is tuned, and for the path that a study draws; rows to predict have no names."""
    rows, y = table()
    task = Task(n_classes=3, positive=2, inner_folds=2)
    fits, paths = [], []
    for penalty in (by_name, by_number):
        tune = {"strength": [0.1, 0.03]}
        method = Method(L.LogisticRegression, {"penalty": penalty}, tune, (("one_hot", {}),))
        fits.append(fit_method(method, rows, y, task, 1))
        paths.append(coefficient_path(method, rows, y, 1, {"strength": 0.1}))
    assert_array_equal(*(fit.predict(rows)[1] for fit in fits))
    assert_array_equal(*(path[-1][1].W for path in paths))


def test_group_lasso_by_feature_drops_a_category_as_a_whole():
    frame, y = encoded()
    path = L.LogisticRegression(penalty=BY_FEATURE).path(frame, y, np.geomspace(1e-3, 1, 20))
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
    other = L.LogisticRegression(penalty=PENALTIES[0][1], strength=0.05).fit(frame, y)
    for columns, groups in cases:
        penalty = {"group_lasso": {"groups": groups, "separator": "_"}}
        renamed = frame.set_axis(columns, axis=1)
        model = L.LogisticRegression(penalty=penalty, strength=0.05).fit(renamed, y)
        assert_array_equal(model.coef_, other.coef_, err_msg=str(columns))


def test_groups_of_one_column_each_warn():
    frame, y = encoded()
    renamed = frame.rename(columns=lambda name: name.replace("=", "_"))
    model = L.LogisticRegression(penalty=BY_FEATURE, strength=0.05)
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
        L.LogisticRegression(penalty=penalty).fit(*encoded())


def test_features_without_names_are_one_line():
    frame, y = encoded()
    for penalty in (BY_FEATURE, {"l1": {"factors": {"city": 0}}}):
        with pytest.raises(NotApplicable, match="have no names; pass a data frame, or give"):
            L.LogisticRegression(penalty=penalty).fit(frame.to_numpy(), y)


@each("kind", [L.OneVsRest, L.OneVsOne, L.ErrorCorrectingOutputCodes, L.Calibrated])
@each(
    ("form", "by_name", "by_number"), [("dense", *PENALTIES[1]), ("sparse", *PENALTIES[2])], quick=1
)
def test_feature_names_reach_the_base_estimator(kind, form, by_name, by_number):
    frame, y = encoded()
    X = frame if form == "dense" else named(sparse.csr_array(frame.to_numpy()), COLUMNS)
    grid, folds, found = {"estimator__strength": [0.1, 1.0]}, np.arange(N) % 2, []
    for penalty in (by_name, by_number):
        model = kind(L.LogisticRegression(penalty=penalty, strength=0.05))
        tuned = L.TunedClassifier(model, strengths=None, param_grid=grid, cv=folds)
        fits = [tuned.fit(X, y), model.fit(X, y)]
        if hasattr(kind, "fit_many"):
            settings = [{"estimator__strength": s} for s in (0.1, 0.03)]
            fits += [
                fit for fold in model.fit_many(X, y, [[0, 1], [2, 3]], settings) for fit in fold
            ]
        found.append([fit.decision_function(frame) for fit in fits])
    assert_array_equal(*found)


def test_names_reach_the_regressions_of_discriminant_analysis():
    inner = [L.Ridge(factors=factors) for factors in (FACTORS, [1, 0, 0, 0, 2.5])]
    fits = [L.FlexibleDiscriminantAnalysis(one).fit(*encoded()) for one in inner]
    assert_array_equal(*(fit.coef_ for fit in fits))
