"""Laws of every page that linclass writes, in a real browser; a law takes `open_page` and the path of the page."""

import re

from browsing import messages, requests, settle

WIDTHS = (1280, 768, 390)

#: Beginnings of what is displayed, and what is not.
SHOWN = """(() => {
    const all = [...document.querySelectorAll('h1, h2, h3, h4, figure, table, pre, dl')];
    const shown = one => one.checkVisibility({contentVisibilityAuto: false}) && one.getClientRects().length;
    const words = one => `${one.tagName} ${one.textContent.trim().slice(0, 40)}`;
    return [all.filter(shown).map(words), all.filter(one => !shown(one) && !one.closest('.scripted')).map(words)];
})()"""

#: Elements that end outside of the window, where nothing around them scrolls sideways.
WIDE = """[...document.body.querySelectorAll('*')].filter(element => {
    if (!element.getClientRects().length || element.getBoundingClientRect().right <= innerWidth + 0.5) return false;
    for (let box = element.parentElement; box !== document.body; box = box.parentElement)
        if (box.tagName === 'svg' || /auto|scroll/.test(getComputedStyle(box).overflowX)) return false;
    return true;
}).map(element => `${element.tagName}.${element.className} ${element.getBoundingClientRect().right}`)"""

#: Of the first rows of each wide table, scrolled: the numbers that lie over the row's name.
OVER_NAMES = """[...document.querySelectorAll('.scroll:has(> table)')]
    .filter(box => box.getClientRects().length && box.scrollWidth > box.clientWidth + 1)
    .flatMap(box => [...box.querySelectorAll('tbody tr')].slice(0, 3).flatMap(row => {
        box.scrollLeft = Math.min(row.cells[0].offsetWidth, box.scrollWidth - box.clientWidth);
        row.scrollIntoView({block: 'center', inline: 'nearest'});
        const name = row.cells[0].getBoundingClientRect(), found = [];
        for (let x = name.left + 1; x < Math.min(name.right, innerWidth) - 1; x += 4)
            for (let y = name.top + 2; y < name.bottom - 1; y += 4) {
                const top = document.elementFromPoint(x, y);
                if (top?.closest('td')) found.push(top.outerHTML.slice(0, 60));
            }
        return found;
    }))"""

#: Headings of which a control beside them covers words.
COVERED = """[...document.querySelectorAll('h1, h2, h3, h4')].filter(heading => {
    const words = document.createRange();
    words.selectNodeContents(heading);
    const a = words.getBoundingClientRect();
    return [...heading.parentElement.querySelectorAll(':scope > * > :is(button, select, input)')]
        .map(control => control.getBoundingClientRect()).some(b => b.width &&
            b.left < a.right - 1 && a.left < b.right - 1 && b.top < a.bottom - 1 && a.top < b.bottom - 1);
}).map(heading => heading.textContent)"""

#: Cells of tables without a heading of their column or row, by screen readers' rules.
WITHOUT_HEADING = """[...document.querySelectorAll('table')].flatMap(table => [...table.tBodies].flatMap(body =>
    [...body.rows].filter(row => !row.querySelector('th[scope=row]')
        || !(table.tHead ? [...table.tHead.rows[0].cells] : []).every(cell => cell.matches('th[scope^=col]')))
    .map(row => `${table.parentElement.parentElement.id}: ${row.textContent.trim().slice(0, 60)}`)))"""

CONTROL = (
    "a[href], button, input, select, textarea, summary, [role=button], [role=tab], [role=option]"
)

