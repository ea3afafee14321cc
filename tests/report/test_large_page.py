"""100 methods on 200 data sets: one page that is not too big, works, and lists what it omits."""

import large_study
import pytest
from browsing import messages

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("chromium")]

METHODS, DATASETS = 100, 200


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    outcome = large_study.build(tmp_path_factory.mktemp("large") / "results", METHODS, DATASETS)
    large_study.report(outcome)
    return outcome.results / "report.html"


def test_a_page_of_100_methods_on_200_data_sets_is_below_20_mb_and_sorts(open_page, path):
    assert path.stat().st_size < 20e6
    page = open_page(path)
    compared = page.locator("#table-compared")
    compared.scroll_into_view_if_needed()
    for place in (1, 0, 50):  # numbers, names, numbers again
        compared.locator("thead button").nth(place).click()
        assert compared.locator("thead th").nth(place).get_attribute("aria-sort")
    assert compared.get_by_role("status").text_content() == f"25 of {METHODS} shown"
    assert compared.locator("tbody tr").count() == METHODS
    assert page.locator("[id^='table-performance-'] tbody tr").count() == METHODS * DATASETS
    closed = page.locator("#table-endings-data_000")
    assert closed.locator("tbody tr").count() == 25
    assert f"25 of {METHODS} rows are shown here" in closed.text_content()
    assert messages(page) == []
