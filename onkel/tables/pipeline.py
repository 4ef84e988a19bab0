"""scikit-learn's pipeline for streams: transformers and learner learn on, whatever the chunks."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from onkel.estimators.parameters import Constraint
from onkel.estimators.scales import taken_care_of
from onkel.tables.rows import count_rows, joined_rows, own_rows, some_rows
from onkel.tables.schedule import LOOK, block_end

A_LOOK = Constraint(one_of=(None,), kind=int, at_least=1)
#: Steps that do nothing.
NOTHING = (None, "passthrough")


class Rows(NamedTuple):
    """Rows that wait: features, targets and weights."""

    X: Any
    y: Any
    weights: Any

    def part(self, start: int, stop: int) -> Rows:
        return Rows(*(None if each is None else some_rows(each, start, stop) for each in self))

    def owned(self) -> Rows:
        """Copies, to be kept after the user's call has ended."""
        return Rows(*(None if each is None else own_rows(each) for each in self))

    @staticmethod
    def joined(parts: Sequence[Rows]) -> Rows:
        if any(part.weights is not None for part in parts):  # then all rows have one
            parts = [part._replace(weights=part.all_weights()) for part in parts]
        return Rows(*(None if each[0] is None else joined_rows(each) for each in zip(*parts)))

    def all_weights(self) -> NDArray[np.float64]:
        rows = count_rows(self.X)
        return np.ones(rows) if self.weights is None else np.asarray(self.weights, np.float64)


Routes = dict[str, dict[str, Any]]  # parameters of partial_fit by step


class Progress(NamedTuple):
    """How far the stream has come, and what waits for the end of a block."""

    rows: int
    waiting: tuple[Rows, ...] = ()
    # During the first look: the steps as they were before, and what the calls said so far.
    untouched: tuple[Any, ...] = ()
    routes: Routes | None = None
    answers: bool = False  # whether there is a provisional model

    @property
    def looking(self) -> bool:
        return bool(self.untouched)


def _learns_on(pipeline: StreamPipeline) -> bool:
    """Whether the last step has ``partial_fit``; the error of an attribute that is not there, if not."""
    name, last = pipeline.steps[-1]
    if hasattr(last, "partial_fit"):
        return True
    raise AttributeError(
        f"step {name!r} ({type(last).__name__}) has no partial_fit: it cannot learn from a stream"
    )


def _has_intervals(pipeline: StreamPipeline) -> bool:
    return hasattr(pipeline.steps[-1][1], "predict_interval")


