"""The first look: the first rows of a stream are kept until they are enough to choose settings from.

What is "auto" or "scale" must not depend on how a stream is cut into chunks. So ``partial_fit`` keeps the
first ``LOOK_ROWS`` rows, composes the parts from exactly these, and then learns them in order. Who asks for
anything before that is answered by a provisional model of the k rows so far: composed from the first
:math:`2^{\\lfloor \\log_2 k \\rfloor}` of them, after learning all k in order. It is made when somebody asks, goes
on row by row until k doubles, and is thrown away in the end: asking changes nothing.
"""

from __future__ import annotations

from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from onkel.engine.layout import as_layout, layout_for, widened
from onkel.estimators.checks import check_kernel_values, draw_seed, started_anew
from onkel.estimators.hearing import LISTENER, heard_apart
from onkel.estimators.kernels import kernel_and_gamma
from onkel.estimators.parameters import validate_parameters
from onkel.estimators.scales import warn_of_scales

#: Rows of a stream that settings are chosen from.
LOOK_ROWS = 512


class Rows(NamedTuple):
    """Rows with their targets, as the user gave them, and weights."""

    X: Any
    targets: np.ndarray
    weights: np.ndarray

    def between(self, first: int, stop: int | None = None) -> Rows:
        which = slice(first, stop)
        return Rows(self.X[which], self.targets[which], self.weights[which])


class FirstRows:
    """The rows kept so far, and what was settled when the stream began.

    It never changes: more rows make another one. So readers in other threads see one moment.
    """

    def __init__(self, seed: int, parameters: dict[str, Any], like: Any) -> None:
        self.seed, self.parameters = seed, parameters
        self.layout, self.dtype = layout_for(like), like.dtype
        self.chunks: tuple[Rows, ...] = ()
        self.n_rows = 0
        self.provisional = Provisional()
        self.n_features = like.shape[1]  # of the widest row

    def with_rows(self, X: Any, targets: np.ndarray, weights: np.ndarray) -> FirstRows:
        """These rows, too: a copy of them, in the form and type of the first."""
        if not len(targets):
            return self
        X = as_layout(X, self.layout, self.dtype)
        longer = object.__new__(FirstRows)
        longer.__dict__ = vars(self) | {
            "chunks": (*self.chunks, Rows(X.copy(), targets.copy(), weights.copy())),
            "n_rows": self.n_rows + len(targets),
            "n_features": max(self.n_features, X.shape[1]),
        }
        return longer

    def rows(self, since: int = 0) -> Rows:
        """All rows of the chunks from this one on."""
        chunks = self.chunks[since:]
        if not chunks:
            return Rows(self._zeros(0), np.zeros(0), np.zeros(0))
        X, targets, weights = zip(*chunks)
        width = max(self.n_features, *(x.shape[1] for x in X))
        wide = [x if x.shape[1] == width else widened(x, width) for x in X]
        stacked = sparse.vstack(wide, "csr") if sparse.issparse(X[0]) else np.concatenate(wide)
        return Rows(stacked, np.concatenate(targets), np.concatenate(weights))

    def _zeros(self, rows: int) -> Any:
        return as_layout(np.zeros((rows, self.n_features)), self.layout, self.dtype)

    def composed(self, learner: Any, count: int) -> Any:
        """A copy of the learner that begins with parts for the first so many rows.

        Parameters count when a stream begins: they are those of that time, whatever was set since.
        """
        fresh = object.__new__(type(learner))
        state = learner.__dict__
        fresh.__dict__ = state | self.parameters
        del fresh.__dict__["_look"]
        X, targets, weights = self.rows().between(0, count)
        if count == 0:  # no row has had a weight so far
            X, targets, weights = self._zeros(1), np.zeros(1), np.ones(1)
        fresh._know_targets_of(np.zeros(0))  # they are about to be learned, one after the other
        fresh._start(X, targets, float(weights.mean()), count, False, self.seed)
        fresh.__dict__ |= {name: state[name] for name in self.parameters}
        return fresh

    def __getstate__(self) -> dict[str, Any]:
        kept = {"seed": self.seed, "parameters": self.parameters}
        return kept | self.rows()._asdict()

    def __setstate__(self, state: dict[str, Any]) -> None:
        rows = Rows(state["X"], state["targets"], state["weights"])
        self.__init__(state["seed"], state["parameters"], rows.X)  # type: ignore[misc]
        self.__dict__ = self.with_rows(*rows).__dict__


