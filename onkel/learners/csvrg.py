"""CSVRG: kernel ODM and SVM on a coreset, by variance-reduced stochastic gradients (batch)."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np
import scipy.sparse

from onkel.coresets.coverage import choose_diameter, cover
from onkel.coresets.variance_reduced import KernelRows, Plan, epochs
from onkel.engine.matrix import KernelMatrix
from onkel.estimators.batch import BatchClassifier
from onkel.estimators.checks import chosen_gamma
from onkel.estimators.documentation import fitted
from onkel.estimators.parameters import declared, parameter, random_state_parameter
from onkel.estimators.probabilities import probabilities_parameter
from onkel.kernels import Rbf
from onkel.learners.losses import loss_with_fields_of
from onkel.learners.shared import MARGIN_LOSSES
from onkel.losses import declares
from onkel.model.questions import with_exact_types

STEP_TIMES_SMOOTHNESS = 0.2
INNER_STEPS_PER_SMOOTHNESS = 10
LIPSCHITZ = 1.0  # of the hinge
#: diameter="auto": the fewest and the most core points.
CORES_WANTED = (1000, 4000)
#: Parts of the rows that are held out in turn for probabilities.
FOLDS = 3


@declared
class CSVRGClassifier(BatchClassifier):
    r"""Optimal margin distribution machine or SVM on core points, with linear convergence.

    Minimises :math:`\frac12\|w\|^2 + \frac{\lambda}{m}\sum_i \ell(y_i f(x_i))` over functions
    :math:`f(x) = \sum_j \beta_j k(c_j, x)` on the r core points of a coverage of the training set
    by spheres of a given diameter. Each epoch computes the full gradient :math:`w + \tilde\mu` at a
    snapshot (slopes :math:`\tilde g_i`), then does inner steps

    .. math:: w \leftarrow \Pi\bigl[w - \eta\bigl(w + \lambda (g_t - \tilde g_t)\phi(c(t))
              + \tilde\mu\bigr)\bigr]

    at random instances t, c(t) being the core point nearest to instance t and :math:`\Pi` the
    projection on a ball that holds the optimum (odm, squared_hinge). For smooth losses the
    objective converges linearly in epochs, down to a gap that the diameter causes and that is
    gone with diameter 0: of many features it takes thousands of core points to make it small.
    Scale the features alike first. Multi-class is one-vs-rest.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from onkel.learners.csvrg import CSVRGClassifier
    >>> X, y = make_moons(400, noise=0.1, random_state=0)
    >>> model = CSVRGClassifier(gamma=2.0, diameter=0.4, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.98, model.n_support_ < 100
    (True, True)

    References
    ----------
    Tan, Zhang, Wang: Coreset stochastic variance-reduced gradient with application to optimal
    margin distribution machine. AAAI 2019.
    """

    loss: str = parameter(
        default="odm",
        one_of=("odm", "squared_hinge", "smooth_hinge", "hinge"),
        doc="""Loss of the margin. ``"odm"`` keeps margins near 1: it costs margins below 1 - theta and, mu times
        as much, above 1 + theta. ``"hinge"`` is not smooth: its steps decrease and convergence is not
        linear.""",
    )
    C: float | str = parameter(
        default="auto",
        one_of=("auto",),
        above=0,
        doc=r"""The weight of the mean loss (the paper's :math:`\lambda`). ``"auto"`` is the number of rows divided
        by the slope of the loss at margin 0: a row there then pulls as much as in scikit-learn's ``SVC()``.""",
    )
    theta: float = parameter(
        default=0.4,
        at_least=0,
        below=1,
        doc=r"""Half the width :math:`\theta` of the band around 1 in which ``loss="odm"`` costs nothing.""",
    )
    mu: float = parameter(
        default=0.4,
        above=0,
        at_most=1,
        doc=r"Price :math:`\mu` of margins that are too large, relative to those that are too small.",
    )
    tau: float = parameter(
        default=0.5,
        above=0,
        doc=r"""Width :math:`\tau` of the rounded part of ``loss="smooth_hinge"``.""",
    )
    diameter: float | str = parameter(
        default="auto",
        one_of=("auto",),
        at_least=0,
        doc="""Diameter of the spheres; 0 makes every row a core point (as ``"auto"`` does for up to 1000 rows).
        ``"auto"`` finds one that gives as many core points as ``memory_cap`` has room for, at least 1000 and at
        most 4000, fewer only where the kernel cannot tell the rows apart.""",
    )
    epochs: int = parameter(
        default=5, kind=int, at_least=1, doc="Number of epochs, each with one full gradient."
    )
    inner_steps: int | str = parameter(
        default="auto",
        one_of=("auto",),
        kind=int,
        at_least=1,
        doc="""Steps in an epoch. ``"auto"`` is 2 m, with a ``C`` of your own max(2 m, 10 L), m being the number
        of rows and L the smoothness of one instance's objective.""",
    )
    step: float | str = parameter(
        default="auto",
        one_of=("auto",),
        above=0,
        below=1,
        doc=r"""Step size :math:`\eta`. ``"auto"`` is 0.2 / L. With ``loss="hinge"`` it is the first one, and step
        n is :math:`\eta/(1 + \eta n)`.""",
    )
    option: str = parameter(
        default="last",
        one_of=("last", "random"),
        doc="The next snapshot: the last inner iterate (Option I) or a random one (Option II).",
    )
    kernel: str = parameter(
        default="rbf",
        one_of=("rbf",),
        doc=r"""Kernel :math:`\exp(-\gamma\|x-x'\|^2)`; the coverage needs a function of distance.""",
    )
    gamma: float | str = parameter(
        default="scale",
        one_of=("scale",),
        above=0,
        doc=r"""Parameter :math:`\gamma` of the kernel. ``"scale"`` is 1 / (n_features * X.var()), 1 / n_features
        where the rows do not vary.""",
    )
    memory_cap: float = parameter(
        default=512.0,
        above=0,
        doc="""MiB for the m x r block of kernel values; a larger one is recomputed in blocks. The r x r matrix
        of the core points must fit as well: 512 MiB hold 8192 of them.""",
    )
    probabilities: bool = probabilities_parameter(
        False,
        """from three more models on the same core points, each of two thirds of the rows, by their scores of the
        rest. That takes about twice as many steps again.""",
    )
    random_state: Any = random_state_parameter()

    objective_ = fitted("list of float", "The objective after each epoch, summed over the outputs.")
    n_iter_ = fitted("int", "Number of epochs done.")
    C_ = fitted("float", "The weight of the mean loss.")
    diameter_ = fitted("float", "The diameter of the spheres.")

    def _cross_fitted(
        self, rows: KernelRows, signs: np.ndarray, weights: np.ndarray, seed: int
    ) -> np.ndarray:
        """Scores (rows x outputs) of models on the same cores that did not learn from the row."""
        scores = np.empty(signs.T.shape)
        fold = np.random.default_rng(seed).permutation(len(weights)) % FOLDS
        for number in range(FOLDS):
            kept, held_out = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
            if len(held_out) == 0:
                continue
            plan = self._plan(weights[kept], self.C_ * len(kept) / len(weights))
            steps = epochs(
                rows.restricted_to(kept),
                np.ascontiguousarray(signs[:, kept]),
                weights[kept],
                plan,
                seed,
            )
            *_, (beta, _) = islice(steps, self.epochs)
            scores[held_out] = rows.restricted_to(held_out).scores(beta).T
        return scores

    def _learn(
        self, X: Any, codes: np.ndarray, weights: np.ndarray, seed: int
    ) -> Callable[[], np.ndarray]:
        n_classes = len(self.classes_)
        outputs = np.arange(n_classes) if n_classes > 2 else np.array([1])
        signs = np.where(codes[None, :] == outputs[:, None], 1.0, -1.0)
        self.gamma_ = chosen_gamma(self.gamma, X)
        centred = X if scipy.sparse.issparse(X) else X - np.median(X, axis=0)
        if self.diameter == "auto":
            self.diameter_ = choose_diameter(centred, self._cores_wanted(X), Rbf(self.gamma_))
        else:
            self.diameter_ = float(self.diameter)
        cores = self._cores(centred)
        rows = KernelRows(centred, cores, self.gamma_, self.memory_cap)
        self.C_ = self._weight_of_loss(len(weights))
        self.objective_ = []
        for beta, objective in islice(
            epochs(rows, signs, weights, self._plan(weights, self.C_), seed), self.epochs
        ):
            self.objective_.append(objective)
            self.dual_coef_ = beta
        self.support_vectors_ = X[cores]
        self.n_support_ = len(cores)
        self.n_iter_ = self.epochs
        return lambda: self._cross_fitted(rows, signs, weights, seed)

    def _cores_wanted(self, X: Any) -> int:
        """As many as have room for their kernel values with all rows, within limits."""
        fit = int(self.memory_cap * 2**20 / (X.shape[0] * X.dtype.itemsize))
        fewest, most = CORES_WANTED
        return min(max(fewest, fit), most, self._most_cores())

    def _most_cores(self) -> int:
        """So many that the matrix of their kernel values keeps to the cap."""
        return max(1, int(math.sqrt(self.memory_cap * 2**20 / 8)))

    def _cores(self, X: Any) -> np.ndarray:
        most = self._most_cores()
        cores = cover(X, self.diameter_, most)
        if len(cores) > most:
            raise ValueError(
                f"diameter={self.diameter_:g} gives more than {most} core points, whose matrix of "
                f"kernel values exceeds memory_cap={self.memory_cap:g} MiB: "
                "choose a larger diameter, or raise memory_cap."
            )
        return cores

    def _weight_of_loss(self, n_rows: int) -> float:
        loss = loss_with_fields_of(self, MARGIN_LOSSES[self.loss])
        return n_rows / abs(loss.slope(0.0)) if self.C == "auto" else float(self.C)

    def _plan(self, weights: np.ndarray, C: float) -> Plan:
        loss = loss_with_fields_of(self, MARGIN_LOSSES[self.loss])
        curvature, norm = declares(loss, "curvature"), declares(loss, "solution_norm")
        smooth = curvature is not None  # else its Lipschitz constant takes the curvature's place
        smoothness = 1 + C * float(weights.max()) * (curvature if smooth else LIPSCHITZ)
        step = STEP_TIMES_SMOOTHNESS / smoothness if self.step == "auto" else float(self.step)
        steps = self.inner_steps
        if steps == "auto":
            steps = 2 * len(weights)  # about L, where C is in proportion to the rows
            if self.C != "auto":
                steps = max(steps, math.ceil(INNER_STEPS_PER_SMOOTHNESS * smoothness))
        return Plan(
            loss=with_exact_types(loss),
            C=C,
            radius=math.inf if norm is None else norm * math.sqrt(C * float(weights.mean())),
            step=step,
            decay=0.0 if smooth else step,
            inner_steps=int(steps),
            stop_early=self.option == "random",
        )

    def _kernel_function(self) -> Callable[[Any], np.ndarray]:
        return KernelMatrix(Rbf(self.gamma_), self.support_vectors_)
