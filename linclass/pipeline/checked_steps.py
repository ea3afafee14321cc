"""Steps as users write them, [impute, {one_hot: {drop: none}}], with an error of one line for what does not exist."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Any

from linclass import parts
from linclass.pipeline.method import named_steps
from linclass.pipeline.transforming import transform_class


def checked_steps(package: str, entries: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """(name, options) of each entry; ValueError for names and options that do not exist."""
    for entry in [entries] if isinstance(entries, str | Mapping) else entries:
        if not isinstance(entry, str) and not (isinstance(entry, Mapping) and len(entry) == 1):
            raise ValueError(
                f"{package} has {entry!r}; give a name, or {{name: {{option: value}}}}."
            )
        ((name, options),) = named_steps([entry])
        if name not in parts.names(package):
            near = get_close_matches(name, parts.names(package), n=1)
            hint = f"did you mean {near[0]!r}?" if near else ", ".join(parts.names(package))
            raise ValueError(f"{package} has no {name!r}; {hint}")
        known = [*inspect.signature(step_called(package, name)).parameters][package == "features" :]
        if unknown := sorted({*options} - {*known}):
            raise ValueError(
                f"{name} has no option {unknown[0]!r}; it has {', '.join(known) or 'none'}."
            )
        yield name, options


def step_called(package: str, name: str) -> Callable[..., Any]:
    if package == "transforms":
        return transform_class(name)
    return import_module(f"linclass.features.{name}").apply
