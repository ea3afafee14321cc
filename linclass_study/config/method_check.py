"""Check the entry of a method before any work: its classifier, its features and transforms, and their options."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from linclass.base import parts
from linclass.base.messages import NotApplicable
from linclass.base.tables import Table
from linclass_study.config.estimator_check import (
    estimator_problems,
    unknown_parameters,
)
from linclass_study.config.estimator_class import lacking_arguments, one_sentence
from linclass_study.config.module_files import look_beside_the_study
from linclass_study.config.tuned_options import option_problems, tuned_options
from linclass_study.errors import suggest_name
from linclass_study.pipeline import own_feature, transforming
from linclass_study.pipeline.method import named_steps


def method_problems(entry: Mapping[str, Any]) -> Iterator[tuple[list[Any], str]]:
    """Yield (path of keys, message) for each reason why the entry cannot work on any data."""
    for key in STEPS:
        for i, (name, options) in enumerate(named_steps(entry.get(key))):
            yield from (([key, i], text) for text in _of_step(key, name, options))
    options = tuned_options(entry)
    yield from option_problems(entry, partial(_of_step, "transforms"))
    tune = {name: value for name, value in (entry.get("tune") or {}).items() if name not in options}
    yield from estimator_problems({**entry, "tune": tune})


def _of_step(key: str, name: str, options: Mapping[str, Any]) -> Iterator[str]:
    """Problems of a feature or transform with these options; a name with a dot is an import path."""
    problems = OWN_STEPS[key] if "." in name else partial(_of_ours, key)
    return problems(name, options)


def _of_ours(key: str, name: str, options: Mapping[str, Any]) -> Iterator[str]:
    """Problems of a step that linclass has."""
    known = parts.names(key)
    if name not in known:
        (other,) = STEPS.keys() - {key}
        right = (
            f"it is a {other[:-1]}: list it under '{other}'" if name in parts.names(other) else ""
        )
        yield f"there is no {key[:-1]} '{name}'; {right or suggest_name(name, known)}"
        return
    step = STEPS[key](name)
    wrong = list(unknown_parameters(step, options, f"{key[:-1]} '{name}'"))
    yield from wrong or _objections(step, options)


def _feature(name: str) -> Any:
    """The feature map, as a function of its options, on a table of two rows and two columns."""
    apply = import_module(f"linclass.preprocessing.features.{name}").apply
    return partial(apply, Table(np.array([[1.0, 2.0], [3.0, 4.0]]), ("a", "b")))


STEPS = {"features": _feature, "transforms": transforming.transform_class}


def _objections(step: Any, options: Mapping[str, Any]) -> Iterator[str]:
    """Errors of a step about its options: of a transform at construction, of a feature when applied."""
    try:
        step(**options)
    except NotApplicable:  # to this small table; it may be applicable to others
        pass
    except Exception as error:
        yield one_sentence(error)


def _own_transform(path: str, options: Mapping[str, Any]) -> Iterator[str]:
    entry = {"classifier": path, "params": options}
    needed = ("fit", "transform")
    yield from (text for _, text in estimator_problems(entry, needed, classifies=False))


def _own_feature(path: str, options: Mapping[str, Any]) -> Iterator[str]:
    look_beside_the_study()
    try:
        function = own_feature.find_feature(path)
    except ValueError as error:
        yield one_sentence(error)
    except BaseException as error:  # the import itself fails; it may even call sys.exit
        yield f"'{path}' cannot be imported: {one_sentence(error)}"
    else:
        yield from unknown_parameters(function, options, f"'{path}'")
        if lacking := lacking_arguments(function, options, first=1):
            yield f"'{path}' needs {', '.join(lacking)}; list it as `{path}: {{{lacking[0]}: …}}`"


OWN_STEPS: dict[str, Callable[[str, Mapping[str, Any]], Iterator[str]]] = {
    "features": _own_feature,
    "transforms": _own_transform,
}
