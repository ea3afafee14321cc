"""Parts are found by name: `find("losses", "hinge")` is the class Hinge in losses/hinge.py.

A part is a class that extends the base class of its package, in the file that is named after it; the file may lie in
a folder of the package, beside what only it and its neighbours need (solvers/hinge/pegasos.py). Nothing is
registered anywhere: adding a part is adding its file, and a fit imports only the parts that it composes.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from linclass.names.other_names import PARTS, nearest

if TYPE_CHECKING:
    from linclass.families.base import Family
    from linclass.penalties.base import Penalty
    from linclass.solvers.base import Solver

BASES = {
    "families": "Family",
    "kernels": "Kernel",
    "losses": "Loss",
    "penalties": "Penalty",
    "solvers": "Solver",
}


@overload
def find(package: Literal["families"], name: str) -> type[Family]: ...
@overload
def find(package: Literal["penalties"], name: str) -> type[Penalty]: ...
@overload
def find(package: Literal["solvers"], name: str) -> type[Solver]: ...
@overload
def find(package: str, name: str) -> Any: ...  # classes whose constructors differ
@cache
def find(package: str, name: str) -> Any:
    """The part called `name` of linclass/{package}."""
    part = _part(package, name) if name in _modules(package) else None
    if part is None:
        near = nearest(name, names(package), PARTS.get(package, {}).get(str(name).lower()))
        hint = f"did you mean {near!r}?" if near else f"choose from {', '.join(names(package))}."
        raise ValueError(f"there is no {BASES[package].lower()} {name!r}; {hint}")
    return part


@cache
def names(package: str) -> tuple[str, ...]:
    """The names of all parts of a package; of one without a base class, all its files."""
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
    base = getattr(import_module(f"linclass.{package}.base"), BASES[package])
    found = getattr(import_module(_modules(package)[name]), camel_case(name), None)
    return found if isinstance(found, type) and issubclass(found, base) else None


@cache
def _modules(package: str) -> dict[str, str]:
    """Module of each public file, by the name of the file."""
    folder = Path(__file__).parent.parent
    files = (file.relative_to(folder) for file in (folder / package).glob("**/[!_]*.py"))
    modules = {file.stem: ".".join(("linclass", *file.with_suffix("").parts)) for file in files}
    return {name: module for name, module in modules.items() if name != "base"}
