"""The scikit-learn façade of every online learner: parameters, parts put together, fit, partial_fit.

A named algorithm is a subclass with flat parameters and a ``compose`` that returns its parts. Which rows it
takes is in ``rows.py``, what it answers in ``learned.py``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from onkel.engine.growth import fitting
from onkel.engine.layout import as_layout, layout_for, picked
from onkel.engine.machine import Machine, Recipe, Shape
from onkel.engine.together import Together
from onkel.estimators.checks import (
    check_kernel_values,
    check_loss,
    check_some_weight,
    check_weights,
    draw_seed,
    started_anew,
    unchanged_on_error,
    without_zero_weights,
)
from onkel.estimators.half_life import (
    decay_beside,
    decays_of,
    half_life_parameter,
)
from onkel.estimators.hearing import LISTENER, room_for_scores
from onkel.estimators.kernels import (
    ANY,
    Need,
    check_kernel_for,
    kernel_and_gamma,
    kernel_parameter,
    names_for,
)
from onkel.estimators.learned import Learned
from onkel.estimators.look import learn_first
from onkel.estimators.merging import Unmergeable
from onkel.estimators.parameters import (
    declared,
    n_jobs_parameter,
    parameter,
    random_state_parameter,
    validate_parameters,
)
from onkel.estimators.scales import warn_of_scales
from onkel.estimators.settling import Settles
from onkel.estimators.turns import learning_alone
from onkel.estimators.widths import may_grow, widen
from onkel.parallel.limits import at_work

#: No margin loss gets so large but by steps that are too long.
DIVERGED = 1e30
#: Rows that ``fit`` copies at a time to shuffle them.
SHUFFLED_AT_ONCE = 1 << 14


class FirstLook(NamedTuple):
    """What is known when the parts are put together."""

    X: Any
    n_rows: int  # that will be learned, as far as is known
    complete: bool  # fit, not the first of many chunks
    kernel: Any  # a part, or a function
    gamma: float
    seed: int
    targets: np.ndarray  # as the learner sees them: signs, numbers of classes, or values
    weight: float  # of a row, in the mean


@declared
class OnlineLearner(Settles, Learned):
    """Parameters and behaviour that all online learners share."""

    merge: ClassVar[Any] = Unmergeable()

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
    half_life: Any = half_life_parameter()
    grow_features: bool = parameter(
        default=False,
        one_of=(True, False),
        doc="""Whether rows may get wider on the way: the model is then as if it had known the width from the start,
        with zeros in the new columns of earlier rows. Settings that were chosen from the first rows (``"scale"``,
        ``"auto"``, the width of boxes) stay. If not, and in rows that are narrower than before, another width is an
        error.""",
    )
    random_state: Any = random_state_parameter()
    n_jobs: int | None = n_jobs_parameter()

    #: Whether there can be a learner with the same settings that has learned nothing.
    _can_start_over: ClassVar[bool] = True

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
                n_rows, weight = X.shape[0] * self.epochs, float(weights.mean())
                fresh._start(X, targets, weight, n_rows, True, seed)
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
            fresh = object.__new__(type(self))
            fresh.__dict__ = self.__dict__.copy()
            X, targets, weights = fresh._check_chunk(X, y, sample_weight, classes, False)
            check_kernel_values(X, self._machine.kernel, self._machine.shape.dtype)
            if weights.any():
                fresh._machine = fitting(self._machine, X)
                self.__dict__ = fresh.__dict__  # all at once: others may be reading
                self._learn(X, targets, weights)
        return self

    def _check_chunk(
        self, X: Any, y: Any, sample_weight: Any, classes: Any, first: bool
    ) -> tuple[Any, np.ndarray, np.ndarray]:
        """Rows, targets and weights; rows without weight only where no row has any."""
        given = X
        X, y = self._check_rows(X, y, reset=first)
        weights = check_weights(sample_weight, X.shape[0])
        targets = self._targets_of_chunk(y, weights, classes, first)
        if not weights.any():
            return X, targets, weights
        if may_grow():
            self._behind_encoder = True
        widen(self, X, given)
        return without_zero_weights(X, targets, weights)

    def _targets_of_chunk(self, y: Any, weights: np.ndarray, classes: Any, first: bool) -> Any:
        """Targets as the look keeps them, and ``_learn`` takes them."""
        if first or classes is not None:
            self._declare_targets(y, classes)
        return self._targets(y)

    def _share_labels_of(self, learner: Any) -> None:
        """Number labels as this learner does, which has kept more rows."""

    def _know_targets_of(self, targets: np.ndarray) -> None:
        """Know of the targets what these, of the first rows of the stream, told."""

    def _start(
        self, X: Any, targets: np.ndarray, weight: float, n_rows: int, complete: bool, seed: int
    ) -> None:
        """Begin with parts for these rows, or an error if they cannot be learned."""
        self._compose_machine(X, targets, weight, n_rows, complete, seed)
        shape = self._machine.shape
        check_kernel_values(X, self._machine.kernel, shape.dtype)
        self._machine.adapt_to(as_layout(X[:1024], shape.layout, shape.dtype))

    def _compose_machine(
        self, X: Any, targets: np.ndarray, weight: float, n_rows: int, complete: bool, seed: int
    ) -> None:
        shape = Shape(X.shape[1], self._n_outputs(), layout_for(X), X.dtype)
        self._look_at_targets(targets)
        targets = self._in_model_units(targets)
        with at_work(self.n_jobs, X.shape[0]):
            kernel, self.gamma_ = self._kernel_and_gamma(X, targets, seed)
            look = FirstLook(X, n_rows, complete, kernel, self.gamma_, seed, targets, weight)
            self._machine = self._composed(look, shape)
        self._machine.observer = self._new_observer()
        self._machine.class_weights = self._new_class_weights()

    def _kernel_and_gamma(self, X: Any, targets: np.ndarray, seed: int) -> tuple[Any, float]:
        """The kernel for these rows, and its gamma."""
        return kernel_and_gamma(self, X)

    def _composed(self, look: FirstLook, shape: Shape) -> Any:
        """The machine that learns, made of the parts of this algorithm."""
        recipe = self.compose(look)._replace(intercept=self._has_intercept())
        check_kernel_for(recipe, look.kernel)
        check_loss(recipe.loss, self._task())
        machines = [
            self._make_machine(look.kernel, recipe._replace(decay=decay), shape, look.seed)
            for decay in decays_of(self.half_life)
        ]
        return machines[0] if len(machines) == 1 else Together(machines)

    def _make_machine(self, kernel: Any, recipe: Recipe, shape: Shape, seed: int) -> Machine:
        return Machine(kernel, self._task(), recipe, shape, seed)

    @property
    def _decay(self) -> float:
        """What an old instance is multiplied with at each new one, in what stands beside the model."""
        return decay_beside(self.half_life)

    def _new_observer(self) -> Any:
        """Who learns from the scores before each update: see onkel.calibration."""
        return None

    def _new_class_weights(self) -> Any:
        """What weights are multiplied with, by class."""
        return None

    def _said(self, observer: Any, scores: np.ndarray, coverage: float | None) -> tuple[Any, ...]:
        """What scores and a calibration say of rows: the fields of `onkel.estimators.hearing.Heard`."""
        return (scores,)

    def _learn(self, X: Any, targets: np.ndarray, weights: np.ndarray) -> None:
        """Move the machine through a chunk, and on through whatever makes it pause."""
        first, targets = 0, self._in_model_units(targets)
        with at_work(self.n_jobs, len(targets)):
            while first < len(targets):
                shape = self._machine.shape
                rest = as_layout(X[first:], shape.layout, shape.dtype)
                first += self._learn_chunk(rest, targets[first:], weights[first:])
                if self._machine.paused:
                    self._machine = self._machine.resumed(self._after_pause)
        self._check_divergence()

    def _check_divergence(self) -> None:
        loss = self._machine.loss
        if not math.isfinite(loss) or (self._makes_mistakes and loss > DIVERGED):
            raise ValueError(
                f"{type(self).__name__} diverged: its loss overflowed. Scale the features and "
                f"targets, or lower the step (raise the regularization), and fit anew."
            )

    def _started_over(self) -> Self:
        """A learner with the same settings, those that were chosen from rows included, that has learned nothing."""
        fresh = object.__new__(type(self))
        fresh.__dict__ = {name: value for name, value in vars(self).items() if name != LISTENER}
        fresh._machine = self._machine.blank()
        fresh._machine.observer = fresh._new_observer()
        fresh._machine.class_weights = fresh._new_class_weights()
        return fresh

    def _conclude(self, X: Any) -> None:
        """What is left to do at the end of ``fit``, while its rows are at hand."""

    def _learn_chunk(self, X: Any, targets: np.ndarray, weights: np.ndarray) -> int:
        with room_for_scores(self, targets, weights) as trace:
            return self._machine.learn(X, targets, weights, trace)

    def _after_pause(self, machine: Machine) -> Machine:
        """The machine that goes on where another has paused."""
        raise NotImplementedError

    # -- targets -----------------------------------------------------------------------------

    def _has_intercept(self) -> bool:
        return False

    def _look_at_targets(self, targets: np.ndarray) -> None:
        """Settle what depends on the first targets."""

    def _in_model_units(self, targets: np.ndarray) -> np.ndarray:
        """Targets as the machine learns them."""
        return targets
