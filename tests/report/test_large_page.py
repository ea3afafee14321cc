"""100 methods on 200 data sets: one page that is not too big and works."""

import re

import large_study
import pytest
from browsing import messages

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("chromium")]

METHODS, DATASETS = 100, 200


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    results = tmp_path_factory.mktemp("large") / "results"
    outcome = large_study.build(results, METHODS, DATASETS)
    large_study.report(outcome)
    return outcome.results / "report.html"


def test_a_page_of_100_methods_on_200_data_sets_is_below_20_mb_and_works(open_page, path):
    assert path.stat().st_size < 20e6
    page = open_page(path)
    board = page.locator("#table-leaderboard")
    for heading in ("Fit time", "Method", "Won"):
        board.locator("thead button", has_text=re.compile(f"^{heading}")).click()
        board.locator("th[aria-sort]", has_text=heading).wait_for()
    assert board.get_by_role("status").text_content() == f"25 of {METHODS} shown"
    assert board.locator("tbody tr").count() == METHODS
    page = open_page(path, hash=f"#data=data_{DATASETS - 1}")
    assert page.locator("#table-browser tbody tr").count() == METHODS
    assert messages(page) == []
