"""Foreign estimators: each predicts the nearest mean, and differs from the conventions in one way."""

import warnings
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import linclass


class Duck:
    """Nothing of scikit-learn's."""

    def fit(self, X, y):
        self.labels, codes = np.unique(y, return_inverse=True)
        self.means = np.array([X[codes == k].mean(axis=0) for k in range(len(self.labels))])
        return self

    def closeness(self, X):
        return -((X[:, None] - self.means) ** 2).sum(axis=2)

    def predict(self, X):
        return self.labels[self.closeness(X).argmax(axis=1)]


class Plain(ClassifierMixin, Duck, BaseEstimator):
    def fit(self, X, y):
        super().fit(X, y)
        self.classes_ = self.labels
        return self


class MixinsSwapped(Duck, BaseEstimator, ClassifierMixin):
    pass


class RequiredArgument(Duck, BaseEstimator):
    def __init__(self, width):
        self.width = width

    def closeness(self, X):
        return super().closeness(X) / self.width


class KeywordsOnly(Duck):
    def __init__(self, **settings):
        self.settings = settings

    def fit(self, X, y):
        assert self.settings == {"width": 2}
        return super().fit(X, y)


@dataclass
class Dataclass(Duck):
    width: float = 1.0


class WithoutSignature(Duck, dict):
    """As compiled classes are; inspect.signature raises ValueError."""


class Strings(Duck):
    """Its own classes are texts."""

    decision_function = Duck.closeness

    def fit(self, X, y):
        super().fit(X, np.asarray(y).astype(str))
        self.classes_ = self.labels
        return self


def predicting(name, changed):
    """A class whose predictions are changed so."""
    return type(name, (Duck,), {"predict": lambda self, X: changed(Duck.predict(self, X))})


Floats = predicting("Floats", lambda codes: codes.astype(np.float32))
Column = predicting("Column", lambda codes: codes[:, None])
List = predicting("List", lambda codes: codes.tolist())
Objects = predicting("Objects", lambda codes: codes.astype(object))


class DecisionFunction(Duck):
    decision_function = Duck.closeness


class Probabilities(Duck):
    def predict_proba(self, X):
        Z = self.closeness(X)
        P = np.exp(Z - Z.max(axis=1, keepdims=True))
        return P / P.sum(axis=1, keepdims=True)


class SinglePrecision(Probabilities):
    def predict_proba(self, X):
        return super().predict_proba(X).astype(np.float32)


class ClassesReversed(Probabilities):
    """Its columns are in the order of its classes_, which is not that of the codes."""

    decision_function = Duck.closeness

    def fit(self, X, y):
        super().fit(X, y)
        self.labels, self.means = self.labels[::-1], self.means[::-1]
        self.classes_ = self.labels
        return self


class LastClassUnknown(Probabilities):
    """It looks at all classes but the last."""

    def fit(self, X, y):
        super().fit(X[y < y.max()], y[y < y.max()])
        self.classes_ = self.labels
        return self


class NotImplementedByItsBase(Duck):
    def predict_proba(self, X):
        raise NotImplementedError

    def decision_function(self, X):
        raise NotImplementedError("only some of us have one")


class ReturnsNothing(Plain):
    def fit(self, X, y):
        super().fit(X, y)


class NotConverged(Duck):
    def fit(self, X, y):
        warnings.warn("stopped\nafter 3 steps", ConvergenceWarning, stacklevel=1)
        return super().fit(X, y)


class Talks(Duck):
    def fit(self, X, y):
        for step in range(1000):
            print("step", step)
            warnings.warn(f"step {step % 3}", UserWarning, stacklevel=1)
        return super().fit(X, y)


class WarningsAreErrors(Duck):
    def fit(self, X, y):
        warnings.simplefilter("error")
        return super().fit(X, y)


class OverflowIsAnError(Duck):
    def fit(self, X, y):
        np.seterr(all="raise")
        return super().fit(X, y)

    def predict_proba(self, X):
        np.seterr(all="raise")
        return np.eye(len(self.labels))[self.closeness(X).argmax(axis=1)]  # whose log is −∞


class SpoilsRows(Duck):
    """Zeroes the rows it was given when it is done with them."""

    def fit(self, X, y):
        super().fit(X, y)
        X[:] = 0
        return self

    def closeness(self, X):
        Z = super().closeness(X)
        X[:] = 0
        return Z

    decision_function = closeness


class SpoilsCodes(Duck):
    """As the textbook's perceptron, it calls the first class −1; with wait=1 it waits for the next candidate."""

    def __init__(self, wait=0):
        self.wait = wait

    def fit(self, X, y):
        y[y == 0] = -1
        return super().fit(X, y)

    def predict(self, X):
        return np.maximum(super().predict(X), 0)


class OwnChecks(Duck, BaseEstimator):
    """Methods of scikit-learn's and of our names, with other meanings."""

    def check(self, X, y):
        raise RuntimeError("not to be called by others")

    _validate_params = parts = check


class OwnAttributes(Duck):
    def fit(self, X, y):
        self.status_, self.n_iter_, self.trace_ = np.array(["a", "b"]), {"newton": 3}, 1
        self.reason_ = ["a", "b"]
        self.objective_, self.certificate_, self.certificate_kind_ = "binary", "yes", 3
        return super().fit(X, y)


class OurAttributes(Duck):
    """The attributes that the page about estimators documents as recorded."""

    def fit(self, X, y):
        self.status_, self.n_iter_, self.objective_ = "rank_deficient", [3, 7], 0.25
        return super().fit(X, y)


class TwoProcesses(Duck):
    def fit(self, X, y):
        super().fit(X, y)
        self.means = np.array(Parallel(n_jobs=2)(delayed(np.negative)(-m) for m in self.means))
        return self


class SeededByUs(Duck):
    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        assert isinstance(self.random_state, int)
        return super().fit(X, y)


class DerivedFromOurs(linclass.LogisticRegression):
    """Ours with another default and a parameter more."""

    def __init__(self, strength=1e-3, colour="red"):
        super().__init__(strength=strength)
        self.colour = colour


class DerivedFromTheirs(LogisticRegression):
    def __init__(self, C=100.0, colour="red"):
        super().__init__(C=C)
        self.colour = colour


class NeedsWeights(Plain):
    def fit(self, X, y, sample_weight):
        return super().fit(X, y)


class FitsRowsAlone(Plain):
    def fit(self, X):
        return self


class LooksUp(Plain):
    def __init__(self):
        {}["alpha"]


scaled = make_pipeline(StandardScaler(), SVC())


def factory(width=1.0):
    return Plain()
