"""Files that are damaged, foreign, too new or too clever give one kind of error, and run nothing."""

from __future__ import annotations

import json
import os
import pickle
import stat
import threading
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import onkel
from onkel.drift import DriftAware
from onkel.io import ModelFileError, NotSavable, archive, load, save
from onkel.io.versions import VERSION
from tests.estimators.cases import data_for, learned, make
from tests.systems import posix


@pytest.fixture(scope="module")
def model_file(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("models") / "good.onkel"
    save(learned("AVMClassifier"), path, {"note": "good"})
    return path


def rewritten(source: Path, goal: Path, change: Any) -> Path:
    """A copy whose members (name -> bytes) were changed, in a zip that is sound."""
    with zipfile.ZipFile(source) as old:
        members = {name: old.read(name) for name in old.namelist()}
    change(members)
    with zipfile.ZipFile(goal, "w", zipfile.ZIP_DEFLATED) as new:
        for name, data in members.items():
            new.writestr(name, data)
    return goal


def with_header(source: Path, goal: Path, change: Any) -> Path:
    def edit(members: dict[str, bytes]) -> None:
        header = json.loads(members["header.json"])
        change(header)
        members["header.json"] = json.dumps(header).encode()

    return rewritten(source, goal, edit)


def machine_of(header: dict[str, Any]) -> dict[str, Any]:
    return header["state"]["_machine"]["state"]


def now_of(header: dict[str, Any]) -> dict[str, Any]:
    return machine_of(header)["model"]["fields"]["now"]["fields"]


@pytest.mark.parametrize("content, why", [
    (b"", "empty"),
    (b"1 1:0.5 2:1\n-1 1:0.25\n", "not a file that onkel.io.save wrote"),
    (pickle.dumps({"a": 1}), "pickle, which is never opened"),
    (b"PK\x03\x04 and no more", "cut short or damaged"),
    (b"\x93NUMPY", "not a file that onkel.io.save wrote"),
])  # fmt: skip
def test_other_files(content, why, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=f"file cannot be read as a model.*{why}"):
        load(path)


def test_folders_other_zips_and_missing_files(tmp_path):
    with pytest.raises(ModelFileError, match="it is a folder"):
        load(tmp_path)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nowhere")
    np.savez(tmp_path / "arrays.npz", a=np.arange(3))
    with pytest.raises(ModelFileError, match="zip file, but not one with a model's header"):
        load(tmp_path / "arrays.npz")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as other:
        other.writestr("header.json", '{"format": "something else"}')
    with pytest.raises(ModelFileError, match="zip file, but not one with a model's header"):
        load(tmp_path / "other.zip")


def test_every_truncation_is_noticed(model_file, tmp_path):
    whole = model_file.read_bytes()
    path = tmp_path / "short"
    for length in range(0, len(whole), max(1, len(whole) // 60)):
        path.write_bytes(whole[:length])
        with pytest.raises(ModelFileError):
            load(path)


def test_flipped_bits_never_get_through_unnoticed(model_file, tmp_path):
    good, whole = load(model_file), model_file.read_bytes()
    path = tmp_path / "flipped"
    noticed = 0
    random = np.random.default_rng(0)
    for position in random.choice(len(whole), 150, replace=False):
        damaged = bytearray(whole)
        damaged[position] ^= 1 << int(random.integers(8))
        path.write_bytes(damaged)
        try:  # a time stamp or a comment may change: then the model is the same all the same
            found = load(path)
        except ModelFileError:
            noticed += 1
        else:
            assert (found.dual_coef_ == good.dual_coef_).all() and found.t_ == good.t_
    assert noticed > 100


def test_a_bracket_that_an_array_header_lost(model_file, tmp_path):
    """NumPy takes such a header for an old one, and looks for its end."""

    def broken(members):
        members["arrays/001.npy"] = members["arrays/001.npy"].replace(b"}", b" ", 1)

    with pytest.raises(ModelFileError, match="damaged"):
        load(rewritten(model_file, tmp_path / "m", broken))


def test_missing_and_unknown_members(model_file, tmp_path):
    path = rewritten(model_file, tmp_path / "m", lambda m: m.pop("arrays/001.npy"))
    with pytest.raises(ModelFileError, match=r"the array arrays/001\.npy is missing"):
        load(path)
    path = rewritten(model_file, tmp_path / "m", lambda m: m.update({"evil.py": b"print(1)"}))
    with pytest.raises(ModelFileError, match=r"evil\.py, which its header does not know"):
        load(path)


def test_newer_formats_say_so(model_file, tmp_path):
    def newer(header: dict[str, Any]) -> None:
        header.update(format_version=VERSION + 1, onkel_version="9.1")

    path = with_header(model_file, tmp_path / "m", newer)
    with pytest.raises(
        ModelFileError, match=rf"version {VERSION + 1}, written by onkel 9\.1.*install a newer"
    ):
        load(path)


def set_in(thing: dict[str, Any], **values: Any) -> None:
    thing.update(values)


LIES = {
    "more vectors than there is room": lambda h: set_in(now_of(h), n=[10**6]),
    "negative count": lambda h: set_in(now_of(h), n=[-1]),
    "output that is not there": lambda h: set_in(now_of(h), output_average=[7]),
    "other number of features": lambda h: set_in(h["state"], n_features_in_=4),
    "features everywhere": lambda h: set_in(machine_of(h)["shape"]["fields"], n_features=4),
    "a class too many": lambda h: set_in(
        h["state"], classes_={"objects": ["a", "b", "c"], "shape": [3]}
    ),
    "another layout": lambda h: set_in(machine_of(h)["shape"]["fields"], layout="pool"),
    "another type": lambda h: set_in(machine_of(h)["shape"]["fields"], dtype={"dtype": "<f4"}),
    "another recipe": lambda h: set_in(
        machine_of(h)["recipe"]["fields"], budget={"part": "ProjectSmallest", "fields": {"size": 3}}
    ),
    "a parameter out of range": lambda h: set_in(h["parameters"], gamma=-1.0),
    "a parameter unknown": lambda h: set_in(h["parameters"], colour="red"),
    "a method overwritten": lambda h: set_in(h["state"], predict="gotcha"),
    "a learner unknown": lambda h: set_in(h, **{"class": "os.system"}),
    "a part unknown": lambda h: set_in(
        machine_of(h)["recipe"]["fields"], loss={"part": "Popen", "fields": {}}
    ),
    "a kind unknown": lambda h: set_in(h["state"], extra={"import": "os"}),
    "an object type": lambda h: set_in(
        h["state"], extra={"array": "arrays/000.npy", "dtype": "|O", "shape": [2]}
    ),
    "no machine": lambda h: set_in(h["state"], _machine=None),
    "no state": lambda h: h.pop("state"),
    "a state that is a list": lambda h: set_in(h, state=[1, 2]),
}


@pytest.mark.parametrize("lie", LIES)
def test_headers_that_lie(lie, model_file, tmp_path):
    path = with_header(model_file, tmp_path / "m", LIES[lie])
    with pytest.raises(ModelFileError, match="cannot be read as a model"):
        load(path)


def known_of(header: dict[str, Any]) -> dict[str, Any]:
    return machine_of(header)["statistics"]["fields"]


RIDGE_LIES = {
    "other outputs": lambda h: set_in(machine_of(h)["shape"]["fields"], n_outputs=2),
    "a task of others": lambda h: set_in(machine_of(h), task={"part": "Residual", "fields": {}}),
    "an inverse of another size": lambda h: set_in(machine_of(h), inverse=known_of(h)["mean"]),
    "no mean": lambda h: set_in(known_of(h), mean=None),
    "negative weight": lambda h: set_in(known_of(h), weight=-1.0),
    "negative count": lambda h: set_in(machine_of(h)["counts"]["fields"], t=-1),
    "other statistics": lambda h: set_in(known_of(h), centred=False),
    "no regularization": lambda h: set_in(machine_of(h), strength=0.0),
    "no map": lambda h: set_in(machine_of(h), map=None),
    "landmarks of other rows": lambda h: set_in(machine_of(h)["shape"]["fields"], n_features=4),
}


@pytest.mark.parametrize("learner", ["FourierRidgeClassifier", "NystromRidgeClassifier"])
@pytest.mark.parametrize("lie", RIDGE_LIES)
def test_headers_that_lie_of_ridge_regression(lie, learner, tmp_path):
    save(learned(learner), tmp_path / "good")
    assert load(tmp_path / "good").t_ == 60
    path = with_header(tmp_path / "good", tmp_path / "m", RIDGE_LIES[lie])
    with pytest.raises(ModelFileError, match="cannot be read as a model"):
        load(path)


TOGETHER_LIES = {
    "no machines": lambda h: set_in(machine_of(h), machines=[]),
    "a machine less": lambda h: machine_of(h)["machines"].pop(),
    "no mixture": lambda h: set_in(machine_of(h), mixture=None),
    "other voices": lambda h: set_in(
        machine_of(h)["mixture"]["state"], losses=machine_of(h)["mixture"]["state"]["sums"]
    ),
    "nothing waits": lambda h: set_in(machine_of(h), waiting=machine_of(h)["ahead"]),
    "no map": lambda h: set_in(machine_of(h)["machines"][0]["state"], frequencies=None),
}


@pytest.mark.parametrize("lie", TOGETHER_LIES)
def test_headers_that_lie_of_half_lives(lie, tmp_path):
    save(
        make("FOGDClassifier", half_life="auto").fit(*data_for("FOGDClassifier")), tmp_path / "good"
    )
    assert load(tmp_path / "good").t_ == 60
    path = with_header(tmp_path / "good", tmp_path / "m", TOGETHER_LIES[lie])
    with pytest.raises(ModelFileError, match="cannot be read as a model"):
        load(path)


def detector_of(header: dict[str, Any]) -> dict[str, Any]:
    return header["state"]["_detector"]["state"]


WATCHED_LIES = {
    "no learner": lambda h: set_in(h["state"], learner_=None),
    "no detector": lambda h: set_in(h["state"], _detector=None),
    "other sums": lambda h: set_in(h["state"], _sums=detector_of(h)["_counts"]),
    "other buckets": lambda h: set_in(detector_of(h), _counts=detector_of(h)["_now"]),
    "a fresh one without a contest": lambda h: set_in(h["state"], _fresh=h["state"]["learner_"]),
    "other drifts": lambda h: set_in(h["state"], drifts_=[1]),
}


@pytest.mark.parametrize("lie", WATCHED_LIES)
def test_headers_that_lie_of_a_watched_learner(lie, tmp_path):
    save(DriftAware(make("FOGDClassifier")).fit(*data_for("FOGDClassifier")), tmp_path / "good")
    assert load(tmp_path / "good").t_ == 60
    path = with_header(tmp_path / "good", tmp_path / "m", WATCHED_LIES[lie])
    with pytest.raises(ModelFileError, match="cannot be read as a model"):
        load(path)


def test_arrays_that_are_not_as_declared(model_file, tmp_path):
    def other_array(members: dict[str, bytes]) -> None:
        name = machine_of(json.loads(members["header.json"]))["model"]["fields"]["coef"]["array"]
        import io

        wrong = io.BytesIO()
        np.save(wrong, np.zeros((256, 1)))
        members[name] = wrong.getvalue()

    path = rewritten(model_file, tmp_path / "m", other_array)
    with pytest.raises(ModelFileError, match=r"shape \(256, 1\), the header declares.*\(1, 256\)"):
        load(path)


def test_bombs_are_refused_before_they_unpack(model_file, tmp_path):
    def bomb(members: dict[str, bytes]) -> None:
        members["arrays/001.npy"] += bytes(50_000_000)

    path = rewritten(model_file, tmp_path / "m", bomb)
    with pytest.raises(ModelFileError, match=r"unpacks to 5.* bytes where the header declares"):
        load(path)
    with pytest.raises(ModelFileError, match=r"more bytes than allowed.*largest="):
        load(model_file, largest=1000)


def test_deep_nesting_is_refused(model_file, tmp_path):
    deep = "[" * 100_000 + "]" * 100_000
    path = rewritten(model_file, tmp_path / "m", lambda m: m.update({"header.json": deep.encode()}))
    with pytest.raises(ModelFileError):
        load(path)


class TestAFailedSaveChangesNothing:
    def test_when_the_model_cannot_be_saved(self, model_file, tmp_path):
        path = tmp_path / "m"
        path.write_bytes(model_file.read_bytes())
        with pytest.raises(NotSavable):
            save(onkel.OGDClassifier(kernel=max), path)
        assert path.read_bytes() == model_file.read_bytes()

    def test_when_the_disk_is_full(self, model_file, tmp_path, monkeypatch):
        path = tmp_path / "m"
        path.write_bytes(model_file.read_bytes())

        def full(*_: Any, **__: Any) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(archive.np.lib.format, "write_array", full)
        with pytest.raises(OSError, match="No space"):
            save(learned("AVMClassifier"), path)
        assert path.read_bytes() == model_file.read_bytes()
        assert [p.name for p in tmp_path.iterdir()] == ["m"]

    def test_where_there_is_no_folder(self, tmp_path):
        with pytest.raises(FileNotFoundError, match="make the folder first"):
            save(onkel.AVMClassifier(), tmp_path / "no" / "m")
        with pytest.raises(IsADirectoryError, match="name a file in it"):
            save(onkel.AVMClassifier(), tmp_path)


@posix
def test_links_are_followed_and_modes_are_usual(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real" / "m")
    save(onkel.AVMClassifier(), tmp_path / "link")
    assert (tmp_path / "link").is_symlink() and load(tmp_path / "real" / "m").gamma == "scale"
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE((tmp_path / "real" / "m").stat().st_mode) == 0o666 & ~umask


@posix
def test_a_device_or_a_pipe_is_written_to_and_never_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    found = []
    reader = threading.Thread(target=lambda: found.append((tmp_path / "pipe").read_bytes()))
    reader.daemon = True  # it waits for ever if nobody writes
    reader.start()
    save(onkel.AVMClassifier(gamma=0.5), tmp_path / "pipe")
    reader.join(20)
    assert (tmp_path / "pipe").is_fifo() and [p.name for p in tmp_path.iterdir()] == ["pipe"]
    (tmp_path / "m").write_bytes(found[0])
    assert load(tmp_path / "m").gamma == 0.5
