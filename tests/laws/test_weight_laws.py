"""Weights of rows and of classes, over every classifier of the package.

A row of weight two is the row twice, a row of weight zero is no row, and the weight of a class is a factor of
the weights of its rows. Some classifiers depend on more than the set of rows, and obey less:

- those that learn from one row after another visit a row of weight two twice in succession, so in the order given it
  is the row twice if the two are neighbours (test_partial_fit_laws.py and test_online_laws.py)
- Calibrated holds rows out, and a row twice may be on both sides; its maps, given the scores, obey the law
- so does TunedClassifier, which obeys it for given folds (tests/identities/test_tuned_identities.py)
"""

import contextlib
import inspect
import itertools
import warnings

import numpy as np
import pytest
from cases import each
from models import MODULES, own_classes
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier
from sklearn.utils.class_weight import compute_class_weight

import linclass
from linclass.base.classifier import Classifier
from linclass.base.messages import NotApplicable
from linclass.base.regressor import Regressor
from linclass.online.online_classifier import OnlineClassifier

TIGHT = {"tol": 1e-12}
IN_TURN = {"Perceptron", "KernelPerceptron"} | {
    name
    for name in linclass.__all__
    if isinstance(kind := getattr(linclass, name), type) and issubclass(kind, OnlineClassifier)
}
HELD_OUT = {"Calibrated", "TunedClassifier"}
# Without priors nothing moves their thresholds to the heavier class, as scikit-learn's suite asks of a class_weight.
WITHOUT = {"NearestMean", "FisherDiscriminant"}
SOME = {"b": 2.0, "a": 0.5}  # the weights of classes that are not named are 1

pytestmark = [
    pytest.mark.filterwarnings(f"ignore:{words}")
    for words in (
        ":sklearn.exceptions.ConvergenceWarning",
        "the classes are strings",
        "sample_weight sums to",
    )
]


def found():
    """Every classifier of the package as it is by default, to a tight tolerance."""
    kinds = (kind for module in MODULES for kind in own_classes(module))
    return [made(kind) for kind in kinds if issubclass(kind, Classifier)]


def made(kind):
    known = inspect.signature(kind).parameters
    inner = {"estimator": linclass.LogisticRegression(**TIGHT)} if "estimator" in known else {}
    tight = {name: value for name, value in TIGHT.items() if name in known}
    few = {"max_iter": 10} if kind.__name__ in IN_TURN else {}  # passes
    return kind(**inner, **tight, **few)


MODELS = found()


def each_model(models):
    return each("model", models, ids=lambda model: type(model).__name__)


ALL = each_model(MODELS)
ONCE = [m for m in MODELS if type(m).__name__ not in HELD_OUT]
MANY = [
    m
    for m in MODELS
    if hasattr(m, "fit_many") and type(m).__name__ not in ("LinearSVM", "Perceptron")
]


def name(model):
    return type(model).__name__


def rows(model, K, n=45):
    """Small counts, as every family wants them, of overlapping classes; labels; whole weights, some of them 0."""
    if K > 2 and not model.__sklearn_tags__().classifier_tags.multi_class:
        pytest.skip("for two classes")
    rng = np.random.default_rng(K)
    y = np.arange(n) % K
    X = rng.poisson(2.0, size=(n, 3)) + (rng.random((n, 3)) < 0.4) * y[:, None] + 0.0
    return X, np.array(["a", "b", "c"])[y], rng.integers(0, 4, n).astype(float)


def same(model, other, X, digits=1e-6):
    assert model.classes_.tolist() == other.classes_.tolist()
    found, Z = model.decision_function(X), other.decision_function(X)
    np.testing.assert_allclose(found, Z, rtol=digits, atol=digits * np.abs(Z).max())


# sums of weights over 40 rows of positive weight: AdaBoost's, two that the old rule took differently, and about 40
SUMS = (1.0, 2.0, 2.02, 20.0, 40.0 - 1e-9, 40.0 + 1e-9)


@each_model([m for m in MODELS if type(m).__name__ != "ZeroOneClassifier"])  # of two optima, either
def test_a_constant_factor_of_the_weights_never_changes_a_fit_abruptly(model):
    X, y, w = rows(model, 2, 60)
    X, y, w = (part[w > 0][:40] for part in (X, y, w))
    fits = [clone(model).fit(X, y, sample_weight=total * w / w.sum()) for total in SUMS]
    for fit in fits[1:]:
        same(fit, fits[0], X, 1e-5)
    if name(model) in IN_TURN | {"Calibrated"}:  # whole visits; folds
        return
    above, further = (clone(model).fit(X, y, sample_weight=c * w) for c in (1.5, 1.5001))
    same(above, further, X, 1e-3)


