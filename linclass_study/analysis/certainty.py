"""Certainty of the answer for one data set, in sentences that name test, n and correction.

Probabilities come from the Bayesian correlated t test of the best method against each other one, with the study's
region of practical equivalence (`rope`). The best method is clearly the best if its probabilities of not being better
sum to at most 1 − SURE over all others (union bound). Holm's correction covers the comparisons with the best method.
"""

from __future__ import annotations

import numpy as np

from linclass.base.messages import counted
from linclass_study.analysis.chance import chance
from linclass_study.analysis.controls import Verdict, closest_rival
from linclass_study.analysis.metric_words import metric_words
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.power import repeats_words
from linclass_study.analysis.protocol_names import protocol_phrase
from linclass_study.analysis.within_dataset import (
    ALPHA,
    SURE,
    ComparisonWithin,
    comparison_within,
)


def certainty(outcome: Outcome, dataset: str) -> str:
    """Whether other methods may be as good as the best one on this data set."""
    found = comparison_within(outcome, dataset)
    if not found.methods:
        return "No method succeeded on every fold, so none is best."
    if len(found.methods) == 1:
        return f"{found.methods[0]} alone succeeded on every fold: there is nothing to compare it with."
    if not found.enough:
        return (
            f"One value of each method ({protocol_phrase(outcome.evaluation, found.protocol)}) has no spread, so the "
            "order of the methods is uncertain; repeated folds would show by how much."
        )
    return " ".join(
        [
            _verdict(found),
            *_probabilities(found, closest_rival(outcome, dataset)),
            _tests(outcome, found),
        ]
    )


def _verdict(found: ComparisonWithin) -> str:
    """The conclusion in plain words."""
    best, others = found.methods[0], len(found.methods) - 1
    rivals = len(found.rivals)
    if not rivals:
        return f"{best} is clearly the best."
    tied = f" {found.equals} methods share the best mean." if found.equals > 1 else ""
    if rivals == others:
        return f"No method is clearly the best: any other may be as good as {best}.{tied}"
    return f"No method is clearly the best: {rivals} of {others} others may be as good as {best}.{tied}"


def _probabilities(found: ComparisonWithin, rivals: list[Verdict]) -> list[str]:
    better, equal, worse = (values[0, 1:] for values in found.posterior)
    others, left = len(better), len(found.rivals)
    sentences = [_ahead(found, others - left, others)] if others > 1 or not left else []
    if left:
        sentences.append(_left(int(np.count_nonzero(equal >= SURE)), left, others))
    for one in rivals:
        rival = found.methods.index(one.other) - 1
        sentences.append(
            f"Its closest rival is {one.other}: with probability {chance(better[rival])} better, "
            f"{chance(equal[rival])} equal in practice, {chance(worse[rival])} worse."
        )
        if one.repeats is not None:
            sentences.append(f"That is undecided: {repeats_words(one.repeats)}.")
    return sentences


def _ahead(found: ComparisonWithin, beaten: int, others: int) -> str:
    """Than how many others the best method is better, jointly."""
    those = f"{beaten or 'none'} of the {others} others" if others > 1 else "the other"
    jointly = " at once" if beaten > 1 else ""
    bound = " (union bound)" if beaten > 1 else ""
    return (
        f"It is better than {those}{jointly} by more than {found.rope:g} in {metric_words(found.metric)}, with a "
        f"probability of at least {SURE:g}{bound}."
    )


def _left(equal: int, left: int, others: int) -> str:
    """How many of the methods that are left are equal to the best one in practice, each on its own."""
    if left == 1:
        other = "the other" if others == 1 else "the one that is left"
        if not equal:
            return f"Whether it is better than {other}, or equal to it in practice, is undecided."
        return f"It is equal to {other} in practice, with a probability of at least {SURE:g}."
    verbs = "are" if equal > 1 else "is", "are" if left - equal > 1 else "is"
    those = f"the {left} that are left" if left < others else "them"
    return (
        f"Of {those}, {equal or 'none'} {verbs[0]} equal to it in practice, with a probability of at "
        f"least {SURE:g}{' each' * (equal > 1)}, and {left - equal or 'none'} {verbs[1]} undecided."
    )


def _tests(outcome: Outcome, found: ComparisonWithin) -> str:
    k = len(found.methods)
    apart = int(np.count_nonzero(found.against(found.methods[0]).holm < ALPHA))
    stricter = "" if found.rivals or apart == k - 1 else ": it is two-sided, so stricter"
    return (
        f"(Bayesian correlated t test over {protocol_phrase(outcome.evaluation, found.protocol)}, n = {found.folds}, "
        f"n_test/n_train = {found.ratio:.3g}. The corrected t test, with Holm’s correction over "
        f"{counted(k - 1, 'comparison')}, distinguishes {apart} of {k - 1} from it at α = {ALPHA:g}{stricter}.)"
    )
