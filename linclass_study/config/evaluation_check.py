"""The keys of `evaluation:` that are checked against each other."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from linclass.evaluation import metrics
from linclass_study.errors import suggest_name

Problems = Iterator[tuple[list[Any], str]]

PATH = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+\Z")


def evaluation_problems(evaluation: Mapping[str, Any]) -> Problems:
    """(path of keys, sentence) for each way in which the evaluation cannot work."""
    yield from _of_metrics(evaluation.get("metrics", []))
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
            known = "add it to methods, or leave it out" if name in catalogue else ""
            sentence = f"the study has no method '{name}'; {known or suggest_name(name, methods)}"
            yield ["evaluation", "focus", i], sentence


def _of_metrics(listed: Sequence[str]) -> Problems:
    """Metrics of the study's own must be import paths."""
    for i, name in enumerate(listed):
        if name in metrics.names():
            sentence = f"'{name}' is one of linclass's own metrics, which are always computed; leave it out"
            yield ["evaluation", "metrics", i], sentence
        elif not PATH.match(name):
            sentence = f"'{name}' is no import path, such as my_metrics.profit; linclass's own are always computed"
            yield ["evaluation", "metrics", i], sentence
