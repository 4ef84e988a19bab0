"""How a model comes from partitions: a look at all, chains of partitions from one beginning, a tree of merges.

The shape of chains and trees depends on the partitions and their number alone, not on who does what when: so the
model is the same however tasks are spread, and whichever of them run again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle
from typing import Any, NamedTuple

import dask
from dask.delayed import delayed
from dask.distributed import Client, progress

from onkel.dask import sample, tasks, transfer
from onkel.dask.partitions import Partition, PartitionError, made

#: How many models, or samples, become one in a step of a tree.
FAN_IN = 8


class Settings(NamedTuple):
    """What does not change during a fit."""

    client: Client
    seed: int
    wanted: sample.Wanted
    shards: int
    shuffles: bool
    shows: bool  # progress bars


def tree(combine: Callable[[list[Any]], Any], parts: Sequence[Any]) -> Any:
    """Parts combined some at a time, always the same ones."""
    level = list(parts)
    while len(level) > 1:
        groups = [level[i : i + FAN_IN] for i in range(0, len(level), FAN_IN)]
        level = [combine(group) if len(group) > 1 else group[0] for group in groups]
    return level[0]


def beginning(learner: Any, partitions: list[Partition], classes: Any, how: Settings) -> Any:
    """The model that all shards start from, as something delayed, and small signs that partitions were seen."""
    looks = [
        made(sample.look, part.source, part.name, place, how.wanted)
        for place, part in enumerate(partitions)
    ]
    whole = tree(lambda group: made(sample.smallest, group, how.wanted.most), looks)
    signs = [made(tasks.seen, look) for look in looks]
    return made(tasks.settle, literal(learner), whole, classes), signs


def literal(value: Any) -> Any:
    """A value that stands in the graph once, whoever needs it."""
    return delayed(value, pure=False, traverse=False)


def one_pass(common: Any, partitions: list[Partition], turn: int, how: Settings) -> Any:
    """One pass over all partitions from a common model: the merged one, and a mark for each partition."""
    ends: list[Any] = []
    marks: list[Any] = [None] * len(partitions)
    for shard in range(min(how.shards, len(partitions))):
        model = common
        for place in range(shard, len(partitions), how.shards):
            part = partitions[place]
            manner = tasks.Pass(place, turn, how.seed, how.shuffles)
            model = made(tasks.learn, model, part.source, part.name, manner)
            marks[place] = made(tasks.mark, model)
        ends.append(model)
    if len(ends) == 1 and turn == 0:
        ends.append(common)  # what is chosen when models become one is chosen here, too
    return tree(lambda group: made(tasks.merge, group, common), ends), marks


def result_of(wanted: Any, signs: Sequence[Any], partitions: list[Partition], how: Settings) -> Any:
    """Compute on the cluster; an error names the first partition that went wrong."""
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
        future, *seen = how.client.compute([made(transfer.pack, wanted), *signs])
    try:
        if how.shows:
            progress([future, *seen])
        return transfer.fetched(how.client, future)
    except PartitionError:
        raise
    except Exception as error:
        for part, sign in zip(cycle(partitions), seen):  # looked at, then learned
            if sign.status == "error":
                raise PartitionError(
                    f"partition {part.name} could not be computed: {type(error).__name__}: {error}"
                ) from error
        raise
    finally:
        how.client.cancel([future, *seen])
