"""The object at an import path, such as the class of `sklearn.svm.LinearSVC`."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

from linclass.base.other_names import CLASSES, near_names


def import_object(path: str) -> Any:
    """What `path` names, a module and an attribute of it; ValueError with one sentence if there is none."""
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
        raise ValueError(
            f"'{path}' does not exist: '{module_name}' has no '{name}'; {remedy}"
        ) from None


def import_class(path: str) -> type:
    """The class at an import path."""
    found = import_object(path)
    if not isinstance(found, type):
        raise ValueError(f"'{path}' is not a class; give the class of an estimator")
    return found
