"""The encoder from outside: what comes in, what goes out, and what is refused."""

from __future__ import annotations

import pickle
from datetime import date, datetime
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from onkel import FOGDClassifier, TableEncoder
from onkel.tables import Table
from tests.tables.rows import as_columns, random_rows


@parametrize_with_checks([TableEncoder()])
def test_scikit_learn_s_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def dense(encoder: TableEncoder, X: Any) -> np.ndarray:
    rows = encoder.transform(X)
    return rows.toarray() if sparse.issparse(rows) else rows


def column(encoder: TableEncoder, X: Any, name: str) -> list[float]:
    place = list(encoder.get_feature_names_out()).index(name)
    return dense(encoder, X)[:, place].tolist()


def kinds(encoder: TableEncoder) -> dict[str, str]:
    return {line.column: line.kind for line in encoder.describe()}


def test_kinds_are_found() -> None:
    encoder = TableEncoder(look=50).fit(as_columns(random_rows(200)))
    assert kinds(encoder) == {
        "size": "number", "rows": "identifier", "job": "word", "many": "word", "when": "date", "day": "date",
        "sure": "boolean", "same": "number", "late": "number", "name": "identifier", "early": "number",
        "odd": "word", "code": "number",
    }  # fmt: skip


def test_a_person_may_say_what_a_column_is() -> None:
    said = {"zip": "word", "age": "ignore", "ok": "number"}
    table = {"zip": [10115, 20095] * 5, "age": range(10), "ok": [True, False] * 5}
    encoder = TableEncoder(kinds=said, min_count=1).fit(table)
    assert kinds(encoder) == {"zip": "word", "age": "ignored", "ok": "number"}
    assert column(encoder, table, "zip=10115")[:2] == [1, 0]


def test_the_first_rows_being_odd_ruins_nothing() -> None:
    rng = np.random.default_rng(0)
    numbers = rng.normal(5, 2, 3000)
    numbers[:3] = [1e12, -1e9, 1e7]
    encoder = TableEncoder().partial_fit({"x": numbers[:512]})
    scaled = np.array(column(encoder, {"x": numbers[512:]}, "x"))
    assert 0.3 < scaled.std() < 1.2 and abs(scaled.mean()) < 0.5
    assert np.abs(column(encoder, {"x": numbers[:3]}, "x")).max() == 10


def test_a_constant_that_begins_to_vary_is_scaled_then() -> None:
    encoder = TableEncoder(look=10).partial_fit({"x": [4.0] * 10})
    assert column(encoder, {"x": [4.0, 9.0]}, "x") == [0, 0]
    encoder.partial_fit({"x": np.arange(70.0)})
    assert len(set(column(encoder, {"x": [4.0, 9.0]}, "x"))) == 2


def test_what_was_never_seen_appears_as_the_farthest_that_was() -> None:
    encoder = TableEncoder(look=100).partial_fit({"x": np.linspace(0.0, 1.0, 100)})
    seen = column(encoder, {"x": [0.0, 1.0]}, "x")
    assert column(encoder, {"x": [-0.5, 1.5, 1e9]}, "x") == [seen[0], seen[1], seen[1]]
    encoder.partial_fit({"x": np.linspace(1.0, 2.0, 100)})
    inside, end = column(encoder, {"x": [1.5, 2.0]}, "x")
    assert inside < end == column(encoder, {"x": [3.0]}, "x")[0]


def test_the_next_whole_number_is_no_more_than_one_away() -> None:
    """A month that has been the first for long, or an indicator that is rarely 1."""
    encoder = TableEncoder(look=500).partial_fit({"month": [1] * 495 + [2] * 5})
    first, second = column(encoder, {"month": [1, 2]}, "month")
    assert second - first == pytest.approx(1.0)
    encoder.partial_fit({"month": [1.5] * 500})
    first, second = column(encoder, {"month": [1, 2]}, "month")
    assert second - first > 2  # in units of the deviation, as of any numbers


def test_a_scale_that_was_far_too_small_is_corrected() -> None:
    rng = np.random.default_rng(0)
    encoder = TableEncoder().partial_fit({"x": rng.normal(0, 1e-6, 512)})
    encoder.partial_fit({"x": rng.normal(0, 1, 40960)})
    assert np.std(column(encoder, {"x": rng.normal(0, 1, 1000)}, "x")) < 3


