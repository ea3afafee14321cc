"""Metrics by name. A file holds the metrics of one subject and lists them in its table METRICS.

Only the file of a metric in use is part of the code that a fit depends on. A name with a dot is the import path of a
metric in scikit-learn's form (_imported.py).

A metric of a stack of folds has a value for each fold; NaN says that it is not defined there.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

MODULES = [f"{__name__}.{subject}" for subject in ("confusion", "rankings", "probabilities")]


def names() -> list[str]:
    """Names of all metrics, sorted."""
    return sorted(name for module in MODULES for name in import_module(module).METRICS)


def find(name: str) -> Any:
    """The metric with a name.

    Parameters
    ----------
    name : str
        Name of the metric, one of `names()`, or an import path.

    Returns
    -------
    Metric or ImportedMetric
        A function of Predictions with the attributes `greater_is_better` and `bounds`.
    """
    return imported(name) if "." in name else _module(name).METRICS[name]


def greater_is_better(name: str) -> bool:
    """Whether greater values of a metric are better.

    Parameters
    ----------
    name : str
        Name of the metric, one of `names()`, or an import path.
    """
    return bool(find(name).greater_is_better)


def bounds(name: str) -> tuple[float, float]:
    """The least and the greatest value that a metric can have; infinite where they are not known.

    Parameters
    ----------
    name : str
        Name of the metric, one of `names()`, or an import path.
    """
    low, high = find(name).bounds
    return low, high


def modules_of(name: str) -> list[str]:
    """The modules of a metric: f1_macro → linclass.evaluation.metrics.confusion.

    Parameters
    ----------
    name : str
        Name of the metric, one of `names()`, or an import path.
    """
    if "." in name:
        return [name.rpartition(".")[0], f"{__name__}._imported"]
    return [_module(name).__name__]


@cache
def imported(path: str) -> Any:
    """The metric at an import path.

    Parameters
    ----------
    path : str
        Module and name of a function (y_true, y_pred), or of a scorer of scikit-learn.
    """
    return import_module(f"{__name__}._imported").ImportedMetric(path)  # few runs depend on it


@cache
def _module(name: str) -> ModuleType:
    for module in map(import_module, MODULES):
        if name in module.METRICS:
            return module
    from linclass.base.suggestions import nearest

    near = nearest(name, names())
    hint = f"did you mean {near!r}?" if near else f"choose from {', '.join(names())}."
    raise ValueError(f"there is no metric {name!r}; {hint}")
