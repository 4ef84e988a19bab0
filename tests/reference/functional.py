"""Reference room: gradient descent on the weights W of an explicit map, f(x) = W z(x).

FOGD: z(x) = (sin Ux, cos Ux) / sqrt(D). NOGD: kernel gradient descent until B vectors are held,
then Nystroem features z(x) = L^(-1/2) V' k_B(x) of the top eigenpairs of their Gram matrix.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.reference.base import Array, Draws, Kernel, Loss, Term, new_term
from tests.reference.online_gradient import OGD


class FOGD(OGD):
    """`directions` is U, (D, d), drawn by the caller; `coef` is W, (C, 2 D); no vectors."""

    def __init__(
        self,
        task: str,
        n_outputs: int,
        kernel: Kernel,
        loss: Loss,
        *,
        directions: Array,
        **shared: Any,
    ) -> None:
        super().__init__(task, n_outputs, kernel, loss, **shared)
        self.directions = np.array(directions, dtype=np.float64)
        n_columns = 2 * self.directions.shape[0]
        self.weights = new_term(np.zeros(0), np.zeros((n_outputs, n_columns)), 0)

    @property
    def terms(self) -> list[Term]:
        return [self.weights]

    def collect(self, pick: Callable[[Term], Array]) -> Array:
        return pick(self.weights).copy()

    def features(self, x: Array) -> Array:
        angles = self.directions @ x
        return np.concatenate([np.sin(angles), np.cos(angles)]) / math.sqrt(len(angles))

    def absorb(self, x: Array, coefficient: Array, draws: Draws) -> None:
        self.weights.value += np.outer(coefficient, self.features(x))


class NOGD(OGD):
    """The switch happens as soon as the `budget`-th vector has been stored. Eigenvalues up to
    `cutoff` times the largest are left out, so there may be fewer than `n_components`."""

    def __init__(
        self,
        task: str,
        n_outputs: int,
        kernel: Kernel,
        loss: Loss,
        *,
        budget: int,
        n_components: int | None = None,
        cutoff: float = 1e-10,
        **shared: Any,
    ) -> None:
        super().__init__(task, n_outputs, kernel, loss, **shared)
        self.budget = budget
        self.n_components = max(1, int(0.2 * budget)) if n_components is None else n_components
        self.cutoff = cutoff
        self.weights: Term | None = None
        self.to_features = np.zeros((0, 0))  # L^(-1/2) V', (k, B)

    @property
    def terms(self) -> list[Term]:
        return self.slots if self.weights is None else [self.weights]

    def collect(self, pick: Callable[[Term], Array]) -> Array:
        return super().collect(pick) if self.weights is None else pick(self.weights).copy()

    def features(self, x: Array) -> Array:
        row = super().features(x)
        if self.weights is None:
            return row
        mapped: Array = self.to_features @ row
        return mapped

    def absorb(self, x: Array, coefficient: Array, draws: Draws) -> None:
        if self.weights is not None:
            self.weights.value += np.outer(coefficient, self.features(x))
            return
        self.append(x, coefficient)
        if len(self.slots) == self.budget:
            self.switch()

    def switch(self) -> None:
        """W = A' V L^(1/2); the sums of the average go through the same matrix."""
        eigenvalues, eigenvectors = np.linalg.eigh(self.gram(self.slots))
        order = np.argsort(eigenvalues)[::-1][: self.n_components]
        order = order[eigenvalues[order] > self.cutoff * eigenvalues[-1]]
        roots, basis = np.sqrt(eigenvalues[order]), eigenvectors[:, order]
        onto = basis * roots
        columns = OGD.collect
        value = columns(self, lambda term: term.value) @ onto
        sums = (
            columns(self, lambda term: term.sums[0]) @ onto,
            columns(self, lambda term: term.sums[1]) @ onto,
        )
        self.to_features = (basis / roots).T
        self.weights = Term(np.zeros(0), value, self.t, sums)

    @property
    def coef(self) -> Array:
        """Coefficients of the support vectors, W L^(-1/2) V' after the switch."""
        weights = self.last_weights()
        return weights if self.weights is None else weights @ self.to_features

    @property
    def output_coef(self) -> Array:
        weights = self.output_weights()
        return weights if self.weights is None else weights @ self.to_features
