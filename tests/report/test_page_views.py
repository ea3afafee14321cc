"""The views of one data set and of one method, which the page's scripts draw from its data, figures and tables."""

import csv
import json
import re
from dataclasses import replace

import page_laws
import polars as pl
import pytest
import studies
from cases import each
from studies import Data, Method

from linclass_study.analysis.aggregate import write_across
from linclass_study.report.contents import FIGURES

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("chromium")]

FOLDS = 4
SIMPLE = 11  # data sets beyond the named ones
DATA = {
    "plane": Data(rows=48, features=2),
    "three": Data(("<b>x</b>", "y", "z"), rows=48, features=3),
    "gone": Data(unavailable="no source <b>at all</b>"),
    **{f"simple_{i}": Data(rows=48, features=3) for i in range(SIMPLE)},
}
METHODS = {
    "good": Method(3.0),
    "tuned": Method(2.5),
    "fair": Method(1.5, probabilities=False),
    "halting": Method(2.0, endings={1: ("failed", "raised")}),
    "slow": Method(1.0, everywhere=("max_iter", "not within 1e-4"), only=("plane",)),
}
STRENGTHS = [0.01, 0.01, 1.0, 100.0]  # of the folds; 0.01 and 100 are the ends of the grid
WHOLE = [name for name in METHODS if name != "halting"]
COMPARED = [name for name in DATA if name != "gone"]


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    made = studies.build(tmp_path_factory.mktemp("study") / "results", DATA, METHODS, FOLDS)
    grid = {"strength": {"logspace": [-2, 2, 5]}}
    entry = {"classifier": "linclass.LogisticRegression", "tune": grid}
    made = replace(made, methods=made.methods | {"tuned": entry})
    chosen = [
        json.dumps({"strength": STRENGTHS[fold]}) if method == "tuned" else "{}"
        for method, fold in made.fits.select("method", "fold").iter_rows()
    ]
    made = studies.put_fits(made, params=pl.Series(chosen))
    write_across(made)
    studies.write_page(made, *FIGURES)
    return made


@pytest.fixture
def opened(open_page, outcome):
    """Opens the page at a view."""
    path = outcome.results / "report.html"
    return lambda hash="", **options: open_page(path, hash=hash, **options)


def read(outcome, table):
    """The rows of a file of tables/ by method."""
    with (outcome.results / "tables" / f"{table}.csv").open(encoding="utf-8") as file:
        return {row["method"]: row for row in csv.DictReader(file)}


def rows(page, table):
    """Texts of the cells of a table's rows by their first cell, without the number before a method."""
    found = page.locator(f"#table-{table} tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.cells].map(cell => cell.textContent.trim()))"
    )
    return {re.sub(r"^\d+", "", name): cells for name, *cells in found}


def numbers(text):
    return [float(one) for one in re.findall(r"[-+]?\d+\.\d+", text.replace("−", "-"))]


def rounded(*values):
    return [float(f"{float(value):.3f}") for value in values]


def agree(shown, row, metric):
    """A row's mean, sd and difference to the best are those of the file `performance-…`, in which what is behind the
    best has the other sign; up to the page's rounding of scores."""
    score, difference = shown
    expected = rounded(row[metric], row[f"{metric}_sd"])
    assert numbers(score) == pytest.approx(expected, abs=1.1e-3)
    if difference is not None and row["behind_low"]:
        behind = [-float(row[name]) for name in ("behind", "behind_high", "behind_low")]
        assert numbers(difference) == pytest.approx(behind, abs=6e-4)


def test_the_methods_of_a_data_set_have_the_numbers_of_its_files(opened, outcome):
    for name in COMPARED:
        page = opened(f"#data={name}")
        shown = rows(page, "browser")
        performance = read(outcome, f"performance-{name}")
        assert set(shown) == set(METHODS)
        assert [*shown][: len(WHOLE)] == [*performance][: len(WHOLE)]  # best first
        for method in WHOLE:
            agree(shown[method][:2], performance[method], "accuracy")
        assert shown[next(iter(performance))][1] == "best"
        expected = rounded(performance["halting"]["accuracy"])
        assert numbers(shown["halting"][0]) == pytest.approx(expected, abs=1.1e-3)
        bold = page.locator("#table-browser td.clear").count()
        significant = read(outcome, f"differences-{name}").values()
        assert bold == sum(float(row["p_holm"]) < 0.05 for row in significant)


def test_the_whole_view_is_of_the_metric_of_the_page(opened, outcome):
    shown = rows(opened("#data=plane&metric=log_loss"), "browser")
    performance = read(outcome, "performance-plane")
    loss = {name: float(performance[name]["log_loss"] or "nan") for name in WHOLE if name != "fair"}
    assert [*shown][: len(loss)] == sorted(loss, key=loss.get)
    for method in loss:
        agree((shown[method][0], None), performance[method], "log_loss")
    assert shown["fair"][0] == "–"
    page = opened("#metric=log_loss")
    assert "by log loss over" in page.locator("h1").text_content()
    assert "tunes methods for accuracy" in page.locator("#of-metric").text_content()
    page.locator("#metric").select_option("accuracy")
    expect(page.locator("h1")).to_contain_text("by accuracy over")
    expect(page.locator("#of-metric")).to_be_hidden()
    of_method = rows(opened("#method=tuned&metric=log_loss"), "method")
    assert of_method["plane"][0] == shown["tuned"][0]


