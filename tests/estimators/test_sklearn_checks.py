"""scikit-learn's own checks over every public estimator; what cannot hold has a reason."""

from __future__ import annotations

from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

import onkel

EVERY = [getattr(onkel, name)() for name in onkel.__all__]
ONE_PASS = "a weight scales one step; a row given twice makes two, the second from where one led"
DRAWS = "inner steps draw row numbers, and repeated rows are drawn at other numbers"
CLUSTERS = "k-means draws its starting points by row numbers"


def expected_failures(estimator: Any) -> dict[str, str]:
    reasons = {"CSVRGClassifier": DRAWS, "LLSVMClassifier": CLUSTERS}
    reason = reasons.get(type(estimator).__name__, ONE_PASS)
    return {
        "check_sample_weight_equivalence_on_dense_data": reason,
        "check_sample_weight_equivalence_on_sparse_data": reason,
    }


@parametrize_with_checks(EVERY, expected_failed_checks=expected_failures)
def test_check(estimator: Any, check: Any) -> None:
    check(estimator)
