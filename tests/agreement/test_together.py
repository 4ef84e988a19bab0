"""Agreement room: half-lives that learn side by side equal their twins, after every single instance.

The half-lives are shorter than those that users get: on a short stream each of them has its time.
"""

from collections.abc import Iterator

import numpy as np
import pytest

from onkel.estimators import half_life
from tests.agreement.cases import Case
from tests.agreement.streams import (
    CHUNK_ENDS,
    CHUNKS,
    ROW_BY_ROW,
    ROWS,
    SINGLE_TOLERANCE,
    class_factors,
    confidence_twin,
    difference,
    draws_of,
    estimator,
    feed,
    shown,
    shown_by_twin,
    stream,
    twin,
)
from tests.reference.together import Together

HALF_LIVES = (None, 60.0, 8.0)
BESIDE = 100.0
CELLS = {"diameter": 1.6, "regularization": 0.01, "first_step": 1.0, "average": 0.5}
CASES = [
    Case("FOGD", "multiclass", {"step": 0.5, "n_components": 20, "class_weight": "balanced"}),
    Case("FOGD", "binary", {"step": 0.5, "n_components": 20}, "wide"),
    Case("FOGD", "multiclass", {"step": 0.5, "n_components": 20}, "many"),
    Case("FOGD", "regression", {"step": 0.5, "n_components": 20, "average": False}),
    Case("NOGD", "binary", {"step": 0.4, "budget": 20, "average": True}, weighted=True),
    Case("OGD", "regression", {"step": 0.3}),
    Case("AVM", "binary", CELLS),
]
every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@pytest.fixture(autouse=True)
def short_half_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(half_life, "LADDER", HALF_LIVES)
    monkeypatch.setattr(half_life, "BESIDE", BESIDE)


def automatic(case: Case) -> Case:
    return case._replace(settings=case.settings | {"half_life": "auto"})


def told(case: Case, dtype: str = "float64") -> Iterator[tuple[int, object]]:
    """What the twins know after so many rows."""
    data = stream(case.task, case.data, dtype)
    weights = data.weights if case.weighted else np.ones(ROWS)
    beside = case._replace(settings=case.settings | {"half_life": BESIDE})
    factors = iter(class_factors(beside, data.y[weights > 0.0]))
    fast = estimator(automatic(case))
    feed(case, fast, 0, 1, as_csr=case.data == "wide", dtype=dtype)
    draws = draws_of(fast)
    slow = Together(
        [twin(case._replace(settings=case.settings | {"half_life": h}), fast) for h in HALF_LIVES]
    )
    sure = confidence_twin(beside, fast)
    for row, (x, y, weight) in enumerate(zip(data.X, data.y, weights, strict=True), start=1):
        if weight > 0.0:
            slow.learn(x, y, draws[slow.t], weight * next(factors))
            sure.learn(slow.record[-1][0], y, weight)
        if row <= ROW_BY_ROW or row in CHUNK_ENDS:
            yield row, shown_by_twin(case, slow, sure, data.probes)


@every_case
def test_equals_its_twins_after_every_instance(case: Case) -> None:
    as_csr, fast = case.data == "wide", estimator(automatic(case))
    for row, expected in told(case):
        if row > ROW_BY_ROW:
            break
        feed(case, fast, row - 1, row, as_csr)
        found = difference(case, shown(case, fast, as_csr), expected)
        assert not found, f"first difference after instance {row}: {found}"


@every_case
def test_equals_its_twins_after_blocks(case: Case) -> None:
    expected, as_csr = dict(told(case)), case.data == "wide"
    for name, sizes in CHUNKS.items():
        fast, first = estimator(automatic(case)), 0
        for size in sizes:
            feed(case, fast, first, first + size, as_csr)
            first += size
            found = difference(case, shown(case, fast, as_csr), expected[first])
            assert not found, f"{name}, chunk up to row {first}: {found}"


def test_equals_its_twins_in_single_precision() -> None:
    case = CASES[0]
    fast, expected = estimator(automatic(case)), dict(told(case, "float32"))
    feed(case, fast, 0, ROWS, as_csr=False, dtype="float32")
    found = difference(case, shown(case, fast, False, "float32"), expected[ROWS], SINGLE_TOLERANCE)
    assert not found


def test_every_voice_has_its_say() -> None:
    """Else the cases above would not notice if one were left out."""
    case = CASES[0]
    fast = estimator(automatic(case))
    feed(case, fast, 0, ROWS, as_csr=False)
    assert (fast._machine.mixture.shares() > 1e-3).sum() >= 4
