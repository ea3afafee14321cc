"""The first strength of a path: the smallest with zero weights, for every loss and penalty, and its invariances."""

import itertools

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose

import linclass
from linclass import (
    KernelLogisticRegression,
    KernelSVM,
    LinearClassifier,
    LinearSVM,
    LogisticRegression,
    NearestShrunkenCentroids,
    OneVsOne,
    OneVsRest,
    OrdinalRegression,
    ProbitRegression,
    Ridge,
    SupportVectorRegressor,
    TunedClassifier,
    parameter_path,
)
from linclass.base import parts
from linclass.linear.path import intercept_fit

UPPER_BOUND = {"hinge", "epsilon_insensitive"}  # with groups: no linear program finds the least
SOLVED = 1e-5  # of the weights that augmented Lagrangians leave


def rows(K, n=60):
    """Unbalanced classes far from the origin, and a feature in other units."""
    rng = np.random.default_rng(K)
    y = rng.choice(K, n, p=[0.6, 0.4] if K == 2 else [0.5, 0.3, 0.2])
    X = rng.normal(size=(n, 5)) + np.eye(5)[y] + 3
    X[:, 4] *= 10
    return X, y


def possible(penalty):
    """One classifier for each loss that can have the penalty; the perceptron's loss is 0 without features."""
    found = []
    for loss in parts.names("losses"):
        model = LinearClassifier(loss=loss, penalty=penalty, tol=1e-10)
        try:
            model.check()
        except ValueError:
            continue
        found += [] if loss in ("perceptron", "kesler") else [model]
    return found


@each("penalty", ("l1", "elastic_net", "adaptive_lasso", "group_lasso", "fused_lasso"))
def test_the_first_strength_leaves_no_weight_and_a_weaker_one_does(penalty):
    without = LogisticRegression(penalty=penalty, fit_intercept=False, tol=1e-10)
    for K, model in itertools.product((2, 3), [*possible(penalty), without]):
        X, y = rows(K)
        top = model.strength_path(X, y)[0]
        of_none, of_some = (model._unfitted(strength=s).fit(X, y) for s in (top, 0.9 * top))
        case = f"{model.loss}, {penalty}, {K} classes"
        assert np.abs(of_none.coef_).max() < SOLVED, case
        bound = (model.loss in UPPER_BOUND and penalty == "group_lasso") or (
            model.loss == "crammer_singer" and K == 3
        )
        assert bound or np.abs(of_some.coef_).max() > 10 * SOLVED, case


def test_the_first_strength_of_l2_explains_at_most_a_hundredth_of_the_loss():
    """And close to it, where the loss is smooth: the bound is reached as the strength grows."""
    for K, model in itertools.product((2, 3), possible("l2")):
        X, y = rows(K)
        top = model.strength_path(X, y)[0]
        fit = model._unfitted(strength=top).fit(X, y)
        shares = []
        objectives = fit._unfitted()._path_objectives(X, y, None, None)
        theta = np.column_stack([fit.coef_, fit.intercept_])
        for number, objective in enumerate(objectives):
            own = theta if len(objective.shape) == 2 else theta[number]
            alone = intercept_fit(objective).loss
            shares.append(1 - objective.at(own).loss_value / alone)
        case = f"{model.loss}, {K} classes: {shares}"
        assert max(shares) <= 0.01 + 1e-9, case
        smooth = objectives[0].loss.kind == "twice-smooth"
        assert max(shares) > (0.005 if smooth else -1e-9), case


@each("model", [
    KernelSVM(),
    KernelSVM(loss="squared_hinge", kernel="linear"),
    KernelLogisticRegression(),
    OrdinalRegression(),
    LinearSVM(),
    ProbitRegression(),
    SupportVectorRegressor(kernel="gaussian"),
], ids=repr)  # fmt: skip
def test_the_first_fit_of_a_path_hardly_differs_from_the_intercept(model):
    X, y = rows(2)
    path = model.strength_path(X, y)
    assert (len(path), path[0] / path[-1]) == (31, pytest.approx(1e7))
    regression = hasattr(model, "epsilon")
    predict = "predict" if regression else "decision_function"
    far, near = (
        getattr(model._unfitted(strength=s).fit(X, y), predict)(X) for s in (path[0], path[20])
    )
    assert np.ptp(far) < 0.1 * np.ptp(near)


