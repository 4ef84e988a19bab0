"""Model files: save and load learners, in a plain format without pickle; and models as ONNX.

A file is a zip of ``header.json`` (format, versions, class, parameters, and how the state is put
together) and of the arrays, each an ``.npy`` file. It can be read with any zip program.
"""

from onkel.io.errors import ModelFileError, NotExportable, NotSavable
from onkel.io.export import register_onnx_converters, to_onnx
from onkel.io.models import load, load_with_extras, save

__all__ = [
    "ModelFileError",
    "NotExportable",
    "NotSavable",
    "load",
    "load_with_extras",
    "register_onnx_converters",
    "save",
    "to_onnx",
]
