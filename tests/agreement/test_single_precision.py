"""Agreement room: rows in float32. The twin reads the same numbers and computes in float64.

Decisions are the same: the same mistakes, and the same vectors in the same slots, after every
instance. Scores and coefficients agree to the tolerance stated in ``streams``, with two exceptions:
mergers mix vectors by shares that hold the rounding of all earlier mergers; and coefficients of projections
answer to a rounding of 6e-8 in the kernel values with up to 6e-8 / jitter, jitter being 1e-5,
in directions that the scores do not feel. No margin of
these streams is so close to a corner of its loss that rounding would decide; where that happened, the
first difference would be the instance to look at.
"""

import pytest

from tests.agreement.cases import CASES, Case
from tests.agreement.streams import (
    CHUNKS,
    ROW_BY_ROW,
    SINGLE_TOLERANCE,
    difference,
    estimator,
    feed,
    history,
    shown,
)

LOOSER = {"merging": {"vectors": 1e-4}, "projection": {"coef": 5e-2}}
#: Every learner, for two classes and in regression; budgets by their kind of maintenance, for two classes. Many
#: classes with one machine of each kind: their outputs do not see the type of the rows.
WITH_MANY_CLASSES = ("AVM", "BSGD", "FOGD", "NOGD")
DISTINCT = {
    (
        case.family,
        case.task,
        case.settings.get("maintenance") if case.task == "binary" else "",
    ): case
    for case in reversed(CASES)
    if case.data == "narrow"
    and case.settings.get("cells") != "box"
    and (case.task != "multiclass" or case.family in WITH_MANY_CLASSES)
}


@pytest.mark.parametrize("case", DISTINCT.values(), ids=lambda case: case.name)
def test_equals_its_twin(case: Case) -> None:
    expected = history(case.name, "float32")
    tolerance = SINGLE_TOLERANCE | LOOSER.get(str(case.settings.get("maintenance")), {})
    fast = estimator(case)
    for row in range(1, ROW_BY_ROW + 1):
        feed(case, fast, row - 1, row, as_csr=False, dtype="float32")
        found = shown(case, fast, as_csr=False, dtype="float32")
        wrong = difference(case, found, expected[row], tolerance)
        assert not wrong, f"first difference after instance {row}: {wrong}"
    fast, first = estimator(case), 0
    for size in CHUNKS["odd"]:
        feed(case, fast, first, first + size, as_csr=False, dtype="float32")
        first += size
        found = shown(case, fast, as_csr=False, dtype="float32")
        wrong = difference(case, found, expected[first], tolerance)
        assert not wrong, f"chunk up to row {first}: {wrong}"
    assert fast._fitted().shape.dtype == "float32"
