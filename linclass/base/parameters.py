"""Parameters of estimators: their names and defaults, checks of their values, and those that have no effect."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from functools import cache, partial
from hashlib import sha256
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, TypeGuard, Union, get_args, get_origin, get_type_hints

import numpy as np

from linclass.base.arrays import HUGE, TINY, EstimatorLike
from linclass.base.suggestions import PARAMETERS, STRENGTHS, near_names


def name_here(kind: type, name: str) -> str:
    """A sentence on a parameter that has another name in one of linclass's classes, with the conversion of
    scikit-learn's C and alpha; '' if there is none.
    """
    known = defaults_of(kind)
    strength = STRENGTHS.get(name, {})
    if "strength" in known and (how := strength.get(kind.__name__, strength.get(""))):
        return f"{kind.__name__} has no parameter {name!r}; give {how}."
    return next(
        (_meant(kind, name, ours) for ours in PARAMETERS.get(name, ()) if ours in known), ""
    )


def misspelt(kind: type, name: str) -> str:
    """A sentence on a parameter whose name is like one of the class; '' if there is none."""
    near = near_names(name, defaults_of(kind))
    return _meant(kind, name, near[0]) if near else ""


def _meant(kind: type, name: str, ours: str) -> str:
    return f"{kind.__name__} has no parameter {name!r}; did you mean {ours!r}? help({kind.__name__}) defines it."


def arguments(function: Any) -> list[str]:
    """The names of the arguments; none for what cannot be called or has no signature, as some compiled functions."""
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return []


def _read_defaults(estimator: type) -> dict[str, Any]:
    """Default of each argument of __init__, by name."""
    init = estimator.__init__  # type: ignore[misc]
    if init is object.__init__:
        return {}
    own = list(inspect.signature(init).parameters.values())[1:]  # without self
    return {argument.name: argument.default for argument in own}


defaults_of: Callable[[type], dict[str, Any]] = cache(_read_defaults)


PLAIN = (bool, int, str, type(None))  # types whose equality is that of their content
NUMBERS = (float, complex)  # equal to others: −0.0 to 0.0, and NaN not to itself


class _Itself:
    """The key of a value whose content cannot be read: it equals only the key of the same object."""

    def __init__(self, value: object):
        self.value = value  # kept alive, so that no other object gets its id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Itself) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


def key_of(value: Any, above: tuple[int, ...] = ()) -> Hashable:
    """A key that two values share only if their content is equal: all digits of numbers, all entries of arrays, data
    frames and sparse matrices, and of other objects what `pickle` would store.

    An object that cannot be pickled, a function or a class equals only itself. `above` are the ids of the values that
    contain this one.
    """
    kind = type(value)
    if kind in PLAIN:
        return kind, value
    if kind in NUMBERS:
        return kind, repr(value)
    if id(value) in above or isinstance(value, type):
        return _Itself(value)
    inside = partial(key_of, above=(*above, id(value)))
    if kind in (list, tuple):
        return kind, tuple(map(inside, value))
    if kind is dict:
        return kind, tuple((inside(k), inside(v)) for k, v in value.items())
    if kind in (set, frozenset):
        return kind, frozenset(map(inside, value))
    if kind in (bytes, bytearray):
        return kind, sha256(value).digest()
    if kind is np.ndarray or isinstance(value, np.generic):
        entries = value.tolist() if value.dtype.hasobject else value.tobytes()
        return kind, value.dtype, value.shape, inside(entries)
    try:
        state = value.__reduce_ex__(4)
        if isinstance(state, str):  # the name of a global
            return _Itself(value)
        made, args, *rest = (list(part) if isinstance(part, Iterator) else part for part in state)
        return kind, inside(made), inside(args), inside(rest)
    except Exception:  # of any library
        return _Itself(value)


def is_same(value: object, default: object) -> bool:
    """Whether a parameter has its default value."""
    return value is default or key_of(value) == key_of(default)


# Type checks of parameters by the annotations of `__init__`, so that a new parameter is checked by its annotation. The
# estimator itself checks ranges and other types, in its `check`.

Check = Callable[[str, Any], None]
Plain = frozenset[type]  # exact types that need no check


@cache
def checks_of(init: Any) -> tuple[tuple[str, Plain, Check], ...]:
    """(name, plain types, check of values of other types) of the arguments of an `__init__`."""
    if init is object.__init__:
        return ()
    hints = {name: hint for name, hint in get_type_hints(init).items() if name != "return"}
    found = ((name, _check_of(name, hint)) for name, hint in hints.items())
    return tuple((name, *check) for name, check in found if check is not None)


def _check_of(name: str, hint: Any) -> tuple[Plain, Check] | None:
    # the members of a union, without what they hold: bool | Callable[[Any], float] has bool and Callable
    members = get_args(hint) if get_origin(hint) in (Union, UnionType) else [hint]
    kinds = {get_origin(member) or member for member in members}
    if name == "random_state":
        return frozenset({NoneType, np.random.Generator}), _require_seed
    if bool in kinds:
        return frozenset({bool}), _require_flag_or_function if Callable in kinds else require_flag
    if str in kinds and kinds <= {str, int, float, NoneType}:
        return frozenset({str, int, float, NoneType}), _require_one_value
    if not kinds & {int, float}:
        return None
    if not kinds <= {float, NoneType}:
        return frozenset({int, float, NoneType}), _refuse_flag
    if NoneType in kinds:
        return frozenset({int, float, NoneType}), partial(_require_number, otherwise=", or None")
    return frozenset({int, float}), _require_number


def is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, Real) and not isinstance(value, bool)


def is_whole(value: object, least: int = 0) -> TypeGuard[int]:
    """Whether it is a whole number, of Python or NumPy, and at least this."""
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least


def is_list(value: object) -> TypeGuard[Collection[Any]]:
    """Whether it has entries, and is neither a text nor a mapping."""
    return isinstance(value, Collection) and not isinstance(value, str | bytes | Mapping)


def as_number(value: Any, source: str) -> float:
    """What a function of the user returned, as a float; ValueError, with one sentence, for what is no number."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{source} returned {value!r:.80}; it must return a number.") from None


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


