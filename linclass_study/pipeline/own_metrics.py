"""The metrics of a study: those of linclass, and those that it names by import paths."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from linclass.evaluation import metrics
from linclass_study.errors import StudyError

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
