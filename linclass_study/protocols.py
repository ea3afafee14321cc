"""How rows are held out, by name: what `evaluation.protocols` may list.

cv             repeated k-fold, stratified: evaluation.folds and evaluation.repeats
official       the data set's own split, where it has one
hold_out       a share of the rows, stratified, drawn anew in each repeat
leave_one_out  each row by the model of all others: one planned fit, whose folds are the rows
learning_curve the folds of cv's first repeat, each trained on parts of its training rows: one protocol for each size,
               learning_curve@0.1 and so on; a larger part holds the smaller ones

Where the data set names a `group:`, every protocol keeps groups whole: cv and hold_out deal whole
groups, leave_one_out leaves out one group at a time, and an official split that divides a group is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linclass.applicability import NotApplicable
from linclass.resampling import hold_out, nested_order, stratified_folds

if TYPE_CHECKING:
    from linclass_study.data.dataset import Dataset

Options = Mapping[str, Any]
CURVE = "learning_curve"
UNUSED = -2  # a row that is neither tested nor trained on


@dataclass(frozen=True)
class Protocol:
    """deal(data, options, seed): the test fold of each row in one repeat, −1 where it has none, UNUSED where it
    does not train either. `within` names the protocol whose folds, in its first repeat, are the repeats of this one:
    deal(data, options, seed, held out)."""

    deal: Callable[..., np.ndarray]
    size: Callable[[Options], tuple[int, int]] = lambda options: (1, 1)  # repeats, fits of each
    within: str = ""


def named(protocol: str) -> Protocol:
    """The protocol of a name, whatever its size."""
    return PROTOCOLS[kind(protocol)]


def kind(protocol: str) -> str:
    """learning_curve@0.1 → learning_curve; the others have no sizes."""
    return protocol.partition("@")[0]


def asked(evaluation: Mapping[str, Any]) -> dict[str, Options]:
    """Protocol → its options, in the order of the study."""
    found: dict[str, Options] = {}
    for item in evaluation["protocols"]:
        name, options = (item, {}) if isinstance(item, str) else next(iter(item.items()))
        if name == CURVE:
            for size in (DEFAULTS[CURVE] | (options or {}))["sizes"]:
                found[f"{CURVE}@{size:g}"] = {"size": size, "folds": evaluation["folds"]}
            continue
        own = evaluation if name == "cv" else DEFAULTS.get(name, {}) | (options or {})
        found[name] = {key: own[key] for key in KEYS.get(name, ())}
    return found


def of_dataset(evaluation: Mapping[str, Any], about: Mapping[str, Any]) -> dict[str, Options]:
    """Those that a data set is judged by, as results/data/{dataset}.json tells of it: an official split
    only where there is one, or where nothing else is asked for."""
    found = asked(evaluation)
    if len(found) > 1 and not about.get("test_rows"):
        found.pop("official", None)
    return found


def judging(evaluation: Mapping[str, Any], about: Mapping[str, Any]) -> dict[str, Options]:
    """Those whose scores judge a method: without the parts of training sets that learning curves are of."""
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
        raise NotApplicable("the data set has no split of its own; add cv to evaluation.protocols")
    if data.groups is not None:
        both = np.intersect1d(data.groups[data.split == 0], data.groups[data.split == 1])
        if len(both):
            raise NotApplicable(
                f"{len(both)} groups have rows on both sides of the official split; leave `group:` out, "
                "or official out of evaluation.protocols"
            )
    return np.where(data.split == 1, 0, -1)


def _leave_one_out(data: Dataset, options: Options, seed: int) -> np.ndarray:
    """Every row, or group, is a fold; one planned fit has them all."""
    units = np.arange(len(data.y)) if data.groups is None else data.groups
    counts = np.zeros(len(data.classes), dtype=int)
    np.add.at(counts, np.unique(np.stack([data.y, units]), axis=1)[0], 1)
    if counts.min() < 2:
        unit = "row" if data.groups is None else "group"
        raise NotApplicable(
            f"class '{data.classes[int(counts.argmin())]}' has one {unit}, and the model of all others "
            "does not know it; leave the class out with `classes:`"
        )
    return units


def _learning_curve(data: Dataset, options: Options, seed: int, held_out: np.ndarray) -> np.ndarray:
    """The first rows of one order of the training rows, so that the parts are nested."""
    rows, size = np.flatnonzero(~held_out), options["size"]
    m = round(size * len(rows)) if size <= 1 else int(size)
    if m > len(rows):
        raise NotApplicable(
            f"{m} training rows are asked for, and a training set has {len(rows)}; "
            "leave that size out of learning_curve"
        )
    groups = None if data.groups is None else data.groups[rows]
    order = nested_order(data.y[rows], seed, groups)
    part = order[:m]
    if groups is not None and m < len(rows) and groups[order[m]] == groups[part[-1]]:
        part = part[groups[part] != groups[part[-1]]]  # the last group is not whole
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
