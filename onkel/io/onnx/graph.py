"""A graph under construction: constants and operators with names, ready for a model or for skl2onnx."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from onkel.io.errors import NotExportable

#: The oldest versions of the standard operators, and of those for machine learning, that have all that is needed.
OPSET, ML_OPSET, IR_VERSION = 17, 3, 8
ML = "ai.onnx.ml"
TYPES = {
    "float32": TensorProto.FLOAT,
    "float64": TensorProto.DOUBLE,
    "int64": TensorProto.INT64,
    "bool": TensorProto.BOOL,
    "str": TensorProto.STRING,
}
#: Bytes that a model may have: beyond two gigabytes a file is no message of protobuf.
LARGEST = (2 << 30) - (1 << 20)


def check_size(n_bytes: int) -> None:
    """Refuse what no file of ONNX can hold."""
    if n_bytes > LARGEST:
        raise NotExportable(
            f"the model would have {n_bytes / 2**30:.1f} GiB as dense arrays, and an ONNX file has at most 2: "
            f"learn fewer vectors or components, or hash the features into fewer columns."
        )


class Operator(NamedTuple):
    """One operator: names in, names out."""

    kind: str
    inputs: tuple[str, ...]
    output: str
    domain: str
    attributes: dict[str, Any]


def numbered() -> Callable[[str], str]:
    """Names that are different every time."""
    numbers = count()
    return lambda kind: f"{kind}_{next(numbers)}"


class Graph:
    """Operators in order, and the arrays that they use; numbers are of one type, the arithmetic's."""

    def __init__(self, arithmetic: str, new_name: Callable[[str], str] | None = None) -> None:
        self.arithmetic = arithmetic
        self.new_name = new_name or numbered()
        self.operators: list[Operator] = []
        self.constants: dict[str, np.ndarray] = {}

    def op(self, kind: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """Add an operator; the name of what it gives."""
        output = self.new_name(kind.lower())
        self.operators.append(Operator(kind, inputs, output, domain, attributes))
        return output

    def constant(self, values: Any) -> str:
        """Add an array as it is; words are an array of objects."""
        name = self.new_name("constant")
        self.constants[name] = np.asarray(values)
        check_size(sum(array.nbytes for array in self.constants.values()))
        return name

    def numbers(self, values: Any) -> str:
        """Add an array, or a number, in the type of the arithmetic."""
        return self.constant(np.asarray(values, self.arithmetic))

    def name_output(self, value: str, name: str) -> None:
        """Give a value a name of its own, too."""
        self.operators.append(Operator("Identity", (value,), name, "", {}))

    def cast(self, value: str, kind: str) -> str:
        return self.op("Cast", value, to=TYPES[kind])

    def row_sums(self, matrix: str) -> str:
        """The sum of every row, as a column."""
        return self.op("ReduceSum", matrix, self.constant(np.array([1], np.int64)), keepdims=1)

    def nodes(self) -> list[Any]:
        return [
            helper.make_node(each.kind, each.inputs, [each.output], domain=each.domain, **each.attributes)
            for each in self.operators
        ]  # fmt: skip

    def tensors(self) -> list[Any]:
        return [numpy_helper.from_array(array, name) for name, array in self.constants.items()]
