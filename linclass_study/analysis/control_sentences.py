"""Sentences about the controls of a study: from which methods they differ, and what would decide the rest."""

from __future__ import annotations

from collections import Counter

from linclass.base.messages import counted, names_and_others
from linclass.evaluation.comparisons.corrections import data_sets_needed, least_adjusted_p
from linclass_study.analysis.across_datasets import ComparisonAcross, comparison_across
from linclass_study.analysis.controls import (
    MAX_DATASETS,
    Across,
    Verdict,
    across,
    cost_ratios,
    focus_of,
    repeats_words,
    verdicts,
)
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.within_dataset import (
    ALPHA,
    SURE,
    comparison_within,
    rope_of,
)
from linclass_study.analysis.wording import metric_words

NAMES = 4  # methods named in a sentence; the others are counted


def unattainable(n: int, comparisons: int, what: str) -> str:
    """That `what` cannot be significant on n data sets after Holm's correction, and from how many on it can."""
    least = least_adjusted_p(n, comparisons)
    if least < ALPHA:
        return ""
    number = f"{least:.3f}".removeprefix("0") if least < 1 else "1"
    return (
        f"On {counted(n, 'data set')} {what} can be significant by Wilcoxon’s test{_corrected(comparisons)}: its p "
        f"is at least {number}; it takes at least {data_sets_needed(comparisons, ALPHA)} independent data sets."
    )


def _corrected(comparisons: int) -> str:
    """with Holm’s correction over 3 comparisons; empty for a single one, which needs none"""
    return f" with Holm’s correction over {comparisons:,} comparisons" if comparisons > 1 else ""


def focus_sentences(outcome: Outcome) -> list[str]:
    """What the study says about its focus; empty without one."""
    base = comparison_across(outcome) if focus_of(outcome) else None
    return [line for name in focus_of(outcome) if base for line in _about(outcome, base, name)]


def _about(outcome: Outcome, base: ComparisonAcross, control: str) -> list[str]:
    own, found = verdicts(outcome, control), across(outcome, base, control)
    lacking = [
        name
        for name, part in outcome.parts().items()
        if control not in comparison_within(part, name).methods
    ]
    lines = [*control_sentences(base, found, lead=True)] if found else []
    if found and found.enough:
        lines += _against_nearest(outcome, found)
    if own:
        lines += _on_datasets(own, control, rope_of(outcome.evaluation))
    if lacking:
        lines.append(f"{control} has no score to compare on {names_and_others(lacking, NAMES)}.")
    return lines


def control_sentences(base: ComparisonAcross, found: Across, lead: bool = False) -> list[str]:
    """From which methods a control differs significantly across data sets, by which test, and what would decide."""
    if not found.enough:
        return []
    n, m = found.n, len(found.others)
    by = found.by_verdict()
    apart = {*base.every.incomplete}
    ranked = "ranked " * bool(apart - {found.control})
    other = f"{'' if ranked and found.control in apart else 'other '}{ranked}method"
    groups = [
        f"significantly {word} than {names_and_others(by[word], NAMES)}"
        for word in ("better", "worse")
        if by[word]
    ]
    if by["open"]:
        every = len(by["open"]) == m > 1
        rest = f"any {other}" if every else names_and_others(by["open"], NAMES)
        groups.append(f"not significantly different from {rest}")
    test = "mean ranks" if found.by_ranks else "Wilcoxon’s signed-rank test"
    words = f" by {metric_words(base.metric)}" if lead else ""
    whom = counted(m, other) if m > 1 else found.others[0]
    who = f"{found.control} against {whom}{words} across {counted(n, 'independent data set')}"
    lines = [f"{who}: {', '.join(groups)} ({test}{_corrected(m)})."]
    if never := unattainable(n, m, f"no comparison with {found.control}"):
        because = (
            " So mean ranks decide here, whose p also depends on the other methods."
            * found.by_ranks
        )
        lines.append(never + because)
    return lines + _more_datasets(found)


def _more_datasets(found: Across) -> list[str]:
    """How many data sets would decide what is not significant."""
    needed = [
        (number, name)
        for number, name, holm, same in zip(
            found.datasets_needed(), found.others, found.deciding.holm, found.same, strict=True
        )
        if not (holm < ALPHA or same)
    ]
    known = sorted((number, name) for number, name in needed if number is not None)
    small = [name for number, name in needed if number is None]
    each = [f"{number} against {name}" for number, name in known[:NAMES]]
    each += [f"more against {len(known) - NAMES} others"] * (len(known) > NAMES)
    lines = [f"Of data sets like these, significance would take about {', '.join(each)}."] * bool(
        known
    )
    if small:
        lines.append(
            f"The difference to {names_and_others(small, NAMES)} is too small for {MAX_DATASETS:,} "
            "data sets like these."
        )
    return lines


def _against_nearest(outcome: Outcome, found: Across) -> list[str]:
    """Wins, ties and losses against the best of the others by mean rank, and the cost."""
    j = found.next_by_rank
    if j is None:
        return []
    won, tied, lost = found.won_tied_lost[j]
    ratio = cost_ratios(outcome, found)[j]
    cost = "" if ratio is None else f"; a fit takes {ratio:.2g} times as long"
    size = f"{abs(found.difference[j]):.3f}"
    side = f"{'better' if found.difference[j] > 0 else 'worse'} by {size}"
    difference = (
        f"its mean {metric_words(outcome.metric)} is {'equal' if size == '0.000' else side}"
    )
    games = f"it won on {won}, tied on {tied} and lost on {lost} data sets"
    tie = f"(a tie is a difference of at most {found.rope:g})"
    lead = f"Against {found.others[j]}{', the best of the others by mean rank,' * (len(found.others) > 1)}"
    return [f"{lead} {games} {tie}; {difference}{cost}."]


def _on_datasets(own: list[Verdict], control: str, rope: float) -> list[str]:
    """How many comparisons on single data sets are decided, and what would decide the others."""
    counts = Counter(one.decided for one in own)
    lines = [
        (
            f"On single data sets {control} is better by more than {rope:g} in {counts['better']} of "
            f"{counted(len(own), 'comparison')}, worse in {counts['worse']} and equal in practice in "
            f"{counts['equal']}, each with a probability of at least {SURE:g}; {counts['undecided']} are undecided."
        )
    ]
    return lines + undecided_sentences(own)


def undecided_sentences(compared: list[Verdict], what: str = "") -> list[str]:
    """What more repeats of the folds would decide on single data sets, with the example that takes the fewest; `what`
    is compared."""
    more = [(one.repeats, one) for one in compared if one.repeats is not None]
    if not more:
        return []
    repeats, nearest = min(
        more, key=lambda pair: (not pair[0].decide, pair[0].repeats, pair[0].then)
    )
    n, decidable = len(more), sum(bool(one.decide) for one, _ in more)
    if n == 1:
        lead = f"More repeats would {'' if decidable else 'not '}decide the one undecided comparison{what}: on"
    else:
        how_many = f"all {n}" if decidable == n else f"{decidable or 'none'} of the {n}"
        lead = f"More repeats would decide {how_many} undecided comparisons{what}; for example, on"
    size = f"{abs(nearest.difference):.3f}"
    side = f"{size} {'ahead of' if nearest.difference > 0 else 'behind'}"
    side = "equal to" if size == "0.000" else side
    where = f"{nearest.dataset}, where {nearest.control} is {side} {nearest.other},"
    return [f"{lead} {where} {repeats_words(repeats)}."]
