"""Where files come from: the data folder, then the cache, then the network."""

import bz2
import hashlib
import io
import json
import lzma

import numpy as np
import pytest

from onkel.datasets import available, fetch, info, load, locate, registry, transfer, where
from onkel.datasets.bar import bar
from onkel.datasets.verify import BrokenFileError
from onkel.stream import MalformedError
from tests.datasets.server import serving

TRAIN = b"+1 1:0.5 3:2\n-1 2:1\n+1 1:-4\n"
TEST = b"-1 3:7\n"
PACKED = lzma.compress(TRAIN)
COLLECTION = "https://collection.invalid/libsvmtools/datasets/"
REGISTRY = {
    "datasets": [
        {
            "name": "toy",
            "title": "A toy",
            "task": "binary",
            "features": 5,
            "classes": 2,
            "source": "LIBSVM",
            "page": "",
            "aliases": ["plaything"],
            "parts": {
                "train": [
                    {
                        "file": "toy.train.svm.xz",
                        "rows": 3,
                        "sha256": hashlib.sha256(PACKED).hexdigest(),
                    },
                    {"file": "toy.bz2", "rows": 3, "url": COLLECTION + "binary/toy.bz2"},
                ],
                "test": [{"file": "toy.t", "rows": 1, "url": COLLECTION + "binary/toy.t"}],
            },
        },
        {
            "name": "csv",
            "title": "A set in another form",
            "task": "regression",
            "features": 2,
            "classes": None,
            "source": "UCI",
            "page": "https://archive.invalid/csv",
            "obtain": "UCI has it as a zip archive with a CSV file",
            "parts": {"all": [{"file": "csv.svm", "rows": 1234}]},
        },
        {
            "name": "drawn",
            "title": "Generated",
            "task": "binary",
            "features": 2,
            "classes": 2,
            "source": "generated",
            "page": "",
            "parts": {},
        },
    ]
}


