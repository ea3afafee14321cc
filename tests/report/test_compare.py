"""The page compares any two methods with the same numbers as the library, and copies its tables as it shows them."""

import csv
import io
import json
import re

import numpy as np
import pytest
import studies
from browsing import messages
from cases import each
from scipy import stats
from studies import Data, Method

from linclass.evaluation.comparisons.bayesian import bayesian_signed_rank
from linclass.evaluation.comparisons.control import holm
from linclass.evaluation.comparisons.friedman_test import nemenyi
from linclass.evaluation.comparisons.pairs import pairwise
from linclass.evaluation.comparisons.t_tests import corrected_t_against_control
from linclass.evaluation.comparisons.wilcoxon_test import wilcoxon
from linclass_study.analysis.across_datasets import all_scores
from linclass_study.analysis.comparison_with_control import cost_ratio
from linclass_study.analysis.outcome import median_seconds
from linclass_study.analysis.within_dataset import rope_of
from linclass_study.analysis.wording import cost_words, p_words
from linclass_study.report.method_scores import fold_values

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("chromium")]

FOLDS = 5
HOSTILE = "50% <b>& |_x_| \\{}"
SKILLS = {"best": 3.0, "good": 2.0, "fair": 1.5, "poor": 0.5, HOSTILE: 0.2, "worst": 0.0}
ROUNDING = 1e-5  # of the page's scores


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    data = {f"data_{i}": Data(rows=40 + 10 * i, features=2) for i in range(7)}
    methods = {name: Method(skill) for name, skill in SKILLS.items()}
    methods |= {f"more_{i}": Method(1.0) for i in range(8)}
    made = studies.build(tmp_path_factory.mktemp("study") / "results", data, methods, FOLDS)
    studies.write_page(made)
    return made


@pytest.fixture
def page(open_page, outcome):
    return open_page(outcome.results / "report.html")


def visit(page, hash):
    act(page, f"location.hash = {json.dumps(hash)}")


def act(page, script):
    """Do something that the page answers a moment later."""
    page.evaluate(script)
    page.wait_for_timeout(50)


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)
    page.wait_for_timeout(50)


def text_of(page, selector):
    return page.evaluate(f"document.querySelector('{selector}')?.textContent ?? ''")


def pair_of(page):
    """The compared methods by the address."""
    return page.evaluate("[view.get('a'), view.get('b')]")


def type_into(page, field, text):
    typed = f"field.value = {json.dumps(text)}; field.dispatchEvent(new Event('input'))"
    act(page, f"{{ const field = {field}; field.focus(); {typed}; field.blur(); }}")


PLACES = "[place(methods, {!r}), place(methods, {!r})]"


def compared(page, a, b):
    return page.evaluate(f"comparisonOf(...{PLACES.format(a, b)}, metric())")


@each(("a", "b"), [("best", "fair"), ("fair", "best"), ("worst", HOSTILE)])
def test_intervals_on_a_data_set_are_those_of_the_corrected_t_test(page, outcome, a, b):
    rows = compared(page, a, b)["rows"]
    assert len(rows) == len(outcome.datasets)
    differences = [row["difference"] for row in rows]
    assert differences == sorted(differences, reverse=True)
    for row in rows:
        dataset = list(outcome.datasets)[row["d"]]
        fits = outcome.fits.filter(dataset=dataset, method=a)
        scores = outcome.scores.filter(dataset=dataset, metric="accuracy", protocol="cv")
        (values,) = fold_values(scores, ["accuracy"], [a, b])
        ratio, step = (fits["n_test"] / fits["n_train"]).mean(), 1 / fits["n_test"].mean()
        found = corrected_t_against_control(values.T, 0, ratio, step)
        expected = [found.difference[1], found.lower[1], found.upper[1]]
        shown = [row["difference"], row["low"], row["high"]]
        assert shown == pytest.approx(expected, abs=4 * ROUNDING)


