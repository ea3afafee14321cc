"""The pages in a real browser, from a file and without a network: complete, without errors, interactive."""

import csv
import io
import json
import re
import shutil
from unittest import mock

import large_study
import page_laws
import pytest
import studies
from browsing import messages
from cases import each
from studies import Data, Method

from linclass_study.report import page as report_page
from linclass_study.report.contents import FIGURES
from linclass_study.report.table import make_tables
from linclass_study.textbook import course, textbook_page
from linclass_study.textbook.course import script_names
from linclass_study.textbook.published import compare_published
from linclass_study.textbook.script import run_script

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("chromium")]

HOSTILE = "<img src=x onerror=alert(1)>"
DRAWING = "svg => [svg.getAttribute('viewBox'), svg.children.length, svg.style.cssText]"
PARTS = "svg => [...svg.querySelectorAll(':scope > svg')].map(one => one.getAttribute('viewBox'))"
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
    return studies.build(tmp_path_factory.mktemp("study") / "results", data, methods, folds=2)


@pytest.fixture(scope="module")
def path(outcome):
    return studies.write_page(outcome, *FIGURES, pictures=True)


@pytest.fixture
def page(open_page, path):
    return open_page(path)


@pytest.fixture(scope="module")
def pages(path, textbook):
    return {"report": path, "textbook": textbook}


@each("name", ["report", "textbook"])
@each("law", page_laws.LAWS, ids=lambda law: law.__name__)
def test_every_page_keeps_the_laws_of_pages(open_page, pages, law, name):
    law(open_page, pages[name])


@each("name", ["report", "textbook"])
def test_axe_core_finds_no_violation(open_page, pages, axe, name):
    page_laws.has_no_violations_of_axe_core(open_page, pages[name], axe)


@pytest.fixture(scope="module")
def large(outcome, path):
    """The same study on a page to which scripts add parts when they are wanted."""
    with mock.patch.object(report_page, "LARGE", 0):
        text = report_page.report(outcome, make_tables(outcome), studies.MACHINE, ["my study.yaml"])
    written = path.with_name("large.html")
    written.write_text(text, encoding="utf-8")
    return written


@each("law", page_laws.OF_LARGE_PAGES, ids=lambda law: law.__name__)
def test_large_pages_are_complete_on_screen_on_paper_and_without_scripts(open_page, large, law):
    law(open_page, large)


def test_a_link_into_a_part_that_scripts_add_opens_it(open_page, large):
    page = open_page(large)
    assert page.locator("#table-endings-plane").count() == 0
    page.evaluate("location.hash = 'table-endings-plane'")
    Table(page, "endings-plane").sort(1)
    assert page.locator("#table-endings-plane").is_visible()
    before = page.locator("noscript").count()
    page = open_page(large, hash="#data=plane&tab=tables")
    page.locator("#browser").scroll_into_view_if_needed()
    assert page.locator("#tab-panel #table-performance-plane").is_visible()
    assert 0 < page.locator("noscript").count() <= before


class Table:
    """A table of the page as its reader uses it."""

    def __init__(self, page, name):
        self.page, self.box = page, page.locator(f"[id='table-{name}']")
        self.box.scroll_into_view_if_needed()  # tables begin to work when they are near the window
        self.more = self.box.get_by_role("button", name="Show all")
        self.status = self.box.get_by_role("status")

    def heading(self, place):
        return self.box.locator(f"thead th:nth-child({place + 1})")

    def sort(self, place):
        self.heading(place).get_by_role("button").click()

    def column(self, place):
        """Cells of the rows that are shown."""
        cells = self.box.locator(f"tbody tr:not([hidden]) > :nth-child({place + 1})")
        return [text.strip() for text in cells.all_text_contents()]

    def saved(self):
        """The file of the button CSV."""
        self.box.get_by_role("button", name="Copy").click()
        with self.page.expect_download() as download:
            self.page.get_by_role("button", name="Save as CSV file").click()
        text = download.value.path().read_text(encoding="utf-8-sig")
        return download.value.suggested_filename, list(csv.reader(io.StringIO(text)))


@pytest.fixture
def performance(open_page, path):
    return Table(open_page(path, hash="#data=plane&tab=tables"), "performance-plane")


