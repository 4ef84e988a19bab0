"""Losses, rules and budgets that a user writes in a few lines: compiled, and never a stale one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys

import onkel
from onkel import ComposedClassifier, ComposedRegressor
from onkel.budgets import DropOldest, DropRandom, Sometimes, Unbounded
from onkel.losses import L2, Hinge
from onkel.model.questions import is_own
from onkel.model.slots import append, replace
from onkel.rules import ConstantStep, Step
from tests.estimators.cases import data_for, scores


class Ramp(NamedTuple):
    """The hinge, cut off where a label is hopeless."""

    lowest: float

    def value(self, m):
        return min(max(0.0, 1.0 - m), 1.0 - self.lowest)

    def slope(self, m):
        return -1.0 if self.lowest < m < 1.0 else 0.0


class TwiceAsLong(NamedTuple):
    size: float

    def step(self, instance, memory):
        return Step(instance.slope != 0.0, -2.0 * self.size * instance.slope * instance.weight, 1.0)


class FirstOnes(NamedTuple):
    """Takes the first instances with a loss, and then no more."""

    size: int

    def absorb(self, model, workspace, instance, step):
        if step.take and model.now[0].n < self.size:
            append(model, workspace, instance, step.amount)


def composed(loss: Any, rule: Any, budget: Any) -> ComposedClassifier:
    return ComposedClassifier(
        loss=loss, rule=rule, budget=budget, gamma=0.5, shuffle=False, random_state=0
    )


X, y = data_for("ComposedClassifier", 200)


def test_a_loss_of_ones_own() -> None:
    hinge = composed(Hinge(), ConstantStep(0.2), DropOldest(50)).fit(X, y)
    far = composed(Ramp(-1e9), ConstantStep(0.2), DropOldest(50)).fit(X, y)
    np.testing.assert_allclose(scores(far, X), scores(hinge, X))
    near = composed(Ramp(0.0), ConstantStep(0.2), DropOldest(50)).fit(X, y)
    assert not np.allclose(scores(near, X), scores(hinge, X))


def test_a_rule_and_a_budget_of_ones_own() -> None:
    twice = composed(Hinge(), TwiceAsLong(0.1), Unbounded()).fit(X, y)
    same = composed(Hinge(), ConstantStep(0.2), Unbounded()).fit(X, y)
    np.testing.assert_allclose(scores(twice, X), scores(same, X))
    first = composed(Hinge(), ConstantStep(0.2), FirstOnes(7)).fit(X, y)
    np.testing.assert_allclose(first.support_vectors_, same.support_vectors_[:7], atol=1e-12)


def test_a_user_s_budget_inside_another_is_a_user_s() -> None:
    assert is_own(Sometimes(DropRandom(5), 1.0))
    assert not is_own(Sometimes(FirstOnes(5), 1.0))


def test_regression_and_its_parts() -> None:
    rows, targets = data_for("ComposedRegressor", 200)
    model = ComposedRegressor(loss=L2(), rule=TwiceAsLong(0.1), gamma=0.5, random_state=0)
    assert model.fit(rows, targets).score(rows, targets) > 0.5


def defined_anew(height: float) -> Any:
    """A class of one name whose body differs, as a notebook's after an edit."""

    class Slope(NamedTuple):
        def value(self, m):
            return height if m < 1.0 else 0.0

        def slope(self, m):
            return -height if m < 1.0 else 0.0

    return Slope()


def test_an_edit_takes_effect() -> None:
    found = []
    for height in (1.0, 5.0):
        model = composed(defined_anew(height), ConstantStep(0.1), DropOldest(50))
        model.partial_fit(X[:1], y[:1], classes=["no", "yes"])
        found.append(abs(model.dual_coef_[0, 0]))
    assert found == pytest.approx([0.1, 0.5])


def test_a_name_that_onkel_has_too() -> None:
    theirs = composed(Hinge(), ConstantStep(0.2), DropOldest(50)).fit(X, y)

    class Mine(NamedTuple):
        def value(self, m):
            return 3.0 if m < 1.0 else 0.0

        def slope(self, m):
            return -3.0 if m < 1.0 else 0.0

    Mine.__name__ = "Hinge"
    mine = composed(Mine(), ConstantStep(0.2), DropOldest(50)).fit(X, y)
    assert abs(mine.dual_coef_).max() == pytest.approx(3 * abs(theirs.dual_coef_).max())


SCRIPT = """
from typing import NamedTuple
import numpy as np
from onkel import ComposedClassifier
from onkel.budgets import DropOldest
class Slope(NamedTuple):
    def value(self, m): return 1.0
    def slope(self, m): return -{height}
model = ComposedClassifier(loss=Slope(), gamma=0.5, budget=DropOldest(5))
print(model.partial_fit(np.ones((1, 2)), [1], classes=[0, 1]).dual_coef_[0, 0])
"""


