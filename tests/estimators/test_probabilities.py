"""Probabilities and class weights: what every classifier promises, and what scikit-learn makes of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, log_softmax, softmax
from sklearn.datasets import make_moons
from sklearn.ensemble import VotingClassifier
from sklearn.metrics import balanced_accuracy_score, log_loss, roc_auc_score
from sklearn.model_selection import cross_val_score

import onkel
from onkel.calibration import Calibrator
from tests.estimators.cases import (
    BATCH,
    CLASSIFIERS,
    HANDFUL,
    ONLINE_CLASSIFIERS,
    data_for,
    learn_on,
    make,
    scores,
)

ROWS = 6000
SOME = [name for name in HANDFUL if name in CLASSIFIERS]


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_every_classifier_tells_probabilities(name: str) -> None:
    X, y = data_for(name)
    model = learn_on(make(name, probabilities=True), X, y)
    p = model.predict_proba(X)
    assert p.shape == (60, 2) and (p >= 0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(model.predict_log_proba(X), np.log(p), atol=1e-9)
    order = np.argsort(model.decision_function(X))
    assert (np.diff(p[order, 1]) >= 0).all(), "a higher score must not be less likely"


@pytest.mark.parametrize("name", ONLINE_CLASSIFIERS)
def test_from_the_first_row_on(name: str) -> None:
    X, y = data_for(name)
    model = learn_on(make(name), X[:1], y[:1])
    assert np.isfinite(model.predict_proba(X)).all()


@pytest.mark.parametrize("name", [*SOME, *BATCH])
def test_without_probabilities_the_model_is_the_same(name: str) -> None:
    X, y = data_for(name)
    with_them, without = (make(name, probabilities=wish).fit(X, y) for wish in (True, False))
    np.testing.assert_array_equal(scores(with_them, X), scores(without, X))
    assert not hasattr(without, "predict_proba") and not hasattr(without, "predict_log_proba")
    with pytest.raises(AttributeError) as error:
        _ = without.predict_proba
    assert "Learn it anew with probabilities=True" in str(error.value.__cause__)
    assert not hasattr(make(name, probabilities=False), "predict_proba")
    without.set_params(probabilities=True)  # counts when it learns anew
    assert not hasattr(without, "predict_proba")
    assert hasattr(without.fit(X, y), "predict_proba")


# ---- how good they are --------------------------------------------------------------------------


def drawn(n_outputs: int, unit: float = 1.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores, targets drawn by probabilities that follow from them, and these."""
    random = np.random.default_rng(5)
    z = random.normal(size=(ROWS, n_outputs)) * 1.5
    if n_outputs == 1:
        p = expit(2.0 * z + 0.7)
        return unit * z, np.where(random.random(ROWS) < p[:, 0], 1.0, -1.0), np.hstack([1 - p, p])
    p = softmax(2.0 * z + np.linspace(-1, 1, n_outputs), axis=1)
    return unit * z, np.array([random.choice(n_outputs, p=row) for row in p], float), p


def best_log_loss(z: np.ndarray, targets: np.ndarray) -> float:
    """The least mean log loss that a and b can have on these rows, found by a batch method."""
    codes = np.where(targets > 0, 1, 0) if z.shape[1] == 1 else targets.astype(int)
    logits = np.hstack([np.zeros_like(z), z]) if z.shape[1] == 1 else z

    def loss(theta: np.ndarray) -> float:
        shift = np.r_[0.0, theta[1:]]
        found = log_softmax(theta[0] * logits + shift, axis=1)
        return -float(found[np.arange(len(codes)), codes].mean())

    return float(minimize(loss, np.r_[1.0, np.zeros(logits.shape[1] - 1)]).fun)


@pytest.mark.parametrize("n_outputs", [1, 3, 12])
def test_one_pass_is_nearly_as_good_as_the_best_fit(n_outputs: int) -> None:
    z, targets, truth = drawn(n_outputs)
    calibrator, half = Calibrator(n_outputs), ROWS // 2
    calibrator.observe(z[:half], targets[:half], np.ones(half))
    found = calibrator.probabilities(z[half:])
    codes = (targets[half:] > 0).astype(int) if n_outputs == 1 else targets[half:].astype(int)
    loss = -np.log(found[np.arange(half), codes]).mean()
    assert loss < best_log_loss(z[half:], targets[half:]) + 0.01
    assert np.abs(found - truth[half:]).mean() < 0.02


@pytest.mark.parametrize("n_outputs", [1, 4])
def test_the_unit_of_the_scores_does_not_matter(n_outputs: int) -> None:
    z, targets, _ = drawn(n_outputs)
    found = []
    for unit in (1.0, 1e-6, 1e6):
        calibrator = Calibrator(n_outputs)
        calibrator.observe(unit * z, targets, np.ones(ROWS))
        found.append(calibrator.probabilities(unit * z[:50]))
    np.testing.assert_allclose(found[1], found[0], rtol=1e-8)
    np.testing.assert_allclose(found[2], found[0], rtol=1e-8)


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_weights_count_relative_to_each_other(n_outputs: int) -> None:
    z, targets, _ = drawn(n_outputs)
    found = []
    for weight in (1.0, 1e-4, 1e-160, 1e160):
        calibrator = Calibrator(n_outputs)
        calibrator.observe(z[:500], targets[:500], np.full(500, weight))
        found.append(calibrator.probabilities(z[:50]))
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], rtol=1e-8)


