"""Across few data sets the page says why ranks, pairs and ratings are not drawn, instead of drawing them."""

from html import unescape
from pathlib import Path

import numpy as np
import pytest
from cases import each
from scipy import stats
from studies import Data, Method, finish

from linclass_study.analysis.across_datasets import MIN_DATA_SETS, PAIRED, AllScores
from linclass_study.analysis.aggregate import write_across
from linclass_study.analysis.comparison_with_control import BASELINE
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.sentences import too_few, unattainable
from linclass_study.report.contents import FIGURES
from linclass_study.report.drawing import style
from linclass_study.report.figures import matrices, rankings


def across(n, k):
    """The first method is always the best, the second the next, …"""
    return AllScores(
        "accuracy",
        [f"d{i}" for i in range(n)],
        list("abcdefghijk")[:k],
        -np.tile(np.arange(1.0 * k), (n, 1)),
    ).field


@each("n", [2, 3, 4, 5, PAIRED])
def test_pairs_are_compared_from_the_least_number_on_that_can_be_significant(n):
    """The least p of Wilcoxon's test is that of n differences of one sign."""
    least = stats.wilcoxon(np.arange(1.0, n + 1), method="exact").pvalue
    assert bool(too_few(across(n, 3), "pairs", "Pairs", PAIRED, "pairwise")) == (least > 0.05)


def test_a_sentence_says_from_how_many_data_sets_a_comparison_can_be_significant():
    """2/2⁶ · 1 < .05 ≤ 2/2⁶ · 2, and 2/2⁷ · 3 < .05."""
    assert unattainable(6, 1, "no method") == unattainable(7, 3, "no method") == ""
    assert "takes at least 7 independent" in unattainable(6, 2, "no method")
    assert "takes at least 10 independent" in unattainable(3, 22, "no method")


@each(("k", "n"), [(2, PAIRED), (3, MIN_DATA_SETS), (8, MIN_DATA_SETS)])
def test_enough_data_sets_can_show_a_difference_of_ranks(k, n):
    base = across(n, k)
    assert not too_few(base, "ranks", "Mean ranks", MIN_DATA_SETS, "ranks")
    assert np.ptp(base.nemenyi.ranks) > base.nemenyi.critical_difference


@pytest.mark.parametrize(("n", "significant"), [(10, False), (12, True)])
def test_pairs_are_bold_and_coloured_after_the_correction_only(monkeypatch, n, significant):
    """A method that wins on all of n data sets has p = 2/2ⁿ, times 55 pairs of 11 methods: .107 for 10, .027 for 12."""
    base = across(n, 11)
    monkeypatch.setattr(matrices, "comparison_across", lambda _: base)
    outcome = Outcome(Path(), {}, {name: {} for name in base.methods}, {"tune_metric": "accuracy"})
    outcome.read["grid_ends"] = {}
    with style.settings():
        exhibit = matrices.pairwise(outcome)
        (axes,) = exhibit.figure.axes
    cells = [text for text in axes.texts if "/" in text.get_text()]
    assert all((text.get_weight() == "bold") == significant for text in cells)
    tints = sum(image.get_array()[..., 3] for image in axes.images)
    assert ((tints > 0) == (significant & ~np.eye(7, dtype=bool))).all()
    assert f"p {'.027' if significant else '.107'}" in cells[0].get_text()
    sentence = (
        "On 10 data sets no pair of methods can be significant by Wilcoxon’s test with Holm’s correction over 55 "
        "comparisons; that takes at least 12 independent data sets."
    )
    assert (sentence in exhibit.caption) != significant


@pytest.mark.parametrize(
    ("name", "most", "baseline", "rows", "gaps"),
    [
        ("ranks", 8, "e", "abcdefgh", 0),
        ("ranks", 7, "d", "abcdfgh", 1),  # e differs from no other by 4.29
        ("ranks", 6, "h", "abcfgh", 1),
        ("ranks", 4, "e", "abeh", 2),
        ("ratings", 4, "e", "abeh", 2),
        ("ratings", 5, "h", "abcgh", 1),
    ],
)
def test_the_middle_of_many_methods_is_left_out_but_never_the_baseline(
    monkeypatch, name, most, baseline, rows, gaps
):
    """Ranks are 1 … 8 on six data sets, where Nemenyi's critical difference is 3.031 · √(8 · 9 / 36) = 4.29."""
    base = across(6, 8)
    monkeypatch.setattr(rankings, "comparison_across", lambda _: base)
    monkeypatch.setattr(rankings, "MAX_METHODS", most)
    kinds = {m: {"classifier": BASELINE if m == baseline else "linclass.LDA"} for m in base.methods}
    outcome = Outcome(Path(), {}, kinds, {"tune_metric": "accuracy"})
    outcome.read["grid_ends"] = {}
    with style.settings():
        exhibit = FIGURES[name](outcome)
        (axes,) = exhibit.figure.axes
        assert "".join(label.get_text() for label in axes.get_yticklabels()) == rows
    assert sum(line.get_linestyle() == ":" for line in axes.lines) == gaps
    assert (f" {most} of 8 methods are shown;" in exhibit.caption) == (most < 8)
    assert len(exhibit.numbers[name]) == 8


LEAST = {"ranks": MIN_DATA_SETS, "pairwise": PAIRED, "ratings": MIN_DATA_SETS}


@pytest.mark.parametrize(
    "n", [3, *(pytest.param(n, marks=pytest.mark.full) for n in (PAIRED, MIN_DATA_SETS))]
)
def test_the_page_gives_the_reason_in_place_of_the_figure(make, n):
    outcome = make({f"d{i}": Data() for i in range(n)}, {"m": Method(2.0), "o": Method(1.0)}, 2)
    write_across(outcome)
    page = unescape(finish(outcome, *LEAST, "heat"))
    for name, least in LEAST.items():
        with style.settings():
            exhibit = FIGURES[name](outcome)
        assert (exhibit.figure is None) == (n < least)
        assert (f'<figure data-name="{name}"' in page) == (n >= least)
        assert page.count(f"<p>{exhibit.reason}</p>") == (n < least)
    assert '<figure data-name="heat">' in page
