"""Scores, probabilities and classes belong together, also those coupled from pairs of classes."""

from dataclasses import replace

import numpy as np
import pytest
from cases import each
from models import MODULES, own_classes
from scipy.special import expit

import linclass
from linclass import GaussianNB, NearestMean
from linclass.base.classifier import Classifier
from linclass.base.messages import NotApplicable, silently
from linclass.base.predicted import predictions_of
from linclass.base.tables import Table
from linclass.multiclass.one_vs_one import couple
from linclass.naive_bayes.naive_bayes import NaiveBayes
from linclass.tuning.folds import stratified_folds
from linclass_study.files.yaml_file import read_yaml
from linclass_study.pipeline import fitting
from linclass_study.pipeline.fitted import Task
from linclass_study.pipeline.fitting import fit_folds, predict_folds, predict_held_out
from linclass_study.pipeline.method import Method
from linclass_study.project import ROOT

# Laws of predictions of many folds at once: those of each fold are what its fit predicts alone, for every classifier

STACKED = [
    kind for module in MODULES for kind in own_classes(module) if hasattr(kind, "_scores_of_stack")
]
TWO_CLASSES = {"ProbitRegression", "RelevanceVectorMachine", "SecondOrderPerceptron", "Winnow"}
ONE_BY_ONE = {"LinearClassifier", "LinearSVM", "LogisticRegression", "Perceptron"}  # their folds
ALONE = TWO_CLASSES | ONE_BY_ONE
TOGETHER = [kind for kind in STACKED if hasattr(kind, "fit_many") and kind.__name__ not in ALONE]
MODELS = {kind.__name__: kind for kind in STACKED} | {
    name: Method.from_entry(
        entry
    ).estimator  # with parameters that may change how scores are computed
    for name, entry in read_yaml(ROOT / "config" / "methods.yaml").items()
    if any(entry["classifier"] == f"linclass.{kind.__name__}" for kind in STACKED)
}
STEPS = {
    "as they are": (),
    "standardized": (("standardize", {}),),
    "imputed and standardized": (("impute", {}), ("standardize", {})),
}


def rows(K, n=95):
    """Counts, which every classifier takes, in folds of unequal sizes."""
    rng = np.random.default_rng(K)
    y = rng.permutation(np.arange(n) % K)
    X = rng.poisson(2 + 3 * np.eye(4)[y] + [0, 20, 0, 0]).astype(float)
    return Table(X, ("a", "b", "c", "d")), y


def task(K):
    return Task(n_classes=K, positive=0)


@each("K", [2, 3], quick=1)
@each("model", MODELS.values(), ids=MODELS)
def test_a_stack_has_the_scores_of_each_model(model, K):
    kind = type(model())
    table, y = rows(2 if kind.__name__ in TWO_CLASSES else K)
    parts = np.array_split(np.arange(90), 3)
    with silently():
        models = [model().fit(table.X[part], y[part]) for part in parts]
    X = np.stack([table.X[part] for part in parts])
    alone = [one.decision_function(own) for one, own in zip(models, X, strict=True)]
    assert np.allclose(kind._scores_of_stack(models, X.copy()), alone, rtol=1e-12, atol=1e-12)


@each("steps", STEPS.values(), ids=STEPS)
@each("K", [2, 3])
@each("kind", TOGETHER, ids=lambda kind: kind.__name__)
def test_each_fold_is_predicted_as_alone(kind, K, steps):
    if steps and issubclass(kind, NaiveBayes):
        pytest.skip("counts and shares cannot be rescaled")
    table, y = rows(K)
    folds = stratified_folds(y, 7, seed=0)
    held_out = [np.flatnonzero(folds == k) for k in range(7)]
    assert len({*map(len, held_out)}) > 1
    fits = fit_folds(Method(kind, transforms=steps), table, y, held_out, task(K))
    assert_as_alone(fits, table, held_out)


def fitted_folds(kind=GaussianNB):
    table, y = rows(3)
    held_out = list(np.array_split(np.arange(len(y)), 5))
    steps = STEPS["standardized"]
    return fit_folds(Method(kind, transforms=steps), table, y, held_out, task(3)), table, held_out


