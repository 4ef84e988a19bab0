"""Models as ONNX, run by onnxruntime: what they say beside what the model says."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime
from scipy import sparse

from onkel.io import to_onnx

#: How close answers must be, to the size of the largest and absolutely.
TOLERANCE = 1e-5


def session_of(made: Any) -> Any:
    return onnxruntime.InferenceSession(
        made.SerializeToString(), providers=["CPUExecutionProvider"]
    )


def said(session: Any, X: Any, batch: int | None = None) -> dict[str, np.ndarray]:
    """All answers to rows, or columns of them; in batches of so many rows, if that is given."""
    columns = X if isinstance(X, dict) else {"X": single(X)}
    names = [output.name for output in session.get_outputs()]
    n = len(next(iter(columns.values())))
    size = batch or max(n, 1)
    parts = [
        session.run(None, {name: cells[i : i + size] for name, cells in columns.items()})
        for i in range(0, max(n, 1), size)
    ]
    return dict(zip(names, map(np.concatenate, zip(*parts))))


def single(X: Any) -> np.ndarray:
    return np.asarray(X.toarray() if sparse.issparse(X) else X, np.float32)


def assert_says(found: dict[str, np.ndarray], model: Any, X: Any, tolerance: float) -> None:
    """Whether it is what the model says of the rows."""
    if "variable" in found:
        assert_near(found["variable"][:, 0], model.predict(X), tolerance)
        return
    scores = model.decision_function(X)
    assert_near(found["scores"].reshape(scores.shape), scores, tolerance)
    sure = np.abs(scores) if scores.ndim == 1 else np.ptp(np.sort(scores)[:, -2:], axis=1)
    clear = sure > tolerance * np.abs(scores).max(initial=1.0)  # a tie may fall to either side
    assert np.array_equal(found["label"][clear], model.predict(X)[clear])
    assert clear.any() or not scores.any()
    assert hasattr(model, "predict_proba") == ("probabilities" in found)
    if "probabilities" in found:
        assert_near(found["probabilities"], model.predict_proba(X), tolerance)


def assert_near(found: np.ndarray, expected: np.ndarray, tolerance: float) -> None:
    assert found.shape == expected.shape and found.dtype.kind == "f"
    np.testing.assert_allclose(
        found, expected, rtol=0, atol=tolerance * max(1.0, np.abs(expected).max())
    )


def assert_same_as_onnx(
    model: Any, X: Any, columns: Any = None, tolerance: float = TOLERANCE, **options: Any
) -> Any:
    """All rows at once, each alone, and none: onnxruntime and the model say the same. Returns the ONNX model."""
    made = to_onnx(model, **options)
    session, rows = session_of(made), X if columns is None else columns
    together = said(session, rows)
    asked = X if columns is not None else single(X)
    assert_says(together, model, asked, tolerance)
    alone = said(session, rows, batch=1)
    for name, answers in together.items():
        if answers.dtype.kind == "f":
            np.testing.assert_allclose(alone[name], answers, rtol=1e-5, atol=1e-5)
        else:
            assert np.array_equal(alone[name], answers)
    nothing = {name: cells[:0] for name, cells in rows.items()} if columns is not None else rows[:0]
    for name, answers in said(session, nothing).items():
        assert answers.shape == (0, *together[name].shape[1:]), name
    return made
