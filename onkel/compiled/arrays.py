"""The type of arrays in signatures: compiled code cares for more, and finds it out by itself."""

from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]
