"""scikit-learn's parameters: the arguments of `__init__`, stored as given, read and set by name."""

from __future__ import annotations

import copy
import inspect
import sys
from difflib import get_close_matches
from functools import cache
from typing import Any, Self

import numpy as np

from linclass.names.other_names import PARAMETERS


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
                if renamed := name_here(type(self), name):
                    raise TypeError(renamed)
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {self}. "
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


ALIKE = 0.75  # of get_close_matches, from which a name is a misspelt one


def name_here(kind: type, name: str) -> str:
    """A sentence on a parameter that has another name in one of linclass's classes, with the conversion of
    scikit-learn's C; '' if there is none.
    """
    known = defaults_of(kind)
    if name == "C" and "strength" in known:
        return (
            f"{kind.__name__} has no parameter 'C'; give strength=1/(n·C), for n rows of "
            "weight 1: linclass.objective.objective.strength_of_C(C, n)."
        )
    return next(
        (_meant(kind, name, ours) for ours in PARAMETERS.get(name, ()) if ours in known), ""
    )


def misspelt(kind: type, name: str) -> str:
    """A sentence on a parameter whose name is like one of the class; '' if there is none."""
    near = get_close_matches(name, defaults_of(kind), n=1, cutoff=ALIKE)
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


def key_of(params: object) -> str:
    """A text that tells parameters apart: repr, with all entries and digits of arrays, which `==` does not compare."""
    if "[" not in (text := repr(params)) and "array(" not in text:
        return text  # without the cost of the context below
    with np.printoptions(threshold=sys.maxsize, floatmode="unique"):
        return repr(params)


def is_same(value: object, default: Any) -> bool:
    return value is default or (type(value) is type(default) and key_of(value) == key_of(default))