def test_the_numbers_over_data_sets_are_those_of_the_library(page, outcome):
    field = all_scores(outcome).field
    pairs, seconds = pairwise(field.table), median_seconds(outcome.times)
    posterior = bayesian_signed_rank(field.table, rope_of(outcome.evaluation))
    for a, b in (("best", "fair"), ("fair", "best"), ("poor", "good"), ("worst", HOSTILE)):
        found = compared(page, a, b)
        i, j = field.methods.index(a), field.methods.index(b)
        assert found["alone"] == pytest.approx(pairs.p[i, j], rel=1e-9)
        assert found["test"]["p"] == pytest.approx(nemenyi(field.table).p[i, j], rel=1e-3)
        assert found["test"]["words"] == "Nemenyi’s test of all pairs"  # 91 pairs on 7 data sets
        mean, back = found["mean"], compared(page, b, a)["mean"]
        assert mean["difference"] == pytest.approx(pairs.difference[i, j], abs=ROUNDING)
        assert [back["low"], back["high"]] == pytest.approx([-mean["high"], -mean["low"]])
        assert found["posterior"] == pytest.approx([part[i, j] for part in posterior], abs=0.01)
        ratio = cost_ratio(seconds, field.datasets, a, b)
        assert found["ratios"]["mean"] == pytest.approx(ratio, rel=1e-3)
        own, other = page.evaluate(f"{PLACES.format(a, b)}.map((m) => typicalTime(m))")
        assert own / other == pytest.approx(ratio, rel=1e-3)  # of the leaderboard


def test_a_pair_is_compared_by_memory_and_says_which_way_a_loss_is_better(page):
    act(
        page,
        "study.memory.forEach((row, d) => row.fill(100 + d)); go({ a: 'best', b: 'fair', metric: 'log_loss' })",
    )
    most = 99 + page.evaluate("datasets.length")
    assert f"at most {most} MB with best, {most} MB with fair" in text_of(page, "#compare-view")
    assert "how much lower the log loss of best is" in text_of(page, "#compare-view")


def test_methods_of_equal_mean_rank_share_their_place(page):
    places = page.evaluate("""() => {
        const { rank } = study.across.accuracy, before = [...rank];
        rank.fill(2);
        const found = rowsOf(metric()).filter((row) => row.rank !== null).map((row) => row.place);
        before.forEach((value, i) => { rank[i] = value; });
        return found;
    }""")
    assert {*places} == {1}


def differences(seed, n):
    """Multiples of .001 with ties and zeros, around a shift."""
    return np.round(np.random.default_rng(seed).normal(0.004, 0.01, n), 3)


def test_p_values_are_those_of_student_wilcoxon_and_holm(page):
    for n in (2, 5, 12, 40, 100):
        for seed in range(5):
            d = differences(seed, n)
            found = page.evaluate(f"wilcoxon({d.tolist()})")
            assert found == pytest.approx(wilcoxon(d), rel=1e-9), (n, seed)
    assert page.evaluate("wilcoxon([0, 0, 0])") == 1
    for freedom in range(1, 13):
        for t in (0.0, 0.3, 1.7, 4.2, 30.0):
            expected = 2 * stats.t.sf(t, freedom)
            assert page.evaluate(f"studentP({-t}, {freedom})") == pytest.approx(expected, abs=1e-12)
    values = [0.03, 0.001, 0.2, 0.01, 0.01]
    assert page.evaluate(f"holm({values})") == pytest.approx(holm(values))
    for p, shown in ((1, "p = 1"), (0.9999, "p > .999"), (0.0432, "p = .043"), (1e-9, "p < .001")):
        assert page.evaluate(f"pWords({p})") == p_words(p) == shown


@each("rope", [0.0, 0.01])
@each("n", [3, 10, 60])
def test_the_probabilities_are_those_of_the_bayesian_signed_rank_test(page, n, rope):
    d = differences(n, n)
    table = np.column_stack([d, np.zeros(n)])
    expected = [part[0, 1] for part in bayesian_signed_rank(table, rope)]
    assert page.evaluate(f"signedRank({d.tolist()}, {rope})") == pytest.approx(expected, abs=0.01)


def test_methods_on_one_data_set_are_compared_by_its_interval_alone(open_page, tmp_path):
    methods = {"a": Method(3.0), "b": Method(0.0)}
    made = studies.build(tmp_path / "results", {"only": Data(rows=60)}, methods, FOLDS)
    page = open_page(studies.write_page(made))
    (row,) = compared(page, "a", "b")["rows"]
    verdict = text_of(page, "#compare-view .verdict")
    clear = "excludes 0" if row["low"] > 0 else "includes 0, so it may be chance"
    assert verdict.startswith(f"On only a is better than b by {row['difference']:.3f}")
    assert f"The 95 % interval of the difference {clear}." in verdict
    assert page.evaluate("document.querySelector('.posterior, .wins')") is None
    assert messages(page) == []