class StreamPipeline(Pipeline):
    """Transformers, then a learner: scikit-learn's :class:`~sklearn.pipeline.Pipeline` with ``partial_fit``.

    Each step but the last transforms the rows; those that have ``partial_fit`` (:class:`TableEncoder`,
    ``StandardScaler``) learn on as well. Stateless ones (``HashingVectorizer``) and ones that are fitted already are
    used as they are. ``fit``, ``predict``, ``score`` and all else are the Pipeline's.

    Any chunking gives the same model. The first ``look`` rows are held; when they are complete the transformers
    learn them and the learner gets them, in order, none twice. From then on every row is transformed by what
    was known before it, and learned at once; the transformers learn on after 2, 4, 8, 16, 24, ... times ``look``
    rows. Those that make components of their own (``IncrementalPCA``) stay as the first look made them: learning on
    would turn the axes under the learner. Asked before the first look is complete, a provisional pipeline of
    the rows that are there answers, which is thrown away later.

    The width of rows must stay the same behind a step: :class:`TableEncoder` with ``fixed_width=True``, its
    default, sees to that, with zero columns for words to come.

    Parameters
    ----------
    steps : list of (str, estimator)
        The steps by their names, the learner last.
    transform_input, memory, verbose : list, str or bool
        As in scikit-learn's Pipeline.
    look : int or None, default=None
        The rows of the first look: 512, or what a step's parameter ``look`` says, if None; never fewer than a step
        asks for, and none where no transformer learns.

    Examples
    --------
    >>> from onkel import FOGDClassifier, StreamPipeline, TableEncoder
    >>> from onkel.stream import open_stream
    >>> people = {"job": ["cook", "clerk", "?"] * 400, "age": [20, 60, None, 33] * 300}
    >>> people["rich"] = ["yes" if job == "clerk" else "no" for job in people["job"]]
    >>> model = StreamPipeline([("table", TableEncoder()), ("fogd", FOGDClassifier(random_state=0))])
    >>> for X, y in open_stream(people, target="rich", raw=True, chunk_rows=100):  # or a file
    ...     model = model.partial_fit(X, y, classes=["no", "yes"])
    >>> model.predict({"job": ["clerk", "cook"], "age": [None, 60]}).tolist()
    ['yes', 'no']
    """

    steps: list[tuple[str, Any]]

    def __init__(
        self,
        steps: Any,
        *,
        transform_input: Any = None,
        memory: Any = None,
        verbose: bool = False,
        look: int | None = None,
    ) -> None:
        super().__init__(steps, transform_input=transform_input, memory=memory, verbose=verbose)
        self.look = look

    @available_if(_learns_on)
    def partial_fit(
        self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None, **params: Any
    ) -> Self:
        """Learn on from the rows of `X`, in order. If anything is wrong, nothing is learned.

        Parameters
        ----------
        X : table, array-like or sparse matrix of n rows
            The rows, as the first step takes them.
        y : array-like of shape (n,), default=None
            Their labels or targets.
        classes : array-like, default=None
            All labels that will ever come; goes to the last step.
        sample_weight : array-like of shape (n,), default=None
            The rows' weights; go to the last step.
        **params : dict
            Other parameters, named ``step__parameter``; go to that step's ``partial_fit``.

        Returns
        -------
        StreamPipeline
            Itself.
        """
        if not A_LOOK.allows(self.look):
            raise ValueError(f"look={self.look!r} must be {A_LOOK.in_words()}.")
        routes, look = self._routes(classes, params), self._look()
        progress = self.__dict__.get("_progress") or self._begin(look)
        first = self.steps[0][1]
        if hasattr(first, "prepare"):
            X = first.prepare(X, progress.rows)
        chunk = Rows(X, y if y is None else np.asarray(y), sample_weight)
        n_rows = _checked_length(chunk)
        if not progress.looking and progress.rows + n_rows <= _block_end(progress.rows, look):
            self._progress = self._learn_block(chunk, progress, look, routes)
            return self
        with self._all_or_nothing(progress):
            start = 0
            while start < n_rows:
                left = _block_end(progress.rows, look) - progress.rows
                piece = chunk.part(start, start + left)
                act = self._look_at if progress.looking else self._learn_block
                progress = act(piece, progress, look, routes)
                start += left
            self._progress = progress
        return self

    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Fit every step to all rows, as scikit-learn's Pipeline does.

        Parameters
        ----------
        X : table, array-like or sparse matrix of n rows
            The rows, as the first step takes them.
        y : array-like of shape (n,), default=None
            Their labels or targets.
        **params : dict
            As in scikit-learn's Pipeline.

        Returns
        -------
        StreamPipeline
            Itself.
        """
        with self._scales_are_right():
            super().fit(X, y, **params)
        self._progress = Progress(count_rows(X))
        return self

    def set_params(self, **params: Any) -> Self:
        """Set parameters of the pipeline and of its steps, as scikit-learn's Pipeline does.

        Parameters
        ----------
        **params : dict
            Parameters of the pipeline, steps by their names, and ``step__parameter``.

        Returns
        -------
        StreamPipeline
            Itself.
        """
        names = [name for name, _ in self.steps]
        super().set_params(**params)
        progress = self.__dict__.get("_progress")
        if progress and progress.looking:  # the steps that will learn the first look are others
            untouched = StreamPipeline(list(zip(names, progress.untouched))).set_params(**params)
            steps = tuple(step for _, step in untouched.steps)
            self._progress = progress._replace(untouched=steps, answers=False)
        return self

    @property
    def progress_(self) -> Any:
        """What the last step, a learner of onkel, tells of its way: of a provisional one during the first look."""
        return self.steps[-1][1].progress_

    @available_if(_has_intervals)
    def predict_interval(self, X: Any, coverage: float = 0.9) -> NDArray[np.float64]:
        """Predict an interval for the target of each row, as the last step does for the transformed rows.

        Parameters
        ----------
        X : table, array-like or sparse matrix of n rows
            The rows, as the first step takes them.
        coverage : float, default=0.9
            The share of the targets that shall lie inside.

        Returns
        -------
        ndarray of shape (n, 2)
            The lower and the upper ends.
        """
        return self.steps[-1][1].predict_interval(self._transformed(X), coverage)

    @property
    def rows_kept(self) -> int:
        """How many rows wait for the first look to be complete: the last step will learn them later."""
        progress = self.__dict__.get("_progress")
        return progress.rows if progress is not None and progress.looking else 0

    @property
    def lasting_step(self) -> Any:
        """The last step as it will be: during the first look another, provisional one answers."""
        progress = self.__dict__.get("_progress")
        if progress is not None and progress.looking:
            return progress.untouched[-1]
        return self.steps[-1][1]

    # -- the first look ----------------------------------------------------------------------

    def _begin(self, look: int) -> Progress:
        return Progress(0, untouched=tuple(step for _, step in self.steps) if look else ())

    def _look_at(self, piece: Rows, progress: Progress, look: int, routes: Routes) -> Progress:
        """Hold rows; learn them all when the first look is complete, a provisional model before."""
        earlier = progress.routes or {}  # classes, for one, are said in the first call only
        routes = {name: {**earlier.get(name, {}), **said} for name, said in routes.items()}
        rows = progress.rows + count_rows(piece.X)
        held = Rows.joined([*progress.waiting, piece])
        if rows == look:
            # As in scikit-learn's Pipeline the transformers are copies, the last step is the user's own.
            fresh = [copy.deepcopy(step) for step in progress.untouched[:-1]]
            self._start_anew([*fresh, progress.untouched[-1]], held, routes)
            return Progress(rows)
        # Made anew at 1, 2, 4, ... rows: so it depends on the rows alone, and costs little.
        power = 1 << (rows.bit_length() - 1)
        answers = progress.answers
        if power > progress.rows:
            fresh = [copy.deepcopy(step) for step in progress.untouched]
            answers = self._start_anew(fresh, held.part(0, power), routes, patient=not answers)
            piece = held.part(power, rows)
        if answers and count_rows(piece.X):
            self._learn_last(self._transformed(piece.X), piece, routes)
        held = held if progress.waiting else held.owned()
        return Progress(rows, (held,), progress.untouched, routes, answers)

    def _start_anew(
        self, fresh: list[Any], rows: Rows, routes: Routes, patient: bool = False
    ) -> bool:
        """Let steps that have not seen anything learn the first rows; whether they could.

        Some transformers do not learn from a few rows: be patient with those that do not declare a look.
        """
        self.steps = [(name, step) for (name, _), step in zip(self.steps, fresh)]
        try:
            self._teach(rows, routes, _learns)
        except ValueError:
            learning = [step for step in fresh[:-1] if _learns(step)]
            if not patient or all(hasattr(step, "look") for step in learning):
                raise
            return False
        self._learn_last(self._transformed(rows.X), rows, routes)
        return True

    # -- learning ----------------------------------------------------------------------------

    def _learn_block(self, piece: Rows, progress: Progress, look: int, routes: Routes) -> Progress:
        """The learner learns rows at once, the transformers when their block is complete."""
        self._learn_last(self._transformed(piece.X), piece, routes)
        rows = progress.rows + count_rows(piece.X)
        if not any(map(_learns_forever, self._transformers())):
            return Progress(rows)
        if rows < _block_end(progress.rows, look):
            return Progress(rows, (*progress.waiting, piece.owned()))
        self._teach(Rows.joined([*progress.waiting, piece]), routes, _learns_forever)
        return Progress(rows)

    def _learn_last(self, X: Any, rows: Rows, routes: Routes) -> None:
        name, last = self.steps[-1]
        weights = {} if rows.weights is None else {"sample_weight": rows.weights}
        with self._scales_are_right():
            last.partial_fit(X, rows.y, **routes[name], **weights)

    def _scales_are_right(self) -> AbstractContextManager[None]:
        """No warning of scales behind a step that says that it gives features of one scale."""
        right = any(getattr(step, "gives_one_scale", False) for step in self._transformers())
        return taken_care_of() if right else nullcontext()

    def _teach(self, rows: Rows, routes: Routes, learns: Callable[[Any], bool]) -> None:
        """Every transformer that learns gets a block, as the ones before it transform it now."""
        X = rows.X
        learning = [name for name, step in self.steps[:-1] if learns(step)]
        for name, step in self.steps[:-1]:
            if name in learning:
                step.partial_fit(X, rows.y, **routes[name])
            if name == learning[-1]:
                return
            if step not in NOTHING:
                X = step.transform(X)

    def _transformed(self, X: Any) -> Any:
        for step in self._transformers():
            X = step.transform(X)
        return X

    # -- what the steps are ------------------------------------------------------------------

    def _transformers(self) -> list[Any]:
        return [step for _, step in self.steps[:-1] if step not in NOTHING]

    def _look(self) -> int:
        """The rows of the first look: what the steps ask for, nothing if none of them learns."""
        looks = [0]
        for name, step in self.steps[:-1]:
            if step in NOTHING:
                continue
            if _learns(step):
                looks.append(getattr(step, "look", LOOK if self.look is None else 1))
            elif get_tags(step).requires_fit and not _is_fitted(step):
                raise TypeError(
                    f"step {name!r} ({type(step).__name__}) has no partial_fit, so that it cannot learn from a "
                    f"stream: fit it before on some rows, or take a transformer that learns on, such as "
                    f"StandardScaler, IncrementalPCA or onkel's TableEncoder."
                )
        return max(looks) if self.look is None or not any(looks) else max(*looks, self.look)

    def _routes(self, classes: Any, params: dict[str, Any]) -> Routes:
        """The parameters of ``partial_fit`` by step."""
        names = [name for name, _ in self.steps]
        routes: Routes = {name: {} for name in names}
        if classes is not None:
            routes[names[-1]]["classes"] = classes
        for key, value in params.items():
            name, _, parameter = key.partition("__")
            if name not in routes or not parameter:
                raise ValueError(
                    f"partial_fit does not know the parameter {key!r}: besides classes and sample_weight, name "
                    f"the step as in {names[-1]}__{key}; steps are {', '.join(names)}."
                )
            routes[name][parameter] = value
        return routes

    @contextmanager
    def _all_or_nothing(self, progress: Progress) -> Iterator[None]:
        """Several blocks are learned, or none: the steps are put back if one of them fails."""
        before = self.__dict__.copy()
        steps = [step for _, step in self.steps if step not in NOTHING]
        if progress.looking and progress.untouched[-1] is not steps[-1]:
            steps.append(progress.untouched[-1])
        states = [copy.deepcopy(step.__dict__) for step in steps]
        try:
            yield
        except BaseException:
            self.__dict__ = before
            for step, state in zip(steps, states):
                step.__dict__ = state
            raise


def make_stream_pipeline(
    *steps: Any,
    transform_input: Any = None,
    memory: Any = None,
    verbose: bool = False,
    look: int | None = None,
) -> StreamPipeline:
    """Make a :class:`StreamPipeline` of steps, named after their classes.

    Parameters
    ----------
    *steps : estimators
        Transformers, then a learner.
    transform_input, memory, verbose : list, str or bool
        As in scikit-learn's Pipeline.
    look : int or None, default=None
        As in :class:`StreamPipeline`.

    Returns
    -------
    StreamPipeline
        The pipeline.

    Examples
    --------
    >>> from onkel import AVMClassifier, TableEncoder, make_stream_pipeline
    >>> list(make_stream_pipeline(TableEncoder(), AVMClassifier()).named_steps)
    ['tableencoder', 'avmclassifier']
    """
    named = make_pipeline(*steps).steps
    return StreamPipeline(
        named, transform_input=transform_input, memory=memory, verbose=verbose, look=look
    )


def _learns(step: Any) -> bool:
    return hasattr(step, "partial_fit")


def _learns_forever(step: Any) -> bool:
    """Whether a transformer's columns keep their meaning when it learns on."""
    return _learns(step) and not isinstance(step, ClassNamePrefixFeaturesOutMixin)


def _is_fitted(step: Any) -> bool:
    try:
        check_is_fitted(step)
    except NotFittedError:
        return False
    return True


def _block_end(rows: int, look: int) -> int:
    """As in `schedule`; without anything to look at, all is one block."""
    return block_end(rows, look) if look else sys.maxsize


def _checked_length(chunk: Rows) -> int:
    n_rows = count_rows(chunk.X)
    if not n_rows:
        raise ValueError("Found array with 0 sample(s): at least one row is needed to learn from")
    for name, values in (("y", chunk.y), ("sample_weight", chunk.weights)):
        if values is not None and hasattr(values, "__len__") and len(values) != n_rows:
            raise ValueError(f"X has {n_rows} rows, but {name} has {len(values)}")
    return n_rows
