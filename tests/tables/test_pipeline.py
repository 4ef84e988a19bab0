"""The pipeline that learns from streams: with onkel's steps and scikit-learn's, in any chunks."""

from __future__ import annotations

import pickle
from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.decomposition import PCA, IncrementalPCA
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC

from onkel import (
    FOGDClassifier,
    KernelPerceptronClassifier,
    StreamPipeline,
    TableEncoder,
    make_stream_pipeline,
)
from tests.tables.rows import random_cuts
from tests.threads.test_learners import at_once

X, y = make_moons(1500, noise=0.1, random_state=0)
X = X * [100.0, 0.01] + [500, 0]
TABLE = {
    "a": [f"{v:.4f}" for v in X[:, 0]],
    "b": X[:, 1],
    "c": [["u", "v"][i % 2] for i in range(1500)],
}
CLASSES = [0, 1]


def part(cut: slice) -> dict[str, Any]:
    return {name: column[cut] for name, column in TABLE.items()}


def learned(pipeline: Any, cuts: list[slice], rows: Any = part) -> Any:
    for number, cut in enumerate(cuts):  # classes are declared once, as in scikit-learn
        options = {"classes": CLASSES} if number == 0 else {}
        pipeline.partial_fit(rows(cut), y[cut], **options)
    return pipeline


def fogd(**options: Any) -> FOGDClassifier:
    return FOGDClassifier(n_components=50, random_state=0, **options)


@pytest.mark.parametrize("count", [5, 300, 512, 1500])
def test_any_chunking_gives_the_same_model(count: int) -> None:
    whole = learned(make_stream_pipeline(TableEncoder(), fogd()), [slice(0, count)])
    for seed in range(2):
        model = learned(make_stream_pipeline(TableEncoder(), fogd()), random_cuts(count, seed))
        assert np.array_equal(model.decision_function(TABLE), whole.decision_function(TABLE))
    assert model[-1].t_ == count


def test_the_model_learns_a_table() -> None:
    model = learned(make_stream_pipeline(TableEncoder(), fogd(gamma=2.0)), [slice(0, 1000)])
    assert model.score(part(slice(1000, 1500)), y[1000:]) > 0.95


@pytest.mark.parametrize(
    "steps",
    [
        lambda: (StandardScaler(),),
        lambda: (StandardScaler(), IncrementalPCA(2)),
        lambda: ("passthrough", StandardScaler(), FunctionTransformer(np.tanh)),
    ],
)
def test_scikit_learn_s_transformers_learn_on_in_any_chunks(steps: Any) -> None:
    rows = X.__getitem__
    whole = learned(make_stream_pipeline(*steps(), fogd()), [slice(0, 1500)], rows)
    cuts = learned(make_stream_pipeline(*steps(), fogd()), random_cuts(1500, 1), rows)
    assert np.array_equal(cuts.decision_function(X), whole.decision_function(X))
    assert whole.score(X, y) > 0.8


def test_the_scaler_has_seen_the_blocks_that_are_complete() -> None:
    model = learned(make_stream_pipeline(StandardScaler(), fogd()), [slice(0, 1500)], X.__getitem__)
    assert model[0].n_samples_seen_ == 1024
    assert np.allclose(model[0].mean_, X[:1024].mean(axis=0))


def test_components_are_not_turned_under_the_learner() -> None:
    model = make_stream_pipeline(StandardScaler(), IncrementalPCA(2), fogd())
    learned(model, [slice(0, 600)], X.__getitem__)
    before = model[1].components_.copy()
    learned(model, [slice(600, 1500)], X.__getitem__)
    assert np.array_equal(model[1].components_, before) and model[0].n_samples_seen_ == 1024


def test_the_first_look_can_be_chosen() -> None:
    model = make_stream_pipeline(StandardScaler(), fogd(), look=100)
    learned(model, [slice(0, 150)], X.__getitem__)
    assert model[0].n_samples_seen_ == 100 and clone(model).look == 100
    assert make_stream_pipeline(TableEncoder(look=70), fogd(), look=10).get_params()["look"] == 10
    with pytest.raises(ValueError, match="look=0"):
        make_stream_pipeline(StandardScaler(), fogd(), look=0).partial_fit(X, y, classes=CLASSES)


def test_text_without_any_look() -> None:
    texts = [["good fine nice", "bad poor"][label] + f" t{i % 7}" for i, label in enumerate(y)]
    model = make_stream_pipeline(HashingVectorizer(n_features=64), SGDClassifier(random_state=0))
    learned(model, [slice(0, 3), slice(3, 100)], texts.__getitem__)
    assert model[-1].t_ == 101  # all rows at once, none is held
    assert model.score(texts, y) == 1.0


def test_a_provisional_model_answers_before_the_first_look_is_complete() -> None:
    last = KernelPerceptronClassifier(random_state=0)
    model = make_stream_pipeline(TableEncoder(), last)
    with pytest.raises(NotFittedError):
        model.predict(TABLE)
    model.partial_fit(part(slice(0, 1)), y[:1], classes=CLASSES)
    assert len(model.predict(TABLE)) == 1500
    learned(model, [slice(start, start + 10) for start in range(1, 391, 10)])
    assert model[-1].t_ == 391 and model.score(TABLE, y) > 0.8
    assert not hasattr(last, "classes_")  # the user's learner has not seen anything
    learned(model, [slice(391, 700)])
    assert model[-1] is last and last.t_ == 700


