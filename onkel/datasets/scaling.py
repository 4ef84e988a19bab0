"""Scaling of a whole data set, as the papers do before they begin."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from onkel.tables.scaler import Scaler


def scale_to(X: Any, low: float, high: float) -> NDArray[np.float64]:
    """Scale every column linearly to an interval, densely; constant ones go to its low end.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        The rows.
    low : float
        The low end.
    high : float
        The high end.

    Returns
    -------
    ndarray of shape (n, d)
        The scaled rows.

    Examples
    --------
    >>> scale_to([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]], -1, 1)
    array([[-1., -1.],
           [ 0., -1.],
           [ 1., -1.]])
    """
    dense = X.toarray() if sparse.issparse(X) else np.asarray(X)
    scaler = Scaler("unit_interval")
    scaler.learn(dense)
    return scaler.transform(dense) * (high - low) + low
