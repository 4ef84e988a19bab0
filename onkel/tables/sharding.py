"""Pipelines of shards: the same transformers for all of them, settled from a sample; learners that merge."""

from __future__ import annotations

import copy
from typing import Any, Self

import joblib
from sklearn.utils.metaestimators import available_if

from onkel.estimators.turns import learning_alone


def _settles(pipeline: Any) -> bool:
    return hasattr(pipeline.steps[-1][1], "settle")


def _merges(pipeline: Any) -> bool:
    """Whether the last step merges; the error of its attribute, if not."""
    return callable(pipeline.steps[-1][1].merge)


class Sharding:
    """Adds ``settle`` and ``merge`` to pipelines."""

    @available_if(_settles)
    def settle(
        self, X: Any, y: Any = None, *, classes: Any = None, n_rows: int | None = None
    ) -> Self:
        """Start anew with settings that are chosen from these rows; the learner learns none of them.

        The transformers learn the sample, and stay as it made them: copies of the pipeline, each of which learns the
        rows of one shard by ``partial_fit``, encode alike, and can be merged.

        Parameters
        ----------
        X : table, array-like or sparse matrix of n rows
            A sample of the rows of all shards, as the first step takes them.
        y : array-like of shape (n,), default=None
            Their labels or targets.
        classes : array-like, default=None
            All labels that will ever come; None: those of the sample.
        n_rows : int, default=None
            The number of rows of all shards; None: as many as in the sample.

        Returns
        -------
        StreamPipeline
            Itself.
        """
        pipeline: Any = self
        with learning_alone(self), pipeline._scales_are_right():
            steps = copy.deepcopy(pipeline.steps)
            for _, step in steps[:-1]:
                if step in (None, "passthrough"):
                    continue
                X = (
                    step.fit_transform(X, y)
                    if hasattr(step, "fit_transform")
                    else step.transform(X)
                )
            more = {} if classes is None else {"classes": classes}
            steps[-1][1].settle(X, y, n_rows=n_rows, **more)
            pipeline.steps = steps
            pipeline._progress = pipeline._settled()
        return self

    @available_if(_merges)
    def merge(self, *others: Any, common: Any = None) -> Self:
        """Take over what pipelines of other rows have learned, as the learner's ``merge`` does.

        Parameters
        ----------
        *others : StreamPipeline
            Pipelines that started as copies of one that was settled; they stay as they are.
        common : StreamPipeline, default=None
            The pipeline that all of them started from, if it had learned.

        Returns
        -------
        StreamPipeline
            Itself; as it was, if there is an error.
        """
        pipeline: Any = self
        given = others if common is None else (*others, common)
        mine = joblib.hash([step for _, step in pipeline.steps[:-1]])
        for other in given:
            if mine != joblib.hash([step for _, step in other.steps[:-1]]):
                raise ValueError(
                    "these pipelines cannot be merged: they differ in their transformers. Pipelines of shards start "
                    "as copies of one that was settled, pipeline.settle(X, y), from some rows of all shards."
                )
        last = [other.steps[-1][1] for other in given]
        with learning_alone(self):
            before = last.pop() if common is not None else None
            pipeline.steps[-1][1].merge(*last, common=before)
            rows = [vars(each)["_progress"].rows for each in (pipeline, *given)]
            total = sum(rows) if common is None else sum(rows[:-1]) - len(others) * rows[-1]
            pipeline._progress = pipeline._progress._replace(rows=total)
        return self