@each(("posterior", "said"), [
    ([0.99, 0.005, 0.005], "a is very probably better than b on data sets like these."),
    ([0.1, 0.8, 0.1], "a is probably equal to b to within 0.01 on data sets like these."),
    ([0.02, 0.08, 0.9], "a is probably worse than b on data sets like these."),
    ([0.48, 0.5, 0.02], "a is very probably equal to b to within 0.01, or better, on data sets like these."),
    ([0.01, 0.5, 0.49], "a is very probably equal to b to within 0.01, or worse, on data sets like these."),
    ([0.3, 0.6, 0.1], "It is undecided whether a or b is better."),
])  # fmt: skip
def test_the_answer_says_better_equal_or_worse_as_far_as_that_is_certain(page, posterior, said):
    assert page.evaluate(f"answerOf('a', 'b', {{rope: 0.01}}, {posterior})") == said


@each(("ratio", "said"), [
    (5.5, "best takes 5.5 times as long to fit as fair"),
    (1 / 5.5, "fair takes 5.5 times as long to fit as best"),
    (0.0008, "fair takes 1,250 times as long to fit as best"),
    (99.7, "best takes 100 times as long to fit as fair"),
    (1.02, "best and fair take equally long to fit"),
])  # fmt: skip
def test_cost_is_stated_by_the_slower_method(page, ratio, said):
    assert page.evaluate(f"costWords(...{PLACES.format('best', 'fair')}, {ratio})") == said
    assert cost_words("best", "fair", ratio) == said


def test_a_link_to_a_section_keeps_the_view(page):
    visit(page, "#a=fair&b=good")
    page.locator("nav a").first.click()
    page.wait_for_timeout(50)
    assert page.evaluate("location.hash") == "#a=fair&b=good"
    assert text_of(page, "#compare-view figcaption b").startswith("fair against good ")


def test_the_pair_is_in_the_address_and_can_be_swapped(page):
    caption = "#compare-view figcaption b"
    ranked = page.evaluate("order().map((m) => methods[m].name)")
    assert text_of(page, caption).startswith(f"{ranked[0]} against {ranked[1]} ")
    visit(page, "#a=fair&b=good")
    assert text_of(page, caption).startswith("fair against good ")
    page.get_by_role("button", name="Swap").click()
    page.wait_for_timeout(50)
    assert page.evaluate("location.hash") == "#a=good&b=fair"
    assert text_of(page, caption).startswith("good against fair ")
    fields = "[...document.querySelectorAll('.versus input')]"
    assert page.evaluate(f"{fields}.map((field) => field.value)") == ["good", "fair"]
    type_into(page, f"{fields}[1]", "worst")
    assert text_of(page, caption).startswith("good against worst ")


def test_the_comparison_opens_on_the_focus_against_the_best_other_method(page):
    first, second, _, other, focus, *_ = page.evaluate("order()")
    for given, pair in (
        ([], [first, second]),
        ([focus], [focus, first]),
        ([first], [first, second]),
    ):
        assert page.evaluate(f"study.focus = {given}, pairOf(metric())") == pair
    named = f"methods[{other}].name = 'logistic', study.focus = [], pairOf(metric())"
    assert page.evaluate(named) == [first, other]


def test_unknown_names_of_the_address_are_answered_with_the_nearest_ones(page):
    visit(page, "#compare=fare,good")
    assert pair_of(page) == ["fare", "good"]
    said = text_of(page, "#compare-view .unknown")
    assert said.startswith("The study has no method “fare”. Nearest names: fair, ")
    act(page, "document.querySelector('#compare-view .unknown a').click()")
    assert pair_of(page) == ["fair", "good"]
    assert text_of(page, "#compare-view .unknown") == ""
    visit(page, "#data=data3&method=bst&metric=accurac")
    for part, near in (("browser", "data_3"), ("method-view", "best"), ("leaderboard", "accuracy")):
        assert f"Nearest names: {near}, " in text_of(page, f"#{part} .unknown"), part


def test_a_cell_of_the_win_rates_opens_its_pair_by_mouse_or_key(page):
    shown = page.evaluate("order().map((m) => methods[m].name)")
    cells = "document.querySelectorAll('.wins .win')"
    assert page.evaluate(f"{cells}.length") == len(shown) * (len(shown) - 1)
    act(page, f"{cells}[0].dispatchEvent(new MouseEvent('click', {{bubbles: true}}))")
    assert pair_of(page) == shown[:2]
    page.evaluate("document.querySelector('.wins').focus()")
    press(page, "ArrowRight", "ArrowDown", "ArrowDown", "Enter")  # over the diagonal
    assert pair_of(page) == [shown[3], shown[2]]


