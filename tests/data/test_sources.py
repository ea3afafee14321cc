"""The order of downloads, mirrors, network and further sources: the first with the right content is used."""

import hashlib
import shutil
import socket
import time
from itertools import count
from unittest import mock

import numpy as np
import pytest

CSV = "a,y\n1,no\n2,yes\n3,no\n"
WRONG = "a,y\n1,no\n2,yes\n4,no\n"
ENTRY = {"format": "csv", "target": "y"}
DRAWN = {"generate": "gaussians", "means": [[0], [1]], "rows": [5, 5]}


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def of(*sources, **keys):
    """An entry with these sources: addresses, or keys of a source."""
    given = [{"url": one} if isinstance(one, str) else one for one in sources]
    return ENTRY | {"source": given if len(given) > 1 else given[0]} | keys


@pytest.fixture
def mirror(tmp_path):
    """mirror(name, text) makes a new folder with one file."""
    numbers = count()

    def call(name, text):
        folder = tmp_path / f"mirror{next(numbers)}"
        folder.mkdir()
        (folder / name).write_bytes(text.encode())
        return folder

    return call


@pytest.fixture
def digest(read):
    return read("right.csv", CSV, **ENTRY).digest


def test_a_file_is_fetched_once_and_kept_apart_from_files_of_its_name(server, obtain, tmp_path):
    url = server.page("/deep/a.csv", CSV)
    first, again = obtain(of(url)), obtain(of(url))
    assert server.pages["/deep/a.csv"].requests == 1
    assert first.digest == again.digest
    assert first.source == url
    assert again.source.startswith(url + " (copy in ")
    assert [f.name for f in (tmp_path / "downloads").rglob("*") if f.is_file()] == ["a.csv"]
    one, two = server.page("/one/data.csv", CSV), server.page("/two/data.csv", WRONG)
    assert len({obtain(of(url)).digest for url in (one, two, one)}) == 2


def test_a_mirror_comes_before_the_network_and_downloads_may_be_filled_by_hand(
    server, obtain, mirror, nobody, tmp_path, digest
):
    url = server.page("/a.csv", CSV)
    found = obtain(of(url), mirror("b.csv", ""), mirror("a.csv", CSV))
    assert found.digest == digest
    assert found.source.startswith(f"{url} (copy in ")
    assert server.pages["/a.csv"].requests == 0
    (tmp_path / "downloads").mkdir(exist_ok=True)
    (tmp_path / "downloads" / "a b.csv").write_text(CSV)
    assert obtain(of(f"{nobody}/a%20b.csv")).digest == digest


def test_copies_and_sources_with_other_content_are_passed_over_with_the_reason(
    server, obtain, mirror, tmp_path, digest
):
    url, pinned = server.page("/a.csv", CSV), sha256(CSV)
    for entry, words in (
        (of({"url": url, "sha256": [sha256("old"), pinned]}), f"not {sha256('old')[:12]}…"),
        (of({"url": url, "sha256": pinned}), f"not {pinned[:12]}…"),
        (of(url, digest=digest), f"not {digest}"),
    ):
        wrong = mirror("a.csv", WRONG)
        found = obtain(entry, wrong)
        assert (found.digest, found.source) == (digest, url)
        (attempt,) = found.attempts
        assert attempt["source"] == f"{url} (copy in {wrong})"
        assert words in attempt["reason"]
        shutil.rmtree(tmp_path / "downloads")
    (tmp_path / "wrong.csv").write_text(WRONG)
    found = obtain(of(*({"file": f"{f}.csv"} for f in ("lost", "wrong", "right")), digest=digest))
    assert found.source == "right.csv"
    assert [attempt["source"] for attempt in found.attempts] == ["lost.csv", "wrong.csv"]


def test_a_file_with_another_sha256_is_not_kept_and_a_spoilt_one_is_fetched_anew(
    server, obtain, reason, tmp_path
):
    url = server.page("/a.csv", CSV)
    output = reason(of({"url": url, "sha256": sha256("something else")}))
    assert f"its sha256 is {sha256(CSV)[:12]}…, not {sha256('something else')[:12]}…" in output
    assert not [f for f in tmp_path.rglob("*") if f.is_file()]
    entry = of({"url": url, "sha256": sha256(CSV)})
    digest = obtain(entry).digest
    (kept,) = (tmp_path / "downloads").rglob("a.csv")
    kept.write_text("a,y\n1,")
    assert obtain(entry).digest == digest
    assert kept.read_text() == CSV


def test_a_copy_with_other_bytes_is_accepted_if_only_its_content_is_pinned(
    nobody, obtain, mirror, digest
):
    copies = mirror("a.csv", '"y","a"\r\nyes,2.0\r\nno,3\r\nno,1\r\n')
    assert obtain(of(f"{nobody}/a.csv", digest=digest), copies).digest == digest