def test_transformers_that_need_many_rows_wait_for_them() -> None:
    rows = np.hstack([X, X**2, X**3])
    model = make_stream_pipeline(IncrementalPCA(5), fogd())
    model.partial_fit(rows[:3], y[:3], classes=CLASSES)
    with pytest.raises(NotFittedError):
        model.predict(rows)
    model.partial_fit(rows[3:20], y[3:20])
    assert len(model.predict(rows)) == 1500


def test_bad_rows_are_refused_and_nothing_is_learned() -> None:
    for before, bad in [(100, 50), (100, 1000), (600, 10), (600, 900)]:
        model = learned(make_stream_pipeline(TableEncoder(), fogd()), [slice(0, before)])
        expected = pickle.dumps(model)
        stop = before + bad
        labels = y[before:stop].copy()
        labels[-1] = 7
        with pytest.raises(ValueError, match=r"7"):
            model.partial_fit(part(slice(before, stop)), labels)
        cells = [*TABLE["a"][before : stop - 1], "word"]
        if stop >= 512:
            with pytest.raises(ValueError, match=r"column 'a', row .*'word' is not a number"):
                model.partial_fit({**part(slice(before, stop)), "a": cells}, y[before:stop])
        assert np.array_equal(
            model.decision_function(TABLE), pickle.loads(expected).decision_function(TABLE)
        )
        model.partial_fit(part(slice(before, stop)), y[before:stop])
        whole = learned(make_stream_pipeline(TableEncoder(), fogd()), [slice(0, stop)])
        assert np.array_equal(model.decision_function(TABLE), whole.decision_function(TABLE))


class Moody(StandardScaler):
    """Refuses to learn a certain row, which it would transform."""

    def partial_fit(self, X: Any, y: Any = None) -> Moody:
        if (np.asarray(X) == 7.0).any():
            raise ValueError("not that one")
        return super().partial_fit(X, y)


@pytest.mark.parametrize("stop", [1000, 1024, 1100])
def test_what_a_transformer_refuses_at_the_end_of_a_block_is_not_learned(stop: int) -> None:
    model = learned(make_stream_pipeline(Moody(), fogd()), [slice(0, 900)], X.__getitem__)
    bad = X[900:stop].copy()
    bad[50] = 7.0
    if stop < 1024:  # the transformer learns later, and then nothing of that chunk is learned
        model.partial_fit(bad, y[900:stop])
        bad, stop = X[stop:1024], 1024
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match="not that one"):
        model.partial_fit(bad, y[-len(bad) :])
    assert model[-1].t_ == pickle.loads(before)[-1].t_
    assert np.array_equal(model.decision_function(X), pickle.loads(before).decision_function(X))


def test_threads_take_turns() -> None:
    cuts = [slice(0, 700), slice(700, 1500)]
    one = learned(make_stream_pipeline(TableEncoder(), fogd()), cuts)
    other = make_stream_pipeline(TableEncoder(), fogd())
    for cut in reversed(cuts):
        other.partial_fit(part(cut), y[cut], classes=CLASSES)
    possible = [model.decision_function(TABLE) for model in (one, other)]
    for _ in range(3):
        model = make_stream_pipeline(TableEncoder(), fogd())
        at_once(*(partial(model.partial_fit, part(cut), y[cut], classes=CLASSES) for cut in cuts))
        found = model.decision_function(TABLE)
        assert any(np.array_equal(found, each) for each in possible)


def test_what_is_wrong_is_told_at_once() -> None:
    model = make_stream_pipeline(TableEncoder(kinds={"a": "number"}), fogd())
    with pytest.raises(ValueError, match="column 'a', row 2: 'word'"):
        model.partial_fit({"a": ["1", "word"]}, [0, 1], classes=CLASSES)
    with pytest.raises(ValueError, match="max_words=0"):
        make_stream_pipeline(TableEncoder(max_words=0), fogd()).partial_fit(
            part(slice(0, 9)), y[:9]
        )
    model = learned(make_stream_pipeline(StandardScaler(), fogd()), [slice(0, 9)], X.__getitem__)
    with pytest.raises(ValueError, match="infinity"):
        model.partial_fit([[np.inf, 1.0]] * 20, y[:20])
    assert model[-1].t_ == 9


@pytest.mark.parametrize(
    "change", [{"fogdclassifier__step": 0.1}, {"fogdclassifier": fogd(step=0.1)}]
)
def test_parameters_set_during_the_first_look_are_kept(change: dict[str, Any]) -> None:
    model = learned(make_stream_pipeline(TableEncoder(), fogd()), [slice(0, 100)])
    model.set_params(**change)
    model.partial_fit(part(slice(100, 700)), y[100:700], classes=CLASSES)
    whole = learned(make_stream_pipeline(TableEncoder(), fogd(step=0.1)), [slice(0, 700)])
    assert np.array_equal(model.decision_function(TABLE), whole.decision_function(TABLE))


