"""What a fitted estimator says of rows that dask holds: lazily, of any form, by the model as it is when asked."""

import pickle
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask.distributed import Client
from sklearn.base import clone

import onkel
from onkel.dask import DaskClassifier

X = np.random.default_rng(0).normal(size=(90, 2))
Y = np.where(X[:, 0] > 0, "yes", "no")


@pytest.fixture
def fit(client: Client) -> DaskClassifier:
    learner = onkel.FOGDClassifier(n_components=5, random_state=0)
    return DaskClassifier(learner, rounds=1, client=client).fit(
        da.from_array(X, chunks=(30, 2)), da.from_array(Y, chunks=30)
    )


def test_it_is_the_model_as_it_was_when_asked(fit: Any) -> None:
    lazy, expected = (
        fit.predict_proba(da.from_array(X, chunks=(30, 2))),
        fit.model_.predict_proba(X),
    )
    fit.model_.partial_fit(X, np.where(Y == "yes", "no", "yes"))
    np.testing.assert_array_equal(lazy.compute(), expected)
    assert not np.array_equal(fit.model_.predict_proba(X), expected)


def test_blocks_without_rows(fit: Any) -> None:
    rows = da.from_array(X, chunks=(30, 2))
    some = rows[da.arange(90, chunks=30) >= 30]
    np.testing.assert_array_equal(fit.predict(some).compute(), fit.model_.predict(X[30:]))
    assert fit.predict_proba(some).compute().shape == (60, 2)
    frame = dd.from_pandas(pd.DataFrame(X), npartitions=3)
    few = fit.predict(frame[frame[0] > 99.0]).compute()
    assert few.shape == (0,) and few.dtype == fit.predict(frame).compute().dtype
    assert dask.compute(*fit.predict([dask.delayed(X[:0])]))[0].shape == (0,)


def test_files_with_labels_and_without(fit: Any, tmp_path: Path) -> None:
    frame, expected = pd.DataFrame(X, columns=["a", "b"]), fit.model_.predict(X)
    frame.to_csv(tmp_path / "bare.csv", index=False)
    frame.assign(y=Y).to_csv(tmp_path / "whole.csv", index=False)
    bare, whole = [tmp_path / "bare.csv"], [tmp_path / "whole.csv"]
    np.testing.assert_array_equal(fit.predict(bare)[0].compute(), expected)
    np.testing.assert_array_equal(fit.predict(whole, target="y")[0].compute(), expected)
    of_files = clone(fit).fit(whole, target="y", ignore=["a"])
    assert of_files.model_.n_features_in_ == 1
    for files in (bare, whole):
        assert of_files.predict_proba(files)[0].compute().shape == (90, 2)
    with pytest.raises(TypeError, match="target: how to read is said of files only"):
        fit.predict(X, target="y")


def test_pipelines_read_tables(client: Client, tmp_path: Path) -> None:
    frame = pd.DataFrame({"job": np.where(X[:, 0] > 0, "cook", "clerk"), "age": X[:, 1], "y": Y})
    frame.to_csv(tmp_path / "people.csv", index=False)
    frame.drop(columns="y").to_csv(tmp_path / "new.csv", index=False)
    learner = onkel.FOGDClassifier(n_components=50, random_state=0)
    pipeline = onkel.make_stream_pipeline(onkel.TableEncoder(), learner)
    fit = DaskClassifier(pipeline).fit([tmp_path / "people.csv"] * 2, target="y", raw=True)
    for name in ("people.csv", "new.csv"):
        (answers,) = dask.compute(*fit.predict([tmp_path / name]))
        assert (answers == Y).mean() > 0.9


def test_clones_share_the_client_and_files_have_none(fit: Any, client: Client) -> None:
    again = clone(fit)
    assert again.client is client and not hasattr(again, "model_")
    assert again.learner is not fit.learner
    loaded = pickle.loads(pickle.dumps(fit))
    assert loaded.client is None
    np.testing.assert_array_equal(loaded.predict(X), fit.predict(X))
