"""Warnings of fits that end without their optimum: one ConvergenceWarning each, with the remedy.

The category is scikit-learn's, which is imported when the first warning is due. A fit that consists of
others, such as a path or one-vs-rest, warns once for all of them; `silently` is for those inside it.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar

from linclass.annotations import EstimatorLike

REMEDY = {
    "max_iter": "Raise max_iter or tol, or standardize the features.",
    "separable": "Add a penalty.",
    "rank_deficient": "Leave out features that depend on others, or add a penalty.",
}

# a remedy that the reason itself states
ADVICE = re.compile(r"\b(use|raise|add|standardize)\b", re.IGNORECASE)

Result = TypeVar("Result")
_inside: ContextVar[bool] = ContextVar("inside", default=False)


@contextmanager
def silently() -> Iterator[None]:
    """Context in which fits do not warn: their `status_` alone reports how they ended."""
    token = _inside.set(True)
    try:
        yield
    finally:
        _inside.reset(token)


def warn_unless_converged(model: EstimatorLike) -> None:
    """Warn if the fit has not converged."""
    if model.status_ in REMEDY and not _inside.get():
        _warn(f"{type(model).__name__} ended {model.status_}: {model.reason_}", model.status_)


def one_warning(method: Callable[..., Result]) -> Callable[..., Result]:
    """Of a method that returns fitted models, or lists of them: how many ended how, and why the first."""

    @wraps(method)
    def warning_once(*args: Any, **options: Any) -> Result:
        with silently():
            found = method(*args, **options)
        ended = [model for model in _models(found) if model.status_ in REMEDY]
        if ended and not _inside.get():
            counts = Counter(model.status_ for model in ended)
            listed = ", ".join(f"{n} {status}" for status, n in counts.items())
            first = ended[0]
            name = f"{type(first).__name__}.{method.__name__}"
            _warn(f"{name}: fits ended {listed}; the first: {first.reason_}", first.status_)
        return found

    return warning_once


def _models(found: Any) -> list[Any]:
    """A model alone, or those of lists, and of lists of lists."""
    if hasattr(found, "fit"):
        return [found]
    return [model for part in found for model in _models(part)]


def _warn(text: str, status: str) -> None:
    from sklearn.exceptions import ConvergenceWarning  # a costly import that few fits need

    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("linclass."):
        level, frame = level + 1, frame.f_back
    text = text if text.endswith(".") else f"{text}."
    text = text if ADVICE.search(text) else f"{text} {REMEDY[status]}"
    warnings.warn(text, ConvergenceWarning, stacklevel=level)
