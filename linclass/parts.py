"""Parts are found by name: `find("losses", "hinge")` is the class Hinge in losses/hinge.py.

Nothing is registered anywhere: adding a part is adding its file, and a fit imports only the parts
that it composes.
"""

from __future__ import annotations

import pkgutil
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import Any


@cache
def find(package: str, name: str) -> Any:
    """The class that the file linclass/{package}/{name}.py is named after."""
    if name not in names(package):
        near = get_close_matches(str(name), names(package), n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"choose from {', '.join(names(package))}."
        raise ValueError(f"{package} has no {name!r}; {hint}")
    return getattr(import_module(f"linclass.{package}.{name}"), camel_case(name))


@cache
def names(package: str) -> tuple[str, ...]:
    """All parts of a package: its files, but for `base`, which they share, and private ones."""
    folder = import_module(f"linclass.{package}").__path__
    files = (file.name for file in pkgutil.iter_modules(folder))
    return tuple(sorted(name for name in files if name != "base" and not name.startswith("_")))


def camel_case(name: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))
