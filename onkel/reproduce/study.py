"""Reproduction: what a declared study is.

A study is data: which sets, which learners with which parameters, which protocol, how often. The
engine turns it into jobs. A parameter that is a string beginning with "=" is a formula of `n`, the
number of training rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from onkel.evaluate import Data

Kind = Literal["table", "figure"]
Params = Mapping[str, Any]


@dataclass(frozen=True)
class Learner:
    """A learner as a study uses it.

    `name` is a public class of onkel or "sklearn.svm.SVC"; `vary` (of figures) lists the values of
    the parameters that are studied, the first one being the horizontal axis.
    """

    name: str
    params: Params = field(default_factory=dict)
    vary: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class When:
    """What is different for some data sets and some algorithms; no names means all of them.

    `params` and `vary` are laid over the learner's own. `data` replaces the data set's entry, `rows` only its
    number of rows (a random subsample). `repeats` replaces the study's. `note` says where the
    setting comes from, `explanation` why the result is known to differ from the paper's.
    """

    sets: tuple[str, ...] = ()
    algorithms: tuple[str, ...] = ()
    params: Params = field(default_factory=dict)
    vary: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    data: Data | None = None
    rows: int | None = None
    repeats: int | None = None
    note: str = ""
    explanation: str = ""

    def matches(self, dataset: str, algorithm: str) -> bool:
        """Whether this is meant.

        >>> When(sets=("a9a",)).matches("a9a", "FOGD"), When(sets=("a9a",)).matches("dna", "FOGD")
        (True, False)
        """
        return (not self.sets or dataset in self.sets) and (
            not self.algorithms or algorithm in self.algorithms
        )


@dataclass(frozen=True)
class Claim:
    """A trend that a paper reads off its figure: a metric rises or falls with a parameter."""

    text: str
    algorithm: str
    parameter: str
    metric: str
    trend: Literal["rises", "falls"]
    sets: tuple[str, ...] = ()


@dataclass(frozen=True)
class Study:
    """One table or figure of a paper, as a configuration.

    `data` maps the paper's name of a set to what we load for it; `learners` the paper's name of an
    algorithm to the learner. Which pairs a table has is what papers.csv lists; a figure has all
    pairs but those in `without`.
    """

    paper: str
    kind: Kind
    number: int
    title: str
    protocol: Literal["online", "batch"]
    metric: str
    repeats: int
    data: Mapping[str, Data]
    learners: Mapping[str, Learner]
    when: tuple[When, ...] = ()
    without: tuple[tuple[str, str], ...] = ()
    claims: tuple[Claim, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of its files, such as "le2017_avm-table-4"."""
        return f"{self.paper}-{self.kind}-{self.number}"

    def rules(self, dataset: str, algorithm: str) -> list[When]:
        """What holds for this pair, in order."""
        return [rule for rule in self.when if rule.matches(dataset, algorithm)]


def rows_of(name: str, split: str = "all", **preparation: Any) -> Data:
    """Rows of a data set in float32, which all studies use.

    >>> rows_of("a9a").dtype
    'float32'
    """
    return Data(name, split, dtype="float32", **preparation)
