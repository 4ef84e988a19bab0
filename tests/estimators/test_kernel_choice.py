"""Kernels as parameters: by name, as onkel's parts and as a user's, and what a learner refuses."""

from __future__ import annotations

import math
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import onkel
from onkel.budgets import (
    Boxes,
    DropOldest,
    DropSmallest,
    ProjectNewest,
    Replace,
    Sometimes,
    Spheres,
)
from onkel.coresets.coverage import kernel_diameter
from onkel.estimators.kernels import KERNELS
from onkel.io import load, save
from onkel.io.errors import NotSavable
from onkel.kernels import Matern32, Matern52, Polynomial, RationalQuadratic, Rbf, Sigmoid
from tests.estimators.cases import EVERY, data_for, make, scores

X, y = data_for("OGDClassifier", 200)


class Inverse(NamedTuple):
    """The inverse multiquadric, which onkel does not have."""

    gamma: float
    geometry = "squared_distances"

    def value(self, g):
        return 1.0 / math.sqrt(1.0 + self.gamma * g)


class Mine(NamedTuple):
    """The Gaussian kernel by another name, with frequencies, but no claim to be Gaussian."""

    rate: float
    geometry = "squared_distances"

    def value(self, g):
        return math.exp(-self.rate * g)

    def rate_quantile(self, u):
        return self.rate + 0 * u


def test_a_kernel_without_its_parameters_is_refused() -> None:
    """The class, not a part: it is callable, but no function of rows."""
    with pytest.raises(ValueError, match=r"kernel=<class.*Rbf'> is not allowed in OGDClassifier"):
        make("OGDClassifier", kernel=Rbf).fit(X, y)


@pytest.mark.parametrize("name", ["LLSVMClassifier", "OGDClassifier"])
def test_a_kernel_chosen_after_fit_waits_for_the_next_one(name: str) -> None:
    model = make(name).fit(X, y)
    before = scores(model, X)
    model.set_params(kernel="laplacian")
    np.testing.assert_array_equal(scores(model, X), before)


@pytest.mark.parametrize(
    "kernel",
    [Rbf(-1.0), Rbf(math.nan), RationalQuadratic(0.5, 0.0), RationalQuadratic(0.5, -1.0)],
    ids=str,
)
@pytest.mark.parametrize("name", ["OGDClassifier", "FOGDClassifier", "LLSVMClassifier"])
def test_a_kernel_of_distances_that_grows_with_them_is_refused(name: str, kernel: Any) -> None:
    with pytest.raises(ValueError, match=r"kernel=.* must fall from its value at distance 0"):
        make(name, kernel=kernel).fit(X, y)


def inverse(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    return 1 / np.sqrt(1 + 0.5 * ((A[:, None] - B[None]) ** 2).sum(axis=2))


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("OGDClassifier", {}),
        ("BSGDClassifier", {"maintenance": "removal"}),
        ("NOGDClassifier", {}),
        ("ProjectronClassifier", {}),
    ],
)
def test_a_part_of_ones_own_equals_the_same_function(name: str, changes: Any) -> None:
    learned = [
        make(name, kernel=kernel, shuffle=False, **changes).fit(X, y)
        for kernel in (Inverse(0.5), inverse)
    ]
    assert learned[0].n_support_ == learned[1].n_support_ > 10
    part, function = (scores(model, X) for model in learned)
    np.testing.assert_allclose(part, function, rtol=1e-6, atol=1e-8)
    assert learned[0].gamma_ == 0.5


@pytest.mark.parametrize("name", ["AVMClassifier", "FOGDClassifier", "LLSVMClassifier"])
def test_a_part_of_ones_own_that_is_the_gaussian(name: str) -> None:
    mine, theirs = (make(name, kernel=kernel).fit(X, y) for kernel in (Mine(0.5), Rbf(0.5)))
    named = make(name, kernel="rbf", gamma=0.5).fit(X, y)
    assert make(name, kernel=Rbf(0.7)).fit(X, y).gamma_ == 0.7
    np.testing.assert_allclose(scores(mine, X), scores(theirs, X), rtol=1e-9, atol=1e-11)
    np.testing.assert_array_equal(scores(theirs, X), scores(named, X))


def test_single_precision_and_pickle_with_a_part_of_ones_own() -> None:
    rows = X.astype(np.float32)
    model = make("OGDClassifier", kernel=Inverse(0.5)).fit(rows, y)
    exact = make("OGDClassifier", kernel=Inverse(0.5)).fit(X, y)
    np.testing.assert_allclose(scores(model, rows), scores(exact, X), atol=1e-3)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(scores(again, rows), scores(model, rows))


