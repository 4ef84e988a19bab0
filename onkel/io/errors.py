"""Model files: what reading, saving and exporting may raise."""

from __future__ import annotations


class ModelFileError(ValueError):
    """A file that holds no model that can be read: damaged, foreign, or of a newer format."""


class NotSavable(ValueError):  # noqa: N818 - "cannot be saved" reads better than an Error suffix
    """Something in a model that a file without code cannot hold."""


class NotExportable(ValueError):  # noqa: N818
    """Something in a model that standard operators of ONNX cannot express."""
