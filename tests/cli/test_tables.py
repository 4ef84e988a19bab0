"""Tables as they are on the command line: words, dates, gaps, labels that are missing, and what is guessed."""

from __future__ import annotations

import gzip
import json
import lzma
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from onkel import FOGDClassifier, FOGDRegressor, TableEncoder, make_stream_pipeline
from onkel.io import load
from onkel.stream import open_stream, shuffled
from tests.cli.files import fails, ok

ROWS = 900


def flights(path: Path, n: int = ROWS, seed: int = 0, target: str = "delay") -> Path:
    """Words, a moment, gaps, a code, and a delay that some rows lack; or whether there was one."""
    random = np.random.default_rng(seed)
    carrier, hour = random.integers(0, 3, n), random.integers(0, 24, n)
    delay = 20.0 * carrier + 15 * np.sin(hour / 24 * 2 * np.pi) + random.normal(size=n)
    lines = []
    for i in range(n):
        moment = f"2013-{1 + i % 12:02d}-{1 + i % 28:02d}T{hour[i]:02d}:00"
        said = f"{delay[i]:.2f}" if target == "delay" else ["no", "yes"][int(delay[i] > 20)]
        said = ["", "NA"][i % 2] if i % 50 == 7 else said
        distance = "?" if i % 11 == 3 else f"{random.integers(100, 3000)}"
        lines.append(
            f'"{["AA", "UA", "B6, Inc"][carrier[i]]}",{moment},{distance},{i % 7},{said}\n'
        )
    path.write_text(f"carrier,when,distance,gate,{target}\n" + "".join(lines))
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: Any) -> Path:
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(scope="module")
def model(folder: Path) -> Path:
    path = folder / "flights.onkel"
    ok("train", flights(folder / "flights.csv"), "--target", "delay", "-o", path)
    return path


def test_any_table_is_learned(folder: Path) -> None:
    path = folder / "some.onkel"
    result = ok("train", flights(folder / "f.csv"), "-t", "delay", "-o", path, "--epochs", 3)
    assert (
        "FOGDRegressor: regression (guessed from the labels: not all are whole numbers; if wrong"
        in (result.stderr)
    )
    assert "882 rows, columns encoded" in result.stderr and "rows in random order" in result.stderr
    assert "18 rows without a label left out" in result.stderr
    told = ok("predict", path, flights(folder / "g.csv", seed=1)).stderr
    error = float(told.split("root mean squared error ")[1].split()[0])
    assert error < 10 and "of 882 with a known label" in told


def test_predict_is_what_the_model_says_in_python(folder: Path, model: Path) -> None:
    pandas = pytest.importorskip("pandas")
    path = flights(folder / "g.csv", seed=1)
    answers = ok("predict", model, path, "-q", "--json").stdout.splitlines()
    found = [json.loads(line)["prediction"] for line in answers]
    frame = pandas.read_csv(path).drop(columns=["delay"])
    assert len(found) == ROWS and found == load(model).predict(frame).tolist()
    frame = frame[["gate", "when", "distance", "carrier"]]  # columns go by name
    assert found == load(model).predict(frame).tolist()


@pytest.mark.parametrize("target", ["delay", "late"])
def test_a_pipeline_in_python_is_the_same_model(folder: Path, target: str) -> None:
    path = flights(folder / "p.csv", target=target)
    ok("train", path, "-t", target, "-o", folder / "p.onkel")
    ours = load(folder / "p.onkel")
    learner: Any = FOGDClassifier(random_state=0)
    options: dict[str, Any] = {"classes": ["no", "yes"]}
    if target == "delay":
        learner, options = FOGDRegressor(random_state=0), {}
    model = make_stream_pipeline(TableEncoder(), learner)
    rows = [(X, y) for X, y in open_stream(path, target=target, raw=True, labels="raw")]
    kept = [(X[k], y[k]) for X, y in rows for k in [(y != "") & (y != "NA")]]
    for X, y in shuffled(kept, 2 * 882, random_state=0):
        model.partial_fit(X, y if options else y.astype(float), **options)
    ask = "predict" if target == "delay" else "decision_function"
    X = rows[0][0]
    assert np.array_equal(getattr(model, ask)(X), getattr(ours, ask)(X))


