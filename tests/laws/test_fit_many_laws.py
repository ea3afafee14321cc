"""Laws of fit_many, for every classifier that has it: each fit is what `fit` alone gives."""

import re

import numpy as np
import pytest
from cases import each
from models import MODULES, own_classes
from scipy import sparse
from sklearn.base import clone
from sums import PARAMS

import linclass as L
from linclass.base.messages import NotApplicable
from linclass.base.parameters import idle_in_all
from linclass.naive_bayes.naive_bayes import NaiveBayes

STRENGTHS = [{"strength": s} for s in (0.03, 1.0, 0.1)]
VARIANTS = {  # besides the defaults
    "LogisticRegression": [{"class_weight": "balanced"}, {"class_weight": {"a": 3.0, "b": 1.0, "c": 0.5}},
        {"fit_intercept": False}, {"solver": "newton_cg"}],
    "LinearClassifier": [{"loss": "squared_hinge"}, {"loss": "squared"}],
}  # fmt: skip
TIGHT = 1e-15
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
EXACT = 1e-12  # of the squared loss, which is solved at once whatever the tol: its gap is rounding


def classifiers():
    found = []
    for module in MODULES:
        for kind in own_classes(module):
            if hasattr(kind, "fit_many"):
                found += [kind(**params) for params in [{}, *VARIANTS.get(kind.__name__, [])]]
    for estimator in found:
        if estimator.get_params().get("tol") == 1e-6:  # the default
            squared = getattr(estimator, "loss", None) == "squared"
            estimator.set_params(tol=EXACT if squared else TIGHT)
    return found


def rows(K, n=72, seed=3):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % K
    X = rng.standard_normal((n, 3)) * [1, 10, 0.1] + [5, 0, -1] + np.eye(3)[y] * [1, 8, 0.1]
    return X, np.array(["a", "b", "c"])[y]


def folds(n):
    """Folds of unequal sizes, including a single row and no row."""
    order = np.random.default_rng(0).permutation(n)
    return [*np.split(order, [1, 10, 30]), np.empty(0, dtype=int)]


def params_for(estimator):
    """Parameters that change what is made of sums, or three strengths if they have an effect."""
    if type(estimator).__name__ in PARAMS:
        return PARAMS[type(estimator).__name__]
    found = [name for name in estimator.get_params() if name.rpartition("__")[2] == "strength"]
    found = [name for name in found if not idle_in_all([name], [estimator])]
    return [{found[0]: option["strength"]} for option in STRENGTHS] if found else [{}]


ALONE = {"LinearSVM", "Perceptron"}  # which keep something of each row, or depend on their order


def together(estimator, X, y, held_out, params, scaling=None):
    """The fits; a refusal counts only where fit_many may refuse."""
    try:
        return estimator.fit_many(X, y, held_out, params, scaling)
    except NotApplicable as refusal:
        name, classes = type(estimator).__name__, [set(np.delete(y, row)) for row in held_out]
        lacks = name not in PARAMS and any(found < set(y) for found in classes)
        counts = scaling is not None and isinstance(estimator, NaiveBayes)
        if name in ALONE or lacks or counts or not can_fit(estimator, X, y):
            pytest.skip(str(refusal))
        raise


def can_fit(estimator, X, y, **params):
    try:
        clone(estimator).set_params(**params).fit(X, y)
    except NotApplicable:
        return False
    return True


def suited(estimator, X, y):
    """X, or whole numbers for models that take only such; above 0, for some families are of such only."""
    whole = np.abs(np.rint(X)) + 1.0
    takes_x = can_fit(estimator, X, y) and not isinstance(estimator, L.ExponentialFamilyNB)
    return X if takes_x or not can_fit(estimator, whole, y) else whole


def assert_as_alone(estimator, X, y, held_out, scaling=None):
    options = params_for(estimator)
    params = [p for p in options if len(options) == 1 or can_fit(estimator, X, y, **p)]
    every = len(params) == len(options) or not can_fit(estimator, X, y)
    assert sparse.issparse(X) or every
    fits = together(estimator, X, y, held_out, params, scaling)
    assert len(fits) == len(held_out)
    for f, (row, own) in enumerate(zip(held_out, fits, strict=True)):
        train = np.delete(np.arange(len(y)), row)
        X_train, X_test = X[train], X[row]
        if scaling is not None:
            shift, scale = scaling[f]  # sparse rows are not shifted
            X_train, X_test = (
                sparse.csr_array(Z / scale) if sparse.issparse(Z) else (Z - shift) / scale
                for Z in (X_train, X_test)
            )
        for changed, fitted in zip(params, own, strict=True):
            alone = clone(estimator).set_params(**changed).fit(X_train, y[train])
            assert repr(fitted) == repr(alone)
            # sums of rows are kept by `fit` alone, to which more may be added
            sums = {"statistics_", "_n_rows", "_summed_with"}
            assert vars(fitted).keys() == vars(alone).keys() - sums
            assert fitted.status_ == alone.status_
            assert getattr(fitted, "solver_", None) == getattr(alone, "solver_", None)
            assert fitted.certificate_kind_ == alone.certificate_kind_
            np.testing.assert_array_equal(fitted.classes_, alone.classes_)
            for name in ("priors_", "rank_", "shrinkage_"):
                np.testing.assert_allclose(getattr(fitted, name, 0), getattr(alone, name, 0))
            assert (fitted.objective_ is None) == (alone.objective_ is None)
            if alone.objective_ is not None:
                np.testing.assert_allclose(fitted.objective_, alone.objective_, rtol=1e-9)
            if not len(row):
                continue
            np.testing.assert_array_equal(fitted.predict(X_test), alone.predict(X_test))
            ours, theirs = fitted.decision_function(X_test), alone.decision_function(X_test)
            np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=2e-8)


