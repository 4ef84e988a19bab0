"""Learners with an intercept: a number that every score gets, whatever the row."""

from __future__ import annotations

from typing import Any

import numpy as np

from onkel.estimators.documentation import of_type
from onkel.estimators.parameters import declared, parameter


@declared
class WithIntercept:
    """Whether there is one, and what it has become."""

    intercept: bool = parameter(
        default=True,
        one_of=(True, False),
        doc=r"""Whether every score gets a number :math:`b` (of many classes one each) that follows the stream:
        :math:`b \leftarrow b - \frac{0.1}{\sqrt t} \ell'`. It is not regularized, and is what is left
        far from all that was seen. What a regressor says is then a line of that score, :math:`a s + c` with
        :math:`0 \le a \le 1`: the one that fits the scores before each update best, so that a model of noise, or one
        that ran after the order of the rows, ends up near the mean of the targets.""",
    )

    def _has_intercept(self) -> bool:
        return bool(self.intercept)

    @property
    @of_type("ndarray of shape (n_outputs,)")
    def intercept_(self) -> np.ndarray:
        """What is added to the weighted kernel values; of a regressor in units of the targets."""
        learner: Any = self
        offset = getattr(learner, "target_mean_", 0.0)
        return offset + learner._unit * learner._fitted().output_intercept()
