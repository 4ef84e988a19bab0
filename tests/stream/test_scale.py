"""Scaling: by what was known before, the same in any chunks, and without filling sparse rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from onkel.stream import Scaler, open_stream, scaled

RNG = np.random.default_rng(0)
ROWS = np.cumsum(RNG.standard_normal((3000, 4)), axis=0) * [1, 100, 1e-6, 0] + [0, 1e4, 0, 0.1]
KINDS = ("unit_interval", "minus_one_one", "unit_variance")


def outcome(X: Any, to: str, chunk_rows: int = 4096, **options: Any) -> np.ndarray:
    stream = scaled(open_stream((X, np.zeros(X.shape[0])), chunk_rows=chunk_rows), to, **options)
    parts = [part.X for part in stream]
    return np.vstack([part.toarray() if sparse.issparse(part) else part for part in parts])


@pytest.mark.parametrize("to", KINDS)
@pytest.mark.parametrize("fit", ["running", "warm_up", "first_pass"])
@pytest.mark.parametrize("wide", [False, True])
def test_chunks_do_not_change_a_bit(to: str, fit: str, wide: bool) -> None:
    X: Any = ROWS
    if wide:
        X = sparse.random(2000, 1100, 0.01, "csr", random_state=1)
    first = outcome(X, to, fit=fit, warm_up=700)
    for chunk_rows in (100, 511, 1024):
        again = outcome(X, to, chunk_rows, fit=fit, warm_up=700)
        assert np.array_equal(first.view(np.uint64), again.view(np.uint64))


@pytest.mark.parametrize("to, known", [
    ("unit_interval", MinMaxScaler(clip=True)),
    ("minus_one_one", MinMaxScaler((-1, 1), clip=True)),
    ("unit_variance", StandardScaler()),
])  # fmt: skip
def test_a_row_is_scaled_by_the_rows_before_it(to: str, known: Any) -> None:
    """After the warm-up, by all rows up to the last renewal, which every 512 rows bring."""
    found = outcome(ROWS, to, warm_up=300)[:, :3]
    for row in (0, 299, 300, 811, 812, 2000, 2999):
        seen = 300 + max(0, row - 300) // 512 * 512
        expected = known.fit(ROWS[:seen, :3]).transform(ROWS[row : row + 1, :3])
        assert found[row] == pytest.approx(expected[0], rel=1e-9, abs=1e-9)


def test_later_rows_do_not_matter() -> None:
    changed = ROWS.copy()
    changed[2000:] = 1e9
    for to in KINDS:
        assert np.array_equal(outcome(ROWS, to)[:2000], outcome(changed, to)[:2000])


def test_the_warm_up_alone_and_a_first_pass() -> None:
    expected = MinMaxScaler(clip=True).fit(ROWS[:500]).transform(ROWS)
    expected[:, 3] = 0
    found = outcome(ROWS, "unit_interval", fit="warm_up", warm_up=500)
    assert np.allclose(found, expected, atol=1e-12)
    found = outcome(ROWS, "unit_variance", fit="first_pass")[:, :3]
    assert np.allclose(found, StandardScaler().fit_transform(ROWS[:, :3]), atol=1e-9)


@pytest.mark.parametrize("to", KINDS)
def test_a_constant_column_becomes_zero_or_the_lower_end(to: str) -> None:
    constant = -1 if to == "minus_one_one" else 0
    assert (outcome(ROWS, to)[:, 3] == constant).all()  # 0.1 has no exact mean


def test_short_and_empty_streams() -> None:
    assert outcome(ROWS[:5], "unit_interval").max() == 1  # fewer rows than the warm-up
    assert list(scaled(open_stream((np.empty((0, 2)), [])))) == []


@pytest.mark.parametrize("to", KINDS)
def test_narrow_sparse_rows_are_scaled_as_dense_ones(to: str) -> None:
    X = sparse.random(1500, 30, 0.2, "csr", random_state=2)
    assert np.array_equal(outcome(X, to), outcome(X.toarray(), to))


def test_wide_sparse_rows_keep_their_zeros() -> None:
    column = np.full((1200, 1), 5.0)  # without any zero
    X = sparse.hstack([sparse.random(1200, 1100, 0.01, random_state=3), column], format="csr")
    for to in KINDS:
        [chunk] = scaled(open_stream((X, np.zeros(1200))), to, fit="first_pass")
        assert chunk.X.nnz == X.nnz
        dense = X.toarray()
        size = dense.std(axis=0) if to == "unit_variance" else np.abs(dense).max(axis=0)
        expected = np.divide(dense, size, out=np.zeros_like(dense), where=size > 0)
        assert np.allclose(chunk.X.toarray(), expected, rtol=1e-12)


def test_sparse_columns_without_negative_numbers_go_to_the_unit_interval() -> None:
    X = sparse.random(800, 1100, 0.05, "csr", random_state=4)
    unshifted = outcome(X, "unit_interval", fit="first_pass")
    assert np.allclose(unshifted, outcome(X, "unit_interval", fit="first_pass", shift=True))


def test_a_scaler_that_has_learned_is_used_as_it_is() -> None:
    stream = scaled(open_stream((ROWS, np.zeros(3000))), "unit_variance")
    list(stream)
    assert stream.scaler.count == 3000
    state = {
        key: getattr(value, "tolist", lambda v=value: v)()
        for key, value in stream.scaler.state().items()
    }
    again = Scaler.from_state(state)  # as it comes back from JSON
    found = outcome(ROWS[:10], "unit_interval", scaler=again)
    assert np.array_equal(found, stream.scaler.transform(ROWS[:10])) and again.count == 3000


def test_the_rows_handed_in_stay_as_they_are() -> None:
    X = ROWS.copy()
    outcome(X, "unit_interval")
    assert np.array_equal(X, ROWS)


def test_refusals() -> None:
    once = open_stream(iter([(ROWS, np.zeros(3000))]))
    with pytest.raises(ValueError, match="reads twice, but iterator can be read only once"):
        scaled(once, fit="first_pass")
    for options in ({"to": "unit"}, {"fit": "later"}, {"warm_up": 0}, {"shift": "no"}):
        with pytest.raises(ValueError, match=next(iter(options))):
            scaled(once, **options)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="not learned"):
        Scaler().transform(ROWS)
    scaler = Scaler()
    scaler.learn(ROWS)
    for action in (scaler.learn, scaler.transform):
        with pytest.raises(ValueError, match="knows 4 features, X has 2"):
            action(ROWS[:, :2])


@pytest.mark.parametrize("to", KINDS)
def test_what_was_learned_from_dense_rows_holds_for_wide_sparse_ones(to: str) -> None:
    rows = np.random.default_rng(0).normal(5, 2, size=(40, 1500))
    scaler = Scaler(to)
    scaler.learn(rows)
    np.testing.assert_array_equal(scaler.transform(sparse.csr_matrix(rows)), scaler.transform(rows))


def test_without_clipping_later_rows_may_leave_the_interval() -> None:
    for clip, expected in ((True, [[1.0], [-1.0]]), (False, [[3.0], [-2.0]])):
        scaler = Scaler("minus_one_one", clip=clip)
        scaler.learn(np.array([[0], [2]]))
        assert scaler.transform(np.array([[4], [-1]])).tolist() == expected
        again = Scaler.from_state(scaler.state())
        assert again.transform(np.array([[4], [-1]])).tolist() == expected
    old = {key: value for key, value in Scaler().state().items() if key != "clip"}
    assert Scaler.from_state(old).clip  # as model files of the first version have it


def test_whether_zeros_move() -> None:
    for to, rows, moves in (
        ("unit_interval", [[0.0], [3.0]], False),
        ("unit_interval", [[1.0], [3.0]], True),
        ("minus_one_one", [[-3.0], [3.0]], False),
        ("minus_one_one", [[0.0], [3.0]], True),
        ("unit_variance", [[-1.0], [1.0]], False),
        ("unit_variance", [[0.0], [1.0]], True),
    ):
        scaler = Scaler(to, shift=False)
        scaler.learn(np.array(rows))
        assert scaler.moves_zeros is moves


@pytest.mark.parametrize("to", KINDS)
def test_sparse_rows_of_any_form(to: str) -> None:
    """Square and wide, so that columns taken for rows would not even be noticed."""
    X = sparse.random(1100, 1100, 0.01, "csr", random_state=1)
    expected = Scaler(to).fit_transform(X).toarray()
    for form in ("csc", "coo", "lil"):
        assert np.array_equal(Scaler(to).fit_transform(X.asformat(form)).toarray(), expected)


@pytest.mark.parametrize("to", KINDS)
@pytest.mark.parametrize("odd", [np.nan, np.inf])
def test_cells_that_are_no_numbers_are_refused_and_nothing_is_learned(to: str, odd: float) -> None:
    scaler = Scaler(to).partial_fit(ROWS[:100])
    before = scaler.transform(ROWS[100:200])
    rows = ROWS[100:200].copy()
    rows[7, 2] = odd
    with np.errstate(invalid="ignore"), pytest.raises(ValueError, match="column 2"):
        scaler.partial_fit(rows)
    assert scaler.count == 100 and np.array_equal(scaler.transform(ROWS[100:200]), before)
    with pytest.raises(ValueError, match="rows and columns"):
        Scaler(to).partial_fit(ROWS[0])
