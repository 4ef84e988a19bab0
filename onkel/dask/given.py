"""What a fit is given beside the rows: a learner that can be merged, and a cluster."""

from __future__ import annotations

import copy
import warnings
from numbers import Integral
from typing import Any

from dask.distributed import Client, default_client
from sklearn.base import clone
from sklearn.utils import get_tags

from onkel.estimators.checks import draw_seed
from onkel.estimators.merging import SupportsMerge, cannot_merge


def checked_learner(learner: Any, kind: str, name: str) -> Any:
    """A copy of the learner, or an error that says why ``name`` cannot use it."""
    if not hasattr(learner, "fit"):
        raise TypeError(f"learner={learner!r} must be a learner of onkel for {name}.")
    if not isinstance(learner, SupportsMerge):
        raise AttributeError(cannot_merge(type(last_step(learner)).__name__))
    last = last_step(learner)
    if get_tags(last).estimator_type != kind:
        raise TypeError(
            f"learner={learner!r} is no {kind.replace('_', ' ')}, and {name} fits nothing else."
        )
    if getattr(last, "half_life", None) is not None:
        raise ValueError(
            f"learner has half_life={last.half_life!r}: shards are learned beside each other, and have no order "
            f"in which rows could be forgotten. Set half_life=None."
        )
    if last.epochs != 1:
        raise ValueError(
            f"learner has epochs={last.epochs!r}: on a cluster there are rounds, set {name}(rounds=...) and "
            f"epochs=1."
        )
    return clone(learner)


def connected(client: Any) -> Client:
    """The client, or an error that says why there is none; its cluster may still wait for workers."""
    client = default_client() if client is None else client
    if not isinstance(client, Client):
        raise TypeError(
            f"client={client!r} must be a dask.distributed.Client: connect to the cluster first, Client(address)."
        )
    if client.status != "running":
        raise ValueError(f"client={client!r} is {client.status}: connect to the cluster again.")
    if not client.nthreads():
        warnings.warn("The cluster has no workers yet: fit waits until it has.", stacklevel=4)
    return client


def last_step(learner: Any) -> Any:
    """The learner itself, or the last step of a pipeline."""
    return learner.steps[-1][1] if hasattr(learner, "steps") else learner


def drawn_seed(learner: Any) -> int:
    """A number in the place of its random_state: tasks that run again must draw the same."""
    given = learner.random_state
    return int(given) if isinstance(given, Integral) else int(draw_seed(copy.copy(learner)))
