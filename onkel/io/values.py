"""Model files: a value to JSON and back, its arrays put aside; nothing that could run code.

Numbers, strings, booleans, None and lists are what they are in JSON. All else is an object of one
key that says its kind: ``{"tuple": [...]}``, ``{"part": "Hinge", "fields": {...}}``,
``{"array": "arrays/003.npy", "dtype": "<f8", "shape": [1, 20]}`` and so on. An estimator has its class's name, its
parameters and its state, which is all else that it knows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

from onkel.estimators.documentation import Fitted
from onkel.estimators.hearing import LISTENER
from onkel.io.classes import (
    FOREIGN,
    MADE_ANEW,
    OBJECTS,
    PLAIN,
    RECORDS,
    TUPLES,
    estimator_class,
    name_in,
)
from onkel.io.errors import ModelFileError, NotSavable
from onkel.io.versions import (
    VERSION,
    completed_object,
    completed_state,
    settled,
    used_parameters,
)

#: The parameter that is not the model's, but that of the machine it runs on.
THREADS = "n_jobs"
#: Kinds of NumPy types that .npy files hold without pickle.
PLAIN_KINDS = "biufcSU"
SPARSE = {"csr_matrix": scipy.sparse.csr_matrix, "csr_array": scipy.sparse.csr_array}


class Encoder:
    """Turns values into JSON; ``arrays`` collects what goes into files of its own."""

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray] = {}

    def encode(self, value: Any, where: str) -> Any:
        """The value as JSON; ``where`` names it in the error if it cannot be saved."""
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"float": repr(value)}
        if type(value) is list:
            return [self.encode(item, f"{where}[{i}]") for i, item in enumerate(value)]
        if type(value) is tuple:
            return {"tuple": self.encode(list(value), where)}
        if type(value) is dict:
            pairs = [
                [self.encode(k, where), self.encode(v, f"{where}[{k!r}]")] for k, v in value.items()
            ]
            return {"dict": pairs}
        return self._numpy(value, where) or self._own(value, where)

    def _numpy(self, value: Any, where: str) -> Any:
        if isinstance(value, np.ndarray):
            return self._array(np.asarray(value), where)
        if isinstance(value, np.generic) and value.dtype.kind in PLAIN_KINDS:
            return {"scalar": self._array(np.asarray(value), where)}
        if isinstance(value, np.dtype) and value.kind in PLAIN_KINDS:
            return {"dtype": value.str}
        if isinstance(value, type) and issubclass(value, np.generic):
            return {"scalar_type": np.dtype(value).str}
        if scipy.sparse.issparse(value) and type(value).__name__ in SPARSE:
            parts = {name: getattr(value, name) for name in ("data", "indices", "indptr")}
            return {
                "sparse": type(value).__name__,
                "shape": list(map(int, value.shape)),
                "fields": {name: self._array(part, where) for name, part in parts.items()},
            }
        library = type(value).__module__.partition(".")[0]
        if library == "pandas" and hasattr(value, "columns"):
            columns = [
                (name, value.iloc[:, at].to_numpy()) for at, name in enumerate(value.columns)
            ]
            return {"frame": [[self.encode(n, where), self._array(c, where)] for n, c in columns]}
        if isinstance(value, np.random.RandomState):
            kind, *rest = value.get_state()
            if kind == "MT19937":
                return {"random_state": [self.encode(item, where) for item in rest]}
        return None

    def _array(self, array: np.ndarray, where: str) -> Any:
        record = name_in(RECORDS, array.dtype) or next(
            (name for name, dtype in RECORDS.items() if dtype == array.dtype), None
        )
        if record is not None:  # by name, so that a later version may add fields
            fields = {
                field: self.encode(array[field].tolist(), where)
                for field in array.dtype.names or ()
            }
            return {"record": record, "fields": fields}
        if array.dtype.kind == "O":
            items = self.encode(array.ravel().tolist(), where)
            return {"objects": items, "shape": list(array.shape)}
        if array.dtype.kind not in PLAIN_KINDS:
            raise NotSavable(
                f"{where} is an array of {array.dtype}, which a model file cannot hold."
            )
        name = f"arrays/{len(self.arrays):03d}.npy"
        self.arrays[name] = array
        return {"array": name, "dtype": array.dtype.str, "shape": list(array.shape)}

    def _own(self, value: Any, where: str) -> Any:
        cls, name = type(value), type(value).__name__
        if TUPLES.get(name) is cls:
            anew = MADE_ANEW.get(name, {})
            kept = {f: v for f, v in value._asdict().items() if f not in anew}
            fields = {f: self.encode(v, f"{where}.{f}") for f, v in kept.items()}
            return {"part": name, "fields": fields}
        if OBJECTS.get(name) is cls or PLAIN.get(name) is cls:
            state = {k: self.encode(v, f"{where}.{k}") for k, v in in_order(value.__getstate__())}
            return {"object": name, "state": state}
        if hasattr(value, "get_params") and not isinstance(value, type):
            return {"estimator": name, **self.estimator(value, where)}
        raise NotSavable(unsavable(value, where))

    def estimator(self, model: Any, where: str = "") -> dict[str, Any]:
        """Parameters and state of a learner or transformer that a file may hold."""
        name, inside = type(model).__name__, f"{where}." if where else ""
        if estimator_class(name) is not type(model):
            raise NotSavable(unknown_estimator(name, where))
        parameters = model.get_params(deep=False)
        known = {*parameters, "_sklearn_version", LISTENER}
        learned = {key: value for key, value in model.__getstate__().items() if key not in known}
        encoded = {
            key: self._steps(value) if key == "steps" else self.encode(value, inside + key)
            for key, value in parameters.items()
            if key != THREADS
        }
        state = {key: self.encode(value, inside + key) for key, value in in_order(learned)}
        return {"parameters": encoded, "state": state}

    def _steps(self, steps: list[tuple[str, Any]]) -> list[Any]:
        return [{"tuple": [name, self.encode(step, f"step {name!r}")]} for name, step in steps]


def unknown_estimator(name: str, where: str) -> str:
    """Why a learner or transformer cannot be saved, and what to do about it."""
    return (
        f"{where} is a {name}, which a model file cannot hold: it knows onkel's own learners and transformers, and "
        f"of scikit-learn {', '.join(FOREIGN)}. Use one of these, transform the rows before the pipeline, or keep "
        f"this model with pickle."
    )


def in_order(state: dict[str, Any]) -> list[tuple[str, Any]]:
    """Attributes by name: which was set first is no part of a model."""
    return sorted(state.items())


def unsavable(value: Any, where: str) -> str:
    """Why a value cannot be saved, and what to do about it."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        what, instead = f"{type(value).__name__} is a part of your own", "one of onkel's parts"
    elif callable(value):
        what, instead = (
            "it is a function",
            "a kernel by its name" if where == "kernel" else "a value",
        )
    else:
        what, instead = (
            f"it is a {type(value).__name__}",
            "numbers, strings, arrays, lists or dicts",
        )
    return (
        f"{where}={value!r} cannot be saved: {what}, and a model file holds data, never code. "
        f"Use {instead}, or keep this model with pickle."
    )


