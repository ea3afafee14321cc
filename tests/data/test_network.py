"""Faults of a network, such as none, a slow or a wrong one, are reported soon and with the reason."""

import hashlib
import socket
import time

CSV = "a,y\n1,no\n2,yes\n3,no\n"
ENTRY = {"format": "csv", "target": "y"}


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_file_is_fetched_once_and_kept_apart_from_files_of_its_name(server, obtain, tmp_path):
    url = server.page("/deep/a.csv", CSV)
    first = obtain(ENTRY | {"source": {"url": url}})
    again = obtain(ENTRY | {"source": {"url": url}})
    assert server.pages["/deep/a.csv"].requests == 1
    assert first.digest == again.digest
    assert first.source == url
    assert again.source.startswith(url + " (copy in ")
    assert [f.name for f in (tmp_path / "downloads").rglob("*") if f.is_file()] == ["a.csv"]
    one = server.page("/one/data.csv", CSV)
    two = server.page("/two/data.csv", CSV.replace("3", "4"))
    digests = {obtain(ENTRY | {"source": {"url": url}}).digest for url in (one, two, one)}
    assert len(digests) == 2


def test_an_empty_file_is_reported_with_its_address(server, reason):
    url = server.page("/a.csv", "")
    output = reason(ENTRY | {"source": {"url": url}})
    assert "the file is empty" in output
    assert url in output


def test_a_name_that_does_not_exist_is_reported(reason, monkeypatch):
    def lookup(*_, **__):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    output = reason(ENTRY | {"source": {"url": "http://data.example.org/a.csv"}})
    assert output == "http://data.example.org/a.csv: the name of the server cannot be resolved"


def test_a_port_that_nobody_listens_on_is_reported(nobody, reason):
    assert "the server cannot be reached" in reason(ENTRY | {"source": {"url": f"{nobody}/a.csv"}})


def test_a_file_with_another_sha256_is_not_used_nor_kept(server, reason, tmp_path):
    url = server.page("/a.csv", CSV)
    output = reason(ENTRY | {"source": {"url": url, "sha256": sha256("something else")}})
    assert f"its sha256 is {sha256(CSV)[:12]}…, not {sha256('something else')[:12]}…" in output
    assert not [f for f in tmp_path.rglob("*") if f.is_file()]


def test_any_sha256_of_a_list_is_accepted(server, obtain):
    url = server.page("/a.csv", CSV)
    assert obtain(ENTRY | {"source": {"url": url, "sha256": [sha256("old"), sha256(CSV)]}}).digest


def test_a_silent_server_and_a_network_that_drops_packets_time_out(
    silent, server, obtain, swallowing, reason
):
    started = time.monotonic()
    found = obtain(
        ENTRY | {"source": [{"url": f"{silent}/a.csv"}, {"url": server.page("/b.csv", CSV)}]}
    )
    assert time.monotonic() - started < 3
    assert found.attempts == [
        {"source": f"{silent}/a.csv", "reason": "no data received for 0.4 seconds"}
    ]
    found = obtain(
        ENTRY | {"source": [{"url": f"{swallowing}/a.csv"}, {"url": server.page("/b.csv", CSV)}]}
    )
    assert time.monotonic() - started < 3
    assert found.attempts[0]["reason"] == "no connection within 0.4 seconds"
    url = server.page("/a.csv", statuses=[302], headers={"Location": f"{swallowing}/a.csv"})
    assert "no connection within 0.4 seconds" in reason(ENTRY | {"source": {"url": url}})


def test_a_source_is_not_retried_while_another_remains(server, obtain):
    url = server.page("/a.csv", CSV, statuses=[503, 200])
    found = obtain(ENTRY | {"source": [{"url": url}, {"url": server.page("/b.csv", CSV)}]})
    assert server.pages["/a.csv"].requests == 1
    assert found.source.endswith("/b.csv")


def test_a_spoilt_download_is_fetched_anew(server, obtain, tmp_path):
    url = server.page("/a.csv", CSV)
    entry = ENTRY | {"source": {"url": url, "sha256": sha256(CSV)}}
    digest = obtain(entry).digest
    (kept,) = (tmp_path / "downloads").rglob("a.csv")
    kept.write_text("a,y\n1,")
    assert obtain(entry).digest == digest
    assert kept.read_text() == CSV


def test_a_file_put_into_downloads_by_hand_is_found_by_its_name(obtain, nobody, tmp_path):
    (tmp_path / "downloads").mkdir()
    (tmp_path / "downloads" / "a b.csv").write_text(CSV)
    assert obtain(ENTRY | {"source": {"url": f"{nobody}/a%20b.csv"}}).digest


def test_a_downloads_folder_that_cannot_be_is_reported(server, reason, tmp_path):
    (tmp_path / "downloads").write_text("a file, not a folder")
    url = server.page("/a.csv", CSV)
    assert "cannot be stored in" in reason(ENTRY | {"source": {"url": url}})
