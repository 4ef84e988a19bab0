"""What the end of a file's name tells: how it is written, and how it is packed."""

#: Formats by ending.
SUFFIXES = {
    "svm": "svmlight", "svmlight": "svmlight", "libsvm": "svmlight",
    "csv": "csv", "tsv": "csv", "parquet": "parquet", "pq": "parquet",
    "arrow": "arrow", "feather": "arrow", "ipc": "arrow",
}  # fmt: skip
PACKINGS = ("gz", "bz2", "xz")
