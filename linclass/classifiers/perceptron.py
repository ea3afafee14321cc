"""Perceptron:  ŷ = sign(w·x + b), learned from mistakes alone:  w ← w + η y x  at each of them.

On separable data it ends with every training row right; on others it would go on for ever, and
`status_` says so. With K classes a mistake pulls the own class's w_k and pushes its rival's
(Kesler's construction). Its answer depends on the order of rows, so it takes no sample_weight; by
default they come reshuffled for every pass, for tables often list one class after the other.
Rosenblatt (1958), Psychological Review 65; Duda, Hart & Stork (2001), §5.5
"""

from __future__ import annotations

from typing import Any, Self

from linclass.classifiers.linear_classifier import LinearClassifier
from linclass.solvers.perceptron_rule import PerceptronRule


class Perceptron(LinearClassifier):
    """After `fit`, `n_mistakes_` is the number of corrections made in all."""

    loss = "perceptron"
    penalty = None
    strength = 0.0
    class_weight = None
    n_mistakes_: int

    def __init__(
        self,
        *,
        order: str = "random",
        step: float = 1.0,
        fit_intercept: bool = True,
        max_iter: int | None = None,
        warm_start: bool = False,
        trace: bool = False,
        random_state: Any = 0,
    ):
        self.order = order
        self.step = step
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.trace = trace
        self.random_state = random_state

    @property
    def solver(self) -> PerceptronRule:
        return PerceptronRule(
            max_iter=self.max_iter,
            step=self.step,
            order=self.order,
            random_state=self.random_state,
        )

    def fit(self, X: Any, y: Any) -> Self:  # type: ignore[override]
        return super().fit(X, y)