def numbers(cells):
    return [float(cell.split()[0].replace("−", "-")) for cell in cells if not cell.startswith("–")]


def test_a_heading_sorts_both_ways_by_mouse_or_key_and_announces_it(performance):
    first = performance.column(0)
    performance.sort(1)
    assert performance.heading(1).get_attribute("aria-sort") == "descending"
    down = numbers(performance.column(1))
    assert down == sorted(down, reverse=True)
    performance.heading(1).get_by_role("button").press("Enter")
    assert performance.heading(1).get_attribute("aria-sort") == "ascending"
    up = numbers(performance.column(1))
    assert up == sorted(up)
    assert up[0] <= down[-1]  # of all rows, also of those not shown
    assert performance.column(0) != first
    performance.sort(0)
    assert performance.heading(1).get_attribute("aria-sort") is None
    names = performance.column(0)[2:]
    assert names == [f"method_{i}" for i in range(len(names))]  # 2 before 10


def test_dashes_stay_last_whichever_way_is_sorted(performance):
    performance.more.click()
    for _ in range(2):
        performance.sort(6)
        cells = performance.column(6)
        # without probabilities, and what failed
        assert [cell.startswith("–") for cell in cells] == [False] * (METHODS - 2) + [True] * 2


def test_a_filter_keeps_rows_by_the_words_of_their_names_and_reports_how_many(performance):
    ones = {"method_1", *(f"method_{i}" for i in range(10, 20))}
    for typed, names in (("METHOD_1", ones), ("no such method", set()), ("<img", {HOSTILE})):
        performance.box.get_by_label("Filter rows").fill(typed)
        assert {*performance.column(0)} == names
        assert performance.status.text_content() == f"{len(names)} of {METHODS} shown"
    performance.box.get_by_label("Filter rows").fill("")
    assert len(performance.column(0)) == 25
    assert performance.status.text_content() == f"25 of {METHODS} shown"
    performance.more.click()
    assert len(performance.column(0)) == METHODS
    assert performance.status.text_content() == ""


def test_the_theme_is_the_readers_choice_and_outlives_the_page(page):
    paper = "getComputedStyle(document.body).backgroundColor"
    theme = page.get_by_label("Theme")
    light = page.evaluate(paper)
    theme.select_option("dark")
    dark = page.evaluate(paper)
    assert dark != light
    page.reload()
    assert page.evaluate(paper) == dark
    theme.select_option("light")
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(paper) == light
    theme.select_option("auto")
    assert page.evaluate(paper) == dark


def test_a_table_is_saved_as_shown_in_valid_csv_with_reasons_in_full(performance):
    performance.sort(1)
    performance.more.click()
    name, (head, *rows) = performance.saved()
    assert name == "performance-plane.csv"
    assert {len(row) for row in rows} == {len(head)}
    assert [row[0] for row in rows] == performance.column(0)
    values = [float(row[1]) for row in rows if row[1]]
    assert values == sorted(values, reverse=True)
    name, (head, *rows) = Table(performance.page, "failures").saved()
    assert name == "failures.csv"
    assert {len(row) for row in rows} == {len(head)}
    reasons = {row[head.index("Reason")] for row in rows}
    assert {f"no source {HOSTILE}", f"raised {HOSTILE}"} <= reasons


def test_a_figure_is_saved_as_a_standalone_drawing(page):
    with page.expect_download() as download:
        page.get_by_role("button", name="SVG").first.click()
    drawn = download.value.path().with_suffix(".svg")
    download.value.save_as(drawn)
    text = drawn.read_text(encoding="utf-8")
    assert text.startswith("<svg")
    assert "var(" not in text
    page.goto(drawn.as_uri())
    assert page.evaluate("document.documentElement.tagName") == "svg"
    assert messages(page) == []


