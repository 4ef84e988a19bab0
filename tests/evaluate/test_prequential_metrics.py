"""Metrics of runs: against scikit-learn's of the answers that a learner gave before each row, or piece."""

import numpy as np
import pytest
from sklearn import metrics as sk
from sklearn.base import clone
from sklearn.linear_model import SGDClassifier, SGDRegressor
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler

from onkel import FOGDClassifier, FOGDRegressor
from onkel.estimators.hearing import listening
from onkel.evaluate import Data, Job, compare, prequential, run_jobs, search, train_and_test
from onkel.io import load, save
from onkel.tables import learner_in, make_stream_pipeline
from tests.evaluate.learners import Diverging, Majority, Mean

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(2000, 3))
PAIR = np.where(X[:, 0] * X[:, 1] > 0, "yes", "no")
THREE = X.argmax(axis=1) + 5
REAL = np.sin(X[:, 0]) + X[:, 1]
WINDOW = 300
CLASSES = {"pair": PAIR, "three": THREE}


def fogd(kind=FOGDClassifier):
    return kind(gamma=0.5, n_components=20, random_state=0)


def heard_before_each_row(learner, y):
    options = {} if y is REAL else {"classes": np.unique(y)}
    with listening(learner, coverage=0.9) as listener:
        for row, label in zip(X, y):
            learner.partial_fit(row[None], [label], **options)
    return listener.take()


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("size", [2000, 333])
def test_onkels_classifiers_row_by_row(name: str, size: int) -> None:
    y = CLASSES[name]
    labels, truth = np.unique(y, return_inverse=True)
    scores, probabilities, _ = heard_before_each_row(fogd(), y)
    guess = scores.argmax(axis=1) if name == "three" else (scores[:, 0] > 0).astype(int)
    guess[0] = -1  # nothing was known
    chunks = [(X[i : i + size], y[i : i + size]) for i in range(0, 2000, size)]
    run = prequential(fogd(), iter(chunks), classes=labels, window=WINDOW)
    for prefix, rows in (("", slice(None)), ("window_", slice(-WINDOW, None))):
        t, g, s, p = truth[rows], guess[rows], scores[rows], probabilities[rows]
        areas = [sk.roc_auc_score(t == c, s[:, c]) for c in range(3)] if name == "three" else None
        area = sk.roc_auc_score(t, s) if areas is None else np.mean(areas)
        averaged = [1] if name == "pair" else [0, 1, 2]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("warnings.warn", lambda *_, **__: None)  # of an answer that is no class
            expected = {
                "accuracy": sk.accuracy_score(t, g),
                "balanced_accuracy": sk.balanced_accuracy_score(t, g),
                "f1": sk.f1_score(t, g, labels=averaged, average="macro"),
                "roc_auc": area,
                "log_loss": sk.log_loss(t, p),
            }
        for metric, value in expected.items():
            assert run.metrics[prefix + metric] == pytest.approx(value, rel=1e-9), metric
            assert run.course[prefix + metric][-1] == run.metrics[prefix + metric] or not prefix
    assert run.metrics["accuracy"] == 1 - run.metrics["mistake_rate"]
    assert set(run.diagrams) == {"roc", "reliability"}
    assert run.metrics["window_log_loss"] < np.log(len(labels)) / 2  # it has learned to tell


def test_onkels_regressors() -> None:
    learner = fogd(FOGDRegressor)
    run = prequential(learner, (X, REAL), window=WINDOW)
    predictions, _, interval = heard_before_each_row(fogd(FOGDRegressor), REAL)
    assert run.metrics["rmse"] == pytest.approx(learner.progress_.squared_error**0.5)
    for prefix, rows in (("", slice(None)), ("window_", slice(-WINDOW, None))):
        y, told, (lower, upper) = REAL[rows], predictions[rows, 0], interval[rows].T
        expected = {
            "mae": sk.mean_absolute_error(y, told),
            "rmse": sk.root_mean_squared_error(y, told),
            "r2": sk.r2_score(y, told),
            "coverage": np.mean((lower <= y) & (y <= upper)),
            "width": np.mean(upper - lower),
        }
        for metric, value in expected.items():
            assert run.metrics[prefix + metric] == pytest.approx(value, rel=1e-6), metric
    assert 0.8 < run.metrics["window_coverage"] < 0.97 and run.diagrams == {}


