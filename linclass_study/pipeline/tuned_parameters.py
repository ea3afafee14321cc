"""The tuned parameters of a method, and options of its transforms, selected by inner cross-validation on its training
rows.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import groupby
from typing import Any

import numpy as np

from linclass.base.arrays import EstimatorLike, MatrixLike
from linclass.base.messages import NotApplicable, silently
from linclass.base.meta_estimator import Given, groups_for
from linclass.base.parameters import key_of
from linclass.base.predicted import is_ours, noting_sparse_rows, own_codes, own_copy
from linclass.base.tables import Table
from linclass.evaluation import metrics
from linclass.tuning import selection
from linclass.tuning.candidates import fits_of, goes_along_paths
from linclass.tuning.folds import seed_of
from linclass.tuning.paths import Grid, parameter_path
from linclass_study.entries import step_name
from linclass_study.pipeline.fitted import Candidate, Task, measured, predict_rows, why_not_measured
from linclass_study.pipeline.foreign_steps import require_numbers
from linclass_study.pipeline.inner_folds import choose
from linclass_study.pipeline.method import Method, with_labels
from linclass_study.pipeline.transforming import (
    Steps,
    TransformedRows,
    fit_steps,
    fit_transforms,
    new_transform,
    shared_transforms,
)


def select_parameters(
    method: Method,
    table: Table,
    y: np.ndarray,
    task: Task,
    seed: int,
    groups: np.ndarray | None = None,
) -> selection.Choice:
    judge = _Judge(method, table, y, task, seed, groups, _precision_of_tuning(method))
    with silently():  # only the last fit is the method's own
        grid = grid_of(method, table, y, seed)
        return choose(
            grid.options,
            y,
            task.inner_folds,
            seed_of("tuning", seed),
            partial(_InnerFold, judge),
            judge.score,
            judge.together,
            groups,
            task.tune_rule,
            task.classes or None,
            _first_made(method, grid.options, seed),
            grid.beyond,
        )


def _first_made(method: Method, options: list[dict[str, Any]], seed: int) -> EstimatorLike:
    """The estimator of the first candidate that can be made; None if its constructor refuses all."""
    for option in options:
        with suppress(Exception):  # of any library; the candidate is judged later
            return method.estimator(seed, **option)
    return None


def grid_of(method: Method, table: Table, y: np.ndarray, seed: int) -> Grid:
    """All candidates; paths come from the training rows after the transforms. Options of transforms vary slowest, so
    that rows are transformed once for each.
    """
    latest: tuple[Steps | None, Any] = (None, None)
    begun: Table | None = None  # rows after the transforms that come before tuned ones

    def transformed(steps: Steps) -> Any:
        nonlocal latest, begun
        n = method.n_untuned_steps
        if begun is None:
            begun = fit_transforms(steps[:n], table, y, seed)[1]
        if steps != latest[0]:
            latest = steps, fit_steps(steps[n:], begun, y, seed)[1]
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

    return Grid(method.tune, values, [*filter(method.is_of_transform, method.tune)])


def candidates_of(choice: selection.Choice, task: Task) -> tuple[Candidate, ...]:
    """The candidates of a choice, with the tune_metric over the inner folds or the reason why it failed."""
    n, candidates = len(choice.scores), []
    for i, (option, (mean, error)) in enumerate(zip(choice.options, choice.judged(), strict=True)):
        result = (_sign(task) * mean, error, n, i == choice.number)
        failure = (None, None, n, False, choice.failures.get(i))
        candidates.append(Candidate(option, *(failure if np.isnan(mean) else result)))
    return tuple(candidates)


@dataclass(frozen=True)
class _Judge:
    """Scores of candidates on inner folds."""

    method: Method
    table: Table
    y: np.ndarray
    task: Task
    seed: int
    groups: np.ndarray | None
    precision: dict[str, Any]

    def score(self, fold: _InnerFold, option: dict[str, Any]) -> float:
        """Score of a candidate on an inner fold."""
        ready, X_test = fold.transformed(self.method.with_options(option).transforms)
        if (fit := fold.of_path(option)) is not None:
            return self.judged(fit, X_test, self.y[fold.test])
        estimator = self.method.estimator(self.seed, **self.precision | option)
        require_numbers(ready, estimator)
        rows = own_copy(rows_for(estimator, ready), estimator)
        if hasattr(estimator, "fitter") and is_ours(estimator):
            fold.fitter = fold.fitter or estimator.fitter(rows, self.y[fold.train])
            fit = fold.fitter(estimator.get_params(deep=False))
            return self.judged(fit, X_test, self.y[fold.test])
        groups = None if self.groups is None else self.groups[fold.train]
        fit_estimator(estimator, rows, self.y[fold.train], groups, self.method.classes)
        return self.judged(estimator, X_test, self.y[fold.test])

    def together(
        self, held_out: list[np.ndarray], options: Sequence[dict[str, Any]]
    ) -> list[list[Callable[[], float]]]:
        """The scores of all candidates on all inner folds, from models fitted at once."""
        judgements: list[list[Callable[[], float]]] = [[] for _ in held_out]
        for _, group in groupby(options, lambda opt: self.method.with_options(opt).transforms):
            same_transforms = [*group]
            method = self.method.with_options(same_transforms[0])
            params = [self.of_classifier(option) for option in same_transforms]
            for (
                values
            ) in params:  # fitted one by one, only a candidate that cannot be fitted is left out
                try:
                    getattr(method.estimator(self.seed, **values), "check", lambda: None)()
                except ValueError as error:
                    raise NotApplicable(str(error)) from error
            shared, fits = fits_together(method, params, self.table, self.y, held_out, self.seed)
            for k, rows in enumerate(held_out):
                test = shared.held_out(k, rows).X, self.y[rows]
                judgements[k] += [partial(self.judged, fit, *test) for fit in fits[k]]
        return judgements

    def judged(self, estimator: EstimatorLike, X_test: Any, y_test: np.ndarray) -> float:
        """The tune_metric on held-out rows, greater is better."""
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

    judge: _Judge
    train: np.ndarray
    test: np.ndarray
    options: Sequence[dict[str, Any]] = ()
    path: dict[Hashable, Any] = field(default_factory=dict)  # key of a candidate → its fit
    begun: tuple[Table, Table] | None = None  # rows after the transforms before tuned ones
    steps: Steps | None = None
    fitter: Callable[[dict[str, Any]], Any] | None = None  # of candidates that share work
    rows: tuple[Table, Any] | Exception = field(default_factory=Exception)

    def transformed(self, steps: Steps) -> tuple[Table, Any]:
        """(training rows, matrix of the held-out rows) after these transforms, fitted to the training rows."""
        if steps != self.steps:
            self.steps, self.fitter = steps, None
            n = self.judge.method.n_untuned_steps
            try:
                if self.begun is None:
                    rows = self.judge.table.rows(self.train), self.judge.table.rows(self.test)
                    self.begun = self._after(fit_transforms, steps[:n], *rows)
                ready, held_out = self._after(fit_steps, steps[n:], *self.begun)
                self.rows = ready, held_out.X
            except Exception as error:
                self.rows = error
        if isinstance(self.rows, Exception):
            raise self.rows
        return self.rows

    def of_path(self, option: dict[str, Any]) -> Any:
        """The fit of a candidate along the path of those that share its transforms; None if they are fitted alone."""
        judge, method = self.judge, self.judge.method
        if key_of(option) not in self.path:
            steps = method.with_options(option).transforms
            pairs = zip(self.options, self.steps_of_options, strict=True)
            mates = [other for other, steps_of_other in pairs if steps_of_other == steps]
            params = [judge.of_classifier(o) for o in mates]
            self.path = dict.fromkeys(map(key_of, mates))
            ready, _ = self.transformed(steps)
            estimator = method.estimator(judge.seed)
            if len(mates) > 1 and goes_along_paths(estimator, params):
                require_numbers(ready, estimator)
                groups = None if judge.groups is None else judge.groups[self.train]
                values = [method.values(own_params, judge.seed) for own_params in params]
                rows = rows_for(estimator, ready)
                y, given = judge.y[self.train], Given(None, groups)
                with suppress(
                    NotApplicable, ValueError
                ):  # then each is fitted alone: only some may fail
                    fits = fits_of(estimator, values, rows, y, given)
                    self.path = dict(zip(self.path, fits, strict=True))
        return self.path.get(key_of(option))

    @cached_property
    def steps_of_options(self) -> list[Steps]:
        return [self.judge.method.with_options(option).transforms for option in self.options]

    def _after(
        self, fit: Callable[..., Any], steps: Steps, ready: Table, held_out: Table
    ) -> tuple[Table, Table]:
        transforms, ready = fit(steps, ready, self.judge.y[self.train], self.judge.seed)
        for transform in transforms:
            held_out = transform.transform(held_out)
        return ready, held_out


def _precision_of_tuning(method: Method) -> dict[str, Any]:
    """Candidates are compared by their predictions, for which a looser tolerance may suffice (`tuning_tol`); it is not
    used if `tol` itself is tuned.
    """
    estimator = _first_made(method, [{}], 0)
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