def test_packed_typed_and_piped(folder: Path, model: Path) -> None:
    path = flights(folder / "q.csv", seed=1)
    usual = ok("predict", model, path, "-q").stdout
    (folder / "q.csv.xz").write_bytes(lzma.compress(path.read_bytes()))
    (folder / "q.csv.gz").write_bytes(gzip.compress(path.read_bytes()))
    assert ok("predict", model, folder / "q.csv.xz", "-q").stdout == usual
    assert ok("predict", model, folder / "q.csv.gz", "-q").stdout == usual
    assert ok("predict", model, "-", "-q", stdin=path.read_bytes()).stdout == usual
    piped = ("train", "-", "-t", "delay", "-o", folder / "q.onkel", "--task", "regression")
    assert "18 rows without" in ok(*piped, stdin=path.read_bytes()).stderr
    pytest.importorskip("pyarrow")
    from pyarrow import csv, feather, parquet

    typed = csv.read_csv(path, convert_options=csv.ConvertOptions(null_values=["", "NA", "?"]))
    assert str(typed.schema.field("when").type).startswith("timestamp")
    parquet.write_table(typed, folder / "q.parquet")
    feather.write_feather(typed, folder / "q.arrow")
    for name in ("q.parquet", "q.arrow"):
        assert ok("predict", model, folder / name, "-q").stdout == usual
        ok("train", folder / name, "-t", "delay", "-o", folder / "typed.onkel")
        same = ok("predict", folder / "typed.onkel", folder / name, "-q").stdout
        ok("train", path, "-t", "delay", "-o", folder / "text.onkel")
        assert same == ok("predict", folder / "text.onkel", path, "-q").stdout


def test_columns_are_chosen_left_out_and_taken_for_names(folder: Path) -> None:
    path = flights(folder / "c.csv")
    goal = folder / "c.onkel"
    ok(
        "train",
        path,
        "-t",
        "delay",
        "-o",
        goal,
        "--ignore",
        "when,distance",
        "--categorical",
        "gate",
    )
    encoder = load(goal)[0]
    assert encoder.feature_names_in_.tolist() == ["carrier", "gate"]
    assert [each.kind for each in encoder.describe()] == ["word", "word"]
    ok("train", path, "-t", "delay", "-o", goal, "--columns", "gate, carrier")
    assert [each.kind for each in load(goal)[0].describe()] == ["number", "word"]
    assert "'gates' is needed, but not there; there are carrier" in fails(
        1, "train", path, "-t", "delay", "--columns", "gates"
    )
    assert "--categorical names 'gates'" in fails(
        1, "train", path, "-t", "delay", "--categorical", "gates", "-o", goal
    )
    assert "is the target" in fails(1, "train", path, "-t", "delay", "--columns", "delay,gate")
    text = flights(folder / "late.csv", target="late")
    assert "regression needs numbers as targets, got 'yes'" in fails(
        1, "train", text, "-t", "late", "--task", "regression"
    )
    assert "no column besides" in fails(
        1, "train", path, "-t", "delay", "--ignore", "carrier,when,distance,gate"
    )
    assert "name at least one" in fails(2, "train", path, "-t", "delay", "--columns", "")
    assert "--ignore is for tables" in fails(2, "train", "x.svm", "--ignore", "a")
    assert "--scale none is for svmlight" in fails(
        2, "train", path, "-t", "delay", "--scale", "none"
    )
    assert "which column is the label? Name it with --target" in fails(1, "train", path)


