"""Parts that users choose by name: `find("losses", "hinge")` is the class Hinge.

The package of each kind of part has a table {name: import path}, as LOSSES in linclass/linear/losses/__init__.py.
A part is imported when it is asked for, so a fit loads only the parts that it uses.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any, ClassVar

from linclass.base.other_names import PARTS, nearest

PACKAGES = {
    "families": "linclass.naive_bayes.families",
    "features": "linclass.preprocessing.features",
    "kernels": "linclass.kernels.functions",
    "losses": "linclass.linear.losses",
    "penalties": "linclass.linear.penalties",
    "solvers": "linclass.linear.solvers",
    "transforms": "linclass.preprocessing.transforms",
}
SINGULAR = {
    "families": "family",
    "features": "feature",
    "kernels": "kernel",
    "losses": "loss",
    "penalties": "penalty",
    "solvers": "solver",
    "transforms": "transform",
}

WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class NamedPart:
    """Base class of losses, penalties and solvers."""

    name: ClassVar[
        str
    ]  # 'elastic_net' of ElasticNet; of a class outside linclass, the name of the class

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
        raise ValueError(f"there is no {SINGULAR[kind]} {name!r}; {hint}")
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
    found: Mapping[str, str] = getattr(import_module(PACKAGES[kind]), kind.upper())
    return found


def no_part(kind: str, chosen: object) -> ValueError:
    """The error for a choice that is neither a name nor {name: options}."""
    return ValueError(
        f"{chosen!r} is none of the {kind}; give a name, or {{name: {{option: value}}}}."
    )
