"""Declared rows on casp, run: the studies themselves give the papers' figures, whatever learners default to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from onkel.reproduce import find_study
from onkel.reproduce.run import run_study

RUNS = 2
pytestmark = pytest.mark.data("casp")


def test_avm_table_5() -> None:
    """Nine figures, and the model sizes, which say that columns of unit variance are meant."""
    outcome = run_study(replace(find_study("le2017_avm", table=5), repeats=RUNS), workers=1)
    rows = {row.algorithm: row for row in outcome.rows if row.dataset == "casp"}
    assert len(rows) == 9 and {row.runs for row in rows.values()} == {RUNS}
    assert {row.verdict for row in rows.values()} <= {"std", "percent"}
    for name in ("RBP", "Projectron", "FOGD"):
        assert rows[name].ours == pytest.approx(rows[name].theirs, rel=0.01)
    for name in ("AVM-eps", "AVM-l1", "AVM-l2"):
        assert rows[name].ours_size == pytest.approx(rows[name].theirs_size, rel=0.05)
    assert rows["AVM-eps"].ours == pytest.approx(rows["AVM-l1"].ours, abs=1e-3)  # as in the paper
