"""Sanity of the twins: every learner learns, losses are right, averages are what they say."""

from collections.abc import Callable

import numpy as np
import pytest

from tests.reference import losses
from tests.reference.cases import (
    BOUNDED,
    BUDGET,
    LEARNERS,
    OUTPUTS,
    TASKS,
    build,
    curve,
    named,
    stream,
)
from tests.reference.passive_aggressive import PassiveAggressive

# ---- every learner ----------------------------------------------------------------------------


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("name", LEARNERS)
def test_learns_and_stays_in_budget(name: str, task: str) -> None:
    if name == "projectron++" and task == "regression":
        with pytest.raises(ValueError, match="classifier"):
            named(name, task)
        return
    twin = named(name, task)
    X, targets, draws = stream(task)
    for x, target, draw in zip(X, targets, draws, strict=True):
        twin.learn(x, target, draw)
        if name in BOUNDED:
            assert len(twin.vectors) <= BUDGET
        assert twin.coef.shape[0] == OUTPUTS[task]
        assert len(set(twin.born)) == len(twin.born) == len(twin.vectors)
    assert np.isfinite(twin.coef).all()
    fresh = stream(task, 60, seed=3)
    scores = np.array([twin.output(x) for x in fresh[0]])
    if task == "regression":
        # better than the constant zero that every model starts with, though little for removal:
        # there the small terms of the l2 loss, that is the late ones, go first
        # BOGD's rescaling is unbiased, but noisy: no such claim
        limit = {"removal": 0.95, "bogd": np.inf}.get(name, 0.75)
        assert np.mean((scores[:, 0] - fresh[1]) ** 2) < limit * np.mean(fresh[1] ** 2)
        assert not any(mistake for _, _, mistake in twin.record)
        return
    guess = np.where(scores[:, 0] > 0, 1.0, -1.0) if task == "binary" else scores.argmax(axis=1)
    chance = 0.5 if task == "binary" else 2.0 / 3.0
    assert np.mean(guess != fresh[1]) < 0.6 * chance
    assert np.mean([mistake for _, _, mistake in twin.record]) < 0.8 * chance


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("name", LEARNERS)
def test_weight_zero_changes_nothing(name: str, task: str) -> None:
    if name == "projectron++" and task == "regression":
        return
    X, targets, draws = stream(task, 30)
    plain, mixed = named(name, task, average=True), named(name, task, average=True)
    for x, target, draw in zip(X, targets, draws, strict=True):
        mixed.learn(-x, target, (0.0, 0.0), 0.0)
        for twin in (plain, mixed):
            twin.learn(x, target, draw)
    assert mixed.t == plain.t == 30
    np.testing.assert_array_equal(mixed.output_coef, plain.output_coef)


# ---- losses -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "loss",
    [
        losses.hinge(), losses.squared_hinge(), losses.smooth_hinge(0.5), losses.logistic(),
        losses.odm(0.3, 0.5), losses.l1(), losses.l2(), losses.epsilon_insensitive(0.2),
    ],
)  # fmt: skip
def test_slopes_are_derivatives(loss: tuple[Callable[[float], float], ...]) -> None:
    value, slope = loss
    for m in np.linspace(-2.97, 2.97, 60):
        numeric = (value(m + 1e-6) - value(m - 1e-6)) / 2e-6
        assert slope(float(m)) == pytest.approx(numeric, abs=1e-5)


def test_logistic_does_not_overflow() -> None:
    value, slope = losses.logistic()
    assert value(-1e4) == 1e4 and slope(-1e4) == -1.0
    assert value(1e4) == 0.0 and slope(1e4) == 0.0


def test_loss_within_rounding_is_zero() -> None:
    twin = build(PassiveAggressive, "binary", aggressiveness=10.0)
    assert twin.value_and_slope(1.0 - 1e-13) == (0.0, 0.0)
    assert twin.value_and_slope(1.0 - 1e-12)[1] == -1.0


# ---- averages ---------------------------------------------------------------------------------


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("name", ["sgd", "pegasos", "avm", "ogd", "perceptron", "spa", "fogd"])
def test_average_is_the_mean_of_all_past_functions(name: str, task: str) -> None:
    twin = named(name, task, average=True)
    probe, data = stream(task, 6, seed=8)[0], stream(task)
    after = curve(twin, data, probe)
    before = np.concatenate([np.zeros_like(after[:1]), after[:-1]])
    np.testing.assert_allclose(
        [twin.output(p) for p in probe], before.mean(axis=0), rtol=0, atol=1e-10
    )


@pytest.mark.parametrize(("n", "start"), [(1, 1), (3, 1), (4, 2), (7, 2), (8, 4), (11, 4), (16, 8)])
def test_suffix_average_is_the_mean_since_the_older_restart(n: int, start: int) -> None:
    # with alpha = 1/2 the restarts are 1, 2, 4, 8, 16
    twin = named("sgd", "binary", average=0.5)
    probe = stream("binary", 5, seed=8)[0]
    after = curve(twin, stream("binary", n), probe)
    before = np.concatenate([np.zeros_like(after[:1]), after[:-1]])
    expected = before[start - 1 :].mean(axis=0)
    np.testing.assert_allclose([twin.output(p) for p in probe], expected, rtol=0, atol=1e-10)


def test_record_shows_the_output_of_the_models_up_to_the_present_one() -> None:
    X, targets, draws = stream("multiclass")
    for average in (False, True):
        twin, models = named("sgd", "multiclass", average=average), []
        for x, target, draw in zip(X, targets, draws, strict=True):
            models.append(twin.coef)  # w_1 .. w_t
            row = twin.features(x)
            scores = [coef @ row[: coef.shape[1]] for coef in models]
            shown = np.mean(scores, axis=0) if average else scores[-1]
            twin.learn(x, target, draw)
            np.testing.assert_allclose(twin.record[-1][0], shown, rtol=0, atol=1e-10)
            margin = shown[int(target)] - np.delete(shown, int(target)).max()
            assert twin.record[-1][1] == pytest.approx(max(0.0, 1.0 - margin))
            assert twin.record[-1][2] == (margin <= 0.0)
