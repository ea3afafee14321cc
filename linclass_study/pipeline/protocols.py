"""Evaluation protocols, by their names in `evaluation.protocols`: how rows are held out.

A data set's official test rows are held out by `official` alone: all other protocols divide its training rows, unless
the study asks for `cv_rows: all`.

cv             repeated stratified k-fold cross-validation: evaluation.folds and evaluation.repeats
official       the data set's own split into training and test rows, if it has one
hold_out       a stratified random share of the rows in each repeat
leave_one_out  each row is predicted by the model of all others: one planned fit, whose folds are the rows
learning_curve the folds of cv's first repeat, trained on nested subsets of the training rows: one protocol for each
               size, learning_curve@0.1 and so on

If the data set has a `group:`, no protocol splits a group: cv and hold_out assign whole groups, leave_one_out leaves
out one group at a time, and an official split that divides a group is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linclass.base.messages import NotApplicable, counted_have
from linclass.evaluation import metrics
from linclass.tuning.folds import hold_out, nested_order, stratified_folds
from linclass_study.errors import StudyError

if TYPE_CHECKING:
    from linclass_study.data.dataset import Dataset

Options = Mapping[str, Any]
CURVE = "learning_curve"
UNUSED = -2  # a row in neither the training nor the test set


@dataclass(frozen=True)
class Protocol:
    """A way of holding out rows.

    assign_folds   assign_folds(data, options, seed) returns the test fold of each row in one repeat, −1 for rows that
                   only train and UNUSED for rows that are not used; `data` has the rows that are divided
    within         name of a protocol: each fold of its first repeat is a repeat of this one, and the call is
                   assign_folds(data, options, seed, held_out)
    size           (repeats, fits of each)
    """

    assign_folds: Callable[..., np.ndarray]
    size: Callable[[Options], tuple[int, int]] = lambda options: (1, 1)
    within: str = ""


def divides_test_rows(evaluation: Mapping[str, Any]) -> bool:
    """Whether other protocols than `official` divide the official test rows, too."""
    return bool(evaluation.get("cv_rows") == "all")


def protocol_named(protocol: str) -> Protocol:
    """The protocol of a name, with or without a size."""
    return PROTOCOLS[kind(protocol)]


def kind(protocol: str) -> str:
    """The name without its size: learning_curve@0.1 → learning_curve."""
    return protocol.partition("@")[0]


def selected_protocols(evaluation: Mapping[str, Any]) -> dict[str, Options]:
    """Protocol → its options, in the order of the study."""
    found: dict[str, Options] = {}
    for item in evaluation["protocols"]:
        name, options = (item, {}) if isinstance(item, str) else next(iter(item.items()))
        if name == CURVE:
            for size in (DEFAULTS[CURVE] | (options or {}))["sizes"]:
                exact = float(f"{size:g}") == size  # else with as many digits as distinguish it
                name = f"{CURVE}@{size:g}" if exact else f"{CURVE}@{size:.12g}"
                found[name] = {"size": size, "folds": evaluation["folds"]}
            continue
        own = evaluation if name == "cv" else DEFAULTS.get(name, {}) | (options or {})
        found[name] = {key: own[key] for key in KEYS.get(name, ())}
    return found


def of_dataset(evaluation: Mapping[str, Any], about: Mapping[str, Any]) -> dict[str, Options]:
    """Protocols that apply to a data set, given results/data/{dataset}.json: `official` only if it has a split,
    or if the study lists no other protocol."""
    found = selected_protocols(evaluation)
    if len(found) > 1 and not about.get("test_rows"):
        found.pop("official", None)
    return found


def planned_fits(
    evaluation: Mapping[str, Any], about: Mapping[str, Any]
) -> Iterator[tuple[str, int, int]]:
    """(protocol, repeat, fold) of every fit of a run on a data set."""
    for name, options in of_dataset(evaluation, about).items():
        repeats, folds = protocol_named(name).size(options)
        yield from ((name, repeat, fold) for repeat in range(repeats) for fold in range(folds))


def comparing_protocols(
    evaluation: Mapping[str, Any], about: Mapping[str, Any]
) -> dict[str, Options]:
    """Protocols whose scores compare methods: all but learning curves."""
    found = of_dataset(evaluation, about)
    return {name: options for name, options in found.items() if kind(name) != CURVE}


def _k_fold(data: Dataset, options: Options, seed: int) -> np.ndarray:
    folds = options["folds"]
    if data.groups is None:
        counts = np.bincount(data.y, minlength=len(data.classes))
        if folds > counts.min():
            least, name = counts.min(), data.classes[int(counts.argmin())]
            fewer = f"set evaluation.folds to at most {least}, or " if least > 1 else ""
            raise NotApplicable(
                f"{folds} folds need {folds} rows of every class, and class '{name}' has {least}; "
                f"{fewer}leave the class out with `classes:`"
            )
    return stratified_folds(data.y, folds, seed, data.groups, data.classes)


def _hold_out(data: Dataset, options: Options, seed: int) -> np.ndarray:
    held_out = hold_out(data.y, options["test_share"], seed, data.groups, data.classes)
    return np.where(held_out, 0, -1)


def _official(data: Dataset, options: Options, seed: int) -> np.ndarray:
    if not data.split.any():
        raise NotApplicable("the data set has no official split; add cv to evaluation.protocols")
    if data.groups is not None:
        both = np.intersect1d(data.groups[data.split == 0], data.groups[data.split == 1])
        if len(both):
            raise NotApplicable(
                f"{counted_have(len(both), 'group')} rows on both sides of the official split; leave "
                "`group:` out, or official out of evaluation.protocols"
            )
    return np.where(data.split == 1, 0, -1)


def _leave_one_out(data: Dataset, options: Options, seed: int) -> np.ndarray:
    """Every row, or group, is a fold; one planned fit covers all of them."""
    units = np.arange(len(data.y)) if data.groups is None else data.groups
    counts = np.zeros(len(data.classes), dtype=int)
    np.add.at(counts, np.unique(np.stack([data.y, units]), axis=1)[0], 1)
    if counts.min() < 2:
        unit = "row" if data.groups is None else "group"
        raise NotApplicable(
            f"class '{data.classes[int(counts.argmin())]}' has one {unit}, so the model of all others "
            "never sees the class; leave the class out with `classes:`"
        )
    return units


def _learning_curve(data: Dataset, options: Options, seed: int, held_out: np.ndarray) -> np.ndarray:
    """The first rows of one random order of the training rows, so that the subsets are nested."""
    rows, size = np.flatnonzero(~held_out), options["size"]
    m = round(size * len(rows)) if size <= 1 else int(size)
    if m > len(rows):
        raise NotApplicable(
            f"{m} training rows are requested, but a training set has {len(rows)}; "
            "leave that size out of learning_curve"
        )
    groups = None if data.groups is None else data.groups[rows]
    order = nested_order(data.y[rows], seed, groups)
    part = order[:m]
    if groups is not None and m < len(rows) and groups[order[m]] == groups[part[-1]]:
        part = part[groups[part] != groups[part[-1]]]  # the last group is incomplete
    lacking = np.flatnonzero(np.bincount(data.y[rows[part]], minlength=len(data.classes)) == 0)
    if len(lacking):
        raise NotApplicable(
            f"a part of {m} training rows has none of class '{data.classes[int(lacking[0])]}'; "
            "give learning_curve larger sizes"
        )
    fold = np.full(len(data.y), UNUSED)
    fold[held_out], fold[rows[part]] = 0, -1
    return fold


PROTOCOLS = {
    "cv": Protocol(_k_fold, lambda options: (options["repeats"], options["folds"])),
    "official": Protocol(_official),
    "hold_out": Protocol(_hold_out, lambda options: (options["repeats"], 1)),
    "leave_one_out": Protocol(_leave_one_out),
    CURVE: Protocol(_learning_curve, lambda options: (options["folds"], 1), within="cv"),
}
KEYS = {"cv": ("folds", "repeats"), "hold_out": ("test_share", "repeats")}
DEFAULTS: dict[str, dict[str, Any]] = {
    "hold_out": {"test_share": 0.25, "repeats": 10},
    CURVE: {"sizes": [0.1, 0.2, 0.4, 0.7]},
}


# The metrics of a study: those of linclass, and those that it names by import paths.

SCIKIT_LEARN = "sklearn.metrics"  # whose functions may always be called


def own_metrics(evaluation: Mapping[str, Any]) -> list[str]:
    """Import paths under `metrics:` and `tune_metric:`."""
    named = [*evaluation.get("metrics", []), evaluation["tune_metric"]]
    return list(dict.fromkeys(name for name in named if "." in name))


def metrics_of(evaluation: Mapping[str, Any]) -> list[str]:
    """Names of all metrics by which the study scores, sorted."""
    return sorted([*metrics.names(), *own_metrics(evaluation)])


def require_trusted(evaluation: Mapping[str, Any], trusted: Collection[str]) -> None:
    """Refuse own metrics in modules that the user does not name: results must not choose which code runs."""
    for path in own_metrics(evaluation):
        module = path.rpartition(".")[0]
        if module not in (SCIKIT_LEARN, *trusted):
            raise StudyError(
                f"the study has the metric {path}, and no module is imported because results name it; "
                f"if you have the module and trust it, add --trust {module}, with its folder in PYTHONPATH"
            )
        try:
            metrics.imported(path)
        except ValueError as error:
            raise StudyError(f"{error}; name the folder of the module in PYTHONPATH") from None
