"""Check the metrics that a study names by import paths: each must give a number for two or for three classes."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from linclass.evaluation import metrics
from linclass.evaluation.metrics._imported import ImportedMetric
from linclass.evaluation.metrics.predictions import Predictions
from linclass_study.config.estimator_class import lacking_arguments, one_sentence
from linclass_study.config.module_files import files_of, look_beside_the_study
from linclass_study.pipeline.own_metrics import metrics_of, own_metrics

ROWS = 60


def own_metric_problems(evaluation: Mapping[str, Any]) -> Iterator[tuple[list[Any], str]]:
    """(path of keys, sentence) for each reason why a metric of the study's own cannot work on any data."""
    own = own_metrics(evaluation)
    known = Counter(name.rpartition(".")[2] for name in metrics_of(evaluation))
    for path in own:
        listed = path in evaluation.get("metrics", [])
        key = ["metrics", evaluation["metrics"].index(path)] if listed else ["tune_metric"]
        name, sentences = path.rpartition(".")[2], _problems(path)
        if known[name] > 1:  # tables show the name alone
            sentences = [f"another metric is called '{name}', too; rename the function"]
        yield from ((["evaluation", *key], sentence) for sentence in sentences)


def _problems(path: str) -> Iterable[str]:
    look_beside_the_study()
    try:
        metric = metrics.imported(path)
        if sentence := _unusable(metric) or _silent_about_its_direction(metric):
            yield sentence
            return
        failures = [_failure(metric, K) for K in (2, 3)]
    except ValueError as error:
        yield one_sentence(error)
    except BaseException as error:  # the import itself fails; it may even call sys.exit
        yield f"'{path}' cannot be imported: {one_sentence(error)}"
    else:
        if all(failures):  # one may be for two classes alone
            yield f"'{path}' fails on {ROWS} predicted rows of two classes: {failures[0]}"


def _unusable(metric: ImportedMetric) -> str:
    """Arguments that nothing gives: all but the first two, of a scorer three, need a default."""
    others = lacking_arguments(metric.function, (), first=2 + metric.is_scorer)
    if not others:
        return ""
    names = ", ".join(others)
    given = "estimator, X, y" if metric.is_scorer else "y_true, y_pred"
    return (
        f"'{metric.path}' gets ({given}) and also needs {names}; give it a default, `{others[0]}=…`, "
        "or set it in a function of your own"
    )


def _silent_about_its_direction(metric: ImportedMetric) -> str:
    """A metric whose name is that of a cost, but whose greatest values would count as best, unless it says so."""
    if metric.tells_direction or not metric.is_named_like_a_cost:
        return ""
    module, _, own = metric.path.rpartition(".")
    where = "below its definition"
    if not files_of(module):  # a library's, which is not to be edited
        where = f"below `from {module} import {own}` in a module of yours, costs.py, and give costs.{own} here"
    return (
        f"'{metric.path}' is named like a cost, and greater values would count as better; write "
        f"`{own}.greater_is_better = False` {where}; if greater is better, `{own}.greater_is_better = True`"
    )


def _failure(metric: ImportedMetric, K: int) -> str:
    """Why it gives no number for predictions of K classes; empty if it does."""
    rng = np.random.default_rng(0)
    y = np.arange(ROWS) % K
    score = rng.normal(size=(ROWS, K)) + 2 * np.eye(K)[y]
    log_proba = score - np.log(np.exp(score).sum(axis=1, keepdims=True))
    p = Predictions(y, score.argmax(axis=1), score, log_proba, K - 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = metric.value(p)
    except Exception as error:
        return one_sentence(error)
    return "" if np.isfinite(value) else f"it gives {value}"
