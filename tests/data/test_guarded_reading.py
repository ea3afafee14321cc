"""Files are read in a child process with limits: after one that hangs or exhausts memory the next is tried."""

import io
import json
import os
import tarfile
import time
from types import SimpleNamespace

import pytest

from linclass_study.data.dataset import load_dataset
from linclass_study.data.fetch_dataset import fetch_dataset

LIMITS = {"download_seconds": 9, "download_mb": 9, "read_seconds": 60, "read_memory_mb": 1000}
CSV = "x,y\n1,no\n2,yes\n"
GREEDY = f"group train a {10**10}\ngroup train b 1\nword 1 1\n"  # an inverted index


@pytest.fixture
def fetch(tmp_path, monkeypatch):
    """fetch(entry, limit=…) is the content of the data set's .json afterwards."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.csv").write_text(CSV)
    os.mkfifo(tmp_path / "hangs.csv")  # nobody ever writes to it, so reading it never ends

    def run(entry, **limits):
        output = SimpleNamespace(data="it.npz", about="it.json")
        config = {"mirrors": [], "downloads": "downloads", "results": "results"}
        fetch_dataset("it", entry, config | {"limits": LIMITS | limits}, output)
        return json.loads((tmp_path / "it.json").read_text())

    return run


def test_a_file_that_hangs_is_followed_by_the_next_source(fetch):
    entry = {"target": "y", "source": [{"file": "hangs.csv"}, {"file": "good.csv"}]}
    started = time.monotonic()
    about = fetch(entry, read_seconds=2)
    assert time.monotonic() - started < 30
    assert about["status"] == "available"
    assert about["source"] == "good.csv"
    reason = "stopped after 2 s (limits.read_seconds)"
    assert about["attempts"] == [{"source": "hangs.csv", "reason": reason}]
    assert load_dataset("it.npz").table.shape == (2, 1)
    test = [{"file": "hangs.csv"}, {"file": "good.csv"}]
    about = fetch({"target": "y", "source": {"file": "good.csv"}, "test": test}, read_seconds=2)
    assert about["source"] == "good.csv + good.csv"
    assert about["test_rows"] == 2
    assert [failure["source"] for failure in about["attempts"]] == ["hangs.csv"]


def test_a_file_beyond_the_memory_limit_is_one_clear_error(fetch, tmp_path):
    (tmp_path / "greedy.txt").write_text(GREEDY)
    about = fetch({"source": {"file": "greedy.txt"}, "format": "inverted_index"})
    assert about["status"] == "unavailable"
    assert about["reason"] == "greedy.txt: asked for more than limits.read_memory_mb = 1000"
    (tmp_path / "rows.svm").write_text("a 1:1\nb 200000:1\n" * 400)
    entry = {"source": {"file": "rows.svm"}}
    assert fetch(entry | {"dense": True})["reason"] == (
        "rows.svm: an array takes 2.7 GB for 800 rows × 200,000 columns, more than limits.read_memory_mb leaves; "
        "give `dense: false`, or raise that limit"
    )
    about = fetch(entry)
    assert (about["status"], about["sparse"]) == ("available", True)


def test_output_of_the_child_is_in_the_log(fetch, tmp_path, capfd):
    with tarfile.open(tmp_path / "a.tar", "w") as box:
        for name in ("../x", "rain/1", "sun/1", "rain/2", "sun/2"):
            about = tarfile.TarInfo(name)
            about.size = 3
            box.addfile(about, io.BytesIO(b"wet"))
    entry = {"source": {"file": "a.tar"}, "format": "text_folders", "texts": ["text"]}
    assert fetch(entry)["rows"] == 4
    assert "left out of a.tar: '../x' (it lies outside the archive)" in capfd.readouterr().out


def test_rows_without_a_file_come_from_the_child_process_and_reasons_are_the_same_there(
    fetch, reason, tmp_path
):
    drawn = {"generate": "gaussians", "means": [[0], [1]], "rows": [9, 9]}
    for source in ({"sklearn": "iris"}, drawn):
        assert fetch({"source": source})["status"] == "available"
    (tmp_path / "bad.csv").write_text("x,y\n1\n")
    entry = {"target": "y", "source": {"file": "bad.csv"}}
    assert fetch(entry)["reason"] == reason(entry)
