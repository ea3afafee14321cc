"""Estimators with `path`: the fits at several strengths of a penalty."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from linclass.annotations import ArrayLike, MatrixLike
from linclass.batches.regularization_path import RegularizationPath, check_strengths
from linclass.conventions.convergence_warning import one_warning
from linclass.conventions.offsets import require_offsets_taken


class HasPath:
    """Mixin of estimators that have a `strength` and can be fitted at several at once."""

    fit: Callable[..., Any]

    def _fits_at(
        self,
        strengths: Sequence[float],
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        offset: ArrayLike | None,
    ) -> list[Any]:
        """Fitted copies of this estimator, in the order of the strengths."""
        raise NotImplementedError

    @one_warning
    def path(
        self,
        X: MatrixLike,
        y: ArrayLike,
        strengths: Sequence[float],
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> RegularizationPath:
        """The fits at several strengths, each started from the solution at the next stronger one; without a trace.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Training rows; finite numbers.
        y : array of shape (n,)
            Class, or target, of each row.
        strengths : sequence of float
            Strengths of the penalty, above 0, in any order.
        sample_weight : array of shape (n,) or None, default=None
            Weight of each row, at least 0; None weighs all rows equally.
        offset : array of shape (n,), or (n, K) for more than two classes, or None, default=None
            Known part of the scores of the training rows, for models whose `fit` takes one. None is 0.

        Returns
        -------
        RegularizationPath
            Fitted copies of this estimator, in the order of `strengths`. The estimator itself is not
            changed.
        """
        if offset is not None:
            require_offsets_taken(self.fit)
        fits = self._fits_at(check_strengths(strengths), X, y, sample_weight, offset)
        return RegularizationPath(fits)
