"""The table encoder: a scikit-learn transformer that learns a table's columns as the rows come."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import NotFittedError

from onkel.estimators.documentation import fitted
from onkel.estimators.parameters import declared, parameter, validate_parameters
from onkel.estimators.turns import learning_alone
from onkel.tables.column import NUMBER, Column
from onkel.tables.description import Description
from onkel.tables.encoding import Encoding, Rules
from onkel.tables.feature import Settings
from onkel.tables.kinds import SAID
from onkel.tables.schedule import LOOK, block_end
from onkel.tables.table import Table

MISSING = ("", "?", "NA", "N/A", "n/a", "nan", "NaN", "NULL", "null", "None")


@declared
class TableEncoder(TransformerMixin, BaseEstimator):
    """Rows of words, dates, gaps and numbers of any scale as rows of numbers, learned as they come.

    Takes pandas, polars and Arrow tables, dicts of columns, arrays, and the chunks of
    ``open_stream(..., raw=True)``; columns are known by their names.

    * **Numbers** are centred and scaled by the running mean and deviation (of whole numbers at least 1); what is
      further than ten deviations away counts as if it were there. What lies beyond all numbers so far, as the
      trend of a table in the order of time does, appears as the farthest of them, until it has been learned.
    * **Words** become a column each as soon as they have come ``min_count`` times; rarer and unknown ones share a
      column. When there are more than ``max_words``, the others are hashed into ``n_hashed`` columns.
    * **Dates and times** (typed, or written as in ISO 8601) become a trend and the circles (sine and cosine) of the
      year, the week and, if there are times, the day; moments with an offset are taken in UTC.
    * **Booleans** are 0 or 1.
    * **Gaps** are the mean: 0, of booleans their share of ones. Columns with gaps among the first ``look`` rows
      have a column that marks them; the gaps of all others share one.
    * **Left out** are words of which almost all are distinct, and whole numbers that count the rows.

    The first ``look`` rows settle the columns' kinds. What is learned takes effect after ``look`` · (1, 2, 4, 8, 16,
    24, ...) rows, so that the encoder after n rows is the same, bit for bit, in whatever chunks they came; before, it
    is a provisional one of the rows that are there. :class:`StreamPipeline` encodes each row by what was known at the
    last of these counts before it.

    Examples
    --------
    >>> from onkel import TableEncoder
    >>> table = {
    ...     "job": ["cook", "clerk", "cook", "?"],
    ...     "age": [31, 40, None, 25],
    ...     "since": ["2020-01-01", "2021-07-01", "2022-01-01", "2020-01-01"],
    ... }
    >>> encoder = TableEncoder(min_count=1, fixed_width=False, sparse_output=False).fit(table)
    >>> encoder.describe()
    column  kind    gaps   columns  became
    job     word    25.0%  4        2 words have a column, 0 rare ones share one; gaps have a mark of their own
    age     number  25.0%  2        centred at 32, in units of 6.164; gaps have a mark of their own
    since   date    -      5        trend, and circles of season, weekday
    >>> for name, value in zip(encoder.get_feature_names_out()[:6], encoder.transform(table)[1]):
    ...     print(f"{name}: {value:.2f}")
    job=<rare>: 0.00
    job=<gap>: 0.00
    job=cook: 0.00
    job=clerk: 1.00
    age: 1.30
    age=<gap>: 0.00
    """

    #: In the long run: on one day, seasons hardly differ.
    gives_one_scale: ClassVar[bool] = True

    kinds: Any = parameter(
        default=None,
        type_words="dict or None",
        doc="""What columns are, where the encoder shall not guess: a name to "number", "word", "date",
        "boolean" or "ignore". Whole numbers that name things (a zip code) are words only if you say so.""",
    )
    missing: Any = parameter(
        default=MISSING,
        type_words="sequence of str",
        doc="Words that stand for a gap, besides NaN, None, NaT and masked cells. Infinity is a gap too.",
    )
    max_words: int = parameter(
        default=256,
        kind=int,
        at_least=1,
        doc="The most words of a column that get a column of their own.",
    )
    min_count: int = parameter(
        default=5, kind=int, at_least=1, doc="How often a word must have come to get one."
    )
    n_hashed: int = parameter(
        default=64, kind=int, at_least=1, doc="Columns that the words beyond ``max_words`` share."
    )
    fixed_width: bool = parameter(
        default=True,
        one_of=(True, False),
        doc="""True gives rows the greatest width that they can have, from the first on: columns not yet in
        use are zero, which costs nothing in sparse rows, and learners that cannot grow need it. False gives
        rows that widen as words appear; columns keep their places, and onkel's learners in a
        :class:`StreamPipeline` grow with them.""",
    )
    sparse_output: Any = parameter(
        default="auto",
        one_of=("auto", True, False),
        doc='"auto" gives CSR where at most 30 % of the first rows\' cells are not zero.',
    )
    unexpected: str = parameter(
        default="error",
        one_of=("error", "gap"),
        doc="What a cell is that is not of its column's kind, such as a word among numbers.",
    )
    look: int = parameter(
        default=LOOK, kind=int, at_least=1, doc="The number of rows that settle the columns' kinds."
    )
    dtype: str = parameter(
        default="float32",
        one_of=("float32", "float64"),
        doc="Type of the encoded cells, which are all of a size of about one.",
    )

    n_features_in_ = fitted("int", "Number of columns of the table.")
    feature_names_in_ = fitted("ndarray of shape (n_columns,)", "Their names.")
    n_rows_ = fitted("int", "Number of rows seen.")
    encoding_ = fitted("Encoding", "What is known of the columns.")

    # -- learning ----------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn anew from all rows of `X`.

        Parameters
        ----------
        X : Table, or what `Table.of` takes
            The rows.
        y : None
            Not used.

        Returns
        -------
        TableEncoder
            Itself.
        """
        table = _some_rows(X)
        with learning_alone(self):
            fresh = copy.copy(self)
            fresh._start(table)
            fresh._take_in(table)
            fresh._learn_waiting()
            self.__dict__ = fresh.__dict__
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Learn on from the rows of `X`: all of them, or none if there is anything wrong.

        Parameters
        ----------
        X : Table, or what `Table.of` takes
            The rows.
        y : None
            Not used.

        Returns
        -------
        TableEncoder
            Itself.
        """
        table = _some_rows(X)
        with learning_alone(self):
            fresh = copy.copy(self)
            if not self.__sklearn_is_fitted__():
                table = self.prepare(table)
                fresh._start(table)
            else:
                table = self.prepare(table, self.n_rows_)
                if not self.encoding_.is_decided:  # the rest of the rows may be refused after all
                    fresh.encoding_ = copy.deepcopy(self.encoding_)
                fresh._waiting = list(self._waiting)
            fresh._take_in(table)
            self.__dict__ = fresh.__dict__
        return self

    def prepare(self, X: Any, rows_before: int = 0) -> Table:
        """Check rows: that they can be learned and encoded, or a ValueError that names what is wrong.

        Parameters
        ----------
        X : Table, or what `Table.of` takes
            The rows.
        rows_before : int, default=0
            The rows in messages are counted from here on.

        Returns
        -------
        Table
            The rows. The table remembers how its cells were read: :meth:`transform` and
            :meth:`partial_fit` take it without reading them again.
        """
        table = Table.of(X)
        if not self.__sklearn_is_fitted__():
            validate_parameters(self)
            encoding = Encoding(self._rules(table.columns), table.columns)
        else:
            encoding = self.encoding_
        if table.columns != encoding.names:
            table = _arranged(table, encoding)
        encoding.check(table, rows_before)
        return table

    def _start(self, table: Table) -> None:
        validate_parameters(self)
        self.encoding_ = Encoding(self._rules(table.columns), table.columns)
        self.feature_names_in_ = np.array(table.columns, object)
        self.n_features_in_ = len(table.columns)
        self.n_rows_ = 0
        self._waiting: list[Table] = []
        self._provisional: Encoding | None = None

    def _take_in(self, table: Table) -> None:
        """Hold rows until their block is complete, then learn it."""
        start = 0
        while start < len(table):
            missing = block_end(self.encoding_.rows, self.look) - self.n_rows_
            piece = table[start : start + missing]
            if piece is not table:  # kinds may have been settled by the rows before it
                self.encoding_.check(piece, self.n_rows_)
            self._waiting.append(piece)
            start += len(piece)
            self.n_rows_ += len(piece)
            if len(piece) == missing:
                self._learn_waiting()
        self._provisional = None

    def _learn_waiting(self) -> None:
        if self._waiting:
            self.encoding_.learn(Table.joined(self._waiting))
            self._waiting = []

    def _rules(self, names: list[str]) -> Rules:
        return Rules(
            settings=Settings(self.max_words, self.min_count, self.n_hashed),
            missing=_checked_missing(self.missing),
            kinds=_checked_kinds(self.kinds, names),
            strict=self.unexpected == "error",
            fixed_width=bool(self.fixed_width),
            sparse=None if isinstance(self.sparse_output, str) else bool(self.sparse_output),
            dtype=self.dtype,
        )

    # -- encoding ----------------------------------------------------------------------------

    def transform(self, X: Any) -> Any:
        """Encode rows by what is known now.

        Parameters
        ----------
        X : Table, or what `Table.of` takes
            The rows.

        Returns
        -------
        CSR matrix or ndarray of shape (n_rows, n_features_out)
            The rows as numbers.
        """
        encoding = self._known()
        table = Table.of(X)
        if table.columns != encoding.names:
            table = _arranged(table, encoding)
        return encoding.encode(table)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Name the encoded columns; those not yet in use are called spare0, spare1, ...

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the table's columns; if given, they must be those that it has.

        Returns
        -------
        ndarray of str
            A name for each column of what `transform` gives.
        """
        encoding = self._known()
        given = None if input_features is None else [str(name) for name in input_features]
        if given not in (None, encoding.names):
            raise ValueError("input_features is not equal to feature_names_in_")
        names = encoding.places.names
        spare = [f"spare{number}" for number in range(encoding.width - len(names))]
        return np.array(names + spare, object)

    def describe(self) -> Description:
        """Tell what became of every column.

        Returns
        -------
        Description
            A row a column; printed, a table.
        """
        return Description(self._known().describe())

    def _known(self) -> Encoding:
        """What is known at the last row count that counts, or a provisional guess before the first."""
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' or "
                f"'partial_fit' with appropriate arguments before using this estimator."
            )
        if self.encoding_.rows:
            return self.encoding_
        if self._provisional is None:
            provisional = copy.deepcopy(self.encoding_)
            provisional.rules = provisional.rules._replace(
                strict=False
            )  # kinds are not settled yet
            provisional.learn(Table.joined(self._waiting))
            self._provisional = provisional
        return self._provisional

    @property
    def may_widen(self) -> bool:
        """Whether rows to come may have more columns than those so far."""
        return not self.fixed_width

    def __getstate__(self) -> dict[str, Any]:
        kept = super().__getstate__()
        return kept | ({"_provisional": None} if "_provisional" in kept else {})

    def __sklearn_is_fitted__(self) -> bool:
        return "encoding_" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _some_rows(X: Any) -> Table:
    table = Table.of(X)
    if not len(table):
        raise ValueError("Found array with 0 sample(s): at least one row is needed to learn from")
    return table


