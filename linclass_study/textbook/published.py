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
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from linclass_study.errors import StudyError
from linclass_study.files.reading import read_json, read_mapping
from linclass_study.files.writing import write_json
from linclass_study.files.yaml_file import read_yaml
from linclass_study.project import ROOT

FILE = ROOT / "config" / "published.yaml"
KEYS = {"exhibit", "source", "tolerance", "numbers"}
MAY = {"instead", "kind", "reason"}
KINDS = ("published", "identity")


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
        wrong = (KEYS - {*entry}) | ({*entry} - KEYS - MAY)
        if entry.get("kind", KINDS[0]) not in KINDS:
            wrong.add("kind")
        same = entry.get("instead", entry["numbers"]).keys() == entry["numbers"].keys()
        if not same or ("instead" in entry and "reason" not in entry):
            wrong.add("instead")
        if wrong:
            raise StudyError(
                f"{file.name}, entry {i + 1}: {', '.join(sorted(wrong))}; an entry has {', '.join(sorted(KEYS))}, may "
                f"have {', '.join(sorted(MAY))}, its kind is {' or '.join(KINDS)}, and 'instead' needs a value for "
                "each of the numbers, and a reason"
            )
        numbers = read_mapping(folder / entry["exhibit"] / "numbers.json")
        for path, value in entry["numbers"].items():
            found.append(_checked(entry, str(path), float(value), numbers))
    return found


def _checked(
    entry: Mapping[str, Any], path: str, value: float, numbers: Mapping[str, Any]
) -> Check:
    ours = _at(numbers, path) if numbers["drawn"] else {"unavailable": numbers["reason"]}
    tolerance, status, reason = float(entry["tolerance"]), "differs", entry.get("reason", "")
    if isinstance(ours, Mapping):
        status, reason, ours = "unavailable", ours["unavailable"], None
    elif ours is None:
        reason = "the exhibit gives no such number"
    elif _near(ours, value, tolerance):
        status = "reproduced"
    elif "instead" in entry and _near(ours, entry["instead"][path], tolerance):
        status = "missed"
    kind, source = entry.get("kind", KINDS[0]), entry["source"]
    return Check(entry["exhibit"], path, value, ours, tolerance, source, status, reason, kind)


def _near(ours: float, value: Any, tolerance: float) -> bool:
    """Up to rounding of the comparison itself: .0005 is .0005"""
    return abs(ours - float(value)) <= tolerance * (1 + 1e-9) + 1e-14 * abs(value)


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


MARKS = {"reproduced": "✓", "missed": "missed", "differs": "differs", "unavailable": "unavailable"}
NAMES = {"published": "published numbers reproduced", "identity": "identities hold"}
EXPLAINED = {
    "missed": "missed, where the source contradicts itself or had not converged",
    "unavailable": "not checked, for their data are not here",
}


def summary(checks: Iterable[Check]) -> str:
    """How many numbers of each kind hold, of those that could be checked, and how many are what else."""
    checks, parts = list(checks), []
    for kind, name in NAMES.items():
        counts = Counter(check.status for check in checks if check.kind == kind)
        if counts:
            others = [f"{counts[s]} {s}" for s in ("missed", "differs", "unavailable") if counts[s]]
            checked = counts.total() - counts["unavailable"]
            parts.append(", ".join([f"{counts['reproduced']} of {checked} {name}", *others]))
    return "; ".join(parts)


def ending(checks: Iterable[Check], page: Path) -> str:
    """The summary, the numbers that differ, those that are explained or not checked by exhibit, and the page."""
    checks = list(checks)
    lines = [summary(checks)]
    for c in checks:
        if c.status == "differs":
            numbers = f"published {c.published:.10g}, ours {'none' if c.ours is None else f'{c.ours:.8g}'}"
            lines.append(f"  differs: {c.exhibit} {c.number}, {numbers} ({c.source})")
    for status, words in EXPLAINED.items():
        if each := Counter(check.exhibit for check in checks if check.status == status):
            lines.append(f"  {words}: {', '.join(f'{name} ({n})' for name, n in each.items())}")
    return "\n".join([*lines, f"page: {page}"])
