"""Models of shards become one: who can do it, what they must have in common, and ``merge``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

import numpy as np

from onkel.engine.merging import merged
from onkel.engine.together import Together
from onkel.estimators.labels import grows
from onkel.estimators.look import rows_kept
from onkel.estimators.turns import learning_alone
from onkel.parallel.limits import at_work

#: Settings that are chosen from rows, where a model has them: those of shards have the same.
SETTLED = ("gamma_", "diameter_", "target_mean_", "target_scale_", "epsilon_", "rank_")
REMEDY = (
    "Models of shards start as copies of one that was settled, model.settle(X, y), from some rows of all shards; or "
    "give all of them the same parameters, as numbers, and the same random_state (or the same landmarks)."
)


class _Asks(type(Protocol)):  # type: ignore[misc]
    """``isinstance`` asks the model itself: what it lacks it refuses with a reason."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return callable(getattr(instance, "merge", None))


@runtime_checkable
class SupportsMerge(Protocol, metaclass=_Asks):
    """A model that takes over what models of other shards have learned.

    ``isinstance(model, SupportsMerge)`` tells whether a model can be merged: ridge regression, FOGD, NOGD, AVM and
    SPA can, and so can a :class:`onkel.StreamPipeline` whose learner can.

    Examples
    --------
    >>> from onkel import FOGDClassifier, BSGDClassifier, SupportsMerge
    >>> isinstance(FOGDClassifier(), SupportsMerge), isinstance(BSGDClassifier(), SupportsMerge)
    (True, False)
    """

    def merge(self, *others: Any, common: Any = None) -> Self:
        """
        Take over what other models have learned.

        Parameters
        ----------
        *others : estimators
            Models of other rows.
        common : estimator, default=None
            The model that all of them started from, if it had learned.

        Returns
        -------
        Self
            The model itself.
        """
        ...


class Unmergeable:
    """In the place of ``merge``: it is not there, and the error says which learners have it."""

    def __get__(self, learner: Any, owner: type) -> Any:
        if learner is None:
            raise AttributeError(f"{owner.__name__} has no merge")
        raise AttributeError(cannot_merge(owner.__name__))


def cannot_merge(name: str) -> str:
    """What to tell who wants to merge such models."""
    import onkel

    names = [name for name in onkel.__all__ if hasattr(getattr(onkel, name), "merge")]
    return (
        f"{name} has no merge: its models of shards cannot become one. These learners of onkel can: "
        f"{', '.join(names)}; and so can an onkel.StreamPipeline that ends with one."
    )


class Mergeable:
    """Adds ``merge`` to learners whose weights are those of the same features or cells in every shard."""

    #: Whether the merged model is that of all rows, however they were divided.
    merges_exactly: ClassVar[bool] = False
    #: Whether means of weights get better when shards learn on from the merged model.
    merges_in_rounds: ClassVar[bool] = False

    def merge(self, *others: Any, common: Any = None) -> Self:
        """
        Take over what models of other rows have learned.

        Ridge regression is then exactly the model of all rows. Weights of other learners are means by the numbers of
        rows, and so are probabilities and intervals; progress and counts add up. Core points and vectors of others
        are charged to the cells that cover them, or are taken over.

        Models of shards must share what was settled: let them start as copies of a model on which ``settle`` was
        called, or give all the same parameters, ``gamma`` as a number, and the same ``random_state``. Means of
        weights are good if the models started from a common one: learn on from the merged model, in rounds.

        Parameters
        ----------
        *others : estimators
            Fitted models of the same class, of other rows; they stay as they are.
        common : estimator, default=None
            The model that all of them started from, if it had learned: what it knows is counted once. For models of
            explicit features (ridge regression, FOGD, NOGD).

        Returns
        -------
        Self
            The estimator itself; as it was, if there is an error.
        """
        learner: Any = self
        learner._fitted()
        for other in others if common is None else (*others, common):
            check_other(learner, other)
        waiting = [other for other in others if rows_kept(other)]
        ready = [other for other in others if not rows_kept(other)]
        if ready and rows_kept(learner):
            raise ValueError(
                f"this {type(self).__name__} has only seen {rows_kept(learner)} rows, and waits for more to choose "
                f"its settings from: merge it into the other model instead."
            )
        if ready:
            with learning_alone(self), at_work(learner.n_jobs, learner.t_):
                self._unite(ready, common)
                alone = sum(vars(model).get("_alone", 0) for model in (learner, *ready))
                if alone:
                    learner._alone = alone
        for other in waiting:
            learn_kept(learner, other)
        return self

    def _unite(self, others: Sequence[Any], common: Any) -> None:
        """Become the model of all; nothing has changed where there is an error."""
        learner: Any = self
        machines = [learner._machine, *(other._machine for other in others)]
        for other in others if common is None else (*others, common):
            check_alike(learner, other)
        common = common if common is not None and common.t_ else None
        if common is not None and not machines[0].recipe.n_map_features:
            raise ValueError(
                f"common={type(common).__name__}(...) has learned {common.t_} rows, and models of support vectors "
                f"cannot be told apart from it: start them from a model that was settled and has learned nothing."
            )
        learner._machine = merged(machines, None if common is None else common._machine)


