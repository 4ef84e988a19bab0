"""Tables as they are: words, dates, gaps and numbers of any scale, encoded and learned as they come."""

from onkel.tables.encoder import TableEncoder
from onkel.tables.inside import learner_in
from onkel.tables.pipeline import StreamPipeline, make_stream_pipeline
from onkel.tables.table import Table

__all__ = [
    "StreamPipeline",
    "Table",
    "TableEncoder",
    "learner_in",
    "make_stream_pipeline",
]
