"""Perceptron:  ŷ = sign(w·x + b), trained on its mistakes:  w ← w + η y x  at each misclassified row.

On separable data it stops when every training row is classified correctly; otherwise it stops at max_iter, and
`status_` says so. With K classes a mistake adds x to w_k of the true class and subtracts it from w_l of the predicted
one (Kesler's construction). The pocket algorithm with ratchet keeps the best of the weights that it tests on all rows:
the first, the last of each pass, and those that classified a longer run of successive rows correctly than the kept
ones. A row of weight w is visited w times in succession, but not after it is
right; the last time by the fraction left. By default the rows are shuffled before each pass, because tables often list
one class after the other. The random order depends on what the rows contain, and equal rows are neighbours.

Predicts: scores, linear in x.
Cost: O(n d K) per pass over the rows.
Certificate: training mistakes, as a share of the rows.
Reference: Rosenblatt (1958), Psychological Review 65; Gallant (1990), IEEE Trans. Neural Networks 1;
    Duda, Hart & Stork (2001), §5.5.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from linclass.base.arrays import ClassWeight, Seed
from linclass.linear.linear_classifier import LinearClassifier
from linclass.linear.solvers.perceptron_rule import PerceptronRule


class Perceptron(LinearClassifier):
    """Parameters
    ----------
    order : {'random', 'cyclic'}, default='random'
        Order of the rows: shuffled for each pass, or as given.
    learning_rate : float, default=1.0
        Learning rate η, above 0. Started from zero, only the scale of the weights depends on it.
    max_iter : int or None, default=None
        Limit on the number of passes over the rows. None is 100.
    random_state : int, numpy.random.Generator or None, default=0
        Seed of the order 'random'. None draws a new one for each fit.

    Attributes
    ----------
    n_mistakes_ : int
        Number of corrections in all passes, each visit to a row one.
    """

    loss = "perceptron"
    penalty = None
    strength = 0.0
    learning_rate: float
    n_mistakes_: int

    penalized: ClassVar[str] = "LogisticRegression or LinearSVM"
    _counts_rows = True

    def __init__(
        self,
        *,
        order: str = "random",
        learning_rate: float = 1.0,
        fit_intercept: bool = True,
        max_iter: int | None = None,
        warm_start: bool = False,
        trace: bool | Callable[[Any], float] = False,
        random_state: Seed = 0,
        class_weight: ClassWeight = None,
    ):
        self.order = order
        self.learning_rate = learning_rate
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.trace = trace
        self.random_state = random_state
        self.class_weight = class_weight

    @property
    def solver(self) -> PerceptronRule:
        """The perceptron rule with these parameters."""
        return PerceptronRule(
            max_iter=self.max_iter,
            learning_rate=self.learning_rate,
            order=self.order,
            random_state=self.random_state,
        )