LDA = linclass.LinearDiscriminantAnalysis


@each("total", [2.0, 2.01, 99.0])
def test_weights_whose_sum_is_below_the_number_of_rows_are_relative_and_say_so(total):
    X, y, _ = rows(LDA(), 3, 100)
    weights = np.full(100, total / 100)
    for model in (LDA(), linclass.OneVsRest(LDA()), linclass.LogisticRegression()):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fit = clone(model).fit(X, y, sample_weight=weights)
        texts = [str(w.message) for w in caught if w.category is UserWarning]
        assert len(texts) == (name(model) != "LogisticRegression")
        for text in texts:
            assert text.startswith(f"sample_weight sums to {total:g} over 100 rows")
            assert "Divide relative weights by their mean" in text
        same(fit, clone(model).fit(X, y), X)


@pytest.mark.filterwarnings("error")
def test_weights_that_are_normalized_or_of_classes_do_not_warn():
    X, y, w = rows(LDA(), 2)
    few = {"a": 0.1, "b": 0.2}
    for total in (1.0, np.count_nonzero(w)):
        LDA().fit(X, y, sample_weight=total * w / w.sum())
    assert AdaBoostClassifier(LDA(), n_estimators=5).fit(X, y).score(X, y) >= 0.6
    own = np.array([few[c] for c in y.tolist()])
    same(LDA(class_weight=few).fit(X, y), LDA().fit(X, y, own / own.mean()), X)


def test_relative_weights_give_standard_errors_and_criteria_of_weights_with_mean_one():
    X, y, w = rows(linclass.LogisticRegression(), 2)
    tuned = linclass.TunedClassifier(linclass.LogisticRegression(), rule="bic")
    plain = linclass.LogisticRegression(penalty=None)
    relative, counts = w / w.sum(), w / w[w > 0].mean()
    tables = [plain.fit(X, y, c).summary().table for c in (relative, counts)]
    assert_allclose(tables[0]["std_error"], tables[1]["std_error"], rtol=1e-6)
    criteria = [tuned.fit(X, y, c).criterion_ for c in (relative, counts)]
    assert_allclose(*criteria, rtol=1e-6)


@each_model([m for m in MODELS if hasattr(m, "merge")])
def test_weights_are_the_same_in_one_fit_and_in_parts(model):
    """The sums of parts keep the weights as they are given, and N is of all rows; the first part lacks a class."""
    X, y, w = rows(model, 2)
    y = np.sort(y)
    for weights, params in ((w / w.sum(), {}), (w, {"class_weight": SOME})):
        if params and name(model) in WITHOUT:
            continue
        whole, parts = (clone(model).set_params(**params) for _ in range(2))
        whole.fit(X, y, sample_weight=weights)
        for part in (slice(0, 20), slice(20, 45)):
            parts.partial_fit(X[part], y[part], classes=["a", "b"], sample_weight=weights[part])
        same(parts, whole, X, 1e-9)
    w = w / w.sum()
    halves = [clone(model).fit(X[p], y[p], w[p]) for p in (slice(0, None, 2), slice(1, None, 2))]
    same(halves[0].merge(halves[1]), clone(model).fit(X, y, w), X, 1e-9)


@each("model", [
    LDA(), LDA(shrinkage=0.2), linclass.QuadraticDiscriminantAnalysis(shrinkage=0.5),
])  # fmt: skip
@each("d", [3, 70])
def test_relative_weights_apply_with_and_without_kept_sums(model, d):
    rng = np.random.default_rng(0)
    y, w = np.arange(45) % 2, rng.integers(1, 4, 45) / 1000
    X = rng.normal(size=(45, d)) + 0.5 * y[:, None]
    fold = np.arange(0, 10)
    ((held_out,),) = clone(model).fit_many(X, y, [fold], [{}], None, w)
    X, y, w = X[10:], y[10:], w[10:]
    counts = clone(model).fit(X, y, w / w.mean())
    same(clone(model).fit(X, y, w), counts, X)
    same(clone(model).fit(sparse.csr_array(X), y, w), counts, X)
    same(held_out, counts, X)