#: What Tab should reach, what arrow keys should reach (one of radio buttons, or of a widget with a roving tabindex, is
#: reached by Tab), and what only a mouse can use. Controls may be drawn anew while they are used, with the same label.
CONTROLS = f"""(() => {{
    const seen = one => one.checkVisibility({{visibilityProperty: true}}) && one.getClientRects().length;
    const all = () => [...document.querySelectorAll('{CONTROL}')].filter(one => seen(one)
        && !one.disabled && !(one.tabIndex < 0 && one.closest('svg')));  // links that a drawing repeats for the mouse
    const roves = one => one.tabIndex < 0 || one.type === 'radio';
    const label = one => `${{one.tagName}} ${{one.textContent.trim().slice(0, 40) || one.outerHTML.slice(0, 80)}}`;
    const expected = new Set(all().map(label)), reached = new Set(), visited = new Set(), unseen = new Set();
    window.missed = () => [...expected].filter(one => !reached.has(one));
    window.unseen = () => [...unseen];
    window.count = () => visited.size;
    window.entries = () => [...new Set(all().filter(roves).map(one =>
        one.closest('[role=tablist], [role=listbox], [role=radiogroup], [role=group], fieldset, nav, ul, div, body')))]
        .map(box => [[box, ...box.querySelectorAll('*')].find(one => one.tabIndex >= 0 && seen(one)),
            all().filter(one => box.contains(one) && roves(one)).length]).filter(([entry]) => entry);
    addEventListener('focusin', ({{target}}) => {{
        visited.add(target);
        reached.add(label(target));
        if (!target.matches('{CONTROL}')) return;
        const style = getComputedStyle(target), box = target.getBoundingClientRect();
        const top = document.elementFromPoint((Math.max(box.left, 0) + Math.min(box.right, innerWidth)) / 2,
                                              (Math.max(box.top, 0) + Math.min(box.bottom, innerHeight)) / 2);
        const marked = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) || style.boxShadow !== 'none';
        if (!marked) unseen.add(`not marked: ${{label(target)}}`);
        if (!top || !(target.contains(top) || top.contains(target) || target.labels?.[0]?.contains(top)))
            unseen.add(`not in sight: ${{label(target)}}`);
    }});
    return [...document.body.querySelectorAll('*')].filter(one => getComputedStyle(one).cursor === 'pointer'
        && seen(one) && !one.closest('{CONTROL}, label, [tabindex="0"]')).map(label);
}})()"""

#: Elements that would move although the reader prefers that nothing does.
MOVING = """[...document.querySelectorAll('*')].filter(element => {
    const long = times => times.split(',').some(time => parseFloat(time) > 0.011);
    return ['', '::before', '::after'].some(pseudo => {
        const style = getComputedStyle(element, pseudo);
        return long(style.transitionDuration) || style.scrollBehavior === 'smooth'
            || style.animationName !== 'none' && long(style.animationDuration);
    });
}).map(element => element.outerHTML.slice(0, 80))"""

#: The smallest letters of figures, in pixels of the window.
LETTERS = """[...document.querySelectorAll('figure svg text')].filter(text => text.getClientRects().length
        && [...text.childNodes].some(node => node.nodeType === 3 && node.data.trim()))
    .map(text => {
        const {a, b} = text.getScreenCTM();
        return parseFloat(getComputedStyle(text).fontSize) * Math.hypot(a, b);
    })"""

OPEN_ALL = "document.querySelectorAll('details').forEach(box => { box.open = true; })"

#: Controls of the page itself, not links to other files or buttons that save one; use(i) is what a reader does with
#: the i-th.
USE = """(() => {
    window.controls = [...document.querySelectorAll(
        'a[href^="#"], button:not(.exports *), select, input, summary, [role=tab], [role=option]')];
    window.use = place => {
        const one = controls[place];
        if (!one.isConnected) return;
        if (one.tagName === 'SELECT') one.selectedIndex = (one.selectedIndex + 1) % one.options.length;
        else if (/search|text/.test(one.type)) one.value = 'a';
        else return one.click();
        for (const event of ['input', 'change']) one.dispatchEvent(new Event(event, {bubbles: true}));
    };
    return controls.length;
})()"""

#: What a reader sees, with everything that is drawn late, as for print.
VIEW = """(async () => {
    for (const name of ['beforeprint', 'afterprint']) dispatchEvent(new Event(name));
    await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
    const states = ['aria-sort', 'aria-selected', 'aria-pressed', 'aria-current', 'aria-checked'];
    return [document.body.innerText,
        [...document.querySelectorAll('select, input')].map(one => one.type === 'checkbox' ? one.checked : one.value),
        [...document.querySelectorAll(states.map(name => `[${name}]`))].map(one => one.textContent
            + states.map(name => one.getAttribute(name)))].flat();
})()"""


def asks_for_nothing_and_says_nothing(open_page, path):
    """No request but for the page itself, no message in the console; opened, scrolled and at rest."""
    for dark in (False, True):
        page = open_page(path, dark=dark)
        page.evaluate(OPEN_ALL)
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        page.wait_for_timeout(100)
        assert requests(page) == [path.resolve().as_uri()]
        assert messages(page) == []


