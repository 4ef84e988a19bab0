"""What is known of the columns so far, and how it scales them.

unit_interval: (x − low) / (high − low), and what lies outside goes to 0 or 1.
minus_one_one: the same with −1 and 1.
unit_variance: (x − mean) / deviation.

All shift zeros, which would fill a sparse matrix. So sparse rows of at most 1024 features become
dense, and wider ones are not shifted: x / max|x| (which is the same in the unit interval where a column
has zeros and nothing negative; otherwise it goes to [−1, 1]), and x / deviation. Zeros stay zeros.

A column that has been constant so far carries no information and becomes 0, or −1 of minus_one_one.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin

from onkel.tables.choices import check_choice

#: The ends of the intervals.
_ENDS = {"unit_interval": (0.0, 1.0), "minus_one_one": (-1.0, 1.0)}
KINDS = (*_ENDS, "unit_variance")
WIDEST_DENSE = 1024
_CONSTANT = 1e-12  # a deviation of so much of the mean is rounding, not variety

Floats = NDArray[np.float64]


class Scaler(TransformerMixin, BaseEstimator):
    """Learns columns' ranges or variances block by block, and scales rows by them.

    A transformer of scikit-learn's kind, for instance for :class:`onkel.StreamPipeline`.

    Parameters
    ----------
    to : {"unit_interval", "minus_one_one", "unit_variance"}, default="unit_interval"
        Where the values shall lie.
    shift : bool or "auto", default="auto"
        False keeps zeros at zero; "auto" shifts all rows but sparse ones of more than 1024 features.
    clip : bool, default=True
        False lets rows that come later leave the interval.

    Attributes
    ----------
    count : int
        How many rows it has learned.
    low : ndarray of shape (n_features,)
        Of an interval: each column's least value.
    high : ndarray of shape (n_features,)
        Of an interval: each column's largest value.
    mean : ndarray of shape (n_features,)
        Of unit variance: each column's mean.
    squares : ndarray of shape (n_features,)
        Of unit variance: each column's sum of squared distances from the mean.

    Examples
    --------
    >>> scaler = Scaler("unit_interval")
    >>> scaler.learn(np.array([[0.0, 5.0], [4.0, 5.0]]))
    >>> scaler.transform(np.array([[1.0, 5.0], [8.0, 5.0]])).tolist()
    [[0.25, 0.0], [1.0, 0.0]]
    """

    def __init__(
        self, to: str = "unit_interval", shift: bool | str = "auto", clip: bool = True
    ) -> None:
        check_choice("to", to, KINDS)
        check_choice("shift", shift, (True, False, "auto"))
        self.to, self.shift, self.clip = to, shift, clip
        self._forget()

    def _forget(self) -> None:
        self.count = 0
        self._first_choice: bool | None = None  # what "auto" came to
        # Of an interval the first two are in use, of unit variance the others: the sum of squares
        # is that of the distances from the mean.
        self.low = self.high = self.mean = self.squares = np.empty(0)
        self._factors: dict[bool, tuple[Floats, Floats]] = {}  # with and without a shift

    def laid_out(self, X: Any) -> Any:
        """Lay rows out as they will be scaled: dense, or CSR if they shall not be shifted.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The rows.

        Returns
        -------
        ndarray or CSR matrix of shape (n, d)
            The rows.
        """
        if self._shifts is None:  # the first rows settle it
            self._first_choice = not sparse.issparse(X) or X.shape[1] <= WIDEST_DENSE
        if not sparse.issparse(X):
            return np.asarray(X)  # a table with words says here that it must be encoded
        return X.toarray() if self._shifts else X.tocsr()

    @property
    def _shifts(self) -> bool | None:
        return self._first_choice if isinstance(self.shift, str) else bool(self.shift)

    @property
    def n_features(self) -> int | None:
        """How many columns it has learned; None before the first."""
        return max(len(self.low), len(self.mean)) if self.count else None

    @property
    def moves_zeros(self) -> bool:
        """Whether a shift, by what is known, makes any zero something else."""
        offset, factor = self._offsets_and_factors(shift=True)
        return bool(np.any(self._bottom - offset * factor))

    @property
    def _bottom(self) -> float:
        return _ENDS.get(self.to, (0.0, 0.0))[0]

    def _fitting(self, X: Any) -> Any:
        if X.ndim != 2:
            raise ValueError(f"X must have rows and columns, got an array of {X.ndim} dimensions")
        if self.count and X.shape[1] != self.n_features:
            raise ValueError(f"the scaler knows {self.n_features} features, X has {X.shape[1]}")
        return self.laid_out(X)

    @property
    def n_features_in_(self) -> int:
        if self.n_features is None:
            raise AttributeError("n_features_in_ is there after learning")
        return self.n_features

    def __sklearn_is_fitted__(self) -> bool:
        return self.count > 0

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn anew from the rows of `X`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The rows.
        y : None
            Not used.

        Returns
        -------
        Scaler
            Itself.
        """
        self._forget()
        return self.partial_fit(X)

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Learn on from the rows of `X`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The rows.
        y : None
            Not used.

        Returns
        -------
        Scaler
            Itself.
        """
        self.learn(X if sparse.issparse(X) else np.asarray(X))
        return self

    def learn(self, X: Any) -> None:
        """Take rows in; all of them, or none if they do not fit.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The rows.
        """
        X = self._fitting(X)
        if not X.shape[0]:
            return
        if self.to in _ENDS:
            low, high = _finite(_range(X))
            if self.count:
                low, high = np.minimum(low, self.low), np.maximum(high, self.high)
            self.low, self.high = low, high
        else:
            mean, squares = _finite(_moments(X))
            if self.count:
                share = X.shape[0] / (self.count + X.shape[0])
                apart = mean - self.mean
                squares += self.squares + apart**2 * (self.count * share)
                mean = self.mean + apart * share
            self.mean, self.squares = mean, squares
        self.count += X.shape[0]
        self._factors = {}

    def transform(self, X: Any) -> Any:
        """Scale rows; `X` itself stays as it is.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The rows.

        Returns
        -------
        ndarray or CSR matrix of shape (n, d)
            The scaled rows.
        """
        if not self.count:
            raise ValueError("the scaler has not learned any row yet")
        X = self._fitting(X if sparse.issparse(X) else np.asarray(X))
        offset, factor = self._offsets_and_factors(bool(self._shifts))
        if sparse.issparse(X):
            values = self._clipped(X.data * factor[X.indices], -1.0)
            return sparse.csr_matrix((values, X.indices, X.indptr), shape=X.shape)
        if not self._shifts:
            return self._clipped(np.multiply(X, factor), -1.0)
        scaled = np.subtract(X, offset)
        scaled *= factor
        if self._bottom:
            scaled += self._bottom
        return self._clipped(scaled, self._bottom)

    def _clipped(self, values: Floats, bottom: float) -> Floats:
        if self.clip and self.to in _ENDS:
            np.clip(values, bottom, 1.0, out=values)
        return values

    def _offsets_and_factors(self, shift: bool) -> tuple[Floats, Floats]:
        if shift not in self._factors:
            if self.to == "unit_variance":
                offset, spread = self.means_and_spreads()
                width = 1.0
            elif shift:
                bottom, top = _ENDS[self.to]
                spread, offset, width = self.high - self.low, self.low, top - bottom
            else:
                spread = np.maximum(np.abs(self.low), np.abs(self.high))
                offset, width = np.zeros_like(spread), 1.0
            # A subnormal spread has no finite inverse.
            usable = spread > width / np.finfo(np.float64).max
            factor = np.divide(width, spread, out=np.zeros_like(spread), where=usable)
            self._factors[shift] = offset, factor
        return self._factors[shift]

    def means_and_spreads(self) -> tuple[Floats, Floats]:
        """Tell, of unit variance, each column's mean and standard deviation.

        Returns
        -------
        means : ndarray of shape (n_features,)
            The means.
        spreads : ndarray of shape (n_features,)
            The standard deviations, 0 where a column is constant.
        """
        spread = np.sqrt(self.squares / self.count)
        spread[spread <= _CONSTANT * np.abs(self.mean)] = 0
        return self.mean, spread

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"_factors": {}}

    def state(self) -> dict[str, Any]:
        """Tell all that the scaler knows, as plain values and arrays; `from_state` takes it back.

        Returns
        -------
        dict
            What `from_state` takes.
        """
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        shift = self.shift if self._shifts is None else self._shifts
        settings = {"to": self.to, "shift": shift, "clip": self.clip}
        return {**settings, "count": self.count, **arrays}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Scaler:
        """Make the scaler whose `state()` this is; arrays may come as lists, as from JSON.

        Parameters
        ----------
        state : dict
            What `state` gave.

        Returns
        -------
        Scaler
            One that knows the same.

        Examples
        --------
        >>> scaler = Scaler("unit_variance")
        >>> scaler.learn(np.array([[1.0], [3.0]]))
        >>> Scaler.from_state(scaler.state()).transform(np.array([[5.0]])).tolist()
        [[3.0]]
        """
        scaler = cls(state["to"], state["shift"], state.get("clip", True))  # once there was no clip
        scaler.count = int(state["count"])
        for name in _ARRAYS:
            setattr(scaler, name, np.array(state[name], np.float64))
        return scaler


def _finite(found: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """What columns tell, if all their cells are numbers: one that is not would never be forgotten."""
    odd = np.flatnonzero(~np.isfinite(found).all(axis=0))
    if odd.size:
        raise ValueError(
            f"X has NaN, infinity or numbers whose squares overflow in column {odd[0]}: leave such rows out, or "
            f"encode a table with gaps by onkel.TableEncoder"
        )
    return found


_ARRAYS = ("low", "high", "mean", "squares")


def _range(X: Any) -> tuple[Floats, Floats]:
    """The least and the largest number of each column; what CSR does not store is zero."""
    if not sparse.issparse(X):
        return X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)
    stored = np.bincount(X.indices, minlength=X.shape[1])
    low = np.where(stored < X.shape[0], 0.0, np.inf)
    high = np.where(stored < X.shape[0], 0.0, -np.inf)
    np.minimum.at(low, X.indices, X.data)
    np.maximum.at(high, X.indices, X.data)
    return low, high


def _moments(X: Any) -> tuple[Floats, Floats]:
    """Each column's mean, and its sum of squared distances from it."""
    if not sparse.issparse(X):
        mean = X.mean(axis=0, dtype=np.float64)
        away = X - mean
        return mean, np.einsum("ij,ij->j", away, away)
    rows, width = X.shape
    mean = np.bincount(X.indices, X.data, minlength=width) / rows
    away = X.data - mean[X.indices]
    absent = rows - np.bincount(X.indices, minlength=width)
    return mean, np.bincount(X.indices, away**2, minlength=width) + absent * mean**2
