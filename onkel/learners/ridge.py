"""Ridge regression on explicit features: the exact solution after every row, on Fourier's or Nyström's features."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from onkel.engine.layout import as_layout
from onkel.engine.machine import Shape
from onkel.engine.ridge.codes import codes_of
from onkel.engine.ridge.knowledge import RidgeSettings
from onkel.engine.ridge.landmarks import LandmarkMap
from onkel.engine.ridge.machine import RidgeMachine
from onkel.estimators.classifier import OnlineClassifier
from onkel.estimators.documentation import of_type
from onkel.estimators.half_life import half_life_parameter
from onkel.estimators.kernels import (
    POSITIVE_DEFINITE,
    AnyKernel,
    Need,
)
from onkel.estimators.labels import grows, signs_or_numbers
from onkel.estimators.landmarks import centres, given_landmarks, random_rows
from onkel.estimators.leave_one_out import best_gamma, first_strength, some_rows
from onkel.estimators.online import FirstLook
from onkel.estimators.parameters import declared, parameter
from onkel.estimators.regressor import OnlineRegressor
from onkel.learners.accounts import Accounts
from onkel.learners.fourier import OnFourierFeatures
from onkel.maps.fourier import Frequencies
from onkel.parallel.limits import at_work

#: How landmarks are chosen.
WAYS = {"random": random_rows, "kmeans": centres}


@declared
class Ridge(Accounts):
    """Parameters and parts of ridge regression, whatever the features and for classifiers and regressors alike."""

    regularization: Any = parameter(
        default="auto",
        one_of=("auto",),
        above=0,
        doc=r"""Strength :math:`\lambda` of the regularization. ``"auto"`` begins with the best of 13, from 0.0001 to
        100 times the mean of :math:`w |z(x)|^2`, by the errors of rows, each left out in turn: up to 1024 of those
        given to ``fit``, or the first 512 of a stream. When 2048 rows were learned (and are not forgotten), whenever
        there are four times as many, and at the end of ``fit``, it takes the best by generalised cross-validation
        from the statistics.""",
    )
    half_life: Any = half_life_parameter(auto=False)
    _can_start_over: ClassVar[bool] = False
    gamma: Any = parameter(
        default="scale",
        one_of=("auto", "scale"),
        above=0,
        doc=r"""Parameter :math:`\gamma` of the kernel. ``"scale"`` is 1 / (n_features * X.var()), X being the rows
        given to ``fit`` or the first 512 of a stream; 1 / n_features where these do not vary. ``"auto"`` is one of
        several multiples of that: the best by the errors of up to 1024 of these rows, each left out in turn.""",
    )
    intercept: bool = parameter(
        default=True,
        one_of=(True, False),
        doc="""Whether every score gets a number (of many classes one each) that is not regularized: features and
        targets are then learned as deviations from their means.""",
    )

    @property
    @of_type("float")
    def regularization_(self) -> float:
        r"""The strength :math:`\lambda` of the regularization."""
        return float(self._fitted().strength)  # type: ignore[attr-defined]

    def _kernel_and_gamma(self, X: Any, targets: np.ndarray, seed: int) -> tuple[Any, float]:
        if not isinstance(self.gamma, str) or self.gamma != "auto":
            return super()._kernel_and_gamma(X, targets, seed)  # type: ignore[misc]
        some, codes = self._some(X, targets, seed)
        return best_gamma(self, some, codes, bool(self.intercept))

    def _composed(self, look: FirstLook, shape: Shape) -> RidgeMachine:
        feature_map, chooses = self._feature_map(look, shape), isinstance(self.regularization, str)
        if chooses:
            X, codes = self._some(look.X, look.targets, look.seed)
            features = feature_map.features(as_layout(X, shape.layout, shape.dtype))
            strength = look.weight * first_strength(features, codes, bool(self.intercept))
        else:
            strength = float(self.regularization)
        learner: Any = self
        settings = RidgeSettings(strength, chooses, bool(self.intercept), learner._decay)
        return RidgeMachine(feature_map, look.kernel, learner._task(), shape, settings)

    def _some(self, X: Any, targets: np.ndarray, seed: int) -> tuple[Any, np.ndarray]:
        """Some of the rows that settings are chosen from, and their targets as they are learned."""
        X, targets = some_rows(X, targets, seed)
        learner: Any = self
        if not grows(self):
            return X, codes_of(targets, learner._n_outputs())
        known = int(targets.max()) + 1  # numbers of classes, of which none is learned yet
        signs = signs_or_numbers(targets, 2 if known < 3 else known)
        return X, codes_of(signs, 1 if known < 3 else known)

    def _conclude(self, X: Any) -> None:
        with at_work(self.n_jobs, X.shape[0]):  # type: ignore[attr-defined]
            self._machine.choose_anew()  # type: ignore[attr-defined]

    def _feature_map(self, look: FirstLook, shape: Shape) -> Any:
        """The features whose weights are learned."""
        raise NotImplementedError


@declared
class FourierRidge(OnFourierFeatures, Ridge):
    """Ridge regression on random Fourier features, for classifiers and regressors alike."""

    n_components: int = parameter(
        default=1000,
        kind=int,
        at_least=1,
        doc="""Number of frequencies D; there are 2 D features, sines and cosines. A row costs some :math:`16 D^2`
        multiplications, and the model has two matrices of :math:`4 D^2` numbers.""",
    )

    def _feature_map(self, look: FirstLook, shape: Shape) -> Frequencies:
        return self._draw_frequencies(look.kernel, shape, look.seed)

    def _frequencies(self, machine: RidgeMachine) -> Any:
        return machine.map


@declared
class NystromRidge(AnyKernel, Ridge):
    """Parameters and features of ridge regression on Nyström features."""

    n_components: int = parameter(
        default=1000,
        kind=int,
        at_least=1,
        doc="""Number of landmarks, drawn from the rows given to ``fit`` or from the first 512 of a stream; all of
        these where there are no more.""",
    )
    landmarks: Any = parameter(
        default="random",
        type_words='{"random", "kmeans"} or array-like of shape (n_landmarks, n_features)',
        doc="""Rows drawn at random, the centres of k-means (a smaller error for the same number of landmarks), or
        the landmarks themselves.""",
    )

    @property
    def kernel_need(self) -> Need:
        return POSITIVE_DEFINITE

    def _feature_map(self, look: FirstLook, shape: Shape) -> LandmarkMap:
        landmarks = self._landmarks(look).astype(shape.dtype)
        return LandmarkMap(look.kernel, landmarks)

    def _landmarks(self, look: FirstLook) -> Any:
        if isinstance(self.landmarks, str) and self.landmarks in WAYS:
            return WAYS[self.landmarks](look.X, self.n_components, look.seed)
        return given_landmarks(self.landmarks, look.X.shape[1])


@declared
class FourierRidgeClassifier(FourierRidge, OnlineClassifier):
    r"""Ridge regression on random Fourier features: the exact solution after every row, in one pass.

    .. math:: z(x) = \frac{1}{\sqrt D}(\sin Ux, \cos Ux), \qquad
              W_t = \Bigl(\sum_s w_s \tilde z_s \tilde z_s^\top + \lambda I\Bigr)^{-1}
                    \sum_s w_s \tilde z_s \tilde y_s^\top

    over all rows s up to t, with deviations :math:`\tilde z, \tilde y` from the means so far, and labels coded +1 and
    -1 (of many classes each against the rest). Where other learners make a step, this one knows the best weights.

    Notes
    -----
    With a ``half_life`` rows fade in the sums, and the regularization with them; it is restored after every P rows,
    P being the largest power of two up to the half-life. That costs as much as learning some 3 D rows.
    Sums are of double precision, whatever the rows are. Rows of single precision have features of that: scores
    are then exact to about 1e-6 divided by the square root of the regularization.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from onkel import FourierRidgeClassifier
    >>> X, y = make_moons(1000, noise=0.1, random_state=0)
    >>> model = FourierRidgeClassifier(n_components=50, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.98), model.coef_.shape
    (True, (1, 100))
    """


@declared
class FourierRidgeRegressor(FourierRidge, OnlineRegressor):
    r"""Ridge regression on random Fourier features for numbers; see :class:`FourierRidgeClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from onkel import FourierRidgeRegressor
    >>> X = np.linspace(0, 6, 1000)[:, None]
    >>> y = np.sin(X[:, 0])
    >>> model = FourierRidgeRegressor(n_components=50, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.999)
    True
    """


@declared
class NystromRidgeClassifier(NystromRidge, OnlineClassifier):
    r"""Ridge regression on Nyström features: the exact solution after every row, in one pass.

    .. math:: z(x) = L^{-1} k_B(x)

    with the triangular factor of the landmarks' Gram matrix, :math:`K = L L^\top`: what is learned is the same as
    with its eigenvectors, which cost more. The rest is as in :class:`FourierRidgeClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from onkel import NystromRidgeClassifier
    >>> X, y = make_moons(1000, noise=0.1, random_state=0)
    >>> model = NystromRidgeClassifier(n_components=50, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.98), model.n_support_
    (True, 50)
    """


@declared
class NystromRidgeRegressor(NystromRidge, OnlineRegressor):
    r"""Ridge regression on Nyström features for numbers; see :class:`NystromRidgeClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from onkel import NystromRidgeRegressor
    >>> X = np.linspace(0, 6, 1000)[:, None]
    >>> y = np.sin(X[:, 0])
    >>> model = NystromRidgeRegressor(n_components=50, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.999)
    True
    """
