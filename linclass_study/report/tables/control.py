"""Each control against every other method across data sets: wins, ties and losses, p with four corrections, cost."""

from __future__ import annotations

from linclass_study.analysis.across_datasets import comparison_across
from linclass_study.analysis.conclusion import not_ranked_note
from linclass_study.analysis.controls import Across, across, controls, cost_ratios, focus_of
from linclass_study.analysis.metric_words import metric_words
from linclass_study.analysis.outcome import Outcome
from linclass_study.report.table import Column, Number, ReportTable

PLACE, SECTION, PER_DATASET = 1, "across", False

CORRECTIONS = {
    "bonferroni": "Bonferroni",
    "holm": "Holm",
    "hochberg": "Hochberg",
    "finner": "Finner",
}


def make(outcome: Outcome) -> ReportTable | None:
    base = comparison_across(outcome)
    compared = [across(outcome, base, name) for name in controls(outcome, base)]
    found = [one for one in compared if one is not None and one.n > 1 and one.others]
    if not found:
        return None
    rows = []
    for one in found:
        ratios = cost_ratios(outcome, one)
        for j, other in enumerate(one.others):
            clear = one.significant[j] * one.difference[j] > 0
            rows.append(
                [one.control, other, one.n, Number(float(one.difference[j]), clear=bool(clear))]
                + [int(count) for count in one.won_tied_lost[j]]
                + [float(one.wilcoxon.p[j])]
                + [float(getattr(one.wilcoxon, key)[j]) for key in CORRECTIONS]
                + [float(one.ranks.p[j]), float(one.ranks.holm[j]), ratios[j]]
            )
    ranked = any(one.enough and one.by_ranks for one in found)
    why = (
        "The control is what the study is about."
        if focus_of(outcome)
        else "The controls are the best method by mean rank and the baseline. That the best one was chosen by the same "
        "scores makes its p too small."
    )
    caption = (
        f"{why} Differences in {metric_words(base.metric)} across independent data sets; a tie is a difference of at "
        f"most {found[0].rope:g}. p: Wilcoxon’s exact signed-rank test, which depends on the two methods alone; then "
        "corrected by Bonferroni and Dunn, Holm, Hochberg and Finner over the comparisons of each control. Ranks: "
        "z = difference of mean ranks / √(k(k + 1)/(6n)) (Demšar, 2006). Bold: significant by Holm’s correction of "
        f"{'mean ranks, as Wilcoxon’s test cannot be on so few data sets' if ranked else 'Wilcoxon’s p'}."
        f"{_opposed(found)}{not_ranked_note(base)}"
    )
    words = " and ".join(dict.fromkeys(one.control for one in found))
    return ReportTable(
        f"{words} against every other method", caption, _columns(found[0].rope), rows
    )


def _opposed(found: list[Across]) -> str:
    """A sentence about significant differences whose mean has the opposite sign; empty without such differences."""
    pairs = [
        f"{one.control} is significantly {'better' if one.significant[j] > 0 else 'worse'} than {other}"
        for one in found
        for j, other in enumerate(one.others)
        if one.significant[j] * one.difference[j] < 0
    ]
    if not pairs:
        return ""
    return f" {'; '.join(pairs)}, though the mean difference has the other sign: a test of ranks counts how often."


def _columns(rope: float) -> list[Column]:
    return [
        Column("control", "Control", "method"),
        Column("method", "Against", "method"),
        Column("data_sets", "Data sets", "count"),
        Column("difference", "Difference", "number", "mean over data sets, positive if the control is better"),
        Column("won", "Won", "count", f"data sets on which the control is better by more than {rope:g}"),
        Column("tied", "Tied", "count", f"data sets on which they differ by at most {rope:g}"),
        Column("lost", "Lost", "count", f"data sets on which the control is worse by more than {rope:g}"),
        Column("p", "p", "p", "Wilcoxon’s signed-rank test, without correction"),
        *(
            Column(f"p_{key}", name, "p", f"p with {name}’s correction over the comparisons of the control")
            for key, name in CORRECTIONS.items()
        ),
        Column("p_ranks", "p (ranks)", "p", "z of mean ranks, without correction"),
        Column("p_ranks_holm", "Holm (ranks)", "p", "the same with Holm’s correction"),
        Column("cost_ratio", "Cost ratio", "number", "seconds of a fit of the control over those of the method"),
    ]  # fmt: skip