def assert_as_alone(fits, table, held_out, failed=()):
    together = predict_folds(fits, table, held_out)
    for k, (found, fitted, fold) in enumerate(zip(together, fits, held_out, strict=True)):
        assert (found is None) == (k in failed)
        if found is None:
            continue
        alone = predict_held_out(fitted, table, fold)
        assert np.allclose(found.first.X, alone.first.X, rtol=1e-13, atol=1e-13)
        for one, other in zip(found.prediction, alone.prediction, strict=True):
            assert type(one) is type(other)
            if one is not None:
                assert (one.dtype, one.shape) == (other.dtype, other.shape)
                assert np.allclose(one, other, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("stack", [1, 200, 300])
def test_stacks_of_any_size_agree(stack, monkeypatch):
    monkeypatch.setattr(fitting, "STACK", stack)
    assert_as_alone(*fitted_folds())


def test_a_fold_that_cannot_be_predicted_concerns_no_other():
    fits, table, held_out = fitted_folds(NearestMean)
    table.X[held_out[2][0]] = np.nan
    assert_as_alone(fits, table, held_out, failed=[2])


def test_costs_decide_in_every_fold():
    fits, table, held_out = fitted_folds()
    costs = [[0.0, 1.0, 9.0], [1.0, 0.0, 9.0], [1.0, 1.0, 0.0]]
    by_costs = [
        replace(fit, method=replace(fit.method, by_costs=True), task=replace(fit.task, costs=costs))
        for fit in fits
    ]
    assert_as_alone(by_costs, table, held_out)


# The predictions that a study records are those of the classifier's methods, though scores are computed once


@each("K", [2, 3])
@each("name", [
    name
    for name in linclass.__all__
    if isinstance(found := getattr(linclass, name), type) and issubclass(found, Classifier)
])  # fmt: skip
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_codes_scores_and_probabilities_are_those_of_the_classifiers_methods(name, K):
    y = np.arange(30) % K
    X = np.random.default_rng(3).integers(0, 3, (30, 4)) + (y[:, None] == np.arange(4))
    try:
        model = getattr(linclass, name)().fit(X, y)
    except NotApplicable as refusal:
        pytest.skip(str(refusal))
    codes, score, log_proba = predictions_of(model, X, K)
    assert np.array_equal(codes, model.predict(X))
    one = score[:, 1] - score[:, 0] if K == 2 else score
    assert np.array_equal(one, model.decision_function(X))
    assert (log_proba is None) != hasattr(model, "predict_log_proba")
    assert log_proba is None or np.array_equal(log_proba, model.predict_log_proba(X))


# Pairwise coupling: consistent pairs are recovered, inconsistent ones get the optimum of each objective


def pairs(K, n=40, size=2.0):
    """Inconsistent r with r_ij + r_ji = 1."""
    Z = size * np.random.default_rng(K).normal(size=(n, K, K))
    return expit(Z - Z.swapaxes(1, 2))


def consistent(p):
    return p[:, :, None] / (p[:, :, None] + p[:, None, :])


@each("K", [2, 3, 7])
def test_consistent_pairs_are_recovered(K):
    p = np.random.default_rng(K).dirichlet(np.full(K, 0.5), 50)
    p = (p + 1e-6) / (p + 1e-6).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(np.exp(couple(consistent(p))), p, rtol=1e-8)


def squares(p, R):
    """Wu, Lin and Weng's objective, term by term."""
    K = len(p)
    return sum((R[j, i] * p[i] - R[i, j] * p[j]) ** 2 for i in range(K) for j in range(K) if i != j)


@each("size", [0.5, 2.0, 20.0])
def test_wu_lin_wengs_probabilities_are_optimal_by_karush_kuhn_and_tucker(size):
    """On the simplex: one slope for all classes, as each has a positive probability."""
    for R in pairs(4, size=size):
        p = np.exp(couple(R[None])[0])
        slopes = [
            (squares(p + 1e-4 * e, R) - squares(p - 1e-4 * e, R)) / 2e-4 for e in np.eye(4)
        ]  # exact, for a quadratic
        assert (p > 0).all()
        assert np.ptp(slopes) < 1e-9
