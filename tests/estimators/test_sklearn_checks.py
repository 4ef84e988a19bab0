"""scikit-learn's own checks over every public estimator; what cannot hold is listed with its reason."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import onkel

EVERY = [getattr(onkel, name)() for name in onkel.__all__]


def expected_failures(estimator: Any) -> dict[str, str]:
    return {}


@parametrize_with_checks(EVERY, expected_failed_checks=expected_failures)
def test_check(estimator: Any, check: Any) -> None:
    check(estimator)