JOINT = each("estimator", [e for e in classifiers() if type(e).__name__ not in ALONE], ids=repr)


@each("K", [2, 3])
@JOINT
def test_folds_and_parameters_at_once_are_fits_alone(estimator, K):
    X, y = rows(K)
    X, held_out = suited(estimator, X, y), folds(len(y))
    assert_as_alone(estimator, X, y, held_out)
    train = [np.delete(X, fold, axis=0) for fold in held_out]
    scaling = [(part.mean(axis=0), part.std(axis=0)) for part in train]
    assert_as_alone(estimator, X, y, held_out, scaling)


@JOINT
def test_folds_of_sparse_rows_are_fitted_together_as_alone(estimator):
    X, y = rows(3)
    X = suited(estimator, X, y)
    X = sparse.csr_array(np.where(np.abs(X) > np.median(np.abs(X), axis=0), X, 0))
    held_out = folds(len(y))
    assert_as_alone(estimator, X, y, held_out)
    scale = np.array([2.0, 5.0, 0.1])
    assert_as_alone(estimator, X, y, held_out, [(np.zeros(3), scale)] * len(held_out))


@JOINT
def test_a_fold_that_holds_a_whole_class(estimator):
    X, y = rows(3)
    X = suited(estimator, X, y)
    assert_as_alone(estimator, X, y, [np.flatnonzero(y == "b"), np.arange(9), np.arange(9, 30)])


@JOINT
def test_many_rows_are_fitted_together_as_alone(estimator):
    """Beyond the size up to which a batch pays."""
    rng = np.random.default_rng(2)
    X = rng.standard_normal((2100, 24))
    y = (X[:, 0] + rng.logistic(size=len(X)) > 0).astype(int)
    estimator = clone(estimator)
    if isinstance(estimator.get_params().get("class_weight"), dict):
        estimator.set_params(class_weight={0: 1.0, 1: 2.0})
    X = suited(estimator, X, y)
    assert_as_alone(estimator, X, y, [np.arange(700), np.arange(700, 900)])


def test_parameters_other_than_the_strength_may_differ():
    X, y = rows(3)
    params = [
        {"strength": strength, "class_weight": weight}
        for strength in (0.1, 0.2)
        for weight in (None, "balanced")
    ]
    (fits,) = L.LogisticRegression(tol=1e-12).fit_many(X, y, [np.arange(9)], params)
    assert [f.class_weight for f in fits] == [None, "balanced"] * 2
    with pytest.raises(NotApplicable, match="saves nothing"):
        L.LogisticRegression().fit_many(X, y, [np.arange(9)], params[:3])


def test_steps_that_ran_out_are_reported_of_each_fit():
    X, y = rows(2)
    X[y == "b", 0] += 9
    params = [{"strength": 1e-12}, {"strength": 1.0}]
    (fits,) = L.LogisticRegression(max_iter=7).fit_many(X, y, [np.arange(9)], params)
    assert [fit.status_ for fit in fits] == ["max_iter", "converged"]
    assert fits[0].n_iter_ == 7
    assert fits[0].certificate_ > 1e-6
    assert "relative duality gap" in fits[0].reason_


@each("model", [
    L.LogisticRegression(warm_start=True),
    L.LogisticRegression(trace=True),
    L.LogisticRegression(solver="stochastic_gradient"),
    *(e for e in classifiers() if type(e).__name__ in ALONE),
], ids=repr)  # fmt: skip
def test_fits_that_depend_on_more_than_the_rows_are_refused(model):
    X, y = rows(2)
    with pytest.raises(NotApplicable, match="fold by fold"):
        model.fit_many(X, y, folds(len(y)), params_for(model))


@each("model", [L.LeastSquaresClassifier(), L.LinearDiscriminantAnalysis()], ids=repr)
def test_folds_are_numbers_of_rows_or_masks(model):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 3)), np.arange(40) % 2
    mask = np.arange(40) < 10
    ((by_mask,),) = model.fit_many(X, y, [mask], [{}])
    ((by_numbers,),) = model.fit_many(X, y, [list(range(10))], [{}])
    np.testing.assert_array_equal(by_mask.coef_, by_numbers.coef_)
    for folds, words in [
        ([[0.5, 1.7]], "fold 0 has shape (2,) and holds float64; give row numbers, or a mask"),
        ([mask[:5]], "fold 0 has shape (5,) and holds bool"),
        ([[0], [40]], "folds hold row 40; rows are 0 to 39"),
        ([], "folds is empty"),
    ]:
        with pytest.raises(ValueError, match=re.escape(words)):
            model.fit_many(X, y, folds, [{}])
