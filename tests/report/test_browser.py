"""The report in a real browser, from a file and without a network: complete, without errors, interactive."""

import csv
import io

import page_laws
import pytest
import studies
from browsing import messages
from cases import each
from studies import Data, Method

from linclass_study.report.contents import FIGURES

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("chromium")]

HOSTILE = "<img src=x onerror=alert(1)>"
DRAWING = "svg => [svg.getAttribute('viewBox'), svg.children.length, svg.style.cssText]"
PARTS = "svg => [...svg.querySelectorAll(':scope > svg')].map(one => one.getAttribute('viewBox'))"
METHODS = 34  # more than a long table shows at first


@pytest.fixture(scope="module")
def path(tmp_path_factory):
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
    path = results / "report.html"
    path.write_text(studies.finish(made, *FIGURES, pictures=True), encoding="utf-8")
    return path


@pytest.fixture
def page(open_page, path):
    return open_page(path)


@each("law", page_laws.LAWS, ids=lambda law: law.__name__)
def test_the_report_keeps_the_laws_of_pages(open_page, path, law):
    law(open_page, path)


def test_axe_core_finds_no_violation_in_the_report(open_page, path, axe):
    page_laws.has_no_violations_of_axe_core(open_page, path, axe)


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
        assert cells[-2:] == ["–", "–"]  # without probabilities, and what failed
        assert not any(cell.startswith("–") for cell in cells[:-2])


def test_a_filter_keeps_rows_by_the_words_of_their_names_and_reports_how_many(performance):
    for typed, status, names in (
        (
            "METHOD_1",
            f"11 of {METHODS} shown",
            {"method_1", *(f"method_{i}" for i in range(10, 20))},
        ),
        ("no such method", f"0 of {METHODS} shown", set()),
        ("<img", f"1 of {METHODS} shown", {HOSTILE}),
    ):
        performance.box.get_by_label("Filter rows").fill(typed)
        assert {*performance.column(0)} == names
        assert performance.status.text_content() == status
    performance.box.get_by_label("Filter rows").fill("")
    assert len(performance.column(0)) == 25


def test_a_long_table_states_how_much_it_shows_and_can_show_all(performance):
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


def test_a_table_is_saved_as_shown_and_is_valid_csv(performance):
    performance.sort(1)
    performance.more.click()
    name, rows = performance.saved()
    assert name == "performance-plane.csv"
    assert {len(row) for row in rows} == {len(rows[0])}
    assert [row[0] for row in rows[1:]] == performance.column(0)
    assert HOSTILE in performance.column(0)
    values = [float(row[1]) for row in rows[1:] if row[1]]
    assert values == sorted(values, reverse=True)


def test_a_reason_is_saved_in_full(page):
    _, (head, *rows) = Table(page, "failures").saved()
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
    before = (
        open_page(path, hash="#data=plane&tab=roc")
        .locator("#tab-panel svg")
        .first.evaluate(DRAWING)
    )
    columns = 0
    for tab in ("methods", "roc", "precision_recall", "confusion"):
        page = open_page(path, hash=f"#data=plane&tab={tab}", width=390)
        assert page.locator("#tab-panel figure").count() == 1, tab
        wide = "box => box.scrollWidth > box.clientWidth + 1"
        assert not page.locator("#tab-panel .scroll").first.evaluate(wide), tab
        drawn = page.locator("#tab-panel svg").first
        if ends := drawn.get_attribute("data-columns"):
            margin, top, bottom, *_, left = (float(end) for end in ends.split()[:7])
            parts = [[float(x) for x in box.split()] for box in drawn.evaluate(PARTS)]
            strips = [box for box in parts if box[1] == top and box[0] >= left]
            ended = [x + width for x, _, width, _ in strips[:-1]]
            assert [box[0] for box in strips[1:]] == pytest.approx(ended)
            assert strips[0][0] == margin == left
            assert strips[-1][0] + strips[-1][2] == pytest.approx(float(ends.split()[-1]))
            assert all(box[3] == pytest.approx(bottom - top) for box in strips)
            columns += len(strips)
    assert columns >= 8
    page = open_page(path, hash="#data=plane&tab=roc", width=390)
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
