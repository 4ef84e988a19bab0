"""Every learner as ONNX says what it says itself; what standard operators cannot express is refused."""

from __future__ import annotations

import subprocess
import sys
from typing import Any, NamedTuple

import numpy as np
import onnx
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from onkel import (
    CSVRGClassifier,
    FOGDClassifier,
    NystromRidgeRegressor,
    OGDClassifier,
    OGDRegressor,
    SPAOneClass,
)
from onkel.io import NotExportable, load_with_extras, to_onnx
from onkel.kernels import Matern32, Matern52, RationalQuadratic
from tests.io.onnx_answers import assert_same_as_onnx, said, session_of
from tests.io.test_old_files import FOLDER, KEPT
from tests.io.whole_cases import WHOLES

random = np.random.default_rng(0)
X = random.uniform(-1, 1, (80, 3))
Y = np.sin(3 * X[:, 0]) + X[:, 1]
OF_TODAY = [name for name in KEPT if name.startswith("version_3/")]
RACES = [name for name in OF_TODAY if name.split("/")[1].startswith("Race")]
LEARNERS = [
    name for name in OF_TODAY if name not in RACES and not name.split("/")[1].startswith("table")
]


@pytest.mark.parametrize("name", LEARNERS)
def test_every_kind_of_learner(name: str) -> None:
    """The models of the files: all learners, layouts, averages, half-lives, scalers."""
    model, extras = load_with_extras(FOLDER / f"{name}.onkel")
    probes, single_precision = extras["probes"], getattr(extras["probes"], "dtype", "") == "float32"
    tolerance = 1e-4 if single_precision and "ridge" in name else 1e-5  # which is the model's own
    made = assert_same_as_onnx(model, probes, tolerance=tolerance)
    assert {node.domain for node in made.graph.node} <= {"", "ai.onnx.ml"}
    assert made.producer_name == "onkel" and made.opset_import[0].version == 17


@pytest.mark.parametrize("name", RACES)
def test_of_a_race_the_leader(name: str) -> None:
    """A race answers by several learners; that which leads can be written."""
    model, extras = load_with_extras(FOLDER / f"{name}.onkel")
    with pytest.raises(NotExportable, match=r"of several learners.*export its leader_"):
        to_onnx(model)
    assert_same_as_onnx(model.leader_, extras["probes"])


@pytest.mark.parametrize(
    "kernel",
    [
        "rbf", "laplacian", "matern32", "matern52", "rational_quadratic", "polynomial", "linear",
        "sigmoid", RationalQuadratic(0.5, 2.5), Matern32(2.0), Matern52(0.1),
    ],
)  # fmt: skip
@pytest.mark.parametrize("arithmetic", ["float32", "float64"])
def test_every_kernel(kernel: Any, arithmetic: str) -> None:
    model = OGDRegressor(kernel=kernel, gamma=0.7, coef0=0.3, degree=3, random_state=0).fit(X, Y)
    assert_same_as_onnx(model, X, arithmetic=arithmetic)


def test_rows_far_from_the_origin_keep_their_digits() -> None:
    far = X + 1000.0
    model = OGDRegressor(gamma=5.0, random_state=0).fit(far.astype(np.float32).astype(float), Y)
    assert_same_as_onnx(model, far)
    assert_same_as_onnx(model, far, arithmetic="float32")


@pytest.mark.parametrize(
    ("labels", "kind"),
    [(["b", "a"], object), ([3, 7], np.int64), ([True, False], bool), ([1.0, 2.0], np.float32)],
)
def test_labels_keep_their_type(labels: list[Any], kind: Any) -> None:
    y = np.array(labels)[(Y > 0).astype(int)]
    model = OGDClassifier(gamma=1.0, random_state=0).fit(X, y.astype("U1") if kind is object else y)
    answers = said(session_of(to_onnx(model)), X)
    assert answers["label"].dtype == kind and np.array_equal(answers["label"], model.predict(X))


def test_one_class_so_far_and_none() -> None:
    model = FOGDClassifier(n_components=5, random_state=0).partial_fit(X[:3], ["a", "a", "a"])
    answers = said(session_of(to_onnx(model)), X)
    assert set(answers["label"]) == {"a"} and (answers["probabilities"] == 1.0).all()
    nothing = OGDClassifier().partial_fit(X[:2], [0, 1], classes=[0, 1, 2], sample_weight=[0, 0])
    assert_same_as_onnx(nothing, X)


def test_numbers_of_double_precision() -> None:
    model = NystromRidgeRegressor(n_components=40, random_state=0).fit(X, Y)
    session = session_of(to_onnx(model, dtype="float64"))
    (found,) = session.run(None, {"X": X})
    np.testing.assert_allclose(found[:, 0], model.predict(X), rtol=1e-7, atol=1e-9)


def test_outliers() -> None:
    model = SPAOneClass(gamma=0.5, contamination=0.2, random_state=0).fit(X.astype(np.float32))
    made = assert_same_as_onnx(model, X)
    assert [output.name for output in made.graph.output] == ["label", "scores"]


class MyKernel(NamedTuple):
    """A kernel of one's own."""

    gamma: float = 1.0
    geometry = "squared_distances"

    def value(self, g: Any) -> Any:
        return 1.0 / (1.0 + self.gamma * g)


def test_what_cannot_be_expressed_is_refused() -> None:
    function = OGDClassifier(kernel=lambda A, B: A @ B.T).fit(X, Y > 0)
    with pytest.raises(NotExportable, match=r"is a function: its code cannot be written as ONNX"):
        to_onnx(function)
    own = OGDClassifier(kernel=MyKernel()).fit(X, Y > 0)
    with pytest.raises(NotExportable, match=r"kernel=MyKernel\(gamma=1\.0\) is a part of your own"):
        to_onnx(own)
    with pytest.raises(NotExportable, match=r"PolynomialFeatures.*register_onnx_converters\(\)"):
        to_onnx(make_pipeline(PolynomialFeatures(), OGDClassifier()).fit(X, Y > 0))
    with pytest.raises(NotExportable, match="LogisticRegression is no model of onkel"):
        to_onnx(LogisticRegression().fit(X, Y > 0))


def test_bad_calls_say_what_is_wrong() -> None:
    for model in (OGDClassifier(), CSVRGClassifier(), WHOLES["drift_aware"].make()):
        with pytest.raises(NotFittedError):
            to_onnx(model)
    with pytest.raises(ValueError, match="dtype='half' must be one of 'float32', 'float64'"):
        to_onnx(OGDClassifier(), dtype="half")


def test_models_of_the_default_are_checked_and_read_again() -> None:
    model = FOGDClassifier(n_components=5, random_state=0).fit(X, Y > 0)
    made = onnx.load_from_string(to_onnx(model).SerializeToString())
    onnx.checker.check_model(made, full_check=True)
    assert [output.name for output in made.graph.output] == ["label", "probabilities", "scores"]


def test_onnx_is_not_imported_before_it_is_asked_for() -> None:
    program = """
import sys
sys.modules["onnx"] = sys.modules["skl2onnx"] = None  # as if they were not installed
import numpy as np
from onkel import FOGDClassifier, io
model = FOGDClassifier(n_components=2).partial_fit([[0.0]], [0], classes=[0, 1])
for ask in (lambda: io.to_onnx(model), io.register_onnx_converters):
    try:
        ask()
    except ModuleNotFoundError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    assert "to_onnx needs the package onnx" in first and "pip install 'onkel[onnx]'" in first
    assert "register_onnx_converters needs the package" in second
