"""How a fit ended: status, reason, iterations, objective and certificate, from the estimator and its warnings."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from linclass_study.files.fit_statuses import FITTED
from linclass_study.pipeline.class_labels import with_labels


def fit_ending(
    estimator: Any, caught: list[warnings.WarningMessage], classes: Sequence[str] = ()
) -> dict[str, Any]:
    """The columns of a fit's row; its reason names classes by their labels, `classes`.

    An estimator without a `status_` has converged unless it warned.
    """
    unconverged = [w for w in caught if "ConvergenceWarning" in w.category.__name__]
    status = text_or_none(getattr(estimator, "status_", None))
    if status not in FITTED:  # an attribute of the same name with another meaning
        message = " ".join(str(unconverged[0].message).split()) if unconverged else ""
        words = {"status": "max_iter" if unconverged else "converged", "reason": message}
    else:
        reason = " ".join(str(getattr(estimator, "reason_", "")).split())
        words = {"status": status, "reason": with_labels(reason, classes)}
    iterations = finite_number(getattr(estimator, "n_iter_", None))
    if iterations is not None and abs(iterations) >= 2**63:  # the column is Int64
        iterations = None
    return words | {
        "iterations": None if iterations is None else int(iterations),
        "objective": finite_number(getattr(estimator, "objective_", None)),
        "certificate": finite_number(getattr(estimator, "certificate_", None)),
        "certificate_kind": text_or_none(getattr(estimator, "certificate_kind_", None)),
    }


def log_warnings(caught: list[warnings.WarningMessage]) -> None:
    """Each warning once, into the log."""
    for text in dict.fromkeys(f"{w.category.__name__}: {w.message}" for w in caught):
        print(text, file=sys.stderr)


def finite_number(value: Any) -> float | None:
    """A number, or the maximum of several; None if it is not a finite number."""
    try:
        largest = float(np.max(value))
    except (TypeError, ValueError, OverflowError):
        return None
    return largest if np.isfinite(largest) else None


def text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None
