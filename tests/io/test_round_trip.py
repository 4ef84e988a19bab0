"""Saved and loaded, every learner predicts the same and learns on as if it had never stopped."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import onkel
from onkel.io import NotSavable, load, load_with_extras, save
from onkel.io.versions import VERSION
from onkel.losses import SquaredHinge
from tests.estimators.cases import (
    BATCH,
    EVERY,
    assert_knows,
    data_for,
    knowledge,
    learn_on,
    learned,
    make,
    scores,
)


def again(model: Any, folder: Path) -> Any:
    """The model after a stay in a file."""
    save(model, folder / "model.onkel")
    return load(folder / "model.onkel")


def content(model: Any, folder: Path) -> bytes:
    """The file, byte for byte."""
    save(model, folder / "model.onkel")
    return (folder / "model.onkel").read_bytes()


def arrays_of(thing: Any, where: str = "") -> dict[str, np.ndarray]:
    """Every array that a model holds, and everything else by its text."""
    if isinstance(thing, np.ndarray):
        return {where: thing}
    if hasattr(thing, "_asdict"):
        inside = thing._asdict()
    elif hasattr(thing, "__getstate__") and type(thing).__module__.startswith("onkel."):
        passing = ("_desk", "_work", "_own", "_sklearn_version")
        inside = {k: v for k, v in thing.__getstate__().items() if k not in passing}
    else:
        return {where: np.array(repr(thing))}
    found = {}
    for name, value in inside.items():
        found |= arrays_of(value, f"{where}.{name}")
    return found


def assert_same_inside(one: Any, other: Any) -> None:
    """To the last bit, also where no prediction looks."""
    first, second = arrays_of(one), arrays_of(other)
    assert first.keys() == second.keys()
    for name in first:
        np.testing.assert_array_equal(first[name], second[name], err_msg=name)
        assert first[name].dtype == second[name].dtype, name


@pytest.mark.parametrize("name", EVERY)
def test_loaded_models_know_and_learn_the_same(name, tmp_path):
    model = learned(name)
    twin = again(model, tmp_path)
    assert type(twin) is type(model) and twin.get_params() == model.get_params()
    assert_knows(twin, knowledge(model))
    assert_same_inside(twin, model)
    if name not in BATCH:
        more = data_for(name, n_rows=40, seed=5)
        for one in (model, twin):
            learn_on(one, *more)
        assert model.t_ == 100
        assert_knows(twin, knowledge(model))
        assert_same_inside(twin, model)
    assert content(twin, tmp_path) == content(model, tmp_path)


@pytest.mark.parametrize("name", ["AVMClassifier", "FOGDClassifier", "CSVRGClassifier"])
@pytest.mark.parametrize("n_features", [3, 1500])
def test_sparse_models(name, n_features, tmp_path):
    X, y = data_for(name, n_rows=80)
    X = sparse.csr_matrix((X.ravel(), np.tile([0, n_features // 2, n_features - 1], 80),
                           np.arange(0, 241, 3)), shape=(80, n_features))  # fmt: skip
    model = learn_on(make(name), X[:60], y[:60])
    twin = again(model, tmp_path)
    for one in (model, twin):
        learn_on(one, X[60:], y[60:])
    np.testing.assert_array_equal(scores(twin, X), scores(model, X))


def test_nogd_before_and_after_its_pause(tmp_path):
    X, y = data_for("NOGDClassifier", n_rows=90)
    whole = learn_on(make("NOGDClassifier"), X, y)
    model = make("NOGDClassifier")
    for start in range(0, 90, 10):  # a file in between at every stage
        model = again(learn_on(model, X[start : start + 10], y[start : start + 10]), tmp_path)
    np.testing.assert_allclose(scores(model, X), scores(whole, X), rtol=1e-10)


def test_an_unfitted_model_and_parameters_of_numpy(tmp_path):
    model = onkel.AVMClassifier(gamma=np.float64(0.25), max_cores=np.int64(7), loss=SquaredHinge())
    twin = again(model, tmp_path)
    assert twin.get_params() == model.get_params()
    assert type(twin.gamma) is np.float64 and type(twin.loss) is SquaredHinge
    assert not hasattr(twin, "classes_")


def test_a_random_state_is_kept_where_it_is(tmp_path):
    random = np.random.RandomState(3)
    random.normal()
    twin = again(onkel.FOGDClassifier(random_state=random), tmp_path)
    assert twin.random_state.normal() == random.normal()
    assert twin.random_state.randint(1000) == random.randint(1000)


def test_labels_and_names_of_any_kind(tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y = data_for("AVMClassifier")
    frame = pandas.DataFrame(X, columns=["a", "b", "ü"])
    model = make("AVMClassifier").fit(frame, y.astype(object))
    twin = again(model, tmp_path)
    assert twin.classes_.dtype == model.classes_.dtype
    assert twin.feature_names_in_.tolist() == ["a", "b", "ü"]
    np.testing.assert_array_equal(twin.predict(frame), model.predict(frame))


def test_extras_of_every_plain_kind(tmp_path):
    extras = {
        "numbers": [1, -2.5, float("inf"), 10**30, True, None],
        "nested": {"a": (1, "zwei"), 3: {"deep": []}},
        "array": np.arange(6, dtype=np.float32).reshape(2, 3),
        "words": np.array(["ä", "bc"]),
        "sparse": sparse.csr_array(np.eye(3)),
    }
    save(onkel.AVMClassifier(), tmp_path / "m", extras)
    found = load_with_extras(tmp_path / "m")[1]
    assert list(found) == list(extras)
    assert found["numbers"] == extras["numbers"] and found["nested"] == extras["nested"]
    assert type(found["nested"]["a"]) is tuple
    np.testing.assert_array_equal(found["array"], extras["array"])
    assert found["array"].dtype == np.float32 and found["words"].tolist() == ["ä", "bc"]
    assert isinstance(found["sparse"], sparse.csr_array) and found["sparse"].shape == (3, 3)
    assert load_with_extras(tmp_path / "m")[0].get_params() == onkel.AVMClassifier().get_params()


def test_the_same_model_gives_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        save(learned("AVMClassifier"), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_the_file_is_plain(tmp_path):
    save(learned("AVMClassifier"), tmp_path / "m")
    with zipfile.ZipFile(tmp_path / "m") as archive:
        header = json.loads(archive.read("header.json"))
        assert all(n == "header.json" or n.endswith(".npy") for n in archive.namelist())
    assert header["format"] == "onkel model" and header["format_version"] == VERSION
    assert header["class"] == "AVMClassifier" and header["parameters"]["gamma"] == 0.5


class TestWhatCannotBeSaved:
    def test_a_callable_kernel(self, tmp_path):
        model = onkel.OGDClassifier(kernel=lambda a, b: a @ b.T)
        with pytest.raises(NotSavable, match=r"kernel=.*function.*kernel by its name.*pickle"):
            save(model, tmp_path / "m")
        assert list(tmp_path.iterdir()) == []

    def test_a_part_of_ones_own(self, tmp_path):
        from typing import NamedTuple

        class Hinge(NamedTuple):  # onkel's name, but not onkel's code
            def value(self, m):
                return 0.0

            def slope(self, m):
                return 0.0

        with pytest.raises(NotSavable, match=r"loss=.*part of your own.*onkel's parts"):
            save(onkel.ComposedClassifier(loss=Hinge()), tmp_path / "m")

    def test_a_class_of_ones_own(self, tmp_path):
        class AVMClassifier(onkel.AVMClassifier):
            pass

        with pytest.raises(TypeError, match="not one of onkel's learners"):
            save(AVMClassifier(), tmp_path / "m")
        with pytest.raises(TypeError, match="dict is not one of onkel's learners"):
            save({}, tmp_path / "m")

    def test_extras_that_are_no_data(self, tmp_path):
        with pytest.raises(NotSavable, match=r"extras\['f'\]=.*it is a function"):
            save(onkel.AVMClassifier(), tmp_path / "m", {"f": print})
        with pytest.raises(NotSavable, match=r"extras\['o'\]=.*it is a object"):
            save(onkel.AVMClassifier(), tmp_path / "m", {"o": object()})