def test_words_beyond_the_cap_are_hashed_and_memory_is_bounded() -> None:
    encoder = TableEncoder(max_words=4, n_hashed=3, look=64)
    rng = np.random.default_rng(0)
    for block in range(20):
        words = [f"w{rng.integers(0, 20)}" for _ in range(50)] + [f"{block}-{i}" for i in range(50)]
        encoder.partial_fit({"w": words})
    feature = encoder.encoding_.features["w"]
    assert len(feature.own) == 4 and feature.counts is None
    names = list(encoder.get_feature_names_out())
    assert [name for name in names if "#" in name] == ["w#0", "w#1", "w#2"]
    assert dense(encoder, {"w": ["never seen", "w1", "w1"]}).sum(axis=1).tolist() == [1, 1, 1]


def test_words_that_are_all_rare_do_not_pile_up() -> None:
    encoder = TableEncoder(max_words=4, min_count=1000, look=64)
    start = {"w": ["a", "b"] * 32}
    encoder.partial_fit(start)
    encoder.partial_fit({"w": [f"w{i}" for i in range(5000)]})
    assert encoder.encoding_.features["w"].counts is None


def test_typed_columns_and_words_give_the_same() -> None:
    words = {
        "n": ["1", "2.5", "NA", "4"], "d": ["2024-02-29", "2024-03-01", "", "2023-01-01"],
        "b": ["true", "false", "true", ""], "t": ["2024-01-01T06:30:00Z", "2024-01-01 18:00", "", "2020-05-05"],
    }  # fmt: skip
    typed = {
        "n": np.ma.array([1, 2.5, 9, 4], mask=[0, 0, 1, 0]),
        "d": [date(2024, 2, 29), date(2024, 3, 1), None, date(2023, 1, 1)],
        "b": [True, False, True, None],
        "t": np.array(
            ["2024-01-01T06:30", "2024-01-01T18:00", "NaT", "2020-05-05"], "datetime64[m]"
        ),
    }
    encoder = TableEncoder(sparse_output=False, dtype="float64")
    expected = encoder.fit_transform(words)
    assert encoder.get_feature_names_out().tolist() == (
        TableEncoder().fit(typed).get_feature_names_out().tolist()
    )
    assert np.allclose(clone(encoder).fit_transform(typed), expected)
    assert np.allclose(encoder.transform(typed), expected)


def frame() -> Any:
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(
        {
            "n": [1.0, None, 3.0, 4.0],
            "i": pandas.array([1, None, 3, 5], dtype="Int64"),
            "w": ["a", None, "b", "a"],
            "c": pandas.Categorical(["7", "8", None, "7"]),
            "t": pandas.to_datetime(
                ["2024-01-01", None, "2024-01-03 12:00", "2024-05-05"], format="ISO8601"
            ),
            "b": [True, False, True, True],
            "o": ["x", 3, None, datetime(2024, 1, 1)],
        }
    )


EXPECTED_KINDS = {
    "n": "number", "i": "number", "w": "word", "c": "word", "t": "date", "b": "boolean", "o": "word",
}  # fmt: skip


def test_pandas() -> None:
    table = frame()
    encoder = TableEncoder(min_count=1).fit(table)
    assert kinds(encoder) == EXPECTED_KINDS
    assert column(encoder, table, "c=7") == [1, 0, 0, 1]
    assert column(encoder, table, "w=<gap>") == [0, 1, 0, 0]
    zoned = table.assign(t=table["t"].dt.tz_localize("UTC").dt.tz_convert("America/New_York"))
    assert np.array_equal(dense(encoder, zoned), dense(encoder, table))


def test_arrow() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = frame().drop(columns="o")
    arrow = pyarrow.Table.from_pandas(table)
    encoder = TableEncoder(min_count=1).fit(table)
    assert np.array_equal(dense(encoder, arrow), dense(encoder, table))
    assert np.array_equal(dense(encoder, arrow.to_batches()[0]), dense(encoder, table))
    assert kinds(TableEncoder().fit(arrow)) == {k: v for k, v in EXPECTED_KINDS.items() if k != "o"}


def test_polars() -> None:
    polars = pytest.importorskip("polars")
    moments = [datetime(2024, 1, 1), None, datetime(2024, 1, 3, 12), datetime(2024, 5, 5)]
    words = ["7", "8", None, "7"]
    cells = {
        "n": [1.0, None, 3.0, 4.0], "i": [1, None, 3, 5], "w": ["a", None, "b", "a"],
        "c": polars.Series(words, dtype=polars.Categorical), "t": moments, "b": [True, None, True, True],
    }  # fmt: skip
    table = polars.DataFrame(cells)
    encoder = TableEncoder(min_count=1).fit(table)
    assert kinds(encoder) == {name: EXPECTED_KINDS[name] for name in cells}
    assert np.array_equal(dense(encoder, table), dense(encoder, {**cells, "c": words}))
    assert np.array_equal(dense(encoder, table[1:3]), dense(encoder, table)[1:3])


