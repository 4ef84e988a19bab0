"""A web server on this machine for the tests of downloads: it can resume, lose the line, and lie."""

import hashlib
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Site:
    """What the server has and how it behaves; `requests` keeps (path, Range) of what was asked."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.requests: list[tuple[str, str | None]] = []
        #: For one request after the other: the bytes after which the connection is lost.
        self.lose_after: list[int] = []
        #: For one request after the other: an error status instead of the file.
        self.errors: list[int] = []
        self.ranges = True
        self.validators = True
        self.address = ""


def tag(body: bytes) -> str:
    return f'"{hashlib.md5(body).hexdigest()}"'


def _handler(site: Site) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = 10

        def do_GET(self) -> None:
            asked = self.headers.get("Range")
            site.requests.append((self.path, asked))
            if site.errors:
                return self.send_error(site.errors.pop(0))
            if self.path not in site.files:
                return self.send_error(404)
            body = site.files[self.path]
            start = self.start(asked, body)
            if start >= len(body):
                return self.send_error(416)
            self.send_response(206 if start else 200)
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
            if site.validators:
                self.send_header("ETag", tag(body))
            self.send_header("Content-Length", str(len(body) - start))
            self.end_headers()
            end = start + site.lose_after.pop(0) if site.lose_after else len(body)
            self.wfile.write(body[start:end])
            return None

        def start(self, asked: str | None, body: bytes) -> int:
            same = self.headers.get("If-Range", tag(body)) == tag(body)
            if not asked or not site.ranges or not same:
                return 0
            match = re.fullmatch(r"bytes=(\d+)-", asked)
            assert match
            return int(match[1])

        def log_message(self, *args: object) -> None:
            pass

    return Handler


@contextmanager
def serving() -> Iterator[Site]:
    """A running server; its `address` has the port that the system chose."""
    site = Site()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(site))
    server.daemon_threads = True
    site.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