def test_kernels_in_model_files(tmp_path: Path) -> None:
    model = make("OGDClassifier", kernel=RationalQuadratic(0.5, 2.0)).fit(X, y)
    save(model, tmp_path / "m.onkel")
    again = load(tmp_path / "m.onkel")
    assert again.kernel == RationalQuadratic(0.5, 2.0)
    np.testing.assert_array_equal(scores(again, X), scores(model, X))
    features = make("FOGDClassifier", kernel="matern32").fit(X, y)
    save(features, tmp_path / "f.onkel")
    np.testing.assert_array_equal(scores(load(tmp_path / "f.onkel"), X), scores(features, X))
    with pytest.raises(NotSavable, match="a part of your own"):
        save(make("OGDClassifier", kernel=Inverse(0.5)).fit(X, y), tmp_path / "x.onkel")


SCRIPT = """
from typing import NamedTuple
import numpy as np
from onkel import OGDClassifier
class Flat(NamedTuple):
    geometry = "products"
    def value(self, g): return {height}
model = OGDClassifier(intercept=False, kernel=Flat(), step=0.1, average=False)
model.partial_fit(np.ones((1, 2)), [1], classes=[0, 1])
print(model.decision_function(np.ones((1, 2)))[0] / model.dual_coef_[0, 0])
"""


def test_an_edit_between_two_runs_takes_effect(tmp_path: Path) -> None:
    script = tmp_path / "mine.py"
    environment = {**os.environ, "PYTHONPATH": str(Path(onkel.__file__).parent.parent)}
    told = []
    for height in (1.0, 4.0):
        script.write_text(SCRIPT.format(height=height))
        run = subprocess.run(
            [sys.executable, str(script)], env=environment, capture_output=True, text=True
        )
        assert run.returncode == 0, run.stderr
        told.append(float(run.stdout))
    assert told == pytest.approx([1.0, 4.0])


# ---- refusals -----------------------------------------------------------------------------------

#: Those that AVM takes are listed, and no others.
EUCLIDEAN = "'rbf', 'matern32', (?!.*('laplacian'|'polynomial'|'linear'|'sigmoid'))"


