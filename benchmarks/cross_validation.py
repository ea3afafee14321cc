"""Cross-validation from sufficient statistics side by side with scikit-learn's `cross_validate`.

    python benchmarks/cross_validation.py                       every case
    python benchmarks/cross_validation.py results.csv LDA LOO   some, kept as CSV
    python benchmarks/cross_validation.py --profile "QDA 2,000" where our time goes

Both sides fit and predict the same folds of the same rows (50 features, 3 classes) and count what
they predict; each of our methods stands beside the solver of scikit-learn's that has its covariance
convention. `off` is the largest difference between the accuracies of a fold: every prediction must
agree. Leaving out one row at a time, scikit-learn fits 2,000 times, so it is timed in fewer pairs.

Predictions of 500 folds of 200 rows, in stacks of folds, are compared with their fits. Of 38 µs a fold of naive Bayes
11 are products with the rows and their squares, 6 the copy, shift and square of the rows, 4 log-probabilities.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from harness import Case  # sets one BLAS thread, so it comes before NumPy

import numpy as np  # isort: skip
from harness import run as compare_all
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as TheirLDA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as TheirQDA
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import LeaveOneOut, PredefinedSplit, cross_validate
from sklearn.naive_bayes import GaussianNB as TheirNB
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline

import linclass
from linclass.base.tables import Table
from linclass.tuning.folds import stratified_folds
from linclass_study.execution.features import FeatureFile, grid
from linclass_study.execution.fit_run import PlannedRun, SharedChild, fit_and_predict
from linclass_study.execution.folds import Plan
from linclass_study.execution.run_files import RunInputs
from linclass_study.pipeline.fitted import Task
from linclass_study.pipeline.fitting import fit_folds, fit_method, predict_folds
from linclass_study.pipeline.method import Method

K, FEATURES, FOLDS, ALPHA = 3, 50, 10, 1.0
Make = Callable[[int], Any]  # rows of a training set → an estimator

# name: (ours, theirs, scikit-learn's solver, targets for 2,000 rows, for 200,000, one at a time)
METHODS: dict[str, tuple[Make, Make, str, float, float, float]] = {
    "LDA": (
        lambda n: linclass.LinearDiscriminantAnalysis(ddof=0),
        lambda n: TheirLDA(solver="lsqr"),
        "lsqr",
        *(0.1, 0.1, 0.1),
    ),
    "GaussianNB": (
        lambda n: linclass.GaussianNB(),
        lambda n: TheirNB(),
        "GaussianNB",
        *(0.15, 0.15, 0.1),
    ),
    "QDA": (
        lambda n: linclass.QuadraticDiscriminantAnalysis(ddof=0),
        lambda n: TheirQDA(solver="eigen"),
        "eigen",
        *(0.3, 0.3, 0.1),
    ),
    "ridge indicator": (
        lambda n: linclass.LeastSquaresClassifier(penalty="l2", strength=ALPHA / n),
        lambda n: RidgeClassifier(alpha=ALPHA, solver="cholesky"),
        "cholesky",
        *(0.1, 0.1, 0.1),
    ),
    "Fisher": (
        lambda n: linclass.FisherDiscriminant(),
        lambda n: make_pipeline(TheirLDA(solver="eigen"), NearestCentroid()),
        "eigen, nearest centroid",
        *(0.1, 0.1, 0.1),
    ),
}


def rows(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Overlapping Gaussian classes of n/K rows each, nearly, with correlated features."""
    rng = np.random.default_rng(n)
    mixing = np.eye(FEATURES) + 0.2 * rng.standard_normal((FEATURES, FEATURES))
    y = rng.integers(0, K, n)
    X = rng.standard_normal((n, FEATURES)) + 0.3 * rng.standard_normal((K, FEATURES))[y]
    return X @ mixing, y


