"""The pipeline on tables of all kinds: chunks of frames, streams of tables, words that come on the way."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.decomposition import IncrementalPCA
from sklearn.preprocessing import StandardScaler

from onkel import ScaleWarning, TableEncoder, make_stream_pipeline
from onkel.evaluate import prequential
from onkel.stream import open_stream
from tests.tables.rows import random_cuts
from tests.tables.test_pipeline import CLASSES, TABLE, X, fogd, learned, part, y


@pytest.mark.parametrize("kind", ["pandas", "arrow", "lists"])
def test_chunks_of_any_kind_of_table(kind: str) -> None:
    pandas = pytest.importorskip("pandas")
    whole = pandas.DataFrame(TABLE)
    if kind == "pandas":
        rows: Any = whole.iloc.__getitem__
    elif kind == "arrow":
        arrow = pytest.importorskip("pyarrow").Table.from_pandas(whole)
        rows = lambda cut: arrow.slice(cut.start, cut.stop - cut.start)  # noqa: E731
    else:
        rows = lambda cut: {name: list(column[cut]) for name, column in TABLE.items()}  # noqa: E731
    model = learned(make_stream_pipeline(TableEncoder(), fogd()), random_cuts(1500, 3), rows)
    expected = learned(make_stream_pipeline(TableEncoder(), fogd()), [slice(0, 1500)])
    assert np.array_equal(model.decision_function(TABLE), expected.decision_function(TABLE))


def test_a_stream_of_tables_is_evaluated() -> None:
    frame = {**TABLE, "label": y}
    stream = open_stream(frame, target="label", raw=True, chunk_rows=300)
    run = prequential(
        make_stream_pipeline(TableEncoder(), fogd(gamma=2.0)), stream, classes=CLASSES
    )
    model, wrong = make_stream_pipeline(TableEncoder(), fogd(gamma=2.0)), []
    for start in range(0, 1500, 25):  # a point of the run is 25 rows
        cut = slice(start, start + 25)
        if start:
            wrong.append(model.predict(part(cut)) != y[cut])
        model.partial_fit(part(cut), y[cut], classes=CLASSES)
    assert run.metrics["mistake_rate"] == pytest.approx(np.mean(wrong), abs=0.02)


def test_frames_reach_scikit_learn_s_steps_as_frames() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["a", "b"])
    model = learned(
        make_stream_pipeline(StandardScaler(), fogd()), random_cuts(1500, 4), frame.iloc.__getitem__
    )
    assert model[0].feature_names_in_.tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="at least one row"):
        model.partial_fit(frame.iloc[:0], y[:0])
    with pytest.raises(ValueError, match="X has 3 rows, but y has 2"):
        model.partial_fit(frame.iloc[:3], y[:2])


def test_an_encoder_takes_care_of_scales() -> None:
    moments = np.datetime64("2024-06-20") + np.arange(600) * np.timedelta64(
        1, "s"
    )  # no season in them
    table = {"when": moments, "a": X[:600, 0]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make_stream_pipeline(TableEncoder(), fogd()).partial_fit(table, y[:600], classes=CLASSES)
        make_stream_pipeline(TableEncoder(), fogd()).fit(table, y[:600])
    with pytest.warns(ScaleWarning):
        make_stream_pipeline("passthrough", fogd()).partial_fit(X, y, classes=CLASSES)
    with pytest.warns(ScaleWarning):
        make_stream_pipeline(IncrementalPCA(2), fogd()).fit(X, y)


def test_a_learner_grows_with_the_words_of_a_table() -> None:
    """And with its labels. Widths differ, but not what is learned: columns of words to come are 0."""
    rows = np.arange(1500)
    words = np.array([f"w{min(row // 150, row % 7)}" for row in rows])
    labels = np.array(["low", "mid", "high"])[np.minimum(rows // 400, rows % 3)]
    table = {"word": words, "number": X[:, 1]}

    def some(cut: slice) -> dict[str, Any]:
        return {name: column[cut] for name, column in table.items()}

    def made(cuts: list[slice], **options: Any) -> Any:
        encoder = TableEncoder(look=64, sparse_output=True, **options)
        model = make_stream_pipeline(encoder, fogd(gamma=0.5))
        for cut in cuts:
            model.partial_fit(some(cut), labels[cut])
        return model

    fixed = made([slice(0, 1500)])
    for cuts in ([slice(0, 1500)], random_cuts(1500, 0)):
        grown = made(cuts, fixed_width=False)
        assert grown[-1].n_features_in_ < fixed[-1].n_features_in_
        assert grown.classes_.tolist() == ["high", "low", "mid"]
        told = grown.decision_function(table)
        np.testing.assert_allclose(told, fixed.decision_function(table), atol=1e-4)
    again = pickle.loads(pickle.dumps(grown))
    assert np.array_equal(again.decision_function(table), told)
