"""LLSVM: a linear SVM on Nyström features of k-means landmarks (batch baseline)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from onkel.engine.matrix import KernelMatrix
from onkel.estimators.batch import PREDICT_BLOCK, BatchClassifier
from onkel.estimators.documentation import fitted
from onkel.estimators.kernels import (
    POSITIVE_DEFINITE,
    AnyKernel,
    Need,
    chosen_kernel,
    kernel_and_gamma,
    kernel_parameter,
)
from onkel.estimators.landmarks import centres
from onkel.estimators.parameters import declared, parameter, random_state_parameter
from onkel.estimators.probabilities import probabilities_parameter
from onkel.learners.squared_hinge import squared_hinge_weights, weighted_gram
from onkel.maps.nystrom import nystrom_transform

AUTO_RANK = 0.2


@declared
class LLSVMClassifier(AnyKernel, BatchClassifier):
    r"""Low-rank linearised SVM: Nyström features of k-means landmarks, then a linear SVM.

    With the landmarks' kernel matrix :math:`K = V \Lambda V^\top`, cut to its ``rank`` largest
    eigenpairs, the features are :math:`z(x) = \Lambda_k^{-1/2} V_k^\top k_B(x)`, and the linear SVM
    minimises :math:`\frac12\|w\|^2 + C \sum_i \max(0, 1 - y_i w^\top z(x_i))^2`, without an
    offset. So :math:`f(x) = \sum_b A_b k(v_b, x)`, :math:`A = w^\top \Lambda_k^{-1/2} V_k^\top`.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from onkel.learners.llsvm import LLSVMClassifier
    >>> X, y = make_moons(400, noise=0.1, random_state=0)
    >>> model = LLSVMClassifier(budget=50, gamma=2.0, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.98, model.rank_
    (True, 10)

    References
    ----------
    Zhang, Lan, Wang, Moerchen: Scaling up kernel SVM on limited resources: a low-rank linearization
    approach. AISTATS 2012.
    """

    budget: int = parameter(
        default=100,
        kind=int,
        at_least=1,
        doc="Number of landmarks; all rows are landmarks where there are no more than that.",
    )
    rank: int | str = parameter(
        default="auto",
        one_of=("auto",),
        kind=int,
        at_least=1,
        doc="""Largest number k of features; ``"auto"`` is 0.2 * budget. Directions that the landmarks do not
        span (up to rounding) are left out.""",
    )
    C: float = parameter(default=1.0, above=0, doc="The weight of the summed loss.")
    kernel: Any = kernel_parameter(POSITIVE_DEFINITE)
    gamma: float | str = parameter(
        default="scale",
        one_of=("scale",),
        above=0,
        doc=r"""Parameter :math:`\gamma` of the kernel. ``"scale"`` is 1 / (n_features * X.var()), 1 / n_features
        where the rows do not vary.""",
    )
    probabilities: bool = probabilities_parameter(
        True, "by what each row's score would be, had it been left out, in closed form."
    )
    random_state: Any = random_state_parameter()

    rank_ = fitted("int", "Number of features.")

    def _learn(
        self, X: Any, codes: np.ndarray, weights: np.ndarray, seed: int
    ) -> Callable[[], np.ndarray]:
        self._kernel, self.gamma_ = kernel_and_gamma(self, X)
        self.support_vectors_ = centres(X, self.budget, seed, weights)
        self.n_support_ = len(self.support_vectors_)
        features, coef = self._learn_weights(X, codes, weights)
        return lambda: left_out_scores(features, coef, codes, self.C * weights)

    def _learn_weights(
        self, X: Any, codes: np.ndarray, weights: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Learn the coefficients; returns the features of the rows and the weights of the features."""
        whiten = self._whitening()
        self.rank_ = whiten.shape[1]
        kernel_values, features = self._kernel_function(), np.empty((X.shape[0], self.rank_))
        for start in range(0, X.shape[0], PREDICT_BLOCK):
            rows = slice(start, start + PREDICT_BLOCK)
            values = kernel_values(X[rows])
            features[rows] = values @ whiten.astype(values.dtype, copy=False)
        costs = self.C * weights
        each = [squared_hinge_weights(features, s, costs) for s in signs_of(codes, self.classes_)]
        coef = np.array(each)
        self.dual_coef_ = coef @ whiten.T
        return features, coef

    def _whitening(self) -> np.ndarray:
        """V_k Lambda_k^(-1/2), landmarks x features, by falling eigenvalue."""
        wanted = max(1, int(AUTO_RANK * self.budget)) if self.rank == "auto" else int(self.rank)
        return nystrom_transform(self._kernel_function()(self.support_vectors_), wanted)[0]

    @property
    def kernel_need(self) -> Need:
        """What this algorithm needs of a kernel."""
        return POSITIVE_DEFINITE

    def _kernel_function(self) -> Callable[[Any], np.ndarray]:
        kernel = vars(self).get("_kernel")  # which files of older versions do not have
        if kernel is None:
            kernel = chosen_kernel(self, self.gamma_)
        return KernelMatrix(kernel, self.support_vectors_)


def signs_of(codes: np.ndarray, classes: np.ndarray) -> list[np.ndarray]:
    """Of every output the signs of all rows: of two classes the second, else each against the rest."""
    outputs = range(len(classes)) if len(classes) > 2 else [1]
    return [np.where(codes == c, 1.0, -1.0) for c in outputs]


def left_out_scores(
    features: np.ndarray, coef: np.ndarray, codes: np.ndarray, costs: np.ndarray
) -> np.ndarray:
    r"""The scores (rows x outputs) that rows would have had, had they alone been left out.

    Where the margins below 1 stay below, the machine is a ridge regression of their signs, whose residuals grow by
    :math:`1 / (1 - h_i)` with the leverage :math:`h_i = 2 c_i z_i^\top (I + 2 \sum_j c_j z_j z_j^\top)^{-1} z_i`.
    """
    scores = features @ coef.T
    for c, signs in enumerate(signs_of(codes, np.arange(max(2, len(coef))))):
        active = signs * scores[:, c] < 1.0
        gram = weighted_gram(features, np.where(active, 2.0 * costs, 0.0))
        z = features[active]
        solved = z @ np.linalg.inv(np.eye(len(gram)) + gram)
        leverage = 2.0 * costs[active] * np.einsum("ik,ik->i", solved, z)
        residuals = signs[active] - scores[active, c]
        scores[active, c] = signs[active] - residuals / (1.0 - leverage)
    return scores
