"""The built site in a real browser: LINCLASS_SITE=docs/_build/html pytest -m slow tests/test_site.py

AXE is the file axe.min.js of the npm package axe-core, which checks accessibility.
"""

import os
from pathlib import Path

import chromium
import pytest
from cases import each

SITE = Path(os.environ.get("LINCLASS_SITE") or "no site").resolve()
AXE = Path(os.environ.get("AXE") or "no axe")
PAGES = [  # one of each kind
    "index.html",
    "get_started.html",
    "compare.html",
    "library.html",
    "statistics.html",
    "models.html",
    "models/margins.html",
    "api.html",
    "api/linclass.LogisticRegression.html",
    "gallery/index.html",
    "gallery/1_a_line_between_two_classes/01_geometry.html",
    "search.html",
]
WIDE = """[...document.querySelectorAll('article *')].filter(element =>
    !element.closest('pre, table, .pst-scrollable-table-container, svg, .math') && element.getClientRects().length
    && element.getBoundingClientRect().right > innerWidth + 0.5)
    .map(element => `${element.tagName}.${element.className} ${element.getBoundingClientRect().right}`)"""
FOCUS = """(() => {
    const at = document.activeElement, box = at.getBoundingClientRect(), style = getComputedStyle(at);
    return [at.tagName, at.textContent.trim().slice(0, 40), box.width > 0 && box.height > 0,
        style.outlineStyle !== 'none' || style.boxShadow !== 'none'];
})()"""

pytestmark = [
    chromium.needs_chromium,
    pytest.mark.slow,
    pytest.mark.xdist_group("chromium"),
    pytest.mark.skipif(not SITE.is_dir(), reason="LINCLASS_SITE names no built site"),
]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with chromium.browser(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


@each("page", PAGES)
def test_a_page_has_no_message_asks_only_for_its_files_and_fits_a_narrow_window(browser, page):
    for width in (1280, 390):
        for dark in (False, True):
            browser.open(SITE / page, width, dark)
            local = (SITE.as_uri(), "data:", "blob:")
            assert [url for url in browser.requests if not url.startswith(local)] == []
            # the theme logs the mode of its colors
            assert [text for text in browser.messages if '"type": "log"' not in text] == []
            assert browser.run("document.documentElement.scrollWidth") <= width
            assert browser.run(WIDE) == []


@each("page", PAGES)
def test_the_keyboard_reaches_visible_links_and_shows_where_it_is(browser, page):
    browser.open(SITE / page)
    seen = []
    for _ in range(8):
        browser.press("Tab")
        seen.append(browser.run(FOCUS))
    assert all(visible and marked for _, _, visible, marked in seen), seen
    assert len({name for _, name, _, _ in seen}) >= 5, seen


@pytest.mark.skipif(not AXE.is_file(), reason="AXE names no axe.min.js")
@each("page", PAGES)
def test_axe_finds_no_violation(browser, page):
    for dark in (False, True):
        browser.open(SITE / page, dark=dark)
        browser.run("new Promise(done => setTimeout(done, 400))")  # transitions of colors
        browser.run(AXE.read_text(encoding="utf-8") + "; 0")
        found = browser.run("""axe.run({resultTypes: ['violations']}).then(found => found.violations.map(
            one => `${one.id}: ${one.nodes.length} × ${one.nodes[0].html.slice(0, 100)}
${one.nodes[0].failureSummary.slice(0, 400)}`))""")
        assert not found, f"{'dark' if dark else 'light'}\n" + "\n".join(found)