def test_win_rates_count_a_tie_as_half(page, outcome):
    field = all_scores(outcome).field
    i, j = (field.methods.index(name) for name in ("good", "fair"))
    d, rope = field.table[:, i] - field.table[:, j], rope_of(outcome.evaluation)
    expected = ((d > rope + ROUNDING).sum() + (np.abs(d) <= rope + ROUNDING).sum() / 2) / len(d)
    assert page.evaluate(f"winRate(record(...{PLACES.format('good', 'fair')}))") == expected


# ---- tables

BOX = "document.getElementById('table-leaderboard')"
ROWS = f"[...{BOX}.querySelectorAll('tbody tr:not([hidden])')]"
SHOWN = f"""{ROWS}.map((row) => [...row.cells].filter((cell) => cell.getClientRects().length)
    .map((cell) => cell.querySelector('svg') ? cell.dataset.text
        : (cell.querySelector('a.name') ?? cell).innerText.trim()))"""


def copied(page, kind):
    """What a format puts on the clipboard."""
    page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text }; 0")
    page.evaluate(f"{BOX}.querySelectorAll('.opens')[1].click()")
    page.locator(".popup:popover-open button", has_text=re.compile(f"^{kind}$")).click()
    page.wait_for_timeout(20)
    return page.evaluate("copied")


@pytest.fixture
def narrowed(page):
    """The leaderboard sorted, filtered and with two columns hidden."""
    visit(page, "#sort=-fit-time&hide=behind-the-best notes")
    type_into(page, f"{BOX}.querySelector('.filter')", "o")
    return page


def test_the_address_restores_order_and_columns_of_the_leaderboard(open_page, outcome, page):
    visit(page, "#sort=-fit-time&hide=behind-the-best notes")
    state = f"[...{BOX}.querySelectorAll('thead th')].map((one) => [one.hidden, one.ariaSort])"
    first, order = page.evaluate(state), page.evaluate(SHOWN)
    assert [hidden for hidden, _ in first] == [False, False, True, False, False, False, True]
    assert first[5][1] == "descending"
    page = open_page(outcome.results / "report.html")
    visit(page, "#hide=behind-the-best+notes&sort=-fit-time")
    assert (page.evaluate(state), page.evaluate(SHOWN)) == (first, order)
    act(page, "history.back()")
    assert page.evaluate(f"{BOX}.querySelector('[aria-sort]')") is None


def test_a_grey_method_stands_out_in_the_leaderboard_while_its_view_is_open(page):
    grey = page.evaluate("methods.findIndex((_, m) => !leading.includes(m))")
    name = page.evaluate(f"methods[{grey}].name")
    selected = page.locator("#leaderboard tr.selected .name")
    assert selected.count() == 0
    visit(page, f"#method={name}")
    assert selected.all_text_contents() == [name]
    visit(page, f"#method={page.evaluate('methods[leading[0]].name')}")
    assert selected.count() == 0


def test_columns_that_do_not_decide_are_shown_when_a_reader_chooses_them(page):
    box = page.locator("#table-control")
    box.scroll_into_view_if_needed()
    chooser = box.get_by_role("button", name="Columns")
    chooser.wait_for()
    shown = box.locator("thead th:visible")
    columns = {"Method", "Control", "Method − control", "Method won", "Tied", "Method lost"}
    columns |= {"Fit time, method / control"}
    first = [text.strip() for text in shown.all_text_contents()]
    assert {*first} - columns in (
        {"p (Holm)"},
        {"p (ranks, corrected)"},
        {"p (Holm)", "p (ranks, corrected)"},
    )
    chooser.click()
    box.get_by_role("button", name="All", exact=True).click()
    assert shown.count() == box.locator("thead th").count() > len(first) + 5


def test_drawings_stay_in_line_with_their_axes_where_columns_are_wider(narrowed):
    left = "((one) => one.getBoundingClientRect().left)"
    of_axes = narrowed.evaluate(f"{left}({BOX}.querySelector('thead .axis'))")
    of_cells = narrowed.evaluate(f"{ROWS}.map((row) => {left}(row.querySelector('td > svg')))")
    assert of_cells
    assert of_cells == pytest.approx([of_axes] * len(of_cells), abs=0.5)


