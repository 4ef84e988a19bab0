"""The registry: complete, consistent, and true for the files that are here."""

import json
import re
from urllib.parse import urlsplit

import pytest

from onkel.datasets import info, names
from onkel.datasets.folders import data_folders
from onkel.datasets.verify import sha256

IN_THE_PAPERS = """
a9a abalone acoustic adult-a airlines cadata casp cod-rna covtype cpusmall dna exam gaussian german
gisette housing ijcnn1 kddcup08 kddcup99 letter magic04 mg miniboone mnist parkinsons poker satimage
shuttle skin slice space_ga spambase usps w7a w8a webspam year
""".split()
IN_THE_LAYOUT = """
a9a abalone abalone.scale ailerons cadata casp cod-rna covtype cpusmall dna.scale flights3m german
german.scale house8L housing ijcnn1 kddcup99 keggundirected kin40k letter.scale mg mnist mushrooms
nycflights outdoor parkinsons pendigits phishing poker satimage satimage.scale segment skin_nonskin
space_ga spambase weather
""".split()
ENTRIES = [info(name) for name in names()]


def test_all_names_resolve():
    assert len(IN_THE_PAPERS) == 37
    for name in IN_THE_PAPERS + IN_THE_LAYOUT:
        assert info(name).name in names()
    for name in IN_THE_PAPERS:
        assert info(name).papers, f"{name} lacks the use that a paper makes of it"


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("KDD08", "kddcup08"),
        ("KDDCUP99", "kddcup99"),
        ("codrna", "cod-rna"),
        ("CodRNA", "cod-rna"),
        ("mini-boo-ne", "miniboone"),
        ("forest", "covtype"),
        ("ijcnn", "ijcnn1"),
        ("Space GA", "space_ga"),
        ("YearPredictionMSD", "year"),
        ("skin_nonskin", "skin"),
        ("dna.scale", "dna"),
        ("A9A", "a9a"),
    ],
)
def test_other_spellings(spelling, name):
    assert info(spelling).name == name


def test_spellings_are_unique():
    plain = [re.sub("[-_ ]", "", s.lower()) for e in ENTRIES for s in (e.name, *e.aliases)]
    assert len(plain) == len(set(plain))


def test_an_unknown_name_gets_a_hint():
    with pytest.raises(ValueError, match=r"'ijcn'; did you mean 'ijcnn1'.* Known: a9a,"):
        info("ijcn")


@pytest.mark.parametrize("entry", ENTRIES, ids=names())
def test_an_entry_is_consistent(entry):
    assert entry.task in ("binary", "multiclass", "regression")
    assert (entry.classes is None) == (entry.task == "regression")
    assert entry.task != "binary" or entry.classes == 2
    assert set(entry.parts) in ({"all"}, {"train", "test"}, set())
    assert entry.downloadable or entry.obtain or not entry.parts
    assert not (entry.downloadable and entry.obtain)
    for use in entry.papers:
        assert use.rows and use.preprocessing
    for file in (file for files in entry.parts.values() for file in files):
        assert file.rows > 0
        assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", file.file)  # a name, no path
        assert file.sha256 is None or re.fullmatch("[0-9a-f]{64}", file.sha256)
        if file.url:
            address = urlsplit(file.url)
            assert address.scheme == "https" and address.path.endswith("/" + file.file)
            assert address.path.startswith("/~cjlin/libsvmtools/datasets/"), (
                "files are downloaded from the LIBSVM collection, or a mirror of it: "
                "leave out the url, and tell in `obtain` how to get the file"
            )


def test_sizes_that_the_papers_print():
    sizes = {
        "w7a": (24_692 + 25_057, 300),
        "w8a": (64_700, 300),
        "a9a": (48_842, 123),
        "adult-a": (32_561, 123),
        "ijcnn1": (141_691, 22),
        "webspam": (350_000, 254),
        "covtype": (581_012, 54),
        "miniboone": (130_064, 50),
        "magic04": (19_020, 10),
        "kddcup08": (102_294, 117),
        "year": (515_345, 90),
        "slice": (53_500, 384),
        "casp": (45_730, 9),
        "poker": (1_025_010, 10),
        "airlines": (5_929_413, 8),
    }
    assert {name: (info(name).rows, info(name).features) for name in sizes} == sizes
    assert info("gaussian").rows is None and not info("gaussian").downloadable


@pytest.mark.data()
def test_checksums_of_the_files_that_are_here():
    (folder,) = data_folders()
    checked = 0
    for file in (file for e in ENTRIES for files in e.parts.values() for file in files):
        path = folder / file.file
        if file.sha256 and path.is_file():
            assert path.stat().st_size == file.bytes
            assert sha256(path) == file.sha256
            checked += 1
    assert checked > 0


@pytest.mark.data()
def test_shapes_are_those_of_the_folders_list():
    (folder,) = data_folders()
    checked = 0
    for line in json.loads((folder / "datasets.json").read_text())["files"]:
        for entry in ENTRIES:
            files = [file for files in entry.parts.values() for file in files]
            rows = [file.rows for file in files if file.file == line["file"]]
            if rows and "rows" in line:
                assert (entry.task, entry.features) == (line["task"], line["features"])
                assert rows == [line["rows"]]
                checked += 1
    assert checked > 0
