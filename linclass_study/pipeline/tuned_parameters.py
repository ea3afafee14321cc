"""The tuned parameters of a method, and options of its transforms, selected by inner cross-validation on its training
rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np

from linclass.base.arrays import EstimatorLike, MatrixLike
from linclass.base.messages import NotApplicable, silently
from linclass.base.meta_estimator import Given, groups_for
from linclass.base.predicted import is_ours, noting_sparse_rows, own_codes, own_copy
from linclass.base.tables import Table
from linclass.evaluation import metrics
from linclass.tuning import selection
from linclass.tuning.candidates import fits_of, goes_along_paths
from linclass.tuning.folds import seed_of, stratified_folds
from linclass.tuning.paths import Grid, parameter_path
from linclass_study.entries import step_name
from linclass_study.pipeline.fitted import Candidate, Task, measured, predict_rows, why_not_measured
from linclass_study.pipeline.foreign_steps import require_numbers
from linclass_study.pipeline.method import Method, with_labels
from linclass_study.pipeline.transforming import (
    Steps,
    TransformedRows,
    fit_steps,
    fit_transforms,
    new_transform,
    shared_transforms,
)

Score = Callable[[], float]


def select_parameters(
    method: Method,
    table: Table,
    y: np.ndarray,
    task: Task,
    seed: int,
    groups: np.ndarray | None = None,
) -> selection.Choice:
    """The candidate with the best scores on inner folds of the training rows, by the rule of the task."""
    with silently():  # only the last fit is the method's own
        grid, precision = grid_of(method, table, y, seed), _precision_of_tuning(method)
        fold_seed, names = seed_of("tuning", seed), task.classes or None
        fold_of_row = stratified_folds(y, task.inner_folds, fold_seed, groups, names)
        held_out = [np.flatnonzero(fold_of_row == k) for k in range(task.inner_folds)]
        scores = _CandidateScores(method, table, y, task, seed, groups, precision, held_out)
        first = _first_constructed(method, grid.options, seed)
        return selection.search(grid.options, scores.of, task.tune_rule, first, grid.beyond)


def _first_constructed(method: Method, options: list[dict[str, Any]], seed: int) -> EstimatorLike:
    """The estimator of the first candidate that can be constructed, if any."""
    for option in options:
        with suppress(Exception):  # of any library; the candidate is judged later
            return method.estimator(seed, **option)
    return None


def grid_of(method: Method, table: Table, y: np.ndarray, seed: int) -> Grid:
    """All candidates; paths come from the training rows after the transforms. Options of transforms vary slowest, so
    that rows are transformed once for each.
    """
    n_untuned = method.n_untuned_steps
    latest: tuple[Steps | None, Any] = (None, None)
    before_tuned: Table | None = None  # rows after the transforms that come before tuned ones

    def transformed(steps: Steps) -> Any:
        nonlocal latest, before_tuned
        if before_tuned is None:
            before_tuned = fit_transforms(steps[:n_untuned], table, y, seed)[1]
        if steps != latest[0]:
            latest = steps, fit_steps(steps[n_untuned:], before_tuned, y, seed)[1]
        return latest[1]

    def values(name: str, fixed: dict[str, Any]) -> Sequence[float]:
        steps = method.with_options(fixed).transforms
        if method.is_of_transform(name):
            step, _, option = name.partition("__")
            number = [step_name(path) for path, _ in steps].index(step)
            transform = new_transform(*steps[number], seed)
            path: Sequence[float] = transform._path_values(option, transformed(steps[:number]))
            return path
        ready, estimator = transformed(steps), method.estimator(seed, **fixed)
        require_numbers(ready, estimator)
        rows = own_copy(rows_for(estimator, ready), estimator)
        return parameter_path(estimator, name, rows, own_codes(y, estimator)).tolist()

    grid = Grid(method.tune, values, [*filter(method.is_of_transform, method.tune)])
    latest, before_tuned = (None, None), None  # the rows are not kept while candidates are fitted
    return grid


def candidates_of(choice: selection.Choice, task: Task) -> tuple[Candidate, ...]:
    """The candidates of a choice, with the tune_metric over the inner folds or the reason why it failed."""
    n, candidates = len(choice.scores), []
    for i, (option, (mean, error)) in enumerate(zip(choice.options, choice.judged(), strict=True)):
        result = (_sign(task) * mean, error, n, i == choice.number)
        failure = (None, None, n, False, choice.failures.get(i))
        candidates.append(Candidate(option, *(failure if np.isnan(mean) else result)))
    return tuple(candidates)


@dataclass(frozen=True)
class _CandidateScores:
    """Scores of candidates on the inner folds, given by their held-out rows; greater is better."""

    method: Method
    table: Table
    y: np.ndarray
    task: Task
    seed: int
    groups: np.ndarray | None
    precision: dict[str, Any]
    held_out: list[np.ndarray]

    def of(self, options: Sequence[dict[str, Any]]) -> tuple[np.ndarray, dict[int, Exception]]:
        """(scores (inner folds, options), number of an option → why it failed).

        A candidate that fails on a fold has a score of −∞ there, and is not fitted on the later ones.
        """
        scores, failures = np.zeros((len(self.held_out), len(options))), dict[int, Exception]()
        try:
            of_folds = iter(self._of_joint_fits(options))
        except NotApplicable:
            of_folds = self._of_single_fits(options)
        for k, of_fold in enumerate(of_folds):
            for i, score in enumerate(of_fold):
                if not np.isfinite(scores[:, i]).all():
                    continue
                try:
                    scores[k, i] = score()
                except MemoryError:
                    raise
                except Exception as error:
                    failures[i], scores[k, i] = error, -np.inf
        return scores, failures

    def _of_joint_fits(self, options: Sequence[dict[str, Any]]) -> list[list[Score]]:
        """The scores of all candidates on all inner folds, from models that are fitted jointly."""
        scores: list[list[Score]] = [[] for _ in self.held_out]
        for _, group in groupby(options, lambda opt: self.method.with_options(opt).transforms):
            same_transforms = [*group]
            method = self.method.with_options(same_transforms[0])
            params = [self.of_classifier(option) for option in same_transforms]
            for values in params:  # fitted one by one, only the invalid candidates are left out
                try:
                    getattr(method.estimator(self.seed, **values), "check", lambda: None)()
                except ValueError as error:
                    raise NotApplicable(str(error)) from error
            shared, fits = fits_together(
                method, params, self.table, self.y, self.held_out, self.seed
            )
            for k, rows in enumerate(self.held_out):
                X_test, y_test = shared.held_out(k, rows).X, self.y[rows]
                scores[k] += [partial(self._score, fit, X_test, y_test) for fit in fits[k]]
        return scores

    def _of_single_fits(self, options: Sequence[dict[str, Any]]) -> Iterator[list[Score]]:
        of_options = [(option, self.method.with_options(option).transforms) for option in options]
        for test in self.held_out:
            fold = _InnerFold(self, np.delete(np.arange(len(self.y)), test), test, of_options)
            yield [partial(self._of_single_fit, fold, number) for number in range(len(options))]

    def _of_single_fit(self, fold: _InnerFold, number: int) -> float:
        option, steps = fold.options[number]
        train, X_test = fold.transformed(steps)
        y_train, y_test = self.y[fold.train], self.y[fold.test]
        if (fit := fold.fit_on_path(number)) is not None:
            return self._score(fit, X_test, y_test)
        estimator = self.method.estimator(self.seed, **self.precision | option)
        require_numbers(train, estimator)
        rows = own_copy(rows_for(estimator, train), estimator)
        if hasattr(estimator, "fitter") and is_ours(estimator):
            fold.fitter = fold.fitter or estimator.fitter(rows, y_train)
            return self._score(fold.fitter(estimator.get_params(deep=False)), X_test, y_test)
        fit_estimator(estimator, rows, y_train, fold.groups, self.method.classes)
        return self._score(estimator, X_test, y_test)

    def _score(self, estimator: EstimatorLike, X_test: Any, y_test: np.ndarray) -> float:
        """The tune_metric on held-out rows, with the sign that makes greater values better."""
        predicted = predict_rows(estimator, X_test, self.method, self.task)
        value = measured(predicted, y_test, self.task)
        if value is None:
            raise NotApplicable(why_not_measured(predicted, y_test, self.task))
        return _sign(self.task) * value

    def of_classifier(self, option: dict[str, Any]) -> dict[str, Any]:
        """The parameters of the classifier among those of a candidate, and the precision of tuning."""
        is_of_transform = self.method.is_of_transform
        return self.precision | {k: v for k, v in option.items() if not is_of_transform(k)}


@dataclass
class _InnerFold:
    """An inner fold with its latest transformed rows, or the exception of the transforms."""

    of: _CandidateScores
    train: np.ndarray
    test: np.ndarray
    options: Sequence[tuple[dict[str, Any], Steps]]  # the candidates and their transforms
    path: dict[int, Any] = field(default_factory=dict)  # number of a candidate → its fit
    before_tuned: tuple[Table, Table] | None = None  # rows after the transforms before tuned ones
    steps: Steps | None = None
    fitter: Callable[[dict[str, Any]], Any] | None = None  # of candidates that share work
    rows: tuple[Table, Any] | Exception = field(default_factory=Exception)

    @property
    def groups(self) -> np.ndarray | None:
        """The groups of the training rows."""
        return None if self.of.groups is None else self.of.groups[self.train]

    def transformed(self, steps: Steps) -> tuple[Table, Any]:
        """(training rows, matrix of the held-out rows) after these transforms, fitted to the training rows."""
        if steps != self.steps:
            self.steps, self.fitter = steps, None
            n = self.of.method.n_untuned_steps
            try:
                if self.before_tuned is None:
                    rows = self.of.table.rows(self.train), self.of.table.rows(self.test)
                    self.before_tuned = self._after(fit_transforms, steps[:n], *rows)
                train, held_out = self._after(fit_steps, steps[n:], *self.before_tuned)
                self.rows = train, held_out.X
            except Exception as error:
                self.rows = error
        if isinstance(self.rows, Exception):
            raise self.rows
        return self.rows

    def _after(
        self, fit: Callable[..., Any], steps: Steps, train: Table, held_out: Table
    ) -> tuple[Table, Table]:
        transforms, train = fit(steps, train, self.of.y[self.train], self.of.seed)
        for transform in transforms:
            held_out = transform.transform(held_out)
        return train, held_out

    def fit_on_path(self, number: int) -> Any:
        """The fit of a candidate along the path of those with its transforms; None if they are fitted one by one."""
        if number not in self.path:
            method, seed, steps = self.of.method, self.of.seed, self.options[number][1]
            same_transforms = [i for i, (_, own) in enumerate(self.options) if own == steps]
            params = [self.of.of_classifier(self.options[i][0]) for i in same_transforms]
            self.path = dict.fromkeys(same_transforms)
            train, _ = self.transformed(steps)
            estimator = method.estimator(seed)
            if len(params) > 1 and goes_along_paths(estimator, params):
                require_numbers(train, estimator)
                values = [method.values(one, seed) for one in params]
                rows, y = rows_for(estimator, train), self.of.y[self.train]
                with suppress(NotApplicable, ValueError):  # only some may fail: fit one by one
                    fits = fits_of(estimator, values, rows, y, Given(None, self.groups))
                    self.path = dict(zip(self.path, fits, strict=True))
        return self.path[number]


def _precision_of_tuning(method: Method) -> dict[str, Any]:
    """Candidates are compared by their predictions, for which a looser tolerance may suffice (`tuning_tol`); it is not
    used if `tol` itself is tuned.
    """
    estimator = _first_constructed(method, [{}], 0)
    precision = {}
    for name in method.tune:
        inside, _, _ = name.rpartition("__")
        part = estimator.get_params().get(inside) if inside and estimator is not None else estimator
        tol = f"{inside}__tol" if inside else "tol"
        tuning_tol = getattr(part, "tuning_tol", None)
        if tuning_tol is not None and "tol" in part.get_params() and tol not in method.tune:
            precision[tol] = max(part.tol, tuning_tol)
    return precision


def _sign(task: Task) -> float:
    """Factor, 1 or −1, with which greater values of the tune_metric are better."""
    return 1.0 if metrics.greater_is_better(task.tune_metric) else -1.0


# Calls of an estimator, ours or any library's: its rows are checked and put into the form that it takes.


def fit_estimator(
    estimator: EstimatorLike,
    X: MatrixLike,
    y: np.ndarray,
    groups: np.ndarray | None,
    classes: Sequence[str] = (),
) -> None:
    """Fit an estimator. If it changes NumPy's error handling, the change ends here.

    An estimator that holds out rows itself, or whose base estimator does, gets the groups. Refusals name classes by
    their labels, `classes`.
    """
    with np.errstate(), noting_sparse_rows(estimator, X):
        try:
            estimator.fit(X, own_codes(y, estimator), **groups_for(estimator, groups))
        except NotApplicable as refusal:
            refusal.args = (with_labels(str(refusal), classes),)
            raise


def fits_together(
    method: Method,
    options: list[dict[str, Any]],
    table: Table,
    y: np.ndarray,
    held_out: list[np.ndarray],
    seed: int | None,
    strictly: bool = False,
) -> tuple[TransformedRows, list[list[Any]]]:
    """(the rows that folds share, fits[fold][option]); raises NotApplicable if that is impossible.

    `strictly`: nothing may depend on the held-out rows, not even by rounding through columns that only they have. In
    tuning such a dependence on rounding is accepted.
    """
    estimator = method.estimator(seed)
    if not callable(getattr(estimator, "fit_many", None)):
        raise NotApplicable(f"{type(estimator).__name__} has no fit_many")
    lenient = not strictly and getattr(estimator, "ignores_empty_columns", False)
    shared = shared_transforms(method.transforms, table, held_out, lenient)
    if shared is None:
        raise NotApplicable("its transforms are not the same in every fold")
    require_numbers(shared.table, estimator)
    params = [method.values(option, seed) for option in options]
    rows = rows_for(estimator, shared.table)
    return shared, estimator.fit_many(rows, y, held_out, params, shared.scaling)


def rows_for(estimator: EstimatorLike, table: Table) -> Any:
    """The matrix; with column names for estimators with parameters that name columns."""
    return table.named_rows() if getattr(estimator, "takes_names", False) else table.X
