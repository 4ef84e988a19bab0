"""Files of a set: those that are here, and the others from the network.

A download is checked before it gets its name, so a file with its name is whole and right. The
environment variable ONKEL_MIRROR names another address to download from: below it the packed files by
their names (`a9a.train.svm.xz`), or those of the LIBSVM collection by their paths (`binary/a9a`).
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from onkel.datasets import folders
from onkel.datasets.advice import advice, wanted
from onkel.datasets.bar import bar
from onkel.datasets.lock import locked
from onkel.datasets.registry import FileInfo, find, names
from onkel.datasets.transfer import (
    NotThereError,
    OnProgress,
    TransferError,
    forget,
    transfer,
    unwritable,
)
from onkel.datasets.verify import BrokenFileError, check

SPLITS = ("train", "test", "all")
_COLLECTION = "/libsvmtools/datasets/"


@dataclass(frozen=True)
class Place:
    """Where a set is.

    Parameters
    ----------
    name : str
        The set's name.
    files : tuple of Path
        Its files that are here.
    bytes : int
        Their size.
    missing : tuple of str
        Names of the files that are not here.
    downloadable : bool
        Whether onkel can download those.
    """

    name: str
    files: tuple[Path, ...]
    bytes: int
    missing: tuple[str, ...]
    downloadable: bool

    @property
    def present(self) -> bool:
        """Whether nothing is missing."""
        return not self.missing


def locate(name: str, split: str = "train", on_progress: OnProgress | None = None) -> list[Path]:
    """Find the svmlight files that hold a part of a set, and download what is not here.

    Open a stream on them to learn from a set that is larger than memory.

    Parameters
    ----------
    name : str
        The set's name.
    split : {"train", "test", "all"}, default="train"
        The part, as in `load`.
    on_progress : callable, default=None
        Called with a file's name, the bytes that are there, and all its bytes (None if unknown); without
        it, a terminal shows a bar.

    Returns
    -------
    list of Path
        The files, in their order.
    """
    return [path for path, _ in located(name, split, on_progress)]


def fetch(name: str, on_progress: OnProgress | None = None) -> list[Path]:
    """Download what is missing of a set.

    A transfer that was interrupted goes on where it stopped. A file appears under its name only
    after its checksum, or where none is known its rows and width, were found right.

    Parameters
    ----------
    name : str
        The set's name.
    on_progress : callable, default=None
        As in `locate`.

    Returns
    -------
    list of Path
        All files of the set.
    """
    if generated(name):
        return []
    return [path for path, _ in located(name, "all", on_progress)]


def where(name: str) -> Place:
    """Tell which files of a set are here, and where; nothing is downloaded.

    Parameters
    ----------
    name : str
        The set's name.

    Returns
    -------
    Place
        What is here and what is missing.

    Examples
    --------
    >>> where("gaussian").present  # generated, so there is nothing to be missing
    True
    """
    entry = find(name)
    if generated(name):
        return Place(name, (), 0, (), False)
    parts = folders.parts(name).values()
    here = tuple(part.path for part in parts if part.path)
    missing = tuple(wanted(part).file for part in parts if not part.path)
    size = sum(path.stat().st_size for path in here)
    return Place(name, here, size, missing, entry is not None and entry.downloadable)


def available() -> list[str]:
    """List the sets whose files are all here, in the data folder or in the cache.

    A folder may list a set under another spelling than the registry: it counts once.

    Returns
    -------
    list of str
        Their names, sorted.
    """
    known = {*names(), *folders.listed_names()}
    present = {name for name in known if not generated(name) and where(name).present}
    other_spellings = {name for name in present if _usual_name(name) in present - {name}}
    return sorted(present - other_spellings)


def _usual_name(name: str) -> str:
    entry = find(name)
    return name if entry is None else entry.name


def generated(name: str) -> bool:
    """Whether the set is drawn by a generator and has no files."""
    entry = find(name)
    return entry is not None and not entry.parts


def check_split(name: str, split: str, has_test: bool) -> None:
    """Raise unless `split` is one that the set has."""
    if split not in SPLITS:
        raise ValueError(f"split must be one of {SPLITS}, got {split!r}")
    if split == "test" and not has_test:
        raise ValueError(f"{name!r} comes in one file and has no test part; use split='all'")


def located(
    name: str, split: str, on_progress: OnProgress | None = None
) -> list[tuple[Path, folders.Part]]:
    """The files of a split, each with the part that it holds."""
    if generated(name):
        raise ValueError(f"{name!r} is generated and has no files: see gaussian_mixture_stream")
    parts = folders.parts(name)
    check_split(name, split, "test" in parts)
    if split == "all" or "all" in parts:
        wanted = list(parts.values())
    elif split in parts:
        wanted = [parts[split]]
    else:
        raise ValueError(f"{name!r} has no {split} part, only {sorted(parts)}")
    return [(part.path or _download(name, part, on_progress), part) for part in wanted]


def install(
    file: FileInfo, url: str, folder: Path, features: int, on_progress: OnProgress | None = None
) -> Path:
    """Download one file into a folder: transfer, check, and only then its name.

    Processes that want the same file wait for each other.
    """
    target = folder / file.file
    part = folder / (file.file + ".part")
    try:
        (folder / ".locks").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(folder, error) from error
    with locked(folder / ".locks" / file.file):
        while not target.is_file():  # it is there if another process was quicker
            resumed = transfer(url, part, on_progress)
            try:
                check(part, file, features)
            except BrokenFileError as error:
                forget(part)
                # The bytes of an earlier transfer may be at fault: once more, from the beginning.
                if not resumed:
                    raise BrokenFileError(f"{url} is not the file wanted: {error}") from error
                continue
            os.replace(part, target)
            forget(part)
    return target


def _download(name: str, part: folders.Part, on_progress: OnProgress | None) -> Path:
    failures = []
    with bar() as shown:
        for file, url in _sources(part):
            try:
                folder = folders.download_folder()
                return install(file, url, folder, part.features, on_progress or shown)
            except NotThereError as error:
                failures.append(error)  # a mirror may have the other file
            except TransferError as error:
                raise FileNotFoundError(advice(name, part, [error])) from error
    raise FileNotFoundError(advice(name, part, failures))


def _sources(part: folders.Part) -> Iterator[tuple[FileInfo, str]]:
    """The files that could be downloaded, each with its address."""
    mirror = os.environ.get("ONKEL_MIRROR")
    if mirror and not mirror.startswith(("http://", "https://")):
        raise ValueError(f"ONKEL_MIRROR must be an http or https address, got {mirror!r}")
    for file in part.files:
        if mirror:
            path = file.url.partition(_COLLECTION)[2] if file.url else file.file
            yield file, f"{mirror.rstrip('/')}/{path or file.file}"
        elif file.url:
            yield file, file.url
