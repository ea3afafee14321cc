"""Comparisons across data sets: the controls, methods that are not ranked, sensitivity of the conclusion, strata."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from linclass_study.analysis.across_datasets import MIN_DATA_SETS, comparison_across
from linclass_study.analysis.aggregate import pairwise_table, ranks_table
from linclass_study.analysis.comparison_with_control import (
    CORRECTIONS,
    Across,
    across,
    controls,
    cost_ratios,
    focus_of,
)
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.sentences import not_ranked_note
from linclass_study.analysis.strata import MIN_TESTED, PAIRS, RANKS
from linclass_study.analysis.verdict import incomplete_methods
from linclass_study.analysis.within_dataset import ALPHA
from linclass_study.analysis.wording import metric_words, test_words
from linclass_study.report.table import Column, Number, ReportTable, with_marks


def control(outcome: Outcome) -> ReportTable | None:
    """Every other method against each control across data sets: wins, ties and losses, four corrections, cost."""
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
                [other, one.control, one.n, Number(0.0 - one.difference[j], clear=bool(clear))]
                + [int(count) for count in reversed(one.won_tied_lost[j])]
                + [float(one.wilcoxon.p[j])]
                + [float(getattr(one.wilcoxon, key)[j]) for key in CORRECTIONS]
                + [float(one.ranks.p[j]), float(one.ranks_adjusted[j]), ratios[j]]
            )
    why, over = "The control is what the study is about.", "the comparisons of each control"
    if not focus_of(outcome):
        why = "The controls are the best method by mean rank and the baseline."
    if any(one.chosen_from is not None for one in found):
        over = "all pairs for the best method, which is chosen by the same scores, and over the comparisons of others"
    label = outcome.labels.methods
    tests = {one.control: test_words(one.test, len(one.others), one.comparisons) for one in found}
    bold = "; ".join(f"{label[name]}: {test}" for name, test in tests.items())
    bold = bold if len(tests) > 1 else next(iter(tests.values()))
    ranked = any(one.enough and one.by_ranks for one in found)
    caption = (
        f"{why} Differences in {metric_words(base.metric)} across independent data sets; a tie is a difference of at "
        f"most {found[0].rope:g}. p: Wilcoxon’s exact signed-rank test, which depends on the two methods alone; then "
        f"corrected by Bonferroni and Dunn, Holm, Hochberg and Finner over {over}. Ranks: "
        f"z = difference of mean ranks / √(k(k + 1)/(6n)) (Demšar, 2006). Bold: significant ({bold})."
        f"{' Mean ranks are compared where Wilcoxon’s test cannot be significant on so few data sets.' * ranked}"
        f"{_opposed(found, label)}{not_ranked_note(base, outcome.labels.methods)}"
    )
    words = " and ".join(dict.fromkeys(label[one.control] for one in found))
    tests_used = {"ranks" if one.by_ranks else "wilcoxon" for one in found}
    columns = [
        replace(column, folded=column.key in _folded(tests_used, len(found)))
        for column in _control_columns(found[0].rope)
    ]
    return ReportTable(f"Every other method against {words}", caption, columns, rows)


def _folded(tests: set[str], n_controls: int) -> set[str]:
    """The columns of what does not decide, which a reader can choose to see; a single control is in the title."""
    folded = {"data_sets", "p", "p_bonferroni", "p_hochberg", "p_finner", "p_ranks"}
    folded |= {"p_holm"} if "wilcoxon" not in tests else set()
    folded |= {"p_ranks_holm"} if "ranks" not in tests else set()
    return folded | ({"control"} if n_controls == 1 else set())


def _opposed(found: list[Across], label: Mapping[str, str]) -> str:
    """A sentence about significant differences whose mean has the opposite sign; empty without such differences."""
    pairs = "; ".join(
        f"{label[one.control]} is significantly {'better' if one.significant[j] > 0 else 'worse'} than {label[other]}"
        for one in found
        for j, other in enumerate(one.others)
        if one.significant[j] * one.difference[j] < 0
    )
    why = "though the mean difference has the other sign: a test of ranks counts how often."
    return f" {pairs}, {why}" if pairs else ""


def _control_columns(rope: float) -> list[Column]:
    return [
        Column("method", "Method", "method"),
        Column("control", "Control", "method"),
        Column("data_sets", "Data sets", "count"),
        Column("difference", "Method − control", "number", "mean over data sets, positive if the method is better"),
        Column("won", "Method won", "count", f"data sets on which the method is better by more than {rope:g}"),
        Column("tied", "Tied", "count", f"data sets on which they differ by at most {rope:g}"),
        Column("lost", "Method lost", "count", f"data sets on which the method is worse by more than {rope:g}"),
        Column("p", "p (Wilcoxon)", "p", "Wilcoxon’s signed-rank test, without correction"),
        *(
            Column(f"p_{name}", f"p ({name.capitalize()})", "p", f"p with {name.capitalize()}’s correction")
            for name in CORRECTIONS
        ),
        Column("p_ranks", "p (ranks)", "p", "z of mean ranks, without correction"),
        Column("p_ranks_holm", "p (ranks, corrected)", "p", "Holm’s correction, or Nemenyi’s test"),
        Column("cost_ratio", "Fit time, method / control", "ratio", "fit time of the method over that of the control"),
    ]  # fmt: skip


RANKING_RULE = (
    "Ranks, tests and ratings compare the methods that have a score on every data set, so a method that fails changes "
    "nothing for the others. A method has a score if all its planned fits succeeded and have a finite value."
)


def incomplete(outcome: Outcome) -> ReportTable | None:
    """Methods that are not ranked across data sets, because they lack a score on some of them."""
    base = comparison_across(outcome)
    if min(base.every.table.shape) < 2:
        return None
    found = incomplete_methods(outcome, base)
    columns = [
        Column("method", "Method", "method"),
        Column("lacks", "No score on", "dataset"),
        Column("why", "Why"),
        Column("data_sets", "Data sets with a score", "count"),
        Column("rank_missing_worst", "Mean rank, missing scores as worst", "number",
               "among all methods; the other ranks are among the methods that have all scores"),
    ]  # fmt: skip
    rows = [[one.method, one.datasets, one.reason, one.scored, one.rank] for one in found]
    return ReportTable("Methods that are not ranked", RANKING_RULE, columns, rows)


def sensitivity(outcome: Outcome) -> ReportTable | None:
    """Sensitivity of the conclusion: the best methods in each variation of the comparison."""
    path = outcome.results / "tables" / "sensitivity.csv"
    if not path.exists():
        return None
    rows = [
        [variation, int(n), best.split(", "), same]
        for variation, n, best, same in pl.read_csv(path, infer_schema=False).iter_rows()
    ]
    columns = [
        Column("variation", "Variation"),
        Column("data_sets", "Data sets", "count"),
        Column("best", "Best mean rank", "method"),
        Column("same_best", "The study’s best among them"),
    ]
    caption = (
        "The methods of the best mean rank when one thing is changed. The conclusion survives if one and the same "
        "method is among them in every row."
    )
    if not rows or rows[0][1] < MIN_DATA_SETS:  # then there is no conclusion
        return None
    title = "Does the conclusion survive?"
    if all(same == "none is ranked" for *_, same in rows):
        title, columns, rows = "Which methods would be best?", columns[:-1], [r[:-1] for r in rows]
        caption = (
            "Methods are not ranked, because fewer than two have a score on every data set: the methods of the best "
            "mean rank with either treatment of missing scores."
        )
    return ReportTable(title, caption, columns, rows)


def strata(outcome: Outcome) -> ReportTable | None:
    """Each stratum with its best methods, and the method that is most ahead of the focus."""
    folder = outcome.results / "tables"
    if not outcome.evaluation.get("strata") or not (folder / "strata_ranks.csv").exists():
        return None
    ranked = pl.read_csv(folder / "strata_ranks.csv", schema=RANKS)
    pairs = pl.read_csv(folder / "strata_pairs.csv", schema=PAIRS)
    focus = focus_of(outcome)[:1]
    rows = []
    for (key, stratum), own in ranked.group_by("property", "stratum", maintain_order=True):
        best, p = own.row(0, named=True), own["p_best"]
        tied = None if p.is_null().all() else int((p >= ALPHA).sum()) - 1
        ahead = _most_ahead(pairs.filter(property=key, stratum=stratum), focus[0]) if focus else []
        names = [best[name] for name in ("data_sets", "method", "mean_rank")]
        rows.append([str(key).replace("_", " "), stratum, *names, tied, *ahead])
    columns = [
        Column("property", "Property"),
        Column("stratum", "Stratum"),
        Column("data_sets", "Data sets", "count"),
        Column("best", "Best mean rank", "method"),
        Column("mean_rank", "Mean rank", "number"),
        Column("indistinguishable", "Indistinguishable", "count",
               "methods that Nemenyi’s test does not distinguish from the best one"),
        *([
            Column("ahead", f"Most ahead of {focus[0]}", "method"),
            Column("difference", "Difference", "number",
                   "mean over the data sets, with its 95 % bootstrap interval"),
            Column("differs_from", "Differs from", "text",
                   "strata of the same property with a disjoint interval of this difference"),
        ] if focus else []),
    ]  # fmt: skip
    caption = (
        "The comparison across data sets within strata that the study declares. Strata of fewer than "
        f"{MIN_TESTED} data sets are not tested. Bold: significant by Wilcoxon’s test, with Holm’s correction over all "
        "pairs of the stratum. tables/strata_ranks.csv has all methods, tables/strata_pairs.csv all pairs, and "
        "tables/strata_datasets.csv the strata of each data set."
    )
    return ReportTable("Strata", caption, columns, rows)


def _most_ahead(pairs: pl.DataFrame, focus: str) -> list[Any]:
    """The method with the largest mean difference to the focus, that difference, and the strata that differ in it."""
    turned = pairs.filter(method=focus).with_columns(
        method="against",
        mean_difference=-pl.col("mean_difference"),
        lower=-pl.col("upper"),
        upper=-pl.col("lower"),
    )
    found = pl.concat([turned, pairs.filter(against=focus)])
    if found.is_empty():
        return [None, None, None]
    row = found.sort("mean_difference", descending=True).row(0, named=True)
    clear = row["p_holm"] is not None and row["p_holm"] < ALPHA
    number = Number(row["mean_difference"], interval=_ends(row["lower"], row["upper"]), clear=clear)
    return [row["method"], number, row["differs_from"]]


def ranks(outcome: Outcome) -> ReportTable | None:
    """The methods of the complete field, best mean rank first; the page has them as figures."""
    base = comparison_across(outcome)
    if not base.enough:
        return None
    columns = [
        Column("method", "Method", "method"),
        Column("mean_rank", "Mean rank", "number"),
        Column("mean_score", f"Mean {metric_words(base.metric)}", "number"),
        Column("times_best", "Times best", "count"),
        Column("rating", "Rating", "number"),
    ]
    rows = []
    for row in ranks_table(base).iter_rows(named=True):
        rating = Number(row["rating"], interval=_ends(row["rating_lower"], row["rating_upper"]))
        rows.append([*(row[column.key] for column in columns[:-1]), rating])
    caption = (
        f"Over {len(base.datasets)} independent data sets. Rating: Elo, with its 95 % interval "
        "over resampled data sets."
    )
    return with_marks(outcome, ReportTable("Ranks of the methods", caption, columns, rows))


def _ends(low: float | None, high: float | None) -> tuple[float, float] | None:
    return None if low is None or high is None else (low, high)


def pairwise(outcome: Outcome) -> ReportTable | None:
    """All pairs of methods across data sets; the page has them as a figure."""
    base = comparison_across(outcome)
    if not base.enough:
        return None
    words = metric_words(base.metric)
    columns = [
        Column("method", "Method", "method"),
        Column("against", "Against", "method"),
        Column("mean_difference", "Mean difference", "number"),
        Column("wins", "Won", "count"),
        Column("ties", "Tied", "count"),
        Column("losses", "Lost", "count"),
        Column("p", "p", "p"),
        Column("p_holm", "p (Holm)", "p"),
    ]
    rows = pairwise_table(base).select(column.key for column in columns).rows()
    caption = (
        f"Differences in {words} across {len(base.datasets)} independent data sets, positive if the method is better "
        "than the one against it. p: Wilcoxon’s signed-rank test."
    )
    return with_marks(outcome, ReportTable("All pairs of methods", caption, columns, rows))
