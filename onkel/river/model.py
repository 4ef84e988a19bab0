"""What all of river's models here share: features that come and go, a learner of onkel that learns their rows."""

from __future__ import annotations

import math
import pickle
from collections.abc import Hashable
from copy import deepcopy
from typing import Any, ClassVar, Self

import numpy as np
from river import base

from onkel.estimators.online import OnlineLearner
from onkel.estimators.single import SingleRows, single_rows
from onkel.river.columns import Columns, refuse

Features = dict[Hashable, Any]
#: Of many columns, one more for so many: room for features to come.
SPARE = 8


class Model(base.Estimator):
    """A learner of onkel that is given dicts."""

    _learner_class: ClassVar[type[OnlineLearner]]
    #: Parameters that say what ``fit`` does, or which river has its own ways for.
    _not_taken: ClassVar[tuple[str, ...]] = ("epochs", "shuffle", "grow_features", "random_state")
    seed: Any

    def _begin(self) -> None:
        """Know nothing yet."""
        given = {name: value for name, value in self._get_params().items() if name != "seed"}
        self._learner = self._learner_class(**given, grow_features=True, random_state=self.seed)
        self._columns = Columns([])
        self._single: SingleRows | None = None

    @property
    def learner_(self) -> Any:
        """The learner of onkel that does the work, to look into or to save with :mod:`onkel.io`."""
        return self._learner

    @property
    def features_(self) -> list[Hashable]:
        """The features in the order of the learner's columns; those after them are room for others."""
        return list(self._columns.names)

    # -- one row -------------------------------------------------------------------------------

    @property
    def _knows_something(self) -> bool:
        return self._learner.__sklearn_is_fitted__()

    def _quick(self) -> SingleRows | None:
        """The quick way for one row, if it is open."""
        single = self._single
        if single is None or not single.serves:
            single = self._single = single_rows(self._learner)
            if single is not None:
                self._get_ready()
        return single

    def _get_ready(self) -> None:
        """Look up what stays as it is as long as the quick way is open."""

    def _learn_quickly(self, single: SingleRows, x: Features, target: float, w: float) -> bool:
        """Learn a row whose target is as the machine has it; False if only the usual way is open."""
        if not (0.0 < w < math.inf and self._columns.write(x, single.row) and single.take()):
            return False
        single.learn(target, w)
        return True

    def _learn(self, x: Features, y: Any, w: float) -> None:
        """Learn a row in the usual way, with all checks."""
        columns = self._columns.including(x)
        row = row_of(x, columns, self._width_for(columns))
        self._learn_rows(row, np.array([y]), None if w == 1.0 else np.array([w]), columns)

    def _width_for(self, columns: Columns) -> int:
        """As many columns as the learner has, or needs now."""
        needed = max(1, len(columns.names))
        has = getattr(self._learner, "n_features_in_", 0)
        if needed <= has:
            return has
        # During the look settings are chosen from the columns that there are.
        spare = needed // SPARE if "_machine" in vars(self._learner) else 0
        return needed + spare

    def _learn_rows(self, X: np.ndarray, y: Any, w: Any, columns: Columns) -> None:
        self._single = None  # its machine is about to change
        self._learner.partial_fit(X, y, sample_weight=w)
        # Rows of weight 0 change nothing, the width included.
        if len(columns.names) <= self._learner.n_features_in_:
            self._columns = columns

    def _scored(self, x: Features) -> list[float] | None:
        """The scores of a row in the quick way; None if only the usual one is open."""
        single = self._quick()
        if single is None:
            return None
        self._columns.write(x, single.row)
        return single.scores() if single.take() else None

    def _asked(self, x: Features) -> np.ndarray:
        """A row to ask the learner about."""
        return row_of(x, self._columns, self._learner.n_features_in_)

    # -- many rows -----------------------------------------------------------------------------

    def _learn_frame(self, X: Any, y: Any, w: Any) -> None:
        columns = self._columns.including(X.columns)
        self._learn_rows(columns.matrix(X, self._width_for(columns)), y, w, columns)

    def _asked_frame(self, X: Any) -> np.ndarray:
        return self._columns.matrix(X, self._learner.n_features_in_)

    # -- as river wants it ---------------------------------------------------------------------

    def clone(
        self, new_params: dict[str, Any] | None = None, include_attributes: bool = False
    ) -> Self:
        """
        Make another one of the same parameters, that knows nothing.

        Parameters
        ----------
        new_params : dict, default=None
            Parameters to be different.
        include_attributes : bool, default=False
            Whether what was learned is copied, too.

        Returns
        -------
        Self
            The other one.
        """
        # Parts without parameters are empty tuples, of which river's own way of cloning asks for the first.
        made = type(self)(**deepcopy(self._get_params() | (new_params or {})))
        if include_attributes:
            learned = {name: self.__dict__[name] for name in ("_learner", "_columns")}
            made.__dict__.update(deepcopy(learned))
        return made

    @property
    def _is_stochastic(self) -> bool:
        return self.seed is None

    @property
    def _raw_memory_usage(self) -> int:
        """Bytes of what it knows; river's own way would count the compiler, which compiled code refers to."""
        return len(pickle.dumps(self))

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_single": None}


def row_of(x: Features, columns: Columns, width: int) -> np.ndarray:
    """A dict as a row of so many columns."""
    row = np.zeros((1, width))
    columns.write(x, row)
    if not np.isfinite(row).all():
        refuse(x)
    return row
