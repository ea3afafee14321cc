"""The report in a real browser, from a file and without a network: complete, without errors, interactive."""

import csv
import io

import chromium
import page_laws
import pytest
import studies
from cases import each
from studies import Data, Method

from linclass_study.report.contents import FIGURES

pytestmark = [chromium.needs_chromium, pytest.mark.slow, pytest.mark.xdist_group("chromium")]

HOSTILE = "<img src=x onerror=alert(1)>"
METHODS = 34  # more than a long table shows at first


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    """Names and reasons that are markup, a long table, and every kind of ending."""
    data = {
        "plane": Data(rows=40, features=2),
        HOSTILE.replace("/", ""): Data((HOSTILE, "b"), 40, 3, official=20),
        "gone": Data(unavailable=f"no source {HOSTILE}"),
    }
    methods = {f"method_{i}": Method(3.0 - i / 12) for i in range(METHODS - 3)}
    methods |= {
        HOSTILE: Method(1.0, probabilities=False),
        "dead": Method(everywhere=("failed", f"raised {HOSTILE}")),
        "slow": Method(everywhere=("max_iter", "not within 1e-4 after 100 steps")),
    }
    results = tmp_path_factory.mktemp("study") / "results"
    made = studies.build(results, data, methods, folds=2)
    (results / "report.html").write_text(
        studies.finish(made, *FIGURES, pictures=True), encoding="utf-8"
    )
    return made


