"""A local web server with the faults of real ones, and a fixture that obtains a data set."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from linclass_study.data.local_copies import DownloadLimits, SearchFolders
from linclass_study.data.source_reader import obtain_dataset
from linclass_study.errors import Unavailable

ROOT = Path(__file__).parents[2]


@dataclass
class Page:
    """What the server answers on a path: each request takes the next status, the last one stays.

    `script` answers in its own way; it takes the handler and the number of the request.
    """

    body: bytes = b""
    statuses: list[int] = field(default_factory=lambda: [200])
    headers: dict[str, str] = field(default_factory=dict)
    script: Callable[[Any, int], None] | None = None
    requests: int = 0
    heard: list[dict[str, str]] = field(default_factory=list)  # the headers of each request


class Server:
    def __init__(self) -> None:
        self.pages = {}
        pages = self.pages

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                page = pages.get(self.path, Page(statuses=[404]))
                status = page.statuses[min(page.requests, len(page.statuses) - 1)]
                page.requests += 1
                page.heard.append(dict(self.headers))
                if page.script is not None:
                    with suppress(ConnectionError):  # nobody listens any longer
                        page.script(self, page.requests)
                    self.close_connection = True
                    return
                self.send_response(status)
                for name, value in ({"Content-Length": str(len(page.body))} | page.headers).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(page.body)

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.01,))
        self.thread.start()

    def page(self, path, body=b"", **about):
        """Publish a page; its address."""
        self.pages[path] = Page(body.encode() if isinstance(body, str) else body, **about)
        return self.url + path

    def close(self):
        self.http.shutdown()
        self.http.server_close()
        self.thread.join()


# Loopback answers at once, so tests wait for it less long than a study waits for the world.
HASTY = DownloadLimits(
    seconds=20, megabytes=1000, connect_timeout=0.4, read_timeout=0.4, pauses=(0.01, 0.02)
)


@pytest.fixture
def hasty():
    return HASTY


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setenv("no_proxy", "*")


@pytest.fixture
def server():
    running = Server()
    yield running
    running.close()


@pytest.fixture
def silent():
    """The address of a server that accepts every connection and never responds."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


@pytest.fixture
def swallowing():
    """The address of a machine that swallows packets: a full queue lets no handshake finish."""
    with ExitStack() as stack:
        listening = stack.enter_context(socket.socket())
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        for _ in range(4):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listening.getsockname())
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


@pytest.fixture
def nobody():
    """The address of a port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return f"http://127.0.0.1:{listening.getsockname()[1]}"


@pytest.fixture
def obtain(tmp_path, monkeypatch):
    """obtain(entry) in an empty folder, with its own downloads and the mirrors that are given."""
    monkeypatch.chdir(tmp_path)

    def run(entry, *mirrors, limits=HASTY):
        return obtain_dataset(
            entry, SearchFolders([*mirrors], tmp_path / "downloads", limits=limits)
        )

    return run


@pytest.fixture
def read(obtain, tmp_path):
    """read("a.csv", text, target="y"): the data set of a file with this content and these keys of its entry."""

    def call(name, content, **keys):
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return obtain({"source": {"file": name}} | keys)

    return call


@pytest.fixture
def reason(obtain):
    """Why an entry is unavailable: always one line."""

    def run(entry, *mirrors, **options):
        with pytest.raises(Unavailable) as caught:
            obtain(entry, *mirrors, **options)
        assert "\n" not in str(caught.value)
        return str(caught.value)

    return run


@pytest.fixture(scope="session")
def mirrors():
    """The local copies of published files that this machine has."""
    found = [Path(f) for f in os.environ.get("LINCLASS_MIRRORS", "").split(os.pathsep) if f]
    if not found:
        pytest.skip("LINCLASS_MIRRORS names no folder with copies of the published files")
    return found
