"""Where data files are looked for, and which file of a folder is which part of a set.

First comes the folder that the environment variable ONKEL_DATA names, if it is set, then the user's
cache. A folder may have a `datasets.json` that lists under "files" one entry a file: `file` (its
name), `dataset` (the set it belongs to), `features` (the width, which a file's last index need not
reach) and `task`. A name like `a9a.train.svm.xz` is the training part of a9a; `.scale` in it makes a set
of its own (`german.scale`). Files that the registry knows need no such list.
"""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from onkel.compiled.cache import cache_home
from onkel.datasets.registry import DatasetInfo, FileInfo, find, names, unknown

INDEX = "datasets.json"
_PACKINGS = (".xz", ".bz2", ".gz")
Index = dict[str, dict[str, dict[str, Any]]]


@dataclass(frozen=True)
class Part:
    """A part of a set: how to read it, the file that holds it here, and the files that could."""

    features: int
    task: str
    path: Path | None
    files: tuple[FileInfo, ...]


def download_folder() -> Path:
    """The folder for downloaded files, in the user's cache."""
    return cache_home() / "data"


def data_folders() -> list[Path]:
    """The folder that the user keeps data in, if one is named."""
    named = os.environ.get("ONKEL_DATA")
    return [Path(named).expanduser()] if named else []


def listed_names() -> list[str]:
    """The names in the lists of the data folders."""
    return sorted({name for folder in data_folders() for name in _index(folder)})


def parts(name: str) -> dict[str, Part]:
    """The parts of a set, as the data folders list it and the registry knows it."""
    entry = find(name)
    listed = _listed(name) or (_listed(entry.name) if entry else {})
    if entry is None and not listed:
        known = sorted({*names(), *listed_names()})
        now = next(iter(data_folders()), "none")
        raise ValueError(
            f"{unknown(name, known)}. A set of your own needs an entry in {INDEX} in the folder "
            f"that the environment variable ONKEL_DATA names (now {now})"
        )
    found = _registered(entry) if entry else {}
    if listed and ("all" in listed) != ("all" in found):
        found = {}  # cut otherwise here than in the registry: the folder is right
    for part, (folder, line) in listed.items():
        path = folder / line["file"]
        if path.is_file() or part not in found:
            files = (FileInfo(line["file"], line.get("rows", 0)),)
            present = path if path.is_file() else None
            found[part] = Part(line["features"], line["task"], present, files)
    return {part: found[part] for part in ("all", "train", "test") if part in found}


def _listed(name: str) -> dict[str, tuple[Path, dict[str, Any]]]:
    for folder in data_folders():
        if name in (sets := _index(folder)):
            return {part: (folder, line) for part, line in sets[name].items()}
    return {}


def _registered(entry: DatasetInfo) -> dict[str, Part]:
    return {
        part: Part(entry.features, entry.task, _present(files), files)
        for part, files in entry.parts.items()
    }


def _present(files: tuple[FileInfo, ...]) -> Path | None:
    for folder in (*data_folders(), download_folder()):
        for file in files:
            for name in _spellings(file.file):
                if (folder / name).is_file():
                    return folder / name
    return None


def _spellings(file: str) -> Iterator[str]:
    """The name, then those of the same file packed otherwise."""
    yield file
    stem = file
    for suffix in _PACKINGS:
        stem = stem.removesuffix(suffix)
    for name in (stem, *(stem + suffix for suffix in _PACKINGS)):
        if name != file:
            yield name


def _index(folder: Path) -> Index:
    """The list of a folder: set → part ("train", "test" or "all") → entry; empty without one."""
    path = folder / INDEX
    try:
        stat = path.stat()
    except OSError:
        return {}
    return _read_index(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=4)
def _read_index(path: Path, changed: int, size: int) -> Index:
    sets: Index = {}
    for entry in json.loads(path.read_text(encoding="utf-8"))["files"]:
        words = entry["file"].split(".")
        name = entry["dataset"] + (".scale" if "scale" in words else "")
        part = next((word for word in ("train", "test") if word in words), "all")
        sets.setdefault(name, {})[part] = entry
    return sets
