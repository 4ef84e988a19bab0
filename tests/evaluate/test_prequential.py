"""The online protocol: curves and figures against sums made by hand, one row at a time."""

import numpy as np
import pytest
from scipy import sparse

from onkel import AVMClassifier, AVMRegressor, FOGDClassifier, LLSVMClassifier, SPAOneClass
from onkel.datasets import gaussian_mixture
from onkel.evaluate import prequential, train_and_test
from tests.evaluate.learners import Majority, Mean

X, Y = gaussian_mixture(2500, 0)


def make_fogd(**params):
    return FOGDClassifier(**{"gamma": 0.4, "n_components": 30, "random_state": 0} | params)


@pytest.fixture(scope="module")
def mistakes():
    """Whether each row was predicted wrongly just before it was learned."""
    learner, wrong = make_fogd(average=False), []
    for i in range(len(Y)):
        seen = learner.progress_.mistakes if i else 0
        learner.partial_fit(X[i : i + 1], Y[i : i + 1], classes=[-1, 1])
        wrong.append(learner.progress_.mistakes - seen)
    return np.array(wrong)


def test_curves_are_sums_of_single_mistakes(mistakes):
    run = prequential(make_fogd(average=False), (X, Y), window=300, points=40)
    total = np.concatenate([[0], np.cumsum(mistakes)])
    seen = np.array(run.curve["seen"])
    assert len(seen) <= 40 and seen[-1] == len(Y)
    np.testing.assert_allclose(run.curve["rate"], total[seen] / seen)
    width = np.minimum(seen, 300)
    np.testing.assert_allclose(
        run.curve["window_rate"], (total[seen] - total[seen - width]) / width
    )
    assert run.metrics["mistake_rate"] == mistakes.mean() == run.curve["rate"][-1]
    assert run.metrics["accuracy"] == 1 - mistakes.mean() and run.metrics["seen"] == len(Y)
    assert set(run.curve["size"]) == {60} == {run.metrics["size"]}  # a sine and a cosine each
    assert run.curve["seconds"] == sorted(run.curve["seconds"])
    assert run.metrics["seconds"] == run.curve["seconds"][-1] > 0
    assert run.learner == "FOGDClassifier" and run.params["gamma"] == 0.4


def test_a_stream_of_unknown_length_gives_the_same(mistakes):
    chunks = ((X[i : i + 333], Y[i : i + 333]) for i in range(0, len(Y), 333))
    run = prequential(make_fogd(average=False), chunks, classes=[-1, 1], window=300)
    total = np.concatenate([[0], np.cumsum(mistakes)])
    seen = np.array(run.curve["seen"])
    assert len(seen) > 10 and seen[-1] == len(Y)
    np.testing.assert_allclose(run.curve["rate"], total[seen] / seen)
    ten_a_decade = np.array(run.curve["window_rate"])[np.isin(seen, [501, 794, 1258])]
    at = np.array([501, 794, 1258])
    np.testing.assert_allclose(ten_a_decade, (total[at] - total[at - 300]) / 300)


def test_progress_is_told_of_every_piece():
    looks = []
    run = prequential(make_fogd(), (X, Y), on_progress=looks.append)
    assert looks[-1].seen == len(Y) and looks[-1].rate == run.metrics["mistake_rate"]
    assert [look.seen for look in looks] == sorted({look.seen for look in looks})


def test_parameters_from_data_see_the_same_rows_whatever_the_chunks():
    single = ((X[i : i + 1], Y[i : i + 1]) for i in range(len(Y)))
    by_rows = make_fogd(gamma="scale")
    run = prequential(by_rows, single, classes=[-1, 1])
    whole = make_fogd(gamma="scale")
    again = prequential(whole, (X, Y))
    expected = 1 / (2 * X[:512].var())  # of a learner's first look
    assert by_rows.gamma_ == pytest.approx(expected) and whole.gamma_ == by_rows.gamma_
    assert run.curve["seen"][0] == 512 == again.curve["seen"][0]
    short = make_fogd(gamma="scale")
    assert prequential(short, (X[:40], Y[:40])).curve["seen"] == [40]


def test_what_was_learned_before_does_not_count():
    learner = make_fogd().partial_fit(X[:500], -Y[:500], classes=[-1, 1])
    before = learner.progress_
    run = prequential(learner, (X[500:], Y[500:]))
    after = learner.progress_
    assert run.metrics["seen"] == 2000 and after.seen == 2500
    assert run.metrics["mistake_rate"] == (after.mistakes - before.mistakes) / 2000
    expected = (after.loss * 2500 - before.loss * 500) / 2000
    assert run.metrics["loss"] == pytest.approx(expected)


def test_regressors_tell_squared_errors():
    y = np.sin(X[:, 0])
    learner = AVMRegressor(gamma=0.5, diameter=0.5, regularization=1e-3, random_state=0)
    run = prequential(learner, (X, y), points=10)
    assert run.metrics["squared_error"] == pytest.approx(learner.progress_.squared_error)
    assert run.metrics["rmse"] == pytest.approx(run.metrics["squared_error"] ** 0.5)
    assert run.metrics["size"] == learner.n_support_ and "mistake_rate" not in run.metrics


def test_sparse_rows_are_learned_the_same():
    params = {"gamma": 0.4, "diameter": 1.0, "regularization": 1e-3, "random_state": 0}
    dense = prequential(AVMClassifier(**params), (X, Y))
    rows = prequential(AVMClassifier(**params), (sparse.csr_matrix(X), Y))
    assert dense.metrics["size"] == rows.metrics["size"]
    assert dense.curve["rate"] == rows.curve["rate"]


