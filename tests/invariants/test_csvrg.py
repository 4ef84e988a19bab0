"""What CSVRG must do: converge linearly to the exact machine, stay in its ball, repeat itself."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import minimize, nnls

from onkel.learners.csvrg import CSVRGClassifier

C, GAMMA, THETA, MU, TAU = 20.0, 0.7, 0.3, 0.4, 0.5


def make_data(m: int = 70) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(11)
    X = rng.normal(size=(m, 2))
    return X, np.where(np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=m) > 0, 1, -1)


def gram(X: np.ndarray) -> np.ndarray:
    return np.exp(-GAMMA * ((X[:, None] - X[None]) ** 2).sum(axis=2))


def positive_qp(P: np.ndarray, q: np.ndarray) -> np.ndarray:
    """argmin over z >= 0 of z'Pz/2 - q'z for positive definite P, by an active-set method."""
    upper = np.linalg.cholesky(P).T
    solution, _ = nnls(upper, np.linalg.solve(upper.T, q), maxiter=10_000)
    return solution


def exact_squared_hinge(X: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Coefficients from the dual: max sum(a) - a'Qa/2 - sum a_i^2 m / (4 C weight_i), a >= 0."""
    Q = gram(X) * np.outer(y, y)
    return y * positive_qp(Q + np.diag(len(y) / (2 * C * weights)), np.ones(len(y)))


def exact_odm(X: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Coefficients from the dual with one multiplier per side of the band."""
    Q, m = gram(X) * np.outer(y, y), len(y)
    price = 2 * C * weights / (m * (1 - THETA) ** 2)
    P = np.block([[Q, -Q], [-Q, Q]]) + np.diag(np.concatenate((1 / price, 1 / (MU * price))))
    q = np.concatenate((np.full(m, 1 - THETA), np.full(m, -1 - THETA)))
    both = positive_qp(P, q)
    return y * (both[:m] - both[m:])


def exact_smooth_hinge(X: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Coefficients from the dual: the squared hinge's with a price and an upper bound."""
    Q, m = gram(X) * np.outer(y, y), len(y)
    cap = C * weights / m
    P = Q + np.diag(TAU / cap)
    found = minimize(
        lambda a: (a @ P @ a / 2 - a.sum(), P @ a - 1),
        cap / 2,
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, u) for u in cap],
        options={"ftol": 1e-16, "gtol": 1e-12, "maxiter": 20_000},
    )
    return y * found.x


EXACT = {"odm": exact_odm, "squared_hinge": exact_squared_hinge, "smooth_hinge": exact_smooth_hinge}


def make_model(loss: str, **changes: object) -> CSVRGClassifier:
    settings = {
        "loss": loss,
        "C": C,
        "gamma": GAMMA,
        "theta": THETA,
        "mu": MU,
        "tau": TAU,
        "diameter": 0.0,
        "epochs": 30,
        "random_state": 0,
    }
    return CSVRGClassifier(**{**settings, **changes})


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("loss", EXACT)
def test_without_approximation_it_is_the_exact_machine(loss: str, weighted: bool) -> None:
    X, y = make_data()
    weights = np.random.default_rng(1).uniform(0.5, 2, size=len(y)) if weighted else np.ones(len(y))
    beta = EXACT[loss](X, y, weights)
    model = make_model(loss, epochs=60).fit(X, y, weights if weighted else None)
    assert np.abs(beta).max() > 0.1
    np.testing.assert_allclose(model.dual_coef_[0], beta, atol=1e-6)
    np.testing.assert_allclose(model.decision_function(X), gram(X) @ beta, atol=1e-6)


def test_hinge_comes_near_the_svm() -> None:
    """No claim of linear convergence; by strong duality the exact minimum is the dual's maximum."""
    X, y = make_data()
    Q, cap = gram(X) * np.outer(y, y), C / len(y)
    found = minimize(
        lambda a: (a @ Q @ a / 2 - a.sum(), Q @ a - 1),
        np.full(len(y), cap / 2),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, cap)] * len(y),
        options={"gtol": 1e-12, "maxiter": 20_000},
    )
    best = -found.fun
    model = make_model("hinge", epochs=200, inner_steps=500).fit(X, y)
    assert best * (1 - 1e-9) <= model.objective_[-1] < best * 1.01


