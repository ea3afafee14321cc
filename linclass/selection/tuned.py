"""What a tuned classifier and a tuned regressor share: the candidates, the rules that choose, the fit to all rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np

from linclass.annotations import ArrayLike, EstimatorLike, MatrixLike, Seed
from linclass.batches.regularization_path import RegularizationPath, check_strengths
from linclass.conventions.cloned import cloned
from linclass.conventions.convergence_warning import silently
from linclass.conventions.counts_rows import as_counts
from linclass.conventions.estimator import Estimator
from linclass.conventions.groups import kept_groups
from linclass.conventions.meta_estimator import Given, MetaEstimator, ending_inside, require_kind
from linclass.conventions.metadata import asking_for_all
from linclass.conventions.offsets import kept_offsets, offset_inside
from linclass.conventions.parameters import key_of
from linclass.input.given_rows import caller_rows
from linclass.numerics.arrays import Array
from linclass.selection import strengths, tuning
from linclass.selection.candidates import Option, fits_of, fits_on_folds, has_path
from linclass.selection.criterion import CRITERIA, check_likelihood, information
from linclass.selection.held_out_score import AtOffset, Score, check_probabilities
from linclass.selection.inner_folds import inner_folds, kept_folds

RULES = (*tuning.RULES, *CRITERIA)
FITTED = ("path_", "scores_", "fold_", "criterion_", "degrees_of_freedom_", "strength_")


class Tuned(MetaEstimator):
    """Mixin of the two; the class has the parameters named here."""

    estimator: EstimatorLike
    strengths: int | Sequence[float] | None
    grid: Mapping[str, Sequence[Any]] | None
    rule: str
    folds: int | ArrayLike
    metric: Any
    random_state: Seed
    noise_variance: float | None = None
    default: ClassVar[str]  # file and class of the estimator None
    wanted: ClassVar[str]  # classifier or regressor
    metrics: ClassVar[Mapping[str, Score]]
    candidates_: list[Option]
    scores_: Array
    strength_: float
    estimator_: Any
    best_index_: int

    def check(self) -> None:
        super().check()
        if not (isinstance(self.rule, str) and self.rule in RULES):
            raise ValueError(f"rule is {self.rule!r}; choose from {', '.join(RULES)}.")
        known_name = isinstance(self.metric, str) and self.metric in self.metrics
        if not (callable(self.metric) or known_name):
            known = ", ".join(self.metrics)
            raise ValueError(f"metric is {self.metric!r}; choose from {known}, or give a function.")
        inner = self._inner()
        require_kind(inner, self.wanted)
        if not all(hasattr(inner, name) for name in ("get_params", "set_params", "fit", "predict")):
            raise ValueError(
                f"estimator is {self.estimator!r}; give one that is made, as in Ridge(), with fit, "
                "predict, get_params and set_params."
            )
        if isinstance(inner, Estimator):
            inner.check()
        if self.grid is not None and not _is_grid(self.grid):
            raise ValueError(f"grid is {self.grid!r}; give lists of values by name of parameter.")
        if self.strengths is None and not self.grid:
            raise ValueError("strengths and grid are both None; give values to choose from.")
        if isinstance(self.strengths, Integral):
            if self.strengths < 1 or isinstance(self.strengths, bool):
                raise ValueError(f"strengths is {self.strengths}; give at least 1, or a list.")
            if not (hasattr(inner, "_objectives") and inner._penalty().binds):
                raise ValueError(
                    f"strengths is {self.strengths}, but the range that matters is known for penalized "
                    f"linear models only, not for {inner!r}; list them, or give strengths=None and a grid by the "
                    "names of its parameters, such as {'logisticregression__strength': [1e-3, 1e-2]}."
                )
        elif self.strengths is not None:
            check_strengths(self.strengths)
            if "strength" not in inner.get_params():
                raise ValueError(
                    f"{type(inner).__name__} has no parameter 'strength'; give strengths=None and a grid by "
                    "the names of its parameters, such as {'logisticregression__strength': [1e-3, 1e-2]}."
                )
        if self.rule in CRITERIA:
            check_likelihood(inner, self.rule)

    def parts(self) -> list[str]:
        """Modules that a fit imports by name."""
        own = [self.default.rpartition(".")[0]] if self.estimator is None else []
        return [*own, *getattr(self._inner(), "parts", list)()]

    @property
    def best_params_(self) -> Option:
        """The chosen values."""
        return self.candidates_[self.best_index_]

    @property
    def mean_scores_(self) -> Array:
        """Mean of the scores of each candidate over the folds."""
        return np.asarray(self.scores_.mean(axis=0))

    @property
    def standard_errors_(self) -> Array:
        """Standard error sd/√folds of the mean of each candidate."""
        return np.asarray(tuning.standard_error(self.scores_))

    @property
    def coef_(self) -> Array:
        """Weights of the fit to all rows."""
        return np.asarray(self.estimator_.coef_)

    @property
    def intercept_(self) -> Any:
        """Intercept of the fit to all rows."""
        return self.estimator_.intercept_

    def _kept(
        self,
        groups: ArrayLike | None,
        offset: ArrayLike | None,
        sample_weight: ArrayLike | None,
        y: ArrayLike,
    ) -> tuple[Any, Given]:
        """(folds, groups and offset) of the rows whose weight is not 0."""
        criterion = isinstance(self.rule, str) and self.rule in CRITERIA  # without folds
        folds = None if criterion else kept_folds(self.folds, sample_weight, y)
        own = kept_groups(groups, sample_weight, y), kept_offsets(offset, sample_weight, y)
        return folds, Given(None, *own)

    def _choose(
        self,
        X: MatrixLike,
        y: Array,
        given: Given,
        strata: Array,
        folds: Any,
    ) -> Self:
        """Choose among the candidates and fit to all rows. Rows are distributed over folds by strata."""
        inner, X = self._inner(), self._rows_inside(X)
        for name in FITTED:
            vars(self).pop(name, None)  # of an earlier fit
        if self.rule in CRITERIA and given.weights is not None:
            given = given._replace(weights=as_counts(given.weights, len(np.unique(strata))))
        asked = given.asked_for(inner)
        with silently():
            self.candidates_ = options = self._candidates(inner, X, y, given)
            if self.rule in CRITERIA:
                fits = fits_of(inner, options, X, y, asked)
                self.criterion_, self.degrees_of_freedom_ = information(
                    fits, X, y, asked, self.rule, self.noise_variance
                )
                self.best_index_ = tuning.RULES["best"](options, -self.criterion_[None], inner)
                near = self._along(options)
                fits = [fits[i] for i in near]
            else:
                fold = inner_folds(
                    folds, strata, given.groups, self.random_state, type(self).__name__
                )
                self._judge(inner, options, X, y, given, fold)
                near = self._along(options)
                fits = fits_of(inner, [options[i] for i in near], X, y, asked)
        self.estimator_ = fits[near.index(self.best_index_)]
        if hasattr(self.estimator_, "strength") and has_path(self.estimator_):
            self.path_ = RegularizationPath(fits)
        if "strength" in self.best_params_:
            self.strength_ = self.best_params_["strength"]
        return self._record(**ending_inside(self.estimator_))

    def _judge(
        self,
        inner: EstimatorLike,
        options: Sequence[Option],
        X: MatrixLike,
        y: Array,
        given: Given,
        fold: Array,
    ) -> None:
        """Score every candidate on every fold and choose by the rule."""
        if self.metric == "log_loss":
            check_probabilities(inner, options)
        self.fold_ = fold
        held_out = [np.flatnonzero(fold == k) for k in np.unique(fold)]
        metric: Score = self.metric if callable(self.metric) else self.metrics[self.metric]
        scores, asked = [], given.asked_for(inner)
        fits_of_folds = fits_on_folds(inner, options, X, y, asked, held_out)
        for rows, fits in zip(held_out, fits_of_folds, strict=True):
            weights, offset = given.at(rows).weights, asked.at(rows).offset
            models = fits if offset is None else [AtOffset(fit, offset) for fit in fits]
            own = caller_rows(X[rows])
            scores.append([float(metric(model, own, y[rows], weights)) for model in models])
        self.scores_ = np.array(scores)
        if np.isnan(self.scores_).any():
            fold_number, option = np.argwhere(np.isnan(self.scores_))[0]
            raise ValueError(
                f"metric {self.metric!r} is nan on fold {fold_number} for {options[option]}; choose one that "
                "is defined there, or fewer folds."
            )
        self.best_index_ = tuning.RULES[self.rule](options, self.scores_, inner)

    def _candidates(
        self, inner: EstimatorLike, X: MatrixLike, y: Array, given: Given
    ) -> list[Option]:
        values = self.strengths
        if isinstance(values, Integral):
            first = cloned(inner).set_params(strength=1.0)
            weights, _, offset = given.asked_for(inner)
            rows = first._start_fit(X, y, weights)
            known = offset_inside(first, offset, None, y)
            objectives = first._objectives(*rows, **known)
            values = strengths.from_data(objectives, int(values))
        tune = {} if values is None else {"strength": check_strengths(values)}
        return tuning.candidates(tune | dict(self.grid or {}))

    def _along(self, options: Sequence[Option]) -> list[int]:
        """Numbers of the candidates that agree with the chosen one in everything but the strength."""
        keys = [key_of(option | {"strength": 0}) for option in options]
        return [i for i, key in enumerate(keys) if key == keys[self.best_index_]]

    def _inner(self) -> EstimatorLike:
        if self.estimator is not None:
            return self.estimator
        file, _, name = self.default.rpartition(".")
        return asking_for_all(getattr(import_module(file), name)())


def _is_grid(grid: Any) -> bool:
    lists = isinstance(grid, Mapping) and all(
        isinstance(values, Sequence | np.ndarray) and not isinstance(values, str) and len(values)
        for values in grid.values()
    )
    return bool(lists)
