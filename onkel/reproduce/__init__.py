"""The reproduction room: the papers' tables and figures run again, and compared.

A study is a declaration (`lsokl.py`, `spa.py`, `avm.py`, `nbsgd.py`, `csvrg.py`), `engine.py` turns
it into jobs of `onkel.evaluate`, `comparison.py` holds the results against `papers.csv`.
"""

from onkel.reproduce.outcome import Outcome
from onkel.reproduce.papers import PAPERS, Printed, printed
from onkel.reproduce.run import find_study, reproduce, reproduce_all, run_study, studies
from onkel.reproduce.study import Claim, Learner, Study, When

__all__ = [
    "PAPERS",
    "Claim",
    "Learner",
    "Outcome",
    "Printed",
    "Study",
    "When",
    "find_study",
    "printed",
    "reproduce",
    "reproduce_all",
    "run_study",
    "studies",
]
