"""Pickles know the version of linclass that wrote them, and another version refuses them.

Attributes change their meaning between versions, and a model that loads and predicts something else is worse than an
error. (scikit-learn warns of this; see its "Model persistence".)
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Self

KEY = "_linclass_version"


@cache
def linclass_version() -> str:
    try:
        return version("linclass")
    except PackageNotFoundError:  # a folder that was not installed
        return "of an unknown version"


class Saved:
    """Mixin of what users keep in files: estimators and transforms."""

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), KEY: linclass_version()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        written, ours = state.get(KEY, "before 0.1"), linclass_version()
        if written != ours:
            raise ValueError(
                f"this {type(self).__name__} was saved by linclass {written}, and this is linclass {ours}; "
                f"load it with that version, or fit it again with this one."
            )
        vars(self).update({name: value for name, value in state.items() if name != KEY})

    def __copy__(self) -> Self:
        """Of the same version, so there is nothing to check."""
        other = object.__new__(type(self))
        vars(other).update(vars(self))
        return other
