"""Whole pipelines in a file: raw rows in, the same answers out, and learned on as if there had been no file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_moons
from sklearn.decomposition import IncrementalPCA
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, StandardScaler

import onkel
from onkel import (
    FOGDClassifier,
    FOGDRegressor,
    Nystrom,
    RandomFourier,
    TableEncoder,
    make_stream_pipeline,
)
from onkel.io import ModelFileError, NotSavable, load, load_with_extras, save
from onkel.stream import Scaler
from tests.io.test_bad_files import set_in, with_header
from tests.io.test_round_trip import again

ROWS = 1500
X, y = make_moons(ROWS, noise=0.1, random_state=0)
X = X * [100.0, 0.01] + [500, 0]
TABLE: dict[str, Any] = {
    "a": [f"{v:.4f}" if i % 9 else "?" for i, v in enumerate(X[:, 0])],
    "b": X[:, 1],
    "ü": [["u", "v", None, f"w{i % 40}"][i % 4] for i in range(ROWS)],
    "day": np.datetime64("2024-01-01T07:00") + np.arange(ROWS) * np.timedelta64(5, "h"),
    "yes": [i % 3 == 0 for i in range(ROWS)],
    "late": [None if i < 600 else i * i for i in range(ROWS)],
    "name": [f"row {i}" for i in range(ROWS)],
}
TEXTS = [["good fine", "bad poor"][label] + f" t{i % 7}" for i, label in enumerate(y)]


def fogd() -> FOGDClassifier:
    return FOGDClassifier(n_components=30, random_state=0)


def of_table(rows: slice) -> dict[str, Any]:
    return {name: column[rows] for name, column in TABLE.items()}


def wide(rows: slice) -> Any:
    columns = np.tile([3, 1500], (ROWS, 1))
    spread = sparse.csr_matrix(
        (X.ravel(), columns.ravel(), np.arange(0, 2 * ROWS + 1, 2)), (ROWS, 2000)
    )
    return spread[rows]


CASES: dict[str, tuple[Any, Any]] = {
    "table": (lambda: (TableEncoder(),), of_table),
    "table with hashed words": (lambda: (TableEncoder(max_words=4, n_hashed=3),), of_table),
    "table and scaler": (lambda: (TableEncoder(sparse_output=False), StandardScaler()), of_table),
    "scikit-learn's scaler": (lambda: (StandardScaler(),), X.__getitem__),
    "interval": (lambda: (MinMaxScaler(), "passthrough"), X.__getitem__),
    "components": (lambda: (StandardScaler(), IncrementalPCA(2)), X.__getitem__),
    "our scaler": (lambda: (Scaler("unit_variance"),), X.__getitem__),
    "our scaler of sparse rows": (lambda: (Scaler("unit_interval"),), wide),
    "text": (lambda: (HashingVectorizer(n_features=64),), TEXTS.__getitem__),
}  # fmt: skip


@pytest.mark.parametrize("rows", [0, 300, 512, 1400])
@pytest.mark.parametrize("case", CASES)
def test_a_file_anywhere_on_the_way_changes_nothing(case: str, rows: int, tmp_path: Path) -> None:
    steps, part = CASES[case]
    model = make_stream_pipeline(*steps(), fogd())
    if rows:
        model.partial_fit(part(slice(0, rows)), y[:rows], classes=[0, 1])
    twin = again(model, tmp_path)
    everything = part(slice(0, ROWS))
    if rows > 5:
        assert np.array_equal(twin.predict(everything), model.predict(everything))
    for one in (model, twin):
        one.partial_fit(part(slice(rows, ROWS)), y[rows:], classes=[0, 1])
    expected = model.decision_function(everything)
    assert np.array_equal(twin.decision_function(everything), expected)
    save(model, tmp_path / "one")
    save(twin, tmp_path / "other")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_frames_that_wait_stay_frames(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": X[:, 0], "b": X[:, 1].astype(np.float32)})
    model = make_stream_pipeline(StandardScaler(), fogd())
    model.partial_fit(frame[:700], y[:700], classes=[0, 1])
    twin = again(model, tmp_path)
    for one in (model, twin):
        one.partial_fit(frame[700:], y[700:])
    assert twin[0].feature_names_in_.tolist() == ["a", "b"] and twin[0].n_samples_seen_ == 1024
    assert np.array_equal(twin.decision_function(frame), model.decision_function(frame))


def test_asking_before_saving_leaves_the_file_as_it_is(tmp_path: Path) -> None:
    model = make_stream_pipeline(TableEncoder(), fogd())
    model.partial_fit(of_table(slice(0, 300)), y[:300], classes=[0, 1])
    save(model, tmp_path / "before")
    model[0].describe(), model.predict(of_table(slice(0, 5)))
    save(model, tmp_path / "after")
    assert (tmp_path / "before").read_bytes() == (tmp_path / "after").read_bytes()


@pytest.mark.parametrize(
    "encoder", [TableEncoder(), TableEncoder(min_count=1, kinds={"a": "word"})]
)
def test_an_encoder_by_itself(encoder: TableEncoder, tmp_path: Path) -> None:
    twin = again(encoder.fit(TABLE), tmp_path)
    found, expected = (np.asarray(one.transform(TABLE).todense()) for one in (twin, encoder))
    assert np.array_equal(found, expected)
    assert repr(twin.describe()) == repr(encoder.describe())


@pytest.mark.parametrize("first", [RandomFourier(random_state=0), Nystrom(random_state=0)])
def test_feature_maps(first: Any, tmp_path: Path) -> None:
    model = make_stream_pipeline(StandardScaler(), first, fogd()).fit(X, y)
    assert np.array_equal(again(model, tmp_path).decision_function(X), model.decision_function(X))


class TestFilesWhereTheScalingStoodBesideTheLearner:
    """As `onkel train` wrote them before pipelines were kept whole."""

    def written(self, model: Any, path: Path, **preparation: Any) -> None:
        kept: dict[str, Any] = {
            "task": "classification", "scaler": None, "classes": None, "target_mean": 0.0,
            "target_spread": 1.0, "n_features": 2, "feature_names": None, "target": None,
        }  # fmt: skip
        save(model, path, {"preparation": kept | preparation, "note": "kept"})

    def test_they_are_pipelines_now(self, tmp_path: Path) -> None:
        scaler = Scaler("unit_variance")
        scaler.learn(X)
        learner = fogd().fit(scaler.transform(X), y)
        names = {"feature_names": ["a", "b"], "target": "y"}
        self.written(learner, tmp_path / "m", scaler=scaler.state(), **names)
        model, extras = load_with_extras(tmp_path / "m")
        assert np.array_equal(model.predict(X), learner.predict(scaler.transform(X)))
        assert extras == {"note": "kept", "target": "y", "columns": ["a", "b"]}
        assert model.score(X, y) > 0.8 > learner.score(X, y)
        model.partial_fit(X, y)
        assert model[-1].t_ == 2 * ROWS

    def test_numbers_are_in_their_own_unit(self, tmp_path: Path) -> None:
        rows, unscaled = X / 100, FOGDRegressor(random_state=0, scale_targets=False)
        learner = unscaled.fit(rows, y)
        self.written(learner, tmp_path / "m", target_mean=7.0, target_spread=2.0)
        model = load(tmp_path / "m")
        np.testing.assert_allclose(model.predict(rows), learner.predict(rows) * 2 + 7, rtol=1e-14)
        np.testing.assert_allclose(
            model.predict_interval(rows), learner.predict_interval(rows) * 2 + 7, rtol=1e-14
        )
        found, inner = model.progress_.squared_error, learner.progress_.squared_error
        assert found == pytest.approx(4 * inner)
        model.partial_fit(rows, 7.0 + 2.0 * y)
        learner.partial_fit(rows, 1.0 * y)
        np.testing.assert_allclose(model.predict(rows), learner.predict(rows) * 2 + 7, rtol=1e-12)
        model.fit(rows, 1e6 + 50.0 * y)
        assert model.target_mean_ == pytest.approx(1e6 + 50.0 * y.mean())

    @pytest.mark.parametrize(
        "mean, spread", [(np.nan, 1.0), (0.0, 0.0), (0.0, -1.0), (0.0, np.inf)]
    )
    def test_a_unit_that_is_none_is_refused(
        self, mean: float, spread: float, tmp_path: Path
    ) -> None:
        learner = FOGDRegressor(random_state=0, scale_targets=False).fit(X / 100, y)
        self.written(learner, tmp_path / "m", target_mean=mean, target_spread=spread)
        with pytest.raises(ModelFileError, match="no unit"):
            load(tmp_path / "m")

    def test_without_any_scaling_they_are_the_learner(self, tmp_path: Path) -> None:
        self.written(fogd().fit(X, y), tmp_path / "m")
        assert isinstance(load(tmp_path / "m"), FOGDClassifier)


class TestWhatCannotBeSaved:
    def test_a_foreign_transformer_is_named(self, tmp_path: Path) -> None:
        model = make_stream_pipeline(StandardScaler(), FunctionTransformer(np.tanh), fogd())
        with pytest.raises(
            NotSavable, match=r"step 'functiontransformer' is a FunctionTransf.*pickle"
        ):
            save(model, tmp_path / "m")

        class StandardScaler2(StandardScaler):
            pass

        StandardScaler2.__name__ = "StandardScaler"
        with pytest.raises(NotSavable, match="step 'standardscaler' is a StandardScaler, which"):
            save(make_stream_pipeline(StandardScaler2(), fogd()), tmp_path / "m")
        assert not list(tmp_path.iterdir())

    def test_a_function_inside_a_known_one(self, tmp_path: Path) -> None:
        model = make_stream_pipeline(HashingVectorizer(tokenizer=str.split), fogd())
        with pytest.raises(NotSavable, match=r"step 'hashingvectorizer'\.tokenizer=.*function"):
            save(model, tmp_path / "m")

    def test_scikit_learn_s_own_pipeline(self, tmp_path: Path) -> None:
        with pytest.raises(TypeError, match=r"Pipeline is not one.*as onkel\.StreamPipeline"):
            save(make_pipeline(StandardScaler(), fogd()), tmp_path / "m")


def encoding_of(header: dict[str, Any]) -> dict[str, Any]:
    return steps_of(header)[0]["state"]["encoding_"]["state"]


def steps_of(header: dict[str, Any]) -> list[dict[str, Any]]:
    return [step["tuple"][1] for step in header["parameters"]["steps"]]


def feature(header: dict[str, Any], name: str) -> dict[str, Any]:
    return dict(encoding_of(header)["features"]["dict"])[name]


def waiting(header: dict[str, Any], column: str) -> dict[str, Any]:
    rows = header["state"]["_progress"]["fields"]["waiting"]["tuple"][0]
    return dict(rows["fields"]["X"]["state"]["cells"]["dict"])[column]["fields"]


LIES = {
    "a step unknown": lambda h: set_in(steps_of(h)[0], estimator="Popen"),
    "a step that is none": lambda h: set_in(h["parameters"], steps=[{"tuple": ["a", 7]}]),
    "no steps": lambda h: set_in(h["parameters"], steps=[]),
    "a method overwritten": lambda h: set_in(steps_of(h)[0]["state"], transform="gotcha"),
    "a parameter of the encoder": lambda h: set_in(steps_of(h)[0]["parameters"], look=-1),
    "a wider table": lambda h: set_in(encoding_of(h), width=5000),
    "a narrower table": lambda h: set_in(encoding_of(h), width=3),
    "a place that is not there": lambda h: set_in(feature(h, "b")["state"], place=9999),
    "a word without a place": lambda h: set_in(feature(h, "ü")["state"], own={"dict": [["u", 10**6]]}),
    "a spread that is no number": lambda h: set_in(
        feature(h, "b")["state"]["spread"]["state"], squares={"float": "nan"}
    ),
    "an attribute more": lambda h: set_in(feature(h, "b")["state"], put="gotcha"),
    "an attribute of another type": lambda h: set_in(feature(h, "b")["state"], place="0"),
    "a feature of another kind": lambda h: set_in(feature(h, "b"), object="Words"),
    "a feature that is none": lambda h: set_in(feature(h, "b"), object="Table"),
    "other names": lambda h: set_in(encoding_of(h), names=["x"] * 7),
    "words that are not there": lambda h: set_in(waiting(h, "ü"), words={"tuple": ["u"]}),
    "a form unknown": lambda h: set_in(waiting(h, "b"), form="picture"),
    "rows that count backwards": lambda h: set_in(h["state"]["_progress"]["fields"], rows=-1),
    "a progress that is none": lambda h: set_in(h["state"], _progress="soon"),
}  # fmt: skip


@pytest.fixture(scope="module")
def table_model(tmp_path_factory: Any) -> Path:
    path = tmp_path_factory.mktemp("pipelines") / "good.onkel"
    model = make_stream_pipeline(TableEncoder(), fogd())
    save(model.partial_fit(of_table(slice(0, 1400)), y[:1400], classes=[0, 1]), path)
    return path


@pytest.mark.parametrize("lie", LIES)
def test_headers_that_lie(lie: str, table_model: Path, tmp_path: Path) -> None:
    with_header(table_model, tmp_path / "same", lambda h: None)
    assert load(tmp_path / "same")[-1].t_ == 1400
    path = with_header(table_model, tmp_path / "m", LIES[lie])
    with pytest.raises(ModelFileError, match="cannot be read as a model"):
        load(path)


def test_a_width_beyond_all_memory(tmp_path: Path) -> None:
    model = make_stream_pipeline(StandardScaler(), fogd()).partial_fit(X, y, classes=[0, 1])
    good = tmp_path / "good"
    save(model, good)

    def widen(header: dict[str, Any]) -> None:
        set_in(steps_of(header)[0]["state"], n_features_in_=10**13)

    with pytest.raises(ModelFileError, match="cannot be read as a model"):
        load(with_header(good, tmp_path / "wide", widen))


def test_a_file_that_is_cut_short(table_model: Path, tmp_path: Path) -> None:
    whole = table_model.read_bytes()
    for length in range(0, len(whole), len(whole) // 20):
        (tmp_path / "short").write_bytes(whole[:length])
        with pytest.raises(ModelFileError):
            load(tmp_path / "short")


def test_a_settled_pipeline_goes_on_from_its_file(tmp_path: Path) -> None:
    table = {"word": ["a", "b", "c"] * 100, "number": list(range(300))}
    labels = [word == "a" for word in table["word"]]
    learner = onkel.FOGDClassifier(n_components=5, random_state=0)
    pipeline = onkel.make_stream_pipeline(onkel.TableEncoder(), learner).settle(table, labels)
    save(pipeline, tmp_path / "settled.onkel")
    loaded = load(tmp_path / "settled.onkel")
    for model in (pipeline, loaded):
        model.partial_fit(table, labels)
    assert loaded.merge(pipeline).steps[-1][1].t_ == 600
