"""What a parameter may be at all, by its annotation: a flag is True or False, and a number is a number.

One check for all models: it reads `name: type` of `__init__`, so a new parameter has it by its annotation. Ranges, and
what is neither a flag nor a number, are checked by the model itself, in its `check`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Mapping
from functools import cache
from numbers import Integral, Real
from types import NoneType
from typing import Any, TypeGuard

import numpy as np

from linclass.base.extremes import HUGE, TINY

Check = Callable[[str, Any], None]
Plain = frozenset[type]  # exact types that need no check


@cache
def checks_of(init: Any) -> tuple[tuple[str, Plain, Check], ...]:
    """(name, plain types, check of values of other types) of the arguments of an `__init__`."""
    if init is object.__init__:
        return ()
    arguments = list(inspect.signature(init).parameters.values())[1:]  # without self
    found = ((a.name, _check_of(a.name, _kinds(a.annotation))) for a in arguments)
    return tuple((name, *check) for name, check in found if check is not None)


def _kinds(annotation: Any) -> set[str]:
    """The types of a union, without what they hold: 'bool | Callable[[Any], float]' is {bool, Callable}."""
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    while text != (text := re.sub(r"\[[^\[\]]*\]", "", text)):
        pass
    return {kind.strip().rpartition(".")[2] for kind in text.split("|")}


def _check_of(name: str, kinds: set[str]) -> tuple[Plain, Check] | None:
    if name == "random_state":
        return frozenset({NoneType, np.random.Generator}), _require_seed
    if "bool" in kinds:
        return frozenset({bool}), _require_flag_or_function if "Callable" in kinds else require_flag
    if "str" in kinds and kinds <= {"str", "int", "float", "None"}:
        return frozenset({str, int, float, NoneType}), _require_one_value
    if not kinds & {"int", "float"}:
        return None
    if not kinds <= {"float", "None"}:
        return frozenset({int, float, NoneType}), _refuse_flag
    if "None" in kinds:
        return frozenset({int, float, NoneType}), _require_number_or_none
    return frozenset({int, float}), _require_number


def is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, Real) and not isinstance(value, bool)


def is_whole(value: object, least: int = 0) -> TypeGuard[int]:
    """Whether it is a whole number, of Python or NumPy, and at least this."""
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least


def is_list(value: object) -> TypeGuard[Collection[Any]]:
    """Whether it has entries, and is neither a text nor a mapping."""
    return isinstance(value, Collection) and not isinstance(value, str | bytes | Mapping)


def require_positive(name: str, value: object, *, below: float = np.inf) -> None:
    """Raise ValueError, with one sentence, for what is no number above 0, or too large or small for finite products."""
    if not (is_number(value) and 0 < value < below):
        until = f" and below {below:g}" if below < np.inf else ""
        raise ValueError(f"{name} is {value!r}; it must be a finite number above 0{until}.")
    if not TINY <= value <= HUGE:
        raise ValueError(f"{name} is {value!r:.20}; it must be between {TINY:g} and {HUGE:g}.")


def require_nonnegative(name: str, value: object, otherwise: str = "") -> None:
    """Raise ValueError, with one sentence, for what is no finite number of at least 0."""
    if not (is_number(value) and 0 <= value < np.inf):
        raise ValueError(f"{name} is {value!r}; it must be a number, at least 0{otherwise}.")


def require_whole(name: str, value: object, least: int = 0, *, or_none: bool = False) -> None:
    """Raise ValueError, with one sentence, for what is no whole number of at least this, nor None where it may be."""
    if not (is_whole(value, least) or (or_none and value is None)):
        otherwise = ", or None" if or_none else ""
        raise ValueError(
            f"{name} is {value!r}; it must be a whole number, at least {least}{otherwise}."
        )


def require_flag(name: str, value: object) -> None:
    """Raise ValueError, with one sentence, for what is neither True nor False: the text 'no' would count as True."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} is {value!r}; it must be True or False.")


def _require_flag_or_function(name: str, value: object) -> None:
    if not (isinstance(value, bool | np.bool_) or callable(value)):
        raise ValueError(f"{name} is {value!r}; it must be True, False or a function.")


def _refuse_flag(name: str, value: object) -> None:
    if isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} is {value!r}; it must be a number, not True or False.")


def _require_one_value(name: str, value: object) -> None:
    if isinstance(value, Collection) and not isinstance(value, str | bytes):
        raise ValueError(f"{name} is {value!r}; it must be one value.")
    _refuse_flag(name, value)


def _require_number(name: str, value: object) -> None:
    _refuse_flag(name, value)
    if not isinstance(value, Real):
        raise ValueError(f"{name} is {value!r}; it must be a number.")


def _require_number_or_none(name: str, value: object) -> None:
    _refuse_flag(name, value)
    if not isinstance(value, Real):
        raise ValueError(f"{name} is {value!r}; it must be a number, or None.")


def _require_seed(name: str, value: Any) -> None:
    """What `numpy.random.default_rng` takes, but True and False."""
    try:
        np.random.default_rng(value)
        known = not isinstance(value, bool | np.bool_)
    except (TypeError, ValueError):
        known = False
    if not known:
        raise ValueError(
            f"{name} is {value!r}; it must be a whole number, at least 0, a Generator or None."
        )
