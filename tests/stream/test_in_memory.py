"""What is in memory or comes from the user's own code, and the door that all go through."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.utils import Bunch

from onkel.stream import MalformedError, open_stream

X = np.arange(14.0).reshape(7, 2)
Y = np.arange(7)


def sizes(stream: object) -> list[int]:
    return [len(y) for _, y in stream]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "form", [np.asarray, sparse.csr_matrix, sparse.coo_array, np.ndarray.tolist]
)
def test_arrays(form) -> None:
    stream = open_stream((form(X), Y), chunk_rows=3)
    for _ in range(2):
        chunks = list(stream)
        assert sizes(chunks) == [3, 3, 1]
        parts = [x.toarray() if sparse.issparse(x) else x for x, _ in chunks]
        assert np.array_equal(np.vstack(parts), X)
        assert np.concatenate([y for _, y in chunks]).tolist() == Y.tolist()
    assert stream.n_features == 2 and stream.rereadable


def test_bunches_and_frames() -> None:
    pandas = pytest.importorskip("pandas")
    bunch = Bunch(data=X, target=Y, feature_names=["a", "b"])
    assert open_stream(bunch).feature_names == ["a", "b"] and sizes(open_stream(bunch)) == [7]
    frame = pandas.DataFrame(X, columns=["a", "b"]).assign(y=[*"ppqqppq"])
    stream = open_stream(frame, target="y")
    [chunk] = stream
    assert stream.feature_names == ["a", "b"] and "".join(chunk.y) == "ppqqppq"
    with pytest.raises(ValueError, match="no column target='z'; there are a, b, y"):
        open_stream(frame, target="z")


def test_iterators_are_read_once_functions_and_lists_again() -> None:
    pairs = [(X[:2], Y[:2]), (X[2:], Y[2:])]
    for source in (pairs, lambda: iter(pairs)):
        stream = open_stream(source, chunk_rows=4)
        assert [sizes(stream), sizes(stream)] == [[2, 4, 1]] * 2
    once = open_stream(iter(pairs))
    assert sizes(once) == [2, 5] and once.n_features == 2
    with pytest.raises(ValueError, match="only once; pass a function"):
        list(once)


def test_single_rows_and_text() -> None:
    chunks = list(open_stream([([1.0, 2.0], "cat"), ([3.0, 4.0], "dog")]))
    assert [(x.tolist(), y.tolist()) for x, y in chunks] == [
        ([[1, 2]], ["cat"]), ([[3, 4]], ["dog"]),
    ]  # fmt: skip


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize(
    "wrap", [lambda x, y: (x, y), lambda x, y: [(x[:1], y[:1]), (x[1:], y[1:])]]
)
def test_what_is_not_finite(form, wrap) -> None:
    bad = X.copy()
    bad[4, 1] = np.inf
    y = Y.astype(float)
    y[5] = np.nan
    with pytest.raises(MalformedError, match="row 5: a feature is NaN or infinite"):
        list(open_stream(wrap(form(bad), Y), chunk_rows=3))
    with pytest.raises(MalformedError, match="row 6: the label is NaN or infinite"):
        list(open_stream(wrap(form(X), y), chunk_rows=3))
    stream = open_stream(wrap(form(bad), y), chunk_rows=3, on_error="skip")
    assert sum(sizes(stream)) == 5 and stream.skipped == 2


@pytest.mark.parametrize(
    "source, options, words",
    [
        ((X, Y[:3]), {}, r"X has 7 rows, but y has shape \(3,\)"),
        ((X[0], Y), {}, "two dimensions"),
        (([["red"]], [1]), {}, "must be numbers"),
        ((X, Y), {"n_features": 3}, "X has 2 features, but n_features=3"),
        ((X, Y), {"format": "csv"}, "format='csv' is for files"),
        ((X, Y), {"chunk_rows": 0}, "chunk_rows must be a whole number of at least 1, got 0"),
        ((X, Y), {"on_error": "ignore"}, "on_error must be one of"),
        ((X, Y), {"labels": "words"}, "labels must be one of"),
        ((X, Y), {"format": "xml"}, "format must be one of"),
        ("-", {"format": "svmlight", "target": "y"}, "no named columns"),
        ("-", {"labels": "text"}, "numbers as labels"),
    ],
)
def test_what_cannot_be_opened(source, options, words) -> None:
    with pytest.raises(ValueError, match=words):
        open_stream(source, **options)


def test_what_an_iterable_may_not_give() -> None:
    with pytest.raises(ValueError, match=r"must give pairs \(X, y\), got int"):
        list(open_stream([3]))
    with pytest.raises(MalformedError, match="row 8: 1 features where 2 are expected"):
        list(open_stream([(X, Y), (X[:, :1], Y)]))
    with pytest.raises(TypeError, match="cannot open a int"):
        open_stream(7)
