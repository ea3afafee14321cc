"""Steps as users write them, [impute, {one_hot: {drop: none}}], with an error of one line for what does not exist."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from linclass.base import parts
from linclass.base.parameters import checks_of
from linclass.base.suggestions import near_names
from linclass.base.tables import Table
from linclass_study.pipeline.method import named_steps, parameters
from linclass_study.pipeline.own_feature import apply_own_feature, find_feature
from linclass_study.pipeline.transforming import transform_class


def checked_steps(package: str, entries: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """(name, options) of each entry; ValueError for names and options that do not exist."""
    for entry in [entries] if isinstance(entries, str | Mapping) else entries:
        if not isinstance(entry, str) and not (isinstance(entry, Mapping) and len(entry) == 1):
            raise ValueError(
                f"{package} has {entry!r}; give a name, or {{name: {{option: value}}}}."
            )
        ((name, options),) = named_steps([entry])
        if "." not in name and name not in parts.names(package):
            near = near_names(name, parts.names(package))
            choices = f"choose from {', '.join(parts.names(package))}."
            hint = f"did you mean {near[0]!r}?" if near else choices
            raise ValueError(f"there is no {package[:-1]} {name!r}; {hint}")
        _check_options(package, name, options)
        yield name, options


def feature_map(name: str) -> Callable[..., Table]:
    """The function of a feature; a name with a dot is the import path of a function."""
    if "." in name:
        return partial(apply_own_feature, name)
    return parts.find("features", name)


def _check_options(package: str, name: str, options: Mapping[str, Any]) -> None:
    if package == "transforms":
        step: Any = transform_class(name)
        known = [*parameters(step).values()]
    else:
        step = find_feature(name) if "." in name else feature_map(name)
        known = [*parameters(step).values()][1:]  # the first is the table
    if "." in name and (not known or any(p.kind is p.VAR_KEYWORD for p in known)):
        return  # it takes any, or does not say
    names = [p.name for p in known]
    if unknown := sorted({*options} - {*names}):
        raise ValueError(
            f"{name} has no option {unknown[0]!r}; it has {', '.join(names) or 'none'}."
        )
    needed = [p.name for p in known if p.default is p.empty and p.kind is not p.VAR_POSITIONAL]
    if missing := [option for option in needed if option not in options]:
        raise ValueError(f"{name} needs {missing[0]}; give {{{name}: {{{missing[0]}: …}}}}.")
    if "." in name:
        return
    for option, plain, check in checks_of(step.__init__ if package == "transforms" else step):
        if option in options and type(options[option]) not in plain:
            check(f"{name}: {option}", options[option])
