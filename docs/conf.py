"""The site of the documentation:

    pip install -e '.[docs]' && sphinx-build -W --keep-going docs docs/_build/html

It needs no network. Scripts of the textbook whose data are neither bundled nor in a folder of LINCLASS_MIRRORS are
shown without their figures. If `results/` has the page of a study or of the textbook, the site contains it.
"""

import sys
from importlib.metadata import version as installed
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS))

import gallery  # noqa: E402
import pages  # noqa: E402

project = html_title = "linclass"
author = copyright = "the linclass developers"
version = release = installed("linclass")
extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "_templates", "gallery/**/*.ipynb", "gallery/**/*.py"]
templates_path = ["_templates"]
suppress_warnings = ["config.cache"]  # the scraper of figures is a function

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
highlight_language = "none"  # of equations
autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
sphinx_gallery_conf = gallery.settings(DOCS)

html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_context = {"default_mode": "auto"}
html_extra_path = [str(DOCS.parent / "results" / file) for file in pages.results()]
html_show_sourcelink = False
html_sidebars = {"index": []}
html_theme_options = {
    "footer_end": [],
    "footer_start": ["copyright"],
    "navbar_align": "left",
    "navbar_persistent": ["search-button"],
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "show_prev_next": False,
}


def setup(app):
    pages.write_reference(DOCS / "api.rst")
    app.connect("source-read", pages.read)
    app.connect("autodoc-process-docstring", pages.docstring, priority=400)  # before numpydoc
