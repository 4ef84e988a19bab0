"""Random Fourier features of dicts."""

from __future__ import annotations

from collections.abc import Hashable
from hashlib import blake2b
from typing import Any

import numpy as np
from river import base

from onkel.estimators.checks import draw_seed
from onkel.estimators.kernels import kernel_and_gamma
from onkel.estimators.parameters import validate_parameters
from onkel.maps.fourier import Frequencies, sines_and_cosines_of
from onkel.river.columns import Columns
from onkel.river.model import Features, row_of
from onkel.transformers import RandomFourier as ForArrays


class RandomFourier(base.MiniBatchTransformer):
    r"""
    Random Fourier features of a kernel, for what stands after it in a pipeline.

    .. math:: z(x) = D^{-1/2} (\sin Ux, \cos Ux), \qquad z(x) \cdot z(x') \approx k(x, x')

    The error of one kernel value falls as :math:`1/\sqrt{D}`. So a linear model of these features is a kernel
    machine. (The features of ``river.feature_extraction.RBFSampler`` are cosines of one coordinate each: their
    inner product goes to a sum of kernels of single coordinates, and not to a kernel of the row.) The frequencies
    of a feature are drawn by its name and the seed: nothing is learned, and it does not matter when it comes.

    Parameters
    ----------
    kernel : str or part, default="rbf"
        The kernel, one that is a function of the difference of two rows: see :class:`onkel.RandomFourier`.
    gamma : float > 0, default=1.0
        Parameter :math:`\gamma` of the kernel.
    n_components : int >= 1, default=100
        Number of frequencies D; there are 2 D features, ``"sin0"``, ..., and ``"cos0"``, ....
    seed : int or None, default=None
        Seed of all random draws: the same seed gives the same features. None: others every time.

    References
    ----------
    Rahimi and Recht, Random features for large-scale kernel machines, NIPS 2007.

    Examples
    --------
    >>> import math
    >>> from onkel.river import RandomFourier
    >>> features = RandomFourier(gamma=0.5, n_components=5000, seed=0)
    >>> z, other = features.transform_one({"a": 0, "b": 1}), features.transform_one({"a": 1, "b": 1})
    >>> abs(sum(z[name] * other[name] for name in z) - math.exp(-0.5)) < 0.03
    True
    """

    def __init__(
        self,
        kernel: Any = "rbf",
        gamma: Any = 1.0,
        n_components: int = 100,
        seed: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.n_components = n_components
        self.seed = seed
        like = ForArrays(kernel=kernel, gamma=gamma, n_components=n_components, random_state=seed)
        validate_parameters(like)
        if isinstance(gamma, str):
            raise ValueError(
                f"gamma={gamma!r} is not allowed: there are no rows to tell a scale from."
            )
        part, _ = kernel_and_gamma(like, np.zeros((1, 1)))
        self._frequencies = Frequencies(part, n_components, draw_seed(like), 0)
        self._columns = Columns([])
        self._pool = np.zeros((0, n_components))
        self._names = [f"{wave}{j}" for wave in ("sin", "cos") for j in range(n_components)]

    def transform_one(self, x: Features) -> dict[Hashable, Any]:
        """
        Map one row to its features.

        Parameters
        ----------
        x : dict
            The row: numbers by name. What is missing is 0.

        Returns
        -------
        dict
            Its features.
        """
        width = self._known(x)
        row = row_of(x, self._columns, width)
        return dict(zip(self._names, self._mapped(row)[0].tolist()))

    def transform_many(self, X: Any) -> Any:
        """
        Map many rows to their features.

        Parameters
        ----------
        X : pandas.DataFrame
            The rows, a column for each feature.

        Returns
        -------
        pandas.DataFrame
            Their features.
        """
        import pandas as pd

        width = self._known(X.columns)
        rows = self._columns.matrix(X, width)
        if not np.isfinite(rows).all():
            raise ValueError("X contains NaN or infinity: impute it, or fill in 0.")
        return pd.DataFrame(self._mapped(rows), index=X.index, columns=self._names)

    def _known(self, names: Any) -> int:
        """How many features are known, once these are."""
        self._columns = self._columns.including(names)
        known, drawn = len(self._columns.names), len(self._pool)
        if known > drawn:
            new = [number_of(name) for name in self._columns.names[drawn:]]
            self._pool = np.concatenate([self._pool, self._frequencies.drawn(new)])
        return known

    def _mapped(self, rows: np.ndarray) -> np.ndarray:
        turns, out = rows @ self._pool, np.empty((len(rows), 2 * self.n_components))
        sines_and_cosines_of(turns, out)
        return out


def number_of(name: Hashable) -> int:
    """A number that belongs to a name, in every process."""
    text = f"{type(name).__name__} {name}".encode()
    return int.from_bytes(blake2b(text, digest_size=7).digest())