def test_columns_are_known_by_name() -> None:
    table = {"a": [1.0, 2.0, 4.0], "b": ["x", "y", "x"]}
    encoder = TableEncoder().fit(table)
    turned = {"b": table["b"], "a": table["a"]}
    assert np.array_equal(dense(encoder, turned), dense(encoder, table))
    with pytest.raises(ValueError, match="columns that the first rows had not: 'c'"):
        encoder.transform({**table, "c": [1, 2, 3]})
    with pytest.raises(ValueError, match="lacks columns that the first rows had: 'b'"):
        encoder.partial_fit({"a": [1.0]})


def test_columns_that_are_left_out_need_not_be_there() -> None:
    rng = np.random.default_rng(0)
    table = {
        "id": np.arange(40),
        "a": rng.normal(size=40),
        "b": ["x", "y"] * 20,
        "c": [1.0, 2.0] * 20,
    }
    whole = TableEncoder(kinds={"c": "ignore"}, look=40).fit(table)
    few = {"b": table["b"], "a": table["a"]}
    assert np.array_equal(dense(whole, few), dense(whole, table))
    again = pickle.loads(pickle.dumps(whole))
    whole.partial_fit(table), again.partial_fit(few)
    assert np.array_equal(dense(again, few), dense(whole, table))
    assert again.n_features_in_ == 4


def test_a_word_among_numbers_is_an_error_that_changes_nothing() -> None:
    table = {"a": ["1", "2", "3"] * 20, "b": ["u", "v", "w"] * 20}
    encoder = TableEncoder(look=30).partial_fit(table)
    before = pickle.dumps(encoder)
    bad = {"a": ["1", "two"], "b": ["u", "u"]}
    words = r"column 'a', row 62: 'two' is not a number.*missing=.*unexpected=\"gap\".*kinds="
    with pytest.raises(ValueError, match=words):
        encoder.partial_fit(bad)
    assert pickle.dumps(encoder) == before
    with pytest.raises(ValueError, match="column 'a', row 2: 'two'"):
        encoder.transform(bad)
    lenient = TableEncoder(look=30, unexpected="gap").partial_fit(table)
    assert column(lenient, bad, "<other gaps>") == [0, 1]