def test_the_view_of_a_method_has_the_numbers_of_the_files_of_all_data_sets(opened, outcome):
    for method in WHOLE:
        shown = rows(opened(f"#method={method}"), "method")
        assert [*shown] == [*DATA]
        for name in COMPARED:
            performance = read(outcome, f"performance-{name}")
            agree((shown[name][0], shown[name][2]), performance[method], "accuracy")
            means = {other: float(performance[other]["accuracy"]) for other in WHOLE}
            better = sum(mean > means[method] + 1e-9 for mean in means.values())
            assert shown[name][1] == f"{better + 1} of {len(WHOLE)}"


def test_notes_tell_how_fits_ended_and_which_values_are_ends_of_grids(opened):
    notes = {name: cells[-1] for name, cells in rows(opened("#data=plane"), "browser").items()}
    assert notes == {
        "good": "",
        "tuned": f"2/{FOLDS} lowest strength, 1/{FOLDS} highest strength",
        "fair": "",
        "halting": f"1/{FOLDS} failed",
        "slow": f"{FOLDS}/{FOLDS} at the iteration limit",
    }
    page = opened("#method=tuned")
    marks = page.locator("figure[data-name=tuned-tuned-strength] title").all_text_contents()
    of_plane = sorted(mark for mark in marks if mark.startswith("plane"))
    assert of_plane == [
        "plane: 0.01 in 2 folds, the lowest of its grid",
        "plane: 1 in 1 fold",
        "plane: 100 in 1 fold, the highest of its grid",
    ]
    assert len(marks) == 3 * len(COMPARED)


def test_a_method_is_described_by_its_docstring_and_its_entry(opened):
    view = opened("#method=tuned").locator("#method-view")
    assert view.locator("pre").inner_text().startswith("Logistic regression:")
    names, texts = (view.locator(tag).all_text_contents() for tag in ("dt", "dd"))
    facts = dict(zip(names, texts, strict=True))
    assert facts["Classifier"] == "linclass.LogisticRegression"
    assert facts["Tuned"] == "strength: logspace: -2, 2, 5"
    assert facts["Reference"].startswith("Hastie, Tibshirani")


def test_arrow_keys_move_along_the_data_sets(opened):
    page = opened("#method=fair")
    links = page.locator("#browser-list a")
    assert links.evaluate_all("links => links.map(link => link.tabIndex)").count(0) == 1
    links.first.focus()
    length = page.evaluate("history.length")
    names = [*DATA]
    steps = [("ArrowDown", 1), ("ArrowDown", 2), ("ArrowUp", 1), ("End", -1), ("ArrowDown", -1)]
    for key, place in [*steps, ("Home", 0), ("ArrowUp", 0), ("ArrowRight", 1)]:
        page.keyboard.press(key)
        page.wait_for_function(f"location.hash.includes('data={names[place]}')")
        expect(page.locator("#browser-detail h3")).to_have_text(names[place])
        selected = page.locator("#browser-list [aria-current]").get_attribute("href")
        assert re.search(r"data=(\w+)", selected)[1] == names[place], key
        assert page.evaluate("document.activeElement.dataset.d") == str(names.index(names[place]))
        assert "method=fair" in page.url
    assert page.locator("#method-view h3").inner_text().startswith("fair")
    assert page.evaluate("history.length") == length  # going back leaves the page


def test_a_tab_shows_the_figure_itself_and_gives_it_back(opened):
    page = opened("#data=plane&tab=roc")
    inside = page.locator("#tab-panel figure")
    of_data_sets = page.locator("section.dataset figure")
    before = of_data_sets.count()

    def home(name):
        return page.locator(f'section.dataset figure[data-name="{name}"]').count()

    assert inside.get_attribute("data-name") == "roc-plane"
    page.get_by_role("tab", name="ROC").press("ArrowRight")
    page.wait_for_function("location.hash.includes('precision_recall')")
    expect(inside).to_have_attribute("data-name", "precision_recall-plane")
    assert page.get_by_role("tab", selected=True).inner_text() == "Precision–recall"
    assert page.evaluate("document.activeElement.id") == "tab-precision_recall"
    page.locator("#browser-list a", has_text="three").click()
    expect(inside).to_have_attribute("data-name", "precision_recall-three")  # the tab is kept
    for name in ("roc-plane", "precision_recall-plane", "precision_recall-three"):
        assert page.locator(f'figure[data-name="{name}"]').count() == 1
    assert (home("roc-plane"), home("precision_recall-three")) == (1, 0)
    assert of_data_sets.count() == before
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert home("precision_recall-three") == 1
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert inside.get_attribute("data-name") == "precision_recall-three"


