"""The metrics of a study: those of linclass, and those that it names by import paths."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from linclass import metrics


def own_metrics(evaluation: Mapping[str, Any]) -> list[str]:
    """Import paths under `metrics:` and `tune_metric:`."""
    named = [*evaluation.get("metrics", []), evaluation["tune_metric"]]
    return list(dict.fromkeys(name for name in named if "." in name))


def metrics_of(evaluation: Mapping[str, Any]) -> list[str]:
    """Names of all metrics by which the study scores, sorted."""
    return sorted([*metrics.names(), *own_metrics(evaluation)])
