"""The comparison with published numbers as lines of text, with a summary, and what is printed at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from linclass_study.textbook.published import KINDS, Check

#: status → words in the terminal, on the page and in the summary
MARKS = {
    "reproduced": ("ok", "✓", "reproduced"),
    "missed": ("MISSED", "missed", "missed"),
    "differs": ("DIFFERS", "differs", "differ"),
    "unavailable": ("unavailable", "unavailable", "unavailable"),
}
PLURALS = {"published": "published numbers", "identity": "identities"}
EXPLAINED = {
    "missed": "missed, where the source contradicts itself or had not converged",
    "unavailable": "not checked, for their data are not here",
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


def ending(checks: Iterable[Check], page: Path) -> str:
    """How many numbers were checked and how many hold, which do not, and where the page is."""
    checks = list(checks)
    lines = [_held(kind, own) for kind in KINDS if (own := of_kind(checks, kind))]
    return "\n".join([*lines, *_others(checks), f"page: {page}"])


def _held(kind: str, checks: list[Check]) -> str:
    checked = [check for check in checks if check.status != "unavailable"]
    held = sum(check.status == "reproduced" for check in checked)
    verdict = "all of them hold" if held == len(checked) else f"{held} of them hold"
    return f"{PLURALS[kind]} checked: {len(checked)}, {verdict}"


def _others(checks: list[Check]) -> Iterator[str]:
    """The numbers that do not hold, one by one; those that are explained or not checked by exhibit."""
    for c in (check for check in checks if check.status == "differs"):
        yield f"  differs: {c.exhibit} {c.number}, published {c.published:.10g}, ours {_shown(c)}"
    for status, words in EXPLAINED.items():
        if each := Counter(check.exhibit for check in checks if check.status == status):
            yield f"  {words}: {', '.join(f'{name} ({n})' for name, n in each.items())}"


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
