"""Base of the classifiers that learn from one row after another.

`fit` makes passes over the rows until a pass meets the stopping test of the model, or `max_iter`; `partial_fit` makes
one pass over more rows, in the order given. Bounds on mistakes hold for any order. A row of weight w is visited w times
in succession, so a row of weight two is the row twice.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse

from linclass.base.arrays import Array, ArrayLike, ClassWeight, Matrix, MatrixLike, PerRow, Seed
from linclass.base.classifier import Classifier
from linclass.base.linear_scores import LinearGeometry, LinearScores, scores_of_stack
from linclass.base.messages import counted, require_memory, silently
from linclass.base.parameters import require_whole
from linclass.linear.partial_fit import begin_with, nothing_if_refused, rows_of_call
from linclass.linear.solvers.corrections import (
    SLAB,
    STORED_BYTES,
    Block,
    Corrections,
    ManyClasses,
    Rule,
    Tally,
    TwoClasses,
    blocks_of_rows,
    bytes_of_blocks,
    random_order,
    stays_sparse,
)

ORDERS = ("random", "cyclic")


class OnlineClassifier(Classifier):
    """A subclass says how θ, (d + 1,) or (d + 1, K), changes at the rows of a block: by a `_rule` that corrects rows of
    small margin, or by its own `_visit`.

    Parameters
    ----------
    order : {'random', 'cyclic'}
        Order of the rows in `fit`: 'random' shuffles the rows once, by their content and the seed, not by
        the order given; 'cyclic' takes them as given.
    max_iter : int
        Limit on the number of passes over the rows.
    random_state : int, numpy.random.Generator or None
        Seed of the order 'random'. None draws a new one for each fit.
    """

    keeps_grams: ClassVar[bool] = False  # whether blocks keep K
    begun_with: ClassVar[tuple[str, ...]] = ("fit_intercept",)  # cannot change while it learns
    n_mistakes_: int
    _theta: Array
    _visits: float

    def __init__(
        self,
        *,
        order: str = "random",
        fit_intercept: bool = True,
        max_iter: int = 10,
        random_state: Seed = 0,
        class_weight: ClassWeight = None,
    ):
        self.order = order
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.random_state = random_state
        self.class_weight = class_weight

    @property
    def _counts_rows(self) -> bool:
        return True

    def _rule(self) -> Rule | None:
        """The rule of corrections, for models that correct rows of small margin; else None."""
        return None

    def _visit(self, block: Block, codes: Array, weights: Array, tally: Tally) -> None:
        """Change θ at the rows of a block, one after another."""
        self._correct(block, codes, weights, tally)

    def _correct(
        self, block: Block, codes: Array, weights: Array, tally: Tally
    ) -> tuple[Corrections, Array]:
        """Correct θ by the rule; what was corrected, and the coefficients of the rows."""
        rule = self._rule()
        if block.response is None and rule is not None:
            kind = TwoClasses if self._theta.ndim == 1 else ManyClasses
            block.response = kind(block.gram(), codes, weights, rule)
        coefficients = block.response.correct(block.scores(self._theta), tally)
        block.add(self._theta, coefficients)
        return block.response, coefficients

    def _has_settled(self, tally: Tally) -> bool:
        """Whether no further pass is needed, from what happened in the last one."""
        return tally.mistakes == 0

    def _diverged(self, tally: Tally) -> str:
        """Why further passes would only make θ larger, with the remedy; empty if they would not."""
        return ""

    def _accept(self, X: Matrix) -> None:
        """Refuse rows, or a number of classes, that the rule is not for."""

    def _ask_for_memory(self, X: Matrix, kept: bool) -> None:
        """Raise NotApplicable if the blocks of these rows do not fit into memory."""
        needed = bytes_of_blocks(X, self.fit_intercept, kept, self.keeps_grams)
        n, d = X.shape
        me, form = type(self).__name__, "sparse" if stays_sparse(X) else "dense"
        what = f"{me} takes {min(n, SLAB)} {form} rows of {d} features at a time"
        if kept:
            what = f"{me}.fit keeps {n} {form} rows of {d} features for all passes, as partial_fit does not"
            if self.order == "random":  # a copy in this order
                needed += STORED_BYTES * X.nnz if sparse.issparse(X) else 8 * n * d
        require_memory(needed, what)

    def check(self) -> None:
        super().check()
        if self.order not in ORDERS:
            raise ValueError(f"order is {self.order!r}; use {' or '.join(ORDERS)}.")
        require_whole("max_iter", self.max_iter, 1)

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None) -> Self:
        X, codes, weights = self._start_fit(X, y, sample_weight)
        self._accept(X)
        self._ask_for_memory(X, kept=True)
        if self.order == "random":
            rows = random_order(X, codes, self.random_state)
            X, codes, weights = X[rows], codes[rows], weights[rows]
        begin_with(self, self.begun_with)
        self._begin(X, weights)
        kept, whole, n_iter = list(blocks_of_rows(X, self.fit_intercept)), Tally(), 0
        while n_iter < self.max_iter:
            n_iter += 1
            tally = Tally(visits=whole.visits)
            self._pass(kept, codes, weights, tally)
            whole.add(tally)
            if (reason := self._diverged(tally)) or self._has_settled(tally):
                break
        else:
            reason = f"{counted(n_iter, 'pass')} over the rows did not suffice."
        return self._conclude(X, codes, weights, whole, n_iter, reason)

    def partial_fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: PerRow = None,
    ) -> Self:
        """Make one more pass, over these rows in the order given.

        Parameters
        ----------
        classes : sequence or None, default=None
            All classes, in the first call. None takes the classes of its rows.

        Returns
        -------
        self
        """
        first = not hasattr(self, "_theta")
        with nothing_if_refused(self, first):
            X, codes, weights = rows_of_call(self, first, X, y, classes, sample_weight)
        self._accept(X)
        self._ask_for_memory(X, kept=False)
        if first:
            begin_with(self, self.begun_with)
            self._begin(X, weights)
        tally = Tally(visits=0.0 if first else self._visits)
        self._pass(blocks_of_rows(X, self.fit_intercept), codes, weights, tally)
        with silently():
            reason = self._diverged(tally) or "partial_fit makes one pass."
            return self._conclude(X, codes, weights, tally, 1, reason)

    def _begin(self, X: Matrix, weights: Array) -> None:
        """θ = 0."""
        K, width = len(self.classes_), X.shape[1] + bool(self.fit_intercept)
        self._theta = np.zeros(width if K == 2 else (width, K))

    def _pass(self, rows: Any, codes: Array, weights: Array, tally: Tally) -> None:
        for block in rows:
            self._visit(block, codes[block.slice], weights[block.slice], tally)
        if (rule := self._rule()) is not None:
            tally.close(rule.reach)

    def _conclude(
        self, X: Matrix, codes: Array, weights: Array, tally: Tally, n_iter: int, reason: str
    ) -> Self:
        """Set the fitted attributes."""
        self._visits = tally.visits
        self._report_mistakes(tally)
        self._set_model()
        status = "max_iter" if reason else "converged"
        return self._record(status, reason, **self._certified(X, codes, weights), n_iter=n_iter)

    def _set_model(self) -> None:
        """Set what predictions need."""
        raise NotImplementedError

    def _report_mistakes(self, tally: Tally) -> None:
        self.n_mistakes_ = int(tally.mistakes)

    def _certified(self, X: Matrix, codes: Array, weights: Array) -> dict[str, Any]:
        """The share of the rows that are misclassified."""
        Z = self.decision_function(X)
        predicted = Z > 0 if Z.ndim == 1 else Z.argmax(axis=1)
        wrong = float(np.average(predicted != codes, weights=weights))
        return {"certificate": wrong, "certificate_kind": "training_mistakes"}


class LinearOnlineClassifier(LinearGeometry, OnlineClassifier):
    """Base of the models that have one θ.

    Attributes
    ----------
    coef_
    intercept_
    """

    _scores_of_stack = staticmethod(scores_of_stack)

    decision_function = LinearScores.decision_function

    def _parameters(self) -> Array:
        """θ of the fitted model."""
        return self._theta

    def _set_model(self) -> None:
        theta, d = np.atleast_2d(self._parameters().T), self.n_features_in_
        self.coef_ = np.array(theta[:, :d])
        self.intercept_ = theta[:, d].copy() if self.fit_intercept else np.zeros(len(theta))


def reciprocal(squares: Array) -> Array:
    """1/‖x‖², and 0 for rows of length 0."""
    with np.errstate(divide="ignore", over="ignore"):
        return np.where(squares > 0, 1 / squares, 0.0)
