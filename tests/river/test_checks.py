"""river's own checks of estimators, for every class."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from river import checks, datasets

from onkel import river
from tests.river.streams import make

#: Checks that a class does not pass, and why.
EXCEPTIONS: dict[tuple[str, str], str] = {}


class Odd:
    """Normal rows, some of them far off; river's own data set of this kind, CreditCard, is a download."""

    def take(self, n: int) -> list[tuple[dict[str, float], bool]]:
        random = np.random.default_rng(0)
        odd = random.random(n) < 0.05
        X = random.normal(size=(n, 6)) + np.where(odd, 6.0, 0.0)[:, None]
        return [(dict(zip("abcdef", x)), bool(y)) for x, y in zip(X.tolist(), odd)]


@pytest.fixture(autouse=True)
def no_download(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datasets, "CreditCard", Odd)


@pytest.mark.filterwarnings("ignore::onkel.ScaleWarning")  # river's streams are not scaled
@pytest.mark.parametrize("name", river.__all__)
def test_river_has_no_objections(name: str) -> None:
    """With a seed, and without one."""
    failed = [words for words in objections(make(name))]
    assert not failed, "\n".join(failed)
    unseeded = [
        words for words in objections(make(name, seed=None), only="check_seeding_is_idempotent")
    ]
    assert not unseeded, "\n".join(unseeded)


def objections(model: Any, only: str = "") -> Iterator[str]:
    """What river finds wrong, but for the exceptions."""
    name, count = type(model).__name__, 0
    assert model._unit_test_skips() == set()
    for check in checks.yield_checks(model):
        excepted = (name, check.__name__) in EXCEPTIONS
        if excepted or (only and check.__name__ != only):
            continue
        count += 1
        try:
            check(model.clone())
        except Exception as reason:
            yield f"{name} {check.__name__}: {reason!r}"
    assert count, f"there is no check {only}"