def test_weights_go_to_the_learner() -> None:
    weights = np.random.default_rng(0).integers(0, 3, 1500).astype(float)
    models = []
    for cuts in ([slice(0, 1500)], random_cuts(1500, 2)):
        model = make_stream_pipeline(TableEncoder(), fogd())
        for cut in cuts:
            model.partial_fit(part(cut), y[cut], classes=CLASSES, sample_weight=weights[cut])
        models.append(model.decision_function(TABLE))
    assert np.array_equal(*models)
    unweighted = learned(make_stream_pipeline(TableEncoder(), fogd()), [slice(0, 1500)])
    assert not np.array_equal(models[0], unweighted.decision_function(TABLE))


@pytest.mark.parametrize("kind", ["array", "table", "frame"])
def test_rows_that_are_held_are_copies(kind: str) -> None:
    models = []
    for reuse in (False, True):
        step = StandardScaler() if kind == "array" else TableEncoder()
        model = make_stream_pipeline(step, fogd())
        for start in (0, 300, 600, 900, 1200):
            rows, labels, weights = (
                X[start : start + 300].copy(),
                y[start : start + 300].copy(),
                np.ones(300),
            )
            columns = {"a": rows[:, 0].copy(), "b": rows[:, 1].copy()}
            frame = pytest.importorskip("pandas").DataFrame(columns, copy=False)
            given = {"array": rows, "table": columns, "frame": frame}[kind]
            model.partial_fit(given, labels, classes=CLASSES, sample_weight=weights)
            if reuse:  # as programs do that fill one buffer again and again
                rows[:], labels[:], weights[:] = 0, 0, 0
                frame.loc[:, :] = 0.0
                for values in columns.values():
                    values[:] = 0
        models.append(
            model.decision_function(X if kind == "array" else {"a": X[:, 0], "b": X[:, 1]})
        )
    assert np.array_equal(*models)


def test_weights_may_come_late() -> None:
    model = learned(make_stream_pipeline(TableEncoder(), fogd()), [slice(0, 100)])
    model.partial_fit(part(slice(100, 600)), y[100:600], sample_weight=np.ones(500))
    whole = learned(make_stream_pipeline(TableEncoder(), fogd()), [slice(0, 600)])
    assert np.array_equal(model.decision_function(TABLE), whole.decision_function(TABLE))


def test_parameters_of_steps() -> None:
    model = StreamPipeline([("scale", StandardScaler()), ("fogd", fogd())])
    model.partial_fit(X[:600], y[:600], fogd__classes=CLASSES)
    assert model[-1].classes_.tolist() == CLASSES
    with pytest.raises(ValueError, match=r"does not know the parameter 'labels'.*fogd__labels"):
        model.partial_fit(X[:600], y[:600], labels=[1])


def test_steps_that_cannot_are_named() -> None:
    with pytest.raises(TypeError, match=r"step 'pca' \(PCA\) has no partial_fit"):
        make_stream_pipeline(PCA(1), fogd()).partial_fit(X, y, classes=CLASSES)
    fitted = make_stream_pipeline(PCA(1).fit(X), fogd())
    fitted.partial_fit(X, y, classes=CLASSES)
    with pytest.raises(AttributeError) as error:
        make_stream_pipeline(TableEncoder(), SVC()).partial_fit  # noqa: B018
    assert "step 'svc' (SVC)" in str(error.value.__cause__)
    assert not hasattr(make_stream_pipeline(TableEncoder(), SVC()), "partial_fit")


def test_it_is_a_pipeline() -> None:
    model = make_stream_pipeline(TableEncoder(), fogd())
    assert isinstance(model, Pipeline)
    model.set_params(fogdclassifier__gamma=2.0).fit(TABLE, y)
    assert model.score(TABLE, y) > 0.95
    plain = Pipeline(clone(model).steps).fit(TABLE, y)
    assert np.array_equal(plain.decision_function(TABLE), model.decision_function(TABLE))
    model.partial_fit(part(slice(0, 100)), y[:100])
    assert model[-1].t_ == 1600
    fresh = clone(model)
    assert isinstance(fresh, StreamPipeline) and not hasattr(fresh[-1], "classes_")


def test_fit_anew_forgets_what_was_held() -> None:
    model = learned(make_stream_pipeline(TableEncoder(), fogd()), [slice(0, 100)])
    model.fit(TABLE, y)
    expected = make_stream_pipeline(TableEncoder(), fogd()).fit(TABLE, y)
    assert np.array_equal(model.decision_function(TABLE), expected.decision_function(TABLE))


@pytest.mark.parametrize("count", [100, 512, 700])
def test_a_pickled_pipeline_goes_on_as_if_nothing_had_been(count: int) -> None:
    model = learned(make_stream_pipeline(TableEncoder(), fogd()), [slice(0, count)])
    again = pickle.loads(pickle.dumps(model))
    rest = slice(count, 1500)
    for each in (model, again):
        each.partial_fit(part(rest), y[rest])
    assert np.array_equal(again.decision_function(TABLE), model.decision_function(TABLE))
