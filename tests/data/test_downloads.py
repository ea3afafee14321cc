"""Downloads are retried, respect Retry-After, and report each fault of a server in one line."""

import gzip
import re
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from email.utils import formatdate
from itertools import pairwise

import pytest
from cases import each

from linclass_study.data.download import download
from linclass_study.errors import Unavailable

BODY = b"".join(b"%d,%d\n" % (i, i * i) for i in range(40_000))  # about 0.5 MB
PACKED = gzip.compress(BODY)


def send(handler, status=200, body=b"", whole=None, **headers):
    """An answer; `whole` bytes are promised, which may be more than are sent."""
    handler.send_response_only(status)
    length = len(body) if whole is None else whole
    for name, value in ({"Content-Length": str(length)} | headers).items():
        if value is not None:
            handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)
    handler.wfile.flush()


@pytest.fixture
def limits(hasty):
    return replace(hasty, megabytes=10, pauses=(0.01, 0.02, 0.02))


@pytest.fixture
def get(server, limits, tmp_path):
    """get(script): what download gives for a page with this script."""

    def run(script, **other):
        url = server.page("/a.csv", script=script)
        limited = replace(limits, **other)
        return download(url, tmp_path / "a.csv", None, True, limited).read_bytes()

    return run


@pytest.fixture
def why(get, tmp_path):
    """why(script): one line, after which no file is left."""

    def run(script, **other):
        with pytest.raises(Unavailable) as caught:
            get(script, **other)
        assert not [*tmp_path.iterdir()]
        assert "\n" not in str(caught.value)
        return str(caught.value)

    return run


def test_an_interrupted_download_restarts_and_is_never_spliced(get, server, tmp_path):
    def script(handler, number):
        send(handler, body=BODY[::-1][:1000] if number == 1 else BODY, whole=len(BODY))

    assert get(script) == BODY
    assert "Range" not in server.pages["/a.csv"].heard[1]
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


def test_simultaneous_downloads_leave_one_complete_file(get, tmp_path):
    def slowly(handler, number):
        send(handler, body=BODY[:100_000], whole=len(BODY))
        time.sleep(0.3)
        handler.wfile.write(BODY[100_000:])

    with ThreadPoolExecutor(3) as threads:
        assert [*threads.map(get, [slowly] * 3)] == [BODY] * 3
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


def test_a_temporary_error_is_retried_after_growing_pauses(get):
    pauses = (0.05, 0.1, 0.2)
    for status in (408, 429, 500, 502, 503, 504):
        times = []

        def script(handler, number, status=status, times=times):
            times.append(time.monotonic())
            send(handler, status) if number < 4 else send(handler, body=BODY)

        assert get(script, pauses=pauses) == BODY
        found = [b - a for a, b in pairwise(times)]
        assert all(one > 0.75 * wanted for one, wanted in zip(found, pauses, strict=True)), status


def test_permanent_http_errors_are_not_retried_and_retries_end(why, server, limits):
    for status in (400, 401, 403, 404, 410, 204, 304):
        output = why(lambda h, n, status=status: send(h, status))
        assert f"the server answers {status}" in output
        assert server.pages["/a.csv"].requests == 1
    assert why(lambda h, n: send(h, 503)) == "the server answers 503 Service Unavailable"
    assert server.pages["/a.csv"].requests == 1 + len(limits.pauses)


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_the_server_says_when_to_come_back(get, form):
    def script(handler, number):
        later = time.time() + 2  # a date has whole seconds only
        wait = "1" if form == "seconds" else formatdate(later, usegmt=True)
        send(handler, 429, Retry_After=wait) if number == 1 else send(handler, body=BODY)

    started = time.monotonic()
    assert get(script) == BODY
    assert 0.9 < time.monotonic() - started < 5


def test_a_retry_after_beyond_the_time_limit_fails_at_once(why, server):
    started = time.monotonic()
    assert why(lambda h, n: send(h, 429, Retry_After="7200")) == (
        "the server answers 429 Too Many Requests; a retry in 7200 seconds would exceed "
        "limits.download_seconds = 20"
    )
    assert time.monotonic() - started < 2
    assert server.pages["/a.csv"].requests == 1


OK = b"HTTP/1.1 200 OK\r\n"
LATE = "not complete after 1 seconds"


