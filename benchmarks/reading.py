"""Reading whole svmlight files, plain and packed, against scikit-learn's reader."""

from __future__ import annotations

import lzma
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sklearn.datasets import load_svmlight_file

from benchmarks.data import require
from benchmarks.report import Options, Report
from benchmarks.timing import best_times
from onkel.datasets import locate
from onkel.stream import read_svmlight

TITLE = "whole svmlight files, ours against load_svmlight_file (n_features unknown)"
SETS = ("covtype", "ijcnn1", "mnist")  # short whole numbers, six decimals, long rows


def run(report: Report, options: Options) -> None:
    for name in SETS:
        require(name)
        with unpacked(name, options.rows) as (plain, packed):
            compare(report, options, f"{name}, plain", plain, load_svmlight_file)
            compare(report, options, f"{name}, xz", packed, theirs_packed)


def compare(
    report: Report, options: Options, what: str, file: Path, theirs: Callable[..., Any]
) -> None:
    # A path for ours and for theirs, as a user would call them.
    jobs = {"onkel": partial(read_svmlight, file), "scikit-learn": partial(theirs, str(file))}
    best = best_times(jobs, options)
    rows = read_svmlight(file)[0].shape[0]
    for reader, seconds in best.items():
        speed = f"{file.stat().st_size / seconds / 1e6:.0f} MB/s of the file"
        report.time(f"{what}: {reader}", seconds, rows, note=speed)
    report.bar(f"{what}: time / scikit-learn's", best["onkel"] / best["scikit-learn"], at_most=1)


def theirs_packed(file: str) -> Any:
    with lzma.open(file) as text:  # load_svmlight_file opens gz and bz2 alone
        return load_svmlight_file(text, zero_based=False)


@contextmanager
def unpacked(name: str, rows: int | None) -> Iterator[tuple[Path, Path]]:
    """The first file of a set, its first rows at least, as plain text and packed."""
    packed = locate(name, "train")[0]
    with TemporaryDirectory() as folder:
        plain = Path(folder) / "rows.svm"
        with lzma.open(packed) as source:
            text = source.read() if rows is None else b"".join(islice(source, rows))
        plain.write_bytes(text)
        if rows is not None:
            packed = Path(folder) / "rows.svm.xz"
            packed.write_bytes(lzma.compress(text))
        yield plain, packed
