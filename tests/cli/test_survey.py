"""The first look at data, what it leads to, and how rates are told."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from onkel.cli.errors import Complaint
from onkel.cli.labels import Labelled, as_classes, guessed, is_gap, numbers
from onkel.cli.predict import Tally
from onkel.cli.progress import Scores
from onkel.cli.survey import Survey
from onkel.cli.train import BUFFER_BYTES, Plan, buffer_for
from onkel.stream import open_stream


def surveyed(y, chunks=3):
    survey = Survey()
    for labels in np.array_split(np.asarray(y), chunks):
        survey.look_at(labels)
    return survey


AGES = [
    1,
    1,
    15,
    57,
    115,
    259,
    391,
    568,
    689,
    634,
    487,
    267,
    203,
    126,
    103,
    67,
    58,
    42,
    32,
    26,
    14,
    6,
    9,
    2,
]
ATTACKS = [
    280790,
    8,
    53,
    12,
    107201,
    231,
    2203,
    20,
    9,
    3,
    264,
    1040,
    4,
    979,
    21,
    7,
    97278,
    1020,
    30,
    10,
]


@pytest.mark.parametrize("labels, task, why", [
    (["a", "b", "a", "c"], "classification", "words"),
    (["1", "2", "x", "3"], "classification", "words"),
    ([f"${n}" for n in range(32)], "unclear", "32 different words in 32 rows, as '$0'; numbers are read"),
    ([f"${n}" for n in range(31)], "classification", "words"),
    ([f"${n // 2}" for n in range(32)], "classification", "words"),
    ([1.0, -1.0, 1.0, -1.0], "classification", "2 different"),
    (["0", "1", "1.0", "0"], "classification", "2 different"),
    (["3", "4.5", "4"], "regression", "not all are whole"),
    ([1.0, 2.0, 2.5, 1.0], "regression", "not all are whole"),
    (np.arange(50.0), "regression", "50 different whole numbers in 50 rows"),
    (np.arange(1000.0) % 10, "classification", "10 different"),
    (np.arange(1000.0) % 26, "classification", "26 different"),
    (np.arange(10_000.0) % 60, "regression", "60 different whole numbers in 10,000 rows"),
    (np.repeat(np.arange(1.0, 25), AGES), "regression", "24 different whole numbers that become rare"),
    (np.repeat(np.arange(20.0), ATTACKS), "classification", "20 different"),
    ([True, False, True, True], "classification", "2 different"),
])  # fmt: skip
def test_the_task_shows_in_the_labels(labels, task, why):
    for chunks in (1, 3):
        guess = guessed(surveyed(labels, chunks).labels())
        assert guess.task == task and why in guess.why


def test_classes_are_whole_numbers_or_words():
    assert surveyed([2.0, 1.0, 2.0]).classes().tolist() == [1, 2]
    assert surveyed(["2", "1.0", "1"]).classes().tolist() == [1, 2]
    assert surveyed(["b", "a", "b"]).classes().tolist() == ["a", "b"]
    assert surveyed(["2", "b", "2"]).classes().tolist() == ["2", "b"]
    with pytest.raises(Complaint, match=r"not whole numbers.*--task regression"):
        surveyed([0.5, 1.0, 2.0]).classes()
    with pytest.raises(Complaint, match="at least two labels, the data has 7"):
        surveyed([7.0, 7.0, 7.0]).classes()


def test_labels_take_the_type_of_the_classes():
    whole, words = np.array([1, 2]), np.array(["1", "b"])
    for y in (np.array([1.0, 2.0]), np.array(["1", "2.0"])):
        assert as_classes(y, whole).tolist() == [1, 2] and as_classes(y, whole).dtype == np.int64
    assert as_classes(np.array([1.5]), whole).tolist() == [1.5]  # for the learner to complain about
    assert as_classes(np.array(["x"]), whole).tolist() == ["x"]
    assert as_classes(np.array([1.0, 2.0]), words).tolist() == ["1", "2"]
    assert numbers(np.array(["1", "-2.5e1"])).tolist() == [1.0, -25.0]
    with pytest.raises(Complaint, match=r"got 'x': .* use --task classification"):
        numbers(np.array(["1", "x"]))


def test_gaps_among_the_labels():
    assert is_gap(np.array(["", "?", "NA", "0", "a"])).tolist() == [True, True, True, False, False]
    assert is_gap(np.array([np.nan, 0.0])).tolist() == [True, False]
    assert Counter(is_gap(np.array(["yes", "no"]))) == {False: 2}


def test_rows_with_a_label_come_in_whole_chunks_and_can_be_taken_up_anywhere(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,y\n" + "".join(f"w{i},{'' if i % 5 == 2 else i}\n" for i in range(12_000)))
    stream = Labelled(open_stream(path, target="y", raw=True, labels="raw"))
    whole = list(stream.marked())
    assert [len(chunk.y) for chunk, _ in whole] == [4096, 4096, 1408] and stream.unlabelled == 2400
    for place, (_, mark) in enumerate(whole):
        again = Labelled(open_stream(path, target="y", raw=True, labels="raw"))
        rest = list(again.marked(mark()))
        assert len(rest) == 2 - place and again.unlabelled == 2400
        for (found, _), (expected, _) in zip(rest, whole[place + 1 :]):
            assert found.y.tolist() == expected.y.tolist()
            assert found.X["a"].tolist() == expected.X["a"].tolist()


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
    scores = Scores(model, of_numbers=False)
    for seen in range(1000, 40_001, 1000):  # all wrong up to 20,000, then all right
        model.progress_ = SimpleNamespace(seen=seen, mistakes=min(seen, 20_000))
        scores.look()
    figures = scores.figures()
    assert figures == {"mistake_rate": 0.5, "recent_mistake_rate": 0.0}
    assert scores.text() == "50.00% mistakes, 0.00% lately"
    scores = Scores(model, of_numbers=True)
    model.progress_ = SimpleNamespace(seen=100, squared_error=25.0)
    scores.look()
    assert scores.figures() == {"rmse": 5.0, "recent_rmse": 5.0}


def test_only_labels_that_the_model_knows_are_counted_in_any_chunks():
    answers, labels = np.array([1, 2, 1, 1]), np.array([1.0, 1.0, 0.0, 9.0])
    for pieces in ([4], [1, 1, 1, 1]):
        tally = Tally(np.array([1, 2]))
        for rows in np.split(np.arange(4), np.cumsum(pieces)[:-1]):
            tally.add(answers[rows], labels[rows])
        assert tally.text(0) == (
            "4 rows, 50.00% of 2 with a known label agree with the labels in the file"
        )