def test_learners_without_scores_predict_first():
    y = np.where(np.arange(1000) < 600, 0, 1)
    learner = Majority()
    run = prequential(learner, (X[:1000], y), points=20)
    # the first piece can't be predicted; from row 600 on the majority is wrong
    assert run.metrics["mistake_rate"] == pytest.approx(400 / (1000 - learner.chunks_[0]))
    assert "loss" not in run.metrics and sum(learner.chunks_) == 1000
    assert prequential(Mean(), (X, np.ones(len(X)))).metrics["squared_error"] == 0
    assert run.curve["seen"][0] > learner.chunks_[0] and np.isfinite(run.curve["rate"]).all()


def test_few_points_do_not_spare_a_learner_its_score():
    curve, figure = (prequential(Majority(), (X, Y), points=points) for points in (60, 1))
    assert figure.metrics["mistake_rate"] == curve.metrics["mistake_rate"] > 0.2
    assert figure.curve["seen"] == [2500]
    with pytest.raises(ValueError, match=r"first 40 rows.*nothing was scored"):
        prequential(Majority(gamma="scale"), (X[:40], Y[:40]))


def test_reading_is_not_learning():
    class Clock:
        now = 0.0

    def slow():
        for i in range(3):
            Clock.now += 5
            yield X[i * 100 : i * 100 + 100], Y[i * 100 : i * 100 + 100]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("time.perf_counter", lambda: Clock.now)
        run = prequential(Majority(), slow(), classes=[-1, 1])
    assert run.metrics["reading_seconds"] == 15 and run.metrics["seconds"] == 0


def test_starting_up_is_not_learning(monkeypatch):
    """The first of its kind pays ten seconds for machine code, and every piece costs one."""

    class Clock:
        now, made = 0.0, False

    class Compiled(Majority):
        __module__ = "onkel.compiled"

        def partial_fit(self, X, y, classes=None):
            Clock.now += 1 if Clock.made else 11
            Clock.made = True
            return super().partial_fit(X, y, classes)

    monkeypatch.setattr("time.perf_counter", lambda: Clock.now)
    learner = Compiled()
    online = prequential(learner, (X, Y)).metrics
    assert online["seconds"] == len(learner.chunks_) and online["start_up_seconds"] == 11
    again = prequential(Compiled(), (X, Y)).metrics
    assert again["seconds"] == online["seconds"] and again["start_up_seconds"] == 0
    Clock.made = False
    batch = train_and_test(Compiled(), (X, Y), (X, Y)).metrics
    assert batch["seconds"] == 1 and batch["start_up_seconds"] == 11


def test_warming_up_leaves_learner_and_figures_alone(monkeypatch):
    from onkel.evaluate import warm_up

    monkeypatch.setattr(warm_up, "_done", set())
    cold = prequential(make_fogd(), (X, Y), warm_up=False)
    assert not warm_up._done and "start_up_seconds" not in cold.metrics
    warm = prequential(make_fogd(), (X, Y), warm_up=True)
    assert cold.curve["rate"] == warm.curve["rate"] and len(warm_up._done) == 1
    prequential(make_fogd(gamma=0.3, n_components=10), (X, Y), warm_up=True)
    assert len(warm_up._done) == 1  # other numbers, the same machine code
    empty = np.zeros((len(X), 40))
    empty[:, :2] = X
    for rows in (np.ones_like(empty), empty):  # full or mostly zeros: other machine code
        prequential(make_fogd(), (rows, Y))
    assert len(warm_up._done) == 2


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (LLSVMClassifier(), "can't learn online"),
        (SPAOneClass(), "neither a classifier nor a regressor"),
        (FOGDClassifier, "must be an instance"),
    ],
)
def test_learners_that_do_not_fit(learner, message):
    with pytest.raises(TypeError, match=message):
        prequential(learner, (X, Y))


def test_bad_calls():
    with pytest.raises(ValueError, match="classes="):
        prequential(Majority(), iter([(X, Y)]))
    with pytest.raises(ValueError, match="2500 rows, but y has 2499"):
        prequential(make_fogd(), (X, Y[1:]))
    with pytest.raises(ValueError, match=r"two dimensions.*\(2500,\)"):
        prequential(make_fogd(), (X[:, 0], Y))
    with pytest.raises(ValueError, match="no rows"):
        prequential(make_fogd(), [], classes=[0, 1])
    with pytest.raises(ValueError, match="window=0"):
        prequential(make_fogd(), (X, Y), window=0)


class Source:
    """Chunks, an empty one among them; tells whether its last pass was ended."""

    closed = False

    def __iter__(self):
        try:
            for start in range(0, 2500, 500):
                yield X[start : start + 500], Y[start : start + 500]
                yield X[:0], Y[:0]
        finally:
            self.closed = True


def test_a_source_is_closed_when_something_goes_wrong():
    def fail(look):
        raise RuntimeError("enough")

    source = Source()
    try:
        prequential(Majority(), source, classes=[-1, 1], on_progress=fail)
    except RuntimeError:
        assert source.closed  # while the error, and so its frames, are still alive
    else:
        pytest.fail("the error was lost")
    assert prequential(Majority(), Source(), classes=[-1, 1]).metrics["seen"] == 2500


def test_a_name_is_no_data():
    with pytest.raises(TypeError, match=r"give onkel\.datasets\.load\('a9a'\) if"):
        prequential(AVMClassifier(), "a9a")
