"""Summary of the checks of one data set, as terms with descriptions, and warnings about the data."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from linclass.base.messages import counted, first_names
from linclass_study.analysis.data_warnings import classes_without_order, findings
from linclass_study.analysis.outcome import Outcome

Facts = Mapping[str, Any]

SHOWN = 5  # names in a list; the others are counted

KINDS = {  # of suspicious columns; one of several kinds is named once
    "date": "dates",
    "identifier": "like an identifier",
    "target_like": "like the class",
    "one_rule": "predicts the class almost perfectly on its own",
}
PAIR = {
    "yes": "by a hyperplane, proved",
    "quasi-complete": "but for rows on the hyperplane, proved",
    "no": "by no hyperplane, proved",
    "undecided": "neither a hyperplane nor that there is none could be proved",
}
PAIRS = {
    "complete": "separable by a hyperplane",
    "quasi-complete": "separable but for rows on it",
    "none": "not separable",
    "undecided": "undecided",
}


def card(facts: Facts, relatives: Sequence[str] = ()) -> dict[str, str]:
    """Term → description, without terms that are unknown for these data."""
    if not facts:
        return {}
    unsuspicious = "none constant, none repeated" * ("duplicated_columns" in facts)
    texts = {
        "Features": _features(facts),
        "Missing": _missing(facts),
        "Columns": "; ".join(_columns(facts)) or unsuspicious,
        "Rows": _rows(facts),
        "Rank": _rank(facts),
        "Separable": _separable(facts),
        "Shares rows": f"with {', '.join(relatives)}; they count once" if relatives else "",
        "Not checked": "; ".join(f"{what}: {why}" for what, why in facts["unchecked"].items()),
        "Domain": facts.get("domain"),
        "Apart": facts.get("apart"),
        "Licence": facts.get("licence"),
        "Cite": facts.get("citation"),
        "Digest": facts.get("digest"),
    }
    return {term: text for term, text in texts.items() if text}


def _features(facts: Facts) -> str:
    kinds = {"numeric": "numeric", "categorical": "categorical", "texts": "of texts"}
    return ", ".join(f"{facts[kind]:,} {word}" for kind, word in kinds.items() if facts[kind])


def _missing(facts: Facts) -> str:
    if "missing_values" not in facts:
        return ""
    named = [f"{name} ({cells:,})" for name, cells in facts["missing_by_column"].items()]
    if not named:
        return "no value"
    return f"{counted(format(facts['missing_values'], ','), 'value')}: {first_names(named, SHOWN)}"


def _columns(facts: Facts) -> Iterator[str]:
    if facts.get("constant_columns"):
        names = first_names(facts["constant_column_names"], SHOWN, facts["constant_columns"])
        yield f"{facts['constant_columns']:,} constant ({names})"
    if facts.get("duplicated_columns"):
        pairs = [f"{name} = {first}" for name, first in facts["duplicated_column_of"].items()]
        yield f"{facts['duplicated_columns']:,} repeated ({first_names(pairs, SHOWN, facts['duplicated_columns'])})"
    if facts.get("nearly_numeric_columns"):
        yield f"numbers but for a few cells: {first_names([*facts['nearly_numeric_columns']], SHOWN)}"
    named: set[str] = set()
    for kind, words in KINDS.items():
        if own := [name for name in facts.get(f"{kind}_columns") or () if name not in named]:
            yield f"{words}: {first_names(own, SHOWN)}"
        named.update(own)


def _rows(facts: Facts) -> str:
    if "duplicated_rows" not in facts:
        return ""
    again = facts["duplicated_rows"]
    texts = [f"{again:,} repeat{'s' * (again == 1)} another with its class"]
    if facts["conflicting_rows"]:
        least = (
            f"no classifier errs on fewer than {100 * facts['least_error']:.2g}\u00a0% of them all"
        )
        other = "have the features of a row of another class"
        texts.append(f"{facts['conflicting_rows']:,} {other}, so {least}")
    if (both := facts["test_rows_in_training"]) is not None:
        texts.append(f"{both:,} official test rows have the features of a training row")
    return "; ".join(texts)


def _rank(facts: Facts) -> str:
    if "rank" not in facts:
        return ""
    condition = facts["condition_number"]
    digits = "" if condition is None else f"; condition number {condition:.3g}"
    columns = f"{facts['design_columns']:,} columns, imputed, one-hot and standardized"
    return f"{facts['rank']:,} of {columns}{digits}"


def _separable(facts: Facts) -> str:
    if "separable" not in facts:
        return ""
    if facts["pairs"] == 1:
        return PAIR[facts["separable"]]
    counts = facts["separability"]
    texts = [f"{counts[kind]:,} {words}" for kind, words in PAIRS.items() if counts[kind]]
    return f"of {facts['pairs']:,} pairs of classes {', '.join(texts)}"


def source_of(about: Facts) -> str:
    return without_mirrors(about["source"])


def without_mirrors(text: str) -> str:
    """The folders of mirrors are omitted, as other machines do not have them."""
    return re.sub(r" \(copy in [^)]*\)", " (copy in a mirror)", text)


def data_warnings(outcome: Outcome) -> dict[str, list[str]]:
    """Data set → sentences about its rows, and about methods that its columns or classes do not suit."""
    found = {name: [*_sentences(outcome, name)] for name in outcome.datasets}
    return {name: sentences for name, sentences in found.items() if sentences}


def _sentences(outcome: Outcome, dataset: str) -> Iterator[str]:
    label, entry = outcome.labels.methods, outcome.datasets[dataset]
    methods = {label[name]: own for name, own in outcome.methods.items()}
    if facts := outcome.checks(dataset):
        yield from findings(facts)
    yield from classes_without_order(methods, entry, outcome.about(dataset).get("classes") or [])
