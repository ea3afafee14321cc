"""scikit-learn's parameters: the arguments of `__init__`, stored as given, read and set by name."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Hashable, Iterator
from functools import cache, partial
from hashlib import sha256
from typing import Any, Self

import numpy as np

from linclass.base.other_names import PARAMETERS, STRENGTHS, near_names


class Parameters:
    """Mixin of estimators and of what transforms rows before them."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name.

        Parameters
        ----------
        deep : bool, default=True
            Whether to include the parameters of estimators among the parameters, as
            `estimator__strength`.

        Returns
        -------
        dict
            Name of each parameter and its value.
        """
        params = {name: getattr(self, name) for name in defaults_of(type(self))}
        if deep:
            for name, value in list(params.items()):
                if hasattr(value, "get_params") and not isinstance(value, type):
                    params |= {f"{name}__{k}": v for k, v in value.get_params().items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name.

        Parameters
        ----------
        **params : dict
            Name and value of each; `estimator__strength` is the parameter `strength` of the
            estimator inside.

        Returns
        -------
        self
        """
        nested: dict[str, dict[str, Any]] = {}
        for key, value in params.items():
            name, inner, rest = key.partition("__")
            if name not in defaults_of(type(self)):
                raise ValueError(
                    name_here(type(self), name)
                    or misspelt(type(self), name)
                    or f"Invalid parameter {name!r} for estimator {self}. "
                    f"Valid parameters are: {sorted(defaults_of(type(self)))}."
                )
            if inner:
                nested.setdefault(name, {})[rest] = value
            else:
                setattr(self, name, value)
        for name, values in nested.items():
            inner = getattr(self, name)
            if not hasattr(inner, "set_params"):
                raise ValueError(
                    f"{name} is {inner!r}, which has no parameter {min(values)!r}; give {name} an "
                    "estimator that has it."
                )
            inner.set_params(**values)
        return self

    def _unfitted(self, **params: Any) -> Self:
        """An unfitted copy with some parameters changed."""
        return type(self)(**copy.deepcopy(self.get_params(deep=False) | params))

    def __repr__(self) -> str:
        changed = (
            f"{name}={getattr(self, name)!r}"
            for name, default in defaults_of(type(self)).items()
            if not is_same(getattr(self, name), default)
        )
        return f"{type(self).__name__}({', '.join(changed)})"


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


def defaults_of(estimator: type) -> dict[str, Any]:
    """Default of each argument of __init__, by name."""
    init = estimator.__init__  # type: ignore[misc]
    return {} if init is object.__init__ else _arguments(init)


@cache
def _arguments(init: Any) -> dict[str, Any]:
    arguments = list(inspect.signature(init).parameters.values())[1:]  # without self
    return {a.name: a.default for a in arguments}


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
