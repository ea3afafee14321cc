"""Parts that users choose by name: `find("losses", "hinge")` is the class Hinge.

The package of each kind of part has a table {name: import path}, as LOSSES in linclass/linear/losses/__init__.py.
A part is imported when it is asked for, so a fit loads only the parts that it uses.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, ClassVar

from linclass.base.suggestions import CLASSES, PARTS, near_names, nearest

KINDS = {  # kind of parts → its singular, and the package
    "families": ("family", "linclass.naive_bayes.families"),
    "features": ("feature", "linclass.preprocessing.features"),
    "kernels": ("kernel", "linclass.kernels.functions"),
    "losses": ("loss", "linclass.linear.losses"),
    "penalties": ("penalty", "linclass.linear.penalties"),
    "solvers": ("solver", "linclass.linear.solvers"),
    "transforms": ("transform", "linclass.preprocessing.transforms"),
}

WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class NamedPart:
    """Base class of losses, penalties and solvers."""

    name: ClassVar[str]  # such as 'elastic_net'; outside linclass the name of the class

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        ours = cls.__module__.startswith("linclass.")
        cls.name = WORDS.sub("_", cls.__name__).lower() if ours else cls.__name__


@cache
def find(kind: str, name: str) -> Any:
    """The class (of a feature, the function) with this name."""
    path = table(kind).get(name)
    if path is None:
        near = nearest(name, names(kind), PARTS.get(kind, {}).get(str(name).lower()))
        hint = f"did you mean {near!r}?" if near else f"choose from {', '.join(names(kind))}."
        raise ValueError(f"there is no {KINDS[kind][0]} {name!r}; {hint}")
    module, _, member = path.rpartition(".")
    return getattr(import_module(module), member)


def module_of(kind: str, name: str) -> str:
    """The module of the part with this name."""
    return table(kind)[name].rpartition(".")[0]


def names(kind: str) -> tuple[str, ...]:
    """The names of all parts of a kind, in alphabetical order."""
    return tuple(sorted(table(kind)))


def table(kind: str) -> Mapping[str, str]:
    """{name: import path} of all parts of a kind."""
    found: Mapping[str, str] = getattr(import_module(KINDS[kind][1]), kind.upper())
    return found


def no_part(kind: str, chosen: object) -> ValueError:
    """The error for a choice that is neither a name nor {name: options}."""
    return ValueError(
        f"{chosen!r} is none of the {kind}; give a name, or {{name: {{option: value}}}}."
    )


def import_object(path: str) -> Any:
    """The attribute of a module that `path` names; ValueError with one sentence if there is none."""
    module_name, _, name = path.rpartition(".")
    if not module_name or path.startswith("."):
        raise ValueError(
            f"'{path}' names no module; give the whole import path, as in sklearn.linear_model.RidgeClassifier"
        )
    try:
        return getattr(import_module(module_name), name)
    except ModuleNotFoundError as error:
        raise ValueError(
            f"'{path}' cannot be imported: there is no module '{error.name}'; "
            "install it, or correct the path"
        ) from None
    except AttributeError:
        module = import_module(module_name)
        known = [n for n in dir(module) if n[:1] != "_"]
        elsewhere = CLASSES.get(name) if module_name == "linclass" else None
        near = [
            n
            for n in (elsewhere, *near_names(name, known))
            if n and not isinstance(getattr(module, n), ModuleType)  # that it has imported
        ]
        remedy = f"did you mean '{near[0]}'?" if near else "correct the path"
        if module_name in sys.stdlib_module_names:
            remedy = "it is a module of Python; give your file another name"
        raise ValueError(
            f"'{path}' does not exist: '{module_name}' has no '{name}'; {remedy}"
        ) from None


def import_class(path: str) -> type:
    """The class at an import path."""
    found = import_object(path)
    if not isinstance(found, type):
        raise ValueError(f"'{path}' is not a class; give the class of an estimator")
    return found
