"""Warnings about a data set, each as one sentence with its remedy."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from linclass_study.files.writing import yaml_text
from linclass_study.pipeline.require_numbers import has_decimal_comma

REPEATED = 0.01  # share of the rows; fewer repetitions hardly change results
LEAST_ERROR = 0.001
SHOWN = 5  # columns of one kind that are named

HOW = {
    "copy": "reveals the class: in at least 99 % of the rows, each class has a value of its own",
    "missing": "reveals the class: it is missing in the rows of one class and in hardly any other",
    "function": "reveals the class: none of its levels has rows of two classes",
    "shifted": "reveals the class: its variation within a class is tiny compared with the distance between classes",
}


def findings(facts: Mapping[str, Any]) -> list[str]:
    """All warnings, one sentence each."""
    return [*serious(facts), *_repeated(facts), *_empty_columns(facts)]


def serious(facts: Mapping[str, Any]) -> list[str]:
    """Warnings that can make every result on the data set meaningless."""
    return [
        *_alike_classes(facts),
        *_nearly_numeric(facts),
        *_dates(facts),
        *_identifiers(facts),
        *_target_like(facts),
        *_one_rule(facts),
    ]


def _alike_classes(facts: Mapping[str, Any]) -> Iterator[str]:
    """Classes whose names differ only by capitals and blanks, with the mapping that merges them."""
    merged: dict[str, list[str]] = defaultdict(list)
    for label in facts.get("classes") or ():
        merged[" ".join(label.split()).casefold()].append(label)
    for alike in [labels for labels in merged.values() if len(labels) > 1][:SHOWN]:
        whole = 1 < len(merged) <= SHOWN  # `classes:` has to name all of them
        mapping = f": `classes: {{{', '.join(_groups(merged))}}}`" if whole else " by `classes:`"
        yield (
            f"the classes {', '.join(map(repr, alike))} differ only by case or blanks; if they are one class, "
            f"merge them{mapping}"
        )


def _groups(merged: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Each class of a mapping `classes:`."""
    for labels in merged.values():
        texts = [yaml_text(label) for label in labels]
        yield f"{yaml_text(' '.join(labels[0].split()))}: [{', '.join(texts)}]"


def _nearly_numeric(facts: Mapping[str, Any]) -> Iterator[str]:
    found = facts.get("nearly_numeric_columns") or {}
    for name, (numbers, others, first) in list(found.items())[:SHOWN]:
        few = ", ".join(map(repr, first)) + (", …" if others > len(first) else "")
        why = (
            f"column '{name}' is categorical because {others:,} of its {numbers + others:,} values"
        )
        if all(map(has_decimal_comma, first)):
            yield (
                f"{why} {'has' if others == 1 else 'have'} a comma ({few}); if it is a decimal mark, add "
                '`csv: {decimal: ","}` to the entry'
            )
        else:
            yield (
                f"{why} {'is not a number' if others == 1 else 'are not numbers'} ({few}); correct or empty "
                "these cells to make the column numeric"
            )
    yield from _more(found, "are numbers with a few other values")


def _dates(facts: Mapping[str, Any]) -> Iterator[str]:
    found = facts.get("date_columns") or {}
    few = list(found.items())[:SHOWN]
    if len(few) == 1:
        ((name, (levels, first)),) = few
        yield (
            f"column '{name}' holds {levels:,} different dates ('{first}', …), from which nothing is learned about "
            f"other dates: leave it out with {_drop([name])}, or replace them by numbers, such as days since an event"
        )
    elif few:
        each = ", ".join(f"'{name}' {levels:,} ('{first}', …)" for name, (levels, first) in few)
        yield (
            f"columns hold different dates, {each}, from which nothing is learned about other dates: leave them out "
            f"with {_drop(found)}, or replace them by numbers, such as days since an event"
        )
    yield from _more(found, "hold dates")


def _identifiers(facts: Mapping[str, Any]) -> Iterator[str]:
    found = _untold(facts, "identifier_columns", "nearly_numeric_columns", "date_columns")
    for name, (levels, rows) in list(found.items())[:SHOWN]:
        yield (
            f"column '{name}' has {levels:,} levels in {rows:,} training rows; it looks like an "
            f"identifier: leave it out with {_drop([name])}"
        )
    yield from _more(found, "look like identifiers")


