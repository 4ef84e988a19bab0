"""train and predict: every kind of file, what is said, and what goes wrong."""

from __future__ import annotations

import json
import lzma
import re

import numpy as np
import onnxruntime
import pytest

from onkel import FOGDClassifier, StreamPipeline, make_stream_pipeline
from onkel.io import load
from onkel.stream import Scaler, open_stream
from tests.cli.files import fails, ok, rows, svmlight, table


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("cli")


@pytest.fixture(scope="module")
def classifier(folder):
    """A model of words, trained on CSV."""
    path = folder / "words.onkel"
    ok("train", table(folder / "train.csv", "words"), "-t", "target", "-o", path, "-s", "gamma=0.5")
    return path


@pytest.fixture(scope="module")
def numbers(folder):
    """A model of -1 and 1, trained on svmlight."""
    path = folder / "numbers.onkel"
    ok("train", svmlight(folder / "train.svm"), "-o", path, "-s", "gamma=0.5")
    return path


def test_train_tells_what_it_does_and_what_came_of_it(folder):
    path = folder / "model"
    result = ok("train", svmlight(folder / "a.svm"), "-o", path, "-s", "gamma=0.5")
    assert "AVMClassifier (gamma=0.5): classification with the labels -1, 1" in result.stderr
    assert "if wrong, --task regression" in result.stderr and "unit_variance" in result.stderr
    assert result.stdout.startswith(f"{path}: AVMClassifier of ") and "mistakes" in result.stdout
    assert len(result.stdout.splitlines()) == 1


def test_train_json_is_one_object(folder):
    packed = folder / "a.svm.xz"
    packed.write_bytes(lzma.compress(svmlight(folder / "a.svm").read_bytes()))
    result = ok("train", packed, "-o", folder / "m", "-l", "fogd", "--json", "-q", "--epochs", 2)
    facts = json.loads(result.stdout)
    assert facts["rows"] == 600 and facts["classes"] == [-1, 1] and facts["features"] == 2
    assert facts["learner"] == "FOGDClassifier" and 0 <= facts["recent_mistake_rate"] < 0.2
    assert result.stderr == ""


def test_predict_scales_raw_rows_as_in_training(folder, numbers):
    test = svmlight(folder / "test.svm", seed=1)
    result = ok("predict", numbers, test)
    truth = [line.split()[0] for line in test.read_text().splitlines()]
    answers = result.stdout.split()
    assert len(answers) == 300 and set(answers) == {"-1", "1"}
    agreement = np.mean([a == b for a, b in zip(answers, truth)])
    assert agreement > 0.9
    assert f"300 rows, {agreement:.2%} agree with the labels" in result.stderr
    assert ok("predict", numbers, "-", "-q", stdin=test.read_bytes()).stdout == result.stdout


def test_predict_is_what_the_model_says_in_python(folder, numbers):
    X, _ = rows(seed=1)
    model = load(numbers)
    result = ok("predict", numbers, svmlight(folder / "t.svm", seed=1), "--scores", "--json", "-q")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line["prediction"] for line in lines] == model.predict(X).tolist()
    found = [line["scores"][0] for line in lines]
    np.testing.assert_allclose(found, model.decision_function(X), rtol=1e-9)


def test_scaling_is_a_step_and_none_leaves_the_learner_alone(folder):
    path = svmlight(folder / "s.svm")
    for scale, kind in (("unit_interval", StreamPipeline), ("none", FOGDClassifier)):
        ok("train", path, "-l", "fogd", "--scale", scale, "-o", folder / "s.onkel")
        model = load(folder / "s.onkel")
        assert type(model) is kind
    model = make_stream_pipeline(Scaler("unit_variance"), FOGDClassifier(random_state=0))
    ok("train", path, "-l", "fogd", "-o", folder / "s.onkel", "--shuffle-buffer", 0)
    for X, y in open_stream(path):
        model.partial_fit(X, y, classes=[-1, 1])
    X, _ = rows()
    assert np.array_equal(load(folder / "s.onkel").decision_function(X), model.decision_function(X))


def test_features_that_the_model_does_not_know(numbers):
    message = fails(1, "predict", numbers, "-", stdin=b"1 1:5 2:1\n1 1:3 9:1\n")
    assert "line 2" in message and "index 9" in message and "the model knows 2 features" in message
    assert "n_features" not in message and "--n-features" not in message


def test_columns_go_by_name(folder, classifier):
    path = table(folder / "test.csv", "words", seed=1)
    usual = ok("predict", classifier, path)
    assert "agree with the labels" in usual.stderr
    lines = [line.split(",") for line in path.read_text().splitlines()]
    turned = folder / "turned.csv"  # no target, another order, one column more
    turned.write_text("\n".join(f"{b},9,{a}" for a, b, _ in lines).replace(",9,", ",more,", 1))
    result = ok("predict", classifier, turned)
    assert result.stdout == usual.stdout and set(result.stdout.split()) == {"big", "small"}
    assert result.stderr == "300 rows\n"
    turned.write_text("size,height\n1,2\n")
    assert "the column 'weight' is needed" in fails(1, "predict", classifier, turned)


