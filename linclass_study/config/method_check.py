"""Check the entry of a method before any work: its classifier, features, transforms, and their options.

Options of transforms can be tuned, too: `tune: {principal_components__components: [2, 5]}`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from linclass.base import parts
from linclass.base.messages import NotApplicable
from linclass.base.suggestions import near_names
from linclass.base.tables import Table
from linclass.tuning import tuning
from linclass_study.config.estimator_check import (
    estimator_problems,
    names_of_steps,
    unknown_parameters,
)
from linclass_study.config.estimator_class import lacking_arguments, one_sentence
from linclass_study.config.module_files import look_beside_the_study
from linclass_study.errors import suggest_name
from linclass_study.pipeline import foreign_steps, transforming
from linclass_study.pipeline.method import named_steps, step_name
from linclass_study.pipeline.transforming import transform_class

Problems = Iterator[tuple[list[Any], str]]
Objections = Callable[[str, Mapping[str, Any]], Iterator[str]]  # of a transform with these options


def tuned_options(entry: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Tuned parameter → (transform or feature, option), for those that are no parameters of the classifier."""
    steps = [*named_steps(entry.get("features")), *named_steps(entry.get("transforms"))]
    own = {step_name(path) for path, _ in steps}
    inner = {*(entry.get("params") or {}), *names_of_steps(entry.get("params") or {})}
    known = own | ({*parts.names("transforms")} - inner)
    split = {name: name.partition("__") for name in entry.get("tune") or {}}
    return {
        name: (step, option)
        for name, (step, _, option) in split.items()
        if option and (step in known or (step not in inner and _meant(step, own)))
    }


def _meant(step: str, own: Iterable[str]) -> str:
    """The step whose name is written in full, as sklearn.decomposition.PCA, or misspelt; empty if there is none."""
    last = step_name(step)
    return last if last in own else next(iter(near_names(step, own)), "")


def _without_path(path: str, option: str) -> str:
    """Why an option of a transform has no path; empty if it has one."""
    with suppress(Exception):  # another check says what is wrong with the transform
        if option in getattr(transform_class(path), "paths", ()):
            return ""
    return f"{step_name(path)} has no path of '{option}'; list its values"


def option_problems(entry: Mapping[str, Any], objections: Objections) -> Problems:
    """(path of keys, sentence) for each tuned option that cannot work on any data."""
    features = {step_name(path) for path, _ in named_steps(entry.get("features"))}
    transforms = named_steps(entry.get("transforms"))
    for name, (step, option) in tuned_options(entry).items():
        found = [(path, given) for path, given in transforms if step_name(path) == step]
        if not found and step in features:
            sentence = (
                f"'{step}' is a feature, which is computed before the folds; only options of transforms "
                "are tuned. Define a method for each value, with grid:"
            )
        elif not found and step not in parts.names("transforms"):
            meant = _meant(step, {step_name(path) for path, _ in transforms} | features)
            sentence = f"no transform of the method is called '{step}'; write {meant}__{option}"
        elif not found:
            sentence = f"'{step}' is not among the transforms of the method; list it there"
        elif len(found) > 1:
            sentence = f"the transform '{step}' is listed twice; list it once to tune it"
        elif step in names_of_steps(entry.get("params") or {}):
            sentence = f"'{step}' is a transform and a step of the classifier; rename the step"
        elif option in found[0][1]:
            sentence = f"'{option}' is fixed under transforms, too; leave it out there or here"
        else:
            path, given = found[0]
            sentence = _without_path(path, option) if tuning.is_path(entry["tune"][name]) else ""
            values = tuning.candidates({option: entry["tune"][name]})
            tried = (objections(path, {**given, **value}) for value in values)
            sentence = sentence or next((text for texts in tried for text in texts), "")
        if sentence:
            yield ["tune", name], sentence


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
        function = foreign_steps.find_feature(path)
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
