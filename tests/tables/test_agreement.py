"""The encoder is its literal twin, in chunks of any size, row by row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import BaseEstimator, RegressorMixin

from onkel import StreamPipeline, TableEncoder
from tests.reference.table_encoder import TableTwin, streamed
from tests.tables.rows import NAMES, as_columns, random_cuts, random_rows

MISSING = ("", "?", "NA")
SETTINGS = {"look": 50, "max_words": 12, "min_count": 3, "n_hashed": 8}
ROWS = random_rows(1300)


class Recorder(RegressorMixin, BaseEstimator):
    """A learner that keeps the rows that it gets."""

    def partial_fit(self, X: Any, y: Any) -> Recorder:
        self.rows_ = [*getattr(self, "rows_", []), *(X.toarray() if sparse.issparse(X) else X)]
        self.targets_ = [*getattr(self, "targets_", []), *y]
        return self

    def predict(self, X: Any) -> Any:
        return np.full(X.shape[0], len(self.rows_))


def encoder(**options: Any) -> TableEncoder:
    return TableEncoder(**{"missing": MISSING, "dtype": "float64", **SETTINGS, **options})


def named(encoder: TableEncoder, rows: Any) -> list[dict[str, float]]:
    """Encoded rows as the twin has them: names of features to numbers, without zeros."""
    names = encoder.get_feature_names_out()
    dense = rows.toarray() if sparse.issparse(rows) else np.asarray(rows)
    return [{names[place]: row[place] for place in np.flatnonzero(row)} for row in dense]


def same(encoded: list[dict[str, float]], twin: list[dict[str, float]]) -> None:
    assert len(encoded) == len(twin)
    for fast, slow in zip(encoded, twin):
        slow = {name: value for name, value in slow.items() if value}
        assert fast == pytest.approx(slow, rel=1e-9, abs=1e-9)


def learned(count: int, cuts: list[slice], **options: Any) -> TableEncoder:
    made = encoder(**options)
    for cut in cuts:
        made.partial_fit(as_columns(ROWS[cut]))
    assert made.n_rows_ == count
    return made


@pytest.mark.parametrize("count", [50, 51, 99, 100, 250, 1299])
def test_after_any_number_of_rows_it_is_the_twin(count: int) -> None:
    twin = TableTwin(NAMES, missing=MISSING, **SETTINGS)
    for row in ROWS[:count]:
        twin.see(row)
    made = learned(count, random_cuts(count, count))
    probe = ROWS[-40:]
    same(named(made, made.transform(as_columns(probe))), [twin.encode(row) for row in probe])


@pytest.mark.parametrize("options", [{}, {"fixed_width": False}, {"sparse_output": False}])
@pytest.mark.parametrize("count", [30, 50, 333, 1300])
def test_any_chunking_gives_the_same_bits(count: int, options: dict[str, Any]) -> None:
    whole = learned(count, [slice(0, count)], **options)
    probe = as_columns(ROWS[-70:])
    expected = whole.transform(probe)
    for seed in range(3):
        made = learned(count, random_cuts(count, seed), **options)
        assert list(made.get_feature_names_out()) == list(whole.get_feature_names_out())
        found = made.transform(probe)
        assert sparse.issparse(found) == sparse.issparse(expected)
        assert (found != expected).sum() == 0


def through_a_pipeline(cuts: list[slice], **options: Any) -> StreamPipeline:
    pipeline = StreamPipeline([("table", encoder(**options)), ("last", Recorder())])
    for cut in cuts:
        pipeline.partial_fit(as_columns(ROWS[cut]), list(range(cut.start, cut.stop)))
    return pipeline


def test_rows_reach_the_learner_as_the_twin_says() -> None:
    twin = TableTwin(NAMES, missing=MISSING, **SETTINGS)
    pipeline = through_a_pipeline(random_cuts(1300, 0))
    last = pipeline[-1]
    assert last.targets_ == list(range(1300))
    same(named(pipeline[0], np.array(last.rows_)), streamed(twin, ROWS))


def test_rows_reach_the_learner_in_any_chunks_with_the_same_bits() -> None:
    expected = through_a_pipeline([slice(0, 1300)])[-1].rows_
    for seed in range(1, 4):
        found = through_a_pipeline(random_cuts(1300, seed))[-1].rows_
        assert np.array_equal(np.array(found), np.array(expected))


CELLS = st.sampled_from(
    ["", "?", "NA", "0", "1", "1.50", "-3e5", "7e99", "1e200", "inf", "nan", "1_000", "true", "False", "no",
     "2024-02-29", "2023-12-31", "2024-01-01T10:30:00Z", "2024-01-01 10:30+02:00", "2023-02-30", "ü"]
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(CELLS, CELLS, st.sampled_from(["1", "2", "", "x"])), min_size=8, max_size=60
    ),
    st.integers(1, 9),
)
def test_whatever_is_in_the_cells(cells: Any, size: int) -> None:
    names = ["a", "b", "c"]
    rows = [dict(zip(names, row)) for row in cells]
    small = {"look": 8, "max_words": 3, "min_count": 2, "n_hashed": 2}
    twin = TableTwin(names, missing=MISSING, **small)
    fast = encoder(**small, unexpected="gap")
    for start in range(0, len(rows), size):
        piece = rows[start : start + size]
        fast.partial_fit({name: [row[name] for row in piece] for name in names})
        for row in piece:
            twin.see(row)
        if twin.rows >= 8:
            encoded = fast.transform({name: [row[name] for row in rows] for name in names})
            same(named(fast, encoded), [twin.encode(row) for row in rows])


def test_columns_keep_their_places_when_words_appear() -> None:
    made = encoder(fixed_width=False)
    before: list[str] = []
    widths = []
    for start in range(0, 1300, 130):
        made.partial_fit(as_columns(ROWS[start : start + 130]))
        names = list(made.get_feature_names_out())
        assert names[: len(before)] == before
        assert made.transform(as_columns(ROWS[:1])).shape == (1, len(names))
        before = names
        widths.append(len(names))
    assert widths[-1] > widths[0]


def test_a_fixed_width_is_never_outgrown() -> None:
    made = encoder()
    widths = set()
    for start in range(0, 1300, 130):
        made.partial_fit(as_columns(ROWS[start : start + 130]))
        widths.add(made.transform(as_columns(ROWS[:1])).shape[1])
        assert len(made.encoding_.places.names) <= made.encoding_.width
    assert len(widths) == 1