@pytest.mark.parametrize("K", [2, 3])
@ALL
def test_a_row_of_weight_two_is_the_row_twice_and_of_weight_zero_no_row(model, K):
    X, y, w = rows(model, K)
    there = w > 0
    weighted = clone(model).fit(np.where(there[:, None], X, 1e3), y, sample_weight=w)
    same(weighted, clone(model).fit(X[there], y[there], sample_weight=w[there]), X, 1e-12)
    if name(model) in HELD_OUT:
        return
    often = np.repeat(np.arange(len(y)), w.astype(int))
    repeated = clone(model).fit(X[often], y[often])
    same(weighted, repeated, X)
    if repeated.objective_ is not None:
        # Laplace's evidence is not stationary where that of a fixed curvature is
        digits = 1e-8 if weighted.certificate_kind_ == "evidence_gain" else 1e-9
        assert weighted.objective_ == pytest.approx(repeated.objective_, rel=digits)


@each_model([m for m in MODELS if hasattr(m, "partial_fit")])
def test_partial_fit_ignores_a_row_of_weight_zero(model):
    """Whatever its class and its values are: levels that nobody else has, or a class without other rows."""
    X, y, w = rows(model, 2)
    classes, there = ["a", "b"], w > 0
    strange, labels = np.where(there[:, None], X, 1e6), y
    if model.__sklearn_tags__().classifier_tags.multi_class:
        classes, labels = ["a", "b", "c"], np.where(there, y, "c")
    absent, weighed = clone(model), clone(model)
    for part in np.array_split(np.arange(len(y)), 3):
        own = part[there[part]]
        absent.partial_fit(X[own], y[own], classes=classes, sample_weight=w[own])
        weighed.partial_fit(strange[part], labels[part], classes=classes, sample_weight=w[part])
    np.testing.assert_array_equal(weighed.predict(X), absent.predict(X))
    found, Z = weighed.decision_function(X), absent.decision_function(X)
    np.testing.assert_allclose(found, Z, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("K", [2, 3])
@ALL
def test_the_weight_of_a_class_is_that_of_its_rows(model, K):
    X, y, w = rows(model, K)
    own = np.array([SOME.get(c, 1.0) for c in y.tolist()])
    weighed = clone(model).fit(X, y, sample_weight=w * own)
    unweighed = clone(model).fit(X, y, sample_weight=w)
    if name(model) in WITHOUT:
        np.testing.assert_allclose(unweighed.means_, weighed.means_)
        return
    by_name = clone(model).set_params(class_weight=SOME).fit(X, y, sample_weight=w)
    same(by_name, weighed, X, 1e-9)
    if name(model) not in IN_TURN:
        assert (by_name.decision_function(X) != unweighed.decision_function(X)).any()


@each_model([m for m in MODELS if type(m).__name__ not in WITHOUT])
def test_balanced_is_scikit_learns_rule(model):
    X, y, _ = rows(model, 2)
    kept = (y == "a") | (np.arange(len(y)) % 3 > 0)
    X, y = X[kept], y[kept]
    classes = np.unique(y)
    factors = compute_class_weight("balanced", classes=classes, y=y)
    assert factors[0] != factors[1]
    given = dict(zip(classes.tolist(), factors.tolist(), strict=True))
    asked = [clone(model).set_params(class_weight=v) for v in ("balanced", given)]
    balanced, by_rule = (one.fit(X, y) for one in asked)
    same(balanced, by_rule, X, 1e-9)


def test_the_prior_of_largest_evidence_has_a_limit_as_the_weights_grow():
    """α = γ/‖W‖² tends to d/‖W‖²; a least strength, which is α/Σw, would end the search."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    t = X[:, 0] + rng.normal(size=100)
    for factor in (1e6, 1e9, 1e12, 1e15):
        weights = np.full(100, factor)
        classes = linclass.BayesianLogisticRegression(predictive="mode").fit(X, t > 0, weights)
        numbers = linclass.BayesianLinearRegression().fit(X, t, weights)
        for fit, alpha in (
            (classes, classes.strength_ * weights.sum()),
            (numbers, numbers.weight_precision_),
        ):
            assert (fit.status_, fit.reason_) == ("converged", "")
            assert alpha == pytest.approx(3 / np.sum(fit.coef_**2), rel=1e-4)


@each_model(MANY)
def test_weights_apply_to_joint_fits_of_folds(model):
    """Those of rows, and those of classes unless joint fits are refused."""
    X, y, w = rows(model, 2)
    folds = [np.arange(0, 10), np.arange(10, 45, 3), np.flatnonzero(w == 0)]
    linear = isinstance(model, linclass.LinearClassifier) and model.penalty is not None
    settings = [{}, {"strength": 1.0}] if linear else [{}]  # fits of one strength share nothing
    cases = [(w, None), (w / w.sum(), None)]
    cases += [] if name(model) in WITHOUT else [(w, SOME), (w, "balanced")]
    for weights, of_classes in cases:
        asked = clone(model)
        if of_classes:
            asked.set_params(class_weight=of_classes)
        try:
            fits = asked.fit_many(X, y, folds, settings, None, weights)
        except NotApplicable:
            assert of_classes == "balanced"
            continue
        for fold, (fit, *_) in zip(folds, fits, strict=True):
            train = np.delete(np.arange(len(y)), fold)
            same(fit, clone(asked).fit(X[train], y[train], sample_weight=weights[train]), X)


@pytest.mark.parametrize("K", [2, 3])
@each_model([m for m in MODELS if hasattr(m, "leave_one_out")])
def test_weighted_rows_are_scored_by_models_of_the_other_weighted_rows(model, K):
    X, y, w = rows(model, K)
    cases = itertools.product((1.5 * w, w / w.sum()), ({}, {"class_weight": SOME}))
    for w, params in cases:
        if params and name(model) in WITHOUT:
            continue
        asked = clone(model).set_params(**params)
        Z = asked.leave_one_out(X, y, w)
        for i in range(0, len(y), 4):
            others = np.delete(np.arange(len(y)), i)
            fit = clone(asked).fit(X[others], y[others], sample_weight=w[others])
            expected = fit.decision_function(X[[i]])[0]
            assert_allclose(Z[i], expected, rtol=1e-7, atol=1e-7)


WITHOUT_PENALTY = [
    kind(penalty=None) for kind in (linclass.ProbitRegression, linclass.LogisticRegression)
]


@each_model([*ONCE, *WITHOUT_PENALTY])
def test_a_class_with_a_share_below_machine_precision_causes_no_division_by_zero(model):
    """Warnings of NumPy are errors; one minus such a share is 1."""
    for K in (2, 3) if model.__sklearn_tags__().classifier_tags.multi_class else (2,):
        X, y, _ = rows(model, K)
        for label in "abc"[:K]:
            weights = np.where(y == label, 1e-17, 1.0)
            with contextlib.suppress(NotApplicable):  # as n_k − 1 is
                fit = clone(model).fit(X, y, sample_weight=weights)
                assert np.isfinite(fit.decision_function(X)).all()


@each("solver", ["irls", "newton", "newton_cg", "quasi_newton"])
@each("share", [1e-8, 1e-12])
def test_a_class_of_tiny_weight_does_not_hide_the_distance_from_the_optimum(share, solver):
    """No cosine exceeds the root of its share of the weight."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 2)) + 0.5 * y[:, None]
    weights = np.where(y == 1, share, 1.0)
    options = [{"solver": solver}, {"solver": "newton", "tol": 1e-13}]
    models = [linclass.LogisticRegression(penalty=None, **own) for own in options]
    fit, best = (model.fit(X, y, weights) for model in models)
    assert fit.status_ == "converged"
    assert fit.objective_ <= best.objective_ * (1 + 1e-5)


@each("kind", [
    kind
    for module in MODULES
    for kind in own_classes(module)
    if issubclass(kind, Regressor) and kind.__name__ in linclass.__all__
], ids=lambda kind: kind.__name__)  # fmt: skip
def test_a_constant_factor_of_the_weights_never_changes_a_regression_abruptly(kind):
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(40, 3)), rng.integers(1, 4, 40).astype(float)
    y = X @ [1.0, -1.0, 0.5] + rng.normal(size=40)
    first, *others = [kind().fit(X, y, sample_weight=total * w / w.sum()) for total in SUMS]
    for fit in others:
        assert_allclose(fit.predict(X), first.predict(X), rtol=1e-5, atol=1e-6)
        assert (fit.status_, fit.reason_) == (first.status_, first.reason_)
