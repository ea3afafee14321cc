"""The inputs and outputs of the rule `fetch`: edits are detected by content, and errors do not end the job."""

import json
import os
import shutil
from types import SimpleNamespace
from unittest import mock

import numpy as np
import pytest

from linclass.base.messages import NotApplicable
from linclass.base.tables import Table
from linclass_study.config import code
from linclass_study.data import fetch_dataset, fetch_inputs
from linclass_study.data.dataset import Dataset
from linclass_study.data.fetch_inputs import current_attempt
from linclass_study.execution import features
from linclass_study.files import disk_cache

LIMITS = {"download_seconds": 9, "download_mb": 9, "read_seconds": 20, "read_memory_mb": 1000}
CSV = "x,y\n1,no\n2,yes\n"


@pytest.fixture
def content(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda entry: fetch_inputs.content_of_local_files(entry, tmp_path / "project")


def test_content_and_not_the_time_stamp_decides_about_a_new_fetch(content, tmp_path):
    for entry, file in (
        ({"source": {"file": "a.csv"}}, "a.csv"),
        ({"source": {"file": "a.csv"}, "test": {"file": "t.csv"}}, "t.csv"),
        ({"source": {"url": "http://example.org/a.tgz",
                     "vocabulary": [{"file": "lost.txt"}, {"file": "words.txt"}]}}, "words.txt"),
    ):  # fmt: skip
        digests = []
        for moment, text in enumerate(("rain sun", "rain fog", "rain sun")):
            (tmp_path / file).write_text(text)
            if moment:
                os.utime(tmp_path / file, (moment, moment))
            digests.append(content(entry))
        first, edited, restored = digests
        assert first == restored != edited, file
        assert file in fetch_inputs.local_files(entry, tmp_path)


def test_a_named_pipe_does_not_block_the_reader(content, tmp_path):
    os.mkfifo(tmp_path / "a.csv")
    assert content({"source": {"file": "a.csv"}})


def test_the_digest_of_a_folder_depends_on_names_and_contents_of_its_files(content, tmp_path):
    entry = {"source": {"file": "texts"}, "format": "text_folders"}
    for label in ("rain", "sun"):
        (tmp_path / "texts" / label).mkdir(parents=True)
        (tmp_path / "texts" / label / "1").write_text(label)
    text, digests = tmp_path / "texts" / "sun" / "1", [content(entry)]
    (tmp_path / "texts" / ".hidden").write_text("of an editor, not of the data")
    assert content(entry) == digests[0]
    for change in (
        lambda: text.write_text("fog"),
        lambda: text.rename(text.with_name("2")),
        lambda: shutil.copy(text.with_name("2"), text),
        lambda: (tmp_path / "texts" / "rain" / "1").unlink(),
    ):
        change()
        digests.append(content(entry))
    assert len({*digests}) == 5


def test_an_unchanged_file_is_read_once(content, tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_text(CSV)
    entry = {"source": {"file": "a.csv"}}
    monkeypatch.setattr(disk_cache, "RECENT", 0)
    before = content(entry)
    monkeypatch.setattr(fetch_inputs.hashlib, "file_digest", None)
    assert content(entry) == before


def test_an_unexpected_exception_is_a_reason_and_does_not_kill_the_job(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)

    fail = mock.Mock(side_effect=RuntimeError("unforeseen\nin two lines"))
    monkeypatch.setattr(fetch_dataset, "first_usable", fail)
    output = SimpleNamespace(data="a.npz", about="a.json")
    config = {"mirrors": [], "downloads": "downloads", "results": "results", "limits": LIMITS}
    fetch_dataset.fetch_dataset("it", {}, config, output)
    about = json.loads((tmp_path / "a.json").read_text())
    assert about["status"] == "unavailable"
    assert about["reason"] == "it cannot be fetched (RuntimeError: unforeseen)"
    assert "Traceback" in capsys.readouterr().err


def test_the_code_of_a_fetch_is_that_of_the_reader_and_of_what_the_entry_names():
    entry = {"source": [{"file": "a.arff"}, {"generate": "gaussians"}], "format": "csv"}
    counted, _ = code.closure([], fetch_inputs.modules_of_entry(entry))
    names = {path.name for path in counted}
    wanted = {
        "guarded_child.py", "source_reader.py", "build_dataset.py", "csv.py", "produced_rows.py", "fetch_dataset.py",
        "generators.py",
    }  # fmt: skip
    assert wanted <= names
    assert "libsvm.py" not in names
    counted, _ = code.closure([], fetch_inputs.modules_of_entry({"source": {"file": "a.csv"}}))
    assert "produced_rows.py" not in {path.name for path in counted}


def test_a_broken_file_of_the_results_does_not_stop_the_study(tmp_path):
    for folder in ("data", "state"):
        (tmp_path / folder).mkdir()
    for text in ("", "[1]", "{}", "3"):
        for folder in ("data", "state"):
            (tmp_path / folder / "d.json").write_text(text)
        assert not fetch_inputs.was_unavailable(str(tmp_path), "d")
        assert current_attempt(str(tmp_path), "d") == 1


def test_an_error_of_a_feature_is_the_reason_of_its_file_and_the_job_succeeds(monkeypatch, capsys):
    X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]])
    split = np.zeros(3, np.int8)
    data = Dataset(Table(X, ("u", "v")), np.array([0, 1, 1], np.int32), split, ["a"])
    unforeseen = "its features cannot be computed (ZeroDivisionError: unforeseen)"
    for error, reason, is_traced in (
        (NotApplicable("needs numbers"), "needs numbers", False),
        (ZeroDivisionError("unforeseen\nin two lines"), unforeseen, True),
    ):
        failing = mock.Mock(side_effect=error)
        monkeypatch.setattr(features, "feature_map", lambda name, failing=failing: failing)
        found = features.compute_features(data, ["quadratic"])
        assert found.reason == reason
        assert found.table.shape == (0, 0)
        assert ("Traceback" in capsys.readouterr().err) == is_traced
