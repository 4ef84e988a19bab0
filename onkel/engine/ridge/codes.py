"""Labels as numbers that ridge regression learns, and what its scores say of them."""

from __future__ import annotations

import numpy as np


def codes_of(targets: np.ndarray, n_outputs: int) -> np.ndarray:
    """Targets (rows x C) of ridge regression: of many classes +1 for the row's own, -1 for the others."""
    if n_outputs == 1:
        return targets[:, None]
    codes = np.full((len(targets), n_outputs), -1.0)
    codes[np.arange(len(targets)), targets.astype(np.intp)] = 1.0
    return codes


def scores_before(codes: np.ndarray, errors: np.ndarray, factors: np.ndarray) -> np.ndarray:
    """Scores from errors of increments; 0 where the factor is, since nothing that counts came before."""
    scores = np.zeros_like(codes)
    known = factors > 0.0
    scores[known] = codes[known] - errors[known] / factors[known, None]
    return scores


def margins_of(scores: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Score of the right class less that of its best rival; of two classes the score of the right one."""
    if scores.shape[1] == 1:
        return (scores * codes)[:, 0]
    own = codes > 0
    rivals = np.where(own, -np.inf, scores).max(axis=1)
    return scores[own] - rivals
