"""The textbook page in a real browser: with drawn, unavailable and differing parts it satisfies the laws of pages."""

import json
import shutil

import page_laws
import pytest
from cases import each

from linclass_study.textbook import course, textbook_page
from linclass_study.textbook.course import script_names
from linclass_study.textbook.published import compare_published
from linclass_study.textbook.script import run_script

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("chromium")]

HOSTILE = "<img src=x onerror=alert(1)>"
DRAWN = ["geometry", "many_data_sets", "natural_parameters"]


@pytest.fixture(scope="module")
def textbook(tmp_path_factory):
    """Three exhibits as they are, one that cannot be had, and sources that are markup."""
    scripts, out = tmp_path_factory.mktemp("scripts"), tmp_path_factory.mktemp("study") / "textbook"
    with pytest.MonkeyPatch.context() as patch:
        for name in ("LINCLASS_TEXTBOOK", "LINCLASS_MIRRORS", "LINCLASS_DOWNLOADS"):
            patch.setenv(name, "")
        for name in DRAWN:
            shutil.copy(course.script(name), scripts)
        (scripts / "gone.py").write_text(
            f'"""Gone {HOSTILE}.\n\nSee nobody (2001).\n"""\n'
            "from linclass_study.textbook import file\n\nfile('no_such_file')\n"
        )
        (scripts / "course.yaml").write_text(json.dumps({HOSTILE: [*DRAWN, "gone"]}))
        patch.setattr(course, "FOLDER", scripts)
        for name in script_names():
            run_script(name, out)
        own = {"exhibit": "geometry", "source": HOSTILE, "tolerance": 0.1, "reason": HOSTILE}
        entries = [
            own | {"numbers": {"distances.0": 9.0}},
            own | {"numbers": {"distances.1": 9.0}, "instead": {"distances.1": -1.53}},
            own | {"exhibit": "gone", "numbers": {"a.b": 1.0}},
        ]
        gate = scripts / "published.yaml"
        gate.write_text(json.dumps(entries))
        checks = compare_published(out, gate)
        assert {check.status for check in checks} == {"differs", "missed", "unavailable"}
        (out / "textbook.html").write_text(textbook_page.page(out, checks), encoding="utf-8")
    return out / "textbook.html"


@each("law", page_laws.LAWS, ids=lambda law: law.__name__)
def test_the_textbook_keeps_the_laws_of_pages(open_page, textbook, law):
    law(open_page, textbook)


def test_axe_core_finds_no_violation_in_the_textbook(open_page, textbook, axe):
    page_laws.has_no_violations_of_axe_core(open_page, textbook, axe)