def check_other(learner: Any, other: Any) -> None:
    """Refuse what is not another model of the same class, features and labels."""
    name = type(learner).__name__
    if type(learner) is not type(other):
        raise TypeError(f"a {name} merges models of its own class, got {type(other).__name__}.")
    if other is learner:
        raise ValueError("a model cannot be merged with itself: give a model of other rows.")
    other._fitted()
    if learner.n_features_in_ != other.n_features_in_:
        raise ValueError(
            f"the models have {learner.n_features_in_} and {other.n_features_in_} features: they are of other data."
        )
    mine, theirs = vars(learner).get("classes_"), vars(other).get("classes_")
    if mine is not None and not np.array_equal(mine, theirs):
        raise ValueError(
            f"the models have the classes {mine.tolist()} and {theirs.tolist()}: declare the same, by classes=..."
        )


def check_alike(learner: Any, other: Any) -> None:
    """Refuse a model with other settings, and say which."""
    found = list(differences(learner, other))
    if found:
        raise ValueError(
            f"these models cannot be merged: they differ in {', '.join(found)}. {REMEDY}"
        )


def differences(learner: Any, other: Any) -> Any:
    """What two models of one class have different that they must have in common, by name."""
    for name in SETTLED:
        mine, theirs = vars(learner).get(name), vars(other).get(name)
        if mine != theirs:
            yield f"{name} ({mine} and {theirs})"
    mine, theirs = learner._machine, other._machine
    if isinstance(mine, Together) or isinstance(theirs, Together):
        yield "what half_life='auto' has chosen so far (give a number, or None)"
        return
    if not is_same(mine.kernel, theirs.kernel):
        yield f"kernel ({mine.kernel} and {theirs.kernel})"
    for name, one, another in zip(mine.parts._fields, mine.parts, theirs.parts):
        if name not in ("task", "seed", "noise") and not is_same(one, another):
            yield f"{name} ({one} and {another})"
    if mine.recipe.intercept != theirs.recipe.intercept:
        yield "intercept"
    if mine.shape != theirs.shape:
        yield f"the form of the rows ({mine.shape} and {theirs.shape})"
    if not mine.has_features_of(theirs):
        yield "their features: the frequencies of random_state, or landmarks that are not settled"


def is_same(part: Any, other: Any) -> bool:
    """Whether parts, which are tuples of their parameters, are of one kind, too."""
    return type(part) is type(other) and part == other


def learn_kept(learner: Any, other: Any) -> None:
    """Learn the rows that another model still keeps."""
    X, targets, weights = other._look.rows()
    if grows(other):
        targets = other._appeared[targets.astype(np.intp)]
    elif "classes_" in vars(other):
        numbers = targets if other._n_outputs() > 1 else targets > 0
        targets = other.classes_[numbers.astype(np.intp)]
    learner.partial_fit(X, targets, sample_weight=weights)
