"""Which rows an experiment uses, and how they are scaled: declared as data.

In the online protocol scaling looks at all rows, as the papers do; in the batch protocol it is
learned from the training part alone, and test values may lie outside.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from onkel.evaluate.kept_arrays import array_digest, keep_arrays
from onkel.evaluate.rows import Rows, load_rows
from onkel.evaluate.scaling import SCALINGS

SPLITS = ("train", "test", "all")
PROTOCOLS = ("online", "batch")


@dataclass(frozen=True)
class Data:
    """A data set of `onkel.datasets`, or arrays (`Data.of`), and how its rows are drawn and scaled.

    Parameters
    ----------
    name : str
        The set's name.
    split : {"train", "test", "all"}, default="train"
        The part that is learned.
    features : {"given", "unit_interval", "minus_one_one", "unit_variance"}, default="given"
        How the features are scaled.
    target : {"given", "unit_interval", "minus_one_one", "unit_variance"}, default="given"
        How targets are scaled, for regression only; errors are in the scaled unit.
    rows : int, default=None
        As many rows, drawn at random by the job's seed; None for all.
    binary : label or tuple of labels, default=None
        These become +1, all others -1; None for labels as they are.
    drop : int or tuple of int, default=()
        Features to leave out, counted from 1.
    test : "own" or float in (0, 1), default="own"
        Of the batch protocol: "own" for the test part of the set, or the share of `split`'s rows
        that is drawn for testing. The online protocol learns all rows of `split`.
    test_rows : int, default=None
        At most as many test rows; None for all.
    validate : float in (0, 1), (int, int), "online" or None, default=None
        Of the training part alone, for searching parameters: a share of it, or (i, k) for
        fold i (from 0) of k, to test with; "online" for one pass over it.
    dense : bool, default=None
        True for arrays, False for CSR (columns are then divided only, never shifted); None for
        what is learned faster: CSR where fewer than 20 % of the values are not 0.
    dtype : {"float64", "float32"}, default="float64"
        The precision of the features.
    content : str, default=""
        Digest of the arrays given to `Data.of`.

    Notes
    -----
    Scaling is learned from all rows of the part (of the training part), before `rows` are drawn;
    with a `test` share or `validate` it is learned after, from the rows that are learned.
    """

    name: str
    split: str = "train"
    features: str = "given"
    target: str = "given"
    rows: int | None = None
    binary: tuple[Any, ...] | None = None
    drop: tuple[int, ...] = ()
    test: str | float = "own"
    test_rows: int | None = None
    validate: str | float | tuple[int, int] | None = None
    dense: bool | None = None
    dtype: str = "float64"
    content: str = ""

    def __post_init__(self) -> None:
        # JSON has lists only, and people give single labels: both become tuples, which can be keys
        for name in ("binary", "drop", "validate"):
            value = getattr(self, name)
            if isinstance(value, (list, np.ndarray)):
                object.__setattr__(self, name, tuple(value))
        for name in ("binary", "drop"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, tuple):
                object.__setattr__(self, name, (value,))
        _check(self)

    @classmethod
    def of(cls, X: Any, y: Any, name: str = "arrays", **settings: Any) -> Data:
        """Take arrays of your own as data of a job.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The rows.
        y : array-like of shape (n,)
            Their labels or targets.
        name : str, default="arrays"
            What to call them.
        **settings : dict
            Other parameters of `Data`; unless told otherwise, 30 % of the rows are for testing.

        Returns
        -------
        Data
            The arrays, which this process keeps.

        Examples
        --------
        >>> data = Data.of([[0.0], [1.0], [2.0]], [0, 1, 1], name="tiny", features="unit_interval")
        >>> data.load("online", seed=0).X.ravel().tolist()
        [1.0, 0.0, 0.5]
        """
        X = X.tocsr() if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
        y = np.asarray(y)
        if y.dtype.kind == "O":
            y = y.astype(str)
        if X.ndim != 2 or y.shape != X.shape[:1]:
            raise ValueError(f"X and y must be n x d and n, got {X.shape} and {y.shape}")
        content = array_digest(X, y)
        keep_arrays(content, X, y)
        defaults: dict[str, Any] = {"split": "all", "test": 0.3}
        return cls(name, content=content, **defaults | settings)

    def load(self, protocol: str = "online", seed: int = 0) -> Rows:
        """Load the rows, in the order of the seed; they are loaded and scaled once a process.

        Parameters
        ----------
        protocol : {"online", "batch"}, default="online"
            Whether rows are held out for testing.
        seed : int, default=0
            Of the order of the rows, and of what is drawn.

        Returns
        -------
        Rows
            What is learned and, in the batch protocol, tested.
        """
        self.check_protocol(protocol)
        return load_rows(self, protocol, seed)

    def check_protocol(self, protocol: str) -> None:
        """Raise an error where these rows can't be used in this protocol.

        Parameters
        ----------
        protocol : {"online", "batch"}
            The protocol.
        """
        if protocol not in PROTOCOLS:
            raise ValueError(f"protocol must be one of {PROTOCOLS}, got {protocol!r}")
        if protocol == "batch" and self.test == "own" and self.content and self.validate is None:
            raise ValueError(f"{self.name!r} has no test part of its own: use a share, as test=0.3")
        if protocol == "batch" and self.test == "own" and self.split == "all":
            if self.validate is None:
                raise ValueError(
                    "split='all' has the rows of the test part in it: use split='train', or the "
                    "share of the rows to test with, as test=0.3"
                )


def _check(data: Data) -> None:
    if data.split not in SPLITS:
        raise ValueError(f"split must be one of {SPLITS}, got {data.split!r}")
    for name in ("features", "target"):
        if getattr(data, name) not in SCALINGS:
            raise ValueError(f"{name} must be one of {SCALINGS}, got {getattr(data, name)!r}")
    if data.dtype not in ("float64", "float32"):
        raise ValueError(f"dtype must be 'float64' or 'float32', got {data.dtype!r}")
    for name in ("rows", "test_rows"):
        count = getattr(data, name)
        if count is not None and (not isinstance(count, (int, np.integer)) or count < 1):
            raise ValueError(f"{name} must be a whole number of at least 1, or None, got {count}")
    for name in ("test", "validate"):
        share = getattr(data, name)
        if isinstance(share, (int, float)) and not 0 < share < 1:
            raise ValueError(f"{name} as a share must be between 0 and 1, got {share}")
    if isinstance(data.test, str) and data.test != "own":
        raise ValueError(f"test must be 'own' or a share, got {data.test!r}")
    if isinstance(data.validate, str) and data.validate != "online":
        raise ValueError(f"validate must be a share, a fold or 'online', got {data.validate!r}")
    if isinstance(data.validate, tuple):
        if len(data.validate) != 2 or not 0 <= data.validate[0] < data.validate[1] > 1:
            raise ValueError(f"validate must be (fold, folds), got {data.validate}")
    if any(feature < 1 for feature in data.drop):
        raise ValueError(f"drop counts features from 1, got {data.drop}")
