"""Errors and warnings for users, and numbers and names in them."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar


def counted(number: object, noun: str) -> str:
    """A number with its noun: 1 row, 1,234 rows. `number` may be a string, such as 'no'."""
    number = f"{number:,}" if isinstance(number, int) else number
    if str(number) == "1":
        return f"{number} {noun}"
    if noun.endswith("ry"):
        return f"{number} {noun[:-1]}ies"
    return f"{number} {noun}es" if noun.endswith("s") else f"{number} {noun}s"


def counted_have(number: int, noun: str) -> str:
    """1 row has, 2 rows have."""
    return f"{counted(number, noun)} {'has' if number == 1 else 'have'}"


def first_names(names: Sequence[str], most: int, total: int | None = None) -> str:
    """The first `most` names, and how many more there are; `total` is the number of all, if some are not given."""
    more = (len(names) if total is None else total) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


def names_and_others(names: Sequence[str], most: int, last: str = "and") -> str:
    """Names as a part of a sentence: iris; iris and wine; iris, wine and 3 others. A single other is named, too."""
    shown = [*names]
    if len(shown) > most + 1:
        shown[most:] = [f"{len(names) - most} others"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} {last} {shown[-1]}"


# A dense p × p array for the words of a corpus does not fit into memory. Checking before the allocation replaces a
# killed process by one sentence: the thing, its size, the limit, the remedy.

_setting = ""  # that limits the address space of this process


class NotApplicable(ValueError):
    """A method cannot fit this data set; the message states the reason and the remedy."""


def require_memory(n_bytes: int, what: str) -> None:
    """Raise NotApplicable if `n_bytes` more do not fit; the message begins with `what`.

    >>> require_memory(8 * p * p, f"LinearDiscriminantAnalysis needs a dense {p} × {p} covariance")
    """
    limit, taken = _memory()
    if n_bytes <= limit - taken:
        return
    if _setting and taken:  # the user knows the setting, which may not count all that is taken
        stated, remedy = f"{_setting} leaves {_gigabytes(max(limit - taken, 0))}", "Raise it"
    else:
        share = "" if n_bytes > limit else f", of which {_gigabytes(taken)} are taken"
        stated, remedy = f"the limit is {_gigabytes(limit)}{share}", "Raise the limit"
    raise NotApplicable(
        f"{what}, {_gigabytes(n_bytes)}; {stated}. "
        f"{remedy}, keep fewer features, or choose a method that keeps sparse rows sparse."
    )


def name_limit(setting: str) -> None:
    """Set the setting that messages of this process name, such as 'limits.fit_memory_mb = 4000'."""
    global _setting
    _setting = setting


def _memory() -> tuple[int, int]:
    """(limit, already used) in bytes: of the address space if that is limited, else of the RAM."""
    try:
        import resource
    except ImportError:  # no such limits on this system
        return _physical_memory(), 0
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return _physical_memory(), 0
    return limit, _mapped()


def _physical_memory() -> int:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 1 << 62


def _mapped() -> int:
    """Bytes of address space that this process maps (what RLIMIT_AS counts)."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _gigabytes(n_bytes: int) -> str:
    return f"{n_bytes / 1e9:.1f} GB" if n_bytes >= 5e7 else f"{n_bytes / 1e6:.1f} MB"


# Warnings of fits that did not converge: one ConvergenceWarning each, with the remedy. A fit that consists of others,
# such as a path or one-vs-rest, warns once for all of them; `silently` is for those inside it. A fit also warns once,
# by a UserWarning, about parameters that were set and have no effect (parameters.py).

REMEDY = {
    "max_iter": "Raise max_iter or tol, or standardize the features.",
    "separable": "Add a penalty.",
    "rank_deficient": "Leave out features that depend on others, or add a penalty.",
}

# a remedy that the reason itself states
ADVICE = re.compile(r"\b(use|raise|add|standardize)\b", re.IGNORECASE)

Result = TypeVar("Result", bound=Sequence[Any])
part_of_another: ContextVar[bool] = ContextVar("part_of_another", default=False)


@contextmanager
def silently() -> Iterator[None]:
    """Context in which fits do not warn: their `status_` alone reports how they ended."""
    token = part_of_another.set(True)
    try:
        yield
    finally:
        part_of_another.reset(token)


def warn_user(text: str) -> None:
    """Warn the caller of a fit, unless the fit is part of another."""
    if not part_of_another.get():
        warn_caller(text, UserWarning)


def one_warning(method: Callable[..., Result]) -> Callable[..., Result]:
    """Decorator of methods that return fitted models: one warning counts those that did not converge, with a reason."""

    from linclass.base.parameters import sentences_on_idle  # loads SciPy

    @wraps(method)
    def warning_once(*args: Any, **options: Any) -> Result:
        with silently():
            models = method(*args, **options)
        if part_of_another.get():
            return models
        name = f"{type(args[0]).__name__}.{method.__name__}"
        # one model of a path, or the models of one fold: the others have the same parameters
        first = models[:1]
        if idle := sentences_on_idle(_models(first)):
            warn_caller(f"{name}: {' '.join(idle)}")
        if ended := [model for model in _models(models) if model.status_ in REMEDY]:
            counts = Counter(model.status_ for model in ended)
            listed = ", ".join(f"{n} {status}" for status, n in counts.items())
            why, status = ended[0].reason_, ended[0].status_
            how_many = f"{counted(len(ended), 'fit')} did not converge ({listed})"
            warn_of_ending(f"{name}: {how_many}; the first: {why}", status)
        return models

    return warning_once


def _models(found: Any) -> list[Any]:
    """A model alone, or those of lists, and of lists of lists."""
    if hasattr(found, "fit"):
        return [found]
    return [model for part in found for model in _models(part)]


def warn_of_ending(text: str, status: str) -> None:
    from sklearn.exceptions import ConvergenceWarning  # a costly import that few fits need

    text = text if text.endswith(".") else f"{text}."
    warn_caller(text if ADVICE.search(text) else f"{text} {REMEDY[status]}", ConvergenceWarning)


def warn_caller(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line that called linclass."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("linclass."):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)
