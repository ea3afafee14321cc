"""Compare each number of config/published.yaml with ours in the exhibit's numbers.json, and print the comparison.

An entry names an exhibit, a source, a tolerance and numbers: path in numbers.json → published value. A value is
reproduced if  |ours − published| ≤ tolerance.  Values without data are unavailable and not counted: those of an exhibit
that is not drawn, and those below a part {"unavailable": reason} of its numbers.

A number that contradicts its own source is missed, not reproduced: `instead` gives the value by the source's own
arithmetic, and `reason` explains it. It is shown in red, but the check fails only if our value differs from `instead`,
too.

An entry with `kind: identity` is not a printed number but a theorem: two computations agree, or one agrees with a
closed form. Identities are checked in the same way and counted separately.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from linclass_study.config.yaml_file import read_yaml
from linclass_study.errors import StudyError
from linclass_study.files.reading import read_json, read_mapping
from linclass_study.files.writing import write_json
from linclass_study.project import ROOT

FILE = ROOT / "config" / "published.yaml"
KEYS = {"exhibit", "source", "tolerance", "numbers"}
MAY = {"instead", "kind", "reason"}
KINDS = ("published", "identity")
# of the comparison itself, shares of the tolerance and of the value: .0005 is .0005
ROUNDING = (1e-9, 1e-14)


@dataclass(frozen=True)
class Check:
    """One published number; `ours` is None if it is unavailable, and `reason` explains it."""

    exhibit: str
    number: str
    published: float
    ours: float | None
    tolerance: float
    source: str
    status: str  # reproduced | missed | differs | unavailable
    reason: str = ""
    kind: str = "published"  # or identity


def compare_published(folder: Path, file: Path = FILE) -> list[Check]:
    """Compare every published number with the exhibits in `folder`, in the order of the file."""
    found: list[Check] = []
    for i, entry in enumerate(read_yaml(file)):
        if wrong := _wrong(entry):
            raise StudyError(f"{file.name}, entry {i + 1}: {wrong}")
        numbers = read_mapping(folder / entry["exhibit"] / "numbers.json")
        for path, value in entry["numbers"].items():
            found.append(_checked(entry, str(path), float(value), numbers))
    return found


def _wrong(entry: Mapping[str, Any]) -> str:
    if missing := sorted(KEYS - set(entry)):
        return f"the key '{missing[0]}' is missing"
    if unknown := sorted(set(entry) - KEYS - MAY):
        return f"unknown key '{unknown[0]}'; there are: {', '.join(sorted(KEYS | MAY))}"
    if (kind := entry.get("kind", KINDS[0])) not in KINDS:
        return f"unknown kind '{kind}'; there are: {', '.join(KINDS)}"
    if "instead" in entry and (
        set(entry["instead"]) != set(entry["numbers"]) or "reason" not in entry
    ):
        return "'instead' needs a value for each of the numbers, and a reason"
    return ""


def _checked(
    entry: Mapping[str, Any], path: str, value: float, numbers: Mapping[str, Any]
) -> Check:
    found = partial(
        Check,
        entry["exhibit"],
        path,
        value,
        tolerance=float(entry["tolerance"]),
        source=entry["source"],
        kind=entry.get("kind", KINDS[0]),
    )
    ours = _at(numbers, path) if numbers["drawn"] else {"unavailable": numbers["reason"]}
    if isinstance(ours, Mapping):
        return found(None, status="unavailable", reason=ours["unavailable"])
    if ours is None:
        return found(None, status="differs", reason="the exhibit gives no such number")
    status = "differs"
    if _near(ours, value, entry["tolerance"]):
        status = "reproduced"
    elif "instead" in entry and _near(ours, entry["instead"][path], entry["tolerance"]):
        status = "missed"
    return found(ours, status=status, reason=entry.get("reason", ""))


def _near(ours: float, value: Any, tolerance: Any) -> bool:
    allowed = float(tolerance) * (1 + ROUNDING[0]) + ROUNDING[1] * abs(value)
    return abs(ours - float(value)) <= allowed


def _at(numbers: Any, path: str) -> float | Mapping[str, str] | None:
    """The number at a path: coefficients.age is numbers["coefficients"]["age"]; a part may also be a list index.

    If the path leads to an unavailable part, that part is returned.
    """
    for part in path.split("."):
        if isinstance(numbers, Mapping) and part in numbers:
            numbers = numbers[part]
        elif isinstance(numbers, list) and part.isdigit() and int(part) < len(numbers):
            numbers = numbers[int(part)]
        else:
            return None
        if isinstance(numbers, Mapping) and "unavailable" in numbers:
            return numbers
    return float(numbers) if isinstance(numbers, int | float) else None


def write_published(checks: Iterable[Check], path: Path) -> None:
    write_json(path, [*checks])


def read_published(path: Path) -> list[Check]:
    return [Check(**row) for row in read_json(path)]


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
