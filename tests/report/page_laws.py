"""Laws of every page that linclass writes, in a real browser; a law takes the browser and the path."""

WIDTHS = (1280, 390)

HIDDEN = """[...document.querySelectorAll('h1, h2, h3, h4, figure, table, pre, dl')]
    .filter(element => !element.checkVisibility({contentVisibilityAuto: false}) || !element.getClientRects().length)
    .map(element => element.textContent.trim().slice(0, 60))"""

WIDE = """[...document.body.querySelectorAll('*')]
    .filter(element => !element.closest('.scroll, pre, nav, svg') && element.getClientRects().length
        && element.getBoundingClientRect().right > innerWidth + 0.5)
    .map(element => `${element.tagName}.${element.className} ${element.getBoundingClientRect().right}`)"""

#: Of the first rows of each wide table, scrolled: the numbers that lie over the row's name.
OVER_NAMES = """[...document.querySelectorAll('.scroll:has(> table)')]
    .filter(box => box.getClientRects().length && box.scrollWidth > box.clientWidth + 1)
    .flatMap(box => [...box.querySelectorAll('tbody tr')].slice(0, 3).flatMap(row => {
        box.scrollLeft = Math.min(row.cells[0].offsetWidth, box.scrollWidth - box.clientWidth);
        row.scrollIntoView({block: 'center', inline: 'nearest'});
        const name = row.cells[0].getBoundingClientRect(), found = [];
        for (let x = name.left + 1; x < Math.min(name.right, innerWidth) - 1; x += 3)
            for (let y = name.top + 2; y < name.bottom - 1; y += 3) {
                const top = document.elementFromPoint(x, y);
                if (top?.closest('td')) found.push(top.outerHTML.slice(0, 60));
            }
        return found;
    }))"""

#: Tables of which a control lies over the words of their heading.
COVERED = """[...document.querySelectorAll('.tabled > .tools')].filter(tools => {
    const words = document.createRange();
    words.selectNodeContents(tools.parentNode.firstElementChild);
    const a = words.getBoundingClientRect();
    return [...tools.children].map(control => control.getBoundingClientRect()).some(b => b.width &&
        b.left < a.right - 1 && a.left < b.right - 1 && b.top < a.bottom - 1 && a.top < b.bottom - 1);
}).map(tools => tools.parentNode.id)"""

OPEN_ALL = "document.querySelectorAll('details').forEach(box => { box.open = true; })"


def asks_for_nothing_and_says_nothing(browser, page):
    """No request but for the page itself, no message in the console; opened, scrolled and at rest."""
    for dark in (False, True):
        browser.open(page, dark=dark)
        browser.run(OPEN_ALL)
        browser.run("scrollTo(0, document.body.scrollHeight)")
        browser.run("new Promise(done => setTimeout(done, 100))")
        asked = [url for url in browser.requests if not url.startswith(("data:", "blob:"))]
        assert asked == [page.resolve().as_uri()]
        assert browser.messages == []


def fits_its_window(browser, page):
    """No element is wider than the window, with any section open; wide tables and figures scroll in their own box."""
    for width in WIDTHS:
        browser.open(page, width)
        for prepared in ("0", OPEN_ALL):
            browser.run(prepared)
            assert browser.run("document.documentElement.scrollWidth <= innerWidth"), width
            assert browser.run("innerWidth") == width
            assert browser.run(WIDE) == []


def tells_of_which_row_a_scrolled_number_is(browser, page):
    """In a narrow window wide tables have a shade at the edge beyond which there is more, and the name of a row stays
    whole while its numbers go beneath it."""
    browser.open(page, 390)
    browser.run(OPEN_ALL)
    shades = "[...document.querySelectorAll('.scroll')].map(box => getComputedStyle(box).backgroundAttachment)"
    assert set(browser.run(shades)) == {"local, local, scroll, scroll"}
    over = browser.run(OVER_NAMES)
    assert not over, over[:5]


