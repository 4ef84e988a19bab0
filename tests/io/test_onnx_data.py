"""Real data sets: ONNX in single precision says the same to 1e-5."""

from __future__ import annotations

import lzma
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import onkel
from benchmarks import tables
from benchmarks.data import AbsentError
from onkel import FOGDClassifier, TableEncoder, make_stream_pipeline
from onkel.datasets import load
from onkel.stream import Scaler, open_stream
from onkel.tables import Table
from tests.io.onnx_answers import assert_same_as_onnx

LEARN, ASK = 1500, 200
CASES = {
    ("a9a", "AVMClassifier"): {},
    ("a9a", "NOGDClassifier"): {"budget": 200},
    ("satimage", "BSGDClassifier"): {"budget": 100},
    ("satimage", "FourierRidgeClassifier"): {"n_components": 100},
    ("cpusmall", "FOGDRegressor"): {"n_components": 200},
    ("cpusmall", "NystromRidgeRegressor"): {"n_components": 150},
    ("cpusmall", "BOGDRegressor"): {"kernel": "laplacian", "budget": 100},
}


@pytest.mark.data("a9a", "satimage", "cpusmall")
@pytest.mark.parametrize(("data", "learner"), CASES)
def test_real_sets(data: str, learner: str) -> None:
    X, y = load(data)
    rows = np.random.default_rng(0).permutation(X.shape[0])[: LEARN + ASK]
    X, y = X[rows].toarray(), y[rows]
    changes = CASES[data, learner] | {"random_state": 0}
    model = make_stream_pipeline(
        Scaler("unit_variance"), getattr(onkel, learner)(**changes)
    ).partial_fit(X[:LEARN].astype(np.float32).astype(float), y[:LEARN])
    assert_same_as_onnx(model, X[LEARN:])
    if learner in ("AVMClassifier", "BSGDClassifier", "FOGDRegressor", "BOGDRegressor"):
        assert_same_as_onnx(model, X[LEARN:], arithmetic="float32")


def inputs_of(encoder: TableEncoder, table: Any) -> dict[str, np.ndarray]:
    """The cells of a table as the inputs of an ONNX model are."""
    made = {}
    for name, feature in encoder.encoding_.features.items():
        if feature.is_used:
            cells = encoder.encoding_._read(feature, table, 0)
            kind = np.float64 if feature.kind == "date" else np.float32
            words = np.array([*cells.words, ""], object)
            made[name] = words[cells.values] if cells.words else cells.values.astype(kind)
            made[name] = made[name][:, None]
    return made


def test_a_raw_table(tmp_path: Path) -> None:
    try:
        path = tables.table("adult.csv.xz")
    except AbsentError as absent:
        pytest.skip(str(absent))
    with lzma.open(path, "rt", encoding="utf-8") as file:
        lines = [next(file) for _ in range(LEARN + ASK + 1)]
    (tmp_path / "adult.csv").write_text("".join(lines), encoding="utf-8")
    ((X, y),) = open_stream(tmp_path / "adult.csv", target="income", raw=True, chunk_rows=10**6)
    model = make_stream_pipeline(TableEncoder(), FOGDClassifier(n_components=100, random_state=0))
    model.partial_fit(X[:LEARN], y[:LEARN])
    rows: Table = X[LEARN:]
    assert_same_as_onnx(model, rows, inputs_of(model[0], rows))
