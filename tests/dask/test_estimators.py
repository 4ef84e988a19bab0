"""Learners on a cluster: what rows may come as, what comes of them, and what is refused."""

import copy
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask.distributed import Client

import onkel
from onkel.dask import DaskClassifier, DaskOneClass, DaskRegressor, PartitionError, transfer
from onkel.dask.sample import Wanted, look, smallest

ROWS, BLOCK = 2500, 300  # enough for a regularization to be chosen from all of them


@pytest.fixture(scope="module")
def rows() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, 3))
    return X, np.where(np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] > 0, "yes", "no")


def ridge(**settings: Any) -> Any:
    return onkel.FourierRidgeClassifier(n_components=15, gamma=0.3, random_state=1, **settings)


def in_blocks(X: np.ndarray, y: np.ndarray, size: int) -> tuple[Any, Any]:
    return da.from_array(X, chunks=(size, 2)), da.from_array(y, chunks=size)


@pytest.mark.parametrize("size", [BLOCK, 1999, 177, ROWS])
def test_ridge_is_the_model_of_one_machine_for_any_partition(
    client: Client, rows: Any, size: int
) -> None:
    X, y = rows
    model = DaskClassifier(ridge(), client=client).fit(*in_blocks(X, y, size)).model_
    alone = ridge().fit(X, y)
    np.testing.assert_allclose(model.coef_, alone.coef_, atol=1e-8 * abs(alone.coef_).max())
    np.testing.assert_allclose(model.decision_function(X), alone.decision_function(X), atol=1e-7)
    assert model.t_ == ROWS and model.random_state == 1
    assert model.predict_proba(X).shape == (ROWS, 2)


