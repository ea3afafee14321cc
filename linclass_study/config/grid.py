"""`grid:` of an entry under `define:`: one entry for each combination of the values in its lists.

    ridge_{strength}:
      grid: {strength: [0.01, 0.1, 1]}
      classifier: sklearn.linear_model.RidgeClassifier
      params: {alpha: "{strength}"}

defines ridge_0.01, ridge_0.1 and ridge_1. Braces are replaced in every text of the entry; a text that consists of
braces alone becomes the value itself. Values that are lists need names: {few: [50, 50], many: [500, 500]}. A study
selects all entries by the name with braces, or one of them by its own name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

Problems = list[tuple[list[Any], str]]
LARGEST = 10_000  # entries of one grid


def expand(entries: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str], Problems]:
    """(entries, name → name with braces, problems)."""
    expanded: dict[str, Any] = {}
    written: dict[str, str] = {}
    problems: Problems = []
    for name, entry in entries.items():
        wrong = list(_problems(name, entry))
        problems += wrong
        for own_name, own in [] if wrong else _each(name, entry):
            if own_name in expanded:
                problems.append(
                    ([name], f"'{own_name}' is given twice, by '{written[own_name]}', too")
                )
            expanded[own_name], written[own_name] = own, name
    return expanded, written, problems


def _problems(name: str, entry: Any) -> Iterator[tuple[list[Any], str]]:
    if not isinstance(entry, Mapping) or "grid" not in entry:
        return
    grid = entry["grid"]
    if not isinstance(grid, Mapping) or not grid:
        yield (
            [name, "grid"],
            f"{grid!r} is not a mapping; give a list of values for each word in braces",
        )
        return
    count = 1
    for key, values in grid.items():
        if not isinstance(values, list | Mapping) or not values:
            yield [name, "grid", key], f"{values!r} is not a list; give its values"
            continue
        count *= len(values)
        if f"{{{key}}}" not in name:
            yield (
                [name],
                f"without {{{key}}} in it, entries of the grid would have one name; add it",
            )
        if isinstance(values, list) and any(isinstance(value, list | Mapping) for value in values):
            what = "a value that is a list needs a name; write {few: [50, 50], many: [500, 500]}"
            yield [name, "grid", key], what
    if count > LARGEST:
        yield [name, "grid"], f"stands for {count} entries; give at most {LARGEST}"


def _each(name: str, entry: Any) -> Iterator[tuple[str, Any]]:
    if not isinstance(entry, Mapping) or "grid" not in entry:
        yield name, entry
        return
    labelled = {
        key: list(values.items()) if isinstance(values, Mapping) else [(v, v) for v in values]
        for key, values in entry["grid"].items()
    }
    rest = {key: value for key, value in entry.items() if key != "grid"}
    for chosen in product(*labelled.values()):
        labels = {key: _word(label) for key, (label, _) in zip(labelled, chosen, strict=True)}
        values = {key: value for key, (_, value) in zip(labelled, chosen, strict=True)}
        yield _filled(name, labels), _with(rest, labels, values)


def _with(part: Any, labels: Mapping[str, str], values: Mapping[str, Any]) -> Any:
    if isinstance(part, Mapping):
        return {key: _with(value, labels, values) for key, value in part.items()}
    if isinstance(part, list):
        return [_with(value, labels, values) for value in part]
    if not isinstance(part, str):
        return part
    whole = part[1:-1] if part.startswith("{") and part.endswith("}") else ""
    return values[whole] if whole in values else _filled(part, labels)


def _filled(text: str, labels: Mapping[str, str]) -> str:
    for key, label in labels.items():
        text = text.replace(f"{{{key}}}", label)
    return text


def _word(label: Any) -> str:
    """Label as text, with true and false as in YAML."""
    return str(label).lower() if isinstance(label, bool) else f"{label}"
