"""Over all models: declared orders of simplicity are right, and tuning breaks ties by them, also in studies."""

import numpy as np
import pytest
from cases import each
from models import MODULES, own_classes
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import linclass as L
from linclass.base.estimator import Estimator
from linclass.base.parameters import defaults_of
from linclass.base.tables import Table
from linclass.tuning import selection
from linclass_study.pipeline.fitted import Task
from linclass_study.pipeline.fitting import fit_method
from linclass_study.pipeline.method import Method

KINDS = [kind for module in MODULES for kind in own_classes(module) if issubclass(kind, Estimator)]
VALUES = {  # the least simple and the simplest
    "strength": (1e-3, 10.0), "shrinkage": (0.0, 1.0), "pooling": (0.0, 1.0), "smoothing": (1e-3, 100.0),
    "var_smoothing": (1e-9, 100.0), "threshold": (0.0, 5.0), "aggressiveness": (10.0, 1e-4), "ridge": (1e-3, 1e3),
    "subclasses": (3, 1), "n_components": (2, 1), "n_steps": (6, 1),
}  # fmt: skip
SAID = [(kind, name) for kind in KINDS for name in kind.simpler if name in defaults_of(kind)]
Y = np.arange(48) % 3
X = np.random.default_rng(5).poisson(3.0, (48, 6)) + np.eye(3, 6)[Y]


def explained(kind, **params):
    """The fit to the training rows: mean ln P if it has probabilities, otherwise its score. A perceptron
    minimizes neither, and its scores grow with its steps; least squares minimize a loss with L2.
    """
    two = bool(getattr(kind, "for_more_classes", ""))
    y = np.minimum(Y, 1) if two else Y
    model = kind(**params).fit(X, y)
    if kind in (L.PassiveAggressive, L.SecondOrderPerceptron):
        return float(model.decision_function(X).std())
    if kind is L.LeastSquaresClassifier:
        return float(model.strength * (model.coef_**2).sum() / 2 - model.objective_)
    if hasattr(model, "predict_log_proba"):
        return float(model.predict_log_proba(X)[np.arange(len(y)), y].mean())
    return float(model.score(X, y))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@each(("kind", "name"), SAID)
def test_a_simpler_model_fits_its_rows_no_better(kind, name):
    least, most = VALUES[name]
    mixture = kind is L.MixtureDiscriminantAnalysis and name != "subclasses"
    beside = {}
    if mixture:
        beside = {"subclasses": 1}  # of several the joint likelihood is fitted
    elif name == "strength" and defaults_of(kind).get("penalty", "l2") is None:
        beside = {"penalty": "l2"}
    simplest, other = (explained(kind, **{name: value}, **beside) for value in (most, least))
    assert simplest <= other + 1e-9
    assert kind.simpler[name] == np.sign(most - least)


@each("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_class_ranks_only_its_own_parameters_by_simplicity(kind):
    own = {*kind.simpler} - {"strength"}  # which means one thing in all classes
    assert own <= {*defaults_of(kind)}
    assert {*defaults_of(kind)} & {"shrinkage", "smoothing", "n_components"} <= own


def chosen(estimator, name, values, rule):
    """The value that is chosen where all are equally good."""
    options, scores = [{name: value} for value in values], np.zeros((2, len(values)))
    return options[selection.RULES[rule](options, scores, estimator)][name]


@each("rule", selection.RULES)
def test_the_simplest_of_equally_good_candidates_is_chosen(rule):
    centroids = make_pipeline(StandardScaler(), L.NearestShrunkenCentroids())
    step = "nearestshrunkencentroids__threshold"
    for estimator, name, values, simplest in [
        (L.NearestShrunkenCentroids(), "threshold", [0.5, 2.0, 1.0], 2.0),
        (centroids, step, [0.5, 2.0, 1.0], 2.0),
        (L.OneVsRest(centroids), f"estimator__{step}", [0.5, 2.0, 1.0], 2.0),
        (L.RegularizedDiscriminantAnalysis(), "pooling", [0.0, 1.0], 1.0),
        (L.PassiveAggressive(), "aggressiveness", [1.0, 0.1], 0.1),
        (L.OneVsRest(SGDClassifier()), "estimator__alpha", [0.1, 1.0], 1.0),
        (None, "C", [1.0, 0.1], 0.1),
        (L.Winnow(), "threshold", [1.0, 2.0], 1.0),  # the earlier one: it says nothing about it
        (object(), "threshold", [1.0, 2.0], 1.0),
        (L.OneVsRest(), "strength", [None, 0.1], 0.1),  # what is not a number is the least simple
    ]:
        assert chosen(estimator, name, values, rule) == simplest


def test_the_one_standard_error_rule_prefers_large_centroid_thresholds():
    """The classes lie 8 deviations apart, so every threshold that keeps their features is right on every row."""
    rows = np.random.default_rng(0).standard_normal((60, 4)) + 8 * np.eye(3, 4)[np.arange(60) % 3]
    grid = {"threshold": [0.0, 0.5, 1.0, 50.0]}
    model = L.TunedClassifier(L.NearestShrunkenCentroids(), strengths=None, param_grid=grid, cv=3)
    for rule in selection.RULES:
        fitted = model.set_params(rule=rule).fit(rows, np.arange(60) % 3)
        assert fitted.best_params_ == {"threshold": 1.0}
    method = Method(L.NearestShrunkenCentroids, {}, tune=grid)
    task = Task(n_classes=3, positive=2, inner_folds=3)
    table = Table(rows, ("a", "b", "c", "d"))
    assert fit_method(method, table, np.arange(60) % 3, task, 1).chosen["threshold"] == 1.0
