"""Encoded tables as ONNX: one input a column, words, gaps, dates and all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.decomposition import IncrementalPCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    RobustScaler,
    StandardScaler,
)

from onkel import FOGDClassifier, Nystrom, RandomFourier, TableEncoder
from onkel.io import NotExportable, load_with_extras, to_onnx
from onkel.stream import Scaler
from tests.io.onnx_answers import assert_near, assert_same_as_onnx, said, session_of
from tests.io.test_old_files import FOLDER
from tests.io.whole_cases import LABELS, TABLE, X, encoder, fogd

DAY = 86400.0


def columns(table: dict[str, Any]) -> dict[str, np.ndarray]:
    """The table as the inputs of an ONNX model are."""
    missing = ("", "?", None)

    def numbers(cells: Any, read: Any, kind: Any) -> np.ndarray:
        values = [np.nan if cell in missing else read(cell) for cell in cells]
        return np.array(values, kind)[:, None]

    def days(cell: str) -> float:
        return float((np.datetime64(cell, "s") - np.datetime64(0, "s")).astype(int)) / DAY

    return {
        "a": numbers(table["a"], float, np.float32),
        "b": numbers(table["b"], float, np.float32),
        "word": np.array(table["word"], object)[:, None],
        "day": numbers(table["day"], days, np.float64),
        "yes": numbers(table["yes"], lambda cell: cell == "true", np.float32),
        "name": np.array(table["name"], object)[:, None],
        "nothing": np.array([""] * len(table["nothing"]), object)[:, None],
    }


@pytest.mark.parametrize("name", ["table_fogd", "table_that_widens"])
def test_a_pipeline_of_a_table(name: str) -> None:
    model, extras = load_with_extras(FOLDER / "version_3" / f"{name}.onkel")
    table = extras["more_X"]
    made = assert_same_as_onnx(model, table, columns(table))
    assert [each.name for each in made.graph.input] == list(TABLE)
    assert "days since 1970" in made.graph.input[3].doc_string


@pytest.mark.parametrize("changes", [{}, {"sparse_output": False}, {"dtype": "float64"}])
def test_an_encoder_by_itself(changes: dict[str, Any]) -> None:
    alone = encoder(**changes).fit(TABLE)
    odd = {name: list(cells[:12]) for name, cells in TABLE.items()}
    odd["word"][3], odd["b"][5], odd["a"][1] = "never seen", 1e9, "-1e30"
    found = said(session_of(to_onnx(alone)), columns(odd))["rows"]
    expected = alone.transform(odd)
    expected = expected if isinstance(expected, np.ndarray) else expected.toarray()
    assert_near(found, expected, 1e-6)
    assert (found[:, alone.encoding_.width - 1] == 0).all()  # spare columns are there, and empty


def test_infinite_and_unexpected_cells_are_gaps() -> None:
    alone = encoder().fit(TABLE)
    cells = columns({name: values[:2] for name, values in TABLE.items()})
    odd = cells | {"a": np.float32([[np.inf], [np.nan]]), "yes": np.float32([[2.0], [np.nan]])}
    found = said(session_of(to_onnx(alone)), odd)["rows"]
    names = alone.get_feature_names_out().tolist()
    for column in ("a=<gap>", "yes=<gap>"):
        assert found[:, names.index(column)].tolist() == [1.0, 1.0]
    assert found[0, names.index("a")] == 0.0
    assert found[0, names.index("yes")] == found[1, names.index("yes")]


def test_hashed_words_are_refused() -> None:
    hashing = TableEncoder(max_words=2, min_count=1).fit({"a": ["x", "y", "z", "z"]})
    with pytest.raises(NotExportable, match="column 'a' has more words than max_words=2"):
        to_onnx(hashing)


STEPS = [
    Scaler("unit_interval"), Scaler("minus_one_one"), Scaler("unit_variance"),
    Scaler("unit_interval", shift=False), Scaler("unit_interval", clip=False), StandardScaler(),
    StandardScaler(with_mean=False), StandardScaler(with_std=False), MinMaxScaler((-1, 2), clip=True),
    MaxAbsScaler(), RobustScaler(), Normalizer("l1"), Normalizer("l2"), Normalizer("max"),
    IncrementalPCA(2), IncrementalPCA(2, whiten=True), RandomFourier(n_components=8, random_state=0),
    Nystrom(n_components=20, gamma=0.001, random_state=0),
    Nystrom(kernel="polynomial", gamma=0.001, coef0=1.0, degree=2, n_components=9, random_state=0),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:features differ")
@pytest.mark.parametrize("step", STEPS, ids=str)
def test_steps_of_numbers(step: Any) -> None:
    step = step.fit(X[:60])
    rows = X[60:].astype(np.float32)
    answers = said(session_of(to_onnx(step)), rows)["rows"]
    assert_near(answers, np.asarray(step.transform(rows.astype(float))), 1e-6)


def test_steps_between_an_encoder_and_a_learner() -> None:
    steps = encoder(sparse_output=False), Scaler("minus_one_one"), "passthrough", fogd()
    model = make_pipeline(*steps).fit(TABLE, LABELS)
    assert_same_as_onnx(model, TABLE, columns(TABLE))
    assert isinstance(model[-1], FOGDClassifier)
