"""Pages of results and of a run: grouping, means, charts; with fakes and with what `onkel.evaluate` makes."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from onkel import AVMClassifier, FOGDRegressor
from onkel.evaluate import Data, Job, Record, Results, prequential, train_and_test
from onkel.report import page_of_results, page_of_run, write_report
from onkel.report.tables import table_of


def record(label: str, seed: int, rate: float, data: str = "a9a", **settings: Any) -> Record:
    seen = [100.0, 200.0, 300.0]
    curve = {"seen": seen, "rate": [2 * rate, 1.5 * rate, rate], "seconds": [0.1, 0.2, 0.3]}
    metrics = {
        "mistake_rate": rate,
        "accuracy": 1 - rate,
        "size": 50.0,
        "seconds": 0.3,
        "seen": 300.0,
    }
    job = Job(Data(data, "all"), "AVMClassifier", settings, seed=seed, label=label)
    return Record(job, settings, metrics, curve, {"onkel": "0.1.0"})


def test_repetitions_become_mean_and_std() -> None:
    page = page_of_results(
        Results([record("AVM", 0, 0.1), record("AVM", 1, 0.2), record("OGD", 0, 0.3)])
    )
    avm, ogd = page.comparisons[0].rows
    assert (avm.dataset, avm.algorithm, avm.metric, avm.unit) == ("a9a", "AVM", "mistake rate", "%")
    assert avm.ours == pytest.approx(15.0) and avm.ours_std == pytest.approx(
        100 * np.std([0.1, 0.2], ddof=1)
    )
    assert ogd.ours == pytest.approx(30.0) and ogd.ours_std is None
    assert (avm.ours_seconds, avm.ours_size) == (0.3, 50.0)
    assert [(s.algorithm, s.size) for s in page.sizes] == [("AVM", 50.0), ("OGD", 50.0)]


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("given", "mean squared error"),
        ("unit_interval", "mean squared error of targets scaled to [0, 1]"),
    ],
)
def test_errors_of_scaled_targets_say_so(target: str, name: str) -> None:
    job = Job(Data("cadata", "all", target=target), "FOGDRegressor")
    curve = {"seen": [1.0, 2.0], "rate": [0.2, 0.1]}
    page = page_of_results(Results([Record(job, {}, {"squared_error": 0.1}, curve)]))
    assert page.comparisons[0].rows[0].metric == name and page.charts[0].y_label == name


def test_charts_per_data_set() -> None:
    page = page_of_results(
        Results([record("AVM", 0, 0.1), record("AVM", 1, 0.2), record("OGD", 0, 0.3)])
    )
    assert [(c.kind, c.dataset) for c in page.charts] == [
        ("convergence", "a9a"), ("time", "a9a"), ("rate_against_time", "a9a"),
    ]  # fmt: skip
    convergence, _, against = page.charts
    assert [series.label for series in convergence.series] == ["AVM", "OGD"]
    assert list(convergence.series[0].y) == pytest.approx([30.0, 22.5, 15.0])
    assert convergence.series[0].band is not None and convergence.series[1].band is None
    assert list(against.series[0].x) == pytest.approx([0.1, 0.2, 0.3])


def test_other_parameters_are_another_algorithm() -> None:
    results = Results([record("AVM", 0, 0.1, diameter=1.0), record("AVM", 0, 0.2, diameter=2.0)])
    names = [row.algorithm for row in page_of_results(results).comparisons[0].rows]
    assert names == ["AVM (diameter=1.0)", "AVM (diameter=2.0)"]


def test_an_algorithm_tuned_to_each_data_set_is_one_algorithm() -> None:
    results = Results([record("AVM", 0, 0.1, gamma=1.0), record("AVM", 0, 0.2, "w7a", gamma=2.0)])
    page = page_of_results(results)
    assert [row.algorithm for row in page.comparisons[0].rows] == ["AVM", "AVM"]
    assert page.how["algorithm: AVM on a9a"] == "AVMClassifier(gamma=1.0)"
    assert page.how["algorithm: AVM on w7a"] == "AVMClassifier(gamma=2.0)"
    same = Results([record("AVM", 0, 0.1, gamma=1.0), record("AVM", 0, 0.2, "w7a", gamma=1.0)])
    assert page_of_results(same).how["algorithm: AVM"] == "AVMClassifier(gamma=1.0)"


def test_parameters_may_be_arrays() -> None:
    params = {"priors": np.array([0.5, 0.5]), "nothing": None, "name": "", "flag": False}
    page = page_of_run(SimpleNamespace(learner="NB", params=params, metrics={}, curve={}))
    assert page.how["parameters"] == "priors=array([0.5, 0.5]), flag=False"


def test_failures_are_told() -> None:
    failed = record("OGD", 3, 0.1)
    failed.failure = "ValueError: gamma must be positive"
    page = page_of_results(Results([record("AVM", 0, 0.1), failed]))
    assert page.notes == ["OGD on a9a (seed 3) failed: ValueError: gamma must be positive"]
    assert (page.summary[0].value, page.summary[0].note) == ("2", "1 failed")
    assert len(page.comparisons[0].rows) == 1


def test_curves_of_unequal_length_are_averaged_where_both_are() -> None:
    short, long = record("AVM", 0, 0.1), record("AVM", 1, 0.1)
    long.curve = {"seen": [100.0, 300.0], "rate": [0.4, 0.2], "seconds": [1.0, 3.0]}
    short.curve = {"seen": [100.0, 200.0], "rate": [0.2, 0.1], "seconds": [1.0, 2.0]}
    series = page_of_results(Results([short, long])).charts[0].series[0]
    assert list(series.x) == [100.0, 200.0]
    assert list(series.y) == pytest.approx([30.0, 20.0])


def test_a_batch_of_regressors() -> None:
    job = SimpleNamespace(
        label="OGD",
        data=SimpleNamespace(name="casp"),
        params={},
        protocol="batch",
        seed=0,
        learner="X",
    )
    fake = SimpleNamespace(
        job=job, metrics={"rmse": 0.25, "squared_error": 0.0625}, curve={}, versions={}
    )
    page = page_of_results([fake])
    row = page.comparisons[0].rows[0]
    assert (row.metric, row.unit, row.ours) == ("root mean squared error", "", 0.25)
    assert page.charts == [] and page.sizes == []


@pytest.fixture(scope="module")
def rows() -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).normal(size=(600, 3))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


def test_a_run_of_a_classifier(rows: tuple[np.ndarray, np.ndarray], tmp_path: Path) -> None:
    run = prequential(AVMClassifier(), rows)
    page = page_of_run(run, "XOR")
    facts = {fact.label: fact.value for fact in page.summary}
    assert facts["Mistake rate"] == f"{100 * run.metrics['mistake_rate']:.2f} %"
    assert facts["Instances"] == "600"
    kinds = [chart.kind for chart in page.charts]
    assert kinds == ["convergence", "time", "size", *["metric"] * 4, "roc", "reliability"]
    assert facts["F1"] == f"{run.metrics['f1']:.4f}" and facts["Balanced accuracy"].endswith("%")
    f1 = next(chart for chart in page.charts if chart.title == "F1")
    assert [series.label for series in f1.series] == ["AVMClassifier", "last rows"]
    assert list(f1.series[1].y) == run.course["window_f1"]
    assert page.charts[0].series[0].y[-1] == pytest.approx(100 * run.metrics["mistake_rate"])
    assert "<title>XOR</title>" in write_report(tmp_path / "run.html", page).read_text(
        encoding="utf-8"
    )


def test_a_run_of_a_regressor(rows: tuple[np.ndarray, np.ndarray]) -> None:
    X, _ = rows
    run = train_and_test(
        FOGDRegressor(random_state=0), (X[:400], X[:400, 0]), (X[400:], X[400:, 0])
    )
    labels = [fact.label for fact in page_of_run(run, "plane").summary]
    errors = ["Mean squared error", "Root mean squared error", "Mean absolute error", "R²"]
    intervals = ["Coverage of 90% intervals", "Width of 90% intervals"]
    assert labels == [*errors, *intervals, "Instances", "Seconds", "Model size"]


def scored(label: str, seed: int, **metrics: float) -> Record:
    made = record(label, seed, metrics.pop("rate"))
    made.metrics |= metrics
    return made


def test_further_metrics_are_columns_and_the_best_of_each_is_marked() -> None:
    results = Results(
        [
            scored("AVM", 0, rate=0.1, roc_auc=0.9, log_loss=0.5),
            scored("AVM", 1, rate=0.2, roc_auc=0.8, log_loss=0.3),
            scored("OGD", 0, rate=0.2, roc_auc=0.95, log_loss=0.2, seconds=0.1),
            scored("Linear", 0, rate=0.3, roc_auc=0.7),
        ]
    )
    page = page_of_results(results)
    assert page.title == "a9a"
    table = table_of(page.comparisons[0], 1)
    headings = [column.heading for column in table.columns]
    at = headings.index("ROC AUC")
    assert headings[at + 1] == "log loss" and "accuracy (%)" not in headings
    texts = [[(cell.text, cell.best) for cell in cells] for _, cells in table.rows]
    assert [line[at] for line in texts] == [("0.8500", False), ("0.9500", True), ("0.7000", False)]
    assert [line[at + 1] for line in texts] == [("0.4000", False), ("0.2000", True), ("–", False)]
    assert table.rows[0][1][at].aside == "± 0.0707"
    ours, seconds, size = (headings.index(name) for name in ("Result", "Seconds", "Size"))
    assert [line[ours][1] for line in texts] == [True, False, False]
    assert [line[seconds][1] for line in texts] == [False, True, False]
    assert not any(line[size][1] for line in texts)  # all are of the same size
    alone = table_of(page_of_results(results[:2]).comparisons[0], 1)
    assert not any(cell.best for _, cells in alone.rows for cell in cells)


def test_higher_is_better_in_a_batch_of_classifiers() -> None:
    records = [record("AVM", 0, 0.1), record("OGD", 0, 0.3)]
    for one in records:
        object.__setattr__(one.job, "protocol", "batch")
    table = table_of(page_of_results(Results(records)).comparisons[0], 1)
    place = [column.heading for column in table.columns].index("Result")
    assert [cells[place].best for _, cells in table.rows] == [True, False]


def test_roc_and_reliability_are_drawn() -> None:
    one, other = record("NB", 0, 0.1), record("NB", 1, 0.1)
    roc = {"false_alarms": [0.0, 0.5, 1.0], "hits": [0.2, 0.8, 1.0]}
    one.diagrams = {
        "roc": roc,
        "reliability": {"said": [0.05, 0.9], "happened": [0.1, 1.0], "rows": [10, 30]},
    }
    other.diagrams = {
        "roc": roc | {"hits": [0.4, 0.6, 1.0]},
        "reliability": {"said": [0.95], "happened": [0.8], "rows": [10]},
    }
    page = page_of_results(Results([one, other, record("AVM", 0, 0.2)]))
    charts = {chart.kind: chart for chart in page.charts}
    curve, chance = charts["roc"].series
    assert (curve.label, chance.label) == ("NB", "chance")
    assert list(curve.x) == [0.0, 0.0, 0.5, 1.0]
    assert list(curve.y) == pytest.approx([0.0, 0.3, 0.7, 1.0])
    pooled, ideal = charts["reliability"].series
    assert list(pooled.x) == pytest.approx([0.05, (27 + 9.5) / 40]) and ideal.label == "ideal"
    assert list(pooled.y) == pytest.approx([0.1, 38 / 40])


def test_a_learner_with_probabilities(rows: tuple[np.ndarray, np.ndarray], tmp_path: Path) -> None:
    from sklearn.naive_bayes import GaussianNB

    run = prequential(GaussianNB(), rows)
    page = page_of_run(run, "XOR")
    assert [chart.kind for chart in page.charts][-2:] == ["roc", "reliability"]
    assert "Log loss" in [fact.label for fact in page.summary]
    text = write_report(tmp_path / "nb.html", page).read_text(encoding="utf-8")
    assert "share that happened" in text
