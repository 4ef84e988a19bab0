"""evaluate, compare, datasets, reproduce, demo, and what they all share."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from onkel import cli
from onkel.cli.app import app, run
from onkel.cli.learners import families, learner_name, parse_classes, parse_value
from onkel.cli.options import Format
from onkel.stream.opening import FORMATS
from tests.cli.files import fails, ok, svmlight, table


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("cli")


def commands(group: Any = None, path: str = "") -> Iterator[str]:
    """All that there are, those of groups included."""
    for name, command in (group or typer.main.get_command(app)).commands.items():
        inside = hasattr(command, "commands")
        yield from commands(command, f"{path}{name} ") if inside else [path + name]


@pytest.mark.parametrize("command", list(commands()))
def test_help_has_examples(command):
    text = ok(*command.split(), "--help").stdout
    assert "Examples" in text and f"onkel {command} " in text
    assert "\b" not in text


def test_help_names_every_command(capsys):
    assert run(["--help"]) == 0
    text = capsys.readouterr().out
    for command in (
        "describe",
        "train",
        "predict",
        "evaluate",
        "compare",
        "reproduce",
        "demo",
        "datasets",
    ):
        assert command in text
    assert {"train", "datasets fetch"} < set(commands())
    assert run(["--version"]) == 0
    assert re.fullmatch(r"onkel \d+\.\d+.*\n", capsys.readouterr().out)


@pytest.mark.parametrize("arguments, words", [
    (["trian"], ["trian", "train"]),
    (["train", "--nonsense", "x"], ["--nonsense", "onkel train --help"]),
    (["train", "x", "--scale", "big"], ["--scale", "unit_interval"]),
    (["train", "x", "--epochs", "0"], ["--epochs"]),
])  # fmt: skip
def test_wrong_usage_is_one_line(arguments, words, capsys):
    assert run(arguments) == 2
    text = capsys.readouterr().err
    assert text.startswith("onkel: ") and text.count("\n") == 1
    for word in words:
        assert word in text


def test_every_format_of_streams_is_an_option():
    assert tuple(Format) == FORMATS


def test_without_typer_it_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "typer", None)
    with pytest.raises(SystemExit) as end:
        cli.main(["train"])
    assert end.value.code == 1
    assert capsys.readouterr().err.endswith("needs typer and rich: pip install 'onkel[cli]'\n")


def test_learners_by_name():
    known = families()
    assert "composed" not in known and known["avm"]["regression"] == "AVMRegressor"
    assert learner_name("Projectron++", "classification") == "ProjectronPPClassifier"
    assert learner_name("FOGDClassifier", "classification") == "FOGDClassifier"
    assert learner_name("auto", "regression") == "FOGDRegressor"
    assert [parse_value(text) for text in ("1", "1e-3", "True", "none", "rbf")] == [
        1, 1e-3, True, None, "rbf",
    ]  # fmt: skip
    assert parse_classes("2,1,10").tolist() == [1, 2, 10]
    assert parse_classes("b,1").tolist() == ["1", "b"]


class TestEvaluate:
    def test_rates_size_and_speed(self, folder):
        result = ok("evaluate", svmlight(folder / "e.svm"), "-l", "fogd", "-s", "gamma=0.5")
        found = dict(line.split(maxsplit=1) for line in result.stdout.splitlines())
        assert found["learner"] == "FOGDClassifier" and found["rows"] == "300"
        assert float(found["mistakes"].rstrip("%")) < 25 and "rows/s" in found["learning"]
        assert found["start-up"].endswith("s, not counted as learning")

    def test_json_and_report(self, folder):
        pytest.importorskip("jinja2")
        page = folder / "page.html"
        path = table(folder / "e.csv", "prices", n=600)
        result = ok("evaluate", path, "-t", "target", "--report", page, "--json", "--window", 100)
        facts = json.loads(result.stdout)
        assert facts["learner"] == "FOGDRegressor" and facts["metrics"]["seen"] == 600
        assert 1e3 < facts["metrics"]["rmse"] < 2e5  # in the unit of the prices
        assert facts["curve"]["rate"][-1] == pytest.approx(facts["metrics"]["squared_error"])
        assert "<title>e: FOGDRegressor</title>" in page.read_text(encoding="utf-8")
        metrics, course = facts["metrics"], facts["course"]
        assert 1e3 < metrics["mae"] < metrics["rmse"] and -1 < metrics["r2"] < 1
        assert course["mae"][-1] == metrics["mae"] and course["seen"][-1] == 600
        assert course["window_mae"][-1] == metrics["window_mae"] < 2e5

    def test_metrics(self, folder):
        path = svmlight(folder / "m.svm")
        arguments = ("evaluate", path, "-l", "fogd", "-s", "gamma=0.5", "-q")
        found = dict(line.split(maxsplit=1) for line in ok(*arguments).stdout.splitlines())
        assert found["roc_auc"].endswith("lately") and "f1" in found
        chosen = ok(*arguments, "--metrics", "f1,accuracy").stdout
        assert "f1" in chosen and "accuracy" in chosen and "roc_auc" not in chosen
        assert "did you mean roc_auc?" in fails(2, *arguments, "-m", "f1,rocauc")
        assert "no 'mae' for classification" in fails(2, *arguments, "-m", "mae")

    def test_standard_input(self, folder):
        data = svmlight(folder / "i.svm").read_bytes()
        result = ok("evaluate", "-", "--classes=-1,1", "--n-features", 2, "-l", "fogd", stdin=data)
        assert (
            "a stream, scaled to unit_variance" in result.stderr and "guessed" not in result.stderr
        )


class TestCompare:
    def test_a_file(self, folder):
        path = svmlight(folder / "c.svm")
        arguments = ("compare", path, "-l", "fogd,avm", "-r", 2, "-w", 1, "--set", "gamma=0.5")
        result = ok(*arguments, "--set", "fogd:n_components=50", "--journal", folder / "journal")
        assert "2 random orders" in result.stdout and "100 " in result.stdout
        again = json.loads(ok(*arguments, "--set", "fogd:n_components=50", "--json", "-q").stdout)
        assert {row["label"]: row["count"] for row in again} == {"fogd": 2, "avm": 2}
        assert all(0 <= row["mistake_rate"] < 0.4 for row in again)
        assert all(0.5 < row["roc_auc"] <= 1 and row["data"] == "c" for row in again)
        assert "balanced_accuracy" in result.stdout
        few = json.loads(ok(*arguments, "-m", "f1", "--json", "-q").stdout)
        assert all("f1" in row and "roc_auc" not in row for row in few)

    def test_what_is_wrong(self, folder):
        path = svmlight(folder / "w.svm")
        assert "no data set 'nowhere'" in fails(1, "compare", "nowhere")
        assert "no learner 'magic'" in fails(2, "compare", path, "-l", "avm,magic")
        assert "--protocol batch" in fails(2, "compare", path, "-l", "csvrg")
        assert "no parameter 'bugdet'" in fails(2, "compare", path, "-s", "bugdet=3")
        assert "'spa' is not compared" in fails(2, "compare", path, "-s", "spa:step=3")
        message = fails(1, "compare", path, "-l", "fogd", "-s", "gamma=-1", "-r", 1, "-q")
        assert "1 of 1 runs failed: fogd: " in message and "gamma=-1" in message


class TestDatasets:
    def test_list(self):
        facts = json.loads(ok("datasets", "list", "--json").stdout)
        a9a = next(f for f in facts if f["name"] == "a9a")
        assert a9a["features"] == 123 and a9a["task"] == "binary"
        text = ok("datasets", "list", "--task", "regression").stdout
        assert "cadata" in text and "a9a" not in text
        assert "binary, multiclass, regression" in fails(2, "datasets", "list", "--task", "trees")

    def test_where(self, folder, monkeypatch):
        monkeypatch.setenv("ONKEL_DATA", str(folder))
        monkeypatch.setenv("ONKEL_CACHE", str(folder / "cache"))
        from tests.cli.files import onkel

        result = onkel("datasets", "where", "a9a")
        assert result.exit_code == 1 and "onkel datasets fetch a9a" in result.stderr
        assert result.stdout == ""
        assert "no data set" in fails(1, "datasets", "where", "nothing")
        assert "no data set" in fails(1, "datasets", "fetch", "nothing")


class TestReproduce:
    def test_what_can_be_run(self):
        text = ok("reproduce", "--list").stdout
        assert "lu2016_fogd_nogd" in text and "--table 5" in text
        facts = json.loads(ok("reproduce", "--list", "--json").stdout)
        assert {"paper", "title", "table"} <= set(facts[0])

    def test_what_is_wrong(self):
        assert "--list" in fails(2, "reproduce", "--quick")
        assert "--all" in fails(2, "reproduce", "le2017_avm")
        assert "no paper 'nobody'" in fails(2, "reproduce", "nobody", "--table", 1)
        assert "table 99" in fails(2, "reproduce", "le2017_avm", "--table", 99)
        assert "no paper 'nobody'" in fails(2, "reproduce", "nobody", "--all")
        assert "neither" in fails(2, "reproduce", "--all", "--table", 1)