def _require_number(name: str, value: object, otherwise: str = "") -> None:
    _refuse_flag(name, value)
    if not isinstance(value, Real):
        raise ValueError(f"{name} is {value!r}; it must be a number{otherwise}.")


def _require_seed(name: str, value: Any) -> None:
    """Raise ValueError unless `numpy.random.default_rng` takes the value, or if it is True or False."""
    try:
        np.random.default_rng(value)
        known = not isinstance(value, bool | np.bool_)
    except (TypeError, ValueError):
        known = False
    if not known:
        raise ValueError(
            f"{name} is {value!r}; it must be a whole number, at least 0, a Generator or None."
        )


# Parameters that have no effect because of another one, such as a strength without a penalty.
#
# An estimator names them (`_idle_parameters`) and says why (`_why_idle`). A fit warns once about those that were set,
# also in a base estimator. Tuning a parameter none of whose values has an effect is an error.


def sentences_on_idle(estimators: Iterable[EstimatorLike]) -> list[str]:
    """A sentence on each idle parameter that was set, with the first of its values."""
    found: dict[str, str] = {}
    for estimator in estimators:
        defaults = defaults_of(type(estimator))
        for name, default in defaults.items():
            value = getattr(estimator, name, default)
            if not (value is default or is_same(value, default)):
                break
        else:
            continue
        for name, part, own in _idle(estimator):
            value = getattr(part, own)
            if name not in found and not is_same(value, defaults_of(type(part))[own]):
                found[name] = f"{name}={value!r} has no effect, because {part._why_idle(own)}"
    return [*found.values()]


def idle_in_all(names: Iterable[str], estimators: Iterable[EstimatorLike]) -> dict[str, str]:
    """{parameter: sentence} for the parameters that are idle in all estimators."""
    found = dict.fromkeys(names, "")
    for estimator in estimators:
        idle = {name: (part, own) for name, part, own in _idle(estimator)}
        both = [name for name in found if name in idle]
        why = {name: idle[name][0]._why_idle(idle[name][1]) for name in both}
        found = {name: f"tuning {name} has no effect, because {why[name]}" for name in both}
        if not found:
            break
    return found


def _idle(estimator: EstimatorLike) -> Iterator[tuple[str, Any, str]]:
    """(name, the estimator that has it, its name there) of each idle parameter, also of base estimators."""
    inside = estimator.get_params() if hasattr(estimator, "get_params") else {}
    for name, part in ("", estimator), *inside.items():
        if hasattr(part, "_idle_parameters") and not isinstance(part, type):
            for own in part._idle_parameters():
                yield f"{name}__{own}" if name else own, part, own
