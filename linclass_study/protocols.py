"""The protocols and metrics of a study, by their names under `evaluation:`. A protocol says how rows are held out.

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

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from linclass.evaluation import metrics
from linclass_study.errors import StudyError

Options = Mapping[str, Any]
CURVE = "learning_curve"


def divides_test_rows(evaluation: Mapping[str, Any]) -> bool:
    """Whether other protocols than `official` divide the official test rows, too."""
    return bool(evaluation.get("cv_rows") == "all")


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


def size_of(protocol: str, options: Options) -> tuple[int, int]:
    """(repeats, fits of each). Each fold of the first repeat of cv is a repeat of a learning curve."""
    if kind(protocol) == CURVE:
        return options["folds"], 1
    return options.get("repeats", 1), options.get("folds", 1)


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
        repeats, folds = size_of(name, options)
        yield from ((name, repeat, fold) for repeat in range(repeats) for fold in range(folds))


def comparing_protocols(
    evaluation: Mapping[str, Any], about: Mapping[str, Any]
) -> dict[str, Options]:
    """Protocols whose scores compare methods: all but learning curves."""
    found = of_dataset(evaluation, about)
    return {name: options for name, options in found.items() if kind(name) != CURVE}


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
