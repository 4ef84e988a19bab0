"""The first look: what a model answers until it is complete, and what it leaves alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import onkel
from onkel.estimators import look
from onkel.estimators.online import OnlineLearner
from tests.estimators.cases import HANDFUL, assert_knows, knowledge, learn_on, scores
from tests.look.streams import LOOK, default, learned_in_pieces, stream
from tests.reference.first_look import rows_looked_at, scale_gamma

KS = [1, 2, 3, 7, 8, 64, 100, LOOK - 1, LOOK, LOOK + 20]


def test_the_reference_rule() -> None:
    assert [rows_looked_at(k, 512) for k in (1, 2, 3, 4, 7, 8, 511)] == [1, 2, 2, 4, 4, 8, 256]
    assert rows_looked_at(512, 512) == rows_looked_at(513, 512) == rows_looked_at(10**6, 512) == 512


@pytest.mark.parametrize("name", ["OGDClassifier", "OGDRegressor", "FOGDClassifier"])
@pytest.mark.parametrize("asked", ["once", "always"])
def test_it_is_a_function_of_the_number_of_rows(name: str, asked: str) -> None:
    """The twin is told gamma by the rule; all other settings of these learners are numbers."""
    X, y = stream(name)
    for k in KS:
        gamma = scale_gamma(X[: rows_looked_at(k, LOOK)])
        told = dict(gamma=gamma, epsilon=0.1) if name.endswith("Regressor") else dict(gamma=gamma)
        twin = learn_on(default(name).set_params(**told), X[:k], y[:k])
        model = default(name)
        if asked == "once":
            learn_on(model, X[:k], y[:k])
        else:
            learned_in_pieces(model, X[:k], y[:k], list(range(1, k)), lambda m: m.gamma_ and m)
        assert model.gamma_ == pytest.approx(gamma, rel=1e-12)
        np.testing.assert_allclose(scores(model, X), scores(twin, X), rtol=1e-7, atol=1e-9)
        assert model.t_ == model.progress_.seen == k
        assert model.progress_.mistakes == twin.progress_.mistakes


def test_asking_after_every_row_costs_little(monkeypatch: pytest.MonkeyPatch) -> None:
    learned: list[int] = []
    learn = OnlineLearner._learn

    def counted(self: Any, X: Any, targets: Any, weights: Any) -> None:
        learned.append(len(targets))
        learn(self, X, targets, weights)

    monkeypatch.setattr(OnlineLearner, "_learn", counted)
    X, y = stream("RBPClassifier", rows=LOOK)
    learned_in_pieces(default("RBPClassifier"), X, y, list(range(1, LOOK)), lambda m: m.t_ and m)
    assert sum(learned) < 3 * LOOK  # the provisional ones twice the rows in all, the real one once


def test_nothing_is_made_that_nobody_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(look.Provisional, "of", None)
    X, y = stream("AVMClassifier")
    names = onkel.AVMClassifier(random_state=0)
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X, columns=list("abc"))
    for start in range(0, len(X), 50):  # scikit-learn asks for names of features
        rows = slice(start, start + 50)
        names.partial_fit(table[rows], y[rows], classes=["no", "yes"])
    assert names.t_ == len(X) and names.feature_names_in_.tolist() == ["a", "b", "c"]


def test_kept_rows_are_copies() -> None:
    X, y = stream("OGDRegressor")
    room, targets, weights = np.empty((50, 3)), np.empty(50), np.empty(50)
    model = default("OGDRegressor")
    for start in range(0, 600, 50):
        room[:], targets[:], weights[:] = X[start : start + 50], y[start : start + 50], 0.7
        model.partial_fit(room, targets, sample_weight=weights)
        room[:], targets[:], weights[:] = np.nan, np.nan, np.nan
    whole = default("OGDRegressor").partial_fit(X[:600], y[:600], np.full(600, 0.7))
    np.testing.assert_allclose(model.predict(X), whole.predict(X), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("rows", [40, LOOK - 5])
@pytest.mark.parametrize("name", HANDFUL)
def test_bad_input_leaves_the_look_as_it_was(name: str, rows: int) -> None:
    X, y = stream(name)
    model = learn_on(default(name), X[:rows], None if y is None else y[:rows])
    before, kept = knowledge(model), model._look
    targets = None if y is None else y[:10]
    bad: list[tuple[Any, Any, dict[str, Any]]] = [
        (X[:10, :2], targets, {}),
        (np.where(X[:10] > 3, np.nan, X[:10]), targets, {}),
        (X[:10] * 1e200, targets, {}),
        (X[:10], targets, {"sample_weight": -np.ones(10)}),
    ]
    if y is not None:
        bad += [(X[:10], y[:9], {})]
    if hasattr(model, "classes_"):
        bad += [(X[:10], np.array(["maybe"] * 10), {})]
    for wrong, answers, more in bad:
        with pytest.raises(ValueError):
            learn_on(model, wrong, answers, **more)
        assert model._look is kept
        assert_knows(model, before)
    learn_on(model, X[rows:], None if y is None else y[rows:])
    whole = learn_on(default(name), X, y)
    np.testing.assert_allclose(scores(model, X), scores(whole, X), rtol=1e-9, atol=1e-9)


def test_an_error_at_the_end_of_the_look_leaves_it_as_it_was() -> None:
    """Only then gamma is known, and with it that kernel values overflow."""
    X, y = stream("OGDRegressor")
    X = (1e9 + X).astype("float32")
    model = onkel.OGDRegressor(kernel="polynomial", degree=9, random_state=0)
    model.partial_fit(X[:500], y[:500])
    kept = model._look
    with pytest.raises(ValueError, match="scale the features"):
        model.partial_fit(X[500:], y[500:])
    assert model._look is kept


def test_kernel_values_that_overflow_whatever_follows_are_refused_at_once() -> None:
    X, y = stream("OGDClassifier")
    model = onkel.OGDClassifier(kernel="polynomial", gamma=1.0, degree=9, random_state=0)
    learn_on(model, X[:50], y[:50])
    with pytest.raises(ValueError, match="scale the features"):
        learn_on(model, X[:50] * 1e40, y[:50])
    assert model.t_ == 50


@pytest.mark.parametrize("settings, says", [
    ({"gamma": -1.0}, "gamma"),
    ({"kernel": "linear"}, "kernel='linear'"),
    ({"loss": "odm", "classes": [0, 1, 2]}, "two classes"),
    ({"random_state": "x"}, "random_state"),
])  # fmt: skip
def test_wrong_parameters_are_refused_at_the_first_row(settings: Any, says: str) -> None:
    classes = settings.pop("classes", [0, 1])
    model = onkel.AVMClassifier(**settings)
    with pytest.raises(ValueError, match=says):
        model.partial_fit([[0.5, 1.0]], [1], classes=classes)
    assert not hasattr(model, "n_features_in_")


def test_parameters_count_from_the_first_row() -> None:
    X, y = stream("BSGDRegressor")
    model = default("BSGDRegressor").partial_fit(X[:100], y[:100])
    model.set_params(gamma=100.0, budget=2, loss="l2", average=0.0)
    whole = default("BSGDRegressor").partial_fit(X, y)
    model.partial_fit(X[100:300], y[100:300])
    assert model.n_support_ > 2
    model.partial_fit(X[300:], y[300:])
    assert model.gamma == 100.0 and model.budget == 2
    assert model.gamma_ == whole.gamma_ and model.n_support_ == whole.n_support_
    np.testing.assert_allclose(model.predict(X), whole.predict(X), rtol=1e-9, atol=1e-9)
    assert model.fit(X, y).n_support_ == 2


def test_fit_looks_at_all_rows_and_ends_a_look() -> None:
    X, y = stream("OGDClassifier")
    model = learn_on(default("OGDClassifier"), X[:100], y[:100]).fit(X, y)
    assert model.gamma_ == pytest.approx(scale_gamma(X), rel=1e-12)
    assert model.t_ == len(X)
    fitted = default("OGDClassifier").fit(X, y)
    for one in (model, fitted):
        one.partial_fit(X[:10], y[:10])
        assert one.t_ == len(X) + 10
    np.testing.assert_array_equal(scores(model, X), scores(fitted, X))


def test_without_a_row_that_counts_nothing_is_learned() -> None:
    X, y = stream("OGDClassifier")
    model = learn_on(default("OGDClassifier"), X[:10], y[:10], sample_weight=np.zeros(10))
    assert (scores(model, X) == 0.0).all() and model.t_ == 0
    model.partial_fit(X[10:], y[10:])  # classes were told
    whole = learn_on(default("OGDClassifier"), X[10:], y[10:])
    np.testing.assert_array_equal(scores(model, X), scores(whole, X))


def test_a_provisional_model_that_fails_is_no_harm() -> None:
    """Who asks gets the error; learning goes on."""
    calls = 0

    def kernel(A: Any, B: Any) -> np.ndarray:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise RuntimeError("not now")
        return np.exp(-0.1 * ((A[:, None] - B[None]) ** 2).sum(axis=2))

    X, y = stream("OGDRegressor")
    model = onkel.OGDRegressor(kernel=kernel, random_state=0).partial_fit(X[:100], y[:100])
    model.partial_fit(X[100:200], y[100:200])
    with pytest.raises(RuntimeError, match="not now"):
        model.predict(X)
    assert np.isfinite(model.predict(X)).all()
    model.partial_fit(X[200:], y[200:])
    whole = onkel.OGDRegressor(gamma=0.1, random_state=0).partial_fit(X, y)
    np.testing.assert_allclose(model.predict(X), whole.predict(X), rtol=1e-7, atol=1e-7)


def test_the_rate_of_maintenance_of_a_stream() -> None:
    X, y = stream("NBSGDRegressor")
    for rows in (100, len(X)):
        model = default("NBSGDRegressor").partial_fit(X[:rows], y[:rows])
        assert model._fitted().recipe.budget.rate == 0.6 * 50_000
    assert default("NBSGDRegressor").fit(X, y)._fitted().recipe.budget.rate == 0.6 * len(X)


def test_copies_in_the_look_go_their_own_ways() -> None:
    import copy

    X, y = stream("RBPClassifier")
    one = learn_on(default("RBPClassifier"), X[:50], y[:50])
    scores(one, X)
    other = copy.copy(one)  # shallow
    learn_on(one, X[50:60], y[50:60])
    learn_on(other, X[100:110], y[100:110])
    scores(one, X)
    rows = [*range(50), *range(100, 110)]
    expected = learn_on(default("RBPClassifier"), X[rows], y[rows])
    np.testing.assert_allclose(scores(other, X), scores(expected, X), rtol=1e-9, atol=1e-9)
