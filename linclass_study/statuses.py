"""Statuses of fits. Those in FITTED have predictions, the others only a reason."""

from __future__ import annotations

FITTED = ("converged", "max_iter", "separable", "rank_deficient")
UNFITTED = ("unavailable", "not_applicable", "failed", "timeout", "out_of_memory")
STATUSES = FITTED + UNFITTED
