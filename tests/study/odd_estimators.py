"""Foreign estimators with one fault each, which is their name."""

import os
import time

import numpy as np


class Fine:
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.means_ = np.array([X[y == k].mean(axis=0) for k in self.classes_])
        return self

    def predict(self, X):
        return self.classes_[((X[:, None] - self.means_) ** 2).sum(axis=2).argmin(axis=1)]


class TooFewRows(Fine):
    def predict(self, X):
        return super().predict(X)[:-1]


class UnprintableReason(Fine):
    def fit(self, X, y):
        raise RuntimeError("\ud800")


class UnwritableStatus(Fine):
    status_, reason_ = "max_iter", "stopped at \ud800"


class WrappedMemoryError(Fine):
    def fit(self, X, y):
        try:
            raise MemoryError("no room")
        except MemoryError as error:
            raise ValueError("could not fit") from error


class ForksAndDies(Fine):
    """The forked process must not answer for the fit, now or later."""

    def fit(self, X, y):
        if os.fork() == 0:
            raise ValueError("the forked process died")
        time.sleep(0.2)
        return super().fit(X, y)


class ForksAndReturns(Fine):
    def fit(self, X, y):
        os.fork()
        return super().fit(X, y)


class ForksForMemory(Fine):
    def fit(self, X, y):
        for _ in range(4):
            if os.fork() == 0:
                held = np.ones(25_000_000)
                time.sleep(30)
                os._exit(int(held[0]))
        time.sleep(30)
        return super().fit(X, y)


class SpoilsItsInput(Fine):
    """With spoil=1 it zeroes what it is given; that must not reach the next candidate."""

    def __init__(self, spoil=0):
        self.spoil = spoil

    def fit(self, X, y):
        super().fit(X, y)
        if self.spoil:
            X[:] = 0
            self.means_[:] = np.arange(len(self.means_))[:, None]  # as good as none
        return self


class GlobalRandomState(Fine):
    def predict(self, X):
        return np.random.randint(0, 2, len(X))  # noqa: NPY002 – that is the point


class DiesTogether(Fine):
    """Fine alone, but not with others."""

    def fit_many(self, X, y, folds, params, scaling=None):
        os._exit(3)


class Hangs(Fine):
    def fit(self, X, y):
        time.sleep(60)


class HangsTogether(Fine):
    def fit_many(self, X, y, folds, params, scaling=None):
        time.sleep(60)


class FailsTogether(Fine):
    """Its joint fits cannot predict."""

    def fit_many(self, X, y, folds, params, scaling=None):
        return [[object()] for _ in folds]


class Remembers(Fine):
    """Draws from a generator of its module: what it gives depends on what its process did before."""

    def predict(self, X):
        return np.where(GENERATOR.random(len(X)) < 0.5, *self.classes_)


GENERATOR = np.random.default_rng(11)


class KnowsItsRowsOnly(Fine):
    """Refuses the points of a grid, as a model of counts does."""

    def predict(self, X):
        if len(X) > 1000:
            raise ValueError("negative counts")
        return super().predict(X)
