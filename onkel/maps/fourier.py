"""Maps: random Fourier features, an explicit space whose inner product is nearly a kernel.

A shift-invariant kernel is the Fourier transform of a density; with ``u_1..u_D`` drawn from it

    z(x) = (sin Ux, cos Ux) / sqrt(D),   z(x) . z(y) = (1/D) sum_j cos(u_j . (x - y))  ~  k(x - y),

and ``|z(x)| = 1`` exactly. rbf: ``u ~ N(0, 2 gamma I)``; laplacian: every coordinate Cauchy with
scale gamma. The frequencies of a feature are drawn by (seed, feature index): they do not depend on
when the feature is met.
"""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, DTypeLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from onkel.compile import jit
from onkel.draws import cauchy_column, normal_column
from onkel.kernels.simd import fast_sincos
from onkel.parameters import declared, parameter, validate_parameters

LARGEST_SEED = 2**31 - 1
LARGEST_ORTHOGONAL = 4096


@jit
def sincos_inplace(block: Any) -> None:
    """Turn rows ``[Ux | anything]`` of length 2 D into ``[sin Ux | cos Ux] / sqrt(D)``."""
    half = block.shape[1] // 2
    scale = block.dtype.type(1.0 / math.sqrt(half))
    for row in range(block.shape[0]):
        left, right = block[row, :half], block[row, half:]
        for i in range(half):
            sine, cosine = fast_sincos(left[i])
            left[i] = sine * scale
            right[i] = cosine * scale


@jit
def _project_rows(values: Any, pool_rows: Any, starts: Any, pool: Any, block: Any) -> None:
    """Write ``Ux`` of sparse rows into the left half of a block, one sweep of D per non-zero."""
    half = block.shape[1] // 2
    for row in range(block.shape[0]):
        target = block[row, :half]
        target[:] = 0
        for k in range(starts[row], starts[row + 1]):
            value, frequencies = values[k], pool[pool_rows[k]]
            for i in range(half):
                target[i] += value * frequencies[i]


