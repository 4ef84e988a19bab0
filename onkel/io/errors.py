"""Model files: the one kind of error that reading them raises."""

from __future__ import annotations


class ModelFileError(ValueError):
    """A file that holds no model that can be read: damaged, foreign, or of a newer format."""


class NotSavable(ValueError):  # noqa: N818 - "cannot be saved" reads better than an Error suffix
    """Something in a model that a file without code cannot hold."""
