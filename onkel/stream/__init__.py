"""The stream room: chunks of (X, y) from files, pipes, arrays and iterators, in bounded memory.

`open_stream` opens a source; `shuffled`, `scaled` and `prefetched` make a stream of a stream, `chained` one of many;
`checkpointed` lets a long run be taken up again.
"""

from onkel.stream.base import Chunk, MalformedError, Stream
from onkel.stream.chain import chained
from onkel.stream.checkpoint import Checkpointed, CheckpointError, checkpointed
from onkel.stream.opening import open_stream
from onkel.stream.prefetch import prefetched
from onkel.stream.scale import ScaledStream, scaled
from onkel.stream.shuffle import shuffled
from onkel.stream.svmlight import read_svmlight
from onkel.tables.scaler import Scaler

__all__ = [
    "Chunk",
    "Stream",
    "MalformedError",
    "open_stream",
    "read_svmlight",
    "shuffled",
    "scaled",
    "ScaledStream",
    "Scaler",
    "prefetched",
    "chained",
    "checkpointed",
    "Checkpointed",
    "CheckpointError",
]