def test_the_guess_can_be_changed(folder: Path) -> None:
    path = folder / "ages.csv"
    random = np.random.default_rng(0)
    ages = random.poisson(10, 1500)
    path.write_text(
        "size,age\n" + "".join(f"{a + b:.3f},{a}\n" for a, b in zip(ages, random.normal(size=1500)))
    )
    result = ok("train", path, "-t", "age", "-o", folder / "ages.onkel")
    assert "become rare gradually; if wrong, --task classification" in result.stderr
    result = ok("train", path, "-t", "age", "-o", folder / "ages.onkel", "--task", "classification")
    assert "FOGDClassifier: classification with the labels 1, 2, 3" in result.stderr
    assert "guessed" not in result.stderr and 10 in load(folder / "ages.onkel").classes_


def test_prices_that_are_no_plain_numbers_are_not_taken_for_classes(folder: Path) -> None:
    path = folder / "prices.csv"
    sizes = np.random.default_rng(0).uniform(50, 200, 400)
    path.write_text("size,price\n" + "".join(f'{a:.2f},"${1000 * a:,.2f}"\n' for a in sizes))
    for command in ("train", "evaluate", "compare"):
        message = fails(1, command, path, "-t", "price")
        assert "neither classes nor numbers: 400 different words in 400 rows, as '$" in message
        assert "numbers are read as 1234.5" in message and "--task classification" in message
        message = fails(1, command, path, "-t", "price", "--task", "regression")
        assert "got '$" in message and "numbers are read as 1234.5" in message
    assert "unclear: 400 different words" in ok("describe", path, "-t", "price").stdout


def test_a_column_that_counts_the_rows_is_left_out_in_any_order(folder: Path) -> None:
    path, counted = flights(folder / "plain.csv"), folder / "counted.csv"
    head, *lines = path.read_text().splitlines()
    counted.write_text("\n".join([f"no,{head}", *(f"{i + 5},{x}" for i, x in enumerate(lines))]))
    for name in (path, counted):
        ok("train", name, "-t", "delay", "-o", name.with_suffix(".onkel"))
    assert counted.with_suffix(".onkel").read_bytes() == path.with_suffix(".onkel").read_bytes()
    note = "left out, as it counts the rows: no\n"
    for command in (["train", "-o", folder / "c.onkel"], ["evaluate"]):
        assert note in ok(*command, counted, "-t", "delay").stderr
        assert note not in ok(*command, counted, "-t", "delay", "--categorical", "no").stderr
        assert note not in ok(*command, counted, "-t", "delay", "--columns", "no,gate").stderr
    result = ok("compare", counted, "-t", "delay", "-l", "fogd", "-r", 1, "-w", 1)
    assert note in result.stderr and "rows of 4 columns" in result.stderr
    alone = folder / "alone.csv"
    alone.write_text("x,y\n" + "".join(f"{n},{n / 7:.2f}\n" for n in range(200)))
    assert "left out" not in ok("train", alone, "-t", "y", "-o", folder / "alone.onkel").stderr


def test_columns_that_name_the_rows_are_told(folder: Path) -> None:
    path = flights(folder / "named.csv")
    head, *lines = path.read_text().splitlines()
    path.write_text("\n".join([f"id,{head}", *(f"f{i},{line}" for i, line in enumerate(lines))]))
    command = ["train", path, "-t", "delay", "-o", folder / "named.onkel"]
    assert "left out, as identifiers of the rows: id (" in ok(*command).stderr
    plain = folder / "nameless.csv"
    plain.write_text("\n".join([head, *lines]))
    answers = [ok("predict", folder / "named.onkel", each).stdout for each in (path, plain)]
    assert answers[0] == answers[1]  # they need not be there
    assert "left out, as" not in ok(*command, "--categorical", "id").stderr


def test_parameters_are_those_of_the_learner_that_auto_means_for_tables(folder: Path) -> None:
    path = flights(folder / "auto.csv", target="late")
    both = ["--set", "n_components=50", "--set", "class_weight=balanced"]
    for command in (["train", "-o", folder / "auto.onkel"], ["evaluate"]):
        assert "FOGDClassifier (" in ok(*command, path, "-t", "late", *both).stderr
        message = fails(2, *command, path, "-t", "late", "--set", "gama=3")
        assert "no parameter 'gama' of FOGDClassifier: did you mean gamma?" in message


