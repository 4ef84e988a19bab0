"""Every metric is scikit-learn's, over all rows and over a window, in any chunks."""

import warnings

import numpy as np
import pytest
from sklearn import metrics as sk

from onkel.evaluate.metrics import METRICS, Answers
from tests.evaluate.metrics.rows import EVERY, answers_for, chunks, classified, predicted, scorecard

CASES = [("classification", 2), ("classification", 5), ("regression", 0)]
ROWS = 700
same = pytest.approx


def expected(task: str, n_classes: int, answers: Answers) -> dict[str, float]:
    """The metrics as scikit-learn has them; intervals and calibration by hand."""
    truth, guess = answers.truth, answers.guess
    if task == "regression":
        lower, upper = answers.interval.T
        return {
            "mae": sk.mean_absolute_error(truth, guess),
            "rmse": sk.root_mean_squared_error(truth, guess),
            "r2": sk.r2_score(truth, guess),
            "coverage": np.mean([a <= y <= b for a, y, b in zip(lower, truth, upper)]),
            "width": np.mean([b - a for a, b in zip(lower, upper)]),
        }
    labels, probabilities = np.arange(n_classes), answers.probabilities
    averaged = [1] if n_classes == 2 else labels
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of answers that are no class
        found = {
            "accuracy": sk.accuracy_score(truth, guess),
            "balanced_accuracy": sk.balanced_accuracy_score(truth, guess),
            "f1": sk.f1_score(truth, guess, labels=averaged, average="macro"),
            "log_loss": sk.log_loss(truth, probabilities, labels=labels),
        }
    if n_classes == 2:
        found["roc_auc"] = sk.roc_auc_score(truth, answers.scores[:, 0])
        said, came = probabilities[:, 1], truth == 1
    else:
        each = [sk.roc_auc_score(truth == c, answers.scores[:, c]) for c in labels]
        found["roc_auc"] = np.mean(each)
        said, came = probabilities.max(axis=1), truth == probabilities.argmax(axis=1)
    bins = np.minimum((10 * said).astype(int), 9)
    off = [abs(said[bins == b].sum() - came[bins == b].sum()) for b in range(10)]
    found["calibration_error"] = sum(off) / len(truth)
    return found


def test_all_metrics_are_compared():
    for task, names in EVERY.items():
        assert names == [name for name, metric in METRICS.items() if metric.task == task]


