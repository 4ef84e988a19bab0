"""Tables as they are: words, dates, gaps and numbers of any scale, encoded and learned as they come."""

from onkel.tables.encoder import TableEncoder
from onkel.tables.pipeline import StreamPipeline, make_stream_pipeline
from onkel.tables.table import Table
from onkel.tables.targets import StandardisedTargets, in_targets_unit, learner_in

__all__ = [
    "StandardisedTargets",
    "StreamPipeline",
    "Table",
    "TableEncoder",
    "in_targets_unit",
    "learner_in",
    "make_stream_pipeline",
]