def test_factors_and_unpenalized_features_belong_to_the_start():
    """With the factor 0 a feature joins the intercept; doubled factors halve the strengths."""
    X, y = rows(2)
    for penalty in ("l1", "l2"):
        free = LogisticRegression(penalty={penalty: {"factors": [0, 1, 1, 1, 1]}}, tol=1e-13)
        top = free.strength_path(X, y)[0]
        W = free.set_params(strength=top).fit(X, y).coef_[0]
        assert W[0] != 0
        if penalty == "l1":
            assert np.abs(W[1:]).max() < 1e-9
            assert free.set_params(strength=0.9 * top).fit(X, y).coef_[0, 1:].any()
        one, two = (
            LogisticRegression(penalty={penalty: {"factors": [f] * 5}}).strength_path(X, y)
            for f in (1, 2)
        )
        assert_allclose(one, 2 * two)


def test_weights_count_rows_and_sparse_rows_have_the_same_path():
    from scipy import sparse

    X, y = rows(2)
    twice = np.arange(60) % 3 == 0
    for penalty, loss in itertools.product(("l1", "l2"), ("logistic", "hinge", "squared_hinge")):
        model = LinearClassifier(penalty=penalty, loss=loss)
        weighed = model.strength_path(X, y, sample_weight=1.0 + twice)
        repeated = model.strength_path(np.vstack([X, X[twice]]), np.append(y, y[twice]))
        assert_allclose(weighed, repeated, rtol=1e-5)
        assert_allclose(model.strength_path(sparse.csr_array(X), y), model.strength_path(X, y))


def test_thresholds_begin_without_features_and_end_with_all():
    X, y = rows(3)
    path = NearestShrunkenCentroids().threshold_path(X, y)
    assert path[-1] == 0
    selected = [NearestShrunkenCentroids(t).fit(X, y).selected_.sum() for t in path[[0, 1, -1]]]
    assert selected[0] == 0
    assert selected[1] > 0
    assert selected[2] == 5


def test_the_strength_path_inside_one_vs_one_applies_to_every_pair():
    X, y = rows(3, 90)
    inner = LogisticRegression(penalty="l1", tol=1e-10)
    for outer in (OneVsOne(inner), OneVsRest(inner)):
        top = parameter_path(outer, "estimator__strength", X, y)[0]
        at, below = (
            outer._unfitted().set_params(estimator__strength=s).fit(X, y) for s in (top, 0.9 * top)
        )
        assert not any(one.coef_.any() for one in at.estimators_)
        assert any(one.coef_.any() for one in below.estimators_)


def test_the_path_of_a_pipeline_is_that_of_its_transformed_rows():
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y = rows(2)
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    found = parameter_path(pipeline, "logisticregression__strength", X, y)
    assert_allclose(found, LogisticRegression().strength_path(StandardScaler().fit_transform(X), y))


def test_paths_of_scikit_learn_begin_where_its_fits_begin():
    """C and alpha in the units of each class: no weight at the start of L1, some at the next value but one."""
    from sklearn import linear_model as sk
    from sklearn import svm

    X, y = rows(2)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    cases = [
        (sk.LogisticRegression(l1_ratio=1, solver="saga", max_iter=5000, tol=1e-6), "C", y),
        (sk.Lasso(), "alpha", y.astype(float)),
        (sk.ElasticNet(l1_ratio=0.3), "alpha", y.astype(float)),
    ]
    for model, name, target in cases:
        path = parameter_path(model, name, X, target)
        first, next_ = (
            model.set_params(**{name: v}).fit(X, target).coef_.copy() for v in path[[0, 2]]
        )
        assert np.abs(first).max() < 1e-4, model
        assert np.abs(next_).max() > 1e-3, model
    for model, ours in [
        (sk.RidgeClassifier(), LinearClassifier(loss="squared")),
        (sk.Ridge(), Ridge()),
    ]:
        alphas, strengths = parameter_path(model, "alpha", X, y), ours.strength_path(X, y)
        assert_allclose(alphas, 60 * strengths)
        at = alphas[18]
        theirs = np.ravel(model.set_params(alpha=at).fit(X, y).coef_)
        assert_allclose(
            theirs, np.ravel(ours.set_params(strength=at / 60).fit(X, y).coef_), rtol=1e-5
        )
    for model, ours in [
        (svm.LinearSVC(), LinearClassifier(loss="squared_hinge")),
        (svm.SVC(), KernelSVM()),
    ]:
        assert_allclose(1 / (60 * parameter_path(model, "C", X, y)), ours.strength_path(X, y))
    sgd = sk.SGDClassifier(loss="log_loss")
    assert_allclose(parameter_path(sgd, "alpha", X, y), LogisticRegression().strength_path(X, y))


