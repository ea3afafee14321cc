"""The textbook: the form of its scripts, and the check of published numbers fails when one is wrong."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cases import each

from linclass_study.errors import StudyError
from linclass_study.files.writing import as_json
from linclass_study.files.yaml_file import read_yaml
from linclass_study.project import ROOT
from linclass_study.textbook import course, published, textbook_page
from linclass_study.textbook.course import Caption
from linclass_study.textbook.published import compare_published
from linclass_study.textbook.script import run_script

ENTRIES = read_yaml(published.FILE)


@each("name", course.script_names())
def test_each_script_is_short_and_its_caption_has_a_title_and_a_source(name):
    text = course.script(name).read_text(encoding="utf-8")
    caption = Caption.of(course.script(name))
    assert len(text.splitlines()) < 100
    assert caption.title
    assert "(1" in caption.text or "(2" in caption.text, "a source with its year"


def test_every_published_number_names_an_exhibit_and_a_source():
    assert {entry["exhibit"] for entry in ENTRIES} <= set(course.script_names())
    assert all(entry["source"] and entry["tolerance"] >= 0 for entry in ENTRIES)
    printed = [entry for entry in ENTRIES if entry.get("kind") != "identity"]
    assert sum(len(entry["numbers"]) for entry in printed) >= 60


def a_gate(folder, numbers, /, **entry):
    (folder / "made_up").mkdir(parents=True)
    (folder / "made_up" / "numbers.json").write_text(json.dumps(numbers))
    known = {"exhibit": "made_up", "source": "a book", "tolerance": 0.05, "numbers": {"a.b": 1.5}}
    (folder / "published.yaml").write_text(json.dumps([known | entry]))
    return compare_published(folder, folder / "published.yaml")


MISPRINT = {"instead": {"a.b": 1.8}, "reason": "3 × .6 is 1.8"}
SMALL = {"numbers": {"a.b": 1.44e-8}, "tolerance": 5e-11}
GATES = {  # our value, what the entry adds, the status
    "equal": (1.5, {}, "reproduced"),
    "at the tolerance": (1.55, {}, "reproduced"),
    "beyond it": (1.56, {}, "differs"),
    "missing": (None, {}, "differs"),
    "unavailable": ({"unavailable": "no mirror"}, {}, "unavailable"),
    "no data": ({}, {}, "unavailable"),
    "as printed, a misprint": (1.5, MISPRINT, "reproduced"),
    "as corrected": (1.81, MISPRINT, "missed"),
    "neither": (1.9, MISPRINT, "differs"),
    "small": (1.45e-8, SMALL, "differs"),
}


@each("case", GATES)
def test_a_number_is_reproduced_within_its_tolerance(tmp_path, case):
    ours, entry, status = GATES[case]
    numbers = {"a": ours if isinstance(ours, dict) else {"b": ours}}
    if case == "no data":
        numbers = {"drawn": False, "reason": "unavailable: no mirror"}
    (check,) = a_gate(tmp_path / case, {"drawn": True} | numbers, **entry)
    assert check.status == status
    assert "no mirror" in check.reason or status != "unavailable"
    if status != "unavailable":
        return
    assert published.summary([check]) == "0 of 0 published numbers reproduced, 1 unavailable"


@each(("entry", "words"), [
    ({"instead": {"a.b": 1.8}}, "'instead' needs a value for each of the numbers, and a reason"),
    ({"tolerence": 1}, "entry 1: tolerence; an entry has"),
])  # fmt: skip
def test_a_wrong_entry_is_refused(tmp_path, entry, words):
    with pytest.raises(StudyError, match=words):
        a_gate(tmp_path / words[:9], {"drawn": True}, **entry)


def test_the_summary_counts_reproduced_numbers_and_names_the_others():
    found = ["reproduced", "differs", "missed", "missed", "unavailable", "reproduced"]
    checks = [
        published.Check("iris", number, 1.5, 1.25, 0.05, "a book", status)
        for number, status in zip("abcdef", found, strict=True)
    ]
    checks[-1] = replace(checks[-1], kind="identity")
    assert published.ending(checks, Path("out/textbook.html")).splitlines() == [
        (
            "1 of 4 published numbers reproduced, 2 missed, 1 differs, 1 unavailable; "
            "1 of 1 identities hold"
        ),
        "  differs: iris b, published 1.5, ours 1.25 (a book)",
        "  missed, where the source contradicts itself or had not converged: iris (2)",
        "  not checked, for their data are not here: iris (1)",
        "page: out/textbook.html",
    ]


@each(("ours", "tolerance", "status", "shown"), [
    (0.47727272727, 0.005, "reproduced", "0.4773"),
    (234.66910585, 0.5, "reproduced", "234.67"),
    (1.449866734e-8, 5e-11, "missed", "1.4499e-08"),
    (51, 0, "reproduced", "51"),
    (1.0050049, 0.005, "differs", "1.0050049"),
    (None, 0.005, "unavailable", "–"),
])  # fmt: skip
def test_our_number_is_shown_with_two_more_digits_than_the_published_one(
    ours, tolerance, status, shown
):
    check = published.Check("made_up", "a.b", 1.0, ours, tolerance, "a book", status)
    assert textbook_page.ours(check) == shown


def test_recorded_numbers_are_plain_json():
    given = {1: np.float64(2.5), "x": np.arange(2), "none": float("nan"), "yes": np.True_}
    assert as_json(given) == {"1": 2.5, "x": [0, 1], "none": None, "yes": True}


def test_the_page_escapes_names_and_reasons(tmp_path, monkeypatch):
    evil = "<img src=x onerror=alert(1)>"
    (tmp_path / "odd.py").write_text(f'"""{evil}\n\nText {evil} (2006).\n"""\n')
    (tmp_path / "course.yaml").write_text(f'"{evil}": [odd]\n')
    monkeypatch.setattr(course, "FOLDER", tmp_path)
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "numbers.json").write_text(json.dumps({"drawn": False, "reason": evil}))
    assert "<img" not in textbook_page.page(tmp_path, [])


def test_a_script_in_no_chapter_is_refused(tmp_path, monkeypatch):
    (tmp_path / "stray.py").write_text('"""A."""\n')
    (tmp_path / "course.yaml").write_text("One: []\n")
    monkeypatch.setattr(course, "FOLDER", tmp_path)
    words = "'stray' must be a script of textbook/ that is listed once"
    with pytest.raises(StudyError, match=words):
        course.script_names()


@pytest.fixture
def environment(monkeypatch):
    """What `run` sets is put back."""
    for name in ("LINCLASS_TEXTBOOK", "LINCLASS_MIRRORS", "LINCLASS_DOWNLOADS"):
        monkeypatch.setenv(name, os.environ.get(name, ""))


@pytest.mark.usefixtures("environment")
def test_the_reader_supplies_files(tmp_path):
    """Spam alone, of made-up mails: the other two data sets stay unavailable."""
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.exponential(size=(300, 57)), rng.integers(0, 2, 300)])
    np.savetxt(tmp_path / "spam.data", rows)
    np.savetxt(tmp_path / "spam.traintest.gz", np.arange(300) % 3 == 0, fmt="%d")
    run_script("larger_data", tmp_path / "out", [str(tmp_path)])
    found = json.loads((tmp_path / "out" / "larger_data" / "numbers.json").read_text())
    assert 0 < found["spam"]["logistic"]["test"] < 1
    assert "sat.trn is in no mirror" in found["satellite"]["unavailable"]
    run_script("larger_data", tmp_path / "none")
    found = json.loads((tmp_path / "none" / "larger_data" / "numbers.json").read_text())
    assert not found["drawn"]
    assert "spam.data is in no mirror" in found["reason"]


@pytest.mark.slow
@pytest.mark.usefixtures("environment")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", course.script_names())
def test_the_published_numbers_are_reproduced(tmp_path, name):
    run_script(name, tmp_path, [os.environ["LINCLASS_MIRRORS"]])
    gate = tmp_path / "published.yaml"
    gate.write_text(json.dumps([entry for entry in ENTRIES if entry["exhibit"] == name]))
    checks = compare_published(tmp_path, gate)
    assert not [check for check in checks if check.status == "differs"]


@pytest.mark.slow
@pytest.mark.early
def test_the_check_passes_and_fails_when_the_package_is_wrong(tmp_path):
    """A copy of the project with two scripts, in which the pooled covariance is divided by n, not n − K."""
    clone = tmp_path / "linclass"
    left_out = {".git", ".venv", ".snakemake", "results", "downloads"}
    shutil.copytree(
        ROOT, clone, ignore=lambda folder, _: left_out if Path(folder) == ROOT else set[str]()
    )
    environment = {**os.environ, "PYTHONPATH": str(clone)}
    shown = ["fisher_projection", "natural_parameters"]
    for script in set(course.script_names()) - set(shown):
        (clone / "textbook" / f"{script}.py").unlink()
    (clone / "textbook" / "course.yaml").write_text(json.dumps({"Means": shown}))
    entries = [entry for entry in ENTRIES if entry["exhibit"] in shown]
    (clone / "config" / "published.yaml").write_text(json.dumps(entries))

    def reproduce():
        command = [sys.executable, "-m", "snakemake", "reproduce"]
        return subprocess.run(
            command, cwd=clone, env=environment, capture_output=True, text=True, check=False
        )

    green = reproduce()
    assert green.returncode == 0, green.stdout + green.stderr
    assert "  differs: " not in green.stderr
    file = clone / "linclass" / "discriminant" / "covariance.py"
    text, right = file.read_text(encoding="utf-8"), "moments.total - ddof * moments.present"
    assert right in text
    file.write_text(text.replace(right, "moments.total"), encoding="utf-8")
    red = reproduce()
    assert red.returncode != 0
    assert "  differs: " in red.stderr
