"""Who listens hears what a learner would have said just before each row; the model is the same."""

import numpy as np
import pytest
from sklearn.base import clone

from onkel import AVMClassifier, FOGDClassifier, FOGDRegressor, NOGDClassifier
from onkel.estimators.hearing import LISTENER, listening

RANDOM = np.random.default_rng(0)
ROWS = 900
X = RANDOM.normal(size=(ROWS, 3))
PAIR, THREE, REAL = (X[:, 0] > 0).astype(int), X.argmax(axis=1), 50 + 3 * X[:, 0]
# The average of models counts the present one when a row is scored, `predict` only afterwards.
LEARNERS = [
    (AVMClassifier(gamma=0.5, diameter=1.0, regularization=1e-2, average=0), PAIR),
    (AVMClassifier(gamma=0.5, diameter=1.0, regularization=1e-2, average=0), THREE),
    (FOGDRegressor(gamma=0.5, n_components=20, epsilon=0.1, average=0), REAL),
    # its machine is exchanged when there are enough landmarks
    (NOGDClassifier(gamma=0.5, budget=40, rank=10, average=0), THREE),
    (FOGDClassifier(n_components=20, average=0, class_weight="balanced"), PAIR),
]


def heard_in(learner, y, chunk: int, coverage=None):
    options = {} if y is REAL else {"classes": np.unique(y)}
    with listening(learner, coverage) as listener:
        for start in range(0, ROWS, chunk):
            learner.partial_fit(X[start : start + chunk], y[start : start + chunk], **options)
    assert LISTENER not in vars(learner)
    heard = listener.take()
    assert listener.take() is None
    return heard


@pytest.mark.parametrize(("learner", "y"), LEARNERS)
def test_scores_are_those_before_each_row(learner, y) -> None:
    learner, alone = (clone(learner).set_params(random_state=1) for _ in range(2))
    heard = heard_in(learner, y, 177)
    answer = alone.predict if y is REAL else alone.decision_function
    options = {} if y is REAL else {"classes": np.unique(y)}
    first = 600  # the first look is over, and every row is learned at once
    alone.partial_fit(X[:first], y[:first], **options)
    for i in range(first, ROWS):
        expected = np.atleast_1d(answer(X[i : i + 1])[0])
        np.testing.assert_allclose(heard.scores[i], expected, rtol=1e-6, atol=1e-9)
        alone.partial_fit(X[i : i + 1], y[i : i + 1], **options)
    assert len(heard.scores) == ROWS and heard.probabilities is None is heard.interval
    np.testing.assert_allclose(learner.predict(X), alone.predict(X))


@pytest.mark.parametrize(("learner", "y"), LEARNERS)
def test_what_is_made_of_scores_is_the_same_in_any_chunks(learner, y) -> None:
    runs = [
        heard_in(clone(learner).set_params(random_state=1), y, chunk, 0.9)
        for chunk in (ROWS, 177, 13)
    ]
    for field in range(3):
        if runs[0][field] is None:
            continue
        for other in runs[1:]:
            np.testing.assert_allclose(other[field], runs[0][field], rtol=1e-7, atol=1e-9)
    assert (runs[0].probabilities is None) == (y is REAL) != (runs[0].interval is None)


def test_probabilities_and_intervals_follow_the_learners_own() -> None:
    """From a place on they are what predict_proba and predict_interval say of the same scores."""
    place = 16
    while place + min(max(place // 4, 16), 1024) < 700:
        place += min(max(place // 4, 16), 1024)
    for learner, y in (LEARNERS[0], LEARNERS[1], LEARNERS[2]):
        learner, alone = (clone(learner).set_params(random_state=1) for _ in range(2))
        heard = heard_in(learner, y, 177, 0.9)
        options = {} if y is REAL else {"classes": np.unique(y)}
        alone.partial_fit(X[:place], y[:place], **options)
        row = X[place : place + 1]
        if y is REAL:
            expected, got = alone.predict_interval(row, coverage=0.9)[0], heard.interval[place]
        else:
            expected, got = alone.predict_proba(row)[0], heard.probabilities[place]
        np.testing.assert_allclose(got, expected, rtol=1e-6)


def test_rows_without_weight_are_not_heard_nor_are_copies() -> None:
    learner, weights = AVMClassifier(gamma=0.5, diameter=1.0), np.ones(ROWS)
    weights[::3] = 0
    with listening(learner) as listener:
        learner.partial_fit(X[:100], PAIR[:100], classes=[0, 1], sample_weight=weights[:100])
        learner.predict(X[:5])  # by a provisional model, which learns what is there
        learner.partial_fit(X[100:], PAIR[100:], sample_weight=weights[100:])
    assert len(listener.take().scores) == 600