@each("class_weight", ["balanced", {"few": 5.0, "many": 0.5}])
def test_paths_of_scikit_learn_take_weights_of_classes_into_account(class_weight):
    """On 10 % positives the first C gives no weight, and a penalty of linclass is the same in other units."""
    from sklearn import linear_model as sk

    rng = np.random.default_rng(0)
    few = rng.random(300) < 0.1
    X, y = rng.normal(size=(300, 5)) + 0.7 * few[:, None], np.where(few, "few", "many")
    weighted = {"class_weight": class_weight}
    lasso = sk.LogisticRegression(l1_ratio=1, solver="saga", max_iter=5000, tol=1e-6, **weighted)
    path = parameter_path(lasso, "C", X, y)
    first, later = (lasso.set_params(C=path[i]).fit(X, y).coef_.copy() for i in (0, 2))
    assert np.abs(first).max() < 1e-4
    assert np.abs(later).max() > 1e-3
    ours = LinearClassifier(loss="squared", **weighted)
    ridge, strength = sk.RidgeClassifier(**weighted), ours.strength_path(X, y)[15]
    alpha = parameter_path(ridge, "alpha", X, y)[15]
    theirs = ridge.set_params(alpha=alpha).fit(X, y).coef_
    ours.set_params(strength=strength).fit(X, y)
    assert_allclose(np.ravel(theirs), np.ravel(ours.coef_), 1e-5)
    sgd = sk.SGDClassifier(loss="log_loss", penalty="l1", **weighted)
    assert_allclose(parameter_path(sgd, "alpha", X, y), 1 / (300 * path))  # of the same objective


def test_a_model_without_a_path_is_refused_with_a_remedy():
    from sklearn.linear_model import MultiTaskLasso
    from sklearn.neighbors import KNeighborsClassifier

    X, y = rows(2)
    with pytest.raises(ValueError, match=r"MultiTaskLasso has no path of 'alpha' .*; list its"):
        parameter_path(MultiTaskLasso(), "alpha", X, np.column_stack([y, y]).astype(float))
    with pytest.raises(ValueError, match=r"no path of 'n_neighbors' .*; list its values"):
        parameter_path(KNeighborsClassifier(), "n_neighbors", X, y)
    with pytest.raises(ValueError, match=r"no path of 'tol' \(it has one of strength\); list"):
        parameter_path(LogisticRegression(), "tol", X, y)
    with pytest.raises(ValueError, match="no penalty, so no path"):
        LogisticRegression(penalty=None).strength_path(X, y)
    with pytest.raises(ValueError, match="no path of 'tol'"):
        TunedClassifier(linclass.LinearSVM(), strengths=None, param_grid={"tol": "path"}).fit(X, y)


def test_a_path_is_extended_if_the_best_strength_is_at_its_end():
    """Noise is fitted best by the intercept, a boundary without noise by the weakest penalty."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    clear = (X @ [1, 0.3] > 0).astype(int)
    weak = TunedClassifier(strengths=7, scoring="log_loss").fit(X, clear)
    strengths = np.array([option["strength"] for option in weak.candidates_])
    assert len(strengths) > 7
    assert weak.strength_ <= strengths[:7].min()
    assert strengths.min() >= strengths[:7].min() / 1001  # three decades at most
    assert len(weak.scores_.T) == len(weak.path_) == len(strengths)
    given = TunedClassifier(strengths=list(strengths[:7]), scoring="log_loss").fit(X, clear)
    assert len(given.candidates_) == 7  # a list is left as it is
    noise = TunedClassifier(scoring="log_loss").fit(X, rng.integers(0, 2, 200))
    strengths = np.array([option["strength"] for option in noise.candidates_])
    assert strengths.max() <= 11 * strengths[0]


def test_each_width_of_a_kernel_has_strengths_of_its_own():
    X, y = rows(2)
    tuned = TunedClassifier(KernelSVM(), strengths=5, param_grid={"gamma": "path"}, cv=3).fit(X, y)
    first = {}
    for option in tuned.candidates_:
        first.setdefault(option["gamma"], option["strength"])
    assert len(first) >= 4
    for gamma, strength in first.items():
        assert strength == pytest.approx(KernelSVM(gamma=gamma).strength_path(X, y)[0])
