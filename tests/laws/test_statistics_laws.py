"""Fits from sums over rows: folds without refitting, shards, blocks; over every classifier that has them."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each
from models import MODULES, own_classes
from sklearn.base import clone
from sums import PARAMS

import linclass
from linclass.base.messages import NotApplicable
from linclass.tuning.folds import stratified_folds

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

FOUND = {
    kind
    for module in MODULES
    for kind in own_classes(module)
    if hasattr(kind, "leave_one_out")  # which sums alone give
}

WITH_PRIORS = {kind for kind in FOUND if hasattr(kind(), "priors")}

LDA = linclass.LinearDiscriminantAnalysis
CASES = [
    pytest.param(getattr(linclass, name), params, id=f"{name}-{i}")
    for name, several in PARAMS.items()
    for i, params in enumerate(several)
]
GAUSSIAN = [
    "LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis", "FisherDiscriminant", "NearestMean",
    "GaussianNB", "LeastSquaresClassifier", "NearestShrunkenCentroids", "RegularizedDiscriminantAnalysis",
    "ReducedRankLDA",
]  # fmt: skip
SUBTRACTING = {*GAUSSIAN, "ExponentialFamilyNB"}  # of whose squares a difference may lose digits


def problem(K, n=150, d=5):
    """Correlated counts, positive as every family wants them; classes of unequal size."""
    rng = np.random.default_rng(K)
    y = np.minimum(rng.integers(0, K + 1, n), K - 1)
    common = rng.poisson(1.0, size=(n, 1))
    return 1.0 + common + rng.poisson(rng.uniform(0.5, 3, size=(K, d))[y]), y


DATA = {K: problem(K) for K in (2, 3)}


def rest(n, fold):
    return np.setdiff1d(np.arange(n), fold)


def same(found, expected, X, tolerance=1e-9):
    """Two fitted models: the same classes, scores, learned numbers and ending."""
    assert np.array_equal(found.classes_, expected.classes_)
    for name in ("status_", "certificate_kind_", "n_iter_", "n_features_in_"):
        assert getattr(found, name) == getattr(expected, name), name
    Z = expected.decision_function(X)
    size = np.abs(Z).max()
    np.testing.assert_allclose(found.decision_function(X), Z, rtol=tolerance, atol=tolerance * size)
    for name in ("coef_", "intercept_", "means_", "priors_", "objective_", "rank_", "shrinkage_"):
        value = getattr(expected, name, None)
        of_an_origin = name == "intercept_" and not hasattr(expected, "coef_")
        if value is not None and not of_an_origin:
            atol = tolerance * max(1.0, np.abs(value).max())
            np.testing.assert_allclose(getattr(found, name), value, rtol=tolerance, atol=atol)


def test_every_classifier_that_is_a_function_of_sums_is_tried():
    assert {kind.__name__ for kind in FOUND} == set(PARAMS)


@each(("kind", "params"), CASES)
@each("K", [2, 3])
def test_scores_of_rows_by_all_others_are_those_of_refits(kind, params, K):
    X, y = problem(K, n=40)
    Z = kind(**params).leave_one_out(X, y)
    for i in range(0, 40, 5):
        train = rest(40, np.array([i]))
        expected = kind(**params).fit(X[train], y[train]).decision_function(X[[i]])[0]
        np.testing.assert_allclose(Z[i], expected, rtol=1e-8, atol=1e-8 * np.abs(Z[i]).max())


@each("name", PARAMS)
def test_a_row_that_is_its_class_is_scored_by_models_without_that_class(name):
    X, y = problem(3, n=45)
    y = np.where((y == 1) & (np.arange(45) != 4), 0, y)
    y[4] = 1
    Z = getattr(linclass, name)().leave_one_out(X, y)
    assert np.isneginf(Z[4, 1])
    assert np.isfinite(Z[np.arange(45) != 4]).all()
    kept = np.arange(45) != 4
    expected = getattr(linclass, name)().fit(X[kept], y[kept]).decision_function(X[[4]])[0]
    np.testing.assert_allclose(Z[4, 2] - Z[4, 0], expected, rtol=1e-8)


@each("name", GAUSSIAN)
def test_leave_one_out_of_sparse_rows_is_that_of_dense_rows(name):
    (X, y), model = problem(3, n=45), getattr(linclass, name)()
    Z = model.leave_one_out(X, y)
    np.testing.assert_allclose(model.leave_one_out(sp.csr_array(X), y), Z, atol=1e-7)


@each("name", GAUSSIAN)
@each("offset", [1e4, 1e7])
def test_a_far_origin_and_far_classes_cost_no_digits(name, offset):
    X, y = DATA[3]
    far = X + offset + 1e3 * y[:, None]  # whole numbers: the rows themselves are exact
    if name == "LeastSquaresClassifier":
        far = X + offset  # of far classes its fit is ill-conditioned, whatever the way
    fold = stratified_folds(y, 5, 0)
    kind, folds = getattr(linclass, name), [np.flatnonzero(fold == k) for k in range(5)]
    fits = kind().fit_many(far, y, folds, [{}])
    for fold, (model,) in zip(folds, fits, strict=True):
        train = rest(len(y), fold)
        refit = kind().fit(far[train], y[train])
        Z = refit.decision_function(far)
        np.testing.assert_allclose(model.decision_function(far), Z, rtol=1e-7, atol=1e-7)


def with_odd_rows(odd, fold):
    """Rows of which those of this fold hold nearly all the spread of the last feature."""
    X, y = problem(3, n=60)
    X = X + np.random.default_rng(1).normal(size=X.shape)
    if odd == "rare indicator":
        X[:, -1] = 0
        X[fold[:2], -1] = 1
    elif odd == "constant elsewhere":
        X[:, -1] = 0.1
        X[fold[0], -1] = 1e3
    elif odd == "only rows of a class":
        X[y == y[fold[0]], -1] = 0.1
        X[fold[0], -1] = 3.0
    else:
        X[fold[0], -1] = float(odd)
    return X, y


FOLDS = [np.arange(i, 60, 10) for i in range(10)]
ODD = ["rare indicator", "constant elsewhere", "only rows of a class", "1e4", "1e8", "1e12"]
OF_COUNTS = ("gamma", "exponential", "poisson")  # whose values have no spread of that kind
ODD_CASES = [
    c
    for c in CASES
    if c.id.rpartition("-")[0] in SUBTRACTING
    and not any(name in str(c.values[1]) for name in OF_COUNTS)
]


def digits(params):
    """A full covariance without an inverse is held at 1e-8, by which rounding is divided."""
    return 1e-7 if params.get("families") == "multivariate_gaussian" else 1e-9


@each("odd", ODD, quick=1)
@each(("kind", "params"), ODD_CASES)
def test_a_fold_or_row_that_holds_all_the_spread_costs_no_digits(kind, params, odd):
    X, y = with_odd_rows(odd, FOLDS[3])
    fits = kind().fit_many(X, y, FOLDS, [params])
    for fold, (model,) in zip(FOLDS, fits, strict=True):
        train = rest(60, fold)
        same(model, kind(**params).fit(X[train], y[train]), X[train], digits(params))
    Z, rtol = kind(**params).leave_one_out(X, y), 10 * digits(params)
    for i in (0, *FOLDS[3][:2], 40):
        train = rest(60, np.array([i]))
        expected = kind(**params).fit(X[train], y[train]).decision_function(X[[i]])[0]
        np.testing.assert_allclose(Z[i], expected, rtol, rtol * np.abs(Z[i]).max())


@each("kept", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@each(("kind", "params"), [
    (LDA, {}), (LDA, {"shrinkage": 0.2}), (LDA, {"covariance_type": "diag"}),
    (linclass.QuadraticDiscriminantAnalysis, {"shrinkage": 0.3}), (linclass.FisherDiscriminant, {}),
])  # fmt: skip
def test_folds_of_fewer_rows_than_features_are_the_refits(kind, params, kept):
    X, y = np.random.default_rng(0).normal(size=(15, 20)), np.arange(15) % 3
    folds = [np.arange(i, 15, 4) for i in range(4)]
    fits = kind().fit_many(kept(X), y, folds, [params])
    for fold, (model,) in zip(folds, fits, strict=True):
        train = rest(15, fold)
        same(model, kind(**params).fit(X[train], y[train]), X, 1e-8)
    train = rest(15, folds[0])
    shift, scale = X[train].mean(axis=0), X[train].std(axis=0)
    ((model,),) = kind(**params).fit_many(X, y, folds[:1], [{}], [(shift, scale)])
    standardized = (X - shift) / scale
    same(model, kind(**params).fit(standardized[train], y[train]), standardized, 1e-8)
    Z = kind(**params).leave_one_out(kept(X), y)
    expected = kind(**params).fit(X[1:], y[1:]).decision_function(X[:1])[0]
    np.testing.assert_allclose(Z[0], expected, rtol=1e-8)


def test_a_fit_without_sums_forgets_no_rows_when_more_are_added():
    X, y = np.random.default_rng(0).normal(size=(15, 20)), np.arange(15) % 3
    ((of_fold,),) = LDA().fit_many(X, y, [np.arange(4)], [{}])
    before = of_fold.decision_function(X)
    with pytest.raises(ValueError, match="kept no sums of its rows"):
        of_fold.partial_fit(X, y)
    np.testing.assert_array_equal(of_fold.decision_function(X), before)
    of_fold.fit_blocks([(X[:9], y[:9]), (X[9:], y[9:])])  # starts anew
    of_fold.partial_fit(X, y)
    assert of_fold.statistics_.mass.sum() == 30
    for estimated in (LDA(shrinkage="ledoit_wolf"), LDA(shrinkage="ledoit_wolf").fit(X, y)):
        with pytest.raises(AttributeError, match=r"no partial_fit: .* estimated from rows"):
            estimated.partial_fit(X, y)
        with pytest.raises(NotApplicable, match="estimated from rows"):
            estimated.leave_one_out(X, y)


TOGETHER = [c for c in CASES if c.values[0] is not linclass.LeastSquaresClassifier]


@each(("kind", "params"), TOGETHER)
def test_merged_shards_are_the_whole_and_classes_may_be_without_rows_yet(kind, params):
    X, y = DATA[3]
    order = np.argsort(X[:, 0], kind="stable")  # shards unlike each other
    a, b = order[:60], order[60:]
    merged = kind(**params).fit(X[a], y[a]).merge(kind(**params).fit(X[b], y[b]))
    same(merged, kind(**params).fit(X, y), X)
    two = y != 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = kind(**params).partial_fit(X[two], y[two], classes=[0, 1, 2])
        predicted = model.predict(X)
    assert np.array_equal(model.classes_, [0, 1, 2])
    refit = kind(**params).fit(X[two], y[two])
    assert np.array_equal(predicted, refit.predict(X))
    model.partial_fit(X[~two], y[~two])
    same(model, kind(**params).fit(X, y), X)


@each(("kind", "params"), TOGETHER)
def test_rows_block_by_block_are_the_whole(kind, params):
    X, y = DATA[3]
    whole, names = kind(**params).fit(X, y), np.array(["x", "b", "m"])
    blocks = [slice(0, 3), slice(3, 50), slice(50, 150)]
    of_blocks = kind(**params).fit_blocks((X[b], y[b]) for b in blocks)
    same(of_blocks, whole, X)
    step_by_step = kind(**params)
    for block in blocks:
        step_by_step.partial_fit(X[block], y[block], classes=[0, 1, 2])
    same(step_by_step, whole, X)
    named = kind(**params).fit_blocks((X[b], names[y[b]]) for b in blocks)
    assert np.array_equal(named.predict(X), names[whole.predict(X)])


@each("kind", sorted(WITH_PRIORS, key=repr))
def test_a_prior_of_a_class_without_rows_does_not_count(kind):
    """It has no mean to be near to; the priors of the other classes keep their ratios."""
    X, y = problem(4)
    three = y != 2
    model = kind(priors=[0.1, 0.2, 0.5, 0.2]).partial_fit(X[three], y[three], classes=range(4))
    refit = kind(priors=[0.2, 0.4, 0.4]).fit(X[three], y[three])
    assert np.array_equal(model.predict(X), refit.predict(X))
    P = model.predict_proba(X)
    assert not P[:, 2].any()
    np.testing.assert_allclose(P[:, [0, 1, 3]], refit.predict_proba(X), rtol=1e-9, atol=1e-12)


def test_shards_of_fewer_rows_than_features_are_merged():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 20)), np.arange(60) % 2
    model = LDA().fit_blocks((X[i : i + 4], y[i : i + 4]) for i in range(0, 60, 4))
    same(model, LDA().fit(X, y), X)
    few = LDA().fit_blocks((X[i : i + 4], y[i : i + 4]) for i in range(0, 12, 4))
    same(few, LDA().fit(X[:12], y[:12]), X)
    assert few.rank_ == 10


def test_an_error_adds_no_rows():
    X, y = DATA[2]
    model, other, bad = LDA().fit(X, y), LDA().fit(X, y), LDA().fit(X[:, 1:], y)
    before = model.statistics_.mass.copy()
    with pytest.raises(ValueError, match="merge needs the same features"):
        model.merge_all([other, bad])
    with pytest.raises(ValueError, match="is not in classes"):
        model.partial_fit(X, y, classes=np.unique(y)[:1])
    np.testing.assert_array_equal(model.statistics_.mass, before)


@each(("model", "changed"), [
    (linclass.BernoulliNB(), {"binarize": 2.0}),
    (linclass.ExponentialFamilyNB("poisson"), {"families": "geometric"}),
    (linclass.LinearDiscriminantAnalysis(), {"covariance_type": "diag"}),
    (linclass.GaussianNB(), {"class_weight": {0: 2.0}}),
])  # fmt: skip
def test_rows_are_not_added_to_sums_of_other_parameters(model, changed):
    X, y = np.floor(np.abs(DATA[2][0])), DATA[2][1]
    model, other = clone(model).fit(X, y), clone(model).set_params(**changed)
    with pytest.raises(ValueError, match="sums of the rows depend were changed since"):
        model.set_params(**changed).partial_fit(X, y)
    with pytest.raises(ValueError, match="the same features and parameters"):
        model.merge(other.fit(X, y))