@pytest.mark.parametrize("option", ["last", "random"])
@pytest.mark.parametrize("loss", EXACT)
def test_linear_convergence(loss: str, option: str) -> None:
    """The gap falls by a constant factor an epoch over many orders of magnitude."""
    X, y = make_data()
    model = make_model(loss, option=option, epochs=40).fit(X, y)
    best = make_model(loss, epochs=120).fit(X, y).objective_[-1]
    gap = np.array(model.objective_) - best
    epochs = np.flatnonzero(gap > 1e-10 * best)
    assert gap.min() < 1e-7 * gap[0]
    rate, _ = np.polyfit(epochs, np.log(gap[epochs]), 1)
    assert rate < np.log(0.8)
    # a straight line in the logarithm: no stretch of 10 epochs without progress
    starts = epochs[epochs + 10 < len(gap)]
    assert all(gap[s + 10] < 0.3 * gap[s] + 1e-10 * best for s in starts)


@pytest.mark.parametrize("loss", EXACT)
def test_the_gap_shrinks_with_the_diameter(loss: str) -> None:
    X, y = make_data()
    best = make_model(loss).fit(X, y).objective_[-1]
    gaps = [
        make_model(loss, diameter=d).fit(X, y).objective_[-1] - best for d in (1.5, 0.5, 0.15, 0.05)
    ]
    assert gaps[0] > 1e-3
    assert all(later < earlier / 2 for earlier, later in pairwise(gaps))
    # and with a diameter it stops there: more epochs change nothing any more
    twice = make_model(loss, diameter=1.5, epochs=60).fit(X, y).objective_[-1]
    assert twice - best == pytest.approx(gaps[0], rel=1e-4)


def radius(loss: str) -> float:
    if loss == "squared_hinge":
        return np.sqrt(C)
    return np.sqrt(C * ((1 - THETA) ** 2 + MU * (1 + THETA) ** 2)) / (1 - THETA)


@pytest.mark.parametrize("loss", ["odm", "squared_hinge"])
def test_projection_radius(loss: str) -> None:
    """The optimum is inside the ball, and steps far too long never leave it."""
    X, y = make_data()
    K, beta = gram(X), EXACT[loss](X, y, np.ones(len(y)))
    assert np.sqrt(beta @ K @ beta) < radius(loss)
    norms = []
    for steps in range(1, 80):
        wild = make_model(loss, epochs=1, inner_steps=steps, step=0.9).fit(X, y).dual_coef_[0]
        norms.append(np.sqrt(wild @ K @ wild))
    assert max(norms) == pytest.approx(radius(loss), rel=1e-9)


def test_coverage() -> None:
    X, y = make_data(3000)
    model = make_model("odm", diameter=0.8, epochs=1).fit(X, y)
    V = model.support_vectors_
    to_cores = np.sqrt(((X[:, None] - V[None]) ** 2).sum(axis=2)).min(axis=1)
    between = np.sqrt(((V[:, None] - V[None]) ** 2).sum(axis=2)) + 10 * np.eye(len(V))
    assert to_cores.max() < 0.4 <= between.min()
    assert V.shape == (model.n_support_, 2) and model.dual_coef_.shape == (1, model.n_support_)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_automatic_diameter_gives_as_many_cores_as_have_room(scale: float) -> None:
    X, y = make_data(5000)
    X = scale * X + 100 * scale
    model = CSVRGClassifier(epochs=1, inner_steps=10, memory_cap=20.0)
    assert 700 <= model.fit(X, y).n_support_ <= 1000  # the fewest, as 20 MiB hold the rows of 524
    model.set_params(memory_cap=60.0)
    assert 1100 <= model.fit(X, y).n_support_ <= 1572
    model.set_params(memory_cap=2.0)
    assert 350 <= model.fit(X, y).n_support_ <= 512  # whose own matrix has room there


@pytest.mark.parametrize("loss", ["odm", "squared_hinge", "smooth_hinge", "hinge"])
def test_automatic_strength_pulls_as_svc_does(loss: str) -> None:
    """C/m times the slope at margin 0 is the 1 of SVC(C=1), which weighs the sum of the losses."""
    X, y = make_data(300)
    model = make_model(loss, C="auto", epochs=1, inner_steps=10).fit(X, y)
    pull = {"odm": 2 / (1 - THETA), "squared_hinge": 2.0}.get(loss, 1.0)
    assert model.C_ == pytest.approx(300 / pull)
    assert make_model(loss, C=7, epochs=1, inner_steps=10).fit(X, y).C_ == 7.0


