"""Data sets of openml.org, from a server on this machine that answers as theirs does."""

import hashlib
import json
import shutil

import numpy as np
from cases import each

from linclass_study.data.download import TemporaryFailure

# name → (type as ARFF declares it, type as the API tells it)
DENSE = {
    "id": ("numeric", "numeric"),
    "amount": ("numeric", "numeric"),
    "note": ("string", "string"),
    "colour": ("{red, 'dark blue', 3}", "nominal"),
    "class": ("{good, bad}", "nominal"),
}
ROWS = "1, 10, x, red, good\n2, ?, 'y z', 'dark blue', bad\n3, 5, ?, 3, good\n4, 2.5, w, ?, bad\n"
SPARSE = {
    "a": ("numeric", "numeric"), "b": ("numeric", "numeric"), "c": ("numeric", "numeric"),
    "class": ("{no, yes}", "nominal"),
}  # fmt: skip
SPARSE_ROWS = "{0 ?, 3 yes}\n{0 0, 2 -2}\n{1 4, 2 1, 3 yes}\n{2 0, 3 no}\n"


def publish(server, columns=DENSE, rows=ROWS, **about):
    """The four pages of a data set; its entry."""
    number = 31
    declared = "".join(f"@attribute {name} {kind}\n" for name, (kind, _) in columns.items())
    text = f"@relation loans\n{declared}@data\n{rows}"
    described = {
        "id": str(number), "name": "loans", "version": "2", "status": "active", "format": "ARFF",
        "description": "loans", "url": f"https://www.openml.org/data/v1/download/{number}/loans.arff",
        "md5_checksum": hashlib.md5(text.encode(), usedforsecurity=False).hexdigest(),
    } | about  # fmt: skip
    features = [
        {
            "index": str(i), "name": name, "data_type": kind, "is_target": str(name == "class").lower(),
            "is_ignore": "false", "is_row_identifier": str(name == "id").lower(),
            "number_of_missing_values": "0",
        }
        for i, (name, (_, kind)) in enumerate(columns.items())
    ]  # fmt: skip
    qualities = [{"name": "NumberOfInstances", "value": str(rows.count("\n"))}]
    api = "/api/v1/json/data"
    server.page(f"{api}/{number}", json.dumps({"data_set_description": described}))
    server.page(f"{api}/features/{number}", json.dumps({"data_features": {"feature": features}}))
    server.page(f"{api}/qualities/{number}", json.dumps({"data_qualities": {"quality": qualities}}))
    server.page(f"/data/v1/download/{number}/loans.arff", text)
    return {"source": {"openml": {"id": number, "server": server.url}}}


def test_openml_gives_the_features_and_the_target_it_declares_or_another(server, obtain):
    found = obtain(publish(server) | {"texts": ["note"]})
    assert found.table.names == ("amount", "colour", "note")
    assert found.table.levels["colour"] == ("3", "dark blue", "red")
    assert found.table.levels["note"] == ("", "w", "x", "y z")
    assert found.classes == ["bad", "good"]
    good = found.table.X[found.y == 1]
    assert sorted(good[:, 0]) == [5, 10]
    assert np.isnan(found.table.X[:, 0]).sum() == np.isnan(found.table.X[:, 1]).sum() == 1
    found = obtain(publish(server) | {"target": "colour", "drop": ["class"], "classes": ["red", 3]})
    assert found.classes == ["red", "3"]
    assert found.table.names == ("amount", "note")


def test_sparse_arff_becomes_sparse_rows_or_an_array(server, obtain):
    """Entries may be missing, or zeros that are written out."""
    entry = publish(server, SPARSE, SPARSE_ROWS, format="Sparse_ARFF")
    assert not obtain(entry).table.is_sparse
    for dense in (True, False):
        found = obtain(entry | {"dense": dense})
        assert found.table.is_sparse is not dense
        assert (found.table.names, found.classes) == (("a", "b", "c"), ["no", "yes"])
        X = found.table.X if dense else found.table.X.toarray()
        assert np.isnan(X).sum() == 1
        X = np.nan_to_num(X, nan=9)
        assert sorted(X[found.y == 1].tolist()) == [[0, 4, 1], [9, 0, 0]]
        assert sorted(X[found.y == 0].tolist()) == [[0, 0, -2], [0, 0, 0]]
    assert found.table.X.indices.dtype == found.table.X.indptr.dtype == np.int32


def test_an_openml_set_is_complete_in_downloads_and_in_mirrors(server, obtain, tmp_path):
    entry = publish(server)
    first = obtain(entry)
    downloads, mirror = tmp_path / "downloads" / "openml", tmp_path / "mirror" / "openml"
    assert [page.requests for page in server.pages.values()] == [1] * 4
    assert not list(downloads.rglob("*.partial"))
    server.pages.clear()
    assert obtain(entry).digest == first.digest
    shutil.copytree(downloads, mirror)
    shutil.rmtree(downloads)
    again = obtain(entry, mirror.parent)
    assert again.digest == first.digest
    assert again.source == f"openml 31 (copy in {mirror.parent})"
    publish(server)
    shutil.rmtree(mirror / "openml.org" / "data")
    found = obtain(entry, mirror.parent)
    assert found.source == "openml 31"
    assert found.attempts[0]["reason"] == "/data/v1/download/31/loans.arff is not in it"


def test_a_temporary_error_is_retried(server, obtain):
    entry = publish(server)
    server.pages["/api/v1/json/data/features/31"].statuses[:] = [503, 503, 200]
    assert obtain(entry).digest
    assert server.pages["/api/v1/json/data/features/31"].requests == 3


def test_a_missing_network_is_reported_once_without_delay(reason, monkeypatch):
    asked = []

    def unreachable(url, *_, **__):
        asked.append(url)
        raise TemporaryFailure("the name www.openml.org cannot be resolved", unreachable=True)

    monkeypatch.setattr("linclass_study.data.download.download", unreachable)
    output = reason({"source": {"openml": 31}})
    assert output == "openml 31: the name www.openml.org cannot be resolved"
    assert asked == ["https://www.openml.org/api/v1/json/data/31"]


@each(("about", "words"), [
    ({"md5_checksum": "0" * 32}, "The md5 checksum of the file"),
    ({"url": "https://www.openml.org/lost.arff"}, "the server answers 404"),
    ({"url": "https://www.openml.org/data/../../../../x.arff"}, "404"),
    ({"rows": "1, 2, 3\n"}, "it cannot be read"),  # of other width than declared
])  # fmt: skip
def test_a_wrong_openml_response_is_reported_in_one_line(about, words, server, reason, tmp_path):
    shutil.rmtree(tmp_path / "downloads", ignore_errors=True)
    assert words in reason(publish(server, **about))
    assert not list(tmp_path.parent.glob("x.arff*"))


def test_an_invalid_description_is_downloaded_again(server, reason, obtain):
    server.page("/api/v1/json/data/31", '{"error": {"code": "111"}}')
    entry = {"source": {"openml": {"id": 31, "server": server.url}}}
    assert "does not describe a data set" in reason(entry)
    publish(server)
    assert obtain(entry).digest


def test_urllib_is_restored_afterwards(server, obtain):
    from urllib.request import urlopen

    obtain(publish(server))
    page = server.page("/other", "hello")
    with urlopen(page) as answer:
        assert answer.read() == b"hello"