@pytest.fixture(autouse=True)
def little_world(tmp_path, monkeypatch):
    """A registry of three sets, an empty data folder and an empty cache."""
    (tmp_path / "registry.json").write_text(json.dumps(REGISTRY))
    monkeypatch.setattr(registry, "_FILE", tmp_path / "registry.json")
    monkeypatch.setattr(transfer, "PAUSE", 0.0)
    monkeypatch.setenv("ONKEL_DATA", str(tmp_path / "folder"))
    monkeypatch.setenv("ONKEL_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("ONKEL_MIRROR", raising=False)
    (tmp_path / "folder").mkdir()
    registry._registry.cache_clear()
    registry._spellings.cache_clear()
    yield
    registry._registry.cache_clear()
    registry._spellings.cache_clear()


@pytest.fixture
def mirror(monkeypatch):
    with serving() as site:
        monkeypatch.setenv("ONKEL_MIRROR", site.address + "/")
        site.files = {"/binary/toy.bz2": bz2.compress(TRAIN), "/binary/toy.t": TEST}
        yield site


def test_a_mirror_with_the_paths_of_the_collection(mirror, tmp_path):
    X, y = load("plaything", "all")
    assert y.tolist() == [1, -1, 1, -1] and X.shape == (4, 5) and X[3, 2] == 7
    cache = tmp_path / "cache" / "data"
    assert locate("toy", "all") == [cache / "toy.bz2", cache / "toy.t"]
    asked = [path for path, _ in mirror.requests]
    assert asked == ["/toy.train.svm.xz", "/binary/toy.bz2", "/binary/toy.t"]  # each once


def test_a_mirror_with_packed_files(mirror, tmp_path):
    mirror.files["/toy.train.svm.xz"] = PACKED
    assert load("toy")[1].tolist() == [1, -1, 1]
    assert locate("toy") == [tmp_path / "cache" / "data" / "toy.train.svm.xz"]
    assert [path for path, _ in mirror.requests] == ["/toy.train.svm.xz"]


def test_a_packed_file_with_another_checksum_is_refused(mirror, tmp_path):
    mirror.files["/toy.train.svm.xz"] = lzma.compress(TEST)
    with pytest.raises(BrokenFileError, match="sha256"):
        load("toy")
    assert not where("toy").files


def test_fetch_brings_all_parts_and_tells_of_it(mirror, tmp_path):
    assert not where("toy").present and where("toy").missing == ("toy.bz2", "toy.t")
    assert where("toy").downloadable
    told = []
    paths = fetch("toy", on_progress=lambda *news: told.append(news))
    assert [path.name for path in paths] == ["toy.bz2", "toy.t"]
    assert told == [
        ("toy.bz2", len(bz2.compress(TRAIN)), len(bz2.compress(TRAIN))),
        ("toy.t", len(TEST), len(TEST)),
    ]
    place = where("toy")
    assert place.present and place.files == tuple(paths)
    assert place.bytes == len(bz2.compress(TRAIN)) + len(TEST)
    assert available() == ["toy"]


def test_the_data_folder_comes_before_the_cache(mirror, tmp_path):
    fetch("toy")
    (tmp_path / "folder" / "toy").write_bytes(b"-1 1:9\n")  # the collection's file, unpacked
    assert load("toy")[0][0, 0] == 9
    assert locate("toy") == [tmp_path / "folder" / "toy"]
    (tmp_path / "folder" / "toy.train.svm.xz").write_bytes(PACKED)
    assert load("toy")[1].tolist() == [1, -1, 1]


def test_a_list_in_the_folder_needs_not_be_complete(mirror, tmp_path):
    line = {"file": "toy.train.svm.xz", "dataset": "toy", "task": "binary", "features": 7}
    (tmp_path / "folder" / "datasets.json").write_text(json.dumps({"files": [line]}))
    assert load("toy")[0].shape == (3, 5)  # listed, but its file is not here
    (tmp_path / "folder" / "toy.train.svm.xz").write_bytes(PACKED)
    assert load("toy")[0].shape == (3, 7)
    assert load("toy", "test")[0].shape == (1, 5)


def test_a_set_listed_under_another_spelling(mirror, tmp_path):
    line = {"file": "odd.svm", "dataset": "plaything", "task": "binary", "features": 5}
    (tmp_path / "folder" / "datasets.json").write_text(json.dumps({"files": [line]}))
    (tmp_path / "folder" / "odd.svm").write_bytes(TRAIN)
    assert available() == ["plaything"] and load("plaything")[1].tolist() == [1, -1, 1]
    fetch("toy")
    assert available() == ["toy"]  # one set, though two names lead to it


def test_another_spelling_finds_what_the_folder_lists(tmp_path):
    line = {"file": "odd.svm", "dataset": "toy", "task": "binary", "features": 6}
    (tmp_path / "folder" / "datasets.json").write_text(json.dumps({"files": [line]}))
    (tmp_path / "folder" / "odd.svm").write_bytes(TRAIN)
    for name in ("toy", "plaything"):
        assert locate(name, "all") == [tmp_path / "folder" / "odd.svm"]
        assert load(name, "all")[0].shape == (3, 6)


@pytest.mark.parametrize("split", ["train", "test"])
def test_offline_the_error_tells_what_to_do(monkeypatch, tmp_path, split):
    with serving() as gone:
        monkeypatch.setenv("ONKEL_MIRROR", gone.address)
    with pytest.raises(FileNotFoundError) as error:
        load("toy", split)
    file = {"train": "toy.bz2", "test": "toy.t"}[split]
    for words in (
        COLLECTION + "binary/" + file,
        f"put it into {tmp_path / 'cache' / 'data'}",
        "ONKEL_DATA",
        str(tmp_path / "folder"),
        gone.address,
    ):
        assert words in str(error.value)
    # and what it tells helps
    content = {"train": bz2.compress(TRAIN), "test": TEST}[split]
    (tmp_path / "cache" / "data" / file).write_bytes(content)
    assert load("toy", split)[0].shape[1] == 5


def test_a_mirror_without_the_file(mirror):
    mirror.files.clear()
    with pytest.raises(FileNotFoundError, match=r"/binary/toy\.bz2: the server has no such file"):
        load("toy")


def test_a_source_of_another_form_says_what_to_do(tmp_path):
    with pytest.raises(FileNotFoundError) as error:
        load("csv")
    for words in (
        "cannot download",
        "zip archive",
        "https://archive.invalid/csv",
        "1,234 rows",
        "csv.svm",
        str(tmp_path / "cache" / "data"),
    ):
        assert words in str(error.value)
    assert not where("csv").downloadable
    (tmp_path / "folder" / "csv.svm.gz").write_bytes(b"broken")
    with pytest.raises(MalformedError, match=r"csv\.svm\.gz"):
        load("csv")
    (tmp_path / "folder" / "csv.svm").write_bytes(b"0.5 1:1 2:2\n")
    X, y = load("csv", "all")
    assert X.toarray().tolist() == [[1, 2]] and y.tolist() == [0.5]


def test_a_mirror_must_be_a_web_address(monkeypatch):
    monkeypatch.setenv("ONKEL_MIRROR", "file:///etc")
    with pytest.raises(ValueError, match=r"ONKEL_MIRROR.*'file:///etc'"):
        load("toy")


def test_an_unusable_cache_is_named(mirror, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ONKEL_CACHE", str(tmp_path / "file"))
    with pytest.raises(OSError, match=r"file.*ONKEL_CACHE"):
        load("toy")


def test_a_generated_set(monkeypatch):
    assert where("drawn").present and fetch("drawn") == [] and "drawn" not in available()
    monkeypatch.setattr("onkel.datasets.files._GENERATED_ROWS", 100)
    X, y = load("drawn", "all")
    assert X.format == "csr" and X.shape == (100, 2) and y.dtype == np.int64
    with pytest.raises(ValueError, match="no test part"):
        load("drawn", "test")
    with pytest.raises(ValueError, match="gaussian_mixture_stream"):
        locate("drawn")
    assert info("drawn").rows is None


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_bar_shows_on_terminals_only():
    screen = Terminal()
    with bar(screen) as show:
        assert show is not None
        show("toy.bz2", 0, 2_000_000)
        show("toy.bz2", 2_000_000, 2_000_000)
    assert screen.getvalue().endswith("100 %  2.0 of 2.0 MB\n")
    paper = io.StringIO()
    with bar(paper) as show:
        assert show is None
    assert paper.getvalue() == ""
