"""Base of the classifiers that correct rows whose margin is at most β: perceptrons, passive–aggressive, relaxation."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from linclass.base.arrays import Array
from linclass.linear.solvers.blocks import Block
from linclass.linear.solvers.corrections import Corrections, ManyClasses, Rule, Tally, TwoClasses
from linclass.online.online_classifier import OnlineClassifier


class MarginCorrections(OnlineClassifier):
    keeps_grams: ClassVar[bool] = True

    def _rule(self) -> Rule:
        raise NotImplementedError

    def _pass(self, rows: Any, codes: Array, weights: Array, tally: Tally) -> None:
        super()._pass(rows, codes, weights, tally)
        tally.close(self._rule().reach)

    def _visit(self, block: Block, codes: Array, weights: Array, tally: Tally) -> None:
        self._correct(block, codes, weights, tally)

    def _correct(
        self, block: Block, codes: Array, weights: Array, tally: Tally
    ) -> tuple[Corrections, Array]:
        """Correct θ; what was corrected, and the coefficients of the rows."""
        if block.response is None:
            kind = TwoClasses if self._theta.ndim == 1 else ManyClasses
            block.response = kind(block.gram(), codes, weights, self._rule())
        coefficients = block.response.correct(block.scores(self._theta), tally)
        block.add(self._theta, coefficients)
        return block.response, coefficients


def reciprocal(squares: Array) -> Array:
    """1/‖x‖², and 0 for rows of length 0."""
    with np.errstate(divide="ignore", over="ignore"):
        return np.where(squares > 0, 1 / squares, 0.0)
