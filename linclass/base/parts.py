"""Parts are found by name: `find("losses", "hinge")` is the class Hinge in losses/hinge.py.

A part extends the base class of its package, in the module that is named after it; the module may lie in a subpackage
(solvers/hinge/pegasos.py). Adding a part is adding its module, and a fit imports only the parts that it composes.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

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
BASES = {
    "families": "Family",
    "kernels": "Kernel",
    "losses": "Loss",
    "penalties": "Penalty",
    "solvers": "Solver",
}


@cache
def find(package: str, name: str) -> Any:
    """The part called `name` of a package."""
    part = _part(package, name) if name in _modules(package) else None
    if part is None:
        near = nearest(name, names(package), PARTS.get(package, {}).get(str(name).lower()))
        hint = f"did you mean {near!r}?" if near else f"choose from {', '.join(names(package))}."
        raise ValueError(f"there is no {BASES[package].lower()} {name!r}; {hint}")
    return part


@cache
def names(package: str) -> tuple[str, ...]:
    """The names of all parts of a package; of one without a base class, all its modules."""
    if package not in BASES:
        return tuple(sorted(_modules(package)))
    return tuple(sorted(name for name in _modules(package) if _part(package, name)))


def no_part(package: str, chosen: object) -> ValueError:
    """What is neither a name nor {name: options}."""
    return ValueError(
        f"{chosen!r} is none of the {package}; give a name, or {{name: {{option: value}}}}."
    )


def camel_case(name: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))


def _part(package: str, name: str) -> type | None:
    base = getattr(import_module(f"{PACKAGES[package]}.base"), BASES[package])
    found = getattr(import_module(_modules(package)[name]), camel_case(name), None)
    return found if isinstance(found, type) and issubclass(found, base) else None


@cache
def _modules(package: str) -> dict[str, str]:
    """Module of each part, by its name."""
    top = import_module(PACKAGES[package])
    modules = {
        module.name.rpartition(".")[2]: module.name
        for module in walk_packages(top.__path__, f"{top.__name__}.")
        if not module.ispkg
    }
    return {name: modules[name] for name in sorted(modules) if name != "base" and name[0] != "_"}
