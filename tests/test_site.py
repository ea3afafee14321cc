"""The built site in a real browser: LINCLASS_SITE=docs/_build/html AXE=axe.min.js pytest -m slow tests/test_site.py"""

import os
from pathlib import Path

import pytest
from browsing import messages, requests
from cases import each
from page_laws import has_no_violations_of_axe_core

SITE = Path(os.environ.get("LINCLASS_SITE") or "no site").resolve()
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
    pytest.mark.slow,
    pytest.mark.xdist_group("chromium"),
    pytest.mark.skipif(not SITE.is_dir(), reason="LINCLASS_SITE names no built site"),
]


@each("page", PAGES)
def test_a_page_has_no_message_asks_only_for_its_files_and_fits_a_narrow_window(open_page, page):
    for width in (1280, 390):
        for dark in (False, True):
            opened = open_page(SITE / page, width, dark)
            assert [url for url in requests(opened) if not url.startswith(SITE.as_uri())] == []
            assert messages(opened, ignored=["log"]) == []  # the theme logs the mode of its colors
            assert opened.evaluate("document.documentElement.scrollWidth") <= width
            assert opened.evaluate(WIDE) == []


@each("page", PAGES)
def test_the_keyboard_reaches_visible_links_and_shows_where_it_is(open_page, page):
    opened = open_page(SITE / page)
    seen = []
    for _ in range(8):
        opened.keyboard.press("Tab")
        seen.append(opened.evaluate(FOCUS))
    assert all(visible and marked for _, _, visible, marked in seen), seen
    assert len({name for _, name, _, _ in seen}) >= 5, seen


@each("page", PAGES)
def test_axe_core_finds_no_violation(open_page, axe, page):
    has_no_violations_of_axe_core(
        open_page, SITE / page, axe, windows=[(1280, False), (1280, True)]
    )
