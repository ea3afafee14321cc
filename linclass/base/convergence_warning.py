"""Warnings of fits that end without their optimum: one ConvergenceWarning each, with the remedy.

The category is scikit-learn's, which is imported when the first warning is due. A fit that consists of
others, such as a path or one-vs-rest, warns once for all of them; `silently` is for those inside it.
A fit also warns once, by a UserWarning, of parameters that were set and have no effect (idle_parameters.py).
"""

from __future__ import annotations

import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar

from linclass.base.annotations import EstimatorLike
from linclass.base.idle_parameters import sentences_on_idle

REMEDY = {
    "max_iter": "Raise max_iter or tol, or standardize the features.",
    "separable": "Add a penalty.",
    "rank_deficient": "Leave out features that depend on others, or add a penalty.",
}

# a remedy that the reason itself states
ADVICE = re.compile(r"\b(use|raise|add|standardize)\b", re.IGNORECASE)

Result = TypeVar("Result", bound=Sequence[Any])
_inside: ContextVar[bool] = ContextVar("inside", default=False)


@contextmanager
def silently() -> Iterator[None]:
    """Context in which fits do not warn: their `status_` alone reports how they ended."""
    token = _inside.set(True)
    try:
        yield
    finally:
        _inside.reset(token)


def warn_after_fit(model: EstimatorLike) -> None:
    """Warn if the fit has not converged, and if parameters had no effect."""
    if _inside.get():
        return
    name = type(model).__name__
    _warn_of_idle(name, [model])
    if model.status_ in REMEDY:
        _warn_of_ending(f"{name} ended {model.status_}: {model.reason_}", model.status_)


def warn_user(text: str) -> None:
    """Warn the caller of a fit, unless the fit is part of another."""
    if not _inside.get():
        warn_caller(text, UserWarning)


def one_warning(method: Callable[..., Result]) -> Callable[..., Result]:
    """Of a method that returns fitted models, or lists of them: how many ended how, and why the first."""

    @wraps(method)
    def warning_once(*args: Any, **options: Any) -> Result:
        with silently():
            found = method(*args, **options)
        if _inside.get():
            return found
        name = f"{type(args[0]).__name__}.{method.__name__}"
        first = found[
            :1
        ]  # of a path one model, of folds those of one: the others have the same parameters, too
        _warn_of_idle(name, _models(first))
        if ended := [model for model in _models(found) if model.status_ in REMEDY]:
            counts = Counter(model.status_ for model in ended)
            listed = ", ".join(f"{n} {status}" for status, n in counts.items())
            why, status = ended[0].reason_, ended[0].status_
            _warn_of_ending(f"{name}: fits ended {listed}; the first: {why}", status)
        return found

    return warning_once


def _models(found: Any) -> list[Any]:
    """A model alone, or those of lists, and of lists of lists."""
    if hasattr(found, "fit"):
        return [found]
    return [model for part in found for model in _models(part)]


def _warn_of_idle(name: str, models: list[Any]) -> None:
    if sentences := sentences_on_idle(models):
        warn_caller(f"{name}: {' '.join(sentences)}", UserWarning)


def _warn_of_ending(text: str, status: str) -> None:
    from sklearn.exceptions import ConvergenceWarning  # a costly import that few fits need

    text = text if text.endswith(".") else f"{text}."
    warn_caller(text if ADVICE.search(text) else f"{text} {REMEDY[status]}", ConvergenceWarning)


def warn_caller(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line that called linclass."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("linclass."):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)
