"""Models saved by this and by former versions still load, predict the same, and learn on."""

from __future__ import annotations

import io
import json
import sys
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import onkel
from onkel.drift import DriftAware
from onkel.io import load_with_extras, save
from onkel.io.versions import VERSION
from tests.io import model_cases

FOLDER = Path(__file__).parent / "models"
OLDEST = ("classifier_1", "regressor_1")
#: Every file of a format version, as a path without its suffix: "version_1/AVMClassifier".
KEPT = sorted(
    path.relative_to(FOLDER).with_suffix("").as_posix() for path in FOLDER.glob("version_*/*.onkel")
)
#: How many there are: none of them ever goes, and a new learner adds one.
COUNTS = {"version_1": 78, "version_3": 96}
#: Their maintenance shared its draws with sampling rules, and has some of its own since: what these
#: learn on differs from what was written down, and is not compared with it.
DRAWS_CHANGED = ("version_1/NBSGDClassifier", "version_1/NBSGDRegressor")
#: What another processor may round otherwise.
CLOSE = {"float64": {"rtol": 1e-10, "atol": 1e-12}, "float32": {"rtol": 1e-4, "atol": 1e-5}}


def learn(model: Any, X: Any, y: np.ndarray) -> Any:
    """Learn on; who can only learn all at once does so."""
    if not hasattr(model, "partial_fit"):
        return model.fit(X, y)
    declares = type(model).__name__.endswith("Classifier") or isinstance(model, DriftAware)
    first = declares and not hasattr(model, "classes_")
    return model.partial_fit(X, y, **{"classes": np.unique(y)} if first else {})


def scores(model: Any, X: Any) -> np.ndarray:
    ask = model.decision_function if hasattr(model, "decision_function") else model.predict
    return np.asarray(ask(X))


def test_no_file_is_gone():
    found = Counter(name.split("/")[0] for name in KEPT)
    assert all(found[version] >= count for version, count in COUNTS.items()), found


def test_every_learner_has_a_file():
    """One that has none yet: run ``python -m tests.io.make_models``, which writes it."""
    kept = {Path(name).name for name in KEPT}
    assert not {*onkel.__all__, "RaceClassifier", "RaceRegressor"} - kept


@pytest.mark.parametrize("name", KEPT)
def test_kept_files(name):
    model, extras = load_with_extras(FOLDER / f"{name}.onkel")
    close = closeness(model, extras["probes"])
    np.testing.assert_allclose(scores(model, extras["probes"]), extras["scores"], **close)
    if hasattr(model, "partial_fit"):
        before = model.progress_.seen
        learn(model, extras["more_X"], extras["more_y"])
        found = scores(model, extras["probes"])
        assert model.progress_.seen == before + model_cases.MORE_ROWS
        if name not in DRAWS_CHANGED:
            np.testing.assert_allclose(found, extras["scores_after"], **close)
        assert not np.allclose(found, extras["scores"], **close), "it learned nothing"


def entries(path: Path) -> dict[str, bytes]:
    """What a model file holds, unpacked."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize("name", [name for name in KEPT if name.startswith(f"version_{VERSION}/")])
def test_files_of_this_version_are_what_it_writes(name, tmp_path):
    """Else: if this version is out, give the next its number; if not, write its files anew."""
    path = FOLDER / f"{name}.onkel"
    if json.loads(entries(path)["header.json"])["onkel_version"] != onkel.__version__:
        pytest.skip("it was written by an earlier version, and stays")
    model, extras = load_with_extras(path)
    save(model, tmp_path / "again.onkel", extras)
    assert entries(tmp_path / "again.onkel") == entries(path)


def closeness(model: Any, rows: Any) -> dict[str, float]:
    """How close scores must be: rows of a table are encoded in single precision."""
    return CLOSE["float32" if isinstance(rows, dict) else rows.dtype.name]


@pytest.mark.parametrize("name", OLDEST)
def test_the_oldest_files(name):
    model, extras = load_with_extras(FOLDER / f"{name}.onkel")
    rows = np.array([[0.1, -0.2], [0.8, 0.5], [-0.6, 0.3], [0.0, 0.9]])
    np.testing.assert_allclose(scores(model, rows), extras["expected"], rtol=1e-6, atol=1e-9)
    X = np.random.default_rng(1).uniform(-1, 1, size=(150, 2)).round(3)
    y = X[:, 0] * X[:, 1]
    assert model.t_ == 150
    model.partial_fit(X, np.where(y > 0, "same", "other") if hasattr(model, "classes_") else y)
    assert model.t_ == 300


def test_models_from_before_there_were_probabilities_say_so():
    model, extras = load_with_extras(FOLDER / "version_1" / "FOGDClassifier.onkel")
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError) as error:
        _ = model.predict_proba
    assert "by a version of onkel without them. Learn it anew" in str(error.value.__cause__)
    learn(model, extras["more_X"], extras["more_y"])
    assert not hasattr(model, "predict_proba")
    assert model.fit(extras["more_X"], extras["more_y"]).predict_proba(extras["probes"]).all()
    model, extras = load_with_extras(FOLDER / "version_1" / "FOGDRegressor.onkel")
    with pytest.raises(ValueError, match="by a version of onkel without intervals: learn it anew"):
        model.predict_interval(extras["probes"])


def test_a_file_of_the_other_byte_order(tmp_path):
    """What a machine of that order would have written is read, and learned on from."""
    name, path = "version_3/BSGDClassifier.onkel", tmp_path / "turned.onkel"
    with zipfile.ZipFile(FOLDER / name) as old, zipfile.ZipFile(path, "w") as new:
        for entry in old.namelist():
            content = old.read(entry)
            if entry.endswith(".npy"):
                array = np.load(io.BytesIO(content))
                turned = io.BytesIO()
                np.save(turned, array.astype(array.dtype.newbyteorder("S")))
                content = turned.getvalue()
            else:
                other = {"little": (b'"<', b'">'), "big": (b'">', b'"<')}[sys.byteorder]
                content = content.replace(*other)
            new.writestr(entry, content)
    model, extras = load_with_extras(path)
    np.testing.assert_allclose(
        scores(model, extras["probes"]), extras["scores"], **CLOSE["float64"]
    )
    learn(model, extras["more_X"], extras["more_y"])
    assert model.t_ == model_cases.ROWS + model_cases.MORE_ROWS
