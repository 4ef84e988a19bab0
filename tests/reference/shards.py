"""Reference room: models of shards become one, term by term and number by number.

What a model learned since they parted, in rows, is its share in all means; counts and the record add up, what a
common beginning had counts once.
"""

from collections.abc import Sequence
from copy import deepcopy

import numpy as np

from tests.reference.avm import Cells
from tests.reference.base import Array, Term, Twin, new_term
from tests.reference.calibration import CalibratorTwin, QuantilesTwin

RIDGE = 0.01  # relative to the diagonal of a Gram matrix


def merged(twins: Sequence[Twin], common: Twin | None = None) -> Twin:
    """Of twins on the same features (with a common beginning, maybe), with cells, or with vectors."""
    made = deepcopy(twins[0])
    begun = 0.0 if common is None else common.count
    learned = [twin.count - begun for twin in twins]
    shares = [n / sum(learned) for n in learned]
    if made.terms is made.slots:
        for term in made.terms:
            term.value *= shares[0]
        covered = [
            pair for twin, share in zip(twins[1:], shares[1:]) for pair in unite(made, twin, share)
        ]
        for term, share, theirs in covered:
            combine(made, term, share, theirs)
    else:
        merge_weights(made, twins, shares, common)
    made.intercept = sum(
        (s * twin.intercept for s, twin in zip(shares, twins)), np.zeros(made.n_outputs)
    )
    for role in range(2):
        slot = roles(made)[role]
        made.counts[slot] = once(
            [twin.counts[roles(twin)[role]] for twin in twins], twins, role, common
        )
        made.intercept_sums[slot] = once(
            [twin.intercept_sums[roles(twin)[role]] for twin in twins], twins, role, common
        )
    made.t = sum(twin.t for twin in twins)
    made.count = sum(twin.count for twin in twins)
    for twin in twins[1:]:
        made.record += twin.record[0 if common is None else len(common.record) :]
    if common is not None:
        made.t -= (len(twins) - 1) * common.t
        made.count -= (len(twins) - 1) * common.count
    if 0.0 < made.average < 1.0:
        made.next_restart = made.t + 1
    return made


def roles(twin: Twin) -> tuple[int, int]:
    """Its accumulators: the output, and the other one."""
    return twin.older, 1 - twin.older


def once(values, twins, role, common):  # type: ignore[no-untyped-def]
    """The sum over the twins; what goes on from the common beginning is in it once."""
    total, kept = sum(values), None
    for twin in twins if common is not None else ():
        slot = roles(twin)[role]
        before = goes_on(twin, slot, common)
        if before is not None:
            total, kept = total - pick(before, slot, values[0]), pick(before, slot, values[0])
    return total if kept is None else total + kept


def goes_on(twin: Twin, slot: int, common: Twin) -> Twin | None:
    restarts = twin.restarts - common.restarts
    restarted = restarts > 1 or (restarts == 1 and slot == common.restarts % 2)
    return None if restarted else common


def pick(common: Twin, slot: int, like):  # type: ignore[no-untyped-def]
    """Of the common beginning, what is of this kind: weights, intercepts or a count."""
    if np.ndim(like) == 0:
        return common.counts[slot]
    return common.intercept_sums[slot] if np.ndim(like) == 1 else common.terms[0].sums[slot]


def merge_weights(
    made: Twin, twins: Sequence[Twin], shares: Sequence[float], common: Twin | None
) -> None:
    weights = made.terms[0]
    weights.value = sum(s * twin.terms[0].value for s, twin in zip(shares, twins))  # type: ignore[assignment]
    sums: list[Array] = [np.zeros(0), np.zeros(0)]
    for role in range(2):
        each = [twin.terms[0].sums[roles(twin)[role]] for twin in twins]
        sums[roles(made)[role]] = once(each, twins, role, common)
    weights.sums = (sums[0], sums[1])


def unite(made: Twin, other: Twin, share: float) -> list[tuple[Term, float, tuple[int, int]]]:
    """Take the vectors of another twin over; those that cells cover are returned, for later."""
    covered = []
    for number, term in enumerate(other.slots):
        is_core = isinstance(other, Cells) and number in other.cores
        if is_core:
            assert isinstance(made, Cells)
            home = made.cell_of(term.vector)
            full = made.max_cores is not None and len(made.cores) >= made.max_cores
            if home is not None or (full and made.at_cap == "charge"):
                covered.append((term, share, roles(other)))
                continue
            if full:
                continue
            made.cores.append(len(made.slots))
        made.slots.append(new_term(term.vector, np.zeros_like(term.value), term.born))
        charge(made.slots[-1], term, share, 1.0, roles(made), roles(other))
    return covered


def combine(made: Twin, term: Term, share: float, theirs: tuple[int, int]) -> None:
    """A covered vector becomes the nearest combination of the vectors that there are."""
    gram = made.gram(made.slots)
    ridge = RIDGE * np.trace(gram) / len(gram) * np.eye(len(gram))
    values = np.array([made.kernel(slot.vector, term.vector) for slot in made.slots])
    for slot, part in zip(made.slots, np.linalg.solve(gram + ridge, values)):
        charge(slot, term, share, float(part), roles(made), theirs)


def charge(
    home: Term,
    term: Term,
    share: float,
    part: float,
    mine: tuple[int, int],
    theirs: tuple[int, int],
) -> None:
    home.value += share * part * term.value
    for own, other in zip(mine, theirs):
        home.sums[own][...] += part * term.sums[other]


def joined(
    twins: Sequence[CalibratorTwin] | Sequence[QuantilesTwin],
    common: CalibratorTwin | QuantilesTwin | None = None,
):  # type: ignore[no-untyped-def]
    """What calibrators, or twins of residuals, know together: sums are means by shares, times the weight of all."""
    made = deepcopy(twins[0])
    before = 0.0 if common is None else sum(common.weights)
    weights = [sum(twin.weights) for twin in twins]
    shares = [(w - before) / sum(w - before for w in weights) for w in weights]
    weight = before + sum(w - before for w in weights)

    def mean(values):  # type: ignore[no-untyped-def]
        return sum(share * value for share, value in zip(shares, values))

    def together(values):  # type: ignore[no-untyped-def]
        return weight * mean([value / w for value, w in zip(values, weights)])

    made.weights = [w for twin in twins for w in twin.weights]
    made.rows = sum(twin.rows for twin in twins)
    if common is not None:
        made.weights = list(common.weights)
        made.weights += [w for twin in twins for w in twin.weights[len(common.weights) :]]
        made.rows -= (len(twins) - 1) * common.rows
    made.weight = together([twin.weight for twin in twins])
    if isinstance(made, CalibratorTwin):
        made.A = together([twin.A for twin in twins])
        made.square = together([twin.square for twin in twins])
        made.theta = mean([twin.theta for twin in twins])
        made.theta[0] = mean([twin.theta[0] / twin.unit() for twin in twins]) * made.unit()
        return made
    made.total = together([twin.total for twin in twins])
    quantiles = [mean([t.mean() * t.ratios[k] for t in twins]) for k in range(len(made.ratios))]
    made.ratios = [q / made.mean() for q in quantiles]
    made.squared_error = sum(twin.squared_error for twin in twins)
    if common is not None:
        made.squared_error -= (len(twins) - 1) * common.squared_error
    if made.line.follows:
        counts = [sum(w for w, _, _ in twin.line.seen) for twin in twins]
        count = together(counts)
        made.line.seen = [
            (share * count / own * w, s, y)
            for share, own, twin in zip(shares, counts, twins)
            for w, s, y in twin.line.seen
        ]
        made.line.fit()
    return made
