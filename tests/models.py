"""The modules of all public classifiers and regressors, over which laws are tested."""

from importlib import import_module

import linclass
from linclass.base.public import module_of

MODULES = [import_module(module_of(name)) for name in linclass.__all__ if name[0].isupper()]


def own_classes(module):
    """The classes that are defined in a module."""
    kinds = (kind for kind in vars(module).values() if isinstance(kind, type))
    return [kind for kind in kinds if kind.__module__ == module.__name__]