def test_regression_in_the_unit_of_its_targets(folder):
    train, test = table(folder / "r.csv", "prices"), table(folder / "r2.csv", "prices", seed=1)
    result = ok("train", train, "-t", "target", "-o", folder / "r.onkel", "--epochs", 3)
    assert "FOGDRegressor" in result.stdout and "root mean squared error" in result.stdout
    output = folder / "prices.txt"
    result = ok("predict", folder / "r.onkel", test, "-o", output)
    truth = np.array([float(line.split(",")[2]) for line in test.read_text().splitlines()[1:]])
    error = np.sqrt(np.mean((np.loadtxt(output) - truth) ** 2))
    assert error < 0.5 * truth.std()
    told = re.search(r"root mean squared error (\S+) against the labels", result.stderr)
    assert told and float(told[1]) == pytest.approx(error, rel=1e-3) and result.stdout == ""


def test_a_pipe_needs_classes_and_width(folder):
    data = svmlight(folder / "p.svm").read_bytes()
    model = folder / "p.onkel"
    assert "--n-features" in fails(2, "train", "-", "-o", model, stdin=data)
    message = fails(2, "train", "-", "--n-features", 2, "-o", model, stdin=data)
    assert "--classes" in message and "-1, 1" in message
    assert not model.exists()
    ok("train", "-", "--n-features", 2, "--classes=-1,1", "-o", model, "-l", "fogd", stdin=data)
    assert load(model).classes_.tolist() == [-1, 1] and load(model)[-1].t_ == 300
    assert "--epochs 2" in fails(2, "train", "-", "--epochs", 2, stdin=data)


def test_labels_beyond_those_declared(folder):
    data = svmlight(folder / "q.svm")
    message = fails(1, "train", data, "--classes", "0,1", "-o", folder / "q", "-l", "fogd")
    assert "never declared: [-1]" in message
    assert "with --classes" in message and "partial_fit" not in message
    assert not (folder / "q").exists()


def test_bad_lines_are_errors_or_counted(folder):
    path = folder / "bad.svm"
    path.write_text(svmlight(folder / "b.svm").read_text() + "1 1:abc\n")
    message = fails(1, "train", path, "-o", folder / "bad.onkel", "-l", "fogd")
    assert "bad.svm, line 301" in message and "abc" in message
    result = ok(
        "train", path, "--skip-bad-lines", "-o", folder / "bad.onkel", "-l", "fogd", "--json"
    )
    assert json.loads(result.stdout)["skipped"] == 1 and "1 bad line left out" in result.stderr


@pytest.mark.parametrize("arguments, code, words", [
    (["train", "FILE", "-l", "avmm"], 2, ["no learner 'avmm'", "did you mean avm", "fogd"]),
    (["train", "FILE", "-s", "gama=1"], 2, ["no parameter 'gama'", "did you mean gamma", "diameter"]),
    (["train", "FILE", "-s", "gamma=-1"], 2, ["gamma=-1", "> 0"]),
    (["train", "FILE", "-s", "gamma"], 2, ["name=value"]),
    (["train", "FILE", "-s", "degree=3"], 2, ["no parameter 'degree' of AVMClassifier"]),
    (["train", "FILE", "-s", "kernel=foo"], 2, ["kernel='foo'", "'rbf', 'matern32', 'matern52'"]),
    (["train", "FILE", "-l", "bsgd", "-s", "kernel=matern32"], 2, ["'matern32'", "merging", "'rbf'"]),
    (["train", "FILE", "-s", "kernel=polynomial"], 2, ["kernel='polynomial'", "AVM", "'rbf'"]),
    (["compare", "FILE", "-l", "fogd,avm", "-s", "avm:kernel=linear"], 2, ["kernel='linear'", "AVM"]),
    (["compare", "FILE", "-l", "avm,fogd", "-s", "budget=3"], 2, ["no parameter 'budget' of avm, fogd"]),
    (["train", "FILE", "-l", "csvrg", "--task", "regression"], 2, ["csvrg is not for regression"]),
    (["train", "FILE", "-t", "y"], 1, ["svmlight", "no named columns", "leave out --target 'y'"]),
    (["train", "nowhere.svm"], 1, ["nowhere.svm", "no such file"]),
    (["train", "a9a"], 1, ["no such file", "onkel datasets where a9a"]),
    (["train", "."], 1, ["folder"]),
    (["train", "FILE", "-o", "no/where"], 2, ["folder no does not exist"]),
    (["train", "FILE", "-o", "."], 2, ["is a folder"]),
    (["train", "FILE", "--classes", "1"], 2, ["at least two"]),
    (["train", "FILE", "--classes", "1,2", "--task", "regression"], 2, ["--classes is for"]),
    (["predict", "FILE", "FILE"], 1, ["cannot be read as a model"]),
    (["predict", "nowhere.onkel", "FILE"], 1, ["nowhere.onkel", "no such file"]),
    (["evaluate", "FILE", "--report", "no/page.html"], 2, ["folder no does not exist"]),
])  # fmt: skip
def test_errors_are_one_line(arguments, code, words, folder):
    path = svmlight(folder / "e.svm")
    message = fails(code, *[path if word == "FILE" else word for word in arguments])
    for word in words:
        assert word in message