@pytest.mark.parametrize(("sent", "reason"), [
    (OK + b"Content-Length: 500000\r\n\r\n" + BODY[:200_000],
        rf"^{LATE} \(limits.download_seconds\): [1-9][\d,]* bytes arrived$"),
    (OK + b"X-Long: ", LATE),
    (OK + b"Transfer-Encoding: chunked\r\n\r\n5;x=", LATE),
], ids=["body", "head", "chunk size"])  # fmt: skip
def test_a_slow_response_times_out_in_one_line_and_leaves_no_file(why, sent, reason):
    def drip(handler, number):
        handler.wfile.write(sent)
        for _ in range(100):
            time.sleep(0.1)
            handler.wfile.write(b"1")

    started = time.monotonic()
    assert re.search(reason, why(drip, seconds=1))
    assert time.monotonic() - started < 3


def test_a_file_beyond_the_limit_is_refused_before_or_while_it_is_read(why):
    wanted = "it has more than 0.3 MB; raise limits.download_mb if this size is intended"
    assert why(lambda h, n: send(h, whole=len(BODY)), megabytes=0.3) == wanted
    unknown = {"Content-Length": None}
    assert why(lambda h, n: send(h, body=BODY, **unknown), megabytes=0.3) == wanted
    bomb = gzip.compress(bytes(30_000_000), 9)
    packed = why(lambda h, n: send(h, body=bomb, Content_Encoding="gzip"))
    assert "it has more than 10 MB" in packed


def chunked(handler, *chunks, end=b"0\r\n\r\n"):
    handler.protocol_version = "HTTP/1.1"
    handler.send_response_only(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    for chunk in chunks:
        handler.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
    handler.wfile.write(end)


GOOD = {
    "in chunks": lambda h, n: chunked(h, BODY[:1000], BODY[1000:]),
    "in an encoding that was not requested":
        lambda h, n: send(h, body=PACKED, Content_Encoding="gzip"),
    "of a length of five thousand digits":
        lambda h, n: send(h, body=BODY, **{"Content-Length": "9" * 5000}),
    **{f"after an invalid Retry-After, {wait!r}":
        lambda h, n, wait=wait: send(h, 503, Retry_After=wait) if n == 1 else send(h, body=BODY)
        for wait in ("soon", "-3", "", "Thu, 01 Jan 1970 00:00:00 GMT", "1e9")},
}  # fmt: skip


@each("case", GOOD)
def test_an_unusual_response_is_read(get, case):
    assert get(GOOD[case]) == BODY


BAD = {  # name: (script, words of the reason)
    "short body": (lambda h, n: send(h, body=BODY[:9], whole=99), "the connection broke off"),
    "cut chunk": (lambda h, n: chunked(h, BODY, end=b"ff\r\nab"), "the connection broke off"),
    "no last chunk": (lambda h, n: chunked(h, BODY, end=b""), "the connection broke off"),
    "no chunk": (lambda h, n: chunked(h, end=b"zz\r\n"), "the connection broke off"),
    "closed at once": (lambda h, n: None, "the connection broke off"),
    "no HTTP": (lambda h, n: h.wfile.write(b"SSH-2.0\r\n\r\n"), "the connection broke off"),
    "login page": (lambda h, n: send(h, body=b"\n <!DOCTYPE html><p>Please log in"),
        "the server returned a web page instead of data"),
    "false gzip": (lambda h, n: send(h, body=BODY, Content_Encoding="gzip"),
        "the content encoding is not the one that the server states"),
    "unknown encoding": (lambda h, n: send(h, body=BODY, Content_Encoding="br"),
        "the server sends the file as 'br', which was not requested"),
    "circle": (lambda h, n: send(h, 302, Location="/a.csv"), "the server redirects in a loop"),
    "to a file": (lambda h, n: send(h, 302, Location="file:///etc/passwd"), "invalid URL"),
    "a part nobody asked for": (lambda h, n: send(h, 206, BODY[:9], Content_Range="bytes 0-8/99"),
        "the server answers 206"),
}  # fmt: skip


@each("case", BAD)
def test_a_bad_response_is_reported_in_one_line_and_leaves_no_file(why, case):
    script, words = BAD[case]
    assert words in why(script)
