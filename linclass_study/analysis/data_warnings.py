"""Warnings about a data set, each as one sentence with its remedy."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from linclass.base.messages import names_and_others
from linclass_study.entries import Entry, named_steps
from linclass_study.files.cells import has_decimal_comma, may_mark_thousands, plain_number
from linclass_study.files.writing import yaml_text

REPEATED = 0.01  # share of the rows; fewer repetitions hardly change results
LEAST_ERROR = 0.001
SHOWN = 5  # columns of one kind that are named
NULLS = {"null", "n/a", "#n/a", "<na>", "\\n"}  # missing values of databases and spreadsheets

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
    warnings = [*_class_names(facts)]
    for kind, (sentence, what, others) in OF_COLUMNS.items():
        elsewhere = {
            name for other in others for name in facts.get(other) or ()
        }  # by other sentences
        columns = {
            name: about for name, about in (facts.get(kind) or {}).items() if name not in elsewhere
        }
        if sentence in (_dates, _one_rule):  # one for all columns
            warnings += [sentence(columns)] if columns else []
        else:
            warnings += [sentence(name, about) for name, about in [*columns.items()][:SHOWN]]
        if len(columns) > SHOWN:
            warnings.append(f"{len(columns) - SHOWN:,} more columns {what}")
    return warnings


def _class_names(facts: Mapping[str, Any]) -> Iterator[str]:
    """Classes whose names stand for missing values, or differ only by capitals and blanks, with the mapping that merges
    these."""
    merged: dict[str, list[str]] = defaultdict(list)
    for label in facts.get("classes") or ():
        if label.casefold() in NULLS:
            yield f"the class {label!r} looks like a missing value; leave it out by listing the others as `classes:`"
        merged[" ".join(label.split()).casefold()].append(label)
    for alike in [labels for labels in merged.values() if len(labels) > 1][:SHOWN]:
        whole = 1 < len(merged) <= SHOWN  # `classes:` has to name all of them
        groups = (
            f"{yaml_text(' '.join(labels[0].split()))}: [{', '.join(map(yaml_text, labels))}]"
            for labels in merged.values()
        )
        mapping = f": `classes: {{{', '.join(groups)}}}`" if whole else " by `classes:`"
        yield (
            f"the classes {', '.join(map(repr, alike))} differ only by case or blanks; if they are one class, "
            f"merge them{mapping}"
        )


def _nearly_numeric(name: str, facts: tuple[int, int, list[str]]) -> str:
    n_numbers, n_others, examples = facts
    few = ", ".join(map(repr, examples)) + (", …" if n_others > len(examples) else "")
    why = f"column '{name}' is categorical because {n_others:,} of its {n_numbers + n_others:,} values"
    if all(map(has_decimal_comma, examples)):
        return (
            f"{why} {'has' if n_others == 1 else 'have'} a comma ({few}); if it is a decimal mark, add "
            '`decimal: ","` under `csv:` of the entry'
            + "; if it marks thousands, take it out of the file"
            * may_mark_thousands(examples)
        )
    return (
        f"{why} {'is not a number' if n_others == 1 else 'are not numbers'} ({few}); correct or empty "
        "these cells to make the column numeric"
    )


def _dates(columns: Mapping[str, tuple[int, str]]) -> str:
    few = list(columns.items())[:SHOWN]
    each = ", ".join(f"'{name}' ({levels:,}, such as '{first}')" for name, (levels, first) in few)
    return (
        f"different dates, in {each}, which say nothing about other dates: leave them out with "
        f"{_drop_key(columns)}, or replace them by numbers, such as days since an event"
    )


def _identifiers(name: str, facts: tuple[int, int]) -> str:
    levels, rows = facts
    return (
        f"column '{name}' has {levels:,} levels in {rows:,} training rows; it looks like an "
        f"identifier: leave it out with {_drop_key([name])}"
    )


def _target_like(name: str, how: str) -> str:
    return (
        f"column '{name}' {HOW[how]}; if it is known only after the class is, leave "
        f"it out with {_drop_key([name])}; if it names groups of rows, set `group: {yaml_text(name)}`"
    )


def _one_rule(columns: Mapping[str, tuple[float, float]]) -> str:
    few = list(columns.items())[:SHOWN]
    each = ", ".join(f"'{name}' for {100 * right:.4g} % of the rows" for name, (right, _) in few)
    most = few[0][1][1]  # the same for all
    return (
        f"single columns predict the class, {each}, where the most frequent class has {100 * most:.4g} %: are they "
        f"known before the class is? If not, leave them out with {_drop_key(columns)}"
    )


# facts → (sentence, end of the sentence on more columns, facts that name the column in another sentence)
OF_COLUMNS: dict[str, tuple[Callable[..., str], str, tuple[str, ...]]] = {
    "nearly_numeric_columns": (_nearly_numeric, "are numbers with a few other values", ()),
    "date_columns": (_dates, "hold dates", ()),
    "identifier_columns": (
        _identifiers,
        "look like identifiers",
        ("nearly_numeric_columns", "date_columns"),
    ),
    "target_like_columns": (_target_like, "determine the class", ()),
    "one_rule_columns": (
        _one_rule,
        "predict the class almost perfectly on their own",
        ("target_like_columns", "identifier_columns", "date_columns"),
    ),
}


def _drop_key(names: Iterable[str]) -> str:
    """The key that leaves columns out."""
    return f"`drop: [{', '.join(map(yaml_text, names))}]`"


def _repeated(facts: Mapping[str, Any]) -> Iterator[str]:
    rows, other = facts["rows"], "another row"
    repeated = facts.get("duplicated_rows") or 0
    if (apart := facts.get("repeated_across_groups")) is not None:  # a group is held out as a whole
        repeated, other = apart, "a row of another group"
    if repeated and repeated >= REPEATED * rows:
        yield (
            f"{repeated:,} of {rows:,} rows repeat the features and the class of {other}, so equal "
            "rows are in both training and test folds"
        )
    if test_rows := facts.get("test_rows_in_training"):
        all_test_rows = f"{facts['test_rows']:,} official test rows"
        yield f"{test_rows:,} of the {all_test_rows} have the features of a training row"
    if (facts.get("least_error") or 0) >= LEAST_ERROR:
        yield (
            f"{facts['conflicting_rows']:,} rows have the features of a row of another class; every "
            f"classifier misclassifies at least {100 * facts['least_error']:.2g} % of all rows"
        )


def _empty_columns(facts: Mapping[str, Any]) -> Iterator[str]:
    if facts["sparse"]:  # normal among thousands of words
        return
    if constant := facts.get("constant_columns"):
        names = facts["constant_column_names"]
        few = ", ".join(f"'{name}'" for name in names[:SHOWN]) + ", …" * (constant > SHOWN)
        several = f"{constant:,} columns ({few}) have"
        columns = f"column '{names[0]}' has" if constant == 1 else several
        yield f"{columns} at most one value, so nothing can be learned from it"
    if duplicated := facts.get("duplicated_columns"):
        pairs = [f"{name} = {first}" for name, first in facts["duplicated_column_of"].items()]
        few = "; ".join(pairs[:SHOWN]) + ("; …" if duplicated > SHOWN else "")
        yield f"{duplicated:,} column{'s' * (duplicated > 1)} repeat{'s' * (duplicated == 1)} another one ({few})"


# Methods that do not suit a data set: no method encodes a column, or the order of classes has no meaning.

Entries = Mapping[str, Entry]

COUNTS, INDICATORS = ("count_words", "hash_words"), ("codes", "indicators", "one_hot")
REMEDIES = {COUNTS: "features: [count_words]", INDICATORS: "transforms: [impute, one_hot]"}


def unread_columns(
    methods: Entries, texts: Sequence[str], categories: Sequence[str]
) -> Iterator[str]:
    """A sentence about columns of texts, and one about categorical columns, if no method encodes them."""
    for names, steps, what in ((texts, COUNTS, "texts"), (categories, INDICATORS, "text")):
        if not names or any(_has_step(entry, steps) for entry in methods.values()):
            continue
        shown = names_and_others([f"'{name}'" for name in names], SHOWN)
        hold, them = ("holds", "it") if len(names) == 1 else ("hold", "them")
        yield (
            f"{shown} {hold} {what}, which no method of the study reads, so none can be fitted; add "
            f"`{REMEDIES[steps]}` to a method, or leave {them} out with {_drop_key(names)}"
        )


def classes_without_order(
    methods: Entries, dataset: Entry, classes: Sequence[str]
) -> Iterator[str]:
    """A sentence about methods for ordered classes, if the order is alphabetical."""
    ordered = "classes" in dataset or all(plain_number(label) is not None for label in classes)
    if ordered or len(classes) < 3:
        return
    if names := [name for name, entry in methods.items() if _orders_classes(entry)]:
        order = " < ".join(classes[:SHOWN]) + (" < …" if len(classes) > SHOWN else "")
        yield (
            f"{names_and_others(names, SHOWN)} {'takes' if len(names) == 1 else 'take'} the classes in alphabetical "
            f"order, {order}; list them in their order under `classes:`, or leave the method out"
        )


def _orders_classes(entry: Any) -> bool:
    """Whether a classifier in the entry of a method orders the classes without a parameter `order`."""
    if isinstance(entry, list):
        return any(map(_orders_classes, entry))
    if not isinstance(entry, Mapping):
        return False
    path = str(entry.get("classifier", ""))
    ordinal = path.startswith("linclass.") and path.endswith(".OrdinalRegression")
    lacks_order = ordinal and not (entry.get("params") or {}).get("order")
    return lacks_order or any(map(_orders_classes, entry.values()))


def _has_step(entry: Entry, names: Sequence[str]) -> bool:
    """Whether the method has one of these steps, or an imported one, which may do the same."""
    steps = named_steps([*(entry.get("features") or []), *(entry.get("transforms") or [])])
    return any(name in names or "." in name for name, _ in steps)
