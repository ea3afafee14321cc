"""Methods that predict the same classes: of two equal models a rank says nothing.

Predictions are read only of methods whose scores by all metrics of predicted classes are equal on every fold.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Mapping

import polars as pl

from linclass.base.messages import names_and_others
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.summary import ranking
from linclass_study.files.reading import read_parquet
from linclass_study.files.tables import FIT

OF_CLASSES = ("accuracy", "balanced_accuracy", "f1_macro", "matthews")
NAMES = 4  # methods named in a sentence; the others are counted
SENTENCES = 3

Key = tuple[Hashable, ...]  # of a method, one entry for each data set; None where it has no score


def same_predictions(outcome: Outcome) -> list[str]:
    """A sentence for each group of methods with the same predictions on all data sets, or on all of two classes."""
    parts = outcome.parts()
    read = [name for name, own in parts.items() if own.about(name)["status"] != "unavailable"]
    two = [name for name in read if len(parts[name].about(name)["classes"]) == 2]
    scores = {name: _scores(parts[name], name) for name in read}
    found: dict[frozenset[str], str] = {}
    for names, of_what in ((read, ""), (two, " of two classes")):
        alike = {m: tuple(scores[name].get(m) for name in names) for m in outcome.methods}
        for group in _equal(alike):
            shared = [name for name in names if group[0] in scores[name]]
            if len(shared) < 2:
                continue
            predicted = {m: tuple(predicted_classes(parts[d], d, m) for d in shared) for m in group}
            for same in _equal(predicted):
                sets = f"{'both' if len(shared) == 2 else f'all {len(shared)}'} data sets{of_what}"
                sentence = (
                    f"{names_and_others(same, NAMES)} predict the same class in every held-out row of {sets} on which "
                    "they have scores."
                )
                found.setdefault(frozenset(same), sentence)
    return [*found.values()][:SENTENCES]


def _equal(keys: Mapping[str, Key]) -> list[list[str]]:
    """Groups of at least two methods with equal keys, in their order."""
    groups: dict[Key, list[str]] = {}
    for method, key in keys.items():
        groups.setdefault(key, []).append(method)
    return [group for group in groups.values() if len(group) > 1]


def _scores(own: Outcome, dataset: str) -> dict[str, Key]:
    """Method that succeeded on every fold → its scores on all folds."""
    whole = ranking(own, dataset).filter("whole")["method"]
    values = (
        own.scores.filter(
            pl.col("method").is_in(whole.implode()),
            pl.col("metric").is_in(OF_CLASSES),
            protocol=own.protocol(dataset),
        )
        .sort(*FIT, "metric")
        .group_by("method", maintain_order=True)
        .agg(pl.col("value").round(12))
    )
    return {method: tuple(of_folds) for method, of_folds in values.iter_rows()}


def predicted_classes(own: Outcome, dataset: str, method: str) -> str:
    """A digest of the predicted classes; without predictions the method's name, which no other has."""
    path = own.results / "runs" / dataset / method / "predictions.parquet"
    if not path.exists():
        return method
    rows = read_parquet(path, columns=[*FIT, "row", "y_pred"])
    main = rows.filter(protocol=own.protocol(dataset)).sort(*FIT, "row")
    return hashlib.sha256(main["y_pred"].to_numpy().tobytes()).hexdigest()
