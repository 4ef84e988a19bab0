"""Which columns of a table are read: the features, and perhaps the label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


def choose_columns(
    names: Sequence[str],
    target: str | None,
    labels: str,
    wanted: Sequence[str] | None,
    ignored: Sequence[str] = (),
) -> tuple[list[str], bool]:
    """The features among the columns `names`, and whether `target` is read, or a ValueError.

    Columns that are not needed may have any name or none. No column at all is wanted only on purpose.

    >>> choose_columns(["", "b", "y", "a"], "y", "optional", wanted=["a", "b"])
    (['a', 'b'], True)
    """
    known = ", ".join(names)
    if target is None and labels not in ("none", "optional"):
        raise ValueError(f'which column is the label? Pass target="..."; there are {known}')
    if target not in names and labels not in ("none", "optional"):
        raise ValueError(f"there is no column {target!r}; there are {known}")
    labelled = labels != "none" and target in names
    _check_there(names, [*(wanted or []), *ignored])
    features = [name for name in names if name != target] if wanted is None else list(wanted)
    if target in features:
        raise ValueError(f"the column {target!r} is the target: it cannot be a feature too")
    features = [name for name in features if name not in ignored]
    _check_names(names, [*features, str(target)] if labelled else features)
    if not features and wanted != []:
        raise ValueError("there is no column besides the target")
    return features, labelled


def _check_there(names: Sequence[str], needed: Sequence[str]) -> None:
    for name in needed:
        if name not in names:
            known = ", ".join(names)
            raise ValueError(f"the column {name!r} is needed, but not there; there are {known}")


def _check_names(names: Sequence[str], needed: Sequence[str]) -> None:
    counts = Counter(names)
    for name in needed:
        if not name:
            raise ValueError(
                f"column {names.index(name) + 1} has no name in the header; give it one, or leave "
                "it out (pandas writes its index so, unless to_csv has index=False)"
            )
        if counts[name] > 1:
            raise ValueError(
                f"the header needs a different name for every column; {name!r} is there twice"
            )
