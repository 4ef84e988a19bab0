"""SPAOneClass: after fit exactly the share of the rows that ``contamination`` names is flagged."""

from __future__ import annotations

import copy
import warnings

import numpy as np
import pytest

from onkel import SPAOneClass

ROWS = 10_000


@pytest.fixture(scope="module")
def rows() -> np.ndarray:
    return np.random.default_rng(3).normal(size=(ROWS, 4))


def make(contamination: float = 0.1, **parameters: object) -> SPAOneClass:
    return SPAOneClass(contamination=contamination, random_state=0, **parameters)


@pytest.mark.parametrize("contamination", [0.01, 0.1, 0.25])
@pytest.mark.parametrize("epochs", [1, 2])
def test_the_share_flagged_is_exact(rows: np.ndarray, contamination: float, epochs: int) -> None:
    model = make(contamination, epochs=epochs).fit(rows)
    assert (model.predict(rows) == -1).sum() == round(contamination * ROWS)
    assert model.offset_ == np.quantile(model.score_samples(rows), contamination)


def test_rows_without_weight_do_not_count(rows: np.ndarray) -> None:
    weights = np.ones(ROWS)
    weights[::3] = 0.0
    some = rows[weights > 0]
    model = make().fit(rows, sample_weight=weights)
    assert model.offset_ == make().fit(some).offset_
    assert (model.predict(some) == -1).sum() == round(0.1 * len(some))


def test_rows_learned_after_fit_move_the_offset(rows: np.ndarray) -> None:
    """The exact quantile was that of another model: the sample of scores goes on from it."""
    model = make().fit(rows)
    exact = model.offset_
    model.partial_fit(rows[:100], sample_weight=np.zeros(100))
    assert model.offset_ == exact
    model.partial_fit(rows[:100])
    assert model.offset_ != exact
    assert model.offset_ == pytest.approx(exact, abs=0.02)
    model.fit(rows)
    assert model.offset_ == exact


def test_another_share_counts_from_the_next_fit_on(rows: np.ndarray) -> None:
    """As all parameters, and whether the model comes from fit or from a stream."""
    for model in (make().fit(rows), make().partial_fit(rows)):
        twin, offset = copy.deepcopy(model), model.offset_
        model.set_params(contamination=0.3)
        assert model.offset_ == offset
        assert model.partial_fit(rows[:500]).offset_ == twin.partial_fit(rows[:500]).offset_
        assert model.fit(rows).offset_ == make(0.3).fit(rows).offset_


def test_another_half_life_counts_from_the_next_fit_on(rows: np.ndarray) -> None:
    model = make().partial_fit(rows)
    twin = copy.deepcopy(model)
    model.set_params(half_life=100)
    assert model.partial_fit(rows).offset_ == twin.partial_fit(rows).offset_


def test_a_stream_is_flagged_by_its_sample(rows: np.ndarray) -> None:
    """Of scores before each update, while the model grew: near the share, not exactly."""
    model = make()
    for chunk in np.array_split(rows, 10):
        model.partial_fit(chunk)
    share = (model.predict(rows[-2000:]) == -1).mean()
    assert 0.0 < share < 0.2


def test_names_of_features_are_not_missed(rows: np.ndarray) -> None:
    pandas = pytest.importorskip("pandas")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make().fit(pandas.DataFrame(rows[:500], columns=list("abcd")))
