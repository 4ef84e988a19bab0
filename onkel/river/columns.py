"""Dicts into rows: which feature is in which column."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from numbers import Real
from operator import itemgetter
from struct import Struct, error
from typing import Any, NoReturn

import numpy as np

#: Of many columns a dict has few where it has less than one in so many.
FEW = 4


class Columns:
    """The features met so far, each with a column of its own; it never changes, more features make another one.

    Columns are given in the order of appearance; features that come together are put in the order of their names,
    so that the order within a dict does not matter.
    """

    def __init__(self, names: list[Hashable]) -> None:
        self.names = names
        self.places = {name: place for place, name in enumerate(names)}
        self._pick: Callable[[Any], Any] = itemgetter(*names) if len(names) > 1 else self._only
        self._pack = Struct(f"{len(names)}d").pack_into

    def _only(self, x: Mapping[Hashable, Any]) -> tuple[Any, ...]:
        return tuple(x[name] for name in self.names)

    def including(self, names: Iterable[Hashable]) -> Columns:
        """The same, with a column for each of these features that has none."""
        new = [name for name in names if name not in self.places]
        new.sort(key=lambda name: (type(name).__name__, str(name)))
        return Columns([*self.names, *new]) if new else self

    def write(self, x: dict[Hashable, Any], row: np.ndarray) -> bool:
        """Write the values of a dict into a row of at least as many columns; whether all of them have one.

        What is not in the dict is 0; what has no column is left out.
        """
        if type(x) is not dict:
            x = dict(x)  # one that makes up what is missing must not be asked for it
        try:
            if len(x) == len(self.names):
                self._pack(row.data, 0, *self._pick(x))
                return True
        except KeyError:
            pass
        except (TypeError, error):
            refuse(x)
        return self._write_others(x, row)

    def _write_others(self, x: dict[Hashable, Any], row: np.ndarray) -> bool:
        known = x.keys() <= self.places.keys()
        try:
            if FEW * len(x) < len(self.names):
                row.fill(0.0)
                places, cells = self.places, row.data
                for name, value in x.items():
                    if name in places:
                        cells[0, places[name]] = value
            else:
                self._pack(row.data, 0, *[x.get(name, 0.0) for name in self.names])
        except (TypeError, ValueError, error):
            refuse(x)
        return known

    def matrix(self, X: Any, width: int) -> np.ndarray:
        """The rows of a data frame, with so many columns."""
        values = np.zeros((len(X), width))
        known = [name for name in X.columns if name in self.places]
        values[:, [self.places[name] for name in known]] = X[known].to_numpy(float)
        return values

    def __reduce__(self) -> Any:
        return Columns, (self.names,)


def refuse(x: Mapping[Hashable, Any]) -> NoReturn:
    """Say which value of a dict is no number that can be learned."""
    for name, value in x.items():
        if not isinstance(value, (Real, np.number, np.bool_)):
            raise ValueError(
                f"feature {name!r} is {value!r}, which is no number: encode it, with river's "
                f"OneHotEncoder say, or leave it out, which counts as 0."
            )
        if not np.isfinite(float(value)):
            raise ValueError(
                f"feature {name!r} is {value!r}: impute it, with river's StatImputer say, or leave it out, "
                f"which counts as 0."
            )
    raise ValueError(f"the features {x!r} are too large: scale them, with river's StandardScaler.")