class Frequencies:
    """The frequencies of the features met so far, drawn when a feature is first met.

    Attributes
    ----------
    pool : array (capacity, n_components), a row per known feature; the first ``size`` are in use.
    rows : int32 array (n_features,), where a feature's frequencies are in the pool, or -1.
    """

    def __init__(
        self,
        kernel: str,
        gamma: float,
        n_components: int,
        seed: int,
        n_features: int,
        *,
        orthogonal: bool = False,
        dtype: DTypeLike = np.float64,
    ) -> None:
        self.seed = seed
        self._fill = normal_column if kernel == "rbf" else cauchy_column
        self._scale = math.sqrt(2.0 * gamma) if kernel == "rbf" else gamma
        self.rows: NDArray[np.int32] = np.full(n_features, -1, dtype=np.int32)
        self.pool: NDArray[Any] = np.empty((0, n_components), dtype=dtype)
        self.size = 0
        if orthogonal:
            _check_orthogonal(kernel, n_features)
            self.pool = (self._scale * _orthogonal(seed, n_features, n_components)).astype(dtype)
            self.rows, self.size = np.arange(n_features, dtype=np.int32), n_features

    def ensure(self, features: ArrayLike) -> NDArray[np.int32]:
        """Draw what is not known yet of some features (repetitions allowed); their pool rows."""
        features = np.asarray(features)
        rows = self.rows[features]
        missing = rows < 0
        if not missing.any():
            return rows
        unknown = np.unique(features[missing])
        self._reserve(self.size + unknown.size)
        for row, feature in enumerate(unknown.tolist(), start=self.size):
            self._fill(self.seed, feature, self.pool[row])
        drawn = self.pool[self.size : self.size + unknown.size]
        # Products with rows stay finite however large gamma is: sines of anything, no NaN.
        most = math.sqrt(float(np.finfo(drawn.dtype).max)) / 16
        with np.errstate(over="ignore"):
            drawn *= self._scale
        np.clip(drawn, -most, most, out=drawn)
        self.rows[unknown] = np.arange(self.size, self.size + unknown.size, dtype=np.int32)
        self.size += unknown.size
        return self.rows[features]

    def _reserve(self, needed: int) -> None:
        capacity, n_components = self.pool.shape
        if needed > capacity:
            capacity = min(max(needed, 2 * capacity), self.rows.size)
            grown = np.empty((capacity, n_components), dtype=self.pool.dtype)
            grown[: self.size] = self.pool[: self.size]
            self.pool = grown

    def matrix(self) -> NDArray[Any]:
        """All frequencies, (n_features, n_components); the pool itself, which is put in order."""
        order = np.arange(self.rows.size, dtype=np.int32)
        rows = self.ensure(order)
        if not np.array_equal(rows, order):
            self.pool, self.rows = self.pool[rows], order
        return self.pool

    def features(self, X: Any, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """z(x) of the rows of a dense or CSR matrix of the pool's type: (n, 2 n_components).

        Given a C-contiguous ``out``, writes there: fresh memory costs more than the sines.
        """
        n_components = self.pool.shape[1]
        z = np.empty((X.shape[0], 2 * n_components), self.pool.dtype) if out is None else out
        if sp.issparse(X):
            pool_rows = self.ensure(X.indices)
            _project_rows(X.data, pool_rows, X.indptr.astype(np.int64), self.pool, z)
        else:
            np.matmul(X, self.matrix(), out=z[:, :n_components])
        sincos_inplace(z)
        return z


def _check_orthogonal(kernel: str, n_features: int) -> None:
    if kernel != "rbf":
        raise ValueError(
            f"orthogonal=True needs kernel='rbf', got kernel={kernel!r}: set orthogonal=False."
        )
    if n_features > LARGEST_ORTHOGONAL:
        raise ValueError(
            f"orthogonal=True needs at most {LARGEST_ORTHOGONAL} features, the data has "
            f"{n_features}: set orthogonal=False, or reduce the number of features first."
        )


def _orthogonal(seed: int, n_features: int, n_components: int) -> NDArray[np.float64]:
    """Standard normal frequencies (columns), orthogonal within blocks of ``n_features``.

    Of a Gaussian block ``G = QR`` with a positive diagonal, ``Q`` and ``R`` are independent, so
    ``Q`` with the column lengths of ``G`` (those of ``R``) has columns that are each N(0, I).
    """
    frequencies = np.empty((n_features, n_components))
    for feature in range(n_features):
        normal_column(seed, feature, frequencies[feature])
    for start in range(0, n_components, n_features):
        block = frequencies[:, start : start + n_features]
        lengths = np.linalg.norm(block, axis=0)
        q, r = np.linalg.qr(block)
        block[:] = q * np.where(np.diagonal(r) < 0, -lengths, lengths)
    return frequencies


def _scale_gamma(X: Any) -> float:
    """1 / (features times the variance of all entries); without variance, 1 / features."""
    entries = float(X.shape[0]) * X.shape[1]
    values = X.data if sp.issparse(X) else X
    mean = float(values.sum(dtype=np.float64)) / entries
    if sp.issparse(X):
        squares = np.square(values - mean, dtype=np.float64).sum()
        variance = (float(squares) + (entries - values.size) * mean**2) / entries
    else:
        variance = float(values.var(dtype=np.float64))
    return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0 / X.shape[1]


@declared
class RandomFourier(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Random Fourier features of the rbf or laplacian kernel.

    .. math:: z(x) = D^{-1/2} (\sin Ux, \cos Ux), \qquad z(x) \cdot z(x') \approx k(x, x')

    The error of one kernel value falls as :math:`1/\sqrt{D}`. Dense or CSR input; of sparse
    data only the features that occur cost memory.

    Parameters
    ----------
    kernel : {"rbf", "laplacian"}
        :math:`\exp(-\gamma \|x-x'\|_2^2)` or :math:`\exp(-\gamma \|x-x'\|_1)`.
    gamma : float > 0 or "scale"
        "scale" is 1 / (n_features times the variance of the data given to ``fit``).
    n_components : int
        The number of frequencies D; the output has 2 D columns, the sines first.
    orthogonal : bool
        Frequencies orthogonal to each other in blocks of ``n_features``: a smaller error for the
        same D (rbf, at most 4096 features).
    random_state : int, RandomState or None
        Draws the seed. The same seed and D give a feature the same frequencies whenever it is met.

    Attributes
    ----------
    gamma_ : float
    seed_ : int
    frequencies_ : Frequencies

    References
    ----------
    Rahimi and Recht, Random features for large-scale kernel machines, NIPS 2007.
    Yu et al., Orthogonal random features, NIPS 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from onkel.maps.fourier import RandomFourier
    >>> X = np.array([[0.0, 1.0], [1.0, 1.0]])
    >>> z = RandomFourier(gamma=0.5, n_components=5000, random_state=0).fit_transform(X)
    >>> z.shape
    (2, 10000)
    >>> bool(abs(z[0] @ z[1] - np.exp(-0.5)) < 0.03)
    True
    """

    kernel: str = parameter(default="rbf", one_of=("rbf", "laplacian"))
    gamma: float | str = parameter(default="scale", one_of=("scale",), above=0)
    n_components: int = parameter(default=100, kind=int, at_least=1)
    orthogonal: bool = parameter(default=False, one_of=(False, True))
    random_state: Any = None

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fix gamma and the seed, and draw the frequencies of the features that occur."""
        validate_parameters(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32])
        self.gamma_ = _scale_gamma(X) if isinstance(self.gamma, str) else float(self.gamma)
        self.seed_ = int(check_random_state(self.random_state).randint(0, LARGEST_SEED))
        self.frequencies_ = Frequencies(
            self.kernel,
            self.gamma_,
            self.n_components,
            self.seed_,
            X.shape[1],
            orthogonal=self.orthogonal,
            dtype=X.dtype,
        )
        self.frequencies_.ensure(X.indices if sp.issparse(X) else np.arange(X.shape[1]))
        self._n_features_out = 2 * self.n_components
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """z(x) of every row, in the floating type of the data given to ``fit``."""
        check_is_fitted(self)
        dtype = self.frequencies_.pool.dtype
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=dtype)
        return self.frequencies_.features(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
