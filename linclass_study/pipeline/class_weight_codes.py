"""Classes by their labels, `class_weight: {ill: 5}` and `order: [low, mid, high]`, as the codes that classifiers get.

Also in an estimator inside of another one, and for `estimator__class_weight`. In weights a whole number that is no
label is a code, also as the text that JSON makes of it; in an order other values stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from linclass.base.messages import NotApplicable


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
    return {_code(str(key), classes): weight for key, weight in value.items()}


def _code(label: str, classes: Sequence[str]) -> int:
    code = [*classes].index(label) if label in classes else int(label) if label.isdecimal() else -1
    if not 0 <= code < len(classes):
        raise NotApplicable(
            f"class_weight: '{label}' is not a class; the classes are {', '.join(classes)}"
        )
    return code
