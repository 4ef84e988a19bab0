"""Model files: whether what was read can be one pipeline, its encoder and the rows that wait in them."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import get_tags

from onkel.drift import DriftAware
from onkel.estimators.parameters import validate_parameters
from onkel.io.consistency import check_model
from onkel.io.requirements import require
from onkel.io.watched import check_watched
from onkel.tables import StreamPipeline, Table, TableEncoder
from onkel.tables.choices import check_choice
from onkel.tables.column import BOOLEAN, DATE, NUMBER, WORDS, Column
from onkel.tables.dates import Dates
from onkel.tables.encoding import Encoding, Rules
from onkel.tables.feature import Feature, Settings
from onkel.tables.held import Progress, Rows
from onkel.tables.kinds import Empty, Ignored, LeftOut
from onkel.tables.numbers import Booleans, Numbers
from onkel.tables.places import Places
from onkel.tables.scaler import KINDS, Scaler
from onkel.tables.spread import Spread
from onkel.tables.steps import A_LOOK, NOTHING
from onkel.tables.words import Words

#: Columns of rows that are not sparse: what is wider is no file of a pipeline that has learned.
WIDEST_DENSE = 10_000_000
#: A feature of each kind that has learned nothing: which attributes there are, and of which type.
FRESH: dict[type, Any] = {
    type(fresh): fresh
    for fresh in (
        Numbers(""), Booleans(""), Words(""), Dates(""), LeftOut("", ""), Ignored("", ""), Empty(""),
        Spread(), Places(), Encoding(Rules(Settings(1, 1, 1), (), {}, True, True, None, ""), []),
    )
}  # fmt: skip


def check_whole(model: Any) -> None:
    """Raise where the parts of a pipeline, or of anything that stands in one, contradict each other."""
    if isinstance(model, StreamPipeline):
        check_pipeline(model)
    elif isinstance(model, TableEncoder):
        validate_parameters(model)
        if "encoding_" in vars(model):
            check_encoder(model)
    elif isinstance(model, Scaler):
        check_scaler(model)
    elif isinstance(model, DriftAware):
        check_watched(model)
    elif type(model).__module__.startswith("onkel."):
        check_model(model)


def check_pipeline(pipeline: StreamPipeline) -> None:
    names = [name for name, _ in pipeline.steps]
    require(names and all(isinstance(name, str) for name in names), "its steps have no names")
    require(A_LOOK.allows(pipeline.look), "its first look is no number of rows")
    progress = vars(pipeline).get("_progress")
    if progress is not None:
        require(isinstance(progress, Progress) and is_count(progress.rows), "its rows do not count")
        require(all(type(rows) is Rows for rows in progress.waiting), "no rows wait in it")
        for rows in progress.waiting:
            check_rows(rows.X)
        for step in progress.untouched:
            check_step(step)
    for _, step in pipeline.steps:
        check_step(step)
    check_widths(pipeline)


def check_step(step: Any) -> None:
    require(step in NOTHING or hasattr(step, "get_params"), "a step is none")
    if step not in NOTHING:
        check_whole(step)


def check_widths(pipeline: StreamPipeline) -> None:
    """A row of gaps or zeros goes through the transformers, as wide as the learner knows them."""
    steps = [step for _, step in pipeline.steps if step not in NOTHING]
    X, last = probe(steps[0]), steps[-1]
    if X is None or len(steps) < 2 or not hasattr(last, "n_features_in_"):
        return
    with warnings.catch_warnings():  # that a probe has no names
        warnings.simplefilter("ignore")
        for step in steps[:-1]:
            X = step.transform(X)
    grows = any(isinstance(step, TableEncoder) and not step.fixed_width for step in steps)
    width = last.n_features_in_
    require(X.shape[1] >= width if grows else X.shape[1] == width, "its steps do not fit")


def probe(first: Any) -> Any:
    if isinstance(first, TableEncoder):
        known = "encoding_" in vars(first)
        return Table.of({name: [None] for name in first.encoding_.names}) if known else None
    if not hasattr(first, "n_features_in_"):
        return None
    width = first.n_features_in_
    require(is_count(width), "its number of columns is not one")
    if get_tags(first).input_tags.sparse:
        return sparse.csr_matrix((1, width))
    require(width <= WIDEST_DENSE, "its rows are too wide")
    return np.zeros((1, width))


def check_scaler(scaler: Scaler) -> None:
    check_choice("to", scaler.to, KINDS)
    require(is_count(scaler.count), "its scaler has learned less than nothing")
    arrays = [
        array for array in (scaler.low, scaler.high, scaler.mean, scaler.squares) if len(array)
    ]
    numbers = all(array.ndim == 1 and array.dtype == np.float64 for array in arrays)
    require(numbers and len({len(array) for array in arrays}) <= 1, "its scaler is of two sizes")


# -- tables --------------------------------------------------------------------------------------


def check_rows(X: Any) -> None:
    if isinstance(X, Table):
        check_table(X)


def check_table(table: Table) -> None:
    require(vars(table).keys() == {"cells", "_rows", "readings"}, "a table is none")
    require(not table.readings and isinstance(table.cells, dict), "a table is none")
    for name, column in table.cells.items():
        require(isinstance(name, str) and type(column) is Column, "a column is none")
        require(column.values.shape == (table._rows,), "a column is of another length")
        if column.form in WORDS:
            codes = column.values
            require(codes.dtype == np.int32, "its words are not counted")
            inside = (codes >= -1) & (codes < len(column.words))
            require(inside.all() and all_text(column.words), "its words are not all there")
        else:
            known = column.form in (NUMBER, BOOLEAN, DATE)
            require(known and column.values.dtype == np.float64, "a column is of no known form")


def check_encoder(encoder: TableEncoder) -> None:
    encoding = encoder.encoding_
    check_encoding(encoding)
    require(encoding.names == encoder.feature_names_in_.tolist(), "its columns have other names")
    require(encoder.n_features_in_ == len(encoding.names), "its number of columns is not one")
    require(is_count(encoder.n_rows_), "its rows do not count")
    for table in encoder._waiting:
        check_table(table)
        require(table.columns == encoding.names, "rows of other columns wait in it")


def check_encoding(encoding: Encoding) -> None:
    check_attributes(encoding, Encoding)
    check_attributes(encoding.places, Places)
    check_rules(encoding.rules)
    owners, names = encoding.places.owners, encoding.places.names
    require(all_text(encoding.names) and all_text(owners) and all_text(names), "names are none")
    require(len(owners) == len(names) <= encoding.width, "its places are too few")
    require(set(encoding.features) in (set(), set(encoding.names)), "its columns are not all known")
    require(encoding.gap_counts.keys() == set(encoding.names), "its gaps are not counted")
    require(all(map(is_count, encoding.gap_counts.values())), "its gaps are not counted")
    room = range(len(names))
    for feature in encoding.features.values():
        check_feature(feature)
        require(set(places_of(feature)) <= set(room), "a column has no place")
    marks = [*encoding.gap_places.values(), *([encoding.other_gaps] if encoding.features else [])]
    require(all(mark in room for mark in marks), "gaps have no place")


def check_rules(rules: Any) -> None:
    require(type(rules) is Rules and type(rules.settings) is Settings, "its rules are none")
    require(all(is_count(number) and number for number in rules.settings), "its rules are none")
    require(type(rules.missing) is tuple and type(rules.kinds) is dict, "its rules are none")
    require(rules.dtype in ("float32", "float64"), "its numbers are of no known type")


def check_feature(feature: Any) -> None:
    require(isinstance(feature, Feature), "a column became nothing that is known")
    check_attributes(feature, type(feature))
    spread = getattr(feature, "spread", None)
    if spread is not None:
        check_attributes(spread, Spread)
        require(is_count(spread.count) and spread.squares >= 0, "a column's spread is none")
        require(math.isfinite(spread.mean + spread.squares), "a column's spread is none")
    if isinstance(feature, Words):
        require(all_text(feature.own) and all_text(feature.counts or {}), "its words are none")


def check_attributes(thing: Any, cls: type) -> None:
    """What it has is what a fresh one has, each of the same type; None is for what may be nothing."""
    require(type(thing) is cls and cls in FRESH, f"it has no {cls.__name__}")
    found, fresh = vars(thing), vars(FRESH[cls])
    require(found.keys() == fresh.keys(), f"a {cls.__name__} has other attributes")
    for name, value in fresh.items():
        free = value is None or (found[name] is None and name == "counts")
        require(free or type(found[name]) is type(value), f"{name} is of another type")


def places_of(feature: Any) -> list[int]:
    """All places that a feature writes to."""
    if isinstance(feature, Words):
        hashed = range(feature.hashed, feature.hashed + feature.n_hashed)
        return [feature.rare, *feature.own.values(), *hashed]
    if isinstance(feature, Dates):
        return list(range(feature.place, feature.place + 1 + 2 * len(feature.circles)))
    return [feature.place] if hasattr(feature, "place") else []


def is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def all_text(words: Any) -> bool:
    return all(isinstance(word, str) for word in words)
