"""What a reader of the page should know about the data sets before the results: sentences with their remedies."""

from __future__ import annotations

from collections.abc import Iterator

from linclass_study.analysis.outcome import Outcome
from linclass_study.checks.columns_of_words import classes_without_order, columns_without_order
from linclass_study.checks.findings import findings


def read_with_care(outcome: Outcome) -> dict[str, list[str]]:
    """Data set → sentences about its rows, and about methods that its columns or classes do not suit."""
    found = {name: [*_sentences(outcome, name)] for name in outcome.datasets}
    return {name: sentences for name, sentences in found.items() if sentences}


def _sentences(outcome: Outcome, dataset: str) -> Iterator[str]:
    methods, entry = outcome.methods, outcome.datasets[dataset]
    if facts := outcome.checks(dataset):
        yield from findings(facts)
        texts, categories = (bool(facts.get(kind)) for kind in ("texts", "categorical"))
        yield from columns_without_order(methods, entry, texts, categories)
    yield from classes_without_order(methods, entry, outcome.about(dataset).get("classes") or [])