@each("width", [1280, 768, 390])
def test_all_figures_and_tables_of_a_data_set_can_be_reached_and_fit_the_window(opened, width):
    page = opened("#data=plane&method=tuned", width=width)
    own = "section.dataset[aria-labelledby=data-1]"
    names = "all => all.map(one => one.dataset.name ?? one.id)"
    figures = page.locator(f"{own} figure[data-name]").evaluate_all(names)
    tables = page.locator(f"{own} .tabled").evaluate_all(names)
    assert len(figures) >= 6
    assert "table-performance-plane" in tables
    found, panel = [], page.locator("#tab-panel")
    for tab in page.get_by_role("tab").all():
        tab.click()
        expect(panel).to_have_attribute("aria-labelledby", tab.get_attribute("id"))
        assert page.evaluate("document.documentElement.scrollWidth") == width
        found += panel.locator(":is(figure, .tabled)").evaluate_all(names)
    assert {*figures, *tables} <= {*found}
    panels = [name for name in found if name.startswith("boundary-plane-")]
    assert len(panels) == len(METHODS)  # of the plane, drawn by scripts


def test_a_data_set_without_data_says_why(opened):
    page = opened("#data=gone")
    assert page.locator("#browser-detail").inner_text().endswith(DATA["gone"].unavailable)
    assert page.locator("#browser [role=tab]").count() == 0
    assert page.locator("#browser-list a", has_text="gone").inner_text().endswith("unavailable")


def test_many_data_sets_can_be_filtered(opened):
    page = opened()
    field = page.get_by_label("Filter data sets")
    field.fill("SIMPLE_1")
    shown = page.locator("#browser-list li:visible .title")
    assert shown.all_text_contents() == ["simple_1", "simple_10"]
    page.locator("#metric").select_option("auc")  # which draws the list anew
    expect(page.locator(".list-head")).to_contain_text("AUC")
    assert shown.all_text_contents() == ["simple_1", "simple_10"]
    field.fill("")
    assert shown.count() == len(DATA)


def test_names_lead_to_the_views_and_keep_the_rest_of_the_address(opened):
    page = opened("#metric=auc&data=three")
    page.locator("#table-browser a", has_text="fair").click()
    expect(page.locator("#method-view h3")).to_contain_text("fair")
    page.locator("#table-method a", has_text="plane").click()
    expect(page.locator("#browser-detail h3")).to_have_text("plane")
    assert page.locator("#metric").input_value() == "auc"
    page.locator("#method").select_option("good")
    expect(page.locator("#method-view h3")).to_contain_text("good")
    assert "data=plane" in page.url


def test_names_in_figures_lead_to_the_views(opened):
    page = opened("#data=plane")
    page.evaluate(
        "const svg = s('svg', { role: 'img' }, ['good†', 'goods', '0.5'].map((text) => s('text', {}, text)));"
        "document.body.append(svg); linkTexts(svg);"
        "svg.querySelector('a').dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))"
    )
    expect(page.locator("#method-view h3")).to_contain_text("good")
    assert page.locator("body > svg a").all_text_contents() == ["good†"]
    assert page.locator("body > svg").get_attribute("role") == "group"


def test_an_address_opens_the_page_at_its_view(opened):
    for hash, heading in (("#data=three", "dataset"), ("#data=three&method=fair", "methods")):
        top = f"document.getElementById('{heading}').getBoundingClientRect().top"
        assert 0 <= opened(hash).evaluate(top) < 200, hash


def test_folds_are_drawn_with_the_intervals_of_the_file(opened, outcome):
    drawn = opened("#data=three&tab=methods").locator("#tab-panel [data-tip]")
    tips = drawn.evaluate_all("all => all.map(one => one.dataset.tip)")
    known = {one["method"]: one for one in studies.numbers_of(outcome, "methods-three")["methods"]}
    assert [tip.partition(":")[0] for tip in tips] == [name for name in known if name in WHOLE]
    for name, tip in (tip.split(": ") for tip in tips):
        ends = [known[name]["mean"], *known[name]["interval"]]
        assert numbers(tip) == pytest.approx(rounded(*ends), abs=1.1e-3), name


def test_folded_problems_take_no_height_of_the_first_screen(opened):
    page = opened()
    top = "document.querySelector('.first').getBoundingClientRect().top"
    assert page.locator("details.problems").is_visible()
    with_problems = page.evaluate(top)
    page.evaluate("document.querySelector('details.problems').remove()")
    assert page.evaluate(top) >= with_problems - 1


def test_axe_core_finds_no_violation_in_the_views(opened, axe):
    for hash in ("#data=plane&tab=planes&method=tuned", "#data=three", "#data=gone"):
        page = opened(hash, reduced_motion="reduce")
        assert page_laws.violations(page, axe, "['#browser', '#method-view']") == [], hash
