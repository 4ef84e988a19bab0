"""The first look at data, what it leads to, and how rates are told."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from onkel.cli.errors import Complaint
from onkel.cli.options import Scale
from onkel.cli.predict import Tally
from onkel.cli.preprocessing import Preprocessing
from onkel.cli.progress import Scores
from onkel.cli.survey import Survey, standardise
from onkel.cli.train import BUFFER_BYTES, Plan, buffer_for


def surveyed(y, chunks=3, scale=Scale.none, X=None):
    survey = Survey(scale)
    X = np.ones((len(y), 2)) if X is None else X
    for rows in np.array_split(np.arange(len(y)), chunks):
        survey.look_at(X[rows], np.asarray(y)[rows])
    return survey


@pytest.mark.parametrize("labels, task", [
    (["a", "b", "a", "c"], "classification"),
    ([1.0, -1.0, 1.0, -1.0], "classification"),
    (np.arange(50.0), "classification"),
    (np.arange(51.0), "regression"),
    ([1.0, 2.0, 2.5, 1.0], "regression"),
    ([True, False, True, True], "classification"),
])  # fmt: skip
def test_the_task_shows_in_the_labels(labels, task):
    assert surveyed(labels).task() == task


def test_moments_do_not_depend_on_chunks():
    random = np.random.default_rng(0)
    X, y = random.normal(5, 3, size=(100, 2)), random.normal(1e6, 2, size=100)
    for chunks in (1, 7):
        survey = surveyed(y, chunks, Scale.unit_variance, sparse.csr_matrix(X))
        found = Preprocessing("regression", scaler=survey.scaler)
        standardise(found, survey)
        assert found.target_mean == pytest.approx(y.mean(), rel=1e-12)
        assert found.target_spread == pytest.approx(y.std(), rel=1e-6)
        np.testing.assert_allclose(found.rows(X), (X - X.mean(axis=0)) / X.std(axis=0))
        np.testing.assert_allclose(found.answers(found.targets(y)), y)


def test_a_constant_target_is_left_alone():
    found = Preprocessing("regression")
    standardise(found, surveyed(np.full(30, 0.1)))
    assert found.target_spread == 1.0 and abs(found.targets(np.array([0.1]))[0]) < 1e-12


def test_classes_are_whole_numbers_or_words():
    assert surveyed([2.0, 1.0, 2.0]).classes().tolist() == [1, 2]
    assert surveyed(["b", "a", "b"]).classes().tolist() == ["a", "b"]
    with pytest.raises(Complaint, match=r"not whole numbers.*--task regression"):
        surveyed([0.5, 1.0, 2.0]).classes()
    with pytest.raises(Complaint, match="at least two labels, the data has 7"):
        surveyed([7.0, 7.0, 7.0]).classes()


def test_labels_take_the_type_of_the_classes():
    whole = Preprocessing("classification", classes=np.array([1, 2]))
    assert whole.targets(np.array([1.0, 2.0])).dtype == np.int64
    assert whole.targets(np.array([1.5])).tolist() == [1.5]  # for the learner to complain about
    words = Preprocessing("classification", classes=np.array(["1", "b"]))
    assert words.targets(np.array([1.0, 2.0])).tolist() == ["1", "2"]


def test_the_shuffle_buffer_holds_all_rows_if_it_can():
    few = SimpleNamespace(rows=1000, row_bytes=100.0)
    assert buffer_for(few, None) == 2000
    assert Plan(1, 2000, 0).told(1000) == "rows in random order"
    many = SimpleNamespace(rows=10**9, row_bytes=1024.0)
    assert buffer_for(many, None) == BUFFER_BYTES // 1024
    assert "buffer of 131,072" in Plan(1, buffer_for(many, None), 0).told(10**9)
    assert buffer_for(many, 0) == 0 and "order of the data" in Plan(1, 0, 0).told(None)


def test_recent_rates_are_those_of_the_last_rows():
    model = SimpleNamespace()
    scores = Scores(model, None)
    for seen in range(1000, 40_001, 1000):  # all wrong up to 20,000, then all right
        model.progress_ = SimpleNamespace(seen=seen, mistakes=min(seen, 20_000))
        scores.look()
    figures = scores.figures()
    assert figures == {"mistake_rate": 0.5, "recent_mistake_rate": 0.0}
    assert scores.text() == "50.00% mistakes, 0.00% lately"
    scores = Scores(model, 10.0)
    model.progress_ = SimpleNamespace(seen=100, squared_error=0.25)
    scores.look()
    assert scores.figures() == {"rmse": 5.0, "recent_rmse": 5.0}


def test_only_labels_that_the_model_knows_are_counted_in_any_chunks():
    answers, labels = np.array([1, 2, 1, 1]), np.array([1.0, 1.0, 0.0, 9.0])
    for pieces in ([4], [1, 1, 1, 1]):
        tally = Tally(Preprocessing("classification", classes=np.array([1, 2])))
        for rows in np.split(np.arange(4), np.cumsum(pieces)[:-1]):
            tally.add(answers[rows], labels[rows])
        assert tally.text(0) == (
            "4 rows, 50.00% of 2 with a known label agree with the labels in the file"
        )