def test_if_every_source_fails_one_line_gives_each_reason(nobody, reason, tmp_path, digest):
    (tmp_path / "wrong.csv").write_text(WRONG)
    (tmp_path / "ragged.csv").write_text("a,y\n1,no\n2\n")
    files = [{"file": f"{name}.csv"} for name in ("lost", "wrong", "ragged")]
    parts = reason(of(*files, f"{nobody}/a.csv", digest=digest)).split("; ")
    assert parts[0] == "lost.csv: there is no such file"
    assert parts[1].startswith("wrong.csv: its content has the digest sha256:")
    assert parts[2].startswith("ragged.csv: line 3 has 1 field where 2 are expected (correct it")
    assert parts[3].startswith(f"{nobody}/a.csv: the server cannot be reached")
    output = reason(of({"file": "wrong.csv"}, {"file": "right.csv"}, target="z"))
    assert output.count("no column 'z'") == 1  # an error of every source
    assert output.endswith("(in each of 2 sources)")


def test_faults_of_network_and_disk_are_reported(server, reason, monkeypatch, tmp_path):
    unknown = socket.gaierror(socket.EAI_NONAME, "Name or service not known")
    with monkeypatch.context() as patched:
        patched.setattr(socket, "getaddrinfo", mock.Mock(side_effect=unknown))
        output = reason(of("http://data.example.org/a.csv"))
    assert output == "http://data.example.org/a.csv: the name of the server cannot be resolved"
    url = server.page("/a.csv", "")
    assert f"{url}: the file is empty" in reason(of(url))
    shutil.rmtree(tmp_path / "downloads", ignore_errors=True)
    (tmp_path / "downloads").write_text("a file, not a folder")
    assert "cannot be stored in" in reason(of(url))


def test_a_silent_server_and_a_network_that_drops_packets_time_out(
    silent, server, obtain, swallowing, reason
):
    good = server.page("/b.csv", CSV)
    for url, words in (
        (f"{silent}/a.csv", "no data received for 0.4 seconds"),
        (f"{swallowing}/a.csv", "no connection within 0.4 seconds"),
    ):
        started = time.monotonic()
        found = obtain(of(url, good))
        assert time.monotonic() - started < 3
        assert found.attempts == [{"source": url, "reason": words}]
    url = server.page("/a.csv", statuses=[302], headers={"Location": f"{swallowing}/a.csv"})
    assert "no connection within 0.4 seconds" in reason(of(url))


def test_a_source_is_not_retried_while_another_remains(server, obtain):
    url = server.page("/a.csv", CSV, statuses=[503, 200])
    assert obtain(of(url, server.page("/b.csv", CSV))).source.endswith("/b.csv")
    assert server.pages["/a.csv"].requests == 1


def test_a_file_is_searched_beside_the_study_in_mirrors_and_in_the_project(
    obtain, tmp_path, reason, mirror, digest
):
    entry = {"format": "csv", "target": "chd", "source": {"file": "resources/SAheart.data"}}
    assert len(obtain(entry).y) == 462
    (tmp_path / "resources").mkdir()
    (tmp_path / "resources" / "SAheart.data").write_text("x,chd\n1,0\n2,1\n")
    assert len(obtain(entry).y) == 2
    copies = mirror("a.csv", CSV)
    assert obtain(of({"file": "a.csv"}), copies).digest == digest
    assert "there is no such file" in reason(of({"file": "my/a.csv"}), copies)


def test_each_source_may_have_its_own_format(obtain, tmp_path, digest):
    empty = "@relation r\n@attribute a real\n@attribute y {no,yes}\n@data\n"
    (tmp_path / "a.txt").write_text(empty)
    (tmp_path / "b.txt").write_text(CSV.replace(",", ";"))
    dialect = {"csv": {"separator": ";"}}
    found = obtain(of({"file": "a.txt", "format": "arff"}, {"file": "b.txt"} | dialect))
    assert found.digest == digest
    assert found.attempts == [{"source": "a.txt", "reason": "it contains no rows"}]


def test_test_sets_have_sources_of_their_own_and_are_needed(server, obtain, reason):
    train, test = server.page("/a.csv", CSV), server.page("/t.csv", WRONG)
    found = obtain(of(train, test=[{"file": "lost.csv"}, {"url": test}]))
    assert found.source == f"{train} + {test}"
    assert found.split.tolist() == [0, 0, 0, 1, 1, 1]
    assert found.attempts == [{"source": "lost.csv", "reason": "there is no such file"}]
    assert reason(of(train, test={"file": "lost.csv"})) == "lost.csv: there is no such file"
    assert len({*obtain({"source": DRAWN, "test": DRAWN}).table.X[:, 0]}) == 20


def test_generated_rows_depend_only_on_the_seed_of_the_entry(obtain):
    first = obtain({"source": DRAWN})
    np.random.seed(7)  # noqa: NPY002, a foreign library may do so
    assert obtain({"source": DRAWN, "seed": 0}).digest == first.digest
    assert obtain({"source": DRAWN, "seed": 1}).digest != first.digest


def test_a_data_set_that_scikit_learn_lacks_is_reported(reason):
    assert reason({"source": {"sklearn": "wein"}}) == (
        "scikit-learn's wein: scikit-learn has no data set 'wein'; did you mean 'wine'?"
    )
