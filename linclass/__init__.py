"""Linear classifiers of the textbooks, from the equations, in NumPy, with scikit-learn's interface.

    from linclass import LogisticRegression
    LogisticRegression(strength=0.01).fit(X, y).predict_proba(X)

``help(linclass.LogisticRegression)`` documents one model, ``dir(linclass)`` lists all names, and docs/models.md has
the equation, cost and source of each model. Names are imported on first use.
"""

from __future__ import annotations

from importlib import import_module, util
from typing import Any

from linclass.base.public import MODULES, SUBMODULES

__all__ = sorted(MODULES)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("linclass")
    if name in MODULES:
        value = getattr(import_module(MODULES[name]), name)
        globals()[name] = value
        return value
    if not name.startswith("_") and util.find_spec(f"linclass.{name}"):
        return import_module(f"linclass.{name}")
    from linclass.base.suggestions import CLASSES, nearest

    # no hint for what tools ask every module, such as __wrapped__
    near = None if name.startswith("_") else nearest(name, __all__, CLASSES.get(name))
    hint = f"; did you mean {near!r}?" if near else ""
    raise AttributeError(f"module 'linclass' has no attribute {name!r}{hint}")


def __dir__() -> list[str]:
    return sorted([*__all__, *SUBMODULES])
