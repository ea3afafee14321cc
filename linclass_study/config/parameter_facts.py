"""What the class of a method says about its parameters. Resolved with the study, as results must not import classes.

by_default   parameters that are tuned along their path because the entry has neither `tune:` nor a value for them: the
             strengths of linclass's models and of models inside them
fixed        parameters that could be tuned and are not, with their values: those with a path, and those that make the
             model simpler
limits       parameter → values at which its range ends, as the class states them
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from linclass.base.parameters import idle_in_all
from linclass.tuning import paths, tuning
from linclass.tuning.tuned import Tuned
from linclass_study.pipeline.method import Method

Facts = dict[str, Any]


def parameter_facts(entry: Mapping[str, Any]) -> Facts:
    method = Method.from_entry(entry)
    estimator = method.estimator(**tuning.candidates(method.tune)[0])
    parts = [*_parts(estimator)]
    tunable = {
        f"{prefix}{name}": value
        for prefix, part in parts
        for name, value in part.get_params(deep=False).items()
        if _can_be_tuned(part, name)
    }
    own = {name: value for name, value in tunable.items() if name not in method.tune}
    acting = {name: own[name] for name in own if not idle_in_all([name], [estimator])}
    by_default = [
        name
        for name in acting
        if not method.tune
        and name.rpartition("__")[2] == "strength"
        and _extends_linclass(estimator)
        and paths.complaint(estimator, name) is None
        and not is_fixed(name, method.params)
    ]
    limits = {
        f"{prefix}{name}": [*values]
        for prefix, part in parts
        for name, values in (getattr(part, "limits", None) or {}).items()
    }
    fixed = {
        name: value
        for name, value in acting.items()
        if name not in by_default and isinstance(value, str | int | float | None)
    }
    return {"by_default": by_default, "fixed": fixed, "limits": limits}


def with_default_paths(entry: Mapping[str, Any], facts: Mapping[str, Any]) -> dict[str, Any]:
    """The entry with `path` for the parameters that are tuned by default."""
    along = dict.fromkeys(facts.get("by_default", ()), tuning.PATH)
    return {**entry, "tune": along} if along else dict(entry)


def is_fixed(name: str, params: Mapping[str, Any]) -> bool:
    """Whether a nested parameter (estimator__strength) is set in the params of the inner entry."""
    first, _, rest = name.partition("__")
    if name in params or not rest or not isinstance(params.get(first), Mapping):
        return name in params
    return is_fixed(rest, params[first].get("params") or {})


def _parts(estimator: Any) -> Iterator[tuple[str, Any]]:
    """(prefix of its parameters, estimator) of it and those inside, but for those that others tune in their fits."""
    inside = estimator.get_params() if hasattr(estimator, "get_params") else {}
    parts = {"": estimator} if hasattr(estimator, "get_params") else {}
    parts |= {
        f"{name}__": part
        for name, part in inside.items()
        if hasattr(part, "get_params") and not isinstance(part, type)
    }
    closed = tuple(
        prefix
        for prefix, part in parts.items()
        if isinstance(part, Tuned) or type(part).__name__.endswith("CV")
    )
    yield from ((prefix, part) for prefix, part in parts.items() if not prefix.startswith(closed))


def _can_be_tuned(part: Any, name: str) -> bool:
    stated = getattr(part, "simpler", None)
    simpler = stated if isinstance(stated, Mapping) else tuning.BY_NAME
    return name in simpler or paths.complaint(part, name) is None


def _extends_linclass(estimator: Any) -> bool:
    return any(cls.__module__.startswith("linclass.") for cls in type(estimator).__mro__)
