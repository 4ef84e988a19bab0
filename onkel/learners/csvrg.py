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
from onkel.estimators.checks import chosen_gamma, draw_seed, unchanged_on_error
from onkel.estimators.parameters import declared, parameter
from onkel.kernels import Rbf
from onkel.losses import Hinge, Odm, SmoothHinge, SquaredHinge, declares
from onkel.model.questions import with_exact_types

STEP_TIMES_SMOOTHNESS = 0.2
INNER_STEPS_PER_SMOOTHNESS = 10
LIPSCHITZ = 1.0  # of the hinge


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
    gone with diameter 0. Scale the features alike first. Multi-class is one-vs-rest.

    Parameters
    ----------
    loss : {"odm", "squared_hinge", "smooth_hinge", "hinge"}
        odm keeps margins near 1: it costs margins below 1 - theta and, mu times as much, above
        1 + theta. hinge is not smooth: its steps decrease and convergence is not linear.
    C : float
        The weight of the mean loss (the paper's lambda).
    theta, mu : float
        Half width of odm's free band, in [0, 1), and price of too large margins, in (0, 1].
    tau : float
        Width of the rounded part of smooth_hinge.
    diameter : float or "auto"
        Diameter of the spheres; 0 makes every row a core point. "auto" finds one that gives 100 to
        1000 core points (0 for data of up to 1000 rows).
    epochs : int
        Number of full gradients.
    inner_steps : int or "auto"
        Steps in an epoch; "auto" is max(2 m, 10 L), L the smoothness of one instance's objective.
    step : float or "auto"
        Step size below 1; "auto" is 0.2 / L. For hinge it is the first one, decreasing like 1/n.
    option : {"last", "random"}
        The next snapshot: the last inner iterate (Option I) or a random one (Option II).
    kernel : "rbf"
        :math:`\exp(-\gamma\|x-x'\|^2)`; the coverage needs a function of distance.
    gamma : float or "scale"
        "scale" is 1 / (n_features * X.var()), 1 / n_features where the variance is 0.
    memory_cap : float
        MiB for the m x r block of kernel values; a larger one is recomputed in blocks. The r x r
        matrix of the core points must fit as well: 512 MiB hold 8192 of them.
    random_state : int, RandomState or None
        Seed of the draws.

    Attributes
    ----------
    classes_ : array of the labels
    n_features_in_ : int
    support_vectors_ : array or CSR matrix (r, n_features), the core points
    dual_coef_ : array (1, r), or (n_classes, r) with more than two classes
    n_support_ : int, the number of core points
    objective_ : list, the objective after each epoch (summed over classes)
    n_iter_ : int, epochs done
    diameter_, gamma_ : float, the values used

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

    loss: str = parameter(default="odm", one_of=("odm", "squared_hinge", "smooth_hinge", "hinge"))
    C: float = parameter(default=256.0, above=0)
    theta: float = parameter(default=0.4, at_least=0, below=1)
    mu: float = parameter(default=0.4, above=0, at_most=1)
    tau: float = parameter(default=0.5, above=0)
    diameter: float | str = parameter(default="auto", one_of=("auto",), at_least=0)
    epochs: int = parameter(default=10, kind=int, at_least=1)
    inner_steps: int | str = parameter(default="auto", one_of=("auto",), kind=int, at_least=1)
    step: float | str = parameter(default="auto", one_of=("auto",), above=0, below=1)
    option: str = parameter(default="last", one_of=("last", "random"))
    kernel: str = parameter(default="rbf", one_of=("rbf",))
    gamma: float | str = parameter(default="scale", one_of=("scale",), above=0)
    memory_cap: float = parameter(default=512.0, above=0)
    random_state: Any = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> CSVRGClassifier:
        """Learn from the whole training set; a weight multiplies the loss of its row."""
        with unchanged_on_error(self):
            X, codes, weights = self._begin(X, y, sample_weight)
            outputs = np.arange(len(self.classes_)) if len(self.classes_) > 2 else np.array([1])
            signs = np.where(codes[None, :] == outputs[:, None], 1.0, -1.0)
            self._solve(X, signs, weights, draw_seed(self))
        return self

    def _solve(self, X: Any, signs: np.ndarray, weights: np.ndarray, seed: int) -> None:
        self.gamma_ = chosen_gamma(self.gamma, X)
        centred = X if scipy.sparse.issparse(X) else X - np.median(X, axis=0)
        auto = self.diameter == "auto"
        self.diameter_ = choose_diameter(centred) if auto else float(self.diameter)
        cores = self._cores(centred)
        rows = KernelRows(centred, cores, self.gamma_, self.memory_cap)
        self.objective_: list[float] = []
        for beta, objective in islice(
            epochs(rows, signs, weights, self._plan(weights), seed), self.epochs
        ):
            self.objective_.append(objective)
            self.dual_coef_ = beta
        self.support_vectors_ = X[cores]
        self.n_support_ = len(cores)
        self.n_iter_ = self.epochs

    def _cores(self, X: Any) -> np.ndarray:
        most = max(1, int(math.sqrt(self.memory_cap * 2**20 / 8)))
        cores = cover(X, self.diameter_, most)
        if len(cores) > most:
            raise ValueError(
                f"diameter={self.diameter_:g} gives more than {most} core points, whose matrix of "
                f"kernel values exceeds memory_cap={self.memory_cap:g} MiB: "
                "choose a larger diameter, or raise memory_cap."
            )
        return cores

    def _plan(self, weights: np.ndarray) -> Plan:
        loss = self._loss()
        curvature, norm = declares(loss, "curvature"), declares(loss, "solution_norm")
        smooth = curvature is not None  # else its Lipschitz constant takes the curvature's place
        smoothness = 1 + self.C * float(weights.max()) * (curvature if smooth else LIPSCHITZ)
        step = STEP_TIMES_SMOOTHNESS / smoothness if self.step == "auto" else float(self.step)
        steps = self.inner_steps
        if steps == "auto":
            steps = max(2 * len(weights), math.ceil(INNER_STEPS_PER_SMOOTHNESS * smoothness))
        return Plan(
            loss=with_exact_types(loss),
            C=float(self.C),
            radius=math.inf if norm is None else norm * math.sqrt(self.C * float(weights.mean())),
            step=step,
            decay=0.0 if smooth else step,
            inner_steps=int(steps),
            stop_early=self.option == "random",
        )

    def _loss(self) -> Any:
        made = {
            "odm": Odm(self.theta, self.mu),
            "squared_hinge": SquaredHinge(),
            "smooth_hinge": SmoothHinge(self.tau),
            "hinge": Hinge(),
        }
        return made[self.loss]

    def _kernel_function(self) -> Callable[[Any], np.ndarray]:
        return KernelMatrix(Rbf(self.gamma_), self.support_vectors_)
