"""Rows that do not belong together, or cannot be learned: an error names the partition, the value and the remedy."""

from pathlib import Path
from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask.distributed import Client, LocalCluster
from scipy import sparse
from sklearn.linear_model import SGDClassifier

import onkel
from onkel.dask import DaskClassifier, DaskOneClass, DaskRegressor, PartitionError

X = np.random.default_rng(0).normal(size=(40, 2))
Y = (X[:, 0] > 0).astype(int)


def classifier(**settings: Any) -> DaskClassifier:
    return DaskClassifier(onkel.FOGDClassifier(n_components=5, random_state=0), **settings)


def regressor() -> DaskRegressor:
    return DaskRegressor(onkel.FOGDRegressor(n_components=5, random_state=0))


def chunks(*given: Any) -> list[Any]:
    return [dask.delayed(each, traverse=False) for each in ((X, Y), *given)]


def with_cell(cell: Any, row: int = 3) -> np.ndarray:
    changed = Y.astype(object if cell is None or isinstance(cell, str) else float)
    changed[row] = cell
    return changed


WRONG = {
    "more labels than rows": ((X, np.r_[Y, Y]), r"chunk 1 of X has 40 rows in X, but 80 in y"),
    "fewer labels": ((X, Y[:30]), r"chunk 1 of X has 40 rows in X, but 30 in y"),
    "more weights": ((X, Y, np.ones(41)), r"chunk 1 of X .* 41 in sample_weight"),
    "another width": ((X[:, :1], Y), r"chunk 0 of X and partition chunk 1 of X have 2 and 1 feat"),
    "no labels": (X, r"chunk 1 of X has no labels"),
    "a label is NaN": ((X, with_cell(np.nan)), r"chunk 1 of X .*label is missing"),
    "a label is None": ((X, with_cell(None)), r"chunk 1 of X .*label is missing"),
    "a label is NA": ((X, pd.array([pd.NA, *["a"] * 39])), r"chunk 1 of X .*label is missing"),
    "labels of two kinds": ((X, with_cell("word")), r"chunk 1 of X has labels of several kinds"),
    "words as labels": ((X, np.where(Y, "a", "b")), r"chunk 1 of X have labels of different kinds"),
    "words as cells": ((np.full((40, 2), "x"), Y), r"chunk 1 of X .*no numbers .*TableEncoder"),
    "gaps": ((pd.DataFrame(X).astype("Float64").mask(X > 1), Y), r"chunk 1 of X"),
    "too much": ((X, Y, Y, Y), r"chunk 1 of X .*must become \(X, y\)"),
    "nothing": (None, r"chunk 1 of X .*must become \(X, y\)"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_chunk_of_another_kind_is_named(client: Client, name: str) -> None:
    given, message = WRONG[name]
    with pytest.raises(PartitionError, match=message):
        classifier().fit(chunks(given))


def test_chunks_in_other_forms(client: Client) -> None:
    forms = [(X.tolist(), Y.tolist()), (sparse.coo_matrix(X), Y), (X, list(Y))]
    for given in forms[::2]:
        assert classifier(rounds=1).fit(chunks(given)).model_.t_ == 80
    both = [dask.delayed(forms[1], traverse=False)] * 2
    assert classifier(rounds=1).fit(both).model_.t_ == 80


def test_labels_that_are_not_declared_are_named_with_their_partition(client: Client) -> None:
    with pytest.raises(PartitionError, match=r"chunk 1 of X has the labels \[5\].*\[0, 1\]"):
        classifier().fit(chunks((X, Y * 5)), classes=[0, 1])


@pytest.mark.parametrize(
    ("targets", "message"),
    [(None, "no targets"), (with_cell(np.nan), "NaN"), (with_cell("word"), "no numbers: .*word")],
)
def test_targets_that_are_no_numbers(client: Client, targets: Any, message: str) -> None:
    with pytest.raises(PartitionError, match=f"chunk 1 of X .*{message}"):
        regressor().fit(chunks((X, targets)))


def test_rows_that_were_picked_without_their_labels(client: Client) -> None:
    a, b = da.from_array(X, chunks=(10, 2)), da.from_array(Y, chunks=10)
    with pytest.raises(PartitionError, match=r"block \d of X .*pick the same of y"):
        classifier().fit(a[a[:, 0] > 0.5], b)
    with pytest.raises(ValueError, match="X has 40 rows, and y has 30"):
        classifier().fit(a, b[:30])
    frame = dd.from_pandas(pd.DataFrame(X, columns=["a", "b"]).assign(y=Y, w=1.0), npartitions=2)
    with pytest.raises(PartitionError, match=r"number \d of X .*pick the same of y"):
        classifier().fit(frame[frame.a > 0.5][["a", "b"]], frame.y)
    named = classifier(rounds=1).fit(frame, "y", "w").model_
    assert named.n_features_in_ == 2 and named.t_ == 40
    for y, weights, message in (
        (Y, None, "y must be a dask series.*ndarray"),
        ("z", None, "y='z' is no column of X: there are a, b, y, w"),
        (7, None, "y=7 is no column"),
        ("y", "v", "sample_weight='v' is no column"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            classifier().fit(frame, y, weights)
    with pytest.raises(TypeError, match="to_dask_array"):
        classifier().fit(a, frame.y)


def test_weights_that_are_all_zero(client: Client) -> None:
    with pytest.raises(ValueError, match="sample_weight is 0 for all rows"):
        classifier().fit([dask.delayed((X, Y, np.zeros(40)), traverse=False)] * 2)


def test_files_of_other_columns(client: Client, tmp_path: Path) -> None:
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(y=Y)
    files = []
    for number, columns in enumerate((["a", "b", "y"], ["b", "a", "y"])):
        files.append(tmp_path / f"{number}.csv")
        frame[columns].to_csv(files[-1], index=False)
    with pytest.raises(
        PartitionError, match=r"0\.csv .*1\.csv have different columns, a, b and b, a"
    ):
        classifier().fit(files, target="y")
    by_name = classifier(rounds=1).fit(files, target="y", columns=["a", "b"])
    twice = classifier(rounds=1).fit([files[0]] * 2, target="y")
    np.testing.assert_array_equal(by_name.model_.coef_, twice.model_.coef_)
    for text, number in (("1 1:2\n0 2:1\n", 0), ("1 3:1\n0 1:1\n", 1)):
        (tmp_path / f"{number}.svm").write_text(text)
    wide = [tmp_path / "0.svm", tmp_path / "1.svm"]
    with pytest.raises(PartitionError, match=r"2 and 3 features.*n_features=3"):
        classifier().fit(wide)
    fit = classifier(rounds=1).fit(wide, n_features=3)
    assert np.concatenate(dask.compute(*fit.predict(wide))).shape == (4,)


def test_what_is_no_list_of_partitions(client: Client) -> None:
    for given, y, message in (
        ("rows.csv", None, "X='rows.csv' must be a list of files"),
        ([], None, "got an empty list"),
        ([X, X], None, "a list of ndarray"),
        (["rows.csv"], "y", "target="),
    ):
        with pytest.raises(TypeError, match=message):
            classifier().fit(given, y)


def test_what_is_no_learner_of_onkel(client: Client) -> None:
    pipeline = onkel.make_stream_pipeline(onkel.TableEncoder(), onkel.BSGDClassifier())
    for learner, name in ((SGDClassifier(), "SGDClassifier"), (pipeline, "BSGDClassifier")):
        with pytest.raises(AttributeError, match=f"{name} has no merge.*FOGDClassifier"):
            DaskClassifier(learner).fit(chunks())


def test_a_client_that_is_none_or_gone(client: Client) -> None:
    with pytest.raises(TypeError, match="client='tcp://here:1' must be"):
        classifier(client="tcp://here:1").fit(chunks())
    other = Client(client.scheduler.address, set_as_default=False)
    other.close()
    with pytest.raises(ValueError, match="is closed"):
        classifier(client=other).fit(chunks())


def test_a_cluster_without_workers_is_told_of() -> None:
    with (
        LocalCluster(n_workers=0, processes=False, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        cluster.loop.call_later(1.0, lambda: cluster.scale(1))
        with pytest.warns(UserWarning, match="no workers yet"):
            model = classifier(rounds=1, client=client).fit(chunks()).model_
    assert model.t_ == 40


def test_outliers_in_files_without_labels(client: Client, tmp_path: Path) -> None:
    pd.DataFrame(X, columns=["a", "b"]).to_csv(tmp_path / "rows.csv", index=False)
    found = DaskOneClass(onkel.SPAOneClass(gamma=0.5, random_state=0)).fit([tmp_path / "rows.csv"])
    (scores,) = dask.compute(*found.score_samples([tmp_path / "rows.csv"]))
    assert found.model_.t_ == 40 and scores.shape == (40,)