@pytest.mark.parametrize(
    ("name", "changes", "words"),
    [
        ("AVMClassifier", {"kernel": "foo"}, f"kernel must be {EUCLIDEAN}"),
        ("AVMClassifier", {"kernel": Sigmoid(1.0, 0.0)}, "Sigmoid.*function of Euclidean distance"),
        ("FOGDClassifier", {"kernel": Inverse(0.5)}, "Inverse.*frequencies that can be drawn"),
        ("FOGDClassifier", {"kernel": "sigmoid"}, "kernel must be 'rbf', 'laplacian', 'matern32'"),
        ("BSGDClassifier", {"kernel": "matern32"}, "Gaussian kernel for maintenance='merging'"),
        ("BSGDClassifier", {"kernel": Mine(0.5)}, "Gaussian kernel for maintenance='merging'"),
        ("BSGDClassifier", {"kernel": "sigmoid", "maintenance": "projection"}, "positive definite"),
        ("NOGDClassifier", {"kernel": "sigmoid"}, "kernel='sigmoid'.*positive definite"),
        ("ProjectronClassifier", {"kernel": Polynomial(1.0, 3, -1.0)}, "positive definite"),
        ("LLSVMClassifier", {"kernel": "sigmoid"}, "kernel='sigmoid'.*'rbf', 'laplacian'"),
        (
            "KernelSGDRegressor",
            {"kernel": "sigmoid", "loss": "l2"},
            "TargetBall.*positive definite",
        ),
    ],
)
def test_what_a_learner_cannot_use(name: str, changes: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make(name, **changes).fit(X, y if "Classifier" in name else X[:, 0])


def test_what_a_budget_cannot_use() -> None:
    cells = Spheres(0.5, 0, False, 0.0, 1.0), Boxes(0.5, 0, False, 0.0, 1.0)
    for budget in cells:
        for kernel in ("laplacian", "linear", inverse):
            with pytest.raises(
                ValueError, match=f"budget={type(budget).__name__} needs a function"
            ):
                make("ComposedClassifier", budget=budget, kernel=kernel).fit(X, y)
        make("ComposedClassifier", budget=budget, kernel="matern32").fit(X, y)
    with pytest.raises(ValueError, match="budget=ProjectNewest needs a positive definite kernel"):
        budget = ProjectNewest(10, 0.1, -1.0, 1e-10)
        make("ComposedClassifier", budget=budget, kernel="sigmoid").fit(X, y)
    make("ComposedClassifier", budget=DropOldest(10), kernel="sigmoid").fit(X, y)


NEGATIVE_OWN_VALUE = {"kernel": "sigmoid", "coef0": -1.0}


@pytest.mark.parametrize(
    ("name", "changes", "part"),
    [
        ("PAClassifier", {}, "rule=PassiveAggressive"),
        ("SPAClassifier", {}, "rule=SampledPassiveAggressive"),
        ("SPAOneClass", {}, "rule=SampledPassiveAggressive"),
        ("BSGDClassifier", {"maintenance": "removal"}, "budget=DropSmallest"),
        ("ComposedClassifier", {"budget": Replace(10)}, "budget=Replace"),
        ("ComposedClassifier", {"budget": Sometimes(DropSmallest(10), 0.5)}, "budget=Sometimes"),
        ("PARegressor", {"kernel": Polynomial(1.0, 3, -1.0)}, "rule=PassiveAggressive"),
    ],
)
def test_what_cannot_be_done_where_rows_are_unlike_themselves(
    name: str, changes: Any, part: str
) -> None:
    """Steps of a length over k(x, x), and the least of |c|^2 k(v, v), have no meaning where that is negative."""
    model = make(name, **NEGATIVE_OWN_VALUE | changes)
    with pytest.raises(
        ValueError, match=f"{part} needs a kernel whose k\\(x, x\\) is never negative"
    ):
        model.fit(X, y if "Classifier" in name else X[:, 0])


def test_what_can_be_done_all_the_same() -> None:
    make("BSGDClassifier", maintenance="removal", kernel="sigmoid", coef0=0.5).fit(X, y)
    make("OGDClassifier", **NEGATIVE_OWN_VALUE).fit(X, y)
    make("PAClassifier", kernel=Polynomial(1.0, 2, -1.0)).fit(X, y)
    make("ComposedClassifier", budget=DropOldest(10), **NEGATIVE_OWN_VALUE).fit(X, y)


def test_a_row_of_no_length_stands_in_for_nobody() -> None:
    model = make("ComposedClassifier", budget=Replace(5), kernel="linear").fit(X, y)
    before = model.dual_coef_
    model.partial_fit(np.zeros((1, X.shape[1])), y[:1])
    assert np.isfinite(model.decision_function(X)).all()
    np.testing.assert_array_equal(model.dual_coef_, before)


def test_a_learner_has_only_the_kernel_parameters_it_uses() -> None:
    for name in EVERY:
        model = getattr(onkel, name)()
        allowed = getattr(model, "kernels_allowed", ())
        if name.startswith(("AVM", "FOGD", "FourierRidge", "CSVRG")):
            assert not {"degree", "coef0"} & set(model.get_params()), name
            assert "polynomial" not in allowed
        else:
            assert {"degree", "coef0"} <= set(model.get_params()), name
    with pytest.raises(TypeError, match="degree"):
        onkel.FOGDClassifier(degree=99)


@pytest.mark.parametrize("kernel", KERNELS)
def test_every_kernel_by_name(kernel: str) -> None:
    model = make("OGDClassifier", kernel=kernel).fit(X, y)
    assert model.score(X, y) > 0.6


# ---- cells --------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.99, 0.9])
@pytest.mark.parametrize(
    "kernel", [Rbf(2.0), Rbf(1e-300), Rbf(1e300), Matern32(0.3), Matern52(7.0), Inverse(0.5)]
)
def test_the_diameter_at_which_a_kernel_has_a_value(kernel: Any, share: float) -> None:
    radius = kernel_diameter(share, kernel) / 2
    assert kernel.value(radius * radius) == pytest.approx(share, rel=1e-9)
    if isinstance(kernel, Rbf):
        assert radius == pytest.approx(math.sqrt(-math.log(share)) / math.sqrt(kernel.gamma))


def test_cells_of_a_kernel_that_never_falls() -> None:
    class Constant(NamedTuple):
        geometry = "squared_distances"

        def value(self, g):
            return 2.0

    assert np.isfinite(kernel_diameter(0.9, Constant()))
    assert make("AVMClassifier", kernel=Constant(), diameter="auto").fit(X, y).n_support_ == 1


def test_automatic_cells_follow_the_kernel() -> None:
    rough, smooth = (
        make("AVMClassifier", kernel=kernel, diameter="auto").fit(X[:30], y[:30]).diameter_
        for kernel in ("matern32", "rbf")
    )
    assert 0 < rough < smooth
