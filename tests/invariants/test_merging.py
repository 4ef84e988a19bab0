"""Models of shards: who can become one, what they must share, and that an error changes nothing."""

import copy
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import onkel
from onkel import SupportsMerge

CAN = [
    "AVMClassifier", "AVMRegressor", "FOGDClassifier", "FOGDRegressor", "FourierRidgeClassifier",
    "FourierRidgeRegressor", "NOGDClassifier", "NOGDRegressor", "NystromRidgeClassifier",
    "NystromRidgeRegressor", "SPAClassifier", "SPAOneClass", "SPARegressor",
]  # fmt: skip
SMALL: dict[str, dict[str, Any]] = {
    "FOGD": {"n_components": 20},
    "NOGD": {"budget": 20, "rank": 8},
    "FourierRidge": {"n_components": 15},
    "NystromRidge": {"n_components": 15},
}


def make(name: str, **settings: Any) -> Any:
    family = name.removesuffix("Classifier").removesuffix("Regressor")
    return getattr(onkel, name)(random_state=0, **SMALL.get(family, {}) | settings)


def rows(name: str, n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, 3)) + 2.0
    wave = np.sin(2 * X[:, 0]) + X[:, 1]
    return X, 50 + 9 * wave if "Regressor" in name else np.digitize(wave, [1.5, 2.5])


def told(model: Any, X: Any) -> Any:
    ask = "score_samples" if "OneClass" in type(model).__name__ else "predict"
    return np.asarray(getattr(model, ask)(X))


@pytest.mark.parametrize("name", sorted(onkel.__all__))
def test_who_can_be_merged_says_so(name: str) -> None:
    learner = getattr(onkel, name)
    instance = learner() if "Composed" not in name else None
    if instance is None:
        assert not hasattr(learner, "merge")
        return
    assert isinstance(instance, SupportsMerge) == hasattr(instance, "merge") == (name in CAN)
    if name not in CAN:
        with pytest.raises(AttributeError, match=rf"{name} has no merge.*FOGDClassifier"):
            instance.merge(instance)


@pytest.mark.parametrize("form", ["dense", "csr"])
@pytest.mark.parametrize("name", CAN)
def test_copies_of_a_settled_model_become_one(name: str, form: str) -> None:
    X, y = rows(name)
    given: Any = sparse.csr_matrix(X) if form == "csr" else X
    settled = make(name).settle(given[::3], y[::3])
    before = copy.deepcopy(settled)
    assert settled.t_ == 0
    shards = [
        copy.deepcopy(settled).partial_fit(given[part], y[part])
        for part in (slice(0, 150), slice(150, 400))
    ]
    answers = [told(shard, given) for shard in shards]
    model = shards[0]
    assert model.merge(shards[1]) is model
    assert model.t_ == 400 and model.progress_.seen == 400
    np.testing.assert_array_equal(told(shards[1], given), answers[1])
    assert settled.t_ == before.t_ == 0
    seen = told(model, given)
    assert np.isfinite(seen.astype(float)).all()
    model.partial_fit(given[:50], y[:50])
    assert model.t_ == 450


@pytest.mark.parametrize("name", ["FOGDRegressor", "AVMRegressor", "SPAClassifier"])
def test_merging_nothing_new_changes_no_answer(name: str) -> None:
    X, y = rows(name)
    settled = make(name).settle(X, y)
    model = copy.deepcopy(settled).partial_fit(X, y)
    before = told(model, X)
    np.testing.assert_allclose(told(model.merge(settled), X), before, rtol=1e-9)


OTHERS: dict[str, tuple[str, dict[str, Any]]] = {
    "gamma": ("FOGDClassifier", {"gamma": 0.2}),
    "random_state": ("FOGDClassifier", {"random_state": 3}),
    "rule": ("FOGDClassifier", {"step": 0.1}),
    "loss": ("FOGDClassifier", {"loss": "logistic"}),
    "kernel": ("AVMClassifier", {"kernel": "matern32"}),
    "average": ("FOGDClassifier", {"average": 0.25}),
    "intercept": ("FOGDClassifier", {"intercept": False}),
    "half_life='auto'": ("FOGDClassifier", {"half_life": "auto"}),
    "diameter_": ("AVMClassifier", {"diameter": 0.3}),
    "target_scale_": ("FOGDRegressor", {"scale_targets": False}),
    "landmarks that are not settled": ("NOGDClassifier", {}),
}


