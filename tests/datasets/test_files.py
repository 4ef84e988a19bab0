"""Benchmark files, on tiny ones made here; and the real ones where they are present."""

import json
import lzma
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file

from onkel.datasets import available, load, locate, scale_to, transfer
from onkel.datasets.folders import data_folders
from onkel.stream import MalformedError

TRAIN = "+1 1:0.5 3:2\n-1 2:1\n+1 1:-4\n"
TEST = "-1 3:7\n"


def write(folder: Path, file: str, text: str) -> None:
    with lzma.open(folder / file, "wt") as out:
        out.write(text)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A data folder with a split set, single-file sets, a scaled twin and an absent set."""
    data = tmp_path / "data"
    data.mkdir()
    names = [
        ("toy.train.svm.xz", "toy", "binary", 5),
        ("toy.test.first1.svm.xz", "toy", "binary", 5),
        ("single.svm.xz", "single", "regression", 2),
        ("single.scale.svm.xz", "single", "regression", 2),
        ("gone.svm.xz", "gone", "binary", 2),
    ]
    keys = ("file", "dataset", "task", "features")
    index = {"files": [dict(zip(keys, entry)) for entry in names]}
    (data / "datasets.json").write_text(json.dumps(index))
    write(data, "toy.train.svm.xz", TRAIN)
    write(data, "toy.test.first1.svm.xz", TEST)
    write(data, "single.svm.xz", "2.5 1:1 2:3\n-0.5 2:4\n")
    write(data, "single.scale.svm.xz", "2.5 1:1 2:-1\n-0.5 1:-1 2:1\n")
    monkeypatch.setenv("ONKEL_DATA", str(data))
    monkeypatch.setenv("ONKEL_CACHE", str(tmp_path / "cache"))
    return data


def cached(folder: Path) -> list[Path]:
    return sorted((folder.parent / "cache" / "data").iterdir())


def test_parts_of_a_split_set(folder):
    X, y = load("toy")
    # The width comes from the index: no row of the file reaches features 4 and 5.
    np.testing.assert_array_equal(
        X.toarray(), [[0.5, 0, 2, 0, 0], [0, 1, 0, 0, 0], [-4, 0, 0, 0, 0]]
    )
    assert X.format == "csr" and X.dtype == np.float64 and X.has_sorted_indices
    assert y.tolist() == [1, -1, 1] and np.issubdtype(y.dtype, np.integer)
    X, y = load("toy", "test")
    np.testing.assert_array_equal(X.toarray(), [[0, 0, 7, 0, 0]])
    X, y = load("toy", "all")
    assert X.format == "csr" and X.shape == (4, 5) and X[3, 2] == 7
    assert y.tolist() == [1, -1, 1, -1]


@pytest.mark.parametrize("split", ["train", "all"])
def test_single_file_set(folder, split):
    X, y = load("single", split)
    np.testing.assert_array_equal(X.toarray(), [[1, 3], [0, 4]])
    assert y.tolist() == [2.5, -0.5]
    assert load("single.scale", split)[0][0, 1] == -1


def test_refusals_say_what_is_wrong(folder):
    with pytest.raises(ValueError, match="no test part"):
        load("single", "test")
    with pytest.raises(ValueError, match="'validation'"):
        load("toy", "validation")
    with pytest.raises(
        ValueError, match=r"'nothing'.*Known: .*gone.*, single, single.scale.*, toy"
    ):
        load("nothing")
    with pytest.raises(ValueError, match=r"'singel'; did you mean 'single'"):
        load("singel")


def test_a_missing_file_is_named_with_the_folder_and_the_way_out(folder):
    with pytest.raises(FileNotFoundError) as error:
        load("gone")
    for words in ("gone.svm.xz", str(folder), "ONKEL_DATA"):
        assert words in str(error.value)


def test_a_missing_folder_is_named_too(tmp_path, monkeypatch):
    monkeypatch.setenv("ONKEL_DATA", str(tmp_path / "nowhere"))
    monkeypatch.setenv("ONKEL_CACHE", str(tmp_path / "cache"))
    assert available() == []
    with pytest.raises(ValueError, match=r"'toy'.*datasets\.json.*ONKEL_DATA.*nowhere"):
        load("toy")


def test_without_a_named_folder_only_the_cache_is_searched(tmp_path, monkeypatch):
    """What lies beside the package is nobody's data folder."""
    monkeypatch.delenv("ONKEL_DATA", raising=False)
    monkeypatch.setenv("ONKEL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("ONKEL_MIRROR", "http://localhost:1")  # nobody answers
    monkeypatch.setattr(transfer, "PAUSE", 0.0)
    assert data_folders() == [] and available() == []
    with pytest.raises(ValueError, match=r"ONKEL_DATA names \(now none\)"):
        load("toy")
    with pytest.raises(FileNotFoundError, match="searched: ") as error:
        load("a9a")
    searched = str(error.value).partition("searched: ")[2].partition(". ")[0]
    assert searched == str(tmp_path / "cache" / "data")


def test_available_lists_what_is_there(folder):
    assert available() == ["single", "single.scale", "toy"]


def test_the_second_load_comes_from_the_cache(folder, monkeypatch):
    X, y = load("toy")
    assert len(cached(folder)) == 1

    def refuse(*args, **kwargs):
        raise AssertionError("parsed again")

    monkeypatch.setattr("onkel.datasets.files.read_svmlight", refuse)
    again_X, again_y = load("toy")
    assert again_X.shape == X.shape and (again_X != X).nnz == 0
    np.testing.assert_array_equal(again_y, y)
    assert again_y.dtype == y.dtype


def test_a_changed_source_is_read_anew(folder):
    load("toy")
    write(folder, "toy.train.svm.xz", "-1 4:9\n")
    X, y = load("toy")
    assert X[0, 3] == 9 and y.tolist() == [-1]


def test_a_damaged_cache_is_replaced(folder):
    load("toy")
    (path,) = cached(folder)
    whole = path.read_bytes()
    for damaged in (b"", b"nonsense", whole[: len(whole) // 2]):
        path.write_bytes(damaged)
        assert load("toy")[1].tolist() == [1, -1, 1]
        assert path.read_bytes() == whole
    assert cached(folder) == [path]  # no temporary file stays behind


def test_an_unwritable_cache_does_no_harm(folder, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ONKEL_CACHE", str(tmp_path / "file"))
    assert load("toy")[0].shape == (3, 5)


def test_scale_to_takes_dense_and_sparse(folder):
    X, _ = load("toy", "all")
    for scaled in (scale_to(X, -1, 1), scale_to(X.toarray(), -1, 1)):
        np.testing.assert_allclose(scaled[:, 0], [1, 0.7777777777777777, -1, 0.7777777777777777])
        np.testing.assert_array_equal(scaled[:, 3], -1)  # a constant column
        assert scaled.min() == -1 and scaled.max() == 1


def test_a_damaged_source_is_named(folder):
    path = folder / "toy.train.svm.xz"
    for damage in (path.read_bytes()[:-9], b"no xz at all"):
        path.write_bytes(damage)
        with pytest.raises(MalformedError, match=r"toy\.train\.svm\.xz"):
            load("toy")
    write(folder, "toy.train.svm.xz", "+1 6:1\n")  # wider than the index says
    with pytest.raises(MalformedError, match=r"toy\.train\.svm\.xz, line 1: .*6"):
        load("toy")


@pytest.mark.data("a9a")
def test_a9a_has_its_published_shape():
    X, y = load("a9a", "all")
    assert X.shape == (32561 + 16281, 123)
    assert np.sum(y == 1) == 7841 + 3846 and np.sum(y == -1) == 24720 + 12435


@pytest.mark.data("a9a", "cod-rna", "mg")
@pytest.mark.parametrize("name", ["a9a", "cod-rna", "mg"])
def test_the_arrays_are_those_that_scikit_learn_reads(name):
    (path,) = locate(name)
    X, y = load(name)
    with lzma.open(path) as file:
        expected, labels = load_svmlight_file(file, n_features=X.shape[1], zero_based=False)
    for ours, theirs in zip(
        (X.data, X.indices, X.indptr), (expected.data, expected.indices, expected.indptr)
    ):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(y, labels)


@pytest.mark.data("kddcup99", "poker", "german.scale")
def test_odd_file_names_are_found():
    assert load("kddcup99", "test")[0].shape == (311029, 119)
    assert load("poker", "all")[0].shape == (25010 + 99999, 10)
    assert load("german.scale")[0].shape == (1000, 24)


def test_a_class_is_a_whole_number(folder):
    write(folder, "toy.test.first1.svm.xz", "1 1:1\n0.5 1:1\n")
    with pytest.raises(ValueError, match=r"toy\.test.*label 0\.5 in row 2 is not a whole number"):
        load("toy", "test")
