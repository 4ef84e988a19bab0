"""Downloads against a server on this machine: lost lines, resumption, wrong files, two at once."""

import bz2
import hashlib
import json
import lzma
import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from onkel.datasets import fetching, transfer
from onkel.datasets.fetching import install
from onkel.datasets.registry import FileInfo
from onkel.datasets.transfer import NotThereError, TransferError
from onkel.datasets.verify import BrokenFileError
from tests.datasets.server import Site, serving

ROWS = 5000
FEATURES = 4


def body(seed: int = 0) -> bytes:
    """Svmlight text of some hundred kilobytes, which compresses badly."""
    X = np.random.default_rng(seed).random((ROWS, FEATURES))
    lines = (
        f"{i % 2} " + " ".join(f"{j + 1}:{value:.6f}" for j, value in enumerate(row))
        for i, row in enumerate(X)
    )
    return ("\n".join(lines) + "\n").encode()


BODY = body()
PLAIN = FileInfo("wave", ROWS)
HASHED = FileInfo("wave", ROWS, sha256=hashlib.sha256(BODY).hexdigest())


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    monkeypatch.setattr(transfer, "PAUSE", 0.0)
    monkeypatch.setattr(transfer, "TIMEOUT", 10.0)


@pytest.fixture
def site():
    with serving() as running:
        running.files["/wave"] = BODY
        yield running


def get(site: Site, folder: Path, file: FileInfo = PLAIN, **options) -> Path:
    return install(file, f"{site.address}/{file.file}", folder, FEATURES, **options)


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.is_file())


@pytest.mark.parametrize("file", [PLAIN, HASHED], ids=["by rows and width", "by checksum"])
def test_a_whole_transfer(site, tmp_path, file):
    seen = []
    path = get(site, tmp_path, file, on_progress=lambda *args: seen.append(args))
    assert path == tmp_path / "wave" and path.read_bytes() == BODY
    assert left(tmp_path) == ["wave"]
    assert seen[-1] == ("wave", len(BODY), len(BODY))
    done = [progress[1] for progress in seen]
    assert done == sorted(done) and len(done) > 2
    get(site, tmp_path, file)
    assert len(site.requests) == 1  # it was there


def test_a_lost_line_is_taken_up_again_at_once(site, tmp_path):
    site.lose_after = [100_000, 20_000]
    assert get(site, tmp_path).read_bytes() == BODY
    ranges = [asked for _, asked in site.requests]
    assert ranges == [None, "bytes=100000-", "bytes=120000-"]


def test_a_transfer_that_keeps_failing_goes_on_next_time(site, tmp_path):
    site.lose_after = [50_000, 1000, 1000, 1000]
    with pytest.raises(TransferError, match=r"/wave: .*53,000 of .* bytes \(4 attempts\)"):
        get(site, tmp_path)
    assert left(tmp_path) == ["wave.part", "wave.part.json"]  # and no file with its name
    assert (tmp_path / "wave.part").read_bytes() == BODY[:53_000]
    assert get(site, tmp_path).read_bytes() == BODY
    assert site.requests[-1] == ("/wave", "bytes=53000-")
    assert left(tmp_path) == ["wave"]


def interrupted(site: Site, folder: Path, bytes_there: int = 50_000) -> None:
    """Leave a transfer half done."""
    site.lose_after = [bytes_there, 0, 0, 0]
    with pytest.raises(TransferError):
        get(site, folder)
    site.requests.clear()


def test_a_file_that_changed_meanwhile_is_fetched_from_the_beginning(site, tmp_path):
    interrupted(site, tmp_path)
    site.files["/wave"] = body(1)
    assert get(site, tmp_path).read_bytes() == body(1)
    assert site.requests == [("/wave", "bytes=50000-")]  # If-Range made the server send it all


def test_without_etag_the_length_tells(site, tmp_path):
    site.validators = False
    interrupted(site, tmp_path)
    assert get(site, tmp_path).read_bytes() == BODY
    assert site.requests == [("/wave", "bytes=50000-")]

    interrupted(site, tmp_path / "other")
    site.files["/wave"] = BODY.replace(b":0.", b":1.0")  # as many rows, another length
    assert get(site, tmp_path / "other").read_bytes() == site.files["/wave"]
    assert [asked for _, asked in site.requests] == ["bytes=50000-", None]


