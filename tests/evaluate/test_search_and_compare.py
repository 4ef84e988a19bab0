"""Search over grids, comparison of learners, and the batch protocol beneath."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.svm import SVC, SVR

from onkel import FOGDClassifier
from onkel.datasets import gaussian_mixture
from onkel.evaluate import Data, Job, compare, search, train_and_test
from tests.evaluate.learners import Majority

X, Y = gaussian_mixture(600, 0)
DATA = Data.of(X, Y, name="mixture")
MAJORITY = "tests.evaluate.learners.Majority"
FOGD = Job(DATA, "FOGDClassifier", {"n_components": 20})
SVC_JOB = Job(DATA, "sklearn.svm.SVC", {"C": 1.0}, "batch")


def test_online_search_takes_the_rate_of_one_pass():
    found = search(FOGD, {"gamma": [1e-7, "=240/n"], "step": [1.0]}, rows=500, workers=1)
    assert found.best == {"gamma": "=240/n", "step": 1.0} and found.metric == "mistake_rate"
    assert found.job.params == {"n_components": 20, "gamma": "=240/n", "step": 1.0}
    assert found.job.data == DATA and [row["gamma"] for row in found.table] == [1e-7, "=240/n"]
    assert found.score == found.table[1]["score"] < found.table[0]["score"]
    assert all(record.metrics["seen"] == 500 for record in found.results)


def test_folds_and_shares_learn_and_test_on_training_rows_alone():
    grid = {"gamma": [1e-7, 0.5]}
    folds = search(SVC_JOB, grid, validation=3, workers=1)
    assert folds.best == {"gamma": 0.5} and [row["count"] for row in folds.table] == [3, 3]
    # 30 % of 600 are the job's test rows: 420 are left
    assert [record.metrics["seen"] for record in folds.results] == [280] * 6
    share = search(SVC_JOB, grid, validation=0.25, repeats=2, workers=1)
    assert [record.metrics["seen"] for record in share.results] == [315] * 4
    assert {record.job.seed for record in share.results} == {0, 1}
    once = search(Job(DATA, MAJORITY, protocol="batch"), {"gamma": [1]}, workers=1)
    assert once.results[0].metrics["seen"] == 420
    assert (
        search(FOGD, {"gamma": [0.4]}, validation=0.5, workers=1).results[0].metrics["seen"] == 300
    )


def test_of_equals_the_first_and_failures_are_out():
    ties = search(Job(DATA, MAJORITY), {"offset": [3.0, 1.0], "gamma": [2, 1]}, workers=1)
    assert ties.best == {"offset": 3.0, "gamma": 2} and len(ties.table) == 4
    some = search(FOGD, {"gamma": [-1.0, 1e-7]}, workers=1)
    assert some.best == {"gamma": 1e-7} and "gamma" in some.table[0]["failure"]
    best = search(FOGD, {"gamma": [1e-7, 0.4]}, metric="accuracy", workers=1)
    assert best.best == {"gamma": 0.4} and best.score > 0.5
    with pytest.raises(ValueError, match=r"no candidate could be run: .*gamma"):
        search(FOGD, {"gamma": [-1.0]}, workers=1)
    with pytest.raises(ValueError, match=r"no candidate could be scored: .*gamma"):
        search(FOGD, {"gamma": [-1.0]}, metric="accuracy", workers=1)


def test_what_diverges_is_never_the_best():
    job = Job(Data.of(X, X[:, 0]), "tests.evaluate.learners.Diverging")
    found = search(job, {"step": [2.0, 0.5]}, workers=1)
    assert found.best == {"step": 0.5} and np.isnan(found.table[0]["score"])
    with pytest.raises(ValueError, match="no candidate could be scored: squared_error"):
        search(job, {"step": [2.0]}, workers=1)


def test_bad_searches():
    for validation in ("offline", 1, 1.5, 0.0):
        with pytest.raises(ValueError, match="validation="):
            search(FOGD, {"gamma": [1.0]}, validation=validation)
    for values in ([], "auto"):
        with pytest.raises(ValueError, match="grid: gamma="):
            search(FOGD, {"gamma": values})
    with pytest.raises(ValueError, match="isn't measured here"):
        search(Job(DATA, MAJORITY), {"gamma": [1]}, metric="rmse", workers=1)


def test_compare_takes_instances_classes_and_names():
    learners = {"a": SVC(C=2.0, gamma=0.5), "b": Majority(), "c": MAJORITY, "d": Majority}
    results = compare(learners, (X, Y), protocol="batch", repeats=2, workers=1)
    assert [(row["label"], row["count"]) for row in results.summary()] == [
        ("a", 2), ("b", 2), ("c", 2), ("d", 2),
    ]  # fmt: skip
    first = results[0]
    assert first.job.learner == "sklearn.svm.SVC" and first.params == {"C": 2.0, "gamma": 0.5}
    assert {record.metrics["mistake_rate"] for record in results[2:4]} == {
        record.metrics["mistake_rate"] for record in results[4:6]
    }
    # the same rows in the same order for every learner
    again = DATA.load("batch", 1)
    train, test = again[:2], again[2:4]
    expected = train_and_test(SVC(C=2.0, gamma=0.5), train, test)
    assert results[1].metrics["accuracy"] == expected.metrics["accuracy"]


def test_compare_takes_several_sets_and_bunches():
    bunch = SimpleNamespace(data=X[:300], target=Y[:300])
    results = compare([MAJORITY], [bunch, DATA], repeats=1, workers=1)
    assert [record.metrics["seen"] for record in results] == [300, 600]
    arrays = compare([MAJORITY], [(X, Y), (X[:200], Y[:200])], repeats=1, workers=1)
    assert [(row["data"], row["seen"]) for row in arrays.summary()] == [
        ("arrays 1", 600), ("arrays 2", 200),
    ]  # fmt: skip


def test_bad_comparisons():
    with pytest.raises(TypeError, match="parameter gamma="):
        compare([Majority(gamma=np.dot)], DATA)
    with pytest.raises(ValueError, match="learners="):
        compare("AVMClassifier", DATA)
    with pytest.raises(ValueError, match="two learners are called Majority"):
        compare([Majority(offset=1.0), Majority(offset=2.0)], DATA)
    with pytest.raises(ValueError, match="no learner 'AVM'"):
        compare(["AVM"], DATA)
    with pytest.raises(TypeError, match="data must be"):
        compare([MAJORITY], 3)
    with pytest.raises(ValueError, match="repeats"):
        compare([MAJORITY], DATA, repeats=0)


def test_batch_figures():
    run = train_and_test(SVC(gamma=0.5), (X[:400], Y[:400]), (X[400:], Y[400:]))
    model = SVC(gamma=0.5).fit(X[:400], Y[:400])
    assert run.metrics["accuracy"] == model.score(X[400:], Y[400:])
    assert run.metrics["mistake_rate"] == pytest.approx(1 - run.metrics["accuracy"])
    assert run.metrics["size"] == model.n_support_.sum() and run.metrics["seen"] == 400
    line = X[:, 0] * 2
    run = train_and_test(SVR(), (X[:400], line[:400]), (X[400:], line[400:]))
    guess = SVR().fit(X[:400], line[:400]).predict(X[400:])
    assert run.metrics["rmse"] == pytest.approx(np.mean((guess - line[400:]) ** 2) ** 0.5)
    assert run.metrics["size"] == len(SVR().fit(X[:400], line[:400]).support_)


def test_a_class_that_was_never_learned_is_a_mistake():
    strange = np.where(np.arange(200) < 50, 7, Y[400:])
    plain = train_and_test(Majority(), (X[:400], Y[:400]), (X[450:], Y[450:]))
    run = train_and_test(Majority(), (X[:400], Y[:400]), (X[400:], strange))
    assert run.metrics["mistake_rate"] * 200 == pytest.approx(
        50 + plain.metrics["mistake_rate"] * 150
    )


def test_warm_batch_gives_the_same():
    parts = (X[:400], Y[:400]), (X[400:], Y[400:])
    cold, warm = (
        train_and_test(FOGDClassifier(gamma=0.4, random_state=0), *parts, warm_up=warm)
        for warm in (False, True)
    )
    assert cold.metrics["accuracy"] == warm.metrics["accuracy"]
    with pytest.raises(ValueError, match="2 features, the test rows 1"):
        train_and_test(SVC(), parts[0], (X[:, :1], Y))
    with pytest.raises(ValueError, match="no test rows"):
        train_and_test(SVC(), parts[0], (X[:0], Y[:0]))
    with pytest.raises(ValueError, match="no training rows"):
        train_and_test(SVC(), (X[:0], Y[:0]), parts[1])
    lists = [(rows.tolist(), targets.tolist()) for rows, targets in parts]
    of_lists = train_and_test(Majority(), *lists)
    assert of_lists.metrics["accuracy"] == train_and_test(Majority(), *parts).metrics["accuracy"]


def test_what_is_no_job_and_no_learner_is_told():
    with pytest.raises(TypeError, match=r"job must be a Job.*got FOGDClassifier: give Job\("):
        search(FOGDClassifier(), {"gamma": [1.0]})
    with pytest.raises(ValueError, match="did you mean AVMClassifier or AVMRegressor"):
        compare(["avm"], (X, Y))
    with pytest.raises(ValueError, match=r"no learner 'nothing\.alike': give a class"):
        compare(["nothing.alike"], (X, Y))
