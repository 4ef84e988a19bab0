"""Tables as they are: words, dates, gaps and numbers of any scale, encoded and learned as they come."""

from onkel.tables.encoder import TableEncoder
from onkel.tables.table import Table

__all__ = ["Table", "TableEncoder"]
