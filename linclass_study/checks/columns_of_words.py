"""Columns of texts and categories, and the methods of a study: which columns no method reads, and which methods depend
on an order of columns or of classes that has no meaning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from linclass.base import parts
from linclass.base.messages import names_and_others
from linclass_study.data.entry_keys import as_list
from linclass_study.data.labels import plain_number
from linclass_study.files.writing import yaml_text
from linclass_study.pipeline.method import named_steps

Entries = Mapping[str, Mapping[str, Any]]

SHOWN = 5  # columns that are named
COUNTS, INDICATORS = ("count_words", "hash_words"), ("codes", "indicators", "one_hot")
REMEDIES = {COUNTS: "features: [count_words]", INDICATORS: "transforms: [impute, one_hot]"}
COUNTED = ("bag_of_words", "inverted_index", "text_folders")  # formats whose columns are words


def unread_columns(
    methods: Entries, texts: Sequence[str], categories: Sequence[str]
) -> Iterator[str]:
    """A sentence on the columns of texts, and one on those of categories, if no method makes numbers of them."""
    for names, steps, what in ((texts, COUNTS, "texts"), (categories, INDICATORS, "text")):
        if not names or any(_has_step(entry, steps) for entry in methods.values()):
            continue
        shown = names_and_others([f"'{name}'" for name in names], SHOWN)
        hold, them = ("holds", "it") if len(names) == 1 else ("hold", "them")
        drop = f"`drop: [{', '.join(map(yaml_text, names))}]`"
        yield (
            f"{shown} {hold} {what}, which no method of the study reads, so none can be fitted; add "
            f"`{REMEDIES[steps]}` to a method, or leave {them} out with {drop}"
        )


def columns_without_order(
    methods: Entries, dataset: Mapping[str, Any], texts: bool, categories: bool
) -> Iterator[str]:
    """A sentence on each method with a penalty on neighbouring columns, where columns are words or indicators."""
    for name, entry in methods.items():
        if not (penalty := ordered_penalty(entry)):
            continue
        words = are_words(dataset) or (texts and _has_step(entry, COUNTS))
        if words or (categories and _has_step(entry, INDICATORS)):
            yield (
                f"{name} has the penalty {penalty}, which draws the weights of neighbouring columns together, but "
                f"{'words' if words else 'indicators of categories'} have no order: leave the method out, or give it "
                "columns along a line, such as a spectrum"
            )


def classes_without_order(
    methods: Entries, dataset: Mapping[str, Any], classes: Sequence[str]
) -> Iterator[str]:
    """A sentence on the methods for ordered classes, where the order is that of the alphabet."""
    if (
        len(classes) < 3
        or "classes" in dataset
        or all(plain_number(c) is not None for c in classes)
    ):
        return
    if names := [name for name, entry in methods.items() if _orders_classes(entry)]:
        order = " < ".join(classes[:SHOWN]) + (" < …" if len(classes) > SHOWN else "")
        yield (
            f"{names_and_others(names, SHOWN)} {'takes' if len(names) == 1 else 'take'} the classes in alphabetical "
            f"order, {order}; list them in their order under `classes:`, or leave the method out"
        )


def _orders_classes(given: Any) -> bool:
    """Whether a classifier anywhere in the entry of a method orders the classes without being given their order."""
    if isinstance(given, list):
        return any(map(_orders_classes, given))
    if not isinstance(given, Mapping):
        return False
    path = str(given.get("classifier", ""))
    ordinal = path.startswith("linclass.") and path.endswith(".OrdinalRegression")
    own = ordinal and not (given.get("params") or {}).get("order")
    return own or any(map(_orders_classes, given.values()))


def ordered_penalty(given: Any) -> str:
    """The penalty, anywhere in the entry of a method, for which the order of columns matters; '' if there is none."""
    if not isinstance(given, Mapping | list):
        return ""
    items = given.items() if isinstance(given, Mapping) else enumerate(given)
    for key, value in items:
        named = str(key).rpartition("__")[2] == "penalty"  # also estimator__penalty, under tune:
        found = next(filter(_is_ordered, _names_in(value)), "") if named else ordered_penalty(value)
        if found:
            return str(found)
    return ""


def _names_in(penalties: Any) -> Iterator[Any]:
    """Names of penalties: l1, {l1: {factors: …}}, or a list of such."""
    for one in as_list(penalties):
        yield from one if isinstance(one, Mapping) else [one]


def _is_ordered(name: Any) -> bool:
    return name in parts.names("penalties") and parts.find("penalties", name).ordered_features


def are_words(dataset: Mapping[str, Any]) -> bool:
    """Whether the entry of a data set describes counted words."""
    if dataset.get("texts"):
        return False
    sources = as_list(dataset.get("source"))
    return any(one.get("format") in COUNTED for one in (dataset, *sources))


def _has_step(entry: Mapping[str, Any], names: Sequence[str]) -> bool:
    """Whether the method has one of these steps, or one of its user's, which may do the same."""
    steps = named_steps([*(entry.get("features") or []), *(entry.get("transforms") or [])])
    return any(name in names or "." in name for name, _ in steps)
