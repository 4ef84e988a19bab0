"""Model files: save and load learners, in a plain format without pickle.

A file is a zip of ``header.json`` (format, versions, class, parameters, and how the state is put
together) and of the arrays, each an ``.npy`` file. It can be read with any zip program.
"""

from onkel.io.errors import ModelFileError, NotSavable
from onkel.io.models import load, load_with_extras, save

__all__ = ["ModelFileError", "NotSavable", "load", "load_with_extras", "save"]
