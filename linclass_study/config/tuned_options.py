"""Check the options of transforms under `tune:`, as principal_components__components, before any work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from linclass.base import parts
from linclass.base.suggestions import near_names
from linclass.tuning import tuning
from linclass_study.config.estimator_check import names_of_steps
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
