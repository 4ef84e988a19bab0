"""What to tell a person whose data file is missing: which file, from where, and where to put it."""

from collections.abc import Sequence

from onkel.datasets import folders
from onkel.datasets.registry import FileInfo, find


def wanted(part: folders.Part) -> FileInfo:
    """The file to name where a part is missing: one that can be had, if there is one."""
    return next((file for file in part.files if file.url), part.files[0])


def advice(name: str, part: folders.Part, failures: Sequence[Exception]) -> str:
    """The message for a part that is neither here nor to be downloaded."""
    file = wanted(part)
    searched = ", ".join(map(str, (*folders.data_folders(), folders.download_folder())))
    reasons = "".join(f" Download failed: {failure}." for failure in failures)
    missing = f"{file.file} of the data set {name!r} was not found; searched: {searched}.{reasons}"
    place = f"{folders.download_folder()} or into the folder that the variable ONKEL_DATA names"
    if file.url:
        return f"{missing} Download {file.url} and put it into {place}"
    entry = find(name)
    if entry is None:
        return f"{missing} Put it into the folder that the variable ONKEL_DATA names"
    page = f" (see {entry.page})" if entry.page else ""
    return (
        f"{missing} onkel cannot download it: {entry.obtain}{page}. Write it as svmlight text of "
        f"{file.rows:,} rows and {entry.features} features, for instance with scikit-learn's "
        f"dump_svmlight_file(..., zero_based=False), and put it as {file.file} into {place}"
    )