def test_bytes_of_two_files_are_never_joined(site, tmp_path):
    """On the transfer alone: the check after it would hide a mistake here."""
    part = tmp_path / "wave.part"
    site.validators = False
    interrupted(site, tmp_path)
    site.files["/wave"] = body(1) + BODY
    transfer.transfer(f"{site.address}/wave", part)
    assert part.read_bytes() == body(1) + BODY
    transfer.forget(part)

    site.files["/wave"] = BODY
    interrupted(site, tmp_path)
    site.files["/other"] = body(1)
    assert not transfer.transfer(f"{site.address}/other", part)
    assert part.read_bytes() == body(1)


def test_a_file_that_shrank_is_fetched_from_the_beginning(site, tmp_path):
    interrupted(site, tmp_path)
    site.files["/wave"] = b"1 1:1\n" * ROWS
    assert len(site.files["/wave"]) < 50_000
    site.validators = False
    note = tmp_path / "wave.part.json"
    note.write_text(json.dumps({**json.loads(note.read_text()), "validator": None}))
    assert get(site, tmp_path).read_bytes() == site.files["/wave"]
    assert [asked for _, asked in site.requests] == ["bytes=50000-", None]


def test_a_server_that_ignores_ranges(site, tmp_path):
    interrupted(site, tmp_path)
    site.ranges = False
    assert get(site, tmp_path).read_bytes() == BODY
    assert site.requests == [("/wave", "bytes=50000-")]


def test_a_part_that_nothing_vouches_for_is_not_used(site, tmp_path):
    (tmp_path / "wave.part").write_bytes(b"x" * 1000)
    assert get(site, tmp_path).read_bytes() == BODY
    assert site.requests == [("/wave", None)]


@pytest.mark.parametrize("file", [PLAIN, HASHED], ids=["by rows and width", "by checksum"])
def test_damaged_earlier_bytes_cost_a_second_transfer(site, tmp_path, file):
    interrupted(site, tmp_path)
    (tmp_path / "wave.part").write_bytes(b"\0" * 50_000)
    assert get(site, tmp_path, file).read_bytes() == BODY
    assert [asked for _, asked in site.requests] == ["bytes=50000-", None]


def test_a_complete_part_needs_the_check_only(site, tmp_path):
    interrupted(site, tmp_path)
    (tmp_path / "wave.part").write_bytes(BODY)
    assert get(site, tmp_path).read_bytes() == BODY
    assert site.requests == []


def test_a_wrong_checksum_installs_nothing(site, tmp_path):
    site.files["/wave"] = body(1)
    with pytest.raises(BrokenFileError) as error:
        get(site, tmp_path, HASHED)
    for words in ("/wave", str(HASHED.sha256), hashlib.sha256(body(1)).hexdigest()):
        assert words in str(error.value)
    assert left(tmp_path) == []


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"<html>Please log in</html>\n", "svmlight"),
        (BODY[: BODY.rindex(b"\n", 0, -6000) + 1], "rows, it should have 5,000"),
        (BODY + b"1 1:1\n", "more than the 5,000 rows"),
        (BODY.replace(b"4:", b"5:"), "features"),
        (b"\n", "0 rows"),
    ],
    ids=["a page", "too short", "too long", "too wide", "blank"],
)
def test_wrong_content_installs_nothing(site, tmp_path, content, words):
    site.files["/wave"] = content
    with pytest.raises(BrokenFileError, match=words):
        get(site, tmp_path)
    assert left(tmp_path) == []