def test_empty_files_and_one_class(folder):
    path = folder / "empty.svm"
    path.write_text("")
    assert "no row" in fails(1, "train", path)
    path.write_text("cat\ndog\n")
    message = fails(1, "train", path, "--skip-bad-lines")
    assert "2 malformed lines left out" in message and "line 1" in message and "cat" in message
    path.write_text("1 1:1\n1 1:2\n")
    assert "at least two labels, the data has 1" in fails(1, "train", path)


def test_batch_learners_read_everything(folder):
    result = ok(
        "train", svmlight(folder / "c.svm"), "-l", "llsvm", "-o", folder / "c.onkel", "--json"
    )
    assert json.loads(result.stdout)["learner"] == "LLSVMClassifier"
    assert "agree" in ok("predict", folder / "c.onkel", folder / "c.svm").stderr


def test_parquet(folder, classifier):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import csv, parquet

    text = table(folder / "pq.csv", "words", seed=1)
    parquet.write_table(csv.read_csv(text), folder / "pq.parquet")
    assert arrow and ok("predict", classifier, folder / "pq.parquet").stdout == (
        ok("predict", classifier, text).stdout
    )


def test_probabilities_of_each_label(folder, classifier):
    test = table(folder / "p.csv", "words", seed=1)
    facts = [
        json.loads(line)
        for line in ok("predict", classifier, test, "--proba", "--json").stdout.splitlines()
    ]
    for fact in facts:
        assert list(fact["probabilities"]) == ["big", "small"]
        assert sum(fact["probabilities"].values()) == pytest.approx(1)
    sure = [fact for fact in facts if max(fact["probabilities"].values()) > 0.9]
    assert len(sure) > 30
    assert all(fact["probabilities"][fact["prediction"]] > 0.5 for fact in sure)
    told = ok("predict", classifier, test, "--proba")
    assert "behind the prediction, in this order: big, small" in told.stderr
    plain = told.stdout.splitlines()
    answer, big, small = plain[0].split("\t")
    assert answer == facts[0]["prediction"]
    assert float(big) == pytest.approx(facts[0]["probabilities"]["big"], rel=1e-4)
    assert float(big) + float(small) == pytest.approx(1, rel=1e-4)


def test_intervals_in_the_unit_of_the_targets(folder, classifier):
    model, test = folder / "prices.onkel", table(folder / "i.csv", "prices", 600, seed=1)
    ok(
        "train",
        table(folder / "prices.csv", "prices", 2000),
        "-t",
        "target",
        "-o",
        model,
        "-l",
        "fogd",
    )
    lines = ok("predict", model, test, "--interval", 0.8, "-q").stdout.splitlines()
    answers, low, high = np.array([line.split("\t") for line in lines], float).T
    targets = np.array(
        [line.rsplit(",", 1)[1] for line in test.read_text().splitlines()[1:]], float
    )
    np.testing.assert_allclose((low + high) / 2, answers, rtol=1e-4)
    assert 0.7 < ((low <= targets) & (targets <= high)).mean() < 0.9
    assert "this one predicts classes: --proba" in fails(
        1, "predict", classifier, test, "--interval", 0.8
    )
    assert "this one predicts numbers: --interval" in fails(1, "predict", model, test, "--proba")
    assert "give a number between 0 and 1" in fails(1, "predict", model, test, "--interval", 90)


def test_a_pipe_needs_no_rate_of_maintenance(folder):
    rows = svmlight(folder / "piped.svm").read_text()
    arguments = "--classes=-1,1", "--n-features", 2, "-l", "nbsgd", "-o", folder / "piped.onkel"
    ok("train", "-", *arguments, "-q", stdin=rows)
    assert load(folder / "piped.onkel")[-1].maintenance_rate == "auto"


def test_export_writes_onnx_that_says_the_same(folder, numbers, classifier):
    path = folder / "numbers.onnx"
    told = ok("export", numbers, "-o", path).stdout
    assert told.startswith(f"{path}: AVMClassifier, X to label, probabilities, scores, ")
    X, _ = rows(50, seed=3)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    label, _, scores = session.run(None, {"X": X.astype(np.float32)})
    model = load(numbers)
    assert np.array_equal(label, model.predict(X))
    np.testing.assert_allclose(scores[:, 0], model.decision_function(X), rtol=1e-4, atol=1e-4)
    facts = json.loads(ok("export", classifier, "-o", path, "--dtype", "float64", "--json").stdout)
    assert facts["outputs"] == ["label", "probabilities", "scores"] and "X" not in facts["inputs"]


def test_export_of_what_cannot_be_written(folder, numbers):
    assert "does not exist: make the folder first" in fails(
        1, "export", numbers, "-o", folder / "nowhere" / "m.onnx"
    )
    assert "cannot be read as a model" in fails(
        1, "export", svmlight(folder / "no.svm"), "-o", folder / "m.onnx"
    )
