"""What a user hands in, checked: rows, weights, seeds. A clear error, or arrays to learn from."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from onkel.engine.layout import as_layout, norms_of
from onkel.kernels.geometry import PRODUCTS, geometry_of
from onkel.losses import declares

#: Squared distances of four times a squared norm must still fit the type, with some room.
ROOM = 16
#: A standard deviation of this relative size is rounding of the mean.
ROUNDING = 1e-14
#: Numbers whose squares may be summed up without a thought.
SAFE = (1e-100, 1e100)
LARGEST_TARGET = 1e150
#: Targets that differ by less, relative to the largest, are taken for equal.
SAME_TARGETS = 1e-12
Estimator = TypeVar("Estimator")
LARGEST_SEED = np.iinfo(np.int32).max


@contextmanager
def unchanged_on_error(
    estimator: Any, errors: type[BaseException] = BaseException
) -> Iterator[None]:
    """Put the attributes back as they were if one of these errors passes through."""
    before = estimator.__dict__.copy()
    try:
        yield
    except errors:
        estimator.__dict__ = before
        raise


@contextmanager
def started_anew(estimator: Estimator) -> Iterator[Estimator]:
    """A copy to start on: the estimator takes over all of its attributes at once, if nothing is raised."""
    fresh = copy.copy(estimator)
    yield fresh
    estimator.__dict__ = fresh.__dict__


def is_plain(X: Any, n_features: int) -> bool:
    """A matrix that needs no conversion: the fast way in for single rows."""
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.dtype.char in "fd"
        and X.flags.c_contiguous
        and X.shape[1] == n_features
        and X.shape[0] > 0
    )


def is_plain_target(y: Any, n_rows: int, kinds: str) -> bool:
    """A vector of targets of these kinds that needs no conversion, nor an error."""
    if type(y) is not np.ndarray or y.shape != (n_rows,) or y.dtype.kind not in kinds:
        return False
    return y.dtype.kind != "f" or bool(np.isfinite(y).all())


def fits(X: Any, dtype: Any) -> bool:
    """Whether all numbers are finite, and their squares too in this type, in one pass."""
    most = np.finfo(dtype).max / ROOM
    if type(X) is np.ndarray and X.shape[0] == 1 and np.vdot(X, X) < most:
        return True
    with np.errstate(over="ignore", invalid="ignore"):
        return bool((norms_of(X, city_block=False) < most).all())


def check_magnitude(X: Any, dtype: Any) -> None:
    """Refuse numbers whose squares do not fit the type. They are known to be finite."""
    if fits(X, dtype):
        return
    largest = np.abs(X.data if sparse.issparse(X) else X).max()
    remedy = "scale the features"
    if np.dtype(dtype) != np.float64:
        remedy += ", or pass float64 from the first chunk on"
    raise ValueError(
        f"Input X contains values as large as {largest:.3g}, whose squares overflow "
        f"{np.dtype(dtype).name}: {remedy}."
    )


def check_loss(loss: Any, task: Any) -> None:
    """Refuse a loss that is no function of the number that the task shows."""
    argument = declares(loss, "argument")
    if argument not in (None, task.shows):
        example = "Hinge()" if task.shows == "margin" else "L2()"
        raise ValueError(
            f"loss={loss!r} is a loss of a {argument}, and this learner sees a {task.shows}: use one of "
            f"onkel.losses that is made for it, such as {example}."
        )


def check_number_of_classes(estimator: Any, loss: Any, n_classes: int | None = None) -> None:
    """Refuse more than two classes where the loss is for two."""
    if n_classes is None:
        n_classes = len(getattr(estimator, "classes_", ()))
    if declares(loss, "needs_two_classes") and n_classes > 2:
        raise ValueError(
            f"loss={estimator.loss!r} is for two classes, got {n_classes}: use "
            f"CSVRGClassifier, or wrap this classifier in sklearn.multiclass.OneVsRestClassifier."
        )


def check_numbers(y: np.ndarray) -> None:
    """Refuse targets that are no numbers, or whose squares overflow."""
    if y.dtype.kind not in "iufb":
        raise ValueError(f"y must contain numbers, got {y.dtype.name} such as {y[0]!r}.")
    if np.abs(y, dtype=float).max() > LARGEST_TARGET:
        raise ValueError(
            f"Input y contains values as large as {np.abs(y).max():.3g}, whose squares overflow: "
            f"scale the targets."
        )


def check_kernel_values(X: Any, kernel: Any, dtype: Any) -> None:
    """Refuse rows whose kernel values overflow, where the kernel grows with them."""
    if geometry_of(kernel) != PRODUCTS:
        return
    most = float(np.finfo(dtype).max) / ROOM
    if largest_value(kernel, most) <= most:  # whatever check_magnitude lets pass
        return
    if largest_value(kernel, float(norms_of(X, city_block=False).max())) > most:
        raise ValueError(
            f"kernel={kernel!r} has values beyond {np.dtype(dtype).name} on these rows: scale the "
            f"features, or lower gamma or degree."
        )


def largest_value(kernel: Any, norm: float) -> float:
    """The largest value of a kernel of inner products of rows with at most this squared norm."""
    try:
        return max(abs(float(kernel.value(norm))), abs(float(kernel.value(-norm))))
    except OverflowError:
        return math.inf


def check_weights(sample_weight: Any, n_rows: int) -> np.ndarray:
    """One finite number >= 0 a row; None is 1 for all."""
    if sample_weight is None:
        return np.ones(n_rows)
    try:
        given = np.asarray(sample_weight)
        if given.dtype.kind not in "iufbO":
            raise ValueError
        weights = given.astype(float)
    except (TypeError, ValueError):
        raise ValueError("sample_weight must contain numbers, one a row.") from None
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight has shape {weights.shape}, but X has {n_rows} rows: give one "
            f"number a row."
        )
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError(
            "sample_weight contains negative numbers, NaN or infinity: give numbers >= 0."
        )
    return weights


def check_some_weight(weights: np.ndarray) -> None:
    if not weights.any():
        raise ValueError("Sample weights are all zero: give at least one row a weight above 0.")


def without_zero_weights(X: Any, targets: np.ndarray, weights: np.ndarray) -> tuple[Any, ...]:
    """The rows that have a weight: the others are as if they had not come."""
    if weights.all():
        return X, targets, weights
    kept = weights > 0
    return X[kept], targets[kept], weights[kept]


def chosen_gamma(gamma: Any, X: Any) -> float:
    """The number given, or "scale"; never more than the type of the data can hold."""
    wanted = scale_gamma(X) if isinstance(gamma, str) else float(gamma)
    return min(wanted, float(np.finfo(X.dtype).max))


def scale_gamma(X: Any) -> float:
    """1 / (features * variance of the data), or 1 / features where it does not vary."""
    values = X.data if sparse.issparse(X) else X
    largest = float(max(values.max(initial=0.0), -values.min(initial=0.0)))
    if largest == 0.0:
        return 1.0 / X.shape[1]
    unit = 1.0 if SAFE[0] < largest < SAFE[1] else largest  # else squares over- or underflow
    variance = variance_of(X if unit == 1.0 else X / unit)
    if variance <= (ROUNDING * largest / unit) ** 2:
        return 1.0 / X.shape[1]
    spread = unit * math.sqrt(X.shape[1] * variance)
    return 1.0 / spread / spread


def variance_of(X: Any) -> float:
    """The variance of all entries, in two passes."""
    if not sparse.issparse(X):
        return float(X.var(dtype=np.float64))
    values = as_layout(X, "pool", X.dtype).data.astype(np.float64)
    entries = float(X.shape[0]) * X.shape[1]
    mean = float(values.sum()) / entries
    squares = float(np.square(values - mean).sum())
    return (squares + (entries - values.size) * mean * mean) / entries


def draw_seed(estimator: Any) -> int:
    """The seed of a learner, from its ``random_state``."""
    try:
        random = check_random_state(estimator.random_state)
    except (TypeError, ValueError):
        raise ValueError(
            f"random_state={estimator.random_state!r} is not allowed in "
            f"{type(estimator).__name__}: random_state must be None, an integer from 0 to "
            f"2**32 - 1, or a numpy.random.RandomState."
        ) from None
    return int(random.randint(LARGEST_SEED))


def mean_of(targets: np.ndarray) -> float:
    """The mean, summed where nothing overflows."""
    largest = float(np.abs(targets).max(initial=0.0))
    return largest * float(np.mean(targets / largest)) if largest > 0.0 else 0.0


def spread_of(targets: np.ndarray) -> float:
    """The standard deviation; of equal targets their size, or 1."""
    largest = float(np.abs(targets).max(initial=0.0))
    if largest == 0.0:
        return 1.0
    spread = float(np.std(targets / largest))  # of squares none overflows, nor is lost
    return largest * (spread if spread > SAME_TARGETS else 1.0)
