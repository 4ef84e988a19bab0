"""The unit of the targets does not matter to regressors: they scale them, or else follow their unit in all parts."""

import numpy as np
import pytest

import onkel
from onkel.learners.losses import spread_of

rng = np.random.default_rng(0)
X = rng.uniform(-2.0, 2.0, (400, 2))
y = np.sin(2.0 * X[:, 0]) + X[:, 1] ** 2
#: The algorithms of the papers, on targets as they are.
PLAIN = {"scale_targets": False, "intercept": False, "first_step": None, "random_state": 0}


@pytest.mark.parametrize("unit", [1e5, 1e-5])
def test_a_model_of_other_units_is_the_same_times_the_unit(unit: float) -> None:
    def fitted(targets: np.ndarray, epsilon: float) -> np.ndarray:
        model = onkel.AVMRegressor(diameter=0.3, epsilon=epsilon, **PLAIN)
        return model.fit(X, targets).predict(X)

    np.testing.assert_allclose(fitted(unit * y, unit * 0.1), unit * fitted(y, 0.1), rtol=1e-6)


@pytest.mark.parametrize("unit", [1e5, 1e-5])
@pytest.mark.parametrize("loss", ["epsilon_insensitive", "l1", "l2"])
def test_the_ball_of_a_projection_is_of_the_targets_unit(loss: str, unit: float) -> None:
    def fitted(unit: float) -> np.ndarray:
        strength = 0.5 if loss == "l2" else 0.5 / unit  # as "auto" does where the slope has no unit
        model = onkel.KernelSGDRegressor(
            project=True, loss=loss, regularization=strength, epsilon=unit * 0.1, **PLAIN
        )
        return model.fit(X, unit * y).predict(X)

    np.testing.assert_allclose(fitted(unit), unit * fitted(1.0), rtol=1e-6)


@pytest.mark.parametrize("unit", [1e5, 1.0, 1e-5])
def test_defaults_learn_targets_of_any_size(unit: float) -> None:
    model = onkel.AVMRegressor(random_state=0).fit(X, unit * y)
    assert model.score(X, unit * y) > 0.5
    assert model.epsilon_ == pytest.approx(0.1)  # in units of the spread
    plain = onkel.AVMRegressor(**PLAIN).fit(X, unit * y)
    assert plain.epsilon_ == pytest.approx(min(0.1, 0.5 * unit * y.std()))


def test_the_spread_of_targets() -> None:
    assert spread_of(np.array([1.0, -1.0])) == 1.0
    assert spread_of(np.array([0.0, 0.0])) == spread_of(np.zeros(0)) == 1.0
    assert spread_of(np.array([-7.0])) == spread_of(np.array([7.0, 7.0])) == 7.0
    assert spread_of(np.array([1e300, -1e300])) == pytest.approx(1e300)
    assert spread_of(np.array([1e-300, -1e-300])) == pytest.approx(1e-300)