def test_csv_has_the_rows_and_columns_that_are_shown(narrowed):
    shown = narrowed.evaluate(SHOWN)
    assert 1 < len(shown) < len(SKILLS) + 8
    head, *rows = csv.reader(io.StringIO(copied(narrowed, "CSV")))
    assert head[:2] == ["Method", "Mean rank"]
    assert "Notes" not in head
    place = head.index("Against best")
    for row, (method, rank, against, *_) in zip(rows, shown, strict=True):
        assert row[:2] == [method, rank]
        if against != "–":
            shown_numbers = re.findall(r"-?\d\.\d+", against.replace("−", "-"))
            assert [f"{float(one):.3f}" for one in row[place : place + 3]] == shown_numbers


def test_markdown_has_the_rows_and_columns_that_are_shown(narrowed):
    head, rule, *lines = copied(narrowed, "Markdown").splitlines()
    assert head == "| Method | Mean rank | Against best | Won / tied / lost | Fit time |"
    assert rule == "| --- | ---: | ---: | ---: | ---: |"
    # of each cell that is shown: its number, what follows, and whether it is marked as significant
    marks = narrowed.evaluate(f"""{ROWS}.map((row) => [...row.cells].filter((cell) => !cell.hidden).map((cell) =>
        [...['b', 'i'].map((tag) => cell.querySelector(tag)?.textContent.trim() ?? ''), cell.matches('.clear')]))""")
    for line, row, of_row in zip(lines, narrowed.evaluate(SHOWN), marks, strict=True):
        expected = [
            f"**{number}** {rest}" if clear else cell
            for cell, (number, rest, clear) in zip(row, of_row, strict=True)
        ]
        assert line.strip("| ").split(" | ") == expected


def test_latex_is_booktabs_with_numbers_as_math(narrowed):
    lines = copied(narrowed, "LaTeX").splitlines()
    assert lines[1:3] == ["\\begin{tabular}{lrrrr}", "\\toprule"]
    assert lines[-2:] == ["\\bottomrule", "\\end{tabular}"]
    body = lines[lines.index("\\midrule") + 1 : -2]
    for line, (_, rank, against, *_) in zip(body, narrowed.evaluate(SHOWN), strict=True):
        assert line.removesuffix(" \\\\").split(" & ")[1] == f"${rank}$"
        interval = against.partition("[")[2].rstrip("]").replace("−", "-")
        assert f"\\ [{interval}]$" in line if interval else " & -- & " in line


def test_names_are_escaped_in_every_format(page):
    assert HOSTILE in [row[0] for row in csv.reader(io.StringIO(copied(page, "CSV")))]
    assert r"50% \<b>& \|\_x\_\| \\{}" in copied(page, "Markdown")
    tex = r"50\% \textless{}b\textgreater{}\& \textbar{}\_x\_\textbar{} \textbackslash{}\{\}"
    assert tex in copied(page, "LaTeX")
    assert page.evaluate("tex('[a]')") == "{[}a]"  # which after a line break would be its height


def test_a_browser_without_a_clipboard_copies_by_its_command(page):
    expected = copied(page, "CSV")
    page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('refused')); 0")
    selected = "window.selected = document.activeElement.value"
    page.evaluate(f"document.addEventListener('copy', () => {{ {selected} }})")
    page.evaluate(f"{BOX}.querySelectorAll('.opens')[1].focus()")
    press(page, "Enter")  # opens the menu
    press(page, "Enter")  # takes its first entry: copying needs a press of a reader
    assert page.evaluate("selected") == expected.replace("\r\n", "\n")  # the value of a field
    assert page.evaluate("document.querySelector('.offscreen')") is None


def test_columns_are_chosen_by_key_and_escape_closes_the_choice(page):
    headings = f"[...{BOX}.querySelectorAll('thead th:not([hidden])')]"
    visible, popups = f"{headings}.map((one) => textOf(one).trim())", page.locator(":popover-open")
    before = page.evaluate(visible)
    page.evaluate(f"{BOX}.querySelector('.opens').focus()")
    press(page, "Enter")
    press(page, "Tab", "Tab", " ")  # from All over None to the first column
    assert page.evaluate(visible) == [before[0], *before[2:]]
    assert popups.count() == 1
    press(page, "Escape")
    assert popups.count() == 0
    assert page.evaluate("document.activeElement.textContent") == "Columns"
    assert page.evaluate("view.get('hide')") == "mean-rank"


def test_each_table_has_its_tools_once(page):
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.wait_for_timeout(200)
    tables = page.locator(".tabled").all()
    assert {table.locator("> .tools").count() for table in tables} <= {0, 1}
    assert page.evaluate(f"{BOX}.querySelectorAll('.tools').length") == 1
