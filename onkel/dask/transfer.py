"""How a model comes to the client: its large arrays in pieces.

What a client asks for goes through the scheduler, which has objects pickled with their arrays inside: when such a
pickle is read, everything is in memory twice. In pieces, the client has no more than one of them beside the model,
and the scheduler no more than one.
"""

from __future__ import annotations

import pickle
from typing import Any, NamedTuple
from uuid import uuid4

import cloudpickle
import numpy as np
from dask.distributed import Client, Future

#: Bytes of a piece; arrays that are not larger come with the rest of the model.
PIECE = 1 << 22


class Packed(NamedTuple):
    """A model, its arrays beside it: what the worker keeps while they are fetched."""

    rest: bytes
    arrays: list[np.ndarray]  # of bytes


class Opening(NamedTuple):
    """What comes first: of large arrays only their sizes."""

    rest: bytes
    arrays: list[np.ndarray | int]


def pack(model: Any) -> Packed:
    buffers: list[pickle.PickleBuffer] = []
    rest = cloudpickle.dumps(model, protocol=5, buffer_callback=buffers.append)
    return Packed(rest, [np.asarray(buffer.raw()) for buffer in buffers])


def opening(packed: Packed) -> Opening:
    arrays = [each.size if each.size > PIECE else each for each in packed.arrays]
    return Opening(packed.rest, arrays)


def piece(packed: Packed, number: int, begin: int) -> np.ndarray:
    return packed.arrays[number][begin : begin + PIECE]


def fetched(client: Client, packed: Future) -> Any:
    """The model, once it is there; an error of what led to it is raised here."""
    rest, arrays = asked(client, opening, packed)
    for number, size in enumerate(arrays):
        if isinstance(size, int):
            arrays[number] = whole = np.empty(size, np.uint8)
            for begin in range(0, size, PIECE):
                whole[begin : begin + PIECE] = asked(client, piece, packed, number, begin)
    return pickle.loads(rest, buffers=arrays)


def asked(client: Client, function: Any, *arguments: Any) -> Any:
    """What a function says on the cluster, which keeps nothing of it."""
    key = f"onkel-{function.__name__}-{uuid4().hex}"
    future = client.submit(function, *arguments, key=key)
    try:
        return future.result()
    finally:
        future.release()