@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize("power", [-1.0, 0.5])
def test_it_follows_scores_that_shrink_or_grow(n_outputs: int, power: float) -> None:
    """Like those of steps 1/t, or of ever more vectors: by orders of magnitude on the way."""
    z, targets, truth = drawn(n_outputs)
    unit = (np.arange(1, ROWS + 1) / ROWS)[:, None] ** power
    calibrator = Calibrator(n_outputs)
    calibrator.observe(z * unit, targets, np.ones(ROWS))
    assert np.abs(calibrator.probabilities(z) - truth).mean() < 0.05


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_perfect_and_useless_scores_stay_finite(n_outputs: int) -> None:
    z, targets, _ = drawn(n_outputs)
    codes = (targets > 0).astype(int) if n_outputs == 1 else targets.astype(int)
    perfect = 100.0 * targets[:, None] if n_outputs == 1 else 100.0 * np.eye(n_outputs)[codes]
    for shown in (perfect, np.zeros_like(z)):
        calibrator = Calibrator(n_outputs)
        calibrator.observe(shown, targets, np.ones(ROWS))
        p = calibrator.probabilities(shown)
        assert np.isfinite(calibrator.log_probabilities(shown)).all()
        chance = np.bincount(codes) / ROWS
        wanted = 1.0 if shown is perfect else chance[codes]
        np.testing.assert_allclose(p[np.arange(ROWS), codes], wanted, atol=0.05)


def test_probabilities_of_a_learner_are_calibrated() -> None:
    X, y = make_moons(6000, noise=0.4, random_state=0)
    model = onkel.FOGDClassifier(random_state=0).fit(X[:3000], y[:3000])
    p = model.predict_proba(X[3000:])[:, 1]
    bins = np.minimum((10 * p).astype(int), 9)
    gaps = np.bincount(bins, p - y[3000:], 10) / len(p)
    assert np.bincount(bins, minlength=10).min() > 20
    assert np.abs(gaps).sum() < 0.05


# ---- scikit-learn -------------------------------------------------------------------------------


def test_soft_voting_scorers_and_curves() -> None:
    X, y = make_moons(600, noise=0.2, random_state=0)
    members = [
        ("fogd", onkel.FOGDClassifier(n_components=50, random_state=0)),
        ("avm", onkel.AVMClassifier(random_state=0)),
    ]
    vote = VotingClassifier(members, voting="soft").fit(X, y)
    assert vote.score(X, y) > 0.9
    model = onkel.FOGDClassifier(n_components=50, random_state=0)
    assert (cross_val_score(model, X, y, scoring="neg_log_loss", cv=3) > -0.5).all()
    assert (cross_val_score(model, X, y, scoring="roc_auc", cv=3) > 0.9).all()
    p = model.fit(X, y).predict_proba(X)
    assert roc_auc_score(y, p[:, 1]) == pytest.approx(roc_auc_score(y, model.decision_function(X)))
    assert log_loss(y, p) < 0.4


# ---- class weights ------------------------------------------------------------------------------


def rare(n_rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """One row in fifty is of the second class, which overlaps with the first."""
    random = np.random.default_rng(seed)
    y = (random.random(n_rows) < 0.02).astype(int)
    return random.normal(size=(n_rows, 2)) + 1.5 * y[:, None], y


@pytest.mark.parametrize("name", ["FOGDClassifier", "BSGDClassifier", "LLSVMClassifier"])
def test_balanced_classes_count_alike_and_probabilities_stay_honest(name: str) -> None:
    (X, y), (X_test, y_test) = rare(4000, 0), rare(4000, 1)
    cls = getattr(onkel, name)
    plain, even = (cls(random_state=0, class_weight=w).fit(X, y) for w in (None, "balanced"))
    before, after = (balanced_accuracy_score(y_test, m.predict(X_test)) for m in (plain, even))
    assert after > 0.78 and after > before + 0.15
    assert even.predict_proba(X_test)[:, 1].mean() == pytest.approx(0.02, abs=0.01)


@pytest.mark.parametrize("name", [*SOME, *BATCH])
def test_a_dict_is_a_sample_weight(name: str) -> None:
    X, y = data_for(name)
    weights = np.where(y == "yes", 2.5, 1.0)
    by_class = make(name, class_weight={"yes": 2.5}).fit(X, y)
    by_row = make(name).fit(X, y, sample_weight=weights)
    if name == "LLSVMClassifier":  # its landmarks follow sample weights
        assert not np.array_equal(scores(by_class, X), scores(make(name).fit(X, y), X))
        return
    np.testing.assert_array_equal(scores(by_class, X), scores(by_row, X))


@pytest.mark.parametrize("name", ["FOGDClassifier", "CSVRGClassifier"])
@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("equal", "must be None, 'balanced' or a dict"),
        (2.0, "must be None, 'balanced' or a dict"),
        ({"maybe": 1.0}, "'maybe', which is no label"),
        ({"yes": 0.0}, "'yes' the weight 0.0"),
        ({"yes": np.inf}, "the weight inf"),
        ({"yes": "much"}, "the weight 'much'"),
    ],
)
def test_bad_class_weights(name: str, wrong: Any, why: str) -> None:
    X, y = data_for(name)
    model = make(name).fit(X, y)
    before = scores(model, X)
    with pytest.raises(ValueError, match=why):
        model.set_params(class_weight=wrong).fit(X, y)
    np.testing.assert_array_equal(scores(model, X), before)
