"""The registry: what is known of every data set, read once from `registry.json`.

A set has parts ("train" and "test", or "all" where it comes in one piece), and a part lists the
files that may hold it, the preferred one first: the packed file of the common layout, whose checksum is
known, then the file of the LIBSVM collection, which can be downloaded.
"""

import difflib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).with_name("registry.json")


@dataclass(frozen=True)
class FileInfo:
    """One file that may hold a part: its name, rows, and what to check it by.

    Parameters
    ----------
    file : str
        Its name.
    rows : int
        How many rows it has.
    bytes : int or None, default=None
        Its size, if it is known.
    sha256 : str or None, default=None
        Its checksum, if it is known.
    url : str or None, default=None
        Where onkel can download it as it is, if anywhere.
    """

    file: str
    rows: int
    bytes: int | None = None
    sha256: str | None = None
    url: str | None = None


@dataclass(frozen=True)
class PaperUse:
    """How a paper uses a set.

    Parameters
    ----------
    paper : str
        The paper's short name.
    rows : str
        The rows that it states.
    preprocessing : str
        The preprocessing that it states.
    """

    paper: str
    rows: str
    preprocessing: str


@dataclass(frozen=True)
class DatasetInfo:
    """What is known of one data set.

    Parameters
    ----------
    name : str
        Its name in `load`.
    title : str
        Its name in words.
    task : {"binary", "multiclass", "regression"}
        What is to be learned.
    features : int
        Number of features.
    classes : int or None
        Number of classes; None of a regression.
    source : str
        Where it comes from.
    page : str
        The address that tells about it.
    parts : dict
        Maps "train" and "test", or "all", to the files that may hold it; empty for a generated one.
    papers : tuple of PaperUse, default=()
        The papers that use it.
    aliases : tuple of str, default=()
        Other names of it.
    notes : str, default=""
        What else is worth knowing.
    obtain : str, default=""
        In which form the source has it, where onkel cannot download it.
    """

    name: str
    title: str
    task: str
    features: int
    classes: int | None
    source: str
    page: str
    parts: Mapping[str, tuple[FileInfo, ...]] = field(hash=False)
    papers: tuple[PaperUse, ...] = ()
    aliases: tuple[str, ...] = ()
    notes: str = ""
    obtain: str = ""

    @property
    def rows(self) -> int | None:
        """All rows of the complete set, or None for a generated one."""
        if not self.parts:
            return None
        return sum(max(file.rows for file in files) for files in self.parts.values())

    @property
    def downloadable(self) -> bool:
        """Whether each part has a file that onkel can download and read as it is."""
        if not self.parts:
            return False
        return all(any(file.url for file in files) for files in self.parts.values())


def names() -> list[str]:
    """List the names of all sets in the registry, sorted.

    Returns
    -------
    list of str
        The names.

    Examples
    --------
    >>> [name for name in names() if name.startswith("w")]
    ['w7a', 'w8a', 'weather', 'webspam']
    """
    return sorted(_registry())


def info(name: str) -> DatasetInfo:
    """Tell what the registry knows of a set.

    Parameters
    ----------
    name : str
        The set's name; other usual spellings are understood.

    Returns
    -------
    DatasetInfo
        What is known.

    Examples
    --------
    >>> a9a = info("a9a")
    >>> a9a.rows, a9a.features, a9a.classes, a9a.source
    (48842, 123, 2, 'LIBSVM')
    >>> info("KDDCup99").name, info("codrna").name, info("forest").name
    ('kddcup99', 'cod-rna', 'covtype')
    """
    found = find(name)
    if found is None:
        raise ValueError(unknown(name, names()))
    return found


def find(name: str) -> DatasetInfo | None:
    """The entry of a name or alias, or None."""
    known = _registry().get(name)
    return known or _spellings().get(_plain(name))


def unknown(name: str, known: list[str]) -> str:
    """The message for a name that nobody knows, with the names that look like it."""
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.6)
    hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
    return f"no data set {name!r}{hint or '.'} Known: {', '.join(known)}"


@cache
def _registry() -> dict[str, DatasetInfo]:
    entries = json.loads(_FILE.read_text(encoding="utf-8"))["datasets"]
    return {entry["name"]: _read(entry) for entry in entries}


@cache
def _spellings() -> dict[str, DatasetInfo]:
    return {
        _plain(spelling): entry
        for entry in _registry().values()
        for spelling in (entry.name, *entry.aliases)
    }


def _plain(name: str) -> str:
    """A spelling without case, spaces, hyphens and underscores: Cod-RNA is codrna."""
    return re.sub(r"[-_ ]", "", name.lower())


def _read(entry: dict[str, Any]) -> DatasetInfo:
    parts = {
        part: tuple(FileInfo(**file) for file in files) for part, files in entry["parts"].items()
    }
    papers = tuple(PaperUse(paper, **use) for paper, use in entry.get("papers", {}).items())
    aliases = tuple(entry.get("aliases", ()))
    return DatasetInfo(**{**entry, "parts": parts, "papers": papers, "aliases": aliases})
