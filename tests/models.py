"""The modules and classes of all classifiers and regressors, over which laws are tested."""

from importlib import import_module
from pathlib import Path
from types import ModuleType

import linclass

FOLDERS = ("classifiers", "regressors")
FILES = [
    file
    for folder in FOLDERS
    for file in sorted((Path(linclass.__file__).parent / folder).glob("[!_]*.py"))
]
MODULES = [import_module(f"linclass.{file.parent.name}.{file.stem}") for file in FILES]


def own_classes(module: ModuleType) -> list[type]:
    """The classes that are defined in a module."""
    kinds = (kind for kind in vars(module).values() if isinstance(kind, type))
    return [kind for kind in kinds if kind.__module__ == module.__name__]