def is_printed_whole(browser, page):
    """The printed page has every section, including those closed on the screen, even without scripts."""
    for scripts in (True, False):
        browser.open(page, scripts=scripts)
        browser.media("print")
        assert browser.run(HIDDEN) == [], f"scripts: {scripts}"
    browser.open(page)
    opened = "document.querySelectorAll('details[open]').length"
    before = browser.run(opened)
    pdf = browser.ask("Page.printToPDF", printBackground=True)["data"]
    assert len(pdf) > 10_000
    assert browser.run(opened) == before


def fits_on_paper(browser, page):
    """Nothing is wider than A4 with margins of 1 cm, 718 pixels: on paper nothing scrolls."""
    browser.open(page, 718)
    browser.media("print")
    browser.run(OPEN_ALL)
    assert browser.run("document.documentElement.scrollWidth") <= 718


def is_complete_without_scripts(browser, page):
    """The same headings, tables, rows and figures; and no control that does nothing."""
    counted = (
        "['h2', 'h3', 'tbody tr', 'figure svg'].map(what => document.querySelectorAll(what).length)"
    )
    browser.open(page)
    with_scripts = browser.run(counted)
    browser.open(page, scripts=False)
    assert browser.run(counted) == with_scripts
    assert browser.run("document.querySelectorAll('button, select, input').length") == 0
    assert (
        browser.run("document.querySelectorAll('tr[hidden], tr:not(:has(> :first-child))').length")
        == 0
    )


def can_be_read_in_the_dark(browser, page):
    """The page's ink stands out from its paper by the 4.5 of WCAG 2.2 in both themes; so do muted words."""
    for dark in (False, True):
        browser.open(page, dark=dark)
        paper, ink, muted = (_luminance(browser, name) for name in ("paper", "ink", "muted"))
        assert (paper < 0.2) is dark
        for other in (ink, muted):
            light, deep = max(paper, other), min(paper, other)
            assert (light + 0.05) / (deep + 0.05) >= 4.5


def has_figures_of_readable_size(browser, page):
    """A letter of seven points, the smallest, is at least nine pixels high, in a narrow window too."""
    scales = """[...document.querySelectorAll('figure svg')].filter(svg => svg.getClientRects().length)
        .map(svg => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width)"""
    for width in WIDTHS:
        browser.open(page, width)
        browser.run(OPEN_ALL)
        found = browser.run(scales)
        assert found
        assert 7 * min(found) >= 8.7, width


def shows_reasons_in_a_narrow_window(browser, page):
    """A reason is read without scrolling sideways, and is at least half as wide as the window."""
    browser.open(page, 390)
    browser.run(OPEN_ALL)
    edges = """[...document.querySelectorAll('td.reason')].filter(cell => cell.getClientRects().length)
        .map(cell => cell.getBoundingClientRect()).map(box => [box.left, box.right])"""
    for left, right in browser.run(edges):
        assert left >= 0
        assert left + 195 <= right <= 390


def shows_headings_beside_the_controls_of_tables(browser, page):
    """No control covers the title of its table at any width."""
    for width in (*WIDTHS, 700, 1000):
        browser.open(page, width)
        browser.run("dispatchEvent(new Event('beforeprint'))")  # all tables get their controls
        assert browser.run(COVERED) == [], width


LAWS = (
    asks_for_nothing_and_says_nothing, fits_its_window, tells_of_which_row_a_scrolled_number_is,
    is_printed_whole, fits_on_paper, is_complete_without_scripts, can_be_read_in_the_dark,
    has_figures_of_readable_size, shows_reasons_in_a_narrow_window,
    shows_headings_beside_the_controls_of_tables,
)  # fmt: skip


def _luminance(browser, name):
    colour = browser.run(
        "(() => { const probe = document.body.appendChild(document.createElement('span'));"
        f"probe.style.color = 'var(--{name})'; const found = getComputedStyle(probe).color; probe.remove();"
        "return found.match(/[\\d.]+/g).slice(0, 3).map(Number); })()"
    )
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (v / 255 for v in colour)
    ]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
