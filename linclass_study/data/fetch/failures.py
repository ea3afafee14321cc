"""Reasons why sources are unavailable, in the order in which they were tried."""

from __future__ import annotations

Failures = list[dict[str, str]]


def add_failure(failures: Failures, source: str, reason: object) -> None:
    failure = {"source": source, "reason": str(reason)}
    if failure not in failures:
        failures.append(failure)


def describe(failures: Failures) -> str:
    """All reasons in one line."""
    reasons = {failure["reason"] for failure in failures}
    if len(failures) > 1 and len(reasons) == 1:
        return f"{reasons.pop()} (in each of {len(failures)} sources)"
    return "; ".join(f"{failure['source']}: {failure['reason']}" for failure in failures)
