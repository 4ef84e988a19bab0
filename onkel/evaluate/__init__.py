"""The evaluation room: online and batch protocols, jobs in parallel, results as data.

`prequential` and `train_and_test` take a learner and rows. `Job` and `Data` declare an experiment,
`run_jobs` runs many of them in processes and can be interrupted, `Results` holds the outcome;
`search` finds parameters, `compare` is the short way.
"""

from onkel.evaluate.batch import train_and_test
from onkel.evaluate.checkpoints import checkpoints
from onkel.evaluate.compare import compare
from onkel.evaluate.curve import Look
from onkel.evaluate.data import Data
from onkel.evaluate.job import Job
from onkel.evaluate.perform import perform
from onkel.evaluate.pool import run_jobs
from onkel.evaluate.prequential import prequential
from onkel.evaluate.results import Record, Results
from onkel.evaluate.rows import Rows
from onkel.evaluate.run import Run, model_size
from onkel.evaluate.search import Search, search

__all__ = [
    "Data",
    "Job",
    "Look",
    "Rows",
    "Record",
    "Results",
    "Run",
    "Search",
    "checkpoints",
    "compare",
    "model_size",
    "perform",
    "prequential",
    "run_jobs",
    "search",
    "train_and_test",
]
