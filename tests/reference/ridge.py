"""Reference room: ridge regression on explicit features, solved anew from all rows after each of them."""

import math
from typing import Any

import numpy as np

from tests.reference.base import Array, Draws, Kernel, Loss, Outcome, Term, Twin


class Ridge(Twin):
    """`features` of a row are told by a subclass. With a half-life h, the regularization fades with the rows,
    and is restored after every P rows, P being the largest power of two up to h."""

    def __init__(
        self,
        task: str,
        n_outputs: int,
        kernel: Kernel,
        loss: Loss,
        *,
        regularization: float,
        half_life: float | None = None,
        **shared: Any,
    ) -> None:
        super().__init__(task, n_outputs, kernel, loss, half_life=half_life, **shared)
        self.regularization = regularization
        self.period = 1
        while half_life is not None and 2 * self.period <= half_life:
            self.period *= 2
        self.seen: list[tuple[Array, Array, float]] = []  # features, targets, weight
        self.n_map_features = 0

    def update(self, x: Array, outcome: Outcome, draws: Draws, weight: float) -> None:
        self.seen = [(z, y, self.decay * w) for z, y, w in self.seen]
        self.seen.append((self.features(x), self.codes(outcome.target), weight))
        self.weights, self.intercept = self.solved()

    def codes(self, target: float) -> Array:
        """+1 for the class of the row and -1 for the others; of two classes, or a number, the target."""
        if self.task != "multiclass":
            return np.array([target])
        return np.where(np.arange(self.n_outputs) == int(target), 1.0, -1.0)

    def solved(self) -> tuple[Array, Array]:
        z, y = (np.array([row[k] for row in self.seen]) for k in (0, 1))
        w = np.array([row[2] for row in self.seen])
        z_mean, y_mean = np.zeros(z.shape[1]), np.zeros(self.n_outputs)
        if self.has_intercept:
            z_mean, y_mean = w @ z / w.sum(), w @ y / w.sum()
        z, y = z - z_mean, y - y_mean
        faded = self.regularization * self.decay ** (self.t % self.period)
        coef = np.linalg.solve((z.T * w) @ z + faded * np.eye(z.shape[1]), (z.T * w) @ y)
        return coef.T, y_mean - z_mean @ coef

    def grow(self, place: int) -> None:
        """A class more than two: as if it had been known from the start. All rows so far were of others."""
        pair = self.n_outputs == 1
        self.task, self.n_outputs = "multiclass", 3 if pair else self.n_outputs + 1
        self.seen = [
            (z, np.insert(np.array([-y[0], y[0]]) if pair else y, place, -1.0), w)
            for z, y, w in self.seen
        ]
        self.intercept, self.intercept_sums = (
            np.zeros(self.n_outputs),
            np.zeros((2, self.n_outputs)),
        )
        if self.seen:
            self.weights, self.intercept = self.solved()

    def look(self, scores: Array, target: float) -> Outcome:
        """The loss is half the sum of squares over all outputs; an intercept is no matter of steps."""
        seen = super().look(scores, target)
        value = 0.5 * float(np.square(scores - self.codes(target)).sum())
        return Outcome(
            seen.scalar, value, 0.0, seen.direction, seen.towards, seen.errs, seen.mistake, target
        )

    def shrink(self, factor: float) -> None:
        """Rows fade, and weights follow from them."""

    @property
    def terms(self) -> list[Term]:
        return []

    def last_weights(self) -> Array:
        if not self.seen:
            return np.zeros((self.n_outputs, self.n_map_features))
        return self.weights


class FourierRidge(Ridge):
    """`directions` is U, (D, d), drawn by the caller; no vectors."""

    def __init__(self, *arguments: Any, directions: Array, **shared: Any) -> None:
        super().__init__(*arguments, **shared)
        self.directions = np.array(directions, dtype=np.float64)
        self.n_map_features = 2 * len(self.directions)

    def features(self, x: Array) -> Array:
        angles = self.directions @ x
        return np.concatenate([np.sin(angles), np.cos(angles)]) / math.sqrt(len(angles))


class NystromRidge(Ridge):
    """z(x) = L^(-1/2) V' k(x) of given landmarks with the Gram matrix V L V'. Of landmarks that depend on each other
    only some count: one after the other that of which the former ones leave most, as long as they leave anything."""

    def __init__(self, *arguments: Any, landmarks: Array, **shared: Any) -> None:
        super().__init__(*arguments, **shared)
        self.landmarks = np.array(landmarks, dtype=np.float64)
        gram = np.array([[self.kernel(a, b) for b in self.landmarks] for a in self.landmarks])
        left, chosen = gram.copy(), []
        while left.diagonal().max() > 1e-10 * gram.diagonal().max():
            k = int(left.diagonal().argmax())
            chosen.append(k)
            left -= np.outer(left[:, k], left[:, k]) / left[k, k]
        values, vectors = np.linalg.eigh(gram[np.ix_(chosen, chosen)])
        self.to_features = np.zeros((len(chosen), len(gram)))
        self.to_features[:, chosen] = vectors.T / np.sqrt(values)[:, None]
        self.n_map_features = len(self.to_features)

    def features(self, x: Array) -> Array:
        values: Array = np.array([self.kernel(x, landmark) for landmark in self.landmarks])
        return self.to_features @ values

    @property
    def vectors(self) -> Array:
        return self.landmarks

    @property
    def output_coef(self) -> Array:
        """Coefficients of the kernel values."""
        coef: Array = self.last_weights() @ self.to_features
        return coef
