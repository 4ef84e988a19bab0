"""The scikit-learn façade of every online learner: validation, labels, fit, partial_fit, predict.

A named algorithm is a subclass with flat parameters and a ``compose`` that returns its parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import validate_data

from onkel.compiled.threads import one_blas_thread
from onkel.engine.layout import as_layout, layout_for, picked
from onkel.engine.machine import Machine, Recipe, Shape
from onkel.estimators.checks import (
    check_kernel_values,
    check_loss,
    check_magnitude,
    check_some_weight,
    check_weights,
    draw_seed,
    fits,
    is_plain,
    is_plain_target,
    started_anew,
    unchanged_on_error,
    without_zero_weights,
)
from onkel.estimators.documentation import fitted, of_type
from onkel.estimators.hearing import room_for_scores
from onkel.estimators.kernels import (
    ANY,
    Need,
    check_kernel_for,
    kernel_and_gamma,
    kernel_parameter,
    names_for,
)
from onkel.estimators.look import at_one_moment, learn_first
from onkel.estimators.parameters import (
    declared,
    parameter,
    random_state_parameter,
    validate_parameters,
)
from onkel.estimators.progress import Progress
from onkel.estimators.scales import warn_of_scales
from onkel.estimators.turns import learning_alone

#: Kinds of NumPy types that targets may have.
NUMBERS, LABELS = "iufb", "iufbU"
#: No margin loss gets so large but by steps that are too long.
DIVERGED = 1e30
#: Rows that ``fit`` copies at a time to shuffle them.
SHUFFLED_AT_ONCE = 1 << 14
NO_TARGETS = object()  # for predictions
#: Fitted attributes that are known with the first rows, before there is a model.
GIVEN_BY_ROWS = ("n_features_in_", "feature_names_in_", "classes_")


class FirstLook(NamedTuple):
    """What is known when the parts are put together."""

    X: Any
    n_rows: int  # that will be learned, as far as is known
    complete: bool  # fit, not the first of many chunks
    kernel: Any  # a part, or a function
    gamma: float
    seed: int
    targets: np.ndarray  # as the learner sees them: signs, numbers of classes, or values


@declared
class OnlineLearner(BaseEstimator):
    """Parameters and behaviour that all online learners share."""

    kernel: Any = kernel_parameter(ANY)
    gamma: Any = parameter(
        default="scale",
        one_of=("scale",),
        above=0,
        doc=r"""Parameter :math:`\gamma` of the kernel. ``"scale"`` is 1 / (n_features * X.var()), X being the rows
        given to ``fit`` or the first 512 of a stream; 1 / n_features where these do not vary.""",
    )
    epochs: int = parameter(
        default=1,
        kind=int,
        at_least=1,
        doc="Number of passes over the rows in ``fit``; ``partial_fit`` makes one.",
    )
    shuffle: bool = parameter(
        default=True,
        one_of=(True, False),
        doc="""Whether ``fit`` takes the rows of each pass in a random order; ``partial_fit`` takes them as they
        come.""",
    )
    half_life: Any = parameter(
        default=None,
        one_of=(None,),
        at_least=1,
        doc=r"""After how many rows :math:`h` an instance counts half: with :math:`\rho = 2^{-1/h}` all terms are
        multiplied by :math:`\rho` before each update, and what makes steps small is the discounted number of rows
        :math:`\sum_s \rho^{t-s}`, so that they do not vanish: for streams that change. None forgets nothing.""",
    )
    random_state: Any = random_state_parameter()

    n_features_in_ = fitted("int", "Number of features.")
    feature_names_in_ = fitted(
        "ndarray of shape (n_features,)", "Names of the features, where X has column names."
    )
    gamma_ = fitted("float", "The kernel's :math:`\\gamma`.")

    @property
    def kernel_need(self) -> Need:
        """What this algorithm needs of a kernel."""
        return ANY

    @property
    def kernels_allowed(self) -> tuple[str, ...]:
        """The kernels, by name, that this algorithm works with."""
        return names_for(self.kernel_need)

    def compose(self, look: FirstLook) -> Recipe:
        """
        Put the parts of this algorithm together.

        Parameters
        ----------
        look : FirstLook
            What is known when learning begins.

        Returns
        -------
        Recipe
            The parts.
        """
        raise NotImplementedError

    # -- learning ----------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """
        Learn anew: ``epochs`` passes over the rows, in random order if ``shuffle``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        y : array-like of shape (n_rows,)
            Their labels or, of a regressor, targets.
        sample_weight : array-like of shape (n_rows,), default=None
            How much a row counts: it multiplies the step. None: 1 for all.

        Returns
        -------
        Self
            The estimator itself.
        """
        with learning_alone(self):
            return self._learn_anew(X, y, sample_weight)

    def _learn_anew(self, X: Any, y: Any, sample_weight: Any) -> Self:
        validate_parameters(self)
        seed = draw_seed(self)
        with unchanged_on_error(self, Exception):  # an interrupt leaves what was learned so far
            with started_anew(self) as fresh:
                fresh.__dict__.pop("_look", None)
                X, y = fresh._check_rows(X, y, reset=True)
                fresh._declare_targets(y, None)
                targets, weights = fresh._targets(y), check_weights(sample_weight, X.shape[0])
                check_some_weight(weights)
                X, targets, weights = without_zero_weights(X, targets, weights)
                fresh._start(X, targets, X.shape[0] * self.epochs, True, seed)
                warn_of_scales(fresh, X, stacklevel=4)
            for epoch in range(self.epochs):
                for rows in self._orders(X.shape[0], seed, epoch):
                    self._learn(picked(X, rows), targets[rows], weights[rows])
            self._conclude(X)
        return self

    def _orders(self, n_rows: int, seed: int, epoch: int) -> Iterator[Any]:
        """One pass over the rows, in pieces: what is shuffled is copied."""
        if not self.shuffle:
            yield slice(None)
            return
        order = np.random.default_rng((seed, epoch)).permutation(n_rows)
        for first in range(0, n_rows, SHUFFLED_AT_ONCE):
            yield order[first : first + SHUFFLED_AT_ONCE]

    def _learn_on(self, X: Any, y: Any, sample_weight: Any, classes: Any) -> Self:
        """What ``partial_fit`` does."""
        with learning_alone(self):
            if "_machine" not in self.__dict__:
                learn_first(self, X, y, sample_weight, classes)
                return self
            X, targets, weights = self._check_chunk(X, y, sample_weight, classes, False)
            check_kernel_values(X, self._machine.kernel, self._machine.shape.dtype)
            if weights.any():
                self._learn(X, targets, weights)
        return self

    def _check_chunk(
        self, X: Any, y: Any, sample_weight: Any, classes: Any, first: bool
    ) -> tuple[Any, np.ndarray, np.ndarray]:
        """Rows, targets and weights; rows without weight only where no row has any."""
        X, y = self._check_rows(X, y, reset=first)
        if first or classes is not None:
            self._declare_targets(y, classes)
        targets, weights = self._targets(y), check_weights(sample_weight, X.shape[0])
        if not weights.any():
            return X, targets, weights
        return without_zero_weights(X, targets, weights)

    def _start(self, X: Any, targets: np.ndarray, n_rows: int, complete: bool, seed: int) -> None:
        """Begin with parts for these rows, or an error if they cannot be learned."""
        self._compose_machine(X, targets, n_rows, complete, seed)
        shape = self._machine.shape
        check_kernel_values(X, self._machine.kernel, shape.dtype)
        self._machine.adapt_to(as_layout(X[:1024], shape.layout, shape.dtype))

    def _compose_machine(
        self, X: Any, targets: np.ndarray, n_rows: int, complete: bool, seed: int
    ) -> None:
        kernel, gamma = kernel_and_gamma(self, X)
        shape = Shape(X.shape[1], self._n_outputs(), layout_for(X), X.dtype)
        self._look_at_targets(targets)
        targets = self._in_model_units(targets)
        with one_blas_thread(X.shape[0]):
            recipe = self.compose(FirstLook(X, n_rows, complete, kernel, gamma, seed, targets))
        recipe = recipe._replace(intercept=self._has_intercept(), decay=self._decay)
        check_kernel_for(recipe, kernel)
        check_loss(recipe.loss, self._task())
        self.gamma_ = gamma
        self._machine = self._make_machine(kernel, recipe, shape, seed)
        self._machine.observer = self._new_observer()

    def _make_machine(self, kernel: Any, recipe: Recipe, shape: Shape, seed: int) -> Machine:
        return Machine(kernel, self._task(), recipe, shape, seed)

    @property
    def _decay(self) -> float:
        """What an old instance is multiplied with at each new one."""
        return 1.0 if self.half_life is None else 2.0 ** (-1.0 / self.half_life)

    def _new_observer(self) -> Any:
        """Who learns from the scores before each update: see onkel.calibration."""
        return None

    def _said(self, observer: Any, scores: np.ndarray, coverage: float | None) -> tuple[Any, ...]:
        """What scores and a calibration say of rows: the fields of `onkel.estimators.hearing.Heard`."""
        return (scores,)

    def _learn(self, X: Any, targets: np.ndarray, weights: np.ndarray) -> None:
        """Move the machine through a chunk, and on through whatever makes it pause."""
        first, targets = 0, self._in_model_units(targets)
        with one_blas_thread(len(targets)):
            while first < len(targets):
                shape = self._machine.shape
                rest = as_layout(X[first:], shape.layout, shape.dtype)
                first += self._learn_chunk(rest, targets[first:], weights[first:])
                if self._machine.paused:
                    self._after_pause()
        self._check_divergence()

    def _check_divergence(self) -> None:
        loss = self._machine.model.now[0]["loss"]
        if not np.isfinite(loss) or (self._makes_mistakes and loss > DIVERGED):
            raise ValueError(
                f"{type(self).__name__} diverged: its loss overflowed. Scale the features and "
                f"targets, or lower the step (raise the regularization), and fit anew."
            )

    def _conclude(self, X: Any) -> None:
        """What is left to do at the end of ``fit``, while its rows are at hand."""

    def _learn_chunk(self, X: Any, targets: np.ndarray, weights: np.ndarray) -> int:
        with room_for_scores(self, targets, weights) as trace:
            return self._machine.learn(X, targets, weights, trace)

    def _after_pause(self) -> None:
        raise NotImplementedError

    # -- targets -----------------------------------------------------------------------------

    def _has_intercept(self) -> bool:
        return False

    def _look_at_targets(self, targets: np.ndarray) -> None:
        """Settle what depends on the first targets."""

    def _in_model_units(self, targets: np.ndarray) -> np.ndarray:
        """Targets as the machine learns them."""
        return targets

    @property
    def _unit(self) -> float:
        """What one unit of the machine's targets is in those of the user."""
        return 1.0

    # -- input -------------------------------------------------------------------------------

    def _check_rows(self, X: Any, y: Any = NO_TARGETS, reset: bool = False) -> Any:
        """Rows (and targets) as arrays that can be learned from, or a clear error."""
        if not reset and self._is_ready(X, y):
            return X if y is NO_TARGETS else (X, y)
        checks = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "order": "C"}
        if y is NO_TARGETS:
            X = validate_data(self, X, reset=reset, **checks)
        else:
            X, y = validate_data(
                self, X, y, reset=reset, y_numeric=self._target_kinds == NUMBERS, **checks
            )
        check_magnitude(X, X.dtype if reset else self._row_dtype())
        return X if y is NO_TARGETS else (X, y)

    _target_kinds: ClassVar[str] = LABELS
    _makes_mistakes: ClassVar[bool] = True

    def _is_ready(self, X: Any, y: Any) -> bool:
        """Whether nothing is left for scikit-learn to check, or to complain about."""
        return (
            is_plain(X, self.n_features_in_)
            and "feature_names_in_" not in self.__dict__
            and (y is NO_TARGETS or is_plain_target(y, X.shape[0], self._target_kinds))
            and fits(X, self._row_dtype())
        )

    def _row_dtype(self) -> Any:
        """The type of the rows: that of the first."""
        machine = self.__dict__.get("_machine")
        return self.__dict__["_look"].dtype if machine is None else machine.shape.dtype

    def _scores(self, X: Any) -> np.ndarray:
        return self._scores_and_observer(X)[0]

    def _scores_and_observer(self, X: Any) -> tuple[np.ndarray, Any]:
        self = at_one_moment(self)
        machine = self._fitted()
        X = self._check_rows(X)
        check_kernel_values(X, machine.kernel, machine.shape.dtype)
        return self._ask(X)

    def _scores_of_checked(self, X: Any) -> np.ndarray:
        return self._ask(X)[0]

    def _ask(self, X: Any) -> tuple[np.ndarray, Any]:
        machine = self._machine
        with one_blas_thread(X.shape[0]):
            rows = as_layout(X, machine.shape.layout, machine.shape.dtype)
            return machine.scores_and_observer(rows)

    # -- what was learned --------------------------------------------------------------------

    def __sklearn_is_fitted__(self) -> bool:
        state = self.__dict__
        return "_machine" in state or "_look" in state

    def _stand_in(self, name: str) -> Any:
        """Who has a fitted attribute that is not there yet: during the first look, the provisional model."""
        if "_machine" in self.__dict__ or name in GIVEN_BY_ROWS or not self.__sklearn_is_fitted__():
            return None
        return at_one_moment(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _fitted(self) -> Machine:
        machine = self.__dict__.get("_machine")
        if machine is not None:
            return machine
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' or "
                f"'partial_fit' with appropriate arguments before using this estimator."
            )
        return at_one_moment(self)._machine

    @property
    @of_type("ndarray or sparse matrix of shape (n_support, n_features)")
    def support_vectors_(self) -> Any:
        """The support vectors."""
        return self._fitted().vectors()

    @property
    @of_type("ndarray of shape (n_outputs, n_support)")
    def dual_coef_(self) -> np.ndarray:
        """The coefficients of the support vectors in the model that predicts.

        There is one row for two classes or a regressor, else one a class.
        """
        return self._fitted().dual_coef() * self._unit

    @property
    @of_type("int")
    def n_support_(self) -> int:
        """Number of support vectors."""
        return self._fitted().n_support

    @property
    @of_type("int")
    def t_(self) -> int:
        """Number of instances learned."""
        return int(self._fitted().counters()["t"])

    @property
    @of_type("Progress")
    def progress_(self) -> Progress:
        """What the predictions before each update scored: ``seen``, ``mistakes``, ``mistake_rate``, mean ``loss``.

        And ``squared_error``, the mean of squared residuals, of a classifier of squared margins.
        """
        now = self._fitted().counters()
        t, mistakes = int(now["t"]), int(now["mistakes"]) if self._makes_mistakes else 0
        loss, squared_error = (float(now[name]) / max(1, t) for name in ("loss", "squared_error"))
        squared_error *= self._unit**2
        return Progress(t, mistakes, mistakes / max(1, t), loss, squared_error)