def fits_its_window(open_page, path):
    """No element is wider than the window, with any section open; wide tables and figures scroll in their own box."""
    for width in WIDTHS:
        page = open_page(path, width)
        for prepared in ("0", OPEN_ALL):
            page.evaluate(prepared)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
            assert page.evaluate("innerWidth") == width
            assert page.evaluate(WIDE) == [], width


def tells_of_which_row_a_scrolled_number_is(open_page, path):
    """In a narrow window wide tables have a shade at the edge beyond which there is more, and the name of a row stays
    whole while its numbers go beneath it."""
    page = open_page(path, 390)
    page.evaluate(OPEN_ALL)
    shades = "[...document.querySelectorAll('.scroll')].map(box => getComputedStyle(box).backgroundAttachment)"
    assert set(page.evaluate(shades)) == {"local, local, scroll, scroll"}
    over = page.evaluate(OVER_NAMES)
    assert not over, over[:5]


def is_printed_whole(open_page, path):
    """The printed page has all that is displayed without scripts, also what is closed or replaced on the screen; and
    the page is as it was afterwards."""
    page = open_page(path, scripts=False)
    page.evaluate(OPEN_ALL)
    everything, _ = page.evaluate(SHOWN)
    for scripts in (True, False):
        page = open_page(path, scripts=scripts)
        page.emulate_media(media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        missing = {*everything} - {*page.evaluate(SHOWN)[0]}
        assert not missing, (scripts, sorted(missing)[:5])
    page = open_page(path)
    opened = "document.querySelectorAll('details[open]').length"
    before = page.evaluate(opened)
    assert len(page.pdf(print_background=True)) > 10_000
    assert page.evaluate(opened) == before


def fits_on_paper(open_page, path):
    """Nothing is wider than A4 with margins of 1 cm, 718 pixels: on paper nothing scrolls."""
    page = open_page(path, 718)
    page.emulate_media(media="print")
    page.evaluate(OPEN_ALL)
    assert page.evaluate("document.documentElement.scrollWidth") <= 718


def is_complete_without_scripts(open_page, path):
    """All figures and tables are displayed, links lead to what is there, and no control does nothing."""
    page = open_page(path, scripts=False)
    page.evaluate(OPEN_ALL)
    _, hidden = page.evaluate(SHOWN)
    assert not hidden, hidden[:5]
    assert page.locator("button, select, input").filter(visible=True).count() == 0
    for link in page.locator("nav a[href^='#']").filter(visible=True).all():
        assert page.locator(link.get_attribute("href")).is_visible()


def is_light_or_dark_as_preferred_and_light_on_paper(open_page, path):
    """Ink stands out from paper by the 4.5 of WCAG 2.2; axe-core measures all other words."""
    for dark in (False, True):
        page = open_page(path, dark=dark)
        for media in ("screen", "print"):
            page.emulate_media(media=media)
            paper, ink = (_luminance(page, name) for name in ("backgroundColor", "color"))
            assert (paper < 0.2) is (dark and media == "screen"), (dark, media)
            assert (max(paper, ink) + 0.05) / (min(paper, ink) + 0.05) >= 4.5, (dark, media)


def has_figures_of_readable_size(open_page, path):
    """The smallest letters are nine pixels high, in a narrow window too."""
    for width in WIDTHS:
        page = open_page(path, width)
        page.evaluate(OPEN_ALL)
        letters = page.evaluate(LETTERS)
        assert letters
        assert min(letters) >= 8.7, width


def shows_reasons_in_a_narrow_window(open_page, path):
    """A reason is read without scrolling sideways, and is at least half as wide as the window."""
    page = open_page(path, 390)
    page.evaluate(OPEN_ALL)
    edges = """[...document.querySelectorAll('td.reason')].filter(cell => cell.getClientRects().length)
        .map(cell => cell.getBoundingClientRect()).map(box => [box.left, box.right])"""
    for left, right in page.evaluate(edges):
        assert left >= 0
        assert left + 195 <= right <= 390


def shows_headings_beside_the_controls(open_page, path):
    """No control covers a heading at any width."""
    for width in (*WIDTHS, 700, 1000):
        page = open_page(path, width)
        page.evaluate("dispatchEvent(new Event('beforeprint'))")  # all tables get their controls
        assert page.evaluate(COVERED) == [], width


def has_tables_with_headings(open_page, path):
    """Each row of a table has a heading, and so has each column."""
    without = open_page(path).evaluate(WITHOUT_HEADING)
    assert not without, without[:5]


def can_be_used_by_keyboard(open_page, path):
    """Tab and arrow keys reach each control, and each is in sight and marked while it has the focus."""
    page = open_page(path)
    page.evaluate(OPEN_ALL)
    page.evaluate(VIEW)
    page.evaluate("scrollTo(0, 0)")
    by_mouse = page.evaluate(CONTROLS)
    assert not by_mouse, by_mouse[:5]
    reached, before = 0, -1
    while reached > before:
        for _ in range(30):
            page.keyboard.press("Tab")
        before, reached = reached, page.evaluate("count()")
    for place in reversed(range(page.evaluate("entries().length"))):  # the first may choose others
        for key in ("ArrowRight", "ArrowDown"):
            page.evaluate(f"entries()[{place}]?.[0].focus()")
            for _ in range(page.evaluate(f"entries()[{place}]?.[1] ?? 0")):
                page.keyboard.press(key)
                settle(page)
    missed, unseen = page.evaluate("[missed(), unseen()]")
    assert not missed, missed[:5]
    assert not unseen, unseen[:5]


def rests_where_motion_is_not_wanted(open_page, path):
    """Nothing moves for readers who prefer reduced motion."""
    page = open_page(path, reduced_motion="reduce")
    moving = page.evaluate(MOVING)
    assert not moving, moving[:5]


def has_addresses_of_its_views(open_page, path):
    """Where a control changes the fragment of the address, this address opens the view that the control gave."""
    page = open_page(path)
    kinds = {}
    for place in range(page.evaluate(USE)):
        before = page.evaluate("location.hash")
        after = page.evaluate(
            f"(use({place}), new Promise(done => setTimeout(() => done(location.hash))))"
        )
        if after != before:
            kinds.setdefault(re.sub(r"=[^&]*|#[^=&]*$", "", after), []).append(place)
    for place in {place for places in kinds.values() for place in (places[0], places[-1])}:
        page = open_page(path)
        page.evaluate(USE)
        page.evaluate(f"use({place})")
        page.wait_for_timeout(100)
        given, address = page.evaluate(VIEW), page.evaluate("location.hash")
        if not address:  # an earlier control had changed it, late
            continue
        restored = open_page(path, hash=address).evaluate(VIEW)
        differing = [pair for pair in zip(given, restored, strict=False) if pair[0] != pair[1]]
        assert restored == given, (address, differing[:3])


LAWS = (
    asks_for_nothing_and_says_nothing, fits_its_window, tells_of_which_row_a_scrolled_number_is,
    is_printed_whole, fits_on_paper, is_complete_without_scripts,
    is_light_or_dark_as_preferred_and_light_on_paper, has_figures_of_readable_size,
    shows_reasons_in_a_narrow_window, shows_headings_beside_the_controls, has_tables_with_headings,
    can_be_used_by_keyboard, rests_where_motion_is_not_wanted, has_addresses_of_its_views,
)  # fmt: skip

OF_LARGE_PAGES = (
    asks_for_nothing_and_says_nothing, is_printed_whole, is_complete_without_scripts, fits_its_window,
)  # fmt: skip


def violations(page, axe, parts="document"):
    """What axe-core finds in parts of a page."""
    page.evaluate(axe + "; 0")
    return page.evaluate(f"""axe.run({parts}, {{resultTypes: ['violations']}}).then(found => found.violations.map(
        one => `${{one.id}}: ${{one.nodes.length}} × ${{one.nodes[0].html.slice(0, 100)}}
${{one.nodes[0].failureSummary.slice(0, 400)}}`))""")


def has_no_violations_of_axe_core(open_page, path, axe, windows=((1280, True), (390, False))):
    """axe-core's rules of accessibility, contrast among them, with everything opened: wide and dark, narrow and
    light."""
    for width, dark in windows:
        page = open_page(path, width, dark, reduced_motion="reduce")
        page.evaluate(OPEN_ALL)
        page.evaluate(VIEW)
        found = violations(page, axe)
        assert not found, f"{width} {'dark' if dark else 'light'}\n" + "\n".join(found)


def _luminance(page, name):
    colour = page.evaluate(f"getComputedStyle(document.body).{name}.match(/[\\d.]+/g).map(Number)")
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (v / 255 for v in colour[:3])
    ]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