def _arranged(table: Table, encoding: Encoding) -> Table:
    """The known columns in their order; those that are left out anyway need not be there."""
    _check_columns(table.columns, encoding.names, encoding.left_out)
    gaps = Column(NUMBER, np.full(len(table), np.nan))
    return Table({name: table.cells.get(name, gaps) for name in encoding.names}, len(table))


def _check_columns(given: list[str], known: list[str], left_out: set[str]) -> None:
    counts = ""
    if len(given) != len(known):
        counts = f"X has {len(given)} features, but TableEncoder is expecting {len(known)} features as input: "
    strangers = [name for name in given if name not in known]
    if strangers:
        raise ValueError(
            f"{counts}the table has columns that the first rows had not: {', '.join(map(repr, strangers))}. "
            f"Leave them out; known are {', '.join(known)}."
        )
    absent = [name for name in known if name not in given and name not in left_out]
    if absent:
        raise ValueError(
            f"{counts}the table lacks columns that the first rows had: {', '.join(map(repr, absent))}. "
            f"If nothing is known of them, pass them as columns of gaps (NaN or None)."
        )


def _checked_kinds(kinds: Any, names: list[str]) -> dict[str, str]:
    if kinds is None:
        return {}
    allowed = ", ".join(map(repr, SAID))
    if not isinstance(kinds, Mapping):
        raise ValueError(f"kinds={kinds!r} must be a dict of columns' names to one of {allowed}.")
    for name, kind in kinds.items():
        if kind not in SAID:
            raise ValueError(f"kinds={{{name!r}: {kind!r}}}: a column must be one of {allowed}.")
        if name not in names:
            raise ValueError(f"kinds names {name!r}, but the columns are {', '.join(names)}.")
    return dict(kinds)


def _checked_missing(missing: Any) -> tuple[str, ...]:
    words = None if isinstance(missing, str) else list(missing)
    if words is None or not all(isinstance(word, str) for word in words):
        raise ValueError(f"missing={missing!r} must be a list of words that stand for gaps.")
    return tuple(words)
