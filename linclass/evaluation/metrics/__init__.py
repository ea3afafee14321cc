"""Metrics by name. A file holds a metric and its averages, whose names all begin with the file's name.

A name therefore identifies its file (`f1_macro` → f1.py), and only the metrics in use are imported. To add
a metric, add a file with METRICS (name → function of Predictions), GREATER_IS_BETTER, and BOUNDS where it has some.
A name with a dot is the import path of a metric in scikit-learn's form (_imported.py).

A metric of a stack of folds has a value for each fold; NaN says that it is not defined there.
"""

import math
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any


@cache
def names() -> list[str]:
    """Names of all metrics, sorted."""
    found = [module.name for module in iter_modules(__path__) if module.name[0] != "_"]
    modules = [import_module(f"{__name__}.{name}") for name in found]
    return sorted(name for module in modules for name in getattr(module, "METRICS", {}))


def find(name: str) -> Callable[[Any], Any]:
    """The function that computes a metric.

    Parameters
    ----------
    name : str
        Name of the metric, one of `names()`, or an import path.

    Returns
    -------
    callable
        Maps Predictions to a value, or a stack of them to a value of each; NaN if the metric is not defined.
    """
    return imported(name) if "." in name else _module(name).METRICS[name]


def greater_is_better(name: str) -> bool:
    """Whether greater values of a metric are better.

    Parameters
    ----------
    name : str
        Name of the metric, one of `names()`, or an import path.

    Returns
    -------
    bool
    """
    return imported(name).greater_is_better if "." in name else _module(name).GREATER_IS_BETTER


def bounds(name: str) -> tuple[float, float]:
    """The least and the greatest value that a metric can have; infinite where its file states no BOUNDS.

    Parameters
    ----------
    name : str
        Name of the metric, one of `names()`, or an import path.

    Returns
    -------
    tuple of float
    """
    if "." in name:
        return -math.inf, math.inf
    return getattr(_module(name), "BOUNDS", (-math.inf, math.inf))


def modules_of(name: str) -> list[str]:
    """The modules of a metric: f1_macro → linclass.evaluation.metrics.f1.

    Parameters
    ----------
    name : str
        Name of the metric, one of `names()`, or an import path.

    Returns
    -------
    list of str
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

    Returns
    -------
    ImportedMetric
    """
    return import_module(f"{__name__}._imported").ImportedMetric(path)  # few runs depend on it


@cache
def _module(name: str) -> ModuleType:
    files, stem = {module.name for module in iter_modules(__path__)}, name
    while stem and stem not in files:
        stem = stem.rpartition("_")[0]  # f1_macro, f1
    if stem:
        module = import_module(f"{__name__}.{stem}")
        if name in getattr(module, "METRICS", {}):
            return module
    from linclass.base.suggestions import nearest

    near = nearest(name, names())
    hint = f"did you mean {near!r}?" if near else f"choose from {', '.join(names())}."
    raise ValueError(f"there is no metric {name!r}; {hint}")