@pytest.fixture(scope="module")
def page(outcome):
    return outcome.results / "report.html"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with chromium.browser(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


@pytest.fixture
def opened(browser, page):
    browser.open(page)
    return browser


@each("law", page_laws.LAWS, ids=lambda law: law.__name__)
def test_the_report_keeps_the_laws_of_pages(browser, page, law):
    law(browser, page)


def column(browser, table, place):
    """Cells of the rows that are shown."""
    rows = f"document.querySelectorAll('[id=\"table-{table}\"] tbody tr:not([hidden])')"
    return browser.run(f"[...{rows}].map(row => row.cells[{place}].textContent.trim())")


def marked(browser, table, place):
    """Methods whose cell is the best of its column."""
    cells = f"document.querySelectorAll('[id=\"table-{table}\"] td:nth-child({place + 1}).best')"
    return set(browser.run(f"[...{cells}].map(cell => cell.parentNode.cells[0].textContent)"))


def numbers(cells):
    return [float(cell.split()[0].replace("−", "-")) for cell in cells if not cell.startswith("–")]


TOOL = "document.querySelector('[id=\"table-{}\"] {}')"


def come_to(browser, table):
    """Tables begin to work when they are near the window."""
    browser.run(f"document.getElementById('table-{table}').scrollIntoView()")
    browser.run(f"""new Promise(done => {{ const look = () =>
        document.getElementById('table-{table}').dataset.ready ? done() : setTimeout(look, 20); look(); }})""")


def test_a_heading_sorts_both_ways_by_mouse_or_key_and_announces_it(opened):
    heading = TOOL.format("compared", "th:nth-child(2)")
    first = column(opened, "compared", 0)
    opened.run(f"{heading}.querySelector('button').click()")
    assert opened.run(f"{heading}.getAttribute('aria-sort')") == "descending"
    down = numbers(column(opened, "compared", 1))
    assert down == sorted(down, reverse=True)
    assert column(opened, "compared", 0) != first
    opened.run(f"{heading}.querySelector('button').focus()")
    opened.press("Enter")
    assert opened.run(f"{heading}.getAttribute('aria-sort')") == "ascending"
    up = numbers(column(opened, "compared", 1))
    assert up == sorted(up)
    assert up[0] <= down[-1]  # of all rows, also of those not shown
    opened.run(TOOL.format("compared", "th:first-child button") + ".click()")
    assert opened.run(f"{heading}.getAttribute('aria-sort')") is None
    names = column(opened, "compared", 0)[2:]
    assert names == [f"method_{i}" for i in range(len(names))]  # 2 before 10


def test_dashes_stay_last_whichever_way_is_sorted(opened):
    come_to(opened, "performance-plane")
    log_loss = TOOL.format("performance-plane", "th:nth-child(7) button")
    opened.run(TOOL.format("performance-plane", ".more-rows") + ".click()")
    for _ in range(2):
        opened.run(f"{log_loss}.click()")
        cells = column(opened, "performance-plane", 6)
        assert cells[-2:] == ["–", "–"]  # without probabilities, and what failed
        assert not any(cell.startswith("–") for cell in cells[:-2])


def test_a_filter_keeps_rows_by_the_words_of_their_names_and_reports_how_many(opened):
    def typed(text):
        field = TOOL.format("compared", ".filter")
        opened.run(f"{field}.value = {text!r}; {field}.dispatchEvent(new Event('input'))")
        return column(opened, "compared", 0)

    status = TOOL.format("compared", ".status-of-rows") + ".textContent"
    assert typed("METHOD_1") == ["method_1", *(f"method_{i}" for i in range(10, 20))]
    assert opened.run(status) == f"11 of {METHODS} shown"
    assert typed("no such method") == []
    assert opened.run(status) == f"0 of {METHODS} shown"
    assert typed("<img") == [HOSTILE]
    assert len(typed("")) == 25


def test_a_long_table_states_how_much_it_shows_and_can_show_all(opened):
    status = TOOL.format("compared", ".status-of-rows") + ".textContent"
    assert len(column(opened, "compared", 0)) == 25
    assert opened.run(status) == f"25 of {METHODS} shown"
    opened.run(TOOL.format("compared", ".more-rows") + ".click()")
    assert len(column(opened, "compared", 0)) == METHODS
    assert opened.run(status) == ""


def test_the_chosen_metric_is_shown_with_the_numbers_of_its_own_table(opened, outcome):
    """All methods on all data sets by AUC are the column AUC of each data set's table."""

    def by_name(table, place):
        come_to(opened, table)
        opened.run(TOOL.format(table, ".more-rows") + ".click()")
        return dict(zip(column(opened, table, 0), column(opened, table, place), strict=True))

    accuracy = by_name("compared", 1)
    choice = TOOL.format("compared", ".choice")
    for metric, place in (("AUC", 5), ("log loss", 6), ("accuracy", 1)):
        opened.run(f"{choice}.value = '{metric}'; {choice}.dispatchEvent(new Event('change'))")
        assert opened.run(TOOL.format("compared", "h3") + ".textContent").endswith(f"by {metric}")
        assert by_name("compared", 1) == by_name("performance-plane", place)
        best = marked(opened, "performance-plane", place)
        assert best
        assert marked(opened, "compared", 1) == best
    assert by_name("compared", 1) == accuracy


def test_the_theme_is_the_readers_choice_and_outlives_the_page(opened, page):
    paper = "getComputedStyle(document.body).backgroundColor"
    light = opened.run(paper)
    theme = "document.querySelector('.theme')"
    choose = f"{theme}.value = '{{}}'; {theme}.dispatchEvent(new Event('change'))"
    opened.run(choose.format("dark"))
    dark = opened.run(paper)
    assert dark != light
    opened.open(page)
    assert opened.run(paper) == dark
    opened.run(choose.format("light"))
    opened.media("", dark=True)
    assert opened.run(paper) == light
    opened.run(choose.format("auto"))
    assert opened.run(paper) == dark


def test_a_table_is_saved_as_shown_and_is_valid_csv(opened):
    box = TOOL.format("compared", "th:nth-child(2) button")
    opened.run(f"{box}.click()")
    file = opened.downloaded(TOOL.format("compared", ".csv") + ".click()")
    assert file.name == "compared.csv"
    rows = list(csv.reader(io.StringIO(file.read_text(encoding="utf-8-sig"))))
    assert rows[0][:3] == ["Method", "plane", "plane ±"]
    assert {len(row) for row in rows} == {len(rows[0])}
    assert len(rows) == METHODS + 1  # also those that are not shown
    assert HOSTILE in [row[0] for row in rows]
    values = [float(row[1]) for row in rows[1:] if row[1]]
    assert values == sorted(values, reverse=True)
    shown = column(opened, "compared", 1)
    assert [f"{row[1]} ± {row[2]}" for row in rows[1:26]] == shown


def test_a_reason_is_saved_in_full(opened):
    come_to(opened, "failures")
    file = opened.downloaded(TOOL.format("failures", ".csv") + ".click()")
    rows = list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8-sig"))))
    assert {f"no source {HOSTILE}", f"raised {HOSTILE}"} <= {row["Reason"] for row in rows}


def test_a_figure_is_saved_as_a_standalone_drawing(opened, browser):
    file = opened.downloaded("document.querySelector('figure .svg').click()")
    drawn = file.read_text(encoding="utf-8")
    assert drawn.startswith("<svg")
    assert "var(" not in drawn
    browser.ask("Page.navigate", url=file.as_uri())
    browser.run("new Promise(done => setTimeout(done, 200))")
    assert browser.run("document.documentElement.tagName") == "svg"


def test_a_link_opens_the_section_it_points_to(opened, page):
    opened.open(page)
    closed = "document.querySelectorAll('#data-1, #data-2')[1].closest('section').querySelector('details').open"
    assert opened.run(closed) is False
    opened.run("location.hash = '#data-2'")
    opened.run("new Promise(done => setTimeout(done, 100))")
    assert opened.run(closed) is True


def test_names_and_reasons_of_users_are_words(opened):
    opened.run(page_laws.OPEN_ALL)
    assert opened.run("document.querySelectorAll('img').length") == 0
    assert opened.run("document.body.textContent.split('<img src=x onerror=alert(1)>').length") > 10
    assert not [message for message in opened.messages if "dialog" in message]
