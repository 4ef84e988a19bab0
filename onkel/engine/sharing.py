"""Who learns side by side with whom: machines by what they look at alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from onkel.engine.lessons import Lesson, OnFourierFeatures
from onkel.engine.shared_cells import OnCells
from onkel.engine.shared_landmarks import OnLandmarks

KINDS: tuple[Any, ...] = (OnFourierFeatures, OnLandmarks, OnCells)


def lesson_of(machine: Any, number: int) -> Lesson:
    """A group that begins with this machine."""
    kind = next((kind for kind in KINDS if kind.may_take(machine)), Lesson)
    return kind(machine, number)


def grouped(machines: Sequence[Any]) -> list[Lesson]:
    """Machines by what they share; those that are alike have one map from now on."""
    lessons: list[Lesson] = []
    for number, machine in enumerate(machines):
        alone = lesson_of(machine, number)
        for lesson in lessons:
            if type(lesson) is type(alone) and lesson.takes(machine):
                lesson.join(machine, number)
                break
        else:
            lessons.append(alone)
    return lessons
