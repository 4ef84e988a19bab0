"""Parts of ridge regression: statistics, the choice of a strength, errors without a row, when what happens."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from onkel.engine.ridge.inverse import change_of, follow, solved
from onkel.engine.ridge.schedule import chooses_after, period, refreshes_after, rows_left
from onkel.engine.ridge.statistics import Statistics
from onkel.engine.ridge.strength import best_strength, cross_validated, tridiagonal
from onkel.estimators.leave_one_out import left_out_errors, spectrum_of_features

D, C = 7, 3


def rows(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    z = random.normal(size=(n, D)) + 1.0
    y = z @ random.normal(size=(D, C)) + random.normal(size=(n, C))
    return z, y, random.uniform(0.5, 2.0, n)


def statistics_of(n: int, centred: bool = True, decay: float = 1.0, pieces: int = 1) -> Statistics:
    z, y, w = rows(n)
    known = Statistics.none(D, C, centred)
    for part in np.array_split(np.arange(n), pieces):
        new = known.increments(z[part].copy(), y[part].copy(), w[part], decay)
        known.add_to_gram(new)
        known = known.after(new)
    return known


@pytest.mark.parametrize("decay", [1.0, 0.9])
@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize("pieces", [1, 4, 30])
def test_statistics_are_sums(pieces: int, centred: bool, decay: float) -> None:
    z, y, w = rows(30)
    found = statistics_of(30, centred, decay, pieces)
    fade = decay ** np.arange(29, -1, -1)
    w = w * fade
    z_mean, y_mean = w @ z / w.sum(), w @ y / w.sum()
    np.testing.assert_allclose(found.mean, z_mean)
    np.testing.assert_allclose(found.target_mean, y_mean)
    if centred:
        z, y = z - z_mean, y - y_mean
    np.testing.assert_allclose(np.triu(found.gram), np.triu((z.T * w) @ z))
    assert (np.tril(found.gram, -1) == 0.0).all()
    np.testing.assert_allclose(found.cross, (z.T * w) @ y)
    np.testing.assert_allclose(found.squares, w @ np.square(y))
    assert found.rows == pytest.approx(fade.sum()) and found.weight == pytest.approx(w.sum())


@pytest.mark.parametrize("centred", [True, False])
def test_targets_of_another_unit(centred: bool) -> None:
    z, y, w = rows(30)
    known = Statistics.none(D, C, centred)
    new = known.increments(z, 3.0 * y - 7.0, w, 1.0)
    known.add_to_gram(new)
    expected, found = known.after(new), statistics_of(30, centred).with_targets(3.0, -7.0)
    for name in ("target_mean", "cross", "squares"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), err_msg=name)


def test_the_inverse_follows_rows_one_by_one() -> None:
    z, y, _ = rows(20)
    inverse, coef = np.eye(D) / 0.3, np.zeros((D, C))
    together = change_of(inverse, coef, z, y)
    for k in range(20):
        one = change_of(inverse, coef, z[k : k + 1], y[k : k + 1])
        np.testing.assert_allclose(one.errors[0], y[k] - z[k] @ coef)
        np.testing.assert_allclose(together.errors[k], one.errors[0])
        follow(inverse, one.steps, 1.0)
        coef = one.coef
    expected, weights = solved(np.triu(z.T @ z), z.T @ y, 0.3)
    np.testing.assert_allclose(np.triu(inverse), np.triu(expected), atol=1e-12)
    np.testing.assert_allclose(together.coef, weights, atol=1e-12)
    np.testing.assert_allclose(weights, np.linalg.solve(z.T @ z + 0.3 * np.eye(D), z.T @ y))


def test_a_matrix_that_rounding_made_indefinite_is_solved_all_the_same() -> None:
    gram = np.outer(np.ones(D), np.ones(D)) * (1.0 - 1e-16) - 1e-17 * np.eye(D)
    inverse, coef = solved(gram, np.ones((D, 1)), 1e-300)
    assert np.isfinite(inverse).all() and np.isfinite(coef).all()
    np.testing.assert_allclose(gram @ coef, 1.0, rtol=1e-6)


def test_the_tridiagonal_form_has_the_same_eigenvalues() -> None:
    known = statistics_of(40)
    full = np.triu(known.gram) + np.triu(known.gram, 1).T
    diagonal, beside, turned = tridiagonal(known.gram, known.cross)
    T = np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1)
    np.testing.assert_allclose(np.linalg.eigvalsh(T), np.linalg.eigvalsh(full))
    for strength in (0.1, 10.0):
        left, right = (
            np.linalg.solve(M + strength * np.eye(D), b)
            for M, b in ((T, turned), (full, known.cross))
        )
        np.testing.assert_allclose((turned * left).sum(), (known.cross * right).sum())
    one = tridiagonal(np.array([[3.0]]), np.array([[2.0]]))
    assert one[0] == [3.0] and one[1].size == 0


def test_cross_validation_is_its_formula() -> None:
    z, y, w = rows(40)
    z, y = (a - w @ a / w.sum() for a in (z, y))
    z, y = np.sqrt(w)[:, None] * z, np.sqrt(w)[:, None] * y
    strengths = np.array([0.01, 1.0, 100.0])
    expected = []
    for strength in strengths:
        hat = z @ np.linalg.solve(z.T @ z + strength * np.eye(D), z.T)
        left = 40 - 1.3 * (np.trace(hat) + 1)
        expected.append(40 * np.square(y - hat @ y).sum() / left**2)
    np.testing.assert_allclose(cross_validated(statistics_of(40), strengths, 1.3), expected)


def test_a_strength_for_which_there_are_too_few_rows_is_not_taken() -> None:
    known = statistics_of(6)
    errors = cross_validated(known, np.array([1e-9, 1e3]), 1.05)
    assert errors[0] == np.inf and np.isfinite(errors[1])
    assert best_strength(known, 1.05) > 1e-2


def test_the_strength_has_the_unit_of_the_rows() -> None:
    known = statistics_of(200)
    larger = known._replace(
        gram=100.0 * known.gram, cross=10.0 * known.cross, mean=10.0 * known.mean
    )
    assert best_strength(larger, 1.05) == pytest.approx(100.0 * best_strength(known, 1.05))
    assert Statistics.none(D, C, True).unit == 1.0


@pytest.mark.parametrize("intercept", [True, False])
def test_errors_without_a_row_are_those_of_fits_without_it(intercept: bool) -> None:
    z, y, _ = rows(12)
    strengths, errors = left_out_errors(z @ z.T, y, intercept)
    for strength, found in list(zip(strengths, errors))[::4]:
        squares = 0.0
        for k in range(12):
            rest = np.arange(12) != k
            z_mean = z[rest].mean(axis=0) * intercept
            y_mean = y[rest].mean(axis=0) * intercept
            Z, Y = z[rest] - z_mean, y[rest] - y_mean
            coef = np.linalg.solve(Z.T @ Z + strength * np.eye(D), Z.T @ Y)
            squares += np.square(y[k] - y_mean - (z[k] - z_mean) @ coef).sum()
        assert found == pytest.approx(squares / 12, rel=1e-6)


@pytest.mark.parametrize("intercept", [True, False])
def test_errors_without_a_row_from_fewer_features_than_rows(intercept: bool) -> None:
    z, y, _ = rows(4 * D)
    strengths, errors = left_out_errors(z @ z.T, y, intercept)
    known = spectrum_of_features(z)
    assert known.vectors.shape == (4 * D, D)
    np.testing.assert_allclose(known.strengths, strengths, rtol=1e-12)
    np.testing.assert_allclose(known.left_out_errors(y, intercept), errors, rtol=1e-8)


def test_refreshments_come_at_row_numbers() -> None:
    times = [t for t in range(20_001) if refreshes_after(t, 1000, 1.0)]
    assert times == [512, 2048, 4096, 8192, 12_288, 16_384]
    assert [t for t in range(40_000) if chooses_after(t)] == [2048, 8192, 32_768]
    assert period(10, 2.0 ** (-1 / 32)) == 32 and period(10, 0.5) == 1 and period(10, 1.0) == 512


def test_no_block_reaches_beyond_a_refreshment() -> None:
    for size, decay in itertools.product((5, 1000), (1.0, 2.0 ** (-1 / 100), 0.7)):
        t = 0
        while t < 5000:
            left = rows_left(t, 128, size, decay)
            assert not any(refreshes_after(t + k, size, decay) for k in range(1, left))
            t += left
