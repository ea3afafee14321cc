"""Names of protocols in the answer and the report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from linclass_study.pipeline.protocols import kind, selected_protocols

TITLES = {
    "cv": "Cross-validation",
    "official": "Official test set",
    "hold_out": "Repeated hold-out",
    "leave_one_out": "Leave-one-out",
    "learning_curve": "Learning curve",
}


def protocol_phrase(evaluation: Mapping[str, Any], protocol: str) -> str:
    """What means are taken over: 10 folds, 3 × 10 folds, 10 hold-outs of 25 %, …"""
    options = selected_protocols(evaluation)[protocol]
    return SENTENCES[kind(protocol)](options)


def titled_phrase(evaluation: Mapping[str, Any], protocol: str) -> str:
    """The name, and what means are taken over where the name does not say it: Cross-validation, 10 folds."""
    title = TITLES[kind(protocol)]
    named_alone = kind(protocol) in ("official", "leave_one_out")
    return title if named_alone else f"{title}, {protocol_phrase(evaluation, protocol)}"


def has_spread(evaluation: Mapping[str, Any], protocol: str) -> bool:
    """Whether there are several values, so that a standard deviation exists."""
    options = selected_protocols(evaluation)[protocol]
    return kind(protocol) in ("cv", "learning_curve") or options.get("repeats", 1) > 1


def units(evaluation: Mapping[str, Any], *protocols: str) -> str:
    """What a standard deviation is over: folds, hold-outs, or either, by the data set."""
    repeated = [name for name in protocols if has_spread(evaluation, name)]
    found = {"hold-outs" if kind(name) == "hold_out" else "folds": None for name in repeated}
    return " or ".join(found) or "folds"


def rows_held_out(evaluation: Mapping[str, Any], protocol: str) -> str:
    """The held-out rows of all folds, the held-out rows of all hold-outs; of a single fit the held-out rows."""
    of_all = f" of all {units(evaluation, protocol)}" if has_spread(evaluation, protocol) else ""
    return f"held-out rows{of_all}"


def _folds(options: Mapping[str, Any]) -> str:
    times = f"{options['repeats']} × " if options["repeats"] > 1 else ""
    return f"{times}{options['folds']} folds"


def _hold_outs(options: Mapping[str, Any]) -> str:
    share = f"{100 * options['test_share']:g} %"
    count = options["repeats"]
    return f"{count} hold-outs of {share}" if count > 1 else f"one hold-out of {share}"


def _parts(options: Mapping[str, Any]) -> str:
    size = options["size"]
    part = f"{100 * size:g} % of the" if size <= 1 else f"{size:g}"
    return f"{options['folds']} folds, trained on {part} rows"


SENTENCES = {
    "cv": _folds,
    "official": lambda options: "the official test set",
    "hold_out": _hold_outs,
    "leave_one_out": lambda options: "leave-one-out",
    "learning_curve": _parts,
}
