"""Jobs as data: JSON, keys, formulas, learners by name."""

import json
from dataclasses import replace

import numpy as np
import pytest

from onkel.evaluate import Data, Job
from onkel.evaluate.formulas import evaluate_formula
from onkel.evaluate.job import learner_class
from onkel.evaluate.perform import perform, resolved

DATA = Data("covtype", "all", binary=(2,), drop=[3], test=0.2, features="unit_interval")


def test_json_gives_the_same_job_back():
    job = Job(DATA, "AVMClassifier", {"gamma": np.float64(0.5), "loss": "hinge"}, "batch", 3, "A")
    again = Job.from_dict(json.loads(json.dumps(job.to_dict())))
    assert again == job and hash(again) == hash(job) and again.key == job.key


def test_key_is_of_all_that_matters_and_of_nothing_else():
    job = Job(DATA, "AVMClassifier", {"gamma": 0.5})
    assert replace(job, label="another").key == job.key
    others = [
        replace(job, seed=1),
        replace(job, params={"gamma": 0.25}),
        replace(job, learner="BSGDClassifier"),
        replace(job, protocol="batch"),
        replace(job, data=replace(DATA, rows=10)),
        replace(job, data=Data.of([[0.0], [1.0]], [0, 1])),
        replace(job, data=Data.of([[0.0], [2.0]], [0, 1])),
    ]
    assert len({other.key for other in [job, *others]}) == 8


def test_what_cannot_be_a_job():
    with pytest.raises(TypeError, match="parameter kernel="):
        Job(DATA, "AVMClassifier", {"kernel": np.dot})
    with pytest.raises(ValueError, match="protocol must be"):
        Job(DATA, "AVMClassifier", protocol="offline")
    with pytest.raises(ValueError, match="rows of the test part"):
        Job(replace(DATA, test="own"), "AVMClassifier", protocol="batch")
    with pytest.raises(TypeError, match="name of a class"):
        Job(DATA, learner_class("AVMClassifier"))  # type: ignore[arg-type]


def test_learners_by_name():
    assert learner_class("AVMClassifier").__module__ == "onkel.learners.avm"
    for name in ("AVM", "sklearn.svm.Nothing", "nowhere.Class"):
        with pytest.raises(ValueError, match="no learner"):
            learner_class(name)


@pytest.mark.parametrize(
    ("formula", "value"),
    [("=1/n", 0.005), ("=0.6*n", 120.0), ("= int(n/3) + 1", 67), ("=-max(2, n//7)", -28)],
)
def test_formulas(formula, value):
    found = evaluate_formula(formula, {"n": 200})
    assert found == value and type(found) is type(value)


@pytest.mark.parametrize(
    "formula",
    [
        "=",
        "=m",
        "=n.real",
        "=__import__('os')",
        "=1/(n-200)",
        "=n if n else 1",
        "='a'*n",
        "=9**9**9",
        "=(-n)**0.5",
    ],
)
def test_formulas_are_arithmetic_and_nothing_else(formula):
    with pytest.raises(ValueError, match="formula"):
        evaluate_formula(formula, {"n": 200})


def test_formulas_know_the_rows_to_learn():
    X = np.arange(80.0).reshape(20, 4)
    params = {"a": "=n", "b": "=1/(d*variance)", "c": "=classes", "d": "n"}
    job = Job(Data.of(X, np.arange(20) % 2, test=0.25), "AVMClassifier", params, "batch")
    loaded = job.data.load("batch", 0)
    found = resolved(job, loaded)
    assert found["a"] == 15 and found["c"] == 2 and found["d"] == "n"
    assert found["b"] == pytest.approx(1 / (4 * loaded.X.var(axis=0).mean()))
    targets = Job(Data.of(X, X[:, 0]), "AVMRegressor", {"c": "=classes"})  # there are none
    with pytest.raises(ValueError, match="'classes' is not allowed"):
        resolved(targets, targets.data.load("online", 0))


def test_seed_is_the_learners_too_unless_it_has_one():
    data = Data.of(np.random.default_rng(0).normal(size=(300, 2)), np.arange(300) % 2)
    params = {"gamma": 1.0, "n_components": 5}
    rates = [
        perform(Job(data, "FOGDClassifier", params | extra, seed=2)).metrics["loss"]
        for extra in ({}, {"random_state": 2}, {"random_state": 3})
    ]
    assert rates[0] == rates[1] != rates[2]
