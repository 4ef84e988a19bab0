"""The command line: the model that learns raw rows, a pipeline of encoder or scaler and learner."""

from __future__ import annotations

from typing import Any

import numpy as np

from onkel.cli.learners import make_learner
from onkel.cli.options import Scale, Source

#: What "auto" means. Of svmlight, which may be wide, AVM finds its size by itself; else FOGD is quick and steady.
AUTO_OF_TABLES = "fogd"


def chosen_learner(name: str, source: Source, found: Any, settings: list[str], seed: int) -> Any:
    """The learner that a name means for this data, with its parameters set."""
    return make_learner(settled_name(name, source), found.task, settings, seed)


def settled_name(name: str, source: Source) -> str:
    """The name of a learner; of svmlight "auto" depends on the task too, and stays."""
    return AUTO_OF_TABLES if name == "auto" and source.is_table else name


def whole_model(learner: Any, source: Source, scale: Scale) -> Any:
    """The learner behind what makes raw rows fit for it."""
    from onkel.stream import Scaler
    from onkel.tables import StreamPipeline

    if source.is_table:
        return StreamPipeline([("table", encoder_for(source)), ("learner", learner)])
    if scale is Scale.none:
        return learner
    return StreamPipeline([("scaler", Scaler(scale.value)), ("learner", learner)])


def encoder_for(source: Source) -> Any:
    """An encoder that has learned nothing yet, as the options want it."""
    from onkel.tables import TableEncoder

    kinds = dict.fromkeys(source.categorical or [], "word")
    return TableEncoder(kinds=kinds or None, unexpected="gap" if source.skip else "error")


def bytes_of(X: Any) -> int:
    """The memory that rows take up."""
    if isinstance(X, np.ndarray):
        return X.nbytes
    if hasattr(X, "indices"):
        return int(X.data.nbytes + X.indices.nbytes)
    words = (sum(map(len, column.words)) for column in X.cells.values())
    return sum(column.values.nbytes for column in X.cells.values()) + sum(words)