@pytest.mark.parametrize(("task", "n_classes"), CASES)
@pytest.mark.parametrize("size", [0, 1, 7, 300])
def test_all_rows_and_the_window_after_each_chunk(task: str, n_classes: int, size: int) -> None:
    answers, window = answers_for(task, ROWS, n_classes), 150
    card, seen = scorecard(task, n_classes, window), 0
    for place, chunk in enumerate(chunks(answers, size)):
        card.update(chunk)
        seen += chunk.rows
        if seen < 100 or (0 < size < 100 and place % (200 // size)):  # no area at first
            continue
        assert card.values() == same(expected(task, n_classes, answers.part(0, seen)), rel=1e-12)
        last = answers.part(max(0, seen - window), seen)
        assert card.window_values() == same(expected(task, n_classes, last), rel=1e-12)
    assert seen == ROWS


@pytest.mark.parametrize(("task", "n_classes"), CASES)
def test_chunks_do_not_change_a_digit(task: str, n_classes: int) -> None:
    answers = answers_for(task, 30_000, n_classes)
    outcomes = []
    for size in (0, 1000, 3, 7777):
        card = scorecard(task, n_classes, window=9000)
        for chunk in chunks(answers, size):
            card.update(chunk)
        outcomes.append((card.values(), card.window_values(), card.bounds(), card.curves()))
    assert all(outcome == outcomes[0] for outcome in outcomes)


def test_r2_of_targets_far_from_zero() -> None:
    near, far = predicted(5000), predicted(5000, offset=1e9)
    card = scorecard("regression")
    for chunk in chunks(far, 100):
        card.update(chunk)
    assert card.values()["r2"] == same(sk.r2_score(far.truth, far.guess), rel=1e-9)
    assert card.values()["r2"] == same(sk.r2_score(near.truth, near.guess), rel=1e-5)


@pytest.mark.parametrize(("task", "n_classes"), CASES)
def test_no_rows(task: str, n_classes: int) -> None:
    card = scorecard(task, n_classes, window=10)
    card.update(answers_for(task, 0, n_classes))
    assert card.values() == {} and card.window_values() == {} == card.curves()  # nothing was told
    for name, metric in METRICS.items():
        if metric.task == task:
            empty = metric.kind(n_classes)
            assert np.isnan(empty.value()), name
            empty.update(answers_for(task, 0, n_classes))
            assert np.isnan(empty.value()), name


def labelled(truth: list[int], guess: list[int], n_classes: int) -> dict[str, float]:
    card = scorecard("classification", n_classes)
    scores = np.linspace(-1, 1, len(truth))[:, None] * np.ones(1 if n_classes == 2 else n_classes)
    probabilities = np.full((len(truth), n_classes), 1 / n_classes)
    card.update(Answers(np.array(truth), np.array(guess), scores, probabilities))
    return card.values()


def test_one_class_alone() -> None:
    found = labelled([0, 0, 0], [0, 0, 0], 2)
    assert found["accuracy"] == 1 == found["balanced_accuracy"]
    assert np.isnan(found["f1"]) and np.isnan(found["roc_auc"])
    assert np.isnan(sk.f1_score([0, 0], [0, 0], zero_division=np.nan))
    assert found["log_loss"] == same(np.log(2))


def test_classes_that_are_missing_are_left_out() -> None:
    truth, guess = [0, 0, 3, 3], [0, 1, 3, 3]
    found = labelled(truth, guess, 5)
    assert found["balanced_accuracy"] == 0.75
    assert found["f1"] == same(sk.f1_score(truth, guess, average="macro"))
    assert found["roc_auc"] == 0.5  # all of class 3 come above those of class 0: 0 and 1
    assert found["log_loss"] == same(np.log(5))


def test_targets_that_do_not_differ() -> None:
    for guess in ([2.0, 2.0], [2.0, 2.5]):
        card = scorecard("regression")
        card.update(Answers(np.array([2.0, 2.0]), np.array(guess)))
        assert card.values()["r2"] == sk.r2_score([2.0, 2.0], guess)
        assert list(card.values()) == ["mae", "rmse", "r2"]  # no intervals: no coverage
    card = scorecard("regression")
    card.update(Answers(np.array([2.0]), np.array([1.0])))
    assert np.isnan(card.values()["r2"]) and card.values()["mae"] == 1


def test_probabilities_of_nought_and_one() -> None:
    truth, probabilities = np.array([0, 1, 1]), np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    card = scorecard("classification")
    card.update(Answers(truth, truth, probabilities=probabilities))
    assert card.values()["log_loss"] == same(sk.log_loss(truth, probabilities))
    assert "roc_auc" not in card.values()


def test_the_curves_are_those_of_scikit_learn() -> None:
    answers = classified(3000, 2)
    card = scorecard("classification")
    card.update(answers)
    curves = card.curves()
    alarms, hits, _ = sk.roc_curve(answers.truth, answers.scores[:, 0], drop_intermediate=False)
    at = np.array(curves["roc"]["false_alarms"])
    np.testing.assert_allclose(curves["roc"]["hits"], np.interp(at, alarms, hits), atol=1e-12)
    from sklearn.calibration import calibration_curve

    happened, said = calibration_curve(answers.truth, answers.probabilities[:, 1], n_bins=10)
    np.testing.assert_allclose(curves["reliability"]["happened"], happened)
    np.testing.assert_allclose(curves["reliability"]["said"], said)
    assert sum(curves["reliability"]["rows"]) == 3000
