"""Base of TunedClassifier and TunedRegressor: the candidates, their scores, and the fit to all rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from scipy.stats import rankdata
from sklearn.base import clone

from linclass.base.arrays import (
    Array,
    ArrayLike,
    EstimatorLike,
    FoldsLike,
    MatrixLike,
    PerRow,
    Seed,
)
from linclass.base.many_fits import RegularizationPath, check_strengths
from linclass.base.messages import silently
from linclass.base.meta_estimator import (
    Given,
    MetaEstimator,
    caller_rows,
    ending_inside,
    require_base,
    some_rows,
)
from linclass.base.parameters import as_number, idle_in_all, key_of
from linclass.base.validation import as_counts
from linclass.evaluation import metrics
from linclass.tuning import selection
from linclass.tuning.candidates import fits_of, fits_on_folds, fits_with_messages, has_path
from linclass.tuning.criterion import CRITERIA, check_likelihood, information
from linclass.tuning.folds import (
    Split,
    check_folds,
    fold_of_rows,
    inner_splits,
    kept_folds,
    warn_of_unseen_classes,
)
from linclass.tuning.held_out_score import Score, check_metric, check_probabilities, score_of
from linclass.tuning.paths import Grid, complaint, parameter_path
from linclass.tuning.selection import PATH, Choice, Option, search

RULES = (*selection.RULES, *CRITERIA)
# attributes that only some fits have
OPTIONAL = ("path_", "scores_", "fold_", "criterion_", "degrees_of_freedom_", "strength_")


class Tuned(MetaEstimator):
    """Base of TunedClassifier and TunedRegressor.

    Parameters
    ----------
    strengths : int, sequence of float or None
        Strengths to choose from, or their number: then they are those of the estimator's `strength_path` of the
        training rows, extended beyond an end at which the best one is. None chooses by `param_grid` alone.
    param_grid : dict or None
        Values of other parameters to choose from, as lists by name, or 'path' for values from the training rows
        (linclass/tuning/paths.py), such as {'C': 'path'}; all combinations are tried.
    rule : {'best', 'one_standard_error', 'aic', 'bic'}
        How to choose. 'aic' and 'bic' need a likelihood and no folds; their n is the sum of the weights, as of
        statsmodels' freq_weights, after weights with a mean below 1 are scaled to a mean of 1.
    cv : int, array of shape (n,), splitter or list of splits
        Number of inner folds, at least 2; for classifiers fewer are used where a class has fewer rows. An array is the
        fold of each row, a list has the splits (training rows, held-out rows) as numbers of rows or masks, and a
        splitter of scikit-learn, such as KFold(5), makes them of the rows, y and groups.
    random_state : int, numpy.random.Generator or None
        Seed of the assignment of rows to inner folds. None draws a new one for each fit.

    Attributes
    ----------
    best_params_ : dict
        The chosen values.
    strength_ : float, only if a strength was chosen
        The chosen strength.
    candidates_ : list of dict of length m
        The settings that were compared.
    best_index_ : int
        Index of the best candidate.
    best_score_ : float, only with folds
        Mean score of the best candidate.
    best_estimator_ : estimator
        `estimator_`, by scikit-learn's name.
    cv_results_ : dict, only with folds
        As that of scikit-learn's GridSearchCV, without times, because candidates are fitted together: `params`,
        `param_…`, `split…_test_score`, `mean_test_score`, `std_test_score` and `rank_test_score`.
    path_ : RegularizationPath, only if the chosen estimator is penalized
        Fits to all rows along the strengths, with the other parameters as chosen; `path_.coef_` are its weights.
    scores_ : array of shape (folds, m), only with folds
        Score of each candidate on each fold.
    mean_scores_, standard_errors_ : array of shape (m,), only with folds
        Mean of the scores over the folds, and its standard error sd/√folds.
    fold_ : array of shape (n,), only with folds that hold each row out once
        The fold that holds each row out, of the rows whose weight is not 0.
    criterion_, degrees_of_freedom_ : array of shape (m,), only with rule='aic' or 'bic'
        AIC or BIC of each candidate, and its effective degrees of freedom, the intercept included.
    coef_, intercept_
        Those of `estimator_`.
    """

    estimator: EstimatorLike
    strengths: int | Sequence[float] | None
    param_grid: Mapping[str, Sequence[Any]] | None
    rule: str
    cv: FoldsLike
    scoring: Any
    random_state: Seed
    noise_variance: float | None = None
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
        check_metric(self.scoring, self.metrics)
        check_folds(self.cv)
        inner = self._inner()
        require_base(inner, self.wanted, ("fit", "predict", "get_params", "set_params"), "Ridge()")
        if self.param_grid is not None and not selection.is_grid(self.param_grid):
            raise ValueError(
                f"param_grid is {self.param_grid!r}; give lists of values by name of parameter."
            )
        if self.strengths is None and not self.param_grid:
            raise ValueError("strengths and param_grid are both None; give values to choose from.")
        names = [*(self.param_grid or {}), *(["strength"] if self.strengths is not None else [])]
        options = selection.candidates(self.param_grid or {})
        idle = idle_in_all(names, (clone(inner).set_params(**option) for option in options))
        if idle:  # a parameter has no effect at any of the values to choose from
            raise ValueError(next(iter(idle.values())))
        for name, spec in (self.param_grid or {}).items():
            if selection.is_path(spec) and (why := complaint(inner, name)):
                raise ValueError(f"{why}.")
        if isinstance(self.strengths, Integral):
            if self.strengths < 1 or isinstance(self.strengths, bool):
                raise ValueError(f"strengths is {self.strengths}; give at least 1, or a list.")
            if not self._has_path(inner):
                raise ValueError(
                    f"strengths is {self.strengths}, but the range that matters is known for models of linclass with "
                    f"a penalty only, not for {inner!r}; {self._instead(inner)}."
                )
        elif self.strengths is not None:
            check_strengths(self.strengths)
            if "strength" not in inner.get_params():
                raise ValueError(
                    f"{type(inner).__name__} has no parameter 'strength'; {self._instead(inner)}."
                )
        if self.rule in CRITERIA:
            check_likelihood(inner, self.rule)

    @staticmethod
    def _instead(inner: EstimatorLike) -> str:
        """How to choose without `strengths`."""
        names = [name for name in inner.get_params() if selection.is_strength(name)]
        if name := next((name for name in names if complaint(inner, name) is None), None):
            return f"set strengths=None and param_grid={{{name!r}: 'path'}}"
        example = {"C": [0.1, 1, 10]}
        return f"list them, or set strengths=None and param_grid to lists of values by name, such as {example}"

    @property
    def _depends_on_count(self) -> bool:
        return self.rule in CRITERIA or super()._depends_on_count

    def parts(self) -> list[str]:
        """Modules that a fit imports by name."""
        named = isinstance(self.scoring, str) and self.scoring not in self.metrics
        return [*super().parts(), *(metrics.modules_of(self.scoring) if named else [])]

    @property
    def best_params_(self) -> Option:
        """The chosen values."""
        return self.candidates_[self.best_index_]

    @property
    def best_score_(self) -> float:
        """Mean of the scores of the chosen candidate over the folds."""
        return float(self.mean_scores_[self.best_index_])

    @property
    def best_estimator_(self) -> Any:
        """The fit to all rows."""
        return self.estimator_

    @property
    def cv_results_(self) -> dict[str, Any]:
        """The candidates and their scores, in the form of scikit-learn's GridSearchCV."""
        mean, options = self.mean_scores_, self.candidates_
        names = dict.fromkeys(name for option in options for name in option)
        values = {name: np.empty(len(options), object) for name in names}
        for i, option in enumerate(options):
            for name, value in option.items():
                values[name][i] = value
        return {
            **{f"param_{name}": np.ma.masked_array(column) for name, column in values.items()},
            "params": options,
            **{f"split{k}_test_score": scores for k, scores in enumerate(self.scores_)},
            "mean_test_score": mean,
            "std_test_score": self.scores_.std(axis=0),
            "rank_test_score": rankdata(-mean, "min").astype(np.int32),
        }

    @property
    def mean_scores_(self) -> Array:
        """Mean of the scores of each candidate over the folds."""
        return np.asarray(self.scores_.mean(axis=0))

    @property
    def standard_errors_(self) -> Array:
        """Standard error sd/√folds of the mean of each candidate."""
        return np.asarray(selection.standard_error(self.scores_))

    @property
    def coef_(self) -> Array:
        """Weights of the fit to all rows."""
        return np.asarray(self.estimator_.coef_)

    @property
    def intercept_(self) -> Any:
        """Intercept of the fit to all rows."""
        return self.estimator_.intercept_

    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None, groups: PerRow = None
    ) -> Self:
        """Choose on inner folds, or by AIC or BIC, then fit to all rows.

        Parameters
        ----------
        sample_weight : array of shape (n,) or None
            Weight of each row, at least 0, in fits and in scores; rows of weight 0 take no part. None weighs
            all rows equally.
        groups : array of shape (n,) or None
            Group of each row; rows of a group are held out together. None is no groups.
        """
        by_criterion = isinstance(self.rule, str) and self.rule in CRITERIA
        folds = None if by_criterion else kept_folds(self.cv, sample_weight, y)
        X, target, weights, given = self._start_inside(X, y, sample_weight, groups)
        self._total_weight = float(weights.sum())
        inner, target, strata = self._problem(y, target)
        self._forget(*OPTIONAL)  # of an earlier fit
        if by_criterion and given.weights is not None:
            given = given._replace(weights=as_counts(given.weights))
        asked = given.asked_for(inner)
        splits, owner = None, type(self).__name__
        if not by_criterion:
            seed = self.random_state
            splits = inner_splits(folds, caller_rows(X), target, strata, given.groups, seed, owner)
        with silently():
            grid = self._grid(inner, X, target, asked)
            if splits is None:
                choice = self._by_criterion(inner, grid, X, target, asked)
            else:
                choice = self._by_folds(inner, grid, X, target, given, splits)
            self.candidates_, self.best_index_ = choice.options, choice.number
            along = self._along(choice.options)
            settings = [choice.options[i] for i in along]
            fits, messages = fits_with_messages(inner, settings, X, target, asked)
        if splits is not None:
            warn_of_unseen_classes(splits, target, strata, owner)
        place = along.index(self.best_index_)
        self.estimator_ = fits[place]
        if hasattr(self.estimator_, "strength") and has_path(self.estimator_):
            self.path_ = RegularizationPath(fits)
        if "strength" in self.best_params_:
            self.strength_ = self.best_params_["strength"]
        return self._record(**ending_inside(self.estimator_, messages[place]))

    def _problem(self, y: ArrayLike, target: Array) -> tuple[EstimatorLike, Array, Array]:
        """(the estimator to tune, its y, the strata by which rows are distributed over folds)"""
        return self._inner(), target, np.zeros(len(target), int)

    def predict(self, X: MatrixLike) -> Array:
        """What the estimator predicts for each row.

        Returns
        -------
        array of shape (n,)
        """
        return self._of_estimator("predict", X)

    def _of_estimator(self, method: str, X: MatrixLike) -> Array:
        rows = caller_rows(self._check_rows(X))
        return np.asarray(getattr(self.estimator_, method)(rows))

    def _by_criterion(
        self, inner: EstimatorLike, grid: Grid, X: MatrixLike, y: Array, given: Given
    ) -> Choice:
        """The candidate of the least AIC or BIC. Sets `criterion_` and `degrees_of_freedom_`."""
        degrees_of_freedom: list[float] = []

        def judge(options: Sequence[Option]) -> tuple[Array, dict[int, Exception]]:
            fits = fits_of(inner, options, X, y, given)
            criterion, df = information(fits, X, y, given, self.rule, self.noise_variance)
            degrees_of_freedom.extend(df)
            return -criterion[None], {}

        choice = search(grid.options, judge, "best", inner, grid.beyond)
        self.criterion_, self.degrees_of_freedom_ = -choice.scores[0], np.array(degrees_of_freedom)
        return choice

    def _by_folds(
        self,
        inner: EstimatorLike,
        grid: Grid,
        X: MatrixLike,
        y: Array,
        given: Given,
        splits: Sequence[Split],
    ) -> Choice:
        """The candidate that the rule selects by scores on every fold. Sets `fold_` and `scores_`."""
        if (fold := fold_of_rows(splits, len(y))) is not None:
            self.fold_ = fold
        metric = score_of(self.scoring, self.metrics)
        asked = given.asked_for(inner)

        def judge(options: Sequence[Option]) -> tuple[Array, dict[int, Exception]]:
            check_probabilities(self.scoring, inner, options)
            scores = []
            fits_of_folds = fits_on_folds(inner, options, X, y, asked, splits)
            for (train, rows), fits in zip(splits, fits_of_folds, strict=True):
                weights = given.at(rows).weights
                held_out = caller_rows(some_rows(X, rows, inner, train))
                returned = (metric(fit, held_out, y[rows], weights) for fit in fits)
                scores.append([as_number(value, f"scoring {self.scoring!r}") for value in returned])
            if np.isnan(scores).any():
                fold_number, option = np.argwhere(np.isnan(scores))[0]
                raise ValueError(
                    f"scoring {self.scoring!r} is nan on fold {fold_number} for {options[option]}; choose another "
                    "metric, or fewer folds."
                )
            return np.array(scores), {}

        choice = search(grid.options, judge, self.rule, inner, grid.beyond)
        self.scores_ = choice.scores
        return choice

    def _grid(self, inner: EstimatorLike, X: MatrixLike, y: Array, given: Given) -> Grid:
        """The candidates; paths come from these rows."""
        count = self.strengths if isinstance(self.strengths, Integral) else None
        tune: dict[str, Any] = {}
        if self.strengths is not None:
            tune["strength"] = PATH if count else check_strengths(self.strengths)
        tune |= dict(self.param_grid or {})

        def values(name: str, fixed: Option) -> Sequence[float]:
            model = clone(inner).set_params(**fixed)
            if name != "strength" or count is None:
                return parameter_path(model, name, caller_rows(X), y).tolist()
            path = model.strength_path(X, y, max(count, 2), None, given.weights)
            return path[:count].tolist()

        return Grid(tune, values)

    @staticmethod
    def _has_path(inner: EstimatorLike) -> bool:
        if "strength" not in getattr(inner, "paths", ()) or not hasattr(inner, "strength_path"):
            return False
        try:
            getattr(inner, "_require_penalty", lambda: None)()
        except ValueError:
            return False
        return True

    def _along(self, options: Sequence[Option]) -> list[int]:
        """Numbers of the candidates that agree with the chosen one in everything but the strength."""
        keys = [key_of(option | {"strength": 0}) for option in options]
        return [i for i, key in enumerate(keys) if key == keys[self.best_index_]]