@pytest.mark.parametrize("what", OTHERS)
def test_what_differs_is_named_and_nothing_changes(what: str) -> None:
    name, settings = OTHERS[what]
    X, y = rows(name)
    shared = {"gamma": 0.5} | ({"diameter": 0.5} if "AVM" in name else {})
    one = make(name, **shared).partial_fit(X, y)
    other = getattr(onkel, name)(**one.get_params() | settings).partial_fit(X[::-1], y[::-1])
    before = told(one, X), one.t_
    with pytest.raises(ValueError, match=r"cannot be merged.*settle") as error:
        one.merge(other)
    assert what.split("=")[0] in str(error.value)
    np.testing.assert_array_equal(told(one, X), before[0])
    assert one.t_ == before[1]


def test_one_that_does_not_fit_leaves_all_out() -> None:
    X, y = rows("FOGDClassifier")
    settled = make("FOGDClassifier").settle(X, y)
    one, two = (copy.deepcopy(settled).partial_fit(X[p], y[p]) for p in (slice(99), slice(99, 200)))
    with pytest.raises(ValueError, match="classes"):
        one.merge(two, make("FOGDClassifier").partial_fit(X, y, classes=[0, 1, 2, 7]))
    assert one.t_ == 99


def test_a_common_model_of_vectors_must_not_have_learned() -> None:
    X, y = rows("AVMClassifier")
    common = make("AVMClassifier", gamma=0.5, diameter=0.5).partial_fit(X, y)
    one, two = copy.deepcopy(common), copy.deepcopy(common)
    with pytest.raises(ValueError, match="common"):
        one.merge(two, common=common)


def test_settings_depend_on_the_number_of_rows_that_is_told() -> None:
    X, y = rows("AVMClassifier")
    few, many = (make("AVMClassifier").settle(X, y, n_rows=n) for n in (None, 400_000))
    strengths = [model._machine.recipe.rule.regularization for model in (few, many)]
    assert strengths == [1 / 400, 1 / 400_000]
    with pytest.raises(ValueError, match="n_rows=0"):
        few.settle(X, y, n_rows=0)
    assert make("AVMClassifier").settle(X, y, classes=[0, 1, 2, 9]).classes_.tolist() == [
        0,
        1,
        2,
        9,
    ]


def test_rounds_count_the_common_beginning_once() -> None:
    X, y = rows("FourierRidgeClassifier")
    settled = make("FourierRidgeClassifier", gamma=0.5, regularization=1.0).settle(X, y)
    whole = copy.deepcopy(settled).partial_fit(X, y)
    common = copy.deepcopy(settled).partial_fit(X[:100], y[:100])
    shards = [
        copy.deepcopy(common).partial_fit(X[p], y[p]) for p in (slice(100, 250), slice(250, 400))
    ]
    model = shards[0].merge(shards[1], common=common)
    assert model.t_ == 400
    np.testing.assert_allclose(model.coef_, whole.coef_, atol=1e-8)


def test_pipelines_share_their_encoder() -> None:
    rng = np.random.default_rng(0)
    table = {"word": rng.choice(["a", "b", "c"], 300), "number": rng.normal(size=300)}
    y = (table["word"] == "a").astype(int)
    some = {name: cells[:100] for name, cells in table.items()}
    pipeline = onkel.make_stream_pipeline(onkel.TableEncoder(), make("FOGDClassifier"))
    assert isinstance(pipeline, SupportsMerge)
    pipeline.settle(some, y[:100])
    one, two = (copy.deepcopy(pipeline).partial_fit(table, y) for _ in range(2))
    assert one.merge(two).steps[-1][1].t_ == 600
    other = onkel.make_stream_pipeline(onkel.TableEncoder(), make("FOGDClassifier"))
    other.settle({name: cells[100:] for name, cells in table.items()}, y[100:])
    with pytest.raises(ValueError, match="transformers"):
        one.merge(other)
    fixed = onkel.make_stream_pipeline(onkel.TableEncoder(), onkel.BSGDClassifier())
    assert not isinstance(fixed, SupportsMerge)


def test_landmarks_of_another_kernel_are_other_features() -> None:
    X, y = rows("NystromRidgeClassifier")
    settings = {"gamma": 0.5, "landmarks": X[:15]}
    one = make("NystromRidgeClassifier", **settings).partial_fit(X, y)
    other = make("NystromRidgeClassifier", kernel="laplacian", **settings).partial_fit(X, y)
    with pytest.raises(ValueError, match="cannot be merged"):
        one.merge(other)
