"""scikit-learn's pipeline for streams: transformers and learner learn on, whatever the chunks."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils.metaestimators import available_if

from onkel.estimators.notebook import ToldInNotebooks
from onkel.estimators.scales import taken_care_of
from onkel.estimators.turns import learning_alone
from onkel.estimators.widths import features_may_grow
from onkel.tables.held import Progress, Routes, Rows, checked_length
from onkel.tables.rows import count_rows
from onkel.tables.sharding import Sharding
from onkel.tables.steps import (
    A_LOOK,
    NOTHING,
    end_of_block,
    learns,
    learns_forever,
    look_for,
    routes_to,
)


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


class StreamPipeline(Sharding, ToldInNotebooks, Pipeline):
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

    Behind a :class:`TableEncoder` with ``fixed_width=False`` rows get wider as words appear: a learner of onkel grows
    with them, as if it had known the width from the start. Others need the same width for ever.

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
            All labels that will ever come; goes to the last step. onkel's classifiers grow without it.
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
        with learning_alone(self):
            self._learn_on(X, y, sample_weight, routes_to(self.steps, classes, params))
        return self

    def _learn_on(self, X: Any, y: Any, sample_weight: Any, routes: Routes) -> None:
        look = look_for(self.steps, self.look)
        progress = self.__dict__.get("_progress") or self._begin(look)
        first = self.steps[0][1]
        if hasattr(first, "prepare"):
            X = first.prepare(X, progress.rows)
        chunk = Rows(X, y if y is None else np.asarray(y), sample_weight)
        n_rows = checked_length(chunk)
        if not progress.looking and progress.rows + n_rows < end_of_block(progress.rows, look):
            self._progress = self._learn_block(chunk, progress, look, routes)
            return
        with self._all_or_nothing(progress):
            start = 0
            while start < n_rows:
                left = end_of_block(progress.rows, look) - progress.rows
                piece = chunk.part(start, start + left)
                act = self._look_at if progress.looking else self._learn_block
                progress = act(piece, progress, look, routes)
                start += left
            self._progress = progress

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
        with learning_alone(self), self._scales_are_right():
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

    def _settled(self) -> Progress:
        """Nothing is learned yet, and nothing left to look at."""
        return Progress(0, settled=True)

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
            self._teach(rows, routes, learns)
        except ValueError:
            learning = [step for step in fresh[:-1] if learns(step)]
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
        if progress.settled or not any(map(learns_forever, self._transformers())):
            return Progress(rows, settled=progress.settled)
        if rows < end_of_block(progress.rows, look):
            return Progress(rows, (*progress.waiting, piece.owned()))
        self._teach(Rows.joined([*progress.waiting, piece]), routes, learns_forever)
        return Progress(rows)

    def _learn_last(self, X: Any, rows: Rows, routes: Routes) -> None:
        name, last = self.steps[-1]
        weights = {} if rows.weights is None else {"sample_weight": rows.weights}
        with self._scales_are_right(), self._widths_may_grow():
            last.partial_fit(X, rows.y, **routes[name], **weights)

    def _scales_are_right(self) -> AbstractContextManager[None]:
        """No warning of scales behind a step that says that it gives features of one scale."""
        right = any(getattr(step, "gives_one_scale", False) for step in self._transformers())
        return taken_care_of() if right else nullcontext()

    def _widths_may_grow(self) -> AbstractContextManager[None]:
        """The learner takes wider rows where a step says that it may give them."""
        wider = any(getattr(step, "may_widen", False) for step in self._transformers())
        return features_may_grow() if wider else nullcontext()

    def _teach(self, rows: Rows, routes: Routes, whom: Callable[[Any], bool]) -> None:
        """Every transformer of this kind gets a block, as the ones before it transform it now."""
        X = rows.X
        learning = [name for name, step in self.steps[:-1] if whom(step)]
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

    def _transformers(self) -> list[Any]:
        return [step for _, step in self.steps[:-1] if step not in NOTHING]

    @contextmanager
    def _all_or_nothing(self, progress: Progress) -> Iterator[None]:
        """All of a chunk is learned, or nothing: the steps are put back if one of them fails."""
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