def ten_folds(n: int, large: bool) -> Iterator[Case]:
    X, y = rows(n)
    fold = stratified_folds(y, FOLDS, seed=0)
    folds = _dealt(y, seed=0)
    for name, (make_ours, make_theirs, solver, small_target, large_target, _) in METHODS.items():
        model, peer = make_ours(n * 9 // 10), make_theirs(n * 9 // 10)

        def ours(model: Any = model) -> np.ndarray:
            fits = model.fit_many(X, y, folds, [{}])
            pairs = zip(folds, fits, strict=True)
            return np.array([np.mean(fit.predict(X[r]) == y[r]) for r, (fit,) in pairs])

        def theirs(peer: Any = peer) -> np.ndarray:
            return _accuracies(peer, X, y, PredefinedSplit(fold))

        target = large_target if large else small_target
        yield _case(f"{name} {n:,} × {FEATURES}", solver, ours, theirs, target, 3 if large else 7)


def one_at_a_time(n: int) -> Iterator[Case]:
    X, y = rows(n)
    for name, (make_ours, make_theirs, solver, *_, target) in METHODS.items():
        model, peer = make_ours(n - 1), make_theirs(n - 1)

        def ours(model: Any = model) -> np.ndarray:
            return (model.leave_one_out(X, y).argmax(axis=1) == y).astype(float)

        def theirs(peer: Any = peer) -> np.ndarray:
            return _accuracies(peer, X, y, LeaveOneOut())

        yield _case(f"{name} {n:,} × {FEATURES}, LOO", solver, ours, theirs, target, 1)


def fifty_repeats(n: int) -> Iterator[Case]:
    """Fifty partitions into ten folds against one, both ours: the fits alone, standardized in each fold, as the
    pipeline asks for them; then a whole run of the workflow, with its process, predictions and files."""
    X, y = rows(n)
    table, task = Table(X, tuple(f"x{j}" for j in range(FEATURES))), Task(n_classes=K, positive=0)
    planned = Plan.of({("cv", r): stratified_folds(y, FOLDS, r) for r in range(50)}).fits
    folds = [fit.test for fit in planned]
    makes = {name: make for name, (make, *_) in METHODS.items()} | {
        "nearest mean": lambda n: linclass.NearestMean()
    }
    for name, make in makes.items():
        model = make(n * 9 // 10)
        method = Method(type(model), model.get_params(), transforms=(("standardize", {}),))

        def learn(number: int, method: Method = method) -> Any:
            return fit_folds(method, table, y, folds[:number], task)

        def off(fits: Any, method: Method = method) -> float:
            """The largest difference of a score to the refit's."""
            refits = (
                fit_method(method, table.rows(others), y[others], task, seed=0)
                for others in (fit.train for fit in planned[:FOLDS])
            )
            return max(
                float(np.abs(a.predict(table)[1] - b.predict(table)[1]).max())
                for a, b in zip(fits[:FOLDS], refits, strict=True)
            )

        yield Case(
            f"{name}, 50 repeats: fits",
            "ours, 1 repeat",
            partial(learn, len(folds)),
            partial(learn, FOLDS),
            off,
            10.0,
            within=1e-9,
        )
        models = learn(len(folds))

        def predict(models: Any = models) -> Any:
            return [held_out.prediction[1] for held_out in predict_folds(models, table, folds)]

        def off_alone(scores: Any, method: Method = method, off: Any = off) -> float:
            """The largest difference of a held-out row's score to that of the refit."""
            if not isinstance(scores[0], np.ndarray):  # the fits
                return off(scores)
            return max(
                float(np.abs(a - _refit(method, table, y, task, fold)).max())
                for a, fold in zip(scores[:FOLDS], planned[:FOLDS], strict=True)
            )

        yield Case(
            f"{name}, 50 repeats: predictions",
            "ours, their fits",
            predict,
            partial(learn, len(folds)),
            off_alone,
            1.0,
            within=1e-9,
        )
    with TemporaryDirectory() as folder:
        file = f"{folder}/features.npz"
        FeatureFile(table, y.astype(np.int32), *grid(table, y)).save(file)
        for name, make in makes.items():
            model = make(n * 9 // 10)
            entry = {
                "classifier": f"linclass.{type(model).__name__}",
                "params": model.get_params(),
                "transforms": ["standardize"],
            }

            def work(number: int, name: str = name, entry: dict[str, Any] = entry) -> Any:
                some = Plan(tuple(planned[:number]))
                limits = {"fit_seconds": 300, "fit_memory_mb": 4000}
                about = {"n_classes": K, "positive": 0}
                with SharedChild(limits) as child:
                    run = PlannedRun("rows", name, entry, file, some, about, 0)
                    records = fit_and_predict(run, child)
                records.write(Path(folder), RunInputs("benchmark", "made up"))
                return records.table()["score"][:n].to_list()

            first = np.array(work(FOLDS))
            yield Case(
                f"{name}, 50 repeats: run",
                "ours, 1 repeat",
                partial(work, len(folds)),
                partial(work, FOLDS),
                lambda scores, first=first: float(np.abs(np.array(scores) - first).max()),
                10.0,
                within=1e-9,
                pairs=3,
            )


def _refit(method: Method, table: Table, y: np.ndarray, task: Task, fold: Any) -> np.ndarray:
    """Scores of the held-out rows by a fit of their own."""
    alone = fit_method(method, table.rows(fold.train), y[fold.train], task, seed=0)
    scores: np.ndarray = alone.predict(table.rows(fold.test))[1]
    return scores


def _dealt(y: np.ndarray, seed: int) -> list[np.ndarray]:
    fold = stratified_folds(y, FOLDS, seed)
    return [np.flatnonzero(fold == k) for k in range(FOLDS)]


def _accuracies(peer: Any, X: np.ndarray, y: np.ndarray, folds: Any) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return cross_validate(peer, X, y, cv=folds)["test_score"]


def _case(name: str, solver: str, ours: Any, theirs: Any, target: float, pairs: int) -> Case:
    """The first result of theirs is what both are held to."""
    found: list[np.ndarray] = []

    def off(accuracies: np.ndarray) -> float:
        if not found:
            found.append(theirs())
        return float(np.abs(accuracies - found[0]).max())

    return Case(name, solver, ours, theirs, off, target, within=0.0, pairs=pairs)


def cases() -> Iterator[Case]:
    yield from ten_folds(2000, large=False)
    yield from one_at_a_time(2000)
    yield from fifty_repeats(2000)
    yield from ten_folds(200_000, large=True)


if __name__ == "__main__":
    sys.exit(compare_all(cases(), sys.argv[1:]))
