"""The comparison with published numbers as lines of text, with a summary."""

from __future__ import annotations

from collections.abc import Iterable

from linclass_study.textbook.published import KINDS, Check

#: status → words in the terminal, on the page and in the summary
MARKS = {
    "reproduced": ("ok", "✓", "reproduced"),
    "missed": ("MISSED", "missed", "missed"),
    "differs": ("DIFFERS", "differs", "differ"),
    "unavailable": ("unavailable", "unavailable", "unavailable"),
}
NAMES = {"published": "published numbers reproduced", "identity": "identities hold"}


def published_table(checks: Iterable[Check]) -> str:
    """Printed numbers, then identities, then the summary."""
    checks = list(checks)
    parts = [_lines(own) for kind in KINDS if (own := of_kind(checks, kind))]
    return "\n\n".join([*parts, summary(checks)])


def summary(checks: Iterable[Check]) -> str:
    """Summary of the checks, without unavailable numbers."""
    checks = list(checks)
    return "; ".join(_counted(kind, own) for kind in KINDS if (own := of_kind(checks, kind)))


def of_kind(checks: Iterable[Check], kind: str) -> list[Check]:
    return [check for check in checks if check.kind == kind]


def _counted(kind: str, checks: list[Check]) -> str:
    counts = {status: sum(c.status == status for c in checks) for status in MARKS}
    held = len(checks) - counts["unavailable"]
    others = [f"{n} {MARKS[s][2]}" for s, n in counts.items() if n and s != "reproduced"]
    return ", ".join([f"{counts['reproduced']} of {held} {NAMES[kind]}", *others])


def _lines(checks: Iterable[Check]) -> str:
    head = ("exhibit", "number", "published", "ours", "tolerance", "", "source")
    rows = [head] + [
        (c.exhibit, c.number, f"{c.published:.10g}", _shown(c), f"{c.tolerance:g}", MARKS[c.status][0], _source(c))
        for c in checks
    ]  # fmt: skip
    widths = [max(len(row[i]) for row in rows) for i in range(len(head) - 1)]
    return "\n".join("  ".join([*map(str.ljust, row, widths), row[-1]]).rstrip() for row in rows)


def _shown(c: Check) -> str:
    return "–" if c.ours is None else f"{c.ours:.8g}"


def _source(c: Check) -> str:
    return f"{c.source} ({c.reason})" if c.reason and c.status != "reproduced" else c.source