def test_a_model_that_comes_in_pieces_is_the_same(
    client: Client, rows: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = rows
    whole = DaskClassifier(ridge(), client=client).fit(*in_blocks(X, y, BLOCK)).model_
    monkeypatch.setattr(transfer, "PIECE", 1000)  # the workers are threads of this process
    pieces = DaskClassifier(ridge(), client=client).fit(*in_blocks(X, y, BLOCK)).model_
    assert whole._machine.statistics.gram.nbytes > 7 * transfer.PIECE
    for model in (whole, pieces):
        assert model._machine.inverse is None  # nobody has learned on from it
        model.partial_fit(X[:100], y[:100])
    np.testing.assert_array_equal(pieces.coef_, whole.coef_)
    assert pieces._machine.statistics.gram.flags.writeable


def test_all_forms_of_rows_are_the_same_rows(client: Client, rows: Any, tmp_path: Path) -> None:
    X, y = rows
    frame = pd.DataFrame(X, columns=list("abc")).assign(y=y)
    parts = [slice(i, i + BLOCK) for i in range(0, ROWS, BLOCK)]
    files = [tmp_path / f"part{i}.csv" for i in range(len(parts))]
    for file, part in zip(files, parts):
        frame[part].to_csv(file, index=False)
    table = dd.concat([dd.from_pandas(frame[part], npartitions=1) for part in parts])
    chunks = [dask.delayed((X[part], y[part]), traverse=False) for part in parts]
    fits = {
        "array": DaskClassifier(ridge()).fit(*in_blocks(X, y, BLOCK)),
        "frame": DaskClassifier(ridge()).fit(table, "y"),
        "series": DaskClassifier(ridge()).fit(table[list("abc")], table["y"]),
        "chunks": DaskClassifier(ridge()).fit(chunks),
        "files": DaskClassifier(ridge()).fit(files, target="y"),
    }
    expected = fits["array"].model_.coef_
    for name, fit in fits.items():
        np.testing.assert_allclose(fit.model_.coef_, expected, rtol=1e-7, atol=1e-9, err_msg=name)
        assert fit.classes_.tolist() == ["no", "yes"]
    answers = fits["array"].model_.predict(X)
    lazy = fits["array"].predict(in_blocks(X, y, BLOCK)[0])
    assert isinstance(lazy, da.Array) and lazy.chunks[0] == in_blocks(X, y, BLOCK)[1].chunks[0]
    np.testing.assert_array_equal(lazy.compute(), answers)
    np.testing.assert_array_equal(
        fits["frame"].predict(table[list("abc")]).compute(),
        fits["frame"].model_.predict(frame[list("abc")]),
    )
    pieces = fits["chunks"].predict(chunks)
    np.testing.assert_array_equal(np.concatenate(dask.compute(*pieces)), answers)
    proba = fits["array"].predict_proba(in_blocks(X, y, BLOCK)[0])
    np.testing.assert_allclose(proba.compute(), fits["array"].model_.predict_proba(X))


def test_weights_count(client: Client, rows: Any) -> None:
    X, y = rows
    w = np.random.default_rng(1).uniform(0.1, 2.0, ROWS)
    dX, dy = in_blocks(X, y, BLOCK)
    model = DaskClassifier(ridge()).fit(dX, dy, da.from_array(w, chunks=BLOCK)).model_
    alone = ridge().fit(X, y, w)
    np.testing.assert_allclose(model.decision_function(X), alone.decision_function(X), atol=1e-7)
    frame = dd.from_pandas(pd.DataFrame(X, columns=list("abc")).assign(y=y, w=w), npartitions=4)
    for labels in ("y", frame["y"]):  # by its name, or a series of its own
        table = frame[["a", "b", "c", *([labels] if isinstance(labels, str) else [])]]
        named = DaskClassifier(ridge()).fit(table, labels, frame["w"]).model_
        np.testing.assert_allclose(
            named.decision_function(X), model.decision_function(X), atol=1e-7
        )


def test_gradient_learners_go_in_rounds_until_the_loss_stays(client: Client, rows: Any) -> None:
    X, y = rows
    learner = onkel.FOGDClassifier(n_components=100, gamma=0.3, random_state=0)
    fit = DaskClassifier(learner).fit(*in_blocks(X, y, BLOCK))
    assert 1 < fit.n_rounds_ <= 5 and fit.model_.t_ == ROWS * fit.n_rounds_
    assert fit.losses_[1] < fit.losses_[0]
    alone = copy.deepcopy(learner).fit(X, y)
    assert fit.model_.score(X, y) > alone.score(X, y) - 0.01
    again = DaskClassifier(learner).fit(*in_blocks(X, y, BLOCK))
    np.testing.assert_array_equal(fit.model_.coef_, again.model_.coef_)
    fit.model_.partial_fit(X[:10], y[:10])
    one = DaskClassifier(learner, rounds=1).fit(*in_blocks(X, y, BLOCK))
    assert one.n_rounds_ == 1 and one.model_.t_ == ROWS


def test_regressor_and_detector(client: Client, rows: Any) -> None:
    X, _ = rows
    target = 5 + 100 * np.sin(X[:, 0])
    dX, dy = in_blocks(X, target, BLOCK)
    fit = DaskRegressor(onkel.AVMRegressor(random_state=0)).fit(dX, dy)
    assert fit.model_.score(X, target) > 0.5 and fit.predict(dX).dtype == float
    found = DaskOneClass(onkel.SPAOneClass(gamma=0.5, random_state=0)).fit(dX)
    assert set(found.predict(dX).compute().tolist()) == {-1, 1}
    alone = onkel.SPAOneClass(gamma=0.5, random_state=0).partial_fit(X)
    shares = [(model.predict(X) < 0).mean() for model in (found.model_, alone)]
    assert abs(shares[0] - shares[1]) < 0.03
    assert found.score_samples(dX).compute().shape == (ROWS,)


def test_a_pipeline_has_one_dictionary_for_all(client: Client, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    files = []
    for i in range(3):
        words = rng.choice(["cook", "clerk", f"only{i}"], 500)
        frame = pd.DataFrame({"job": words, "age": rng.normal(40, 10, 500)})
        frame["rich"] = np.where(words == "cook", "no", "yes")
        files.append(tmp_path / f"{i}.csv")
        frame.to_csv(files[-1], index=False)
    pipeline = onkel.make_stream_pipeline(
        onkel.TableEncoder(), onkel.FOGDClassifier(n_components=50, random_state=0)
    )
    fit = DaskClassifier(pipeline).fit(files, target="rich", raw=True)
    words = fit.model_.steps[0][1].get_feature_names_out().tolist()
    assert {f"job=only{i}" for i in range(3)} <= set(words)
    people = {"job": ["cook", "clerk"], "age": [30, 30]}
    assert fit.model_.predict(people).tolist() == ["no", "yes"]
    assert fit.model_.steps[-1][1].t_ == 1500 * fit.n_rounds_


def test_what_cannot_be_read_is_named(client: Client, rows: Any, tmp_path: Path) -> None:
    X, y = rows
    (tmp_path / "good.csv").write_text("a,y\n1,0\n2,1\n")
    (tmp_path / "bad.csv").write_text("a,y\n1,0\nrubbish,1\n")
    files = [tmp_path / name for name in ("good.csv", "bad.csv", "none.csv")]
    fogd = DaskClassifier(onkel.FOGDClassifier(n_components=5))
    with pytest.raises(PartitionError, match=r"bad\.csv.*line 3"):
        fogd.fit(files[:2], target="y")
    with pytest.raises(PartitionError, match=r"none\.csv"):
        fogd.fit([files[0], files[2]], target="y")

    def broken(i: int) -> Any:
        if i == 2:
            raise OSError("disk on fire")
        return X[:9], y[:9]

    for learner in (fogd, DaskClassifier(ridge())):
        with pytest.raises(PartitionError, match=r"chunk 2 of X.*disk on fire"):
            learner.fit([dask.delayed(broken)(i) for i in range(4)])
        assert not hasattr(learner, "model_")
    bad = X.copy()
    bad[700, 1] = np.nan
    with pytest.raises(PartitionError, match=r"block 2 of X.*NaN"):
        fogd.fit(*in_blocks(bad, y, BLOCK))


def test_what_cannot_be_done_is_said(client: Client, rows: Any) -> None:
    dX, dy = in_blocks(*rows, BLOCK)
    with pytest.raises(AttributeError, match=r"BSGDClassifier has no merge.*FOGDClassifier"):
        DaskClassifier(onkel.BSGDClassifier()).fit(dX, dy)
    with pytest.raises(TypeError, match="learner=None"):
        DaskClassifier().fit(dX, dy)
    with pytest.raises(ValueError, match="half_life"):
        DaskClassifier(ridge(half_life=100.0)).fit(dX, dy)
    with pytest.raises(ValueError, match="epochs=2"):
        DaskClassifier(ridge(epochs=2)).fit(dX, dy)
    with pytest.raises(TypeError, match="list of files"):
        DaskClassifier(ridge()).fit(rows[0], rows[1])
    with pytest.raises(TypeError, match="target"):
        DaskClassifier(ridge()).fit(dX, dy, target="y")
    with pytest.raises(ValueError, match="rounds"):
        DaskClassifier(ridge(), rounds=0).fit(dX, dy)
    with pytest.raises(ValueError, match="has no labels"):
        DaskClassifier(ridge()).fit(dX)
    with pytest.raises(TypeError, match="is no regressor"):
        DaskRegressor(ridge()).fit(dX, dy)
    with pytest.raises(TypeError, match="is no outlier detector"):
        DaskOneClass(ridge()).fit(dX)
    with pytest.raises(TypeError, match="bring their own"):
        DaskClassifier(ridge()).fit(["rows.csv"], dy, target="y")
    with pytest.raises(TypeError, match="bring their own"):
        DaskClassifier(ridge()).fit([dask.delayed((1, 2))], sample_weight=dy)


def test_samples_are_uniform_and_do_not_depend_on_how_they_are_put_together() -> None:
    from onkel.dask.partitions import Chunk

    parts = [Chunk(np.full((n, 1), float(n)), np.zeros(n)) for n in (3000, 1000, 50)]
    looks = [look(part, "x", i, Wanted(400, 7, "classifier", True)) for i, part in enumerate(parts)]
    whole = smallest(looks, 400)
    in_turn = smallest([smallest(looks[:2], 400), looks[2]], 400)
    assert whole is not None and in_turn is not None
    np.testing.assert_array_equal(whole.X, in_turn.X)
    assert whole.n_rows == 4050 and whole.labels is not None and whole.labels.tolist() == [0.0]
    assert abs((whole.X == 3000.0).mean() - 3000 / 4050) < 0.07
