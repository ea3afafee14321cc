"""Selection of a few methods for a figure of one data set that would be unreadable with all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from linclass_study.analysis.controls import BASELINE
from linclass_study.analysis.metric_words import best_words
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.summary import ranking


def baselines(outcome: Outcome, methods: Sequence[str]) -> set[int]:
    """Numbers of the methods that always predict the majority class."""
    kinds = [outcome.methods[method].get("classifier") for method in methods]
    return {j for j, kind in enumerate(kinds) if kind == BASELINE}


def selected_methods(
    outcome: Outcome, dataset: str, able: Iterable[str], most: int = 6
) -> list[str]:
    """At most `most` of the methods that the figure can show, best first.

    The best method of each classifier class and the baseline come first, then the best of the others.
    """
    able = set(able)
    ranked = [method for method in ranking(outcome, dataset)["method"] if method in able]
    kinds = {method: outcome.methods[method].get("classifier") for method in ranked}
    first = {kind: method for method, kind in reversed(kinds.items())}  # the best of each kind
    order = sorted(ranked, key=lambda m: (first[kinds[m]] != m, kinds[m] != BASELINE))
    best = ranked[:1]
    chosen = {*best, *[method for method in order if method not in best][: most - len(best)]}
    return [method for method in ranked if method in chosen]


def selection_note(outcome: Outcome, methods: list[str], able: int, what: str = "") -> str:
    """A sentence about the selection, for the caption; `what` is the requirement ("with probabilities")."""
    those = f"methods {what}" if what and able < len(outcome.methods) else "methods"
    if len(methods) == able:
        return f"All {able} {those} are shown." if able > 1 else ""
    return (
        f"{len(methods)} of {able} {those} are shown, {best_words(outcome.metric)} first: the best "
        "of each kind of classifier as far as there is room, and the baseline."
    )
