"""Who takes part in a race: the usual candidates, a grid of parameters, or estimators that the user brings."""

from __future__ import annotations

from typing import Any, NamedTuple

from sklearn.base import clone, is_classifier, is_regressor
from sklearn.model_selection import ParameterGrid

from onkel.estimators.classifier import OnlineClassifier
from onkel.estimators.regressor import OnlineRegressor


class Candidate(NamedTuple):
    """A configuration that races."""

    name: str
    estimator: Any
    params: dict[str, Any]  # what it differs in from the others


def entries_of(race: Any, usual: Any) -> list[Candidate]:
    """The candidates that the parameters of a race ask for; ``usual`` makes those of "auto"."""
    given = race.candidates
    if isinstance(given, str) and given == "auto":
        made = usual()
    elif isinstance(given, dict) or (
        isinstance(given, (list, tuple)) and given and all(isinstance(each, dict) for each in given)
    ):
        made = from_grid(race, given)
    elif isinstance(given, (list, tuple)) and given:
        made = [from_estimator(each, number) for number, each in enumerate(given)]
    else:
        raise ValueError(
            f"candidates={given!r} is not allowed: candidates must be 'auto', a dict of lists of parameters (with "
            f"learner=...), a list of such dicts, or a list of estimators."
        )
    return with_distinct_names([told(race, candidate) for candidate in made])


def from_grid(race: Any, grid: Any) -> list[Candidate]:
    if race.learner is None:
        raise ValueError(
            "candidates is a dict of parameters, and learner=None: say whose parameters these are, such as "
            "learner=FOGDClassifier()."
        )
    made = []
    for params in ParameterGrid(grid):
        estimator = clone(race.learner).set_params(**params)
        name = ", ".join(f"{key}={value!r}" for key, value in params.items())
        made.append(Candidate(name or type(estimator).__name__, estimator, dict(params)))
    return made


def from_estimator(given: Any, number: int) -> Candidate:
    name, estimator = given if isinstance(given, tuple) and len(given) == 2 else (None, given)
    answers = any(hasattr(estimator, method) for method in ("decision_function", "predict"))
    if isinstance(estimator, type) or not hasattr(estimator, "partial_fit") or not answers:
        raise TypeError(
            f"candidates[{number}]={estimator!r} cannot race: it needs partial_fit, and decision_function or predict."
        )
    params = estimator.get_params(deep=False) if hasattr(estimator, "get_params") else {}
    return Candidate(str(name or estimator), estimator, params)


def told(race: Any, candidate: Candidate) -> Candidate:
    """The candidate, with the half-life of the race if it has none of its own; an error if it cannot take part."""
    estimator, wants = candidate.estimator, is_classifier if is_classifier(race) else is_regressor
    if not wants(estimator):
        kind = "classifier" if is_classifier(race) else "regressor"
        raise TypeError(f"candidate {candidate.name!r} is no {kind}: {estimator!r}.")
    if getattr(estimator, "class_weight", None) is not None and is_own(estimator):
        raise ValueError(
            f"candidate {candidate.name!r} has class_weight={estimator.class_weight!r}: give it to the race, so that "
            f"all candidates learn the same."
        )
    if race.half_life is not None and is_own(estimator) and estimator.half_life is None:
        estimator = clone(estimator).set_params(half_life=race.half_life)
    return candidate._replace(estimator=estimator)


def is_own(estimator: Any) -> bool:
    """Whether it is an online learner of onkel, which races inside the machine."""
    return isinstance(estimator, (OnlineClassifier, OnlineRegressor))


def with_distinct_names(candidates: list[Candidate]) -> list[Candidate]:
    """The same; those of one name get a number, too."""
    names = [candidate.name for candidate in candidates]
    return [
        c if names.count(c.name) == 1 else c._replace(name=f"{c.name} ({k + 1})")
        for k, c in enumerate(candidates)
    ]
