"""The order of downloads, mirrors, network and further sources: the first with the right content is used."""

import hashlib
import shutil

import pytest

CSV = "a,y\n1,no\n2,yes\n3,no\n"
WRONG = "a,y\n1,no\n2,yes\n4,no\n"
ENTRY = {"format": "csv", "target": "y"}


@pytest.fixture
def folders(tmp_path):
    """mirror(name, text) makes a new folder with one file."""
    made = []

    def mirror(name, text):
        folder = tmp_path / f"mirror{len(made)}"
        folder.mkdir()
        made.append(folder)
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return folder

    return mirror


@pytest.fixture
def digest(obtain, tmp_path):
    (tmp_path / "right.csv").write_text(CSV)
    return obtain(ENTRY | {"source": {"file": "right.csv"}}).digest


def test_a_mirror_comes_before_the_network(server, obtain, folders, digest):
    url = server.page("/a.csv", CSV)
    found = obtain(ENTRY | {"source": {"url": url}}, folders("b.csv", ""), folders("a.csv", CSV))
    assert found.digest == digest
    assert found.source.startswith(f"{url} (copy in ")
    assert server.pages["/a.csv"].requests == 0


def test_copies_and_sources_with_other_content_are_passed_over_with_the_reason(
    server, obtain, folders, tmp_path, digest
):
    url, pinned = server.page("/a.csv", CSV), hashlib.sha256(CSV.encode()).hexdigest()
    for source, entry, words in (
        ({"sha256": pinned}, {}, f"not {pinned[:12]}…"),
        ({}, {"digest": digest}, f"not {digest}"),
    ):
        wrong = folders("a.csv", WRONG)
        found = obtain(ENTRY | {"source": {"url": url} | source} | entry, wrong)
        assert (found.digest, found.source) == (digest, url)
        (attempt,) = found.attempts
        assert attempt["source"] == f"{url} (copy in {wrong})"
        assert words in attempt["reason"]
        shutil.rmtree(tmp_path / "downloads")
    (tmp_path / "wrong.csv").write_text(WRONG)
    sources = [{"file": "lost.csv"}, {"file": "wrong.csv"}, {"file": "right.csv"}]
    found = obtain(ENTRY | {"source": sources, "digest": digest})
    assert found.source == "right.csv"
    assert [attempt["source"] for attempt in found.attempts] == ["lost.csv", "wrong.csv"]


def test_a_copy_with_other_bytes_is_accepted_if_only_its_content_is_pinned(
    nobody, obtain, folders, digest
):
    mirror = folders("a.csv", '"y","a"\r\nyes,2.0\r\nno,3\r\nno,1\r\n')
    found = obtain(ENTRY | {"source": {"url": f"{nobody}/a.csv"}, "digest": digest}, mirror)
    assert found.digest == digest


def test_if_every_source_fails_one_line_gives_each_reason(nobody, reason, tmp_path, digest):
    (tmp_path / "wrong.csv").write_text(WRONG)
    (tmp_path / "ragged.csv").write_text("a,y\n1,no\n2\n")
    files = [{"file": f"{name}.csv"} for name in ("lost", "wrong", "ragged")]
    output = reason(ENTRY | {"source": [*files, {"url": f"{nobody}/a.csv"}], "digest": digest})
    parts = output.split("; ")
    assert parts[0] == "lost.csv: there is no such file"
    assert parts[1].startswith("wrong.csv: its content has the digest sha256:")
    assert parts[2].startswith("ragged.csv: line 3 has 1 field where 2 are expected (correct it")
    assert parts[3].startswith(f"{nobody}/a.csv: the server cannot be reached")


def test_an_error_common_to_every_source_is_reported_once(reason, tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text(CSV)
    output = reason({"target": "z", "source": [{"file": "a.csv"}, {"file": "b.csv"}]})
    assert output.count("no column 'z'") == 1
    assert output.endswith("(in each of 2 sources)")


def test_a_file_is_searched_beside_the_study_in_mirrors_and_in_the_project(
    obtain, tmp_path, reason, folders, digest
):
    entry = {"format": "csv", "target": "chd", "source": {"file": "resources/SAheart.data"}}
    assert len(obtain(entry).y) == 462
    (tmp_path / "resources").mkdir()
    (tmp_path / "resources" / "SAheart.data").write_text("x,chd\n1,0\n2,1\n")
    assert len(obtain(entry).y) == 2
    mirror = folders("a.csv", CSV)
    assert obtain(ENTRY | {"source": {"file": "a.csv"}}, mirror).digest == digest
    assert "there is no such file" in reason(ENTRY | {"source": {"file": "my/a.csv"}}, mirror)


def test_each_source_may_have_its_own_format(obtain, tmp_path, digest):
    (tmp_path / "a.txt").write_text(
        "@relation r\n@attribute a real\n@attribute y {no,yes}\n@data\n"
    )
    (tmp_path / "b.txt").write_text(CSV.replace(",", ";"))
    dialect = {"separator": ";"}
    sources = [{"file": "a.txt", "format": "arff"}, {"file": "b.txt", "csv": dialect}]
    found = obtain(ENTRY | {"source": sources})
    assert found.digest == digest
    assert found.attempts == [{"source": "a.txt", "reason": "it contains no rows"}]


def test_test_sets_have_sources_of_their_own_and_are_needed(
    server, obtain, folders, reason, tmp_path
):
    train, test = server.page("/a.csv", CSV), server.page("/t.csv", WRONG)
    entry = ENTRY | {"source": {"url": train}, "test": [{"file": "lost.csv"}, {"url": test}]}
    found = obtain(entry)
    assert found.source == f"{train} + {test}"
    assert found.split.tolist() == [0, 0, 0, 1, 1, 1]
    assert found.attempts == [{"source": "lost.csv", "reason": "there is no such file"}]
    (tmp_path / "a.csv").write_text(CSV)
    entry = ENTRY | {"source": {"file": "a.csv"}, "test": {"file": "lost.csv"}}
    assert reason(entry) == "lost.csv: there is no such file"
    drawn = {"generate": "gaussians", "means": [[0], [1]], "rows": [5, 5]}
    found = obtain({"source": drawn, "test": drawn})
    assert len({*found.table.X[:, 0]}) == 20


def test_generated_rows_depend_only_on_the_seed_of_the_entry(obtain):
    import numpy as np

    entry = {"source": {"generate": "gaussians", "means": [[0], [1]], "rows": [5, 5]}}
    first = obtain(entry)
    np.random.seed(7)  # noqa: NPY002, a foreign library may do so
    assert obtain(entry | {"seed": 0}).digest == first.digest
    assert obtain(entry | {"seed": 1}).digest != first.digest


def test_a_data_set_that_scikit_learn_lacks_is_reported(reason):
    assert reason({"source": {"sklearn": "wein"}}) == (
        "scikit-learn's wein: scikit-learn has no data set 'wein'; did you mean 'wine'?"
    )
