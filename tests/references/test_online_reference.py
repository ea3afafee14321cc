"""The weights of scikit-learn's compiled loops, after the same passes over the same rows in the same order."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from cases import each
from scipy import sparse
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import SGDClassifier

from linclass import Adaline, AveragedPerceptron, PassiveAggressive, Perceptron
from linclass.base.messages import silently

CASES: dict[str, tuple[Any, dict[str, Any]]] = {
    "PA-I": (
        PassiveAggressive(aggressiveness=0.1),
        {"loss": "hinge", "learning_rate": "pa1", "eta0": 0.1},
    ),
    "PA-II": (
        PassiveAggressive(variant="PA-II", aggressiveness=0.1),
        {"loss": "hinge", "learning_rate": "pa2", "eta0": 0.1},
    ),
    "averaged perceptron": (
        AveragedPerceptron(),
        {"loss": "perceptron", "learning_rate": "constant", "eta0": 1.0, "average": True},
    ),
    "AdaLine": (
        Adaline(learning_rate=1e-3),
        {"loss": "squared_error", "learning_rate": "constant", "eta0": 1e-3},
    ),
}


def rows() -> tuple[Any, Any]:
    X, y = load_breast_cancer(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


@each("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@each("name", CASES)
def test_weights_are_those_of_the_compiled_loop(name, kind):
    X, y = rows()
    ours, peer = CASES[name]
    options = {"max_iter": 3, "fit_intercept": False}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = SGDClassifier(penalty=None, shuffle=False, tol=None, **options, **peer).fit(X, y)
    with silently():
        model = type(ours)(**(ours.get_params() | options | {"order": "cyclic"})).fit(kind(X), y)
    np.testing.assert_allclose(model.coef_, theirs.coef_, rtol=1e-8, atol=1e-10)


def test_the_perceptron_by_parts_is_scikit_learns():
    X, y = rows()
    from sklearn.linear_model import Perceptron as Theirs

    ours, theirs = Perceptron(fit_intercept=False), Theirs(fit_intercept=False, shuffle=False)
    for part in np.array_split(np.arange(len(y)), 5):
        ours.partial_fit(X[part], y[part], classes=[0, 1])
        theirs.partial_fit(X[part], y[part], classes=[0, 1])
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9, atol=1e-12)
