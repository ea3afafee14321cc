"""The class that an import path names: it exists, and its methods take what a study gives them."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable
from typing import Any

from linclass.base.parts import import_object
from linclass_study.config.module_files import look_beside_the_study

VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
PIPELINE = (
    "a pipeline is `classifier: sklearn.pipeline.Pipeline` with `params: {steps: [[name, {classifier: …}], …]}` "
    "(docs/estimators.md)"
)


def found_class(path: str, needed: tuple[str, ...]) -> tuple[Any, str]:
    """(the class, '') if it has the `needed` methods, else (None, a sentence)."""
    look_beside_the_study()
    try:
        found = import_object(path)
    except ValueError as error:
        return None, one_sentence(error)
    except BaseException as error:  # the import itself fails; it may even call sys.exit
        return None, f"'{path}' cannot be imported: {one_sentence(error)}"
    if not isinstance(found, type):
        return None, _no_class(path, found, needed)
    lacking = [name for name in needed if not callable(getattr(found, name, None))]
    if lacking:
        return None, f"'{path}' has no {lacking[0]}(); give a class with {' and '.join(needed)}"
    unfit = _unfit(found, "fit_transform" if "transform" in needed else "fit") if needed else ""
    return (None, unfit) if unfit else (found, "")


def lacking_arguments(function: Any, given: Iterable[str], first: int = 0) -> list[str]:
    """Parameters, from the `first` one, that have no default and are not `given`."""
    try:
        parameters = [*inspect.signature(function).parameters.values()][first:]
    except (ValueError, TypeError):  # a compiled one without a signature
        return []
    return [
        p.name
        for p in parameters
        if p.default is p.empty and p.kind not in VARIADIC and p.name not in given
    ]


def one_sentence(error: BaseException) -> str:
    message = str(error) if isinstance(error, Exception) else f"it raises {error!r}"
    return " ".join(message.split()) or type(error).__name__


def _no_class(path: str, found: Any, needed: tuple[str, ...]) -> str:
    """What else it is, and how to write it."""
    if "transform" in needed and inspect.isroutine(found):
        return (
            f"'{path}' is a function, not a class with fit and transform; "
            "list a map of single rows under `features:`"
        )
    if hasattr(found, "fit"):
        kind = type(found)
        own, given = _public_path(kind), "list" if "transform" in needed else "give `classifier:"
        own = f"`{own}`" if "transform" in needed else f"{own}`, with `params:`"
        remedy = PIPELINE if hasattr(found, "steps") else f"{given} {own}"
        return f"'{path}' is an object of {kind.__name__}, not a class; {remedy}"
    if inspect.isroutine(found):
        return f"'{path}' is a function, not a class; give the class of an estimator; {PIPELINE}"
    return f"'{path}' is not a class; give the class of an estimator"


def _public_path(kind: type) -> str:
    """Where users import a class from: the part of its module before a private name, if it is there, too."""
    whole = f"{kind.__module__}.{kind.__qualname__}"
    public = kind.__module__.partition("._")[0]
    there = getattr(sys.modules.get(public), kind.__name__, None) is kind
    return f"{public}.{kind.__name__}" if there else whole


def _unfit(cls: Any, method: str) -> str:
    """Why the method cannot be called with rows and classes, and with groups if it takes them."""
    function = getattr(cls, method, None)
    if not callable(function) or str(getattr(function, "__module__", "")).startswith(
        "sklearn."
    ):  # it calls fit
        method, function = "fit", cls.fit
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):
        return ""
    groups = {"groups": None} if "groups" in signature.parameters else {}
    own = [p for p in signature.parameters.values() if p.kind not in VARIADIC]
    try:
        signature.bind(None, "X", "y", **groups)
    except TypeError:
        called = f"{cls.__name__}.{method}"
        others = lacking_arguments(function, groups, first=3)
        if others:
            return f"{called} needs {', '.join(others)}, which no study gives; give it a default"
        names = ", ".join(p.name for p in own[1:])
        return (
            f"{called} takes ({names}); it must take rows and classes, as in {method}(self, X, y)"
        )
    return ""
