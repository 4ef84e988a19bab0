"""A race on the command line: train, predict, evaluate with a page, compare."""

from __future__ import annotations

import json

import numpy as np
import pytest

from onkel.io import load
from onkel.race import RaceClassifier, RaceRegressor
from tests.cli.files import fails, ok, table

ROWS = 700  # beyond the first look


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("race")


@pytest.mark.parametrize(
    ("kind", "learner"), [("words", RaceClassifier), ("numbers", RaceRegressor)]
)
def test_a_race_is_trained_and_predicts(folder, kind, learner):
    data, path = table(folder / f"{kind}.csv", kind, n=ROWS), folder / f"{kind}.onkel"
    result = ok("train", data, "--target", "target", "--learner", "race", "-o", path)
    model = load(path)
    assert type(model[-1]) is learner
    left = f"{model[-1].n_racing_} of {len(model[-1].candidates_)} candidates are left"
    assert f"the leader of the race: {model[-1].results_['candidate'][0]}; {left}" in result.stderr
    assert result.stdout.startswith(f"{path}: {learner.__name__} of ")
    answers = ok("predict", path, data).stdout.split()
    assert len(answers) == ROWS
    if kind == "words":
        truth = [line.rsplit(",", 1)[-1] for line in data.read_text().splitlines()[1:]]
        assert np.mean([a == b for a, b in zip(answers, truth)]) > 0.8


def test_json_tells_the_leader_and_all_candidates(folder):
    data = table(folder / "few.csv", "words", n=ROWS)
    options = (data, "-t", "target", "-l", "race", "--json", "-q")
    facts = json.loads(ok("train", *options, "-o", folder / "few.onkel").stdout)
    assert facts["learner"] == "RaceClassifier" and 0 < facts["racing"] <= facts["candidates"]
    told = json.loads(ok("evaluate", *options, "--metrics", "accuracy").stdout)["race"]
    assert len(told["candidate"]) == facts["candidates"] and told["status"][0] == "leader"


def test_evaluate_writes_a_page_with_the_race(folder):
    data, page = table(folder / "page.csv", "numbers", n=ROWS), folder / "race.html"
    ok("evaluate", data, "-t", "target", "-l", "race", "--report", page, "--metrics", "r2")
    text = page.read_text(encoding="utf-8")
    assert "what the race answered" in text and "The race" in text


def test_a_race_is_compared_with_others(folder):
    data = table(folder / "both.csv", "words", n=ROWS)
    learners = ("--learners", "race,fogd", "--repeats", 1, "--workers", 1, "--json")
    summary = json.loads(ok("compare", data, "-t", "target", *learners, "-m", "accuracy").stdout)
    assert {line["label"] for line in summary} == {"race", "fogd"}


def test_what_a_race_has_not_is_told_before_anything_is_read(folder):
    data = table(folder / "wrong.csv", "words")
    told = fails(2, "train", data, "-t", "target", "-l", "race", "-s", "alhpa=0.1")
    assert "alpha" in told and "RaceClassifier" in told
