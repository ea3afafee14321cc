"""Check `evaluation:`: keys against each other, and the metrics that a study names by import paths.

An imported metric must give a number for predictions of two or of three classes.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from linclass.evaluation import metrics
from linclass.evaluation.metrics._imported import ImportedMetric
from linclass.evaluation.metrics.predictions import Predictions
from linclass_study.config.estimator_check import PATH, imported, lacking_arguments, one_sentence
from linclass_study.config.module_files import files_of
from linclass_study.entries import Problems
from linclass_study.errors import suggest_name
from linclass_study.protocols import metrics_of, own_metrics

ROWS = 60


def own_metric_problems(evaluation: Mapping[str, Any]) -> Problems:
    """(path of keys, sentence) for each reason why a metric of the study's own cannot work on any data."""
    paths = own_metrics(evaluation)
    times_named = Counter(name.rpartition(".")[2] for name in metrics_of(evaluation))
    for path in paths:
        listed = path in evaluation.get("metrics", [])
        key = ["metrics", evaluation["metrics"].index(path)] if listed else ["tune_metric"]
        name = path.rpartition(".")[2]
        if times_named[name] > 1:  # tables show the name alone
            sentence = f"another metric is also called '{name}'; rename the function"
        else:
            objection, problem = imported(path, _metric_problem)
            sentence = problem or objection
        if sentence:
            yield ["evaluation", *key], sentence


def _metric_problem(path: str) -> str:
    metric = metrics.imported(path)
    if sentence := _missing_arguments(metric) or _unknown_direction(metric):
        return sentence
    failures = [_failure(metric, K) for K in (2, 3)]
    if not all(failures):  # one may be for two classes alone
        return ""
    return f"'{path}' fails on {ROWS} predicted rows of two classes: {failures[0]}"


def _missing_arguments(metric: ImportedMetric) -> str:
    """All arguments but the first two (of a scorer, three) need a default."""
    others = lacking_arguments(metric.function, (), first=2 + metric.is_scorer)
    if not others:
        return ""
    names = ", ".join(others)
    given = "estimator, X, y" if metric.is_scorer else "y_true, y_pred"
    return (
        f"'{metric.path}' gets ({given}) and also needs {names}; give it a default, `{others[0]}=…`, "
        "or set it in a function of your own"
    )


def _unknown_direction(metric: ImportedMetric) -> str:
    """A metric that is named like a cost must state whether greater values are better."""
    if metric.tells_direction or not metric.is_named_like_a_cost:
        return ""
    module, _, name = metric.path.rpartition(".")
    where = "below its definition"
    if not files_of(module):  # a library's, which is not to be edited
        where = f"below `from {module} import {name}` in a module of yours, costs.py, and give costs.{name} here"
    return (
        f"'{metric.path}' is named like a cost, and greater values would count as better; write "
        f"`{name}.greater_is_better = False` {where}; if greater is better, `{name}.greater_is_better = True`"
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


def evaluation_problems(evaluation: Mapping[str, Any]) -> Problems:
    """(path of keys, sentence) for each way in which the evaluation cannot work."""
    for i, name in enumerate(evaluation.get("metrics", [])):
        if name in metrics.names():
            sentence = f"'{name}' is one of linclass's own metrics, which are always computed; leave it out"
            yield ["evaluation", "metrics", i], sentence
        elif not PATH.match(name):
            sentence = f"'{name}' is not an import path, such as my_metrics.profit; linclass's own are always computed"
            yield ["evaluation", "metrics", i], sentence
    metric = evaluation["tune_metric"]
    if "." not in metric and metric not in metrics.names():
        sentence = f"there is no metric '{metric}'; {suggest_name(metric, metrics.names())}"
        yield ["evaluation", "tune_metric"], sentence
        return
    protocols = [
        item if isinstance(item, str) else next(iter(item)) for item in evaluation["protocols"]
    ]
    twice = [i for i, name in enumerate(protocols) if name in protocols[:i]]
    for i in twice:
        yield ["evaluation", "protocols", i], f"'{protocols[i]}' is given twice; remove one"
    if twice or "learning_curve" not in protocols:
        return
    place = protocols.index("learning_curve")
    if "cv" not in protocols[:place]:
        sentence = "learning_curve trains on parts of cv's training sets; list cv before it"
        yield ["evaluation", "protocols", place], sentence


def focus_problems(
    focus: Sequence[str], methods: Collection[str], catalogue: Collection[str]
) -> Problems:
    """Methods that the study is about must be among its methods."""
    for i, name in enumerate(focus):
        if name not in methods:
            remedy = "add it to methods, or leave it out" if name in catalogue else ""
            sentence = f"the study has no method '{name}'; {remedy or suggest_name(name, methods)}"
            yield ["evaluation", "focus", i], sentence
