"""Parameters that have no effect because of another one, such as a strength without a penalty.

An estimator names them (`_idle_parameters`) and says why (`_why_idle`). A fit warns once of those that were set, also
of an estimator inside. Where no value of a tuned parameter has an effect, nothing is chosen, and that is an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from linclass.base.annotations import EstimatorLike
from linclass.base.parameters import defaults_of, is_same


def sentences_on_idle(estimators: Iterable[EstimatorLike]) -> list[str]:
    """A sentence on each idle parameter that was set, with the first of its values."""
    found: dict[str, str] = {}
    for estimator in estimators:
        for name, part, own in _idle(estimator):
            value = getattr(part, own)
            if name not in found and not is_same(value, defaults_of(type(part))[own]):
                found[name] = f"{name}={value!r} has no effect, because {part._why_idle(own)}"
    return [*found.values()]


def idle_in_all(names: Iterable[str], estimators: Iterable[EstimatorLike]) -> dict[str, str]:
    """Each of these parameters that is idle in all estimators → a sentence on it."""
    found = dict.fromkeys(names, "")
    for estimator in estimators:
        idle = {name: (part, own) for name, part, own in _idle(estimator)}
        both = [name for name in found if name in idle]
        found = {name: f"tuning {name} has no effect, because {_why(*idle[name])}" for name in both}
        if not found:
            break
    return found


def _idle(estimator: EstimatorLike) -> Iterator[tuple[str, Any, str]]:
    """(name, the estimator that has it, its name there) of each idle parameter, also of estimators inside."""
    parts = {"": estimator}
    if hasattr(estimator, "get_params"):
        parts |= {f"{name}__": part for name, part in estimator.get_params().items()}
    for prefix, part in parts.items():
        if hasattr(part, "_idle_parameters") and not isinstance(part, type):
            yield from ((f"{prefix}{own}", part, own) for own in part._idle_parameters())


def _why(part: Any, own: str) -> str:
    return str(part._why_idle(own))
