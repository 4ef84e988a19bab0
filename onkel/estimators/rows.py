"""Rows and targets that a learner is given: checked once, as arrays that it can learn from, or a clear error."""

from __future__ import annotations

from copy import copy
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from onkel.estimators.checks import check_magnitude, fits, is_plain, is_plain_target
from onkel.estimators.widths import check_wider, is_wider, may_grow

#: Kinds of NumPy types that targets may have.
NUMBERS, LABELS = "iufb", "iufbU"
NO_TARGETS = object()  # for predictions


def validated(estimator: Any, X: Any, y: Any, reset: bool, numeric: bool) -> Any:
    """Rows (and targets) as scikit-learn checks them: of the width of the first, or wider where that is allowed."""
    checks = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "order": "C"}
    asked, anew = estimator, reset
    if not reset and is_wider(X, estimator.n_features_in_):
        check_wider(estimator, X)
        asked, anew = copy(estimator), True  # which takes the width of these rows as it is
    if y is NO_TARGETS:
        return validate_data(asked, X, reset=anew, **checks)
    return validate_data(asked, X, y, reset=anew, y_numeric=numeric, **checks)


class TakesRows(BaseEstimator):
    """An estimator of rows whose width and type are those of the first, or that may get wider."""

    grow_features: bool
    n_features_in_: int
    _target_kinds: ClassVar[str] = LABELS

    def _check_rows(self, X: Any, y: Any = NO_TARGETS, reset: bool = False) -> Any:
        """Rows (and targets) as arrays that can be learned from, or a clear error."""
        if not reset and self._is_ready(X, y):
            return X if y is NO_TARGETS else (X, y)
        found = validated(self, X, y, reset, self._target_kinds == NUMBERS)
        rows = found if y is NO_TARGETS else found[0]
        check_magnitude(rows, rows.dtype if reset else self._row_dtype())
        return found

    @property
    def _widens(self) -> bool:
        """Whether rows may get wider."""
        return self.grow_features or may_grow() or "_behind_encoder" in self.__dict__

    def _is_ready(self, X: Any, y: Any) -> bool:
        """Whether nothing is left for scikit-learn to check, or to complain about."""
        return (
            is_plain(X, self.n_features_in_)
            and "feature_names_in_" not in self.__dict__
            and (y is NO_TARGETS or is_plain_target(y, X.shape[0], self._target_kinds))
            and fits(X, self._row_dtype())
        )

    def _row_dtype(self) -> Any:
        """The type of the rows: that of the first."""
        machine = self.__dict__.get("_machine")
        return self.__dict__["_look"].dtype if machine is None else machine.shape.dtype

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
