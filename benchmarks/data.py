"""Rows for the sections: benchmark sets as a section wants them, or a word that they are absent."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.preprocessing import StandardScaler

from onkel.datasets import available, load, scale_to

#: Where the data of the benchmarks is, unless ONKEL_DATA names another folder.
BESIDE_CHECKOUT = Path(__file__).resolve().parents[2] / "shared" / "data"
SEED = 0
TEST_SHARE = 0.3
#: Sets of classes, without german.scale and satimage.scale: standardised, they are german and satimage again.
CLASSES = (
    "a9a", "cod-rna", "covtype", "dna", "german", "ijcnn1", "kddcup99", "letter",
    "mnist", "mushrooms", "outdoor", "pendigits", "phishing", "poker", "satimage", "segment",
    "skin", "spambase", "weather",
)  # fmt: skip
#: Sets of numbers.
NUMBERS = (
    "abalone", "ailerons", "cadata", "casp", "cpusmall", "flights3m", "house8L", "housing",
    "keggundirected", "kin40k", "mg", "nycflights", "parkinsons", "space_ga",
)  # fmt: skip
#: The sets by which defaults were chosen (of ridge regression, of the race); all others were kept aside.
CHOSEN_ON = (
    "german", "letter", "pendigits", "phishing", "satimage", "segment", "spambase",
    "abalone", "cadata", "cpusmall", "house8L", "housing", "mg", "space_ga",
)  # fmt: skip


class AbsentError(Exception):
    """A data set is not on this machine: the section is skipped."""


def choose_folder() -> None:
    """Name the data folder for this process and those that it starts."""
    if BESIDE_CHECKOUT.is_dir():
        os.environ.setdefault("ONKEL_DATA", str(BESIDE_CHECKOUT))


def require(name: str) -> None:
    if name not in available():
        raise AbsentError(
            f"the data set {name!r} is absent (ONKEL_DATA names the folder of data files)"
        )


def a9a(rows: int | None, dense: bool = True, dtype: Any = np.float32) -> Any:
    """The training part of a9a, in the order of the file: X and y."""
    require("a9a")
    X, y = load("a9a")
    X = X[:rows].astype(dtype)
    return (X.toarray() if dense else X), y[:rows]


def cod_rna(rows: int | None) -> Any:
    """All of cod-rna in random order, float32, scaled to [-1, 1]: X and y."""
    require("cod-rna")
    X, y = load("cod-rna", "all")
    order = np.random.default_rng(SEED).permutation(len(y))[:rows]
    scaled = scale_to(X, -1, 1).astype(np.float32)
    return np.ascontiguousarray(scaled[order]), y[order]


class Split(NamedTuple):
    """Rows to learn from and rows to be judged on."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


def standardised(name: str, most_train: int, most_test: int) -> Split:
    """A classification set, standardised by its training rows, cut at random to these sizes.

    A set without a test part of its own gives 30 % of its rows. Test rows of a class that no
    training row has are left out: nobody could get them right.
    """
    require(name)
    random = np.random.default_rng(SEED)
    X, y = load(name)
    order = random.permutation(len(y))
    try:
        X_test, y_test = load(name, "test")
        held_out = random.permutation(len(y_test))
    except ValueError:  # it comes in one file
        X_test, y_test = X, y
        held_out, order = np.split(order, [int(TEST_SHARE * len(y))])
    order, held_out = order[:most_train], held_out[:most_test]
    held_out = held_out[np.isin(y_test[held_out], y[order])]
    train, test = X[order].toarray(), X_test[held_out].toarray()
    scaler = StandardScaler().fit(train)
    return Split(scaler.transform(train), y[order], scaler.transform(test), y_test[held_out])


def standardised_numbers(name: str, most_train: int) -> Split:
    """A regression set in random order, features and targets standardised by the training rows: 70 % of all."""
    require(name)
    X, y = load(name)
    share = 1.0 - TEST_SHARE
    order = np.random.default_rng(SEED).permutation(len(y))[: int(most_train / share)]
    X, y = getattr(X[order], "toarray", lambda: X[order])(), y[order].astype(float)
    cut = int(share * len(y))
    X = StandardScaler().fit(X[:cut]).transform(X)
    y = (y - y[:cut].mean()) / y[:cut].std()
    return Split(X[:cut], y[:cut], X[cut:], y[cut:])


def present(names: tuple[str, ...], only: tuple[str, ...]) -> list[str]:
    """Those of these sets that are on this machine and, where some are asked for, among them."""
    wanted = [name for name in names if not only or name in only]
    found = [name for name in wanted if name in available()]
    if not found:
        raise AbsentError(
            f"none of {', '.join(wanted or names)} is present (ONKEL_DATA names the folder of data files)"
        )
    return found
