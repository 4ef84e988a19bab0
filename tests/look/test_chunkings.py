"""Any chunking of a stream gives the same model, with every default: settings come from the first 512 rows."""

from __future__ import annotations

import copy
import pickle
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from onkel.io import load, save
from tests.estimators.cases import HANDFUL, ONLINE, learn_on, scores
from tests.io.test_round_trip import arrays_of, assert_same_inside
from tests.look.streams import CHUNKINGS, LOOK, default, learned_in_pieces, stream

#: Attributes that tell what was chosen.
CHOSEN = ("gamma_", "diameter_", "epsilon_", "rank_")
FEW = ["BSGDClassifier", "FOGDClassifier", "AVMRegressor", "SPAOneClass"]


def chosen(model: Any) -> dict[str, Any]:
    """All that was chosen from the first rows, to the last bit."""
    machine = model._fitted()
    found = {name: getattr(model, name) for name in CHOSEN if hasattr(model, name)}
    found |= {"kernel": repr(machine.kernel), "shape": repr(machine.shape)}
    if not hasattr(machine, "parts"):  # ridge regression
        return found | arrays_of(machine.settings, "settings")
    return found | arrays_of(machine.parts, "parts") | {"offset": repr(machine.offset)}


@cache
def whole(name: str, thin: bool) -> tuple[dict[str, Any], Any]:
    """What a model has chosen that got all rows at once, and the model."""
    model = learn_on(default(name), *stream(name, thin))
    return chosen(model), model


@pytest.mark.parametrize("thin", [False, True], ids=["dense", "csr"])
@pytest.mark.parametrize("name", ONLINE)
def test_any_chunking_gives_the_same_model(name: str, thin: bool) -> None:
    """What is chosen, to the last bit; what is learned, up to the rounding of matrix products."""
    X, y = stream(name, thin)
    settings, model = whole(name, thin)
    expected = scores(model, X)
    for chunking, cuts in CHUNKINGS.items():
        other = learned_in_pieces(default(name), X, y, cuts)
        found = chosen(other)
        assert found.keys() == settings.keys()
        for what, value in settings.items():
            np.testing.assert_array_equal(found[what], value, err_msg=f"{chunking}: {what}")
        assert other.t_ == model.t_ and other.progress_.mistakes == model.progress_.mistakes
        np.testing.assert_allclose(scores(other, X), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("thin", [False, True], ids=["dense", "csr"])
@pytest.mark.parametrize("name", ONLINE)
def test_the_look_is_learned_to_the_last_bit(name: str, thin: bool) -> None:
    X, y = stream(name, thin, LOOK)
    one = learn_on(default(name), X, y)
    for chunking in ("ones", "sevens", "mixed"):
        cuts = [cut for cut in CHUNKINGS[chunking] if cut < LOOK]
        assert_same_inside(learned_in_pieces(default(name), X, y, cuts), one)


def through_a_file(model: Any, folder: Path) -> Any:
    save(model, folder / "model.onkel")
    return load(folder / "model.onkel")


WAYS: dict[str, Any] = {
    "asked": lambda model, X, folder: (scores(model, X[:5]), chosen(model), model.progress_),
    "pickled": lambda model, X, folder: pickle.loads(pickle.dumps(model)),
    "copied": lambda model, X, folder: copy.deepcopy(model),
    "saved": lambda model, X, folder: through_a_file(model, folder),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", HANDFUL)
def test_what_happens_in_between_changes_nothing(name: str, way: str, tmp_path: Path) -> None:
    X, y = stream(name, rows=LOOK)

    def between(model: Any) -> Any:
        result = WAYS[way](model, X, tmp_path)
        return model if way == "asked" else result

    cuts = [1, 10, 64, 100, LOOK - 1]
    one = learned_in_pieces(default(name), X, y, cuts)
    assert_same_inside(learned_in_pieces(default(name), X, y, cuts, between), one)


@pytest.mark.parametrize("name", FEW)
def test_a_file_of_the_look_does_not_tell_the_chunks(name: str, tmp_path: Path) -> None:
    X, y = stream(name, rows=100)
    for chunking, cuts in {"one": [], "many": list(range(1, 100))}.items():
        save(learned_in_pieces(default(name), X, y, cuts), tmp_path / chunking)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "many").read_bytes()
    again = load(tmp_path / "one")
    np.testing.assert_array_equal(scores(again, X), scores(learn_on(default(name), X, y), X))


@pytest.mark.parametrize("first", ["dense", "csr"])
@pytest.mark.parametrize("name", FEW)
def test_the_first_row_decides_on_type_and_form(name: str, first: str) -> None:
    X, y = stream(name)
    form = np.asarray if first == "dense" else sparse.csr_matrix
    model = default(name)
    y = [None] * len(X) if y is None else y
    parts = [
        (0, 1, form, "float32"),
        (1, 50, np.asarray, "float64"),
        (50, 90, sparse.csr_matrix, "float64"),
    ]
    parts += [(90, len(X), sparse.csr_array, "float32")]
    for start, stop, kind, dtype in parts:
        learn_on(model, kind(X[start:stop].astype(dtype)), y[start:stop])
    alike = learn_on(default(name), form(X.astype("float32")), y)
    assert model._fitted().shape == alike._fitted().shape
    assert model._fitted().shape.dtype == np.float32
    assert model.gamma_ == alike.gamma_
    np.testing.assert_allclose(scores(model, X), scores(alike, X), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", FEW)
def test_rows_of_no_weight_are_not_looked_at(name: str) -> None:
    X, y = stream(name)
    random = np.random.default_rng(0)
    weights = random.choice([0.0, 0.5, 2.0], len(X))
    weights[:20] = 0.0
    model = default(name)
    for start in range(0, len(X), 10):
        rows = slice(start, start + 10)
        learn_on(model, X[rows], None if y is None else y[rows], sample_weight=weights[rows])
    left = weights > 0
    other = default(name)
    learn_on(other, X[left], None if y is None else y[left], sample_weight=weights[left])
    assert model.t_ == other.t_ == left.sum()
    assert chosen(model).keys() == chosen(other).keys()
    assert model.gamma_ == other.gamma_
    np.testing.assert_allclose(scores(model, X), scores(other, X), rtol=1e-9, atol=1e-9)
