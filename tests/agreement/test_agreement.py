"""Agreement room: every fast learner equals its slow twin, after every single instance.

The same stream, the same draws: scores of the model that predicts, support vectors in their
slots, coefficients, and the record of the stream must be the same. Learned row by row, so that
the first difference is found where it arises; and in chunks of several blocks, where vectors come,
go and merge between the matrix products.
"""

import pytest

from onkel.engine import layout as kinds
from onkel.engine import workspace
from tests.agreement.cases import CASES, EVERY_LAYOUT, MANY_CLASSES, Case
from tests.agreement.streams import CHUNKS, ROW_BY_ROW, difference, estimator, feed, history, shown

LAYOUTS = ("dense", "csr")
#: Dense rows, learned as those are that are mostly zeros.
HOLLOW = [case for case in EVERY_LAYOUT if case.data != "wide"]


#: Of many classes, those whose vectors take terms over from others.
HANDED_OVER = [case for case in MANY_CLASSES if case.family in ("BSGD", "BPAS", "Projectron")]


def layouts(case: Case) -> tuple[str, ...]:
    if case.data == "wide":
        return ("csr",)
    return LAYOUTS if case in EVERY_LAYOUT else ("dense",)


COMBINATIONS = [
    pytest.param(case, layout == "csr", id=f"{case.name} {layout}")
    for case in CASES
    for layout in layouts(case)
]


@pytest.mark.parametrize(("case", "as_csr"), COMBINATIONS)
def test_equals_its_twin_after_every_instance(case: Case, as_csr: bool) -> None:
    fast = estimator(case)
    expected = history(case.name)
    for row in range(1, ROW_BY_ROW + 1):
        feed(case, fast, row - 1, row, as_csr)
        found = difference(case, shown(case, fast, as_csr), expected[row])
        assert not found, f"first difference after instance {row}: {found}"


@pytest.mark.parametrize(("case", "as_csr"), COMBINATIONS)
def test_equals_its_twin_after_blocks(case: Case, as_csr: bool) -> None:
    check_after_blocks(case, as_csr)


@pytest.mark.parametrize("case", HOLLOW, ids=lambda case: case.name)
def test_hollow_rows_equal_the_twin(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kinds, "is_hollow", lambda X: True)
    check_after_blocks(case, as_csr=False)


@pytest.mark.parametrize("case", HANDED_OVER, ids=lambda case: case.name)
def test_vectors_of_too_many_outputs_to_list_equal_the_twin(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workspace, "MOST_OWNERS", 3)
    check_after_blocks(case, as_csr=False)


def check_after_blocks(case: Case, as_csr: bool) -> None:
    expected = history(case.name)
    for name, sizes in CHUNKS.items():
        fast, first = estimator(case), 0
        for size in sizes:
            feed(case, fast, first, first + size, as_csr)
            first += size
            found = difference(case, shown(case, fast, as_csr), expected[first])
            assert not found, f"{name}, chunk up to row {first}: {found}"
