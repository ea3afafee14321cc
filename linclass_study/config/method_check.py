"""Check the entry of a method before any work: its classifier, features, transforms, and their options.

Options of transforms can be tuned, too: `tune: {principal_components__components: [2, 5]}`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from linclass.base import parts
from linclass.base.messages import NotApplicable
from linclass.base.suggestions import near_names
from linclass.base.tables import Table
from linclass.tuning import selection
from linclass_study.config import estimator_check
from linclass_study.entries import Entry, Problems, named_steps, step_name
from linclass_study.errors import suggest_name
from linclass_study.pipeline import foreign_steps
from linclass_study.pipeline.transforming import transform_class


def tuned_options(entry: Entry) -> dict[str, tuple[str, str]]:
    """Tuned parameter → (transform or feature, option), for those that are not parameters of the classifier."""
    steps = [*named_steps(entry.get("features")), *named_steps(entry.get("transforms"))]
    listed = {step_name(path) for path, _ in steps}
    inside = {
        *(entry.get("params") or {}),
        *estimator_check.names_of_steps(entry.get("params") or {}),
    }
    all_steps = listed | ({*parts.names("transforms")} - inside)
    split = {name: name.partition("__") for name in entry.get("tune") or {}}
    return {
        name: (step, option)
        for name, (step, _, option) in split.items()
        if option and (step in all_steps or (step not in inside and _nearest_step(step, listed)))
    }


def _nearest_step(step: str, steps: Iterable[str]) -> str:
    """The step whose name is written in full, as sklearn.decomposition.PCA, or misspelled; '' if there is none."""
    last = step_name(step)
    return last if last in steps else next(iter(near_names(step, steps)), "")


def _option_problem(entry: Entry, name: str, step: str, option: str) -> str:
    """Why the tuned parameter `name`, an option of a transform, cannot work on any data; '' if it can."""
    features = {step_name(path) for path, _ in named_steps(entry.get("features"))}
    transforms = named_steps(entry.get("transforms"))
    matching = [(path, fixed) for path, fixed in transforms if step_name(path) == step]
    if not matching and step in features:
        return (
            f"'{step}' is a feature, which is computed before the folds; only options of transforms "
            "are tuned. Define a method for each value, with grid:"
        )
    if not matching and step not in parts.names("transforms"):
        meant = _nearest_step(step, {step_name(path) for path, _ in transforms} | features)
        return f"no transform of the method is called '{step}'; write {meant}__{option}"
    if not matching:
        return f"'{step}' is not among the transforms of the method; list it there"
    if len(matching) > 1:
        return f"the transform '{step}' is listed twice; list it once to tune it"
    if step in estimator_check.names_of_steps(entry.get("params") or {}):
        return f"'{step}' is a transform and a step of the classifier; rename the step"
    ((path, fixed),) = matching
    if option in fixed:
        return f"'{option}' is also set under transforms; remove one of the two"
    if selection.is_path(entry["tune"][name]):
        with suppress(Exception):  # another check reports what is wrong with the transform
            if option not in getattr(transform_class(path), "paths", ()):
                return f"{step_name(path)} has no path of '{option}'; list its values"
    values = selection.candidates({option: entry["tune"][name]})
    problems = (_step_problems("transforms", path, {**fixed, **value}) for value in values)
    return next((problem for of_value in problems for problem in of_value), "")


def method_problems(entry: Entry) -> Problems:
    """Yield (path of keys, message) for each reason why the entry cannot work on any data."""
    for key in ("features", "transforms"):
        for i, (name, options) in enumerate(named_steps(entry.get(key))):
            yield from (([key, i], text) for text in _step_problems(key, name, options))
    options = tuned_options(entry)
    for name, (step, option) in options.items():
        if problem := _option_problem(entry, name, step, option):
            yield ["tune", name], problem
    tune = {name: value for name, value in (entry.get("tune") or {}).items() if name not in options}
    yield from estimator_check.estimator_problems({**entry, "tune": tune})


def _step_problems(key: str, name: str, options: Mapping[str, Any]) -> Iterator[str]:
    """Problems of a feature or transform with these options; a name with a dot is an import path."""
    all_names = parts.names(key)
    if "." in name and key == "features":
        yield from _feature_problems(name, options)
    elif "." in name:
        entry = {"classifier": name, "params": options}
        problems = estimator_check.estimator_problems(entry, ("fit", "transform"), classifies=False)
        yield from (text for _, text in problems)
    elif name not in all_names:
        other = "transforms" if key == "features" else "features"
        listed = f"it is a {other[:-1]}: list it under '{other}'"
        right = listed if name in parts.names(other) else suggest_name(name, all_names)
        yield f"there is no {key[:-1]} '{name}'; {right}"
    else:
        step: Any = transform_class(name) if key == "transforms" else None
        if step is None:  # the feature map as a function of its options, on a small table
            step = partial(
                parts.find(key, name), Table(np.array([[1.0, 2.0], [3.0, 4.0]]), ("a", "b"))
            )
        unknown = [*estimator_check.unknown_parameters(step, options, f"{key[:-1]} '{name}'")]
        yield from unknown
        try:
            if not unknown:
                step(**options)
        except NotApplicable:  # to this small table; it may be applicable to others
            pass
        except Exception as error:
            yield estimator_check.one_sentence(error)


def _feature_problems(path: str, options: Mapping[str, Any]) -> Iterator[str]:
    function, problem = estimator_check.imported(path, foreign_steps.find_feature)
    if problem:
        yield problem
        return
    yield from estimator_check.unknown_parameters(function, options, f"'{path}'")
    if lacking := estimator_check.lacking_arguments(function, options, first=1):
        yield f"'{path}' needs {', '.join(lacking)}; list it as `{path}: {{{lacking[0]}: …}}`"
