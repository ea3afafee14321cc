"""A method: a configured classifier, as in an entry of config/methods.yaml.

Parts are found by name, so a method depends only on the files of its own parts.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from linclass.base.messages import NotApplicable
from linclass.base.parts import import_class
from linclass_study.entries import Entry, named_steps, step_name


@dataclass(frozen=True)
class Method:
    """A configured classifier: its class, parameters, grid of tuned parameters, and transforms.

    Tuned parameters are sorted by name, so the order of keys in an entry does not decide ties. The grid may have
    options of the transforms, too, as principal_components__components. A dict `class_weight` may name the classes by
    their labels, `classes`, in the order of their codes.
    """

    classifier: type
    params: dict[str, Any] = field(default_factory=dict)
    tune: dict[str, Any] = field(default_factory=dict)
    transforms: tuple[tuple[str, dict[str, Any]], ...] = ()
    by_costs: bool = False
    classes: tuple[str, ...] = ()

    @classmethod
    def from_entry(cls, entry: Entry, classes: Sequence[str] = ()) -> Method:
        return cls(
            classifier=import_class(entry["classifier"]),
            params=dict(entry.get("params") or {}),
            tune=dict(sorted((entry.get("tune") or {}).items())),
            transforms=tuple(named_steps(entry.get("transforms"))),
            by_costs=entry.get("decide") == "costs",
            classes=tuple(classes),
        )

    def estimator(self, seed: int | None = None, **chosen: Any) -> Any:
        """The unfitted classifier; `seed` sets its random_state unless the entry does."""
        params = {name: chosen[name] for name in chosen if not self.is_of_transform(name)}
        values = self.values(self.params | params, seed)
        learns = hasattr(self.classifier, "fit")  # a splitter may reject a seed
        drawn = parameters(self.classifier).get("random_state")
        if seed is not None and learns and drawn is not None and drawn.default != "deprecated":
            values.setdefault("random_state", seed)
        inner = {name: values.pop(name) for name in list(values) if "__" in name}
        estimator = self.classifier(**values)
        return estimator.set_params(**inner) if inner else estimator

    def values(self, params: Mapping[str, Any], seed: int | None) -> dict[str, Any]:
        """Parameters as the classifier takes them: with inner estimators, and class weights by class codes."""
        return {
            name: built(with_codes(value, self.classes, name), seed)
            for name, value in params.items()
        }

    def is_of_transform(self, tuned: str) -> bool:
        """Whether a tuned parameter is an option of a transform: PCA__n_components, of sklearn.decomposition.PCA."""
        step, _, option = tuned.partition("__")
        return bool(option) and step in self._step_names

    @cached_property
    def _step_names(self) -> list[str]:
        return [step_name(path) for path, _ in self.transforms]

    @property
    def n_untuned_steps(self) -> int:
        """The number of transforms before the first one with a tuned option."""
        tuned = {name.partition("__")[0] for name in self.tune if self.is_of_transform(name)}
        return min(map(self._step_names.index, tuned), default=len(self._step_names))

    def with_options(self, chosen: Mapping[str, Any]) -> Method:
        """The method with the chosen options of its transforms; parameters of the classifier are left out."""
        options: dict[str, dict[str, Any]] = {}
        for name in filter(self.is_of_transform, chosen):
            step, _, option = name.partition("__")
            options.setdefault(step, {})[option] = chosen[name]
        if not options:
            return self._without_options
        steps = [
            (path, with_codes(fixed | options.get(name, {}), self.classes))
            for name, (path, fixed) in zip(self._step_names, self.transforms, strict=True)
        ]
        return replace(self, transforms=tuple(steps))

    @cached_property
    def _without_options(self) -> Method:
        """The method of all candidates, if no option of a transform is tuned."""
        steps = [(path, with_codes(fixed, self.classes)) for path, fixed in self.transforms]
        return replace(self, transforms=tuple(steps))


def parameters(function: Any) -> Mapping[str, inspect.Parameter]:
    """Parameters by name; empty if they are unknown, as for some compiled classes."""
    try:
        return inspect.signature(function).parameters
    except (ValueError, TypeError):
        return {}


def built(value: Any, seed: int | None) -> Any:
    """The value of a parameter; {classifier: …, params: …} becomes an estimator.

    Also inside lists and mappings, such as the [[name, {classifier: …}], …] of ensembles.
    """
    if isinstance(value, Mapping):
        if "classifier" in value:
            return Method.from_entry(value).estimator(seed)
        return {name: built(inside, seed) for name, inside in value.items()}
    if isinstance(value, list):
        return [built(item, seed) for item in value]
    return value


# Classes by their labels, `class_weight: {ill: 5}` and `order: [low, mid, high]`, as the codes that classifiers get.
#
# Also in an estimator inside of another one, and for `estimator__class_weight`. In weights a whole number that is not a
# label is a code, also as the text that JSON makes of it; in an order other values stay as they are.


def with_codes(value: Any, classes: Sequence[str], name: str = "") -> Any:
    """The value of the parameter `name`, with codes instead of labels; unchanged if the labels are not known."""
    if not classes:
        return value
    parameter = name.rpartition("__")[2]
    if parameter == "order" and isinstance(value, list):
        labels = [*classes]
        return [labels.index(str(c)) if str(c) in labels else c for c in value]
    if isinstance(value, list):
        return [with_codes(item, classes, name) for item in value]
    if not isinstance(value, Mapping):
        return value
    if parameter != "class_weight":
        return {key: with_codes(inside, classes, str(key)) for key, inside in value.items()}
    codes = {str(code): code for code in range(len(classes))}
    codes |= {label: code for code, label in enumerate(classes)}
    for key in map(str, value):
        if key not in codes:
            raise NotApplicable(
                f"class_weight: '{key}' is not a class; the classes are {', '.join(classes)}"
            )
    return {codes[str(key)]: weight for key, weight in value.items()}


# Map class codes to labels in messages.
#
# Classifiers get codes and say "class 2"; users know the labels of their file.

CLASS = re.compile(r"\bclass (\d+)\b(?!\.\d)")


def with_labels(message: str, classes: Sequence[str]) -> str:
    """The message of a classifier with the labels `classes` instead of codes; unknown codes stay."""

    def label(match: re.Match[str]) -> str:
        code = int(match[1])
        return f"class '{classes[code]}'" if code < len(classes) else match[0]

    return CLASS.sub(label, message)
