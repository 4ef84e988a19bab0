"""Parameters as formulas of the data: "=1/n" is evaluated when the training rows are there.

Only numbers, the names below and arithmetic: nothing else is evaluated, whatever the string says.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

_BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "int": int,
    "round": round,
    "ceil": math.ceil,
    "sqrt": math.sqrt,
    "log": math.log,
    "min": min,
    "max": max,
}


def is_formula(value: Any) -> bool:
    return isinstance(value, str) and value.startswith("=")


def evaluate_formula(formula: str, names: Mapping[str, float]) -> float | int:
    """The value of a formula such as "=0.6*n" or "=max(10, int(n/20))".

    >>> evaluate_formula("=4/n**2", {"n": 200})
    0.0001
    """
    try:
        tree = ast.parse(formula.removeprefix("=").strip(), mode="eval")
        value = _value(tree.body, names)
        if isinstance(value, complex):  # the root of a negative number
            raise ValueError("no real number")
        return value
    except (SyntaxError, ValueError, TypeError, ArithmeticError, RecursionError) as error:
        known = ", ".join([*names, *(f"{name}()" for name in _FUNCTIONS)])
        raise ValueError(f"formula {formula!r}: {error} (known are {known})") from None


def _value(node: ast.AST, names: Mapping[str, float]) -> Any:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return node.value
    if isinstance(node, ast.Name) and node.id in names:
        return names[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand, names)
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left, names), _value(node.right, names)
        if isinstance(node.op, ast.Pow):
            return float(left) ** right  # as floats: 9**9**9 must not fill the memory
        if type(node.op) in _BINARY:
            return _BINARY[type(node.op)](left, right)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        if node.func.id in _FUNCTIONS:
            return _FUNCTIONS[node.func.id](*(_value(part, names) for part in node.args))
    raise ValueError(f"{ast.unparse(node)!r} is not allowed")