def test_pipelines_are_heard_through() -> None:
    """In the unit of the targets, and though rows wait for a first look."""
    y = 1000 + 100 * REAL
    learner = FOGDRegressor(gamma=0.5, n_components=20, random_state=0)
    run = prequential(make_stream_pipeline(StandardScaler(), learner), (X, y))
    figures = run.metrics
    assert figures["rmse"] ** 2 == pytest.approx(figures["squared_error"])
    assert figures["r2"] == pytest.approx(1 - figures["squared_error"] / y.var(), rel=1e-6)
    assert 0.5 < figures["r2"] < 1 and 0.8 < figures["window_coverage"] < 0.97
    pair = make_stream_pipeline(StandardScaler(), fogd())
    found = prequential(pair, (X, PAIR)).metrics
    assert found["roc_auc"] > 0.8 and found["log_loss"] < 0.6 and found["f1"] > 0.7


@pytest.mark.parametrize("rows", [100, 511])
def test_fewer_rows_than_a_first_look(rows: int) -> None:
    for learner in (fogd(), make_stream_pipeline(StandardScaler(), fogd())):
        figures = prequential(learner, (X[:rows], PAIR[:rows])).metrics
        assert figures["accuracy"] == 1 - figures["mistake_rate"] and figures["log_loss"] < 1
        assert "window_accuracy" in figures and figures["roc_auc"] > 0.5
        assert figures["balanced_accuracy"] == pytest.approx(figures["accuracy"], abs=0.1)


@pytest.mark.parametrize(("before", "rows"), [(300, 100), (300, 1000), (900, 300)])
def test_rows_of_before_are_not_counted(before: int, rows: int) -> None:
    for make in (fogd, lambda: make_stream_pipeline(StandardScaler(), fogd())):
        learner = make().partial_fit(X[:before], PAIR[:before], classes=["no", "yes"])
        part = slice(before, before + rows)
        figures = prequential(learner, (X[part], PAIR[part])).metrics
        assert figures["accuracy"] == 1 - figures["mistake_rate"]
        whole = make()
        all_of_it = prequential(whole, (X[: part.stop], PAIR[: part.stop]), window=rows).metrics
        if before + rows > 512:  # a provisional model is composed anew while it is in use
            assert figures["log_loss"] == pytest.approx(all_of_it["window_log_loss"], rel=0.1)
            assert figures["f1"] == pytest.approx(all_of_it["window_f1"], abs=0.02)


@pytest.mark.parametrize("rows", [100, 800])
def test_who_listens_is_no_part_of_the_model(rows: int, tmp_path) -> None:
    """It can be saved while it is judged, and afterwards; also where a copy answers for it."""
    data, saved = (X[:rows], PAIR[:rows]), tmp_path / "model"
    for learner in (fogd(), make_stream_pipeline(StandardScaler(), fogd())):
        prequential(learner, data, on_progress=lambda _, one=learner: save(one, saved))
        assert "_listener" not in vars(learner_in(learner))
        assert np.array_equal(load(saved).predict(X), learner.predict(X))


class Recording:
    """Keeps what a learner of scikit-learn was asked, and what it answered."""

    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)

    def predict_proba(self, X):
        answer = super().predict_proba(X)
        self.told_ = [*getattr(self, "told_", []), answer]
        return answer


class RecordingNB(Recording, GaussianNB):
    def __init__(self, priors=None, var_smoothing=1e-9) -> None:
        super().__init__(priors=priors, var_smoothing=var_smoothing)


@pytest.mark.parametrize("name", CLASSES)
def test_probabilities_of_others_piece_by_piece(name: str) -> None:
    y, learner = CLASSES[name], RecordingNB()
    truth = np.unique(y, return_inverse=True)[1]
    asked = ["log_loss", "calibration_error", "accuracy", "roc_auc"]
    run = prequential(learner, (X, y), metrics=asked)
    told = np.concatenate(learner.told_)
    scored = truth[-len(told) :]  # not the first piece, which it couldn't predict
    assert 0 < len(told) < 2000
    assert run.metrics["log_loss"] == pytest.approx(sk.log_loss(scored, told))
    assert run.metrics["accuracy"] == pytest.approx((told.argmax(axis=1) == scored).mean())
    if name == "pair":
        area = sk.roc_auc_score(scored, told[:, 1])
    else:
        area = sk.roc_auc_score(scored, told, multi_class="ovr")
    assert run.metrics["roc_auc"] == pytest.approx(area)
    assert set(run.diagrams) == {"roc", "reliability"} and "f1" not in run.metrics
    assert sum(run.diagrams["reliability"]["rows"]) == len(told)