def test_packed_files_are_checked_inside(site, tmp_path):
    packed = FileInfo("wave.bz2", ROWS)
    site.files["/wave.bz2"] = bz2.compress(BODY)
    assert bz2.decompress(get(site, tmp_path, packed).read_bytes()) == BODY
    for file, content in {
        "cut.bz2": bz2.compress(BODY)[:-100],
        "cut.xz": lzma.compress(BODY)[:-100],
        "other.gz": b"not gzip",
    }.items():
        site.files[f"/{file}"] = content
        with pytest.raises(BrokenFileError, match=f"{file} is not .*(compressed data|line 1)"):
            get(site, tmp_path, FileInfo(file, ROWS))
    assert left(tmp_path) == ["wave.bz2"]


def test_a_line_without_end_is_not_unpacked_to_the_end(site, tmp_path, monkeypatch):
    monkeypatch.setattr("onkel.stream.files.LONGEST_LINE", 1 << 16)
    site.files["/bomb.xz"] = lzma.compress(b"1" * 10_000_000)
    with pytest.raises(BrokenFileError, match="line 1: longer than"):
        get(site, tmp_path, FileInfo("bomb.xz", ROWS))


def test_a_missing_file_is_not_asked_for_again(site, tmp_path):
    with pytest.raises(NotThereError, match="/nothing"):
        get(site, tmp_path, FileInfo("nothing", ROWS))
    assert len(site.requests) == 1
    assert left(tmp_path) == []


def test_errors_of_the_server(site, tmp_path):
    site.errors = [503, 500]
    assert get(site, tmp_path).read_bytes() == BODY
    site.requests.clear()
    site.errors = [403]
    with pytest.raises(TransferError, match="403"):
        get(site, tmp_path / "other")
    assert len(site.requests) == 1
    site.errors = [503] * 9
    with pytest.raises(TransferError, match=r"\(4 attempts\)"):
        get(site, tmp_path / "other")
    assert len(site.requests) == 5


def test_a_server_that_is_down(tmp_path):
    with serving() as gone:
        address = gone.address
    with pytest.raises(TransferError, match=rf"{address}/wave: .*\(4 attempts\)"):
        install(PLAIN, f"{address}/wave", tmp_path, FEATURES)
    assert left(tmp_path) == []


def test_without_a_network_it_does_not_wait(tmp_path, monkeypatch):
    asked = []

    def offline(host: str, *args: object, **options: object) -> None:
        asked.append(host)
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", offline)
    with pytest.raises(TransferError, match=r"collection\.invalid/wave: .*not known"):
        install(PLAIN, "http://collection.invalid/wave", tmp_path, FEATURES)
    assert asked == ["collection.invalid"]


def test_the_name_appears_after_the_check_only(site, tmp_path, monkeypatch):
    moments = []

    def watching(path: Path, *args: object) -> None:
        moments.append((path.name, left(tmp_path)))

    monkeypatch.setattr(fetching, "check", watching)
    get(site, tmp_path, on_progress=lambda *_: moments.append(("", left(tmp_path))))
    assert moments[-1][0] == "wave.part"
    assert all("wave" not in names for _, names in moments)
    assert left(tmp_path) == ["wave"]


def test_an_unwritable_folder_says_so(site, tmp_path):
    (tmp_path / "wave.part").mkdir()
    with pytest.raises(TransferError, match=r"cannot write .*wave\.part.*ONKEL_CACHE"):
        get(site, tmp_path)


PROGRAM = """
import sys, pathlib
from onkel.datasets import transfer
from onkel.datasets.fetching import install
from onkel.datasets.registry import FileInfo
transfer.PAUSE = 0.1
install(FileInfo("wave", int(sys.argv[3])), sys.argv[1], pathlib.Path(sys.argv[2]), 4)
"""


def test_two_processes_fetch_one_file_once(site, tmp_path):
    site.lose_after = [30_000, 30_000]
    command = [sys.executable, "-c", PROGRAM, f"{site.address}/wave", str(tmp_path), str(ROWS)]
    both = [subprocess.Popen(command, env=os.environ) for _ in range(2)]
    assert [process.wait(timeout=60) for process in both] == [0, 0]
    assert (tmp_path / "wave").read_bytes() == BODY
    assert left(tmp_path) == ["wave"]
    assert [asked for _, asked in site.requests] == [None, "bytes=30000-", "bytes=60000-"]