def test_a_phone_shows_columns_of_panels_below_each_other_and_paper_beside_each_other(
    open_page, path
):
    """No figure scrolls sideways; the parts together are all columns, and printing puts back the drawing as it was."""
    page = open_page(path, hash="#data=plane&tab=roc")
    before = page.locator("#tab-panel svg").first.evaluate(DRAWING)
    columns = 0
    for tab in ("methods", "precision_recall", "confusion", "roc"):
        page = open_page(path, hash=f"#data=plane&tab={tab}", width=390)
        assert page.locator("#tab-panel figure").count() == 1, tab
        wide = "box => box.scrollWidth > box.clientWidth + 1"
        assert not page.locator("#tab-panel .scroll").first.evaluate(wide), tab
        drawn = page.locator("#tab-panel svg").first
        if ends := drawn.get_attribute("data-columns"):
            margin, top, bottom, *_, left = (float(end) for end in ends.split()[:7])
            parts = [[float(x) for x in box.split()] for box in drawn.evaluate(PARTS)]
            strips = [box for box in parts if box[1] == top and box[0] >= left]
            ended = [x + width for x, _, width, _ in strips]
            assert [box[0] for box in strips[1:]] == pytest.approx(ended[:-1])
            assert strips[0][0] == margin == left
            assert ended[-1] == pytest.approx(float(ends.split()[-1]))
            assert all(box[3] == pytest.approx(bottom - top) for box in strips)
            columns += len(strips)
    assert columns >= 8
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    own = page.locator("section.dataset figure[data-name=roc-plane] svg").first
    assert own.evaluate(DRAWING) == before
    page.evaluate("dispatchEvent(new Event('afterprint'))")


def test_names_and_reasons_of_users_are_words(page):
    dialogs = []
    page.on("dialog", lambda dialog: dialogs.append(dialog.message) or dialog.dismiss())
    page.reload()
    page.evaluate(page_laws.OPEN_ALL)
    assert page.locator("img").count() == 0
    assert page.evaluate("document.body.textContent").count(HOSTILE) > 10
    assert not dialogs


@pytest.fixture(scope="module")
def textbook(tmp_path_factory):
    """Three exhibits as they are, one that cannot be had, and sources that are markup."""
    scripts, out = tmp_path_factory.mktemp("scripts"), tmp_path_factory.mktemp("study") / "textbook"
    names = ["geometry", "many_data_sets", "natural_parameters"]
    with pytest.MonkeyPatch.context() as patch:
        for name in ("LINCLASS_TEXTBOOK", "LINCLASS_MIRRORS", "LINCLASS_DOWNLOADS"):
            patch.setenv(name, "")
        for name in names:
            shutil.copy(course.script(name), scripts)
        (scripts / "gone.py").write_text(
            f'"""Gone {HOSTILE}.\n\nSee nobody (2001).\n"""\n'
            "from linclass_study.textbook import file\n\nfile('no_such_file')\n"
        )
        (scripts / "course.yaml").write_text(json.dumps({HOSTILE: [*names, "gone"]}))
        patch.setattr(course, "FOLDER", scripts)
        for name in script_names():
            run_script(name, out)
        own = {"exhibit": "geometry", "source": HOSTILE, "tolerance": 0.1, "reason": HOSTILE}
        entries = [
            own | {"numbers": {"distances.0": 9.0}},
            own | {"numbers": {"distances.1": 9.0}, "instead": {"distances.1": -1.53}},
            own | {"exhibit": "gone", "numbers": {"a.b": 1.0}},
        ]
        (scripts / "published.yaml").write_text(json.dumps(entries))
        checks = compare_published(out, scripts / "published.yaml")
        assert {check.status for check in checks} == {"differs", "missed", "unavailable"}
        (out / "textbook.html").write_text(textbook_page.page(out, checks), encoding="utf-8")
    return out / "textbook.html"


def test_a_page_of_100_methods_on_200_data_sets_is_below_20_mb_and_works(open_page, tmp_path):
    outcome = large_study.build(tmp_path / "results", 100, 200)
    large_study.report(outcome)
    path = outcome.results / "report.html"
    assert path.stat().st_size < 20e6
    page = open_page(path)
    board = page.locator("#table-leaderboard")
    for heading in ("Fit time", "Method", "Won"):
        board.locator("thead button", has_text=re.compile(f"^{heading}")).click()
        board.locator("th[aria-sort]", has_text=heading).wait_for()
    assert board.get_by_role("status").text_content() == "25 of 100 shown"
    assert board.locator("tbody tr").count() == 100
    page = open_page(path, hash="#data=data_199")
    assert page.locator("#table-browser tbody tr").count() == 100
    assert messages(page) == []
