"""The predictions that a study records are those of the classifier's methods, though scores are computed once."""

import numpy as np
import pytest
from cases import each

import linclass
from linclass.base.classifier import Classifier
from linclass.base.messages import NotApplicable
from linclass.base.predicted import predictions_of

RNG = np.random.default_rng(3)
CLASSIFIERS = [
    name
    for name in linclass.__all__
    if isinstance(found := getattr(linclass, name), type) and issubclass(found, Classifier)
]


@each("K", [2, 3])
@each("name", CLASSIFIERS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_codes_scores_and_probabilities_are_those_of_the_classifiers_methods(
    name: str, K: int
) -> None:
    y = np.arange(30) % K
    X = RNG.integers(0, 3, (30, 4)) + (y[:, None] == np.arange(4))
    try:
        model = getattr(linclass, name)().fit(X, y)
    except NotApplicable as refusal:
        pytest.skip(str(refusal))
    codes, score, log_proba = predictions_of(model, X, K)
    Z = model.decision_function(X)
    assert np.array_equal(codes, model.predict(X))
    assert np.array_equal(score[:, 1] - score[:, 0] if K == 2 else score, Z)
    assert (log_proba is None) != hasattr(model, "predict_log_proba")
    if log_proba is not None:
        assert np.array_equal(log_proba, model.predict_log_proba(X))


def test_the_scores_are_worked_out_once() -> None:
    class Counted(linclass.LogisticRegression):
        looks = 0

        def decision_function(self, X: np.ndarray) -> np.ndarray:
            self.looks += 1
            return super().decision_function(X)

    Counted.__module__ = "linclass.base.messages"
    X, y = RNG.normal(size=(20, 2)), np.arange(20) % 2
    model = Counted().fit(X, y)
    predictions_of(model, X, 2)
    assert model.looks == 1
