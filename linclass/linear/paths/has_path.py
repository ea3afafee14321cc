"""Estimators with `path`: the fits at several strengths of a penalty."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from linclass.base.arrays import Array, ArrayLike, MatrixLike
from linclass.base.many_fits import COUNT, RegularizationPath, check_strengths
from linclass.base.messages import one_warning
from linclass.base.offsets import require_offsets_taken
from linclass.base.parameters import require_positive, require_whole
from linclass.linear.objective.objective import Objective
from linclass.linear.paths import strengths


class HasPath:
    """Mixin of estimators that have a `strength` and can be fitted at several at once."""

    paths: ClassVar[tuple[str, ...]] = ("strength",)  # parameters with `_path_values`
    fit: Callable[..., Any]
    check: Callable[[], None]
    _unfitted: Callable[..., Any]

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

    def _require_penalty(self) -> None:
        """Raise ValueError, with one sentence, if no strength acts on the fit."""

    def _path_objectives(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        offset: ArrayLike | None,
    ) -> list[Objective]:
        """The objectives of a fit to these rows, as a path at any strength minimizes them; checks the rows."""
        raise NotImplementedError

    def strength_path(
        self,
        X: MatrixLike,
        y: ArrayLike,
        n: int = COUNT,
        decades: float | None = None,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> Array:
        """Strengths in equal ratios, from the strongest that matters for these rows (linear/paths/strengths.py).

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Training rows; finite numbers.
        y : array of shape (n,)
            Class, or target, of each row.
        n : int, default=31
            Number of strengths, at least 2.
        decades : float or None, default=None
            Powers of ten between the strongest and the weakest. None is 5 for penalties with a kink at 0, whose
            strongest leaves all weights 0, and 7 for others, whose strongest explains at most 1 % of the loss.
        sample_weight : array of shape (n,) or None, default=None
            Weight of each row, at least 0; None weighs all rows equally.
        offset : array of shape (n,), or (n, K) for more than two classes, or None, default=None
            Known part of the scores of the training rows, for models whose `fit` takes one. None is 0.

        Returns
        -------
        array of shape (n,)
            Strengths, the strongest first, for `path`, TunedClassifier or TunedRegressor.
        """
        require_whole("n", n, 2)
        if decades is not None:
            require_positive("decades", decades)
        if offset is not None:
            require_offsets_taken(self.fit)
        self._require_penalty()
        first = self._unfitted(strength=1.0)
        first.check()
        objectives = first._path_objectives(X, y, sample_weight, offset)
        return strengths.from_data(objectives, n, decades)

    def _path_values(self, parameter: str, X: MatrixLike, y: ArrayLike) -> Array:
        """The values of a parameter that a study tunes over with `path`."""
        return self.strength_path(X, y)

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
        self._require_penalty()
        fits = self._fits_at(check_strengths(strengths), X, y, sample_weight, offset)
        return RegularizationPath(fits)