class Provisional:
    """The model that answers during the look."""

    def __init__(self) -> None:
        self.making = Lock()
        self.model: Any = None
        self.learned: tuple[Rows, ...] = ()
        self.composed_from = 0

    def of(self, learner: Any, look: FirstRows) -> Any:
        """The model of these rows: the last one that was asked for, if it can go on."""
        with self.making:
            count = 1 << (look.n_rows.bit_length() - 1) if look.n_rows else 0
            before = len(self.learned) if self._leads_to(look, count) else 0
            model = self.model if before else heard_apart(look.composed(learner, count))
            self.model = None  # what is interrupted is made anew
            model._share_labels_of(learner)
            if before < len(look.chunks):
                model._learn(*look.rows(since=before))
            self.model, self.learned, self.composed_from = model, look.chunks, count
            return model

    def _leads_to(self, look: FirstRows, count: int) -> bool:
        """Whether the last model has the same parts, and has learned the first of these rows."""
        n = len(self.learned)
        if self.model is None or self.composed_from != count or not 0 < n <= len(look.chunks):
            return False
        if self.model._machine.shape.n_features != look.n_features:
            return False
        return look.chunks[n - 1] is self.learned[-1]


def at_one_moment(learner: Any) -> Any:
    """The learner as it is now, whatever another thread makes of it; during the look, the provisional model."""
    view = object.__new__(type(learner))
    view.__dict__ = learner.__dict__
    look = view.__dict__.get("_look")
    return view if look is None else look.provisional.of(view, look)


def rows_kept(learner: Any) -> int:
    """How many rows wait for the look to be complete: they came, but will be learned later."""
    look = vars(learner).get("_look")
    return 0 if look is None or "_machine" in vars(learner) else look.n_rows


def heard_in_look(learner: Any) -> Any:
    """What its listener heard of the model that answers now: during the look, of the provisional one."""
    listener = vars(at_one_moment(learner)).get(LISTENER)
    return None if listener is None else listener.take()


def learn_first(learner: Any, X: Any, y: Any, sample_weight: Any, classes: Any) -> None:
    """Keep the rows of a chunk; learn, when there are enough of them."""
    composed = None
    with started_anew(learner) as fresh:
        first = "_look" not in fresh.__dict__
        if first:
            validate_parameters(learner)
        outputs = 0 if first else fresh._n_outputs()
        rows = Rows(*fresh._check_chunk(X, y, sample_weight, classes, first))
        if first:
            fresh._look = FirstRows(draw_seed(fresh), fresh.get_params(deep=False), rows.X)
        look = fresh._look
        if fresh._n_outputs() != outputs:
            check_parts(fresh, rows)
        check_known_kernel(fresh, rows.X)
        if rows.weights.any():
            # The last row of the look is not kept, but completes it: then all are learned.
            room = LOOK_ROWS - 1 - look.n_rows
            fresh._look = look.with_rows(*rows.between(0, room))
            if len(rows.targets) > room:
                complete = fresh._look.with_rows(*rows.between(room, room + 1))
                composed = complete.composed(fresh, LOOK_ROWS)
                fresh._know_targets_of(fresh._look.rows().targets)  # the others wait outside
                warn_of_scales(fresh, complete.rows().X, stacklevel=5)
    if composed is not None:
        composed._learn(*complete.rows())  # an interrupt leaves all rows but the last kept
        learner.__dict__ = composed.__dict__
        if len(rows.targets) > room + 1:
            learner._learn(*rows.between(room + 1))


def check_parts(learner: Any, rows: Rows) -> None:
    """An error where parameters do not go together, or not with as many classes as there are."""
    look, trial = learner._look, object.__new__(type(learner))
    trial.__dict__ = learner.__dict__ | look.parameters
    trial._compose_machine(rows.X[:1], rows.targets[:1], 1.0, 1, False, look.seed)


def check_known_kernel(learner: Any, X: Any) -> None:
    """Refuse rows whose kernel values overflow, as far as that does not depend on what follows."""
    look = learner._look
    if not all(isinstance(look.parameters[name], str) for name in ("kernel", "gamma")):
        asked = object.__new__(type(learner))
        asked.__dict__ = learner.__dict__ | look.parameters
        check_kernel_values(X, kernel_and_gamma(asked, X)[0], look.dtype)