class Decoder:
    """Turns JSON back into values; ``array`` fetches an array of a given type and shape."""

    def __init__(
        self,
        array: Callable[[str, np.dtype, tuple[int, ...]], np.ndarray],
        version: int = VERSION,
    ) -> None:
        self._fetch, self._version = array, version
        self._kinds: dict[str, Callable[[Any], Any]] = {
            "float": lambda v: float(v["float"]),
            "tuple": lambda v: tuple(self.decode(v["tuple"])),
            "dict": lambda v: {self.decode(k): self.decode(x) for k, x in v["dict"]},
            "array": self._array,
            "record": self._record,
            "objects": self._objects,
            "scalar": lambda v: self.decode(v["scalar"])[()],
            "dtype": lambda v: plain_dtype(v["dtype"]).newbyteorder("="),
            "scalar_type": lambda v: plain_dtype(v["scalar_type"]).type,
            "sparse": self._sparse,
            "frame": self._frame,
            "random_state": self._random_state,
            "part": self._part,
            "object": self._object,
            "estimator": lambda v: self.estimator(v["estimator"], v),
        }

    def decode(self, value: Any) -> Any:
        """The value that this JSON stands for."""
        if isinstance(value, list):
            return [self.decode(item) for item in value]
        if not isinstance(value, dict):
            return value
        kind = next(iter(value), "")
        if kind not in self._kinds:
            raise ModelFileError(f"its header has an entry of an unknown kind, {kind!r}")
        return self._kinds[kind](value)

    def _array(self, value: dict[str, Any]) -> np.ndarray:
        shape = tuple(value["shape"])
        if not all(type(length) is int and length >= 0 for length in shape):
            raise ModelFileError(f"its header gives an array the shape {shape}")
        return self._fetch(value["array"], plain_dtype(value["dtype"]), shape)

    def _record(self, value: dict[str, Any]) -> np.ndarray:
        fields = {name: self.decode(column) for name, column in value["fields"].items()}
        record = np.zeros(len(next(iter(fields.values()))), RECORDS[value["record"]])
        for name, column in fields.items():
            record[name] = column
        return record

    def _objects(self, value: dict[str, Any]) -> np.ndarray:
        items = self.decode(value["objects"])
        out = np.empty(len(items), object)
        out[:] = items
        return out.reshape(value["shape"])

    def _sparse(self, value: dict[str, Any]) -> Any:
        data, indices, indptr = (
            self.decode(value["fields"][name]) for name in ("data", "indices", "indptr")
        )
        matrix = SPARSE[value["sparse"]]((data, indices, indptr), shape=tuple(value["shape"]))
        matrix.check_format(full_check=True)
        return matrix

    def _frame(self, value: dict[str, Any]) -> Any:
        try:
            import pandas
        except ImportError:
            raise ModelFileError("rows of pandas wait in it, and pandas is not installed") from None
        return pandas.DataFrame({self.decode(name): self.decode(c) for name, c in value["frame"]})

    def _random_state(self, value: dict[str, Any]) -> np.random.RandomState:
        random = np.random.RandomState()
        random.set_state(("MT19937", *self.decode(value["random_state"])))
        return random

    def _part(self, value: dict[str, Any]) -> Any:
        name = value["part"]
        fields = {field: make() for field, make in MADE_ANEW.get(name, {}).items()}
        return TUPLES[name](**fields, **{f: self.decode(v) for f, v in value["fields"].items()})

    def _object(self, value: dict[str, Any]) -> Any:
        name = value["object"]
        decoded = {k: self.decode(v) for k, v in value["state"].items()}
        state = completed_object(decoded, self._version)
        thing = object.__new__(PLAIN[name] if name in PLAIN else OBJECTS[name])
        if name in PLAIN:
            vars(thing).update(state)
        else:
            thing.__setstate__(state)
        return thing

    def estimator(self, name: str, entry: dict[str, Any]) -> Any:
        """The learner or transformer of this name, with its parameters and its state."""
        cls = estimator_class(name)
        if cls is None:
            raise ModelFileError(f"there is no learner {name!r} in this version of onkel")
        parameters = used_parameters(entry["parameters"], cls, self._version)
        model = cls(**{key: self.decode(value) for key, value in parameters.items()})
        for key, value in completed_state(entry["state"], cls).items():
            if not is_attribute(cls, key):
                raise ModelFileError(f"its state has the name {key!r}, which {name} has not")
            setattr(model, key, self.decode(value))
        return settled(model)


def is_attribute(cls: type, name: str) -> bool:
    """Whether a name may stand for what was learned: it is not that of a method, say."""
    free = not hasattr(cls, name) or isinstance(getattr(cls, name), Fitted)
    return free and name.isidentifier()


def plain_dtype(name: Any) -> np.dtype:
    """The NumPy type of this name, if it is one of numbers or strings."""
    dtype = np.dtype(str(name))
    if dtype.kind not in PLAIN_KINDS:
        raise ModelFileError(f"its header names the type {name!r}, which no model has")
    return dtype