def test_a_chunk_that_is_refused_in_its_middle_changes_nothing() -> None:
    encoder = TableEncoder(look=30)
    with pytest.raises(ValueError, match="row 40: 'x'"):
        encoder.partial_fit({"a": ["1"] * 20 + ["2"] * 19 + ["x"]})
    assert not hasattr(encoder, "encoding_")
    encoder.partial_fit({"a": ["1"] * 20})
    with pytest.raises(ValueError, match="row 40: 'x'"):
        encoder.partial_fit({"a": ["2"] * 19 + ["x"]})
    assert encoder.n_rows_ == 20 and encoder.encoding_.rows == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"kinds": {"a": "colour"}}, "must be one of 'number'"),
        ({"kinds": {"z": "word"}}, "kinds names 'z', but the columns are a"),
        ({"kinds": "word"}, "must be a dict"),
        ({"missing": "NA"}, "must be a list of words"),
        ({"max_words": 0}, "max_words=0"),
        ({"sparse_output": 3}, "sparse_output=3"),
        ({"dtype": "int8"}, "dtype='int8'"),
    ],
)
def test_parameters_are_checked(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        TableEncoder(**options).fit({"a": [1, 2]})


def test_tables_that_are_none() -> None:
    with pytest.raises(TypeError, match="sparse matrix"):
        TableEncoder().fit(sparse.eye(3, format="csr"))
    with pytest.raises(ValueError, match="different numbers of rows"):
        TableEncoder().fit({"a": [1, 2], "b": [1]})
    for cell in (39, "clerk", None):
        with pytest.raises(ValueError, match=rf"'a' is a single cell, .*: \[{cell!r}\]"):
            TableEncoder().fit({"a": cell})
    with pytest.raises(ValueError, match=r"pandas.DataFrame\(rows\)"):
        TableEncoder().fit([{"a": 1}, {"a": 2}])
    with pytest.raises(NotFittedError):
        TableEncoder().describe()


def test_pickle_clone_and_frames_out() -> None:
    table = as_columns(random_rows(120))
    encoder = TableEncoder(look=50, sparse_output=False).partial_fit(table)
    again = pickle.loads(pickle.dumps(encoder))
    more = as_columns(random_rows(90, seed=1))
    assert np.array_equal(
        again.partial_fit(more).transform(table), encoder.partial_fit(more).transform(table)
    )
    assert not hasattr(clone(encoder), "encoding_")
    pytest.importorskip("pandas")
    out = clone(encoder).set_output(transform="pandas").fit_transform(table)
    assert "job=cook" in out.columns and out.shape[0] == 120


def test_sparse_where_it_pays() -> None:
    words = {"w": ["a", "b"] * 20, "n": range(0, 80, 2)}
    assert sparse.issparse(TableEncoder().fit_transform(words))
    assert not sparse.issparse(TableEncoder(sparse_output=False).fit_transform(words))
    numbers = TableEncoder().fit_transform(np.random.default_rng(0).normal(size=(50, 4)))
    assert isinstance(numbers, np.ndarray) and numbers.shape == (50, 5)
    assert numbers.dtype == np.float32


def test_description_reads_well() -> None:
    encoder = TableEncoder().fit({"age": [1, 2, None, 4], "who": [f"p{i}" for i in range(4)]})
    lines = repr(encoder.describe()).splitlines()
    assert lines[0].split() == ["column", "kind", "gaps", "columns", "became"]
    assert lines[1].split()[:4] == ["age", "number", "25.0%", "2"]
    pytest.importorskip("pandas")
    assert encoder.describe().to_pandas()["kind"].tolist() == ["number", "word"]


def test_other_notations_of_numbers_and_dates_are_pointed_out() -> None:
    became = {
        line.column: line.became
        for line in TableEncoder().fit({
            "area": [f"{n},5" for n in range(100)],
            "day": [f"{n % 28 + 1:02}.01.2024" for n in range(100)],
            "sold": [f"{n % 50 // 10 + 1}/{n % 10 + 1}/2024" for n in range(100)],
            "who": [f"p{n}" for n in range(100)],
            "room": [f"r{n % 50}" for n in range(100)],
        }).describe()
    }  # fmt: skip
    hint = "numbers are read as 1234.5, dates as 2024-01-31, others, as "
    assert became["area"].endswith(f"words are distinct; {hint}'0,5', are words")
    assert became["day"].endswith(f"share one; {hint}'01.01.2024', are words")
    assert became["sold"].endswith(f"share one; {hint}'1/1/2024', are words")
    assert "read as" not in became["who"] + became["room"]


def test_tables_go_in_and_out() -> None:
    table = Table.of({"a": [1, None, 3], "t": ["2024-01-01", None, "?"], "b": [True, None, False]})
    assert table.shape == (3, 3) and len(table[[0, 2]]) == 2
    assert table[np.array([True, False, True])]["t"].tolist() == ["2024-01-01", "?"]
    joined = Table.joined([table[:1], table[1:]])
    assert joined["t"].tolist() == table["t"].tolist() and joined["b"].tolist() == [
        True,
        None,
        False,
    ]
    dates = Table.of({"t": np.array(["2024-01-01T10:00:00", "NaT"], "datetime64[s]")})["t"]
    assert str(dates[0]) == "2024-01-01T10:00:00.000000" and np.isnat(dates[1])


def test_a_table_of_words_is_no_matrix() -> None:
    assert np.asarray(Table.of({"a": [1, None], "b": [True, False]})).shape == (2, 2)
    with pytest.raises(TypeError, match=r"column 'w' .* encode it with onkel.TableEncoder"):
        FOGDClassifier().fit(Table.of({"w": ["a", "b"]}), [0, 1])


def test_words_that_are_gone_do_not_stay_in_memory() -> None:
    table = Table.of({"w": [f"w{i}" for i in range(1000)]})
    assert table[10:12].cells["w"].words == ("w10", "w11")


def test_what_was_read_once_is_not_read_again() -> None:
    """Pieces and tables put together of pieces know it, and know the same as if they had read it."""
    table = Table.of(
        {"a": ["1", "?", "3", "4"], "d": ["2024-01-01", None, "2024-01-03", ""], "w": list("uvuw")}
    )
    encoder = TableEncoder(look=2, sparse_output=False, min_count=1, missing=["?", ""]).fit(table)
    encoder.transform(table)
    apart = Table.joined([table[:1], table[1:3], table[np.array([3])]])
    assert {key[1] for key in apart.readings} == {"number", "date"}
    fresh = Table(apart.cells, len(apart))
    assert np.array_equal(encoder.transform(apart), encoder.transform(fresh))
    for key, reading in apart.readings.items():
        assert all(
            np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
            for a, b in zip(reading[:2], fresh.readings[key][:2])
        )
    mixed = Table.joined([table[:1], Table.of({"a": [7.0], "d": ["2024-01-01"], "w": ["u"]})])
    assert "number" not in {key[1] for key in mixed.readings}
