"""The online protocol: every row is predicted, scored, then learned.

onkel's learners score each row before they learn it, at no cost, and tell in `progress_`; so a pass
is one `partial_fit` after the other with a look at `progress_` in between. Other learners with a
`partial_fit` predict a piece before they learn it; their first piece, which they can't predict,
isn't scored.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor

from onkel.estimators.labels import grows
from onkel.estimators.look import LOOK_ROWS
from onkel.evaluate.checkpoints import Stops, even_step, marks
from onkel.evaluate.curve import CurveRecorder, Look
from onkel.evaluate.kept_arrays import as_rows
from onkel.evaluate.metrics import Scorecard, chosen_metrics
from onkel.evaluate.run import Run
from onkel.evaluate.scores import keeps_scores, scorer_for, task_of
from onkel.evaluate.warm_up import warm_up as warm_up_compiler
from onkel.stream.base import Chunk, joined
from onkel.tables import learner_in

CHOSEN_FROM_DATA = ("auto", "scale")
STREAM_WINDOW = 10_000
#: A piece is predicted before all of it is learned: few pieces would score a learner that lags.
PIECES = 60


def prequential(
    learner: Any,
    data: Any,
    *,
    classes: Any = None,
    metrics: Sequence[str] | None = None,
    points: int = 60,
    window: int | None = None,
    warm_up: bool = True,
    on_progress: Callable[[Look], None] | None = None,
) -> Run:
    """Predict, score and learn every row of `data` once, in order.

    Parameters
    ----------
    learner : estimator
        A classifier or regressor with `partial_fit`; afterwards it is what has learned.
    data : (X, y) or stream
        Arrays, or an iterable of (X, y) chunks.
    classes : array-like, default=None
        All labels that will ever come. With a stream other classifiers than onkel's need them; onkel's grow
        with the labels that they meet, if there are none: a class that is not known yet has probability 0 and the
        lowest score.
    metrics : sequence of str, default=None
        Names of `onkel.evaluate.metrics.METRICS`; None for the usual ones of the task. What a learner doesn't
        tell (probabilities, say) has none.
    points : int, default=60
        The most points of the curves, evenly on a log scale at first, then evenly.
    window : int, default=None
        Rows of the sliding window; None for two steps of the curve, with 60 points a fifteenth
        of the rows (of a stream, whose length isn't known: 10,000).
    warm_up : bool, default=True
        Make the machine code, or load it, beforehand, with a copy that learns a few rows.
    on_progress : callable, default=None
        Called with a `Look` after each piece.

    Returns
    -------
    Run
        Its `seconds` are those of learning alone; `reading_seconds` are those of waiting for data, and
        `start_up_seconds` those of the warm-up (without one, they are in `seconds`).

    Notes
    -----
    With a parameter that is "auto" or "scale" a learner of onkel keeps the first 512 rows until it chooses its
    settings from them: if there are so many, the curves begin there.

    Examples
    --------
    >>> from onkel import FOGDClassifier
    >>> from onkel.datasets import gaussian_mixture
    >>> from onkel.evaluate import prequential
    >>> run = prequential(FOGDClassifier(gamma=0.4, random_state=0), gaussian_mixture(3000, 0))
    >>> run.metrics["mistake_rate"] < 0.3, run.curve["seen"][-1]
    (True, 3000)
    """
    if points < 1 or (window is not None and window < 1):
        raise ValueError(f"points={points} and window={window} must be at least 1")
    chunks, n, classes = _chunks_of(learner, data, classes)
    if window is None:
        window = STREAM_WINDOW if n is None else 2 * even_step(n, points)
    card = _scorecard(learner, classes, metrics, window)
    needs = {metric.needs for metric in card.metrics.values()}
    recorder, start_up = CurveRecorder(scorer_for(learner, classes, needs), window, card), None
    first = LOOK_ROWS if _looks_at_data(learner) else 0
    pieces = points if keeps_scores(learner) else max(points, PIECES)
    stops = Stops(marks(n, pieces, window), first)
    with closing(recorder), closing(_with_first_piece(chunks, first)) as source:
        timed = _Timed(source)
        for X, y in timed:
            if warm_up and not recorder.looks:
                start_up = warm_up_compiler(learner, X, y, classes)
            start = 0
            while start < len(y):
                stop = stops.after(recorder.seen)
                end = min(len(y), start + stop - recorder.seen)
                look = recorder.learn(X[start:end], y[start:end])
                if recorder.seen == stop and points > 1:  # not where a chunk happens to end
                    recorder.measure_if_due()
                if on_progress:
                    on_progress(look)
                start = end
        if not recorder.looks:
            raise ValueError("there are no rows to learn from")
        run = recorder.conclude(points, timed.seconds)
    if start_up is not None:
        run.metrics["start_up_seconds"] = start_up
    return run


def _scorecard(learner: Any, classes: Any, metrics: Sequence[str] | None, window: int) -> Scorecard:
    chosen = chosen_metrics(metrics, task_of(learner))
    return Scorecard(chosen, 0 if classes is None else len(np.unique(classes)), window)


def _looks_at_data(learner: Any) -> bool:
    """Whether a learner that has learned nothing yet chooses settings from its first rows."""
    fitted = hasattr(learner, "__sklearn_is_fitted__") and learner.__sklearn_is_fitted__()
    values = learner.get_params().values()
    return not fitted and any(isinstance(v, str) and v in CHOSEN_FROM_DATA for v in values)


# -- data --------------------------------------------------------------------------------------


def _chunks_of(learner: Any, data: Any, classes: Any) -> tuple[Iterable[Any], int | None, Any]:
    """The chunks, the number of rows where it is known, and the labels of a classifier."""
    _check_learner(learner)
    if isinstance(data, str):
        raise TypeError(
            f"data={data!r} is no rows: give onkel.datasets.load({data!r}) if it names a data set, "
            f"onkel.stream.open_stream({data!r}) if it names a file"
        )
    rows = None
    if isinstance(data, tuple) and len(data) == 2 and not isinstance(data[0], tuple):
        X, y = as_rows(*data)
        data, rows = [(X, y)], len(y)
    if not is_classifier(learner):
        return data, rows, None
    if classes is None and grows(learner_in(learner)):
        return data, rows, None
    if classes is None:
        classes = getattr(data, "classes", getattr(learner, "classes_", None))
    if classes is None and isinstance(data, (list, tuple)):
        classes = np.unique(np.concatenate([np.asarray(chunk[1]) for chunk in data]))
    if classes is None and keeps_scores(learner):
        return data, rows, None
    if classes is None:
        raise ValueError(
            f"{type(learner).__name__} must know all labels of a stream beforehand: "
            "give classes=[...]"
        )
    return data, rows, np.asarray(classes)


def _check_learner(learner: Any) -> None:
    name = type(learner).__name__
    if isinstance(learner, type):
        raise TypeError(f"learner must be an instance, got the class itself: {learner.__name__}()")
    if not hasattr(learner, "partial_fit"):
        raise TypeError(f"{name} can't learn online, it has no partial_fit: use train_and_test")
    if not (is_classifier(learner) or is_regressor(learner)):
        raise TypeError(f"{name} is neither a classifier nor a regressor: nothing to score")


def _with_first_piece(chunks: Iterable[Any], rows: int) -> Generator[Chunk, None, None]:
    """The chunks, the first ones joined until there are so many rows."""
    source = iter(chunks)
    try:
        waiting: list[Chunk] = []
        for X, y in source:
            waiting.append(Chunk(X, y))
            if sum(len(y) for _, y in waiting) >= max(1, rows):
                yield joined(waiting)
                waiting, rows = [], 1
        if any(len(y) for _, y in waiting):
            yield joined(waiting)
    finally:
        # a stream's reading thread must not go on; an iterator that was given is its owner's
        if source is not chunks and hasattr(source, "close"):
            source.close()


class _Timed:
    """An iterable that counts the seconds spent waiting for it."""

    def __init__(self, chunks: Iterable[Any]) -> None:
        self.chunks = iter(chunks)
        self.seconds = 0.0

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        began = time.perf_counter()
        try:
            return next(self.chunks)
        finally:
            self.seconds += time.perf_counter() - began