def test_the_course_is_the_same_in_any_chunks_and_that_of_shorter_runs() -> None:
    def course(chunk: int, rows: int = 2000):
        ends = [min(rows, start + chunk) for start in range(0, rows, chunk)]
        chunks = ((X[a:b], PAIR[a:b]) for a, b in zip([0, *ends], ends))
        return prequential(fogd(), chunks, classes=["no", "yes"], window=WINDOW).course

    def same(one, other) -> bool:
        # scores of other blocks are rounded otherwise
        return all(np.allclose(one[name], other[name], 1e-9, 1e-9, equal_nan=True) for name in one)

    whole = course(2000)
    assert same(whole, course(1)) and same(whole, course(130)) and len(whole["seen"]) > 4
    at = len(whole["seen"]) // 2
    shorter = course(2000, rows=whole["seen"][at])
    del shorter["roc_auc"]  # slow: it is taken down at the end, and seldom on the way
    assert same(shorter, {name: figures[: at + 1] for name, figures in whole.items()})


def test_what_a_learner_does_not_tell_is_absent() -> None:
    hinge = prequential(SGDClassifier(random_state=0), (X, PAIR))
    assert "roc_auc" in hinge.metrics and "log_loss" not in hinge.metrics
    log = prequential(SGDClassifier(loss="log_loss", random_state=0), (X, PAIR))
    assert {"roc_auc", "log_loss"} <= set(log.metrics)
    bare = prequential(Majority(), (X, PAIR), metrics=["roc_auc", "log_loss", "f1"])
    assert "f1" in bare.metrics and not {"roc_auc", "log_loss"} & set(bare.metrics)
    assert bare.diagrams == {}
    none = prequential(Majority(), (X, PAIR), metrics=[])
    assert none.course == {} and set(none.metrics) > {"accuracy", "mistake_rate"}


class Sure(Mean):
    """Predicts the mean, and an interval of two around it."""

    def fit(self, X, y):
        return self.partial_fit(X, y)

    def predict_interval(self, X, coverage=0.9):
        assert coverage == 0.9
        return self.predict(X)[:, None] + [[-1.0, 1.0]]


def test_intervals() -> None:
    online = prequential(Sure(), (X, REAL)).metrics
    batch = train_and_test(Sure(), (X[:1000], REAL[:1000]), (X[1000:], REAL[1000:])).metrics
    inside = np.abs(REAL[1000:] - REAL[:1000].mean()) <= 1
    assert batch["coverage"] == pytest.approx(inside.mean()) and batch["width"] == pytest.approx(2)
    assert online["width"] == pytest.approx(2) and 0.3 < online["coverage"] < 0.8
    assert batch["r2"] == pytest.approx(sk.r2_score(REAL[1000:], np.full(1000, REAL[:1000].mean())))


def test_a_learner_that_diverges_has_no_number() -> None:
    run = prequential(Diverging(step=2.0), (X, REAL))
    assert all(np.isnan(run.metrics[name]) for name in ("mae", "rmse", "r2", "window_mae"))


@pytest.mark.parametrize("name", CLASSES)
def test_batch(name: str) -> None:
    y = CLASSES[name]
    run = train_and_test(GaussianNB(), (X[:1000], y[:1000]), (X[1000:], y[1000:]))
    twin = clone(GaussianNB()).fit(X[:1000], y[:1000])
    told, guess, truth = twin.predict_proba(X[1000:]), twin.predict(X[1000:]), y[1000:]
    assert run.metrics["log_loss"] == pytest.approx(sk.log_loss(truth, told))
    assert run.metrics["balanced_accuracy"] == sk.balanced_accuracy_score(truth, guess)
    kind = {"pos_label": "yes"} if name == "pair" else {"average": "macro"}
    assert run.metrics["f1"] == pytest.approx(sk.f1_score(truth, guess, **kind))
    shown = told[:, 1] if name == "pair" else told
    assert run.metrics["roc_auc"] == pytest.approx(
        sk.roc_auc_score(truth, shown, multi_class="ovr")
    )
    assert "window_f1" not in run.metrics and set(run.diagrams) == {"roc", "reliability"}