def test_an_edit_between_two_runs_takes_effect(tmp_path: Path) -> None:
    script = tmp_path / "mine.py"
    environment = {**os.environ, "PYTHONPATH": str(Path(onkel.__file__).parent.parent)}
    told = []
    for height in (1.0, 4.0):
        script.write_text(SCRIPT.format(height=height))
        run = subprocess.run(
            [sys.executable, str(script)], env=environment, capture_output=True, text=True
        )
        assert run.returncode == 0, run.stderr
        told.append(float(run.stdout))
    assert told == pytest.approx([0.2, 0.8])


def test_parts_that_lack_a_method() -> None:
    class Silent(NamedTuple):
        def value(self, m):
            return 0.0

    with pytest.raises(ValueError, match=r"loss=.*a NamedTuple with value and slope"):
        composed(Silent(), ConstantStep(0.2), DropOldest(50)).fit(X, y)
    with pytest.raises(ValueError, match=r"budget=.*a NamedTuple with absorb"):
        composed(Hinge(), ConstantStep(0.2), 50).fit(X, y)
    with pytest.raises(ValueError, match=r"loss=.*a NamedTuple with value and slope"):
        composed(Hinge, ConstantStep(0.2), DropOldest(50)).fit(X, y)


class AppendsTwice(NamedTuple):
    size: int

    def absorb(self, model, workspace, instance, step):
        if step.take and model.now[0].n + 1 >= self.size:
            append(model, workspace, instance, step.amount)
        append(model, workspace, instance, step.amount)


class ChangesOften(NamedTuple):
    """Replaces a vector as often as it is told to, for one row."""

    times: int

    def absorb(self, model, workspace, instance, step):
        if model.now[0].n == 0:
            append(model, workspace, instance, step.amount)
        else:
            for _ in range(self.times):
                replace(model, workspace, instance, step.amount, 0)


@pytest.mark.parametrize(
    ("budget", "words"),
    [
        (AppendsTwice(20), "AppendsTwice appended more than one vector"),
        (AppendsTwice(1), "AppendsTwice appended more than one vector"),
        (ChangesOften(5), "ChangesOften changed more than 4 stored vectors"),
        (ChangesOften(5000), "ChangesOften changed more than 4 stored vectors"),
    ],
)
def test_a_budget_that_does_too_much_is_refused(budget: Any, words: str) -> None:
    model = composed(Hinge(), ConstantStep(0.2), ChangesOften(4)).fit(X, y)
    before = scores(model, X)
    model.set_params(budget=budget)
    with pytest.raises(RuntimeError, match=words):
        model.fit(X, y)
    np.testing.assert_array_equal(scores(model, X), before)


class HandsBackArrays(NamedTuple):
    """Nobody asked for what it returns."""

    size: int

    def absorb(self, model, workspace, instance, step):
        made = np.zeros(50)
        if step.take and model.now[0].n < self.size:
            append(model, workspace, instance, step.amount + made[3])
        return made


def test_what_a_budget_returns_is_given_back() -> None:
    model = composed(Hinge(), ConstantStep(0.5), HandsBackArrays(10))
    model.partial_fit(X, y, classes=np.unique(y))
    _nrt_python.memsys_enable_stats()
    before = rtsys.get_allocation_stats()
    model.partial_fit(X, y)
    after = rtsys.get_allocation_stats()
    _nrt_python.memsys_disable_stats()
    made, freed = after.alloc - before.alloc, after.free - before.free
    assert made == freed >= len(y)


TALKS = """
from typing import NamedTuple
import numpy as np
from onkel import ComposedClassifier

class Talks(NamedTuple):
    def value(self, m):
        if {when}:
            {what}
        return max(0.0, 1.0 - m)

    def slope(self, m):
        return -1.0 if m < 1.0 else 0.0

X = np.random.default_rng(0).normal(size=(300, 3)).astype("{dtype}")
y = np.where(X[:, 0] > 0, 1, -1)
try:
    ComposedClassifier(loss=Talks(), gamma=1.0, random_state=0).fit(X, y)
except ValueError as reason:
    print("refused:", reason)
print("done")
"""


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("what", "said"),
    [('print("margin", m)', "margin "), ('raise ValueError("margin", m)', "refused: ('margin', ")],
    ids=["print", "raise"],
)
def test_a_part_may_print_and_raise(what: str, said: str, dtype: str, tmp_path: Path) -> None:
    program = tmp_path / "talks.py"
    program.write_text(TALKS.format(when="m > 0.5", what=what, dtype=dtype))
    command = [sys.executable, str(program)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    first, *_, last = done.stdout.splitlines()
    assert first.startswith(said)
    assert last == "done"
