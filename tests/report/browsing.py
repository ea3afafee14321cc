"""Pages in an installed Chromium, without a network, driven by Playwright."""

import shutil
from contextlib import closing, contextmanager

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = ["--no-sandbox", "--disable-quic", "--host-resolver-rules=MAP * ~NOTFOUND"]
PATIENCE = 300_000  # milliseconds, for machines that are busy
HEIGHTS = {1280: 800, 768: 1024}  # pixels of windows of these widths; others are as high as a phone


@contextmanager
def open_chromium():
    """open_page(path, width=1280, …): a page of Playwright, which the next call takes for its own path.

    An asyncio loop runs in this thread as long as Chromium is open.
    """
    chromium = next(filter(None, map(shutil.which, NAMES)), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        chromium = None
    if chromium is None:
        pytest.skip(
            "pages are opened only with `pip install playwright` and `apt-get install chromium`"
        )
    with (
        sync_playwright() as playwright,
        closing(playwright.chromium.launch(executable_path=chromium, args=FLAGS)) as browser,
    ):
        pages = {}

        def open_page(
            path, width=1280, dark=False, scripts=True, reduced_motion="no-preference", hash=""
        ):
            kind = mobile, _ = width < 600, scripts
            if kind not in pages:
                context = browser.new_context(
                    offline=True, is_mobile=mobile, java_script_enabled=scripts
                )
                context.set_default_timeout(PATIENCE)
                pages[kind] = context.new_page()
            page = pages[kind]
            if page.url.startswith("file:"):
                page.evaluate("localStorage.clear()")
            page.set_viewport_size({"width": width, "height": HEIGHTS.get(width, 844)})
            page.emulate_media(
                media="null",  # of the window or of paper, as it is
                color_scheme="dark" if dark else "light",
                reduced_motion=reduced_motion,
            )
            page.goto("about:blank")  # or a new hash would not load the page anew
            page.goto(path.resolve().as_uri() + hash)
            if scripts:
                settle(page)
            return page

        yield open_page


def settle(page):
    """Wait until two frames are drawn."""
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def messages(page, ignored=()):
    """What the console shows since the page was opened, but for types that are ignored."""
    of_console = [one.text for one in page.console_messages() if one.type not in ignored]
    return [*of_console, *map(str, page.page_errors())]


def requests(page):
    """Addresses of files, the page itself first, that were asked for since it was opened."""
    urls = [one.url for one in page.requests() if not one.url.startswith(("data:", "blob:"))]
    return urls[len(urls) - 1 - urls[::-1].index(page.url.partition("#")[0]) :]
