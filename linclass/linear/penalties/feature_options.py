"""Options of penalties with an entry for each feature, given by the names of features or as a list of labels.

A column `city=Paris`, as one_hot names it, belongs to the feature `city`; any other column is a feature by itself.
scikit-learn's OneHotEncoder names it `city_Paris`, where the separator is `_`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linclass.base.arrays import Array
from linclass.base.messages import NotApplicable, counted
from linclass.base.parameters import is_list
from linclass.base.suggestions import near_names


def feature_of(column: str, separator: str = "=") -> str:
    """The original feature of a column: what stands before the first `=`, or the last of any other separator.

    A doubled separator separates nothing: in `cat__job_type_clerk` the feature is `cat__job_type`.
    """
    if separator == "=":
        return column.partition("=")[0] or column
    single = f"(?<!{re.escape(separator)}){re.escape(separator)}(?!{re.escape(separator)})"
    places = [match.start() for match in re.finditer(single, column) if match.start()]
    return column[: places[-1]] if places else column


def owners(
    option: str, given: Mapping[Any, Any], names: Sequence[str], separator: str = "="
) -> list[str | None]:
    """The key of `given` that names each column or its feature; None if there is none."""
    found = [_owner(given, str(name), separator) for name in names]
    for key in given:
        if key not in found and key not in names:
            near = near_names(key, [*map(feature_of, names), *names])
            remedy = f"did you mean {near[0]!r}?" if near else f"they are {_some(names)}."
            raise NotApplicable(f"{option} names {key!r}, which no feature is called; {remedy}")
    return found


def require_names(option: str, names: Sequence[str] | None) -> Sequence[str]:
    if names is None:
        raise NotApplicable(
            f"{option} are given by feature, but the features have no names; pass a data frame, or give "
            f"{option} as a list with an entry for each column."
        )
    return names


def _owner(given: Mapping[Any, Any], column: str, separator: str) -> str | None:
    """The longest name counts, so that a column can differ from the others of its feature."""
    named = [key for key in given if column == key or column.startswith(f"{key}{separator}")]
    return max(named, key=len) if named else None


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (", …" if len(names) > 8 else "")


def label_numbers(labels: Any) -> Array:
    """The labels as numbers 0, 1, …, in sorted order."""
    return np.unique(np.asarray(labels), return_inverse=True)[1].reshape(-1)


def are_labels(given: Any) -> bool:
    """Whether they are a list of names or numbers, of one type."""
    try:
        labelled = is_list(given) and np.asarray(given).ndim == 1
        if labelled:
            label_numbers(given)  # names of several types have no order
    except (TypeError, ValueError):
        return False
    return labelled


def require_one_each(option: str, labels: Any, n_features: int) -> None:
    if len(labels) != n_features:
        raise ValueError(
            f"{option} has {counted(len(labels), 'entry')} for {counted(n_features, 'feature')}; give one for each."
        )