def _target_like(facts: Mapping[str, Any]) -> Iterator[str]:
    found = facts.get("target_like_columns") or {}
    for name, how in list(found.items())[:SHOWN]:
        yield (
            f"column '{name}' {HOW[how]}; if it is known only after the class is, leave "
            f"it out with {_drop([name])}; if it names groups of rows, set `group: {yaml_text(name)}`"
        )
    yield from _more(found, "determine the class")


def _one_rule(facts: Mapping[str, Any]) -> Iterator[str]:
    told = ("target_like_columns", "identifier_columns", "date_columns")
    found = _untold(facts, "one_rule_columns", *told)
    few = list(found.items())[:SHOWN]
    if len(few) == 1:
        ((name, (right, most)),) = few
        yield (
            f"column '{name}' alone predicts the class of {100 * right:.3g} % of the rows, where the most frequent "
            f"class has {100 * most:.2g} %: is it known before the class is? If not, leave it out with {_drop([name])}"
        )
    elif few:
        each = ", ".join(f"'{name}' of {100 * right:.3g} %" for name, (right, _) in few)
        most = few[0][1][1]  # the same for all
        yield (
            f"columns alone predict the class, {each} of the rows, where the most frequent class has {100 * most:.2g} "
            f"%: are they known before the class is? If not, leave them out with {_drop(found)}"
        )
    yield from _more(found, "predict the class almost perfectly on their own")


def _drop(names: Iterable[str]) -> str:
    """The key that leaves columns out."""
    return f"`drop: [{', '.join(map(yaml_text, names))}]`"


def _untold(facts: Mapping[str, Any], kind: str, *told: str) -> dict[str, Any]:
    """The columns of one kind that are not of those for which another sentence names them."""
    known = {name for other in told for name in facts.get(other) or ()}
    return {name: own for name, own in (facts.get(kind) or {}).items() if name not in known}


def _repeated(facts: Mapping[str, Any]) -> Iterator[str]:
    rows, other = facts["rows"], "another row"
    again = facts.get("duplicated_rows") or 0
    if (apart := facts.get("repeated_across_groups")) is not None:  # a group is held out as a whole
        again, other = apart, "a row of another group"
    if again and again >= REPEATED * rows:
        yield (
            f"{again:,} of {rows:,} rows repeat the features and the class of {other}, so equal "
            "rows are in both training and test folds"
        )
    both = facts.get("test_rows_in_training")
    if both:
        yield (
            f"{both:,} of the {facts['test_rows']:,} official test rows have the features of a "
            "training row"
        )
    if (facts.get("least_error") or 0) >= LEAST_ERROR:
        yield (
            f"{facts['conflicting_rows']:,} rows have the features of a row of another class; every "
            f"classifier misclassifies at least {100 * facts['least_error']:.2g} % of these rows"
        )


def _empty_columns(facts: Mapping[str, Any]) -> Iterator[str]:
    if facts["sparse"]:  # normal among thousands of words
        return
    constant = facts.get("constant_columns") or 0
    if constant:
        names = facts["constant_column_names"]
        yield f"{_listed(names, constant)} at most one value, so nothing can be learned from it"
    again = facts.get("duplicated_columns") or 0
    if again:
        pairs = [f"{name} = {first}" for name, first in facts["duplicated_column_of"].items()]
        few = "; ".join(pairs[:SHOWN]) + ("; …" if again > SHOWN else "")
        yield f"{again:,} column{'s' * (again > 1)} repeat{'s' * (again == 1)} another one ({few})"


def _listed(names: Sequence[str], count: int) -> str:
    if count == 1:
        return f"column '{names[0]}' has"
    few = ", ".join(f"'{name}'" for name in names[:SHOWN]) + (", …" if count > SHOWN else "")
    return f"{count:,} columns ({few}) have"


def _more(found: Mapping[str, Any], what: str) -> Iterator[str]:
    if len(found) > SHOWN:
        yield f"{len(found) - SHOWN:,} more columns {what}"
