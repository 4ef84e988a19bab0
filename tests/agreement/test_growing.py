"""Agreement room: learners whose classes appear on the way equal their growing twins, at whatever row they appear."""

import pytest

from tests.agreement.cases import Case
from tests.agreement.growing import (
    CLASSIFIERS,
    GROWING,
    MOMENTS,
    ROWS,
    feed,
    grown,
    labels,
    shown_by_estimator,
)
from tests.agreement.streams import difference, estimator, stream

#: Dense rows come at once, so that all happens inside of a chunk; sparse ones in several.
CHUNKS = {False: [ROWS], True: [1, 2, 20, 17]}
#: Streams that are followed row by row: the first three classes within the look, and beyond it.
ROW_BY_ROW = ((0, 2, 5, 9), (0, 8, 21, 30))


def test_every_classifier_is_here() -> None:
    assert {case.family for case in GROWING} == CLASSIFIERS


@pytest.mark.parametrize("as_csr", [False, True], ids=["dense", "csr"])
@pytest.mark.parametrize("case", GROWING, ids=lambda case: case.name)
def test_equals_the_growing_twin_at_every_moment(case: Case, as_csr: bool) -> None:
    for starts in MOMENTS:
        expected = grown(case.name, starts, (ROWS,))[ROWS]
        fast, first = estimator(case), 0
        for size in CHUNKS[as_csr]:
            feed(case, fast, starts, first, first + size, as_csr)
            first += size
        found = difference(case, shown_by_estimator(case, fast, as_csr), expected)
        assert not found, f"labels from rows {starts} on: {found}"
        assert fast.classes_.tolist() == sorted(set(learned_labels(case, starts)))


def learned_labels(case: Case, starts: tuple[int, ...]) -> list[str]:
    weights = stream("multiclass", "narrow").weights[:ROWS]
    return labels(starts)[weights > 0 if case.weighted else slice(None)].tolist()


@pytest.mark.parametrize("case", GROWING, ids=lambda case: case.name)
def test_equals_the_growing_twin_after_every_instance(case: Case) -> None:
    for starts in ROW_BY_ROW:
        rows = tuple(range(1, ROWS + 1))
        expected, fast = grown(case.name, starts, rows), estimator(case)
        for row in rows:
            feed(case, fast, starts, row - 1, row, as_csr=False)
            if not len(fast.classes_):  # no row had a weight so far
                continue
            found = difference(case, shown_by_estimator(case, fast, False), expected[row])
            assert not found, f"labels from {starts} on, first difference after {row}: {found}"
