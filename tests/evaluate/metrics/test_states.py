"""A scorecard that is written down and read again goes on as if nothing had been."""

import json
import pickle

import numpy as np
import pytest

from onkel.evaluate.metrics import METRICS, chosen_metrics
from onkel.evaluate.metrics.ranking import RocAuc
from tests.evaluate.metrics.rows import answers_for, chunks, classified, scorecard

CASES = [("classification", 2), ("classification", 4), ("regression", 0)]


@pytest.mark.parametrize(("task", "n_classes"), CASES)
@pytest.mark.parametrize("at", [0, 3, 40])
def test_json_and_pickle(task: str, n_classes: int, at: int) -> None:
    whole, stopped = scorecard(task, n_classes, 500), scorecard(task, n_classes, 500)
    for place, chunk in enumerate(chunks(answers_for(task, 5000, n_classes), 80)):
        if place == at:
            state = json.loads(json.dumps(stopped.state()))
            stopped = scorecard(task, n_classes, 500).restore(state)
            stopped = pickle.loads(pickle.dumps(stopped))
        whole.update(chunk)
        stopped.update(chunk)
    assert place > at and stopped.values() == whole.values()
    assert stopped.window_values() == whole.window_values() and stopped.curves() == whole.curves()
    assert len(whole.values()) >= 5


def test_an_area_that_is_not_exact_any_more() -> None:
    whole, stopped = RocAuc(2, exact_rows=50), RocAuc(2, exact_rows=50)
    for place, chunk in enumerate(chunks(classified(4000, 2), 90)):
        if place % 5 == 4:
            stopped = RocAuc(2, exact_rows=50).restore(json.loads(json.dumps(stopped.state())))
        whole.update(chunk)
        stopped.update(chunk)
    assert stopped.value() == whole.value() and stopped.error_bound() == whole.error_bound() > 0
    assert stopped.curve() == whole.curve()


def test_names() -> None:
    with pytest.raises(ValueError, match=r"no 'auc' for classification.*roc_auc"):
        chosen_metrics(["auc"], "classification")
    with pytest.raises(ValueError, match=r"no 'mae' for classification"):
        chosen_metrics(["mae"], "classification")
    with pytest.raises(TypeError, match=r"must be a list"):
        chosen_metrics("mae", "regression")
    assert list(chosen_metrics(["r2", "mae", "r2"], "regression")) == ["r2", "mae"]
    assert {metric.better for metric in METRICS.values()} == {-1, 0, 1}
    assert np.all([metric.title for metric in METRICS.values()])
