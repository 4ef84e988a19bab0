"""Agreement room: rules and budgets that both draw at random, in every pair, equal their twins.

Each part has a lane of the random stream of its own. Were it shared, a sampling rule would decide
with the number with which the budget decides whether to act.
"""

from itertools import accumulate

import pytest

from tests.agreement.pairs import PAIRS, Pair, composed, pair_history
from tests.agreement.streams import CHUNKS, ROW_BY_ROW, difference, feed, shown

COMBINATIONS = [
    pytest.param(pair, layout == "csr", id=f"{pair.name} {layout}")
    for pair in PAIRS
    for layout in ("dense", "csr")
]


@pytest.mark.parametrize(("pair", "as_csr"), COMBINATIONS)
def test_a_pair_equals_its_twin_after_every_instance(pair: Pair, as_csr: bool) -> None:
    fast, expected = composed(pair), pair_history(pair)
    for row in range(1, ROW_BY_ROW + 1):
        feed(pair.case, fast, row - 1, row, as_csr)
        found = difference(pair.case, shown(pair.case, fast, as_csr), expected[row])
        assert not found, f"first difference after instance {row}: {found}"


@pytest.mark.parametrize(("pair", "as_csr"), COMBINATIONS)
def test_a_pair_equals_its_twin_after_blocks(pair: Pair, as_csr: bool) -> None:
    expected = pair_history(pair)
    for name, sizes in CHUNKS.items():
        fast, first = composed(pair), 0
        for end in accumulate(sizes):
            feed(pair.case, fast, first, end, as_csr)
            first = end
            found = difference(pair.case, shown(pair.case, fast, as_csr), expected[end])
            assert not found, f"{name}, chunk up to row {end}: {found}"
