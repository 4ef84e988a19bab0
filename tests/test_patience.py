"""A test that would wait for ever fails instead."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest

from tests.patience import time_limit


def for_an_event() -> None:
    threading.Event().wait(20)


def for_a_pipe() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as pipe, os.fdopen(writing, "wb"):
        pipe.read(1)


def for_a_process() -> None:
    subprocess.run([sys.executable, "-c", "import time; time.sleep(20)"], check=True)


@pytest.mark.parametrize("wait", [for_an_event, for_a_pipe, for_a_process])
def test_a_wait_is_cut_short(wait: Callable[[], None]) -> None:
    with pytest.raises(TimeoutError, match=r"longer than 0\.2 s"), time_limit(0.2):
        wait()


def test_nothing_comes_after_the_limit_is_lifted() -> None:
    with time_limit(0.05):
        pass
    assert not threading.Event().wait(0.1)
