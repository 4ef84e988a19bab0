"""Bad input: a clear error or a right answer, and the model as it was before the call."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import sparse

import onkel.estimators.rows
from tests.estimators.cases import (
    BATCH,
    CLASSIFIERS,
    EVERY,
    ON_FOURIER_FEATURES,
    ONLINE,
    ONLINE_CLASSIFIERS,
    REGRESSORS,
    assert_knows,
    data_for,
    knowledge,
    learn_on,
    learned,
    make,
    scores,
)


class Bad(NamedTuple):
    """A change of good data that makes it bad, and what the error must say."""

    change: Callable[[Any, Any], dict[str, Any]]
    says: str


def with_value(value: float) -> Callable[[Any, Any], dict[str, Any]]:
    def change(X: Any, y: Any) -> dict[str, Any]:
        X[7, 1] = value
        return {"X": X, "y": y}

    return change


def sparse_with_value(value: float) -> Callable[[Any, Any], dict[str, Any]]:
    return lambda X, y: {"X": sparse.csr_matrix(with_value(value)(X, y)["X"]), "y": y}


def weighted(weights: Callable[[int], Any]) -> Callable[[Any, Any], dict[str, Any]]:
    return lambda X, y: {"X": X, "y": y, "sample_weight": weights(len(X))}


def one_weight(value: Any) -> Callable[[Any, Any], dict[str, Any]]:
    return weighted(lambda n: [1.0] * (n - 1) + [value])


def rows(change: Callable[[Any], Any]) -> Callable[[Any, Any], dict[str, Any]]:
    return lambda X, y: {"X": change(X), "y": y}


ROWS = {
    "NaN": Bad(with_value(np.nan), "Input X contains NaN"),
    "infinity": Bad(with_value(-np.inf), "Input X contains infinity"),
    "sparse NaN": Bad(sparse_with_value(np.nan), "Input X contains NaN"),
    "sparse infinity": Bad(sparse_with_value(np.inf), "Input X contains infinity"),
    "complex": Bad(rows(lambda X: X + 1j), "[Cc]omplex"),
    "objects": Bad(rows(lambda X: np.array([[object()] * 3] * len(X))), "float"),
    "words": Bad(rows(lambda X: np.full(X.shape, "a")), "could not convert|numeric"),
    "dictionary": Bad(rows(lambda X: {"a": 1}), "2D array|scalar|dict"),
    "one dimension": Bad(rows(lambda X: X[:, 0]), "Expected 2D array, got 1D array"),
    "three dimensions": Bad(rows(lambda X: X[:, :, None]), "dim 3"),
    "scalar": Bad(rows(lambda X: 3.0), "Expected 2D array, got scalar|got <class 'float'>"),
    "no rows": Bad(lambda X, y: {"X": X[:0], "y": None if y is None else y[:0]}, "0 sample"),
    "squares overflow float64": Bad(with_value(1e160), "squares overflow float64: scale"),
    "sparse squares overflow": Bad(sparse_with_value(1e160), "squares overflow float64: scale"),
}
WIDTH = {
    "too narrow": Bad(rows(lambda X: X[:, :2]), "2 features.*expecting 3"),
    "too wide": Bad(rows(lambda X: np.hstack([X, X])), "6 features.*expecting 3"),
}
WEIGHTS = {
    "negative": Bad(one_weight(-1e-9), "sample_weight contains negative"),
    "NaN": Bad(one_weight(np.nan), "sample_weight contains negative numbers, NaN"),
    "infinite": Bad(one_weight(np.inf), "sample_weight contains negative numbers, NaN or inf"),
    "too few": Bad(
        weighted(lambda n: np.ones(n - 1)), r"sample_weight has shape \(59,\).* 60 rows"
    ),
    "matrix": Bad(weighted(lambda n: np.ones((n, 1))), r"sample_weight has shape \(60, 1\)"),
    "words": Bad(one_weight("heavy"), "sample_weight must contain numbers"),
    "complex": Bad(one_weight(1j), "sample_weight must contain numbers"),
    "objects": Bad(one_weight(None), "sample_weight contains|sample_weight must contain numbers"),
}
TARGETS = {
    "too few": Bad(lambda X, y: {"X": X, "y": y[:-1]}, "inconsistent numbers of samples"),
    "matrix": Bad(lambda X, y: {"X": X, "y": np.array([y, y]).T}, "1d array"),
    "missing": Bad(lambda X, y: {"X": X, "y": None}, "requires y to be passed"),
}
LABELS = {
    "unknown": Bad(lambda X, y: {"X": X, "y": np.where(y == "yes", "no", "maybe")}, "maybe"),
    "numbers": Bad(lambda X, y: {"X": X, "y": np.arange(len(y))}, "never declared"),
    "fractions": Bad(lambda X, y: {"X": X, "y": np.linspace(0, 1, len(y))}, "never declared"),
    "mixed": Bad(lambda X, y: {"X": X, "y": np.array([1, *y[1:]], object)}, "never declared|label"),
    "other classes": Bad(
        lambda X, y: {"X": X, "y": y, "classes": ["no", "perhaps", "yes"]},
        r"classes=\['no', 'perhaps', 'yes'\] is not the same .*: \['no', 'yes'\]",
    ),
}
NUMBERS = {
    "NaN": Bad(lambda X, y: {"X": X, "y": np.append(y[1:], np.nan)}, "Input y contains NaN"),
    "infinity": Bad(lambda X, y: {"X": X, "y": np.append(y[1:], np.inf)}, "Input y contains inf"),
    "words": Bad(lambda X, y: {"X": X, "y": np.full(len(y), "3.5")}, "y must contain numbers"),
    "complex": Bad(lambda X, y: {"X": X, "y": y + 1j}, "[Cc]omplex"),
    "huge": Bad(lambda X, y: {"X": X, "y": 1e160 * y}, "Input y .*squares overflow: scale the"),
}


def assert_refused(name: str, bad: Bad) -> None:
    model = learned(name)
    before = knowledge(model)
    X, y = data_for(name, seed=2)
    call = bad.change(X, y)
    with pytest.raises((ValueError, TypeError), match=bad.says):
        learn_on(model, **call)
    assert_knows(model, before)


@pytest.mark.parametrize("case", ROWS)
@pytest.mark.parametrize("name", EVERY)
def test_rows_are_refused(name: str, case: str) -> None:
    assert_refused(name, ROWS[case])
    # The same rows at the very first call, and for a prediction.
    fresh = make(name)
    X, y = data_for(name, seed=2)
    call = ROWS[case].change(X, y)
    with pytest.raises((ValueError, TypeError), match=ROWS[case].says):
        learn_on(fresh, **call)
    assert not hasattr(fresh, "n_features_in_") and not hasattr(fresh, "classes_")
    with pytest.raises((ValueError, TypeError), match=ROWS[case].says):
        learned(name).predict(call["X"])


@pytest.mark.parametrize("case", WIDTH)
@pytest.mark.parametrize("name", EVERY)
def test_another_width_is_refused(name: str, case: str) -> None:
    if name not in BATCH:
        assert_refused(name, WIDTH[case])
    X, y = data_for(name)
    with pytest.raises(ValueError, match=WIDTH[case].says):
        learned(name).predict(WIDTH[case].change(X, y)["X"])


@pytest.mark.parametrize("case", WEIGHTS)
@pytest.mark.parametrize("name", EVERY)
def test_weights_are_refused(name: str, case: str) -> None:
    assert_refused(name, WEIGHTS[case])


@pytest.mark.parametrize("case", TARGETS)
@pytest.mark.parametrize("name", CLASSIFIERS + REGRESSORS)
def test_targets_are_refused(name: str, case: str) -> None:
    assert_refused(name, TARGETS[case])


@pytest.mark.parametrize("case", LABELS)
@pytest.mark.parametrize("name", ONLINE_CLASSIFIERS)
def test_labels_are_refused(name: str, case: str) -> None:
    assert_refused(name, LABELS[case])


@pytest.mark.parametrize("case", NUMBERS)
@pytest.mark.parametrize("name", REGRESSORS)
def test_target_numbers_are_refused(name: str, case: str) -> None:
    assert_refused(name, NUMBERS[case])


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_too_few_classes(name: str) -> None:
    model = learned(name)
    before = knowledge(model)
    X, y = data_for(name)
    with pytest.raises(ValueError, match=r"at least (two|2) classes"):
        model.fit(X, np.full(len(y), "yes"))
    assert_knows(model, before)


@pytest.mark.parametrize(
    ("classes", "says"),
    [
        (["yes"], "needs at least two classes"),
        ([], "needs at least two classes|classes=.* must be a list"),
        (["no", "maybe"], r"never declared: \['yes'\]"),
        ([["no", "yes"]], "classes=.* must be a list of labels"),
        ([1, "yes", None], "classes=|never declared"),
        ([0.0, np.nan], "classes=.* must be a list of labels"),
        ("yes", "classes='yes' must be a list of labels"),
    ],
)
@pytest.mark.parametrize("name", ONLINE_CLASSIFIERS)
def test_classes_of_the_first_call(name: str, classes: Any, says: str) -> None:
    model = make(name)
    with pytest.raises(ValueError, match=says):
        model.partial_fit(*data_for(name), classes=classes)
    assert not hasattr(model, "classes_") and not hasattr(model, "n_features_in_")


@pytest.mark.parametrize("name", EVERY)
def test_no_weight_at_all(name: str) -> None:
    model = learned(name)
    before = knowledge(model)
    X, y = data_for(name)
    with pytest.raises(ValueError, match="weights are all zero"):
        model.fit(X, y, sample_weight=np.zeros(len(X)))
    if name in ONLINE:
        learn_on(model, X, y, sample_weight=np.zeros(len(X)))
    assert_knows(model, before)


# -- the fast way in ---------------------------------------------------------------------------


def row_cases(name: str) -> dict[str, tuple[np.ndarray, Any]]:
    X, y = data_for(name)
    y = None if y is None else y[:1]
    cases = {
        "NaN": (np.array([[0.0, np.nan, 1.0]]), y),
        "infinity": (np.array([[0.0, np.inf, 1.0]]), y),
        "huge": (np.array([[0.0, 1e200, 1.0]]), y),
        "wide": (np.ones((1, 4)), y),
        "none": (np.ones((0, 3)), None if y is None else y[:0]),
    }
    if name in REGRESSORS:
        cases["NaN target"] = (X[:1], np.array([np.nan]))
    if name in CLASSIFIERS:
        cases["unknown label"] = (X[:1], np.array(["maybe"]))
    return cases


@pytest.mark.parametrize("name", ONLINE)
def test_single_row_needs_no_validation(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    slow, fast = learned(name), learned(name)
    X, y = data_for(name, seed=3)
    row, target = X[:1], None if y is None else y[:1]
    slow.partial_fit(row.tolist(), None if target is None else target.tolist())
    validate = onkel.estimators.rows.validate_data
    monkeypatch.setattr(onkel.estimators.rows, "validate_data", None)
    fast.partial_fit(row, target)
    probe_scores = scores(fast, X)
    monkeypatch.setattr(onkel.estimators.rows, "validate_data", validate)
    np.testing.assert_array_equal(probe_scores, scores(slow, X))
    assert fast.t_ == 61


@pytest.mark.parametrize("name", ONLINE)
def test_single_row_gives_the_same_errors(name: str) -> None:
    for case, (row, target) in row_cases(name).items():
        told = []
        for X in (row, np.asfortranarray(np.vstack([row, row]))[: len(row)]):
            assert X.flags.c_contiguous == (X is row) or len(X) < 2
            model = learned(name)
            before = knowledge(model)
            with pytest.raises(ValueError) as error:
                model.partial_fit(X, target)
            told.append(str(error.value))
            assert_knows(model, before)
        assert told[0] == told[1], case


# -- right answers -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", EVERY)
def test_objects_that_are_numbers_are_learned(name: str) -> None:
    X, y = data_for(name)
    model = learn_on(make(name), X.astype(object), y)
    np.testing.assert_array_equal(scores(model, X), scores(learned(name), X))


@pytest.mark.parametrize("name", EVERY)
def test_huge_values(name: str) -> None:
    X, y = data_for(name)
    scaled = {"gamma": "scale"}
    if "diameter" in make(name).get_params():
        scaled["diameter"] = "auto"
    huge = X * 2.0**80
    with pytest.raises(ValueError, match="overflow float32: scale the features, or pass float64"):
        learn_on(make(name, **scaled), huge.astype(np.float32), y)
    model = learn_on(make(name, **scaled), huge, y)
    expected = scores(learn_on(make(name, **scaled), X, y), X)
    np.testing.assert_allclose(scores(model, huge), expected, rtol=1e-9, atol=1e-9)
    with pytest.raises(ValueError, match="overflow float32: scale the features, or pass float64"):
        single = learn_on(make(name, **scaled), X.astype(np.float32), y)
        scores(single, huge if name in ONLINE else huge.astype(np.float32))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("gamma", [1e300, 1e39, 1e-39, 1e-300])
@pytest.mark.parametrize("name", EVERY)
def test_extreme_gamma(name: str, gamma: float, dtype: type) -> None:
    X, y = data_for(name)
    X = X.astype(dtype)
    model = learn_on(make(name, gamma=gamma), X, y)
    learned_scores, far = scores(model, X), scores(model, X + 5)
    assert np.isfinite(learned_scores).all() and np.isfinite(far).all()
    if gamma < 1:  # a constant kernel knows no row from another
        assert np.ptp(learned_scores) <= 1e-4 * (1 + abs(learned_scores).max())
    elif not name.startswith(ON_FOURIER_FEATURES):  # the identity knows nothing of rows never seen
        assert np.ptp(far) == 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("gamma", [1e300, 1e39, 1e-300])
@pytest.mark.parametrize("name", ["FOGDClassifier", "OGDClassifier"])
def test_extreme_gamma_of_the_laplacian(name: str, gamma: float, dtype: type) -> None:
    X, y = data_for(name)
    model = learn_on(make(name, gamma=gamma, kernel="laplacian"), X.astype(dtype), y)
    assert np.isfinite(scores(model, X.astype(dtype) + 5)).all()


def takes_kernel(name: str, kernel: str) -> bool:
    allowed = getattr(make(name), "kernels_allowed", None)
    return name != "CSVRGClassifier" and (allowed is None or kernel in allowed)


@pytest.mark.parametrize("name", [name for name in EVERY if takes_kernel(name, "linear")])
def test_zero_rows_with_the_linear_kernel(name: str) -> None:
    X, y = data_for(name)
    X[::3] = 0
    for rows_ in (X, np.zeros_like(X), sparse.csr_matrix(X)):
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            model = learn_on(make(name, kernel="linear"), rows_, y)
            found = scores(model, X) + getattr(model, "offset_", 0.0)
        assert np.isfinite(found).all()
        assert (found[::3] == getattr(model, "intercept_", 0.0)).all()


@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
@pytest.mark.parametrize("name", EVERY)
def test_data_far_from_the_origin(name: str, kernel: str) -> None:
    if not takes_kernel(name, kernel) and kernel != "rbf":
        pytest.skip(f"{name} does not take the {kernel} kernel")
    X, y = data_for(name)
    X = (np.round(X * 256) / 256).astype(np.float32)  # so that adding 1000 loses no digit
    settings: dict[str, Any] = {"kernel": kernel}
    if "budget" in make(name).get_params() and not name.startswith("Composed"):
        settings["budget"] = 60  # k-means of LLSVM works on the rows as they are
    near = learn_on(make(name, **settings), X, y)
    far = learn_on(make(name, **settings), X + 1000, y)
    # Phases at 1000 carry an error of 1000 * 6e-8 times a frequency of about 3; what 60 rows say little of,
    # ridge regression weighs by up to 1 / (2 * sqrt(regularization)), here 16.
    tolerances = {"FOGD": 2e-3, "FourierRidge": 3e-2}
    tolerance = next((t for start, t in tolerances.items() if name.startswith(start)), 1e-5)
    np.testing.assert_allclose(scores(far, X + 1000), scores(near, X), atol=tolerance)


@pytest.mark.parametrize("name", EVERY)
def test_constant_features(name: str) -> None:
    X, y = data_for(name)
    probe = X.copy()
    X[:] = 0.3
    model = learn_on(make(name, gamma="scale"), X, y)
    assert np.isfinite(scores(model, probe)).all()
    assert np.ptp(scores(model, X)) < 1e-9
    assert model.gamma_ == pytest.approx(1 / 3)


def test_polynomial_values_that_overflow() -> None:
    model = make("OGDClassifier", kernel="polynomial", degree=30, gamma=1.0)
    X, y = data_for("OGDClassifier")
    learn_on(model, X, y)
    before = knowledge(model)
    with pytest.raises(ValueError, match=r"kernel=Polynomial\(.*degree=30.*lower gamma or degree"):
        learn_on(model, X * 1e6, y)
    with pytest.raises(ValueError, match=r"kernel=Polynomial\(.*degree=30.*lower gamma or degree"):
        model.predict(X * 1e6)
    assert_knows(model, before)


def test_divergence_is_an_error() -> None:
    X, y = data_for("OGDRegressor", n_rows=2000)
    model = make("OGDRegressor", kernel="linear", step=0.9)
    with pytest.raises(ValueError, match=r"OGDRegressor diverged.*step"):
        model.fit(100 * X, y)