def test_a_test_row_of_a_class_that_was_never_learned() -> None:
    known = THREE < 7
    run = train_and_test(GaussianNB(), (X[known], THREE[known]), (X, THREE))
    assert run.metrics["accuracy"] < 0.7 and run.metrics["log_loss"] > 10
    assert 0 < run.metrics["roc_auc"] < 1
    linear = SGDClassifier(random_state=0)  # one score for two classes: no area for a third
    assert "roc_auc" not in train_and_test(linear, (X[known], THREE[known]), (X, THREE)).metrics


def test_jobs_know_their_metrics(tmp_path) -> None:
    data = Data.of(X, PAIR, name="pairs")
    usual = Job(data, "sklearn.naive_bayes.GaussianNB")
    assert "metrics" not in usual.to_dict() and usual.key == Job.from_dict(usual.to_dict()).key
    asked = Job(data, "sklearn.naive_bayes.GaussianNB", metrics=["log_loss"])
    assert Job.from_dict(asked.to_dict()) == asked and asked.key != usual.key
    with pytest.raises(ValueError, match=r"metrics: no 'logloss': did you mean log_loss\?"):
        Job(data, "sklearn.naive_bayes.GaussianNB", metrics=["logloss"])
    journal = tmp_path / "runs.jsonl"
    first = run_jobs([asked], workers=1, journal=journal)[0]
    again = run_jobs([asked], workers=1, journal=journal)[0]
    assert again.diagrams == first.diagrams and set(first.diagrams) == {"reliability"}
    assert again.metrics == first.metrics and first.metrics["log_loss"] > 0


def test_compare_and_search_by_a_metric() -> None:
    learners = {"NB": GaussianNB(), "linear": SGDClassifier(loss="log_loss")}
    results = compare(learners, (X, PAIR), repeats=2, workers=1, metrics=["roc_auc"])
    rows = {row["label"]: row for row in results.summary()}
    assert rows["NB"]["roc_auc_std"] > 0 and "f1" not in rows["linear"]
    job = Job(Data.of(X, X[:, 0] + 2 * X[:, 1]), "sklearn.linear_model.SGDRegressor")
    found = search(job, {"alpha": [100.0, 1e-4]}, metric="r2", workers=1)
    assert found.best == {"alpha": 1e-4} and found.score > 0.9


def test_bad_names() -> None:
    with pytest.raises(ValueError, match=r"no 'mae' for classification"):
        prequential(Majority(), (X, PAIR), metrics=["mae"])
    with pytest.raises(ValueError, match=r"no 'f1' for regression"):
        train_and_test(SGDRegressor(), (X, REAL), (X, REAL), metrics=["f1"])


@pytest.mark.parametrize("size", [2000, 333, 50])
@pytest.mark.parametrize("late", [300, 1200])
def test_labels_that_nobody_declared(late: int, size: int) -> None:
    """One class at first, then two, then three: the metrics are those of what was said before each row."""
    y = np.where(np.arange(2000) < 20, "m", np.where(X[:, 0] > 0, "m", "c"))
    y[late:] = np.array(["m", "c", "a"])[X[late:].argmax(axis=1)]
    learner = fogd()
    for first in range(0, 2000, 7):
        learner.partial_fit(X[first : first + 7], y[first : first + 7])
    chunks = [(X[i : i + size], y[i : i + size]) for i in range(0, 2000, size)]
    run = prequential(fogd(), iter(chunks), window=WINDOW)
    assert run.metrics["seen"] == 2000
    assert run.metrics["accuracy"] == 1 - run.metrics["mistake_rate"]
    assert run.metrics["mistake_rate"] == learner.progress_.mistake_rate
    whole = prequential(fogd(), iter([(X, y)]), window=WINDOW)
    for name in ("balanced_accuracy", "f1", "roc_auc", "log_loss", "window_log_loss"):
        assert run.metrics[name] == pytest.approx(whole.metrics[name], rel=1e-9), name
    assert 0.5 < run.metrics["roc_auc"] < 1.0
    assert run.metrics["log_loss"] < 1.0
