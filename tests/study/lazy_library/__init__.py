"""A library that imports its parts on demand, as many do."""

from importlib import import_module

_HOME = {"Lazy": ".estimators"}


def __getattr__(name):
    if name in _HOME:
        return getattr(import_module(_HOME[name], __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
