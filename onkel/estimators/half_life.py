"""How fast a learner forgets: given as a half-life in rows, or found on the way among several."""

from __future__ import annotations

import math
from typing import Any

from onkel.estimators.parameters import parameter

#: The half-lives that learn side by side with "auto", and that of what there is but once.
LADDER = (None, 1024.0, 64.0)
BESIDE = 1024.0


FORGETTING = r"""After how many rows :math:`h` an instance counts half: with :math:`\rho = 2^{-1/h}` all terms are
        multiplied by :math:`\rho` before each update, and what makes steps small is the discounted number of rows
        :math:`\sum_s \rho^{t-s}`, so that they do not vanish: for streams that change. None forgets nothing."""
AUTO = """``"auto"`` is for streams whose rate of change nobody knows: the half-lives None, 1024 and 64 learn side by
        side, and the model that predicts is a mean of their models and last iterates, in which those have the say
        that made fewer mistakes (or smaller residuals) before each update lately. Class weights, probabilities and
        intervals then have a half-life of 1024. An explicit map is evaluated once for all (FOGD takes about twice
        as long as without); other learners take three to five times as long, and have three sets of vectors."""


def half_life_parameter(auto: bool = True) -> Any:
    """The half-life, with or without "auto"."""
    words = (None, "auto") if auto else (None,)
    doc = f"{FORGETTING} {AUTO}" if auto else FORGETTING
    return parameter(default=None, one_of=words, at_least=1, doc=doc)


def decay(half_life: float | None) -> float:
    """What an instance counts, one row later."""
    return 1.0 if half_life is None else 2.0 ** (-1.0 / half_life)


def decays_of(half_life: Any) -> list[float]:
    """What the parameter asks for: one machine, or several side by side."""
    return [decay(h) for h in (LADDER if half_life == "auto" else (half_life,))]


def decay_beside(half_life: Any) -> float:
    """The same of what there is but once: counts of classes, probabilities, intervals."""
    return decay(BESIDE if half_life == "auto" else half_life)


def half_life_of(decay: float) -> float | None:
    """The half-life, given what an instance counts one row later."""
    return None if decay == 1.0 else round(-1.0 / math.log2(decay), 6)