def test_automatic_diameter_of_few_rows() -> None:
    X, y = make_data(300)
    model = CSVRGClassifier(epochs=1, inner_steps=10)
    repeated = model.fit(np.repeat(X[:40], 50, axis=0), np.repeat(y[:40], 50))
    assert repeated.n_support_ == 40  # all different ones, not 2000
    equal = model.fit(np.ones((1500, 2)), np.arange(1500) % 2)
    assert equal.n_support_ == 1
    small = model.fit(X, y)
    assert small.n_support_ == 300 and small.diameter_ == 0


def test_one_vs_rest_is_independent_binary_machines() -> None:
    X, _ = make_data()
    y = np.digitize(X[:, 0] + X[:, 1], (-0.7, 0.7))
    model = make_model("odm", diameter=0.5).fit(X, y)
    assert model.dual_coef_.shape == (3, model.n_support_)
    parts = [make_model("odm", diameter=0.5).fit(X, y == c) for c in range(3)]
    for c, part in enumerate(parts):
        np.testing.assert_allclose(model.dual_coef_[c], part.dual_coef_[0], rtol=1e-9, atol=1e-12)
    assert model.objective_[-1] == pytest.approx(sum(p.objective_[-1] for p in parts), rel=1e-10)
    scores = np.column_stack([part.decision_function(X) for part in parts])
    assert np.array_equal(model.predict(X), scores.argmax(axis=1))


def test_same_seed_same_model() -> None:
    X, y = make_data()
    few = {"epochs": 2, "inner_steps": 100}
    one, two = (make_model("odm", **few).fit(X, y) for _ in range(2))
    assert np.array_equal(one.dual_coef_, two.dual_coef_) and one.objective_ == two.objective_
    other = make_model("odm", random_state=1, **few).fit(X, y)
    assert not np.array_equal(one.dual_coef_, other.dual_coef_)


def test_rows_of_weight_zero_change_nothing() -> None:
    X, y = make_data()
    rng = np.random.default_rng(0)
    keep = np.sort(rng.permutation(len(y) + 20)[: len(y)])
    padded, labels = rng.normal(size=(len(y) + 20, 2)), rng.choice([-1, 1], size=len(y) + 20)
    padded[keep], labels[keep] = X, y
    weights = np.zeros(len(labels))
    weights[keep] = 1
    plain = make_model("odm", diameter=0.5, epochs=2).fit(X, y)
    with_zeros = make_model("odm", diameter=0.5, epochs=2).fit(padded, labels, weights)
    np.testing.assert_array_equal(plain.support_vectors_, with_zeros.support_vectors_)
    np.testing.assert_allclose(plain.dual_coef_, with_zeros.dual_coef_, rtol=1e-12)


def test_far_from_the_origin_in_single_precision() -> None:
    X, y = make_data()
    X = np.round(X * 64) / 64  # exact in float32 even after the shift
    near = make_model("odm", diameter=0.5).fit(X, y)
    shifted = (X + 1000).astype(np.float32)
    far = make_model("odm", diameter=0.5).fit(shifted, y)
    assert far.n_support_ == near.n_support_
    np.testing.assert_allclose(far.decision_function(shifted), near.decision_function(X), atol=2e-3)


def test_too_many_cores_for_the_memory_cap() -> None:
    X, y = make_data()
    with pytest.raises(ValueError, match=r"diameter=0.*more than 36 core points.*memory_cap=0.01"):
        make_model("odm", memory_cap=0.01).fit(X, y)
    assert make_model("odm", memory_cap=0.01, diameter=1.0).fit(X, y).n_support_ <= 36


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("kernel", "linear"), ("C", -1.0), ("loss", "logistic"), ("diameter", "big"), ("theta", 1.0)],
)
def test_errors_name_the_parameter(parameter: str, value: object) -> None:
    X, y = make_data()
    with pytest.raises(ValueError, match=f"{parameter}.*{value}.*CSVRGClassifier"):
        CSVRGClassifier(**{parameter: value}).fit(X, y)
