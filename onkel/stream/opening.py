"""One door for all sources: `open_stream` looks at what it is given and opens the right stream."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from onkel.stream.base import Stream
from onkel.stream.csv_raw import RawCsvStream
from onkel.stream.csv_text import CsvStream
from onkel.stream.in_memory import ArrayStream, IterableStream
from onkel.stream.suffixes import PACKINGS, SUFFIXES
from onkel.stream.svmlight import SvmlightStream
from onkel.tables.choices import check_choice, check_whole
from onkel.tables.table import Table

FORMATS = ("svmlight", "csv", "parquet", "arrow")
LABELS = ("auto", "class", "number", "text", "none", "optional", "raw")


def open_stream(
    source: Any,
    *,
    target: str | None = None,
    format: str | None = None,
    n_features: int | None = None,
    chunk_rows: int = 4096,
    on_error: str = "raise",
    labels: str = "auto",
    columns: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    raw: bool = False,
) -> Stream:
    """Open `source` as a stream of chunks (X, y) in bounded memory.

    Parameters
    ----------
    source : path, "-", binary file, (X, y), Bunch, data frame, iterable or function
        Text as svmlight or CSV (plain, gz, bz2 or xz: told by its first bytes), Parquet or Arrow
        files, "-" for standard input, arrays, or an iterable of pairs (X, y). A function without
        arguments that returns such an iterable makes a stream that can be read again.
    target : str, default=None
        The name of the label's column, for CSV, Parquet, Arrow and data frames.
    format : {"svmlight", "csv", "parquet", "arrow"} or None, default=None
        The format of a file; None tells it from the name. A name that tells nothing is CSV if
        `target` is given, else svmlight.
    n_features : int, default=None
        The number of features. Without it an svmlight file is read twice, first for its
        largest index, and a pipe has as many features as its first chunk shows.
    chunk_rows : int, default=4096
        Rows in a chunk; the last may have fewer. A pipe that pauses does not make its rows
        wait until there are so many, unless its first chunk has to tell `n_features`.
    on_error : {"raise", "skip"}, default="raise"
        Whether malformed lines are an error, or left out and counted in `stream.skipped`.
    labels : {"auto", "class", "number", "text", "none", "optional", "raw"}, default="auto"
        Of these, "auto" takes numbers as float64 and, from tables, text as strings (the first row
        decides); "class" makes whole numbers int64; "number" and "text" insist; "none" is for
        tables without labels, where y is all NaN; "optional" is for tables that may lack them: no
        label is ever an error, a missing one of CSV is "", of other tables "" or NaN; "raw" is the
        same for tables that have the target's column. Labels from memory stay as they are.
    columns : sequence of str, default=None
        The names of the features in a table, in the order that is wanted; other columns are
        not looked at. None takes all columns but the target.
    ignore : sequence of str, default=()
        The names of columns in a table that are left out.
    raw : bool, default=False
        True gives the rows of CSV, Parquet, Arrow and data frames as they are, for
        `onkel.TableEncoder`: X is an `onkel.tables.Table`, words, dates and gaps included. Only a label
        that is missing makes a row malformed.

    Returns
    -------
    Stream
        The chunks, read as they are asked for.

    Notes
    -----
    Blank lines, and in svmlight text comments, are no rows. An svmlight file without any row gives
    an empty stream, and so does a table that is only a header; CSV without a header is an error.
    A compressed file that is cut off or damaged is an error even with on_error="skip".

    Examples
    --------
    >>> for X, y in open_stream(([[1.0], [2.0], [3.0]], [0, 1, 0]), chunk_rows=2):
    ...     print(X.tolist(), y.tolist())
    [[1.0], [2.0]] [0, 1]
    [[3.0]] [0]
    """
    check_choice("on_error", on_error, ("raise", "skip"))
    check_choice("format", format, (*FORMATS, None))
    check_choice("labels", labels, LABELS)
    settings: dict[str, Any] = {
        "chunk_rows": check_whole("chunk_rows", chunk_rows, 1), "skip": on_error == "skip", "raw": bool(raw),
    }  # fmt: skip
    if n_features is not None:
        n_features = check_whole("n_features", n_features, 1)
    if isinstance(source, Stream):
        return source
    if isinstance(source, (str, Path)) or hasattr(source, "read"):
        settings |= {"n_features": n_features, "labels": labels}
        format = format or format_of(source, target)
        return _file(source, format, target, columns, list(ignore), settings)
    if format is not None:
        raise ValueError(f"format={format!r} is for files, but source is {type(source).__name__}")
    if columns is not None or ignore:
        raise ValueError(
            "columns and ignore are for CSV, Parquet and Arrow files: choose those of X before"
        )
    return _in_memory(source, target, n_features, settings)


def format_of(source: Any, target: str | None = None) -> str:
    """The format that a file's name tells; nothing is read for it.

    >>> format_of("rows.svm.xz", target="y"), format_of("rows.txt", target="y"), format_of("a9a")
    ('svmlight', 'csv', 'svmlight')
    """
    name = str(source) if isinstance(source, (str, Path)) else str(getattr(source, "name", ""))
    words = Path(name).name.lower().split(".")[1:]
    while words and words[-1] in PACKINGS:
        words.pop()
    found = SUFFIXES.get(words[-1]) if words else None
    return found or ("svmlight" if target is None else "csv")


def _file(
    source: Any,
    format: str,
    target: str | None,
    columns: Sequence[str] | None,
    ignore: list[str],
    settings: dict[str, Any],
) -> Stream:
    if format == "svmlight":
        for name, value in (("target", target), ("columns", columns), ("ignore", ignore or None)):
            if value is not None:
                raise ValueError(
                    f"{source} is read as svmlight text, which has no named columns: leave out "
                    f"{name}={value!r}, or say which format it is"
                )
        if settings.pop("raw"):
            raise ValueError(f"raw=True is for tables, but {source} is read as svmlight text")
        if settings["labels"] in ("text", "none", "raw"):
            raise ValueError(f"labels={settings['labels']!r}: svmlight text has numbers as labels")
        return SvmlightStream(source, **settings)
    if format == "csv":
        reader = RawCsvStream if settings.pop("raw") else CsvStream
        return reader(source, target=target, columns=columns, ignore=ignore, **settings)
    from onkel.stream.tables import TableStream

    return TableStream(
        source, format=format, target=target, columns=columns, ignore=ignore, **settings
    )


def _in_memory(
    source: Any, target: str | None, n_features: int | None, settings: dict[str, Any]
) -> Stream:
    X, y = None, None
    if isinstance(source, tuple) and len(source) == 2:
        X, y = source
    elif isinstance(source, dict) and "data" in source and "target" in source:  # a Bunch
        X, y = source["data"], source["target"]
    elif settings["raw"] and (isinstance(source, dict) or hasattr(source, "columns")):
        table = Table.of(source)
        _check_target(target, table.columns)
        X, y = table.select([name for name in table.columns if name != target]), table[str(target)]
    elif hasattr(source, "columns"):
        _check_target(target, source.columns)
        X, y = source.drop(columns=[target]), source[target]
    elif callable(source) or isinstance(source, Iterable):
        return IterableStream(source, n_features=n_features, **settings)
    else:
        raise TypeError(
            f"cannot open a {type(source).__name__} as a stream; give a path, (X, y), a Bunch, "
            "or an iterable of (X, y)"
        )
    stream = ArrayStream(X, y, **settings)
    if isinstance(source, dict) and stream.feature_names is None and "feature_names" in source:
        stream.feature_names = [str(name) for name in source["feature_names"]]
    if n_features is not None and stream.n_features != n_features:
        raise ValueError(f"X has {stream.n_features} features, but n_features={n_features}")
    return stream


def _check_target(target: str | None, columns: Iterable[Any]) -> None:
    if target not in columns:
        known = ", ".join(map(str, columns))
        raise ValueError(f"there is no column target={target!r}; there are {known}")