def test_cells_of_another_kind(folder: Path, model: Path) -> None:
    path = flights(folder / "odd.csv")
    lines = path.read_text().splitlines()
    lines[700] = lines[700].replace(f",{699 % 7},", ",gate A,", 1)
    path.write_text("\n".join(lines) + "\n")
    message = fails(
        1, "train", path, "-t", "delay", "-o", folder / "odd.onkel", "--shuffle-buffer", 0
    )
    assert (
        "column 'gate': 'gate A' is not a number" in message and "row" not in message.split("as")[0]
    )
    for remedy in (["--categorical", "gate"], ["--ignore", "gate"], ["--skip-bad-lines"]):
        ok("train", path, "-t", "delay", "-o", folder / "odd.onkel", *remedy)
    message = fails(1, "predict", model, path)
    assert "odd.csv, row 700, column 'gate': 'gate A' is not a number" in message
    assert "--skip-bad-lines" in message
    assert len(ok("predict", folder / "odd.onkel", path).stdout.splitlines()) == ROWS


def test_a_target_of_gaps_alone(folder: Path) -> None:
    path = folder / "gaps.csv"
    path.write_text("a,y\n1,\n2,NA\n")
    assert "no row has a label: the column 'y' is all gaps" in fails(1, "train", path, "-t", "y")


def test_evaluate_and_compare_take_the_same_tables(folder: Path) -> None:
    path = flights(folder / "e.csv", target="late")
    result = ok("evaluate", path, "-t", "late", "--json", "--ignore", "gate")
    facts = json.loads(result.stdout)
    assert facts["learner"] == "FOGDClassifier" and facts["unlabelled"] == 18
    assert facts["metrics"]["seen"] == 882 and facts["metrics"]["mistake_rate"] < 0.35
    result = ok(
        "compare",
        path,
        "-t",
        "late",
        "-l",
        "fogd",
        "-r",
        1,
        "-w",
        1,
        "--categorical",
        "gate",
        "--json",
    )
    assert "882 rows of 4 columns, 18 rows without a label left out" in result.stderr
    assert json.loads(result.stdout)[0]["mistake_rate"] < 0.35
    numbers = flights(folder / "n.csv")
    facts = json.loads(ok("evaluate", numbers, "-t", "delay", "--json").stdout)
    assert 2 < facts["metrics"]["rmse"] < 25


class TestDescribe:
    def test_columns_kinds_gaps_and_what_they_become(self, folder: Path) -> None:
        path = flights(folder / "d.csv")
        text = ok("describe", path, "--target", "delay").stdout
        lines = {line.split()[0]: line for line in text.splitlines()}
        assert "word" in lines["carrier"] and "3 words have a column" in lines["carrier"]
        assert "date" in lines["when"] and "season, weekday, hour" in lines["when"]
        assert "9.1%" in lines["distance"] and "gaps have a mark" in lines["distance"]
        assert "number" in lines["gate"] and "delay" not in lines
        assert text.splitlines()[-1] == (
            "900 rows; 18 rows without a label; regression: not all are whole numbers"
        )

    def test_json_and_pipes(self, folder: Path) -> None:
        data = flights(folder / "d.csv").read_bytes()
        facts = json.loads(
            ok("describe", "-", "--json", "--categorical", "gate", stdin=data).stdout
        )
        found = {each["column"]: each for each in facts["columns"]}
        assert facts["rows"] == ROWS and found["distance"]["gaps"] == 82
        assert found["gate"]["kind"] == "word" and found["gate"]["distinct"] == 7
        assert found["delay"]["gaps"] == 18 and "target" not in facts

    def test_many_words_in_bounded_memory(self, folder: Path) -> None:
        path = folder / "many.csv"
        path.write_text("id,w\n" + "".join(f"k{i},{i % 3}\n" for i in range(12_000)))
        text = ok("describe", path).stdout
        assert "> 10,000" in text and "identifier" in text and "left out" in text

    def test_svmlight_has_no_columns(self, folder: Path) -> None:
        assert "is for tables" in fails(2, "describe", "rows.svm")
